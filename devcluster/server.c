/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP shell: libmicrohttpd on the event loop. */
#include "devcluster/server.h"

#include <microhttpd.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/http/pump.h"
#include "common/http/socket.h"
#include "devcluster/exchange.h"

#define TICK_NS (1 * JR_SEC)
#define MAX_CONNECTIONS 1000u

static char *header(struct MHD_Connection *conn, const char *name)
{
    const char *v = MHD_lookup_connection_value(conn, MHD_HEADER_KIND, name);

    return v == NULL ? NULL : jr_xstrndup(jr_str(v));
}

/* The first that libmicrohttpd tells of a request, and the only place where it shows the URI as it
 * was sent. */
static void *on_uri(void *cls, const char *uri, struct MHD_Connection *conn)
{
    struct jr_dev_server *s = cls;
    struct jr_dev_exchange *ex = jr_xcalloc(1, sizeof(*ex));

    ex->server = s;
    ex->conn = conn;
    ex->path = jr_xstrndup(jr_str(uri));
    jr_buf_init(&ex->body, JR_DEV_MAX_BODY);
    jr_buf_init(&ex->frames, (size_t)64 << 20);
    jr_buf_init(&ex->text, (size_t)1 << 20);
    ex->next = s->exchanges;
    if (s->exchanges != NULL)
        s->exchanges->prev = ex;
    s->exchanges = ex;
    return ex;
}

static void take_head(struct jr_dev_exchange *ex, const char *method)
{
    ex->headed = true;
    ex->method = jr_xstrndup(jr_str(method));
    ex->accept = header(ex->conn, "Accept");
    ex->content_type = header(ex->conn, "Content-Type");
    ex->user_agent = header(ex->conn, "User-Agent");
    if (ex->user_agent == NULL)
        ex->user_agent = jr_xstrndup(JR_S(""));
}

static enum MHD_Result on_access(void *cls, struct MHD_Connection *conn, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *data_n, void **con_cls)
{
    struct jr_dev_exchange *ex = *con_cls;

    (void)cls;
    (void)conn;
    (void)url;
    (void)version;
    if (!ex->headed) {
        take_head(ex, method);
        return MHD_YES;
    }
    if (*data_n > 0) {
        if (jr_need(jr_buf_add(&ex->body, (struct jr_str){ data, *data_n })) != JR_OK)
            ex->too_large = true;
        *data_n = 0;
        return MHD_YES;
    }
    if (ex->state == JR_DEV_EX_READING)
        jr_dev_exchange_dispatch(ex);
    switch (ex->state) {
    case JR_DEV_EX_READY:
        return jr_dev_exchange_answer(ex);
    case JR_DEV_EX_ABORT:
        return MHD_NO;
    case JR_DEV_EX_READING:
    case JR_DEV_EX_WAITING:
    case JR_DEV_EX_HELD:
        break;
    }
    jr_dev_exchange_suspend(ex);
    return MHD_YES;
}

static void on_completed(void *cls, struct MHD_Connection *conn, void **con_cls,
                         enum MHD_RequestTerminationCode code)
{
    struct jr_dev_server *s = cls;
    struct jr_dev_exchange *ex = *con_cls;

    (void)conn;
    (void)code;
    if (ex == NULL)
        return;
    *con_cls = NULL;
    if (ex->prev != NULL)
        ex->prev->next = ex->next;
    else
        s->exchanges = ex->next;
    if (ex->next != NULL)
        ex->next->prev = ex->prev;
    jr_dev_exchange_free(ex);
}

static void on_lag(void *ctx)
{
    struct jr_dev_exchange *ex = ctx;

    ex->timer = NULL;
    ex->visible = jr_dev_revision(ex->server->store);
    jr_dev_exchange_wake(ex);
}

static void wake_watch(struct jr_dev_exchange *ex)
{
    if (ex->fault.action != JR_DEV_FAULT_DELAY) {
        jr_dev_exchange_wake(ex);
        return;
    }
    if (ex->visible == 0)
        ex->visible = 1;
    if (ex->timer == NULL)
        jr_xloop_after(ex->server->loop, ex->fault.delay_ms * JR_MSEC, on_lag, ex, &ex->timer);
}

static void wake_watches(struct jr_dev_server *s)
{
    for (struct jr_dev_exchange *ex = s->exchanges; ex != NULL; ex = ex->next) {
        if (ex->watching && ex->suspended)
            wake_watch(ex);
    }
}

static void on_tick(void *ctx);

static void tick_in(struct jr_dev_server *s, int64_t ns)
{
    jr_timer_cancel(s->loop, &s->tick);
    jr_xloop_after(s->loop, ns, on_tick, s, &s->tick);
}

static void on_tick(void *ctx)
{
    struct jr_dev_server *s = ctx;
    int64_t next;

    s->tick = NULL;
    next = jr_dev_tick(s->store, jr_loop_wall(s->loop));
    wake_watches(s);
    /* Watches have time-outs of their own, so they are looked at once a second at least. */
    tick_in(s, next < TICK_NS ? next : TICK_NS);
}

void jr_dev_server_changed(struct jr_dev_server *s)
{
    tick_in(s, 0);
}

void jr_dev_server_drop_watches(struct jr_dev_server *s)
{
    for (struct jr_dev_exchange *ex = s->exchanges; ex != NULL; ex = ex->next) {
        if (ex->watching) {
            ex->state = JR_DEV_EX_ABORT;
            jr_dev_exchange_wake(ex);
        }
    }
}

static enum jr_status start_server(struct jr_dev_server *s,
                                   const struct jr_dev_server_options *options,
                                   struct jr_error *err)
{
    int fd = -1;
    enum jr_status st =
        jr_listen(options->host, options->port, false, SOMAXCONN, &fd, s->address, err);

    if (st != JR_OK) {
        (void)snprintf(err->path, sizeof(err->path), "--bind-address");
        return st;
    }
    s->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_TLS | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_access, s,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_HTTPS_MEM_CERT, options->cert->cert_pem,
        MHD_OPTION_HTTPS_MEM_KEY, options->cert->key_pem, MHD_OPTION_URI_LOG_CALLBACK, on_uri, s,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)128 << 10, MHD_OPTION_END);
    if (s->daemon == NULL) {
        (void)close(fd);
        return jr_fail(err, JR_IO, s->address, "libmicrohttpd can't serve there");
    }
    return jr_pump_new(s->loop, s->daemon, &s->pump, err);
}

enum jr_status jr_dev_server_new(struct jr_loop *loop, struct jr_dev_store *store,
                                 const struct jr_dev_server_options *options, struct jr_log *log,
                                 struct jr_dev_server **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_dev_server_freep) struct jr_dev_server *s = jr_xcalloc(1, sizeof(*s));

    s->loop = loop;
    s->store = store;
    s->log = log;
    s->token = jr_xstrndup(jr_str(options->token));
    s->faults = jr_dev_faults_new();
    s->hooks = jr_dev_hooks_new(loop);
    enum jr_status st = start_server(s, options, err);
    if (st != JR_OK)
        return st;
    tick_in(s, 0);
    *ret = jr_steal(&s);
    return JR_OK;
}

const char *jr_dev_server_address(const struct jr_dev_server *s)
{
    return s->address;
}

void jr_dev_server_free(struct jr_dev_server *s)
{
    if (s == NULL)
        return;
    jr_timer_cancel(s->loop, &s->tick);
    if (s->daemon != NULL) {
        /* libmicrohttpd can't stop while a connection is suspended. */
        for (struct jr_dev_exchange *ex = s->exchanges; ex != NULL; ex = ex->next) {
            ex->state = JR_DEV_EX_ABORT;
            jr_dev_hook_cancel(&ex->hook);
            if (ex->suspended) {
                ex->suspended = false;
                MHD_resume_connection(ex->conn);
            }
        }
        (void)MHD_run(s->daemon);
        jr_pump_free(s->pump);
        MHD_stop_daemon(s->daemon);
    }
    jr_dev_hooks_free(s->hooks);
    jr_dev_faults_free(s->faults);
    free(s->token);
    free(s);
}
