/* SPDX-License-Identifier: Apache-2.0 */
/* The listener for probes and metrics: requests answered, connections bounded. */
#include "common/http/listener.h"

#include <microhttpd.h>
#include <sys/socket.h>

#include "common/base/about.h"
#include "common/base/num.h"
#include "common/http/accept.h"
#include "common/http/pump.h"
#include "common/http/socket.h"
#include "common/http/tls_conn.h"

#define BACKLOG 4096
#define CONNECTIONS_MAX 128u
#define CONNECTION_BYTES ((size_t)8 << 10) /* of which half are for what is read */
#define REQUEST_MS 2000
#define IDLE_MS 10000
#define NET_S 30u /* libmicrohttpd's own limit of inactivity, below the reaper */
#define BODY_BYTES_MAX ((size_t)64 << 20)

struct jr_listener {
    struct MHD_Daemon *daemon;
    struct jr_pump *pump;
    struct jr_acceptor *acceptor;
    struct jr_conns conns;
    bool secure;
    struct jr_tls_server tls; /* where it is */
    struct jr_loop *loop;
    struct jr_timer *reap;
    jr_listener_fn *fn;
    void *ctx;
    char address[JR_LISTEN_ADDRESS_MAX];
};

/* ---- answering ---- */

static enum MHD_Result reply(struct MHD_Connection *conn, unsigned status, const char *type,
                             struct jr_buf *body)
{
    JR_FREE char *text = NULL;
    struct MHD_Response *res;
    enum MHD_Result ok;
    size_t n = 0;

    if (jr_buf_take(body, &text, &n) != JR_OK)
        return MHD_NO;
    res = MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
    if (res == NULL)
        return MHD_NO;
    text = NULL;
    ok = MHD_add_response_header(res, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (ok == MHD_YES && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        ok = MHD_add_response_header(res, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (ok == MHD_YES)
        ok = MHD_queue_response(conn, status, res);
    MHD_destroy_response(res);
    return ok;
}

/** Leaves paths and queries as they were sent. */
static size_t unescape(void *ctx, struct MHD_Connection *conn, char *s)
{
    (void)ctx;
    (void)conn;
    return strlen(s);
}

/** libmicrohttpd keeps the query in pieces only: they are put together again. */
static enum MHD_Result add_argument(void *ctx, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    struct jr_buf *query = ctx;

    (void)kind;
    if (query->n > 0)
        (void)jr_buf_addc(query, '&');
    (void)jr_buf_adds(query, key);
    if (value != NULL) {
        (void)jr_buf_addc(query, '=');
        (void)jr_buf_adds(query, value);
    }
    return MHD_YES;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *conn, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_n, void **state)
{
    static char begun;
    struct jr_listener *l = ctx;
    struct jr_conn *c = jr_record_of(conn);
    const char *type = "text/plain; charset=utf-8";
    int status = MHD_HTTP_METHOD_NOT_ALLOWED;
    JR_BUF body = { 0 }, query = { 0 };

    (void)version;
    (void)upload;
    jr_buf_init(&body, BODY_BYTES_MAX);
    jr_buf_init(&query, CONNECTION_BYTES);
    if (c == NULL)
        return MHD_NO;
    if (*state == NULL) { /* the head is there; a body, if any, follows */
        *state = &begun;
        jr_conns_request(&l->conns, c);
        return MHD_YES;
    }
    if (*upload_n > 0) { /* not wanted, but to be read before an answer */
        *upload_n = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) {
        (void)MHD_get_connection_values(conn, MHD_GET_ARGUMENT_KIND, add_argument, &query);
        status = l->fn(l->ctx, jr_str(url), jr_buf_str(&query), &body, &type);
    } else {
        (void)jr_buf_adds(&body, "method not allowed\n");
    }
    if (body.failed != JR_OK)
        return MHD_NO;
    jr_conns_send(&l->conns, c);
    (void)jr_conns_hold(&l->conns, c, body.n); /* until it is sent */
    return reply(conn, (unsigned)status, type, &body);
}

static void on_done(void *ctx, struct MHD_Connection *conn, void **state,
                    enum MHD_RequestTerminationCode how)
{
    struct jr_listener *l = ctx;
    struct jr_conn *c = jr_record_of(conn);

    (void)how;
    *state = NULL;
    if (c != NULL)
        jr_conns_idle(&l->conns, c);
}

/* ---- connections ---- */

static void *begin_plain(struct jr_listener *l, struct MHD_Connection *conn)
{
    int fd = -1;
    struct jr_conn *c = jr_record_new(conn, sizeof(*c), &fd);

    if (c == NULL)
        return NULL;
    jr_conns_transfer_finish(&l->conns, c, fd);
    jr_conns_open(&l->conns, c);  /* there is no handshake, */
    jr_conns_heard(&l->conns, c); /* and it has begun to talk */
    return c;
}

static void end_plain(struct jr_listener *l, struct jr_conn *c)
{
    if (c != NULL)
        jr_conns_remove(&l->conns, c);
    free(c);
}

/** Called with CLOSED before the descriptor is closed. */
static void on_connection(void *ctx, struct MHD_Connection *conn, void **state,
                          enum MHD_ConnectionNotificationCode code)
{
    struct jr_listener *l = ctx;

    switch (code) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        *state = l->secure ? jr_tls_conn_new(&l->tls, conn, sizeof(struct jr_tls_conn))
                           : begin_plain(l, conn);
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        if (l->secure)
            jr_tls_conn_free(*state);
        else
            end_plain(l, *state);
        *state = NULL;
        break;
    }
}

/** A connection was given to the daemon, or resumed. */
static void on_news(void *ctx)
{
    struct jr_listener *l = ctx;

    jr_pump_kick(l->pump);
}

static void on_reap(void *ctx)
{
    struct jr_listener *l = ctx;
    int64_t wait_ns;

    l->reap = NULL;
    (void)jr_conns_reap(&l->conns, &wait_ns);
    /* Without memory for the timer what is left is ended by libmicrohttpd, by inactivity. */
    (void)!jr_loop_after(l->loop, wait_ns, on_reap, l, &l->reap);
}

/* ---- making and ending ---- */

static enum jr_status start_daemon(struct jr_listener *l, struct jr_error *err)
{
    /* Our own count is the limit (jr_conns): libmicrohttpd's is never reached. */
    const unsigned limit = 2 * (CONNECTIONS_MAX + (unsigned)jr_conns_shut_max(CONNECTIONS_MAX));
    const unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET;
    const struct MHD_OptionItem plain[] = { { MHD_OPTION_END, 0, NULL } };
    const struct MHD_OptionItem secure[] = {
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)jr_tls_priorities(&l->tls.terms) },
        { MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)jr_tls_conn_certificate },
        { MHD_OPTION_END, 0, NULL },
    };

    l->daemon = MHD_start_daemon(
        l->secure ? flags | MHD_USE_TLS | MHD_ALLOW_SUSPEND_RESUME : flags, 0, NULL, NULL,
        on_request, l, MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, NET_S, MHD_OPTION_UNESCAPE_CALLBACK,
        unescape, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, l, MHD_OPTION_NOTIFY_COMPLETED,
        on_done, l, MHD_OPTION_ARRAY, l->secure ? secure : plain, MHD_OPTION_END);
    return l->daemon == NULL ? jr_fail(err, JR_IO, NULL, "starting the listener") : JR_OK;
}

/** Takes what comes to fd, which is closed in any case. */
static enum jr_status accept_on(struct jr_listener *l, int fd, struct jr_error *err)
{
    const struct jr_acceptor_deps deps = {
        .loop = l->loop,
        .daemon = l->daemon,
        .known_daemon = l->daemon,
        .conns = &l->conns,
        .descriptors_max = CONNECTIONS_MAX + jr_conns_shut_max(CONNECTIONS_MAX),
        .look = l->secure ? jr_hello_look : NULL,
        .on_given = on_news,
        .ctx = l,
    };

    return jr_acceptor_new(&deps, fd, &l->acceptor, err);
}

/** Begins what its connections share. */
static enum jr_status init_conns(struct jr_listener *l, const struct jr_tls_terms *tls,
                                 struct jr_error *err)
{
    const struct jr_conns_limits limits = {
        .max = CONNECTIONS_MAX,
        .fair = true,
        .held_max = BODY_BYTES_MAX,
        .header_ms = REQUEST_MS,
        .request_ms = REQUEST_MS,
        .idle_ms = IDLE_MS,
    };

    jr_conns_init(&l->conns, &limits, jr_loop_clock(l->loop));
    l->secure = tls != NULL;
    if (!l->secure)
        return JR_OK;
    enum jr_status st = jr_tls_server_init(&l->tls, l->loop, &l->conns, tls, err);

    l->tls.suspended.on_resumed = on_news;
    l->tls.suspended.ctx = l;
    return st;
}

enum jr_status jr_listener_new(const struct jr_listener_service *s, const struct jr_flag_addr *at,
                               struct jr_listener **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_listener_freep) struct jr_listener *l = calloc(1, sizeof(*l));
    int fd = -1;
    enum jr_status st;

    if (l == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "listener");
    l->loop = s->loop;
    l->fn = s->fn;
    l->ctx = s->ctx;
    st = init_conns(l, s->tls, err);
    if (st == JR_OK)
        st = start_daemon(l, err);
    if (st == JR_OK)
        st = jr_pump_new(l->loop, l->daemon, &l->pump, err);
    if (st == JR_OK)
        st = jr_listen(at->host, at->port, false, BACKLOG, &fd, l->address, err);
    if (st == JR_OK)
        st = accept_on(l, fd, err);
    if (st != JR_OK)
        return st;
    on_reap(l);
    *ret = jr_steal(&l);
    return JR_OK;
}

enum jr_status jr_listener_serve(const struct jr_listener_service *s, const struct jr_flag_addr *at,
                                 struct jr_listener **ret, struct jr_error *err)
{
    enum jr_status st;

    if (at->off)
        return JR_OK;
    st = jr_listener_new(s, at, ret, err);
    if (st != JR_OK)
        return jr_wrap(err, st, "%s", s->flag);
    jr_info(s->log, "serving", JR_CSTR("listener", s->name),
            JR_CSTR("address", jr_listener_address(*ret)),
            JR_CSTR("scheme", s->tls != NULL ? "https" : "http"));
    return JR_OK;
}

const char *jr_listener_address(const struct jr_listener *l)
{
    return l->address;
}

void jr_listener_free(struct jr_listener *l)
{
    if (l == NULL)
        return;
    jr_timer_cancel(l->loop, &l->reap);
    jr_acceptor_free(l->acceptor);
    if (l->secure)
        jr_tls_server_close(&l->tls);
    jr_pump_free(l->pump);
    if (l->daemon != NULL)
        MHD_stop_daemon(l->daemon);
    if (l->secure)
        jr_tls_server_done(&l->tls);
    jr_conns_done(&l->conns);
    free(l);
}

void jr_http_about(struct jr_buf *out)
{
    jr_about_line(out, "libmicrohttpd", MHD_get_version());
    jr_tls_about(out);
}
