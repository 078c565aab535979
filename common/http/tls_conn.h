/* SPDX-License-Identifier: Apache-2.0 */
/* The connections of a TLS listener, under libmicrohttpd: their handshakes, which cost nothing
 * while they wait for a client, and their certificates. */
#ifndef JR_HTTP_TLS_CONN_H
#define JR_HTTP_TLS_CONN_H

#include <microhttpd.h>

#include "common/http/conns.h"
#include "common/http/suspended.h"
#include "common/tls/tls.h"

/** How TLS is spoken. All is borrowed, and outlives the listener. */
struct jr_tls_terms {
    struct jr_tls_store
        *store;    /* its current certificate is shown; without one a handshake fails */
    bool only_1_3; /* else TLS 1.2, too */
    /** Where the client's hello was read, and which version it will be is known: leaves the session
     * fewer cipher suites. Returns GnuTLS' code: negative ends the handshake. NULL: GnuTLS' choice.
     */
    int (*limit)(const void *ctx, gnutls_session_t session, struct jr_tls_cred *cred);
    const void *ctx; /* its own */
};
/** What libmicrohttpd is told of it (MHD_OPTION_HTTPS_PRIORITIES): constant text. */
const char *jr_tls_priorities(const struct jr_tls_terms *t);

struct jr_tls_conn;
/** What the connections of a listener share. Its daemons have MHD_ALLOW_SUSPEND_RESUME. */
struct jr_tls_server {
    struct jr_tls_terms terms;
    struct jr_conns *conns;
    struct jr_suspended suspended;
    /** The client's Finished has come. May be NULL. */
    void (*on_open)(struct jr_tls_conn *c, gnutls_session_t session);
};
/** Everything is borrowed but terms. Errors: JR_IO, JR_NOMEM; then jr_tls_server_done is still to
 * be called. on_open is the caller's to set. */
enum jr_status jr_tls_server_init(struct jr_tls_server *s, struct jr_loop *loop,
                                  struct jr_conns *conns, const struct jr_tls_terms *terms,
                                  struct jr_error *err) JR_MUST_USE;
/** To be called before MHD_stop_daemon: no handshake waits any more. */
void jr_tls_server_close(struct jr_tls_server *s);
/** To be called after jr_tls_server_close, when the daemons have been stopped. */
void jr_tls_server_done(struct jr_tls_server *s);

/** A connection, a part of the owner's record of it (jr_record_of). */
struct jr_tls_conn {
    struct jr_conn conn; /* must be the first */
    struct jr_tls_server *server;
    struct jr_tls_cred *cred; /* of its handshake; NULL before */
    struct jr_suspended_conn suspended;
};
/** For MHD_CONNECTION_NOTIFY_STARTED: a record of `size` bytes, zeroed, which begins with a struct
 * jr_tls_conn. Ended by jr_tls_conn_free. NULL: no memory, the connection is shut down. */
void *jr_tls_conn_new(struct jr_tls_server *s, struct MHD_Connection *connection, size_t size);
/** For MHD_CONNECTION_NOTIFY_CLOSED. NULL-safe. */
void jr_tls_conn_free(struct jr_tls_conn *c);
/** For MHD_OPTION_HTTPS_CERT_CALLBACK. */
int jr_tls_conn_certificate(gnutls_session_t session, const gnutls_datum_t *names, int n_names,
                            const gnutls_pk_algorithm_t *algos, int n_algos,
                            gnutls_pcert_st **certs, unsigned *n, gnutls_privkey_t *key);

#endif
