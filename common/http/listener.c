#include "common/http/listener.h"

#include <microhttpd.h>

#include "common/base/num.h"
#include "common/http/pump.h"
#include "common/http/socket.h"

#define BACKLOG 64
#define CONNECTIONS_MAX 64u
#define CONNECTION_BYTES ((size_t)16 << 10) /* of which half are for what is read */
#define IDLE_S 10u
#define BODY_BYTES_MAX ((size_t)64 << 20)

struct jr_listener {
    struct MHD_Daemon *daemon;
    struct jr_pump *pump;
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
    const struct jr_listener *l = ctx;
    const char *type = "text/plain; charset=utf-8";
    int status = MHD_HTTP_METHOD_NOT_ALLOWED;
    JR_BUF body = { 0 }, query = { 0 };

    (void)version;
    (void)upload;
    jr_buf_init(&body, BODY_BYTES_MAX);
    jr_buf_init(&query, CONNECTION_BYTES);
    if (*state == NULL) { /* the head is there; a body, if any, follows */
        *state = &begun;
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
    return reply(conn, (unsigned)status, type, &body);
}

/* ---- making and ending ---- */

static enum jr_status start_daemon(struct jr_listener *l, int fd, struct jr_error *err)
{
    l->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, l,
                                 MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                                 CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
                                 MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_END);
    return l->daemon == NULL ? jr_fail(err, JR_IO, NULL, "starting the listener") : JR_OK;
}

enum jr_status jr_listener_new(struct jr_loop *loop, const struct jr_flag_addr *at,
                               jr_listener_fn *fn, void *ctx, struct jr_listener **ret,
                               struct jr_error *err)
{
    JR_CLEANUP(jr_listener_freep) struct jr_listener *l = calloc(1, sizeof(*l));
    int fd = -1;
    enum jr_status st;

    if (l == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "listener");
    l->fn = fn;
    l->ctx = ctx;
    st = jr_listen(at->host, at->port, false, BACKLOG, &fd, l->address, err);
    if (st != JR_OK)
        return st;
    st = start_daemon(l, fd, err);
    if (st != JR_OK) {
        (void)close(fd);
        return st;
    }
    st = jr_pump_new(loop, l->daemon, &l->pump, err); /* the socket is the daemon's to close now */
    if (st == JR_OK)
        *ret = jr_steal(&l);
    return st;
}

enum jr_status jr_listener_serve(const struct jr_listener_service *s, const struct jr_flag_addr *at,
                                 struct jr_listener **ret, struct jr_error *err)
{
    enum jr_status st;

    if (at->off)
        return JR_OK;
    st = jr_listener_new(s->loop, at, s->fn, s->ctx, ret, err);
    if (st != JR_OK)
        return jr_wrap(err, st, "%s", s->flag);
    jr_info(s->log, "serving", JR_CSTR("listener", s->name),
            JR_CSTR("address", jr_listener_address(*ret)));
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
    jr_pump_free(l->pump);
    if (l->daemon != NULL)
        MHD_stop_daemon(l->daemon);
    free(l);
}
