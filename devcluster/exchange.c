/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the HTTP shell: into the store, and answers and watches out of it. */
#include "devcluster/exchange.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/http/pump.h"
#include "common/json/write.h"

static void begin_api_request(struct jr_dev_exchange *ex);

void jr_dev_exchange_fail(struct jr_dev_exchange *ex, int status, const char *reason,
                          const char *message)
{
    struct jr_writer w = jr_writer_on(&ex->text);

    jr_buf_reset(&ex->text);
    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("Status"));
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_w_object_end(&w);
    jr_w_kstr(&w, "status", JR_S("Failure"));
    jr_w_kstr(&w, "message", jr_str(message));
    jr_w_kstr(&w, "reason", jr_str(reason));
    jr_w_ki64(&w, "code", status);
    jr_w_object_end(&w);
    jr_must(ex->text.failed);
    ex->status = status;
    ex->api = false;
    ex->state = JR_DEV_EX_READY;
}

void jr_dev_exchange_suspend(struct jr_dev_exchange *ex)
{
    if (!ex->suspended) {
        ex->suspended = true;
        MHD_suspend_connection(ex->conn);
    }
}

void jr_dev_exchange_wake(struct jr_dev_exchange *ex)
{
    if (ex->suspended) {
        ex->suspended = false;
        MHD_resume_connection(ex->conn);
        jr_pump_kick(ex->server->pump);
    }
}

static bool authorized(const struct jr_dev_exchange *ex)
{
    const char *given = MHD_lookup_connection_value(ex->conn, MHD_HEADER_KIND, "Authorization");
    static const char scheme[] = "Bearer ";

    return given != NULL && strncmp(given, scheme, sizeof(scheme) - 1) == 0 &&
           strcmp(given + sizeof(scheme) - 1, ex->server->token) == 0;
}

static enum MHD_Result find_unserved(void *cls, enum MHD_ValueKind kind, const char *key,
                                     const char *value)
{
    static const char prefix[] = "Impersonate-";

    (void)kind;
    (void)value;
    *(bool *)cls |= strncasecmp(key, prefix, sizeof(prefix) - 1) == 0 &&
                    strcasecmp(key + sizeof(prefix) - 1, "User") != 0;
    return MHD_YES;
}

/** Whether it asks for more of a user than a name. */
static bool impersonates_more(const struct jr_dev_exchange *ex)
{
    bool more = false;

    (void)MHD_get_connection_values(ex->conn, MHD_HEADER_KIND, find_unserved, &more);
    return more;
}

static bool is_health(const char *path)
{
    return strcmp(path, "/healthz") == 0 || strcmp(path, "/livez") == 0 ||
           strcmp(path, "/readyz") == 0;
}

/* The store has answered: faults and the hold decide whether the client hears of it. */
static void on_store_answer(struct jr_dev_exchange *ex)
{
    bool answer = true;

    ex->state = JR_DEV_EX_READY;
    if (jr_dev_op_wrote(ex->op)) {
        jr_dev_hold_wrote(ex->server->faults, jr_str(ex->user_agent), jr_str(ex->path), &answer);
        jr_dev_server_changed(ex->server);
    }
    if (!answer)
        ex->state = JR_DEV_EX_HELD;
    else if (ex->fault.action == JR_DEV_FAULT_LOST)
        ex->state = JR_DEV_EX_ABORT;
}

static void on_hook(void *ctx, const struct jr_dev_webhook_result *r);

/** Goes on after a webhook that can't be called. */
static enum jr_dev_next fail_hook(struct jr_dev_exchange *ex, const char *why)
{
    const struct jr_dev_webhook_result failed = { .failed = true, .error = why };

    return jr_dev_resume(ex->op, &failed, jr_loop_wall(ex->server->loop));
}

static void take_step(struct jr_dev_exchange *ex, enum jr_dev_next next)
{
    struct jr_error err;

    for (; next == JR_DEV_NEXT_WEBHOOK; next = fail_hook(ex, err.msg)) {
        ex->state = JR_DEV_EX_WAITING;
        if (jr_dev_hooks_call(ex->server->hooks, jr_dev_op_webhook(ex->op), on_hook, ex, &ex->hook,
                              &err) == JR_OK)
            return;
    }
    if (next == JR_DEV_NEXT_ANSWER) {
        on_store_answer(ex);
    } else {
        ex->watching = true;
        ex->state = JR_DEV_EX_READY;
    }
}

static void on_hook(void *ctx, const struct jr_dev_webhook_result *r)
{
    struct jr_dev_exchange *ex = ctx;

    ex->hook = NULL;
    take_step(ex, jr_dev_resume(ex->op, r, jr_loop_wall(ex->server->loop)));
    if (ex->state != JR_DEV_EX_WAITING && ex->state != JR_DEV_EX_HELD)
        jr_dev_exchange_wake(ex);
}

static void on_delay(void *ctx)
{
    struct jr_dev_exchange *ex = ctx;

    ex->timer = NULL;
    begin_api_request(ex);
    if (ex->state != JR_DEV_EX_WAITING && ex->state != JR_DEV_EX_HELD)
        jr_dev_exchange_wake(ex);
}

void jr_dev_exchange_end_fault(struct jr_dev_exchange *ex)
{
    const bool waits = ex->timer != NULL && !ex->watching;

    jr_timer_cancel(ex->server->loop, &ex->timer);
    ex->fault.action = JR_DEV_FAULT_NONE;
    ex->visible = 0;
    if (waits)
        on_delay(ex);
    else if (ex->watching)
        jr_dev_exchange_wake(ex);
}

/* Hands the request to the store. */
static void begin_api_request(struct jr_dev_exchange *ex)
{
    const char *as = MHD_lookup_connection_value(ex->conn, MHD_HEADER_KIND, "Impersonate-User");
    const struct jr_dev_request req = {
        .method = ex->method,
        .path = ex->path,
        .accept = ex->accept,
        .content_type = ex->content_type,
        .body = jr_buf_str(&ex->body),
        .user = as != NULL ? as : "devcluster-admin",
        .more_of_user = impersonates_more(ex),
    };

    ex->api = true;
    take_step(ex, jr_dev_begin(ex->server->store, &req, jr_loop_wall(ex->server->loop), &ex->op));
}

static void begin_faulty(struct jr_dev_exchange *ex)
{
    char message[96];

    ex->fault = jr_dev_faults_next(ex->server->faults, jr_str(ex->user_agent), jr_str(ex->method),
                                   jr_str(ex->path));
    switch (ex->fault.action) {
    case JR_DEV_FAULT_NONE:
    case JR_DEV_FAULT_LOST:
        begin_api_request(ex);
        break;
    case JR_DEV_FAULT_STATUS:
        (void)snprintf(message, sizeof(message), "fault on purpose: %d", ex->fault.status);
        jr_dev_exchange_fail(ex, ex->fault.status,
                             ex->fault.status == 409   ? "Conflict"
                             : ex->fault.status == 410 ? "Expired"
                             : ex->fault.status == 429 ? "TooManyRequests"
                                                       : "InternalError",
                             message);
        break;
    case JR_DEV_FAULT_DROP:
        ex->state = JR_DEV_EX_ABORT;
        break;
    case JR_DEV_FAULT_DELAY:
        ex->state = JR_DEV_EX_WAITING;
        jr_xloop_after(ex->server->loop, ex->fault.delay_ms * JR_MSEC, on_delay, ex, &ex->timer);
        break;
    }
}

void jr_dev_exchange_dispatch(struct jr_dev_exchange *ex)
{
    if (ex->too_large) {
        jr_dev_exchange_fail(ex, 413, "RequestEntityTooLarge",
                             "Request entity too large: limit is 3145728");
    } else if (is_health(ex->path)) {
        ex->status = 200;
        (void)jr_buf_adds(&ex->text, "ok");
        ex->state = JR_DEV_EX_READY;
    } else if (!authorized(ex)) {
        jr_dev_exchange_fail(ex, 401, "Unauthorized", "Unauthorized");
    } else if (strncmp(ex->path, "/devcluster/", 12) == 0) {
        jr_dev_exchange_control(ex);
    } else if (jr_dev_hold_on(ex->server->faults, jr_str(ex->user_agent))) {
        ex->state = JR_DEV_EX_HELD;
    } else {
        begin_faulty(ex);
    }
}

/* Watches. */

/* Fills ex->frames with what there is to see. */
static bool watch_fill(struct jr_dev_exchange *ex)
{
    if (ex->ended || ex->frames.n > 0)
        return true;
    if (jr_dev_hold_on(ex->server->faults, jr_str(ex->user_agent)))
        return false;
    jr_buf_reset(&ex->frames);
    ex->ended = jr_dev_watch_read(ex->op, ex->visible, (size_t)256 << 10,
                                  jr_loop_wall(ex->server->loop), &ex->frames);
    return ex->ended || ex->frames.n > 0;
}

static ssize_t watch_read(void *cls, uint64_t pos, char *buf, size_t max)
{
    struct jr_dev_exchange *ex = cls;

    (void)pos;
    if (ex->state == JR_DEV_EX_ABORT)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (!watch_fill(ex)) {
        jr_dev_exchange_suspend(ex);
        return 0;
    }
    size_t n = ex->frames.n < max ? ex->frames.n : max;
    if (n == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    memcpy(buf, ex->frames.p, n);
    jr_buf_consume(&ex->frames, n);
    return (ssize_t)n;
}

static struct MHD_Response *api_response(struct jr_dev_exchange *ex, const struct jr_dev_answer *a)
{
    struct MHD_Response *r;
    char number[16];

    if (ex->watching)
        r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32768, watch_read, ex, NULL);
    else
        r = MHD_create_response_from_buffer(a->body.n, a->body.p, MHD_RESPMEM_PERSISTENT);
    if (r == NULL)
        return NULL;
    (void)MHD_add_response_header(r, "Content-Type", a->content_type);
    if (a->retry_after_s > 0) {
        (void)snprintf(number, sizeof(number), "%d", a->retry_after_s);
        (void)MHD_add_response_header(r, "Retry-After", number);
    }
    for (size_t i = 0; i < a->n_warnings; i++)
        (void)MHD_add_response_header(r, "Warning", a->warnings[i]);
    return r;
}

static struct MHD_Response *own_response(struct jr_dev_exchange *ex)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(ex->text.n, ex->text.p, MHD_RESPMEM_PERSISTENT);

    if (r == NULL)
        return NULL;
    (void)MHD_add_response_header(r, "Content-Type",
                                  ex->text.n > 0 && ex->text.p[0] == '{' ? "application/json"
                                                                         : "text/plain");
    if (ex->status == 429 || ex->status == 503)
        (void)MHD_add_response_header(r, "Retry-After", "1");
    return r;
}

enum MHD_Result jr_dev_exchange_answer(struct jr_dev_exchange *ex)
{
    const struct jr_dev_answer *a = ex->api ? jr_dev_op_answer(ex->op) : NULL;
    struct MHD_Response *r = a != NULL ? api_response(ex, a) : own_response(ex);

    if (r == NULL)
        return MHD_NO;
    enum MHD_Result done =
        MHD_queue_response(ex->conn, (unsigned)(a != NULL ? a->status : ex->status), r);
    MHD_destroy_response(r);
    return done;
}

void jr_dev_exchange_free(struct jr_dev_exchange *ex)
{
    if (ex == NULL)
        return;
    jr_timer_cancel(ex->server->loop, &ex->timer);
    jr_dev_hook_cancel(&ex->hook);
    jr_dev_op_free(ex->op);
    jr_buf_done(&ex->body);
    jr_buf_done(&ex->frames);
    jr_buf_done(&ex->text);
    free(ex->path);
    free(ex->method);
    free(ex->user_agent);
    free(ex->accept);
    free(ex->content_type);
    free(ex);
}
