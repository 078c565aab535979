/* SPDX-License-Identifier: Apache-2.0 */
/* What GnuTLS calls for a connection of libmicrohttpd's. A session's pointer is libmicrohttpd's
 * connection. */
#include "common/http/tls_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/http/accept.h"

const char *jr_tls_priorities(const struct jr_tls_terms *t)
{
    return t->only_1_3 ? "NORMAL:-VERS-ALL:+VERS-TLS1.3"
                       : "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
}

/* ---- a handshake ---- */

/** recv(2) for GnuTLS. A connection whose handshake waits for its client is suspended: under epoll
 * libmicrohttpd (0.9.75) goes round in circles meanwhile, so that any client could keep all threads
 * busy by half of one. */
static ssize_t pull(gnutls_transport_ptr_t ptr, void *buf, size_t n)
{
    struct jr_tls_conn *c = ptr;
    ssize_t got = recv(c->conn.fd, buf, n, 0);

    if (got > 0)
        jr_conns_heard(c->server->conns, &c->conn);
    if (got < 0 && errno == EAGAIN && c->conn.stage == JR_CONN_NEW) {
        jr_conns_await_client(c->server->conns, &c->conn);
        jr_suspended_add(&c->server->suspended, &c->suspended, c->conn.fd);
        errno = EAGAIN;
    }
    return got;
}

/** The client's Finished has come: from here on nobody waits for it. */
static int on_finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
                       const gnutls_datum_t *msg)
{
    struct jr_tls_conn *c = jr_record_of(gnutls_session_get_ptr(session));

    (void)type;
    (void)when;
    (void)msg;
    if (incoming == 0 || c == NULL)
        return 0;
    jr_conns_open(c->server->conns, &c->conn);
    if (c->server->on_open != NULL)
        c->server->on_open(c, session);
    return 0;
}

/** The certificate that a handshake shows: the current one when it is first asked for; NULL: there
 * is none yet. GnuTLS only borrows it, so the connection's record holds it. */
static struct jr_tls_cred *cred_of(struct jr_tls_conn *c)
{
    if (c->cred == NULL)
        c->cred = jr_tls_store_get(c->server->terms.store);
    return c->cred;
}

/** The client's hello was read: which version of TLS it will be is known, and no suite is chosen.
 */
static int on_hello(gnutls_session_t session)
{
    struct jr_tls_conn *c = jr_record_of(gnutls_session_get_ptr(session));
    struct jr_tls_cred *cred = c == NULL ? NULL : cred_of(c);

    return cred == NULL ? GNUTLS_E_INSUFFICIENT_CREDENTIALS
                        : c->server->terms.limit(c->server->terms.ctx, session, cred);
}

int jr_tls_conn_certificate(gnutls_session_t session, const gnutls_datum_t *names, int n_names,
                            const gnutls_pk_algorithm_t *algos, int n_algos,
                            gnutls_pcert_st **certs, unsigned *n, gnutls_privkey_t *key)
{
    struct MHD_Connection *connection = gnutls_session_get_ptr(session);
    struct jr_tls_conn *c = connection == NULL ? NULL : jr_record_of(connection);

    (void)names;
    (void)n_names;
    (void)algos;
    (void)n_algos;
    if (c == NULL || cred_of(c) == NULL)
        return -1;
    jr_tls_cred_get(c->cred, certs, n, key);
    return 0;
}

/* ---- a connection ---- */

static void read_by_pull(struct jr_tls_conn *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c->suspended.connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    gnutls_session_t session = info == NULL ? NULL : info->tls_session;
    gnutls_transport_ptr_t from, to;

    if (session == NULL)
        return;
    gnutls_transport_get_ptr2(session, &from, &to);
    gnutls_transport_set_ptr2(session, c, to);
    gnutls_transport_set_pull_function(session, pull);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
                                       on_finished);
    if (c->server->terms.limit != NULL)
        gnutls_handshake_set_post_client_hello_function(session, on_hello);
}

void *jr_tls_conn_new(struct jr_tls_server *s, struct MHD_Connection *connection, size_t size)
{
    int fd = -1;
    struct jr_tls_conn *c = jr_record_new(connection, size, &fd);

    if (c == NULL)
        return NULL;
    c->server = s;
    c->suspended.connection = connection;
    jr_conns_transfer_finish(s->conns, &c->conn, fd);
    read_by_pull(c);
    return c;
}

void jr_tls_conn_free(struct jr_tls_conn *c)
{
    if (c == NULL)
        return;
    jr_suspended_remove(&c->server->suspended, &c->suspended, c->conn.fd);
    jr_conns_remove(c->server->conns, &c->conn);
    jr_tls_cred_unref(c->cred);
    free(c);
}

/* ---- what they share ---- */

enum jr_status jr_tls_server_init(struct jr_tls_server *s, struct jr_loop *loop,
                                  struct jr_conns *conns, const struct jr_tls_terms *terms,
                                  struct jr_error *err)
{
    *s = (struct jr_tls_server){ .terms = *terms, .conns = conns };
    return jr_suspended_init(&s->suspended, loop, err);
}

void jr_tls_server_close(struct jr_tls_server *s)
{
    jr_suspended_close(&s->suspended);
}

void jr_tls_server_done(struct jr_tls_server *s)
{
    jr_suspended_done(&s->suspended);
}
