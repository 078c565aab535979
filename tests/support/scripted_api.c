/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scripted_api.h"

#include <sys/queue.h>

#include "common/base/memory.h"

struct jr_call {
    LIST_ENTRY(jr_call) in_list;
    struct jr_scripted_api *api;
    struct jr_http_handler handler;
    struct jr_http_answer answer;
    struct jr_timer *timer;
    struct jr_str path;
    bool stream;
};
LIST_HEAD(calls, jr_call);

struct jr_scripted_api {
    struct jr_loop *loop;
    struct jr_scripted_answer (*answer)(void *ctx, size_t n, const struct jr_scripted_call *call);
    void *ctx;
    struct jr_arena arena; /* of what is recorded and answered */
    struct jr_scripted_call *recorded;
    size_t n, cap;
    struct calls open;
    size_t n_open, peak;
};

enum jr_status jr_scripted_api_new(
    struct jr_loop *loop,
    struct jr_scripted_answer (*answer)(void *ctx, size_t n, const struct jr_scripted_call *call),
    void *ctx, struct jr_scripted_api **ret)
{
    struct jr_scripted_api *api = calloc(1, sizeof(*api));

    if (api == NULL)
        return JR_NOMEM;
    *api = (struct jr_scripted_api){ .loop = loop, .answer = answer, .ctx = ctx };
    LIST_INIT(&api->open);
    *ret = api;
    return JR_OK;
}

static void call_free(struct jr_call *c)
{
    jr_timer_cancel(c->api->loop, &c->timer);
    LIST_REMOVE(c, in_list);
    c->api->n_open--;
    free(c);
}

void jr_scripted_api_free(struct jr_scripted_api *api)
{
    struct jr_call *c;

    if (api == NULL)
        return;
    while ((c = LIST_FIRST(&api->open)) != NULL)
        call_free(c);
    free(api->recorded);
    jr_arena_done(&api->arena);
    free(api);
}

static void on_due(void *ctx)
{
    struct jr_call *c = ctx;
    struct jr_http_handler h = c->handler;
    struct jr_http_answer a = c->answer;

    c->timer = NULL;
    if (h.on_chunk != NULL && a.status == 200) {
        if (a.body.n > 0 && h.on_chunk(h.ctx, a.body) != JR_OK)
            a.outcome = JR_HTTP_AMBIGUOUS;
        else if (c->stream)
            return;
        a.body = (struct jr_str){ NULL, 0 };
    }
    call_free(c);
    h.on_done(h.ctx, &a);
}

size_t jr_scripted_push(struct jr_scripted_api *api, const char *path, struct jr_str text)
{
    struct jr_call *c, *next;
    size_t n = 0;

    for (c = LIST_FIRST(&api->open); c != NULL; c = next) {
        struct jr_http_handler h = c->handler;

        next = LIST_NEXT(c, in_list);
        if (!c->stream || c->timer != NULL || !jr_str_starts(c->path, jr_str(path)))
            continue;
        n++;
        if (h.on_chunk(h.ctx, text) != JR_OK) {
            call_free(c);
            h.on_done(h.ctx,
                      &(struct jr_http_answer){ .outcome = JR_HTTP_AMBIGUOUS, .status = 200 });
        }
    }
    return n;
}

static enum jr_status record(struct jr_scripted_api *api, const struct jr_http_request *req,
                             struct jr_scripted_call *call)
{
    if (api->n == api->cap) {
        size_t cap = api->cap == 0 ? 64 : api->cap * 2;
        struct jr_scripted_call *v = reallocarray(api->recorded, cap, sizeof(*v));

        if (v == NULL)
            return JR_NOMEM;
        api->recorded = v;
        api->cap = cap;
    }
    *call = (struct jr_scripted_call){ 0 };
    if (!jr_arena_str(&api->arena, jr_str(req->method), &call->method) ||
        !jr_arena_str(&api->arena, jr_str(req->path), &call->path) ||
        !jr_arena_str(&api->arena, req->body, &call->body) ||
        (req->accept != NULL && !jr_arena_str(&api->arena, jr_str(req->accept), &call->accept)) ||
        (req->content_type != NULL &&
         !jr_arena_str(&api->arena, jr_str(req->content_type), &call->content_type)))
        return JR_NOMEM;
    api->recorded[api->n++] = *call;
    return JR_OK;
}

static enum jr_status ask(struct jr_scripted_api *api, const struct jr_http_request *req,
                          struct jr_call *c, struct jr_scripted_answer *a)
{
    const bool denied = req->may_send != NULL && !req->may_send(req->may_send_ctx);
    struct jr_scripted_call call;
    enum jr_status st;

    if (denied) {
        *a = (struct jr_scripted_answer){ .outcome = JR_HTTP_NOT_SENT };
    } else {
        st = record(api, req, &call);
        if (st != JR_OK)
            return st;
        *a = api->answer(api->ctx, api->n - 1, &call);
        c->path = call.path;
        c->stream = a->stream;
    }
    c->answer = (struct jr_http_answer){ .outcome = a->outcome,
                                         .status = a->status,
                                         .retry_after_s = a->retry_after_s,
                                         .date = a->date };
    if (a->outcome != JR_HTTP_DONE)
        (void)jr_fail(&c->answer.error, denied ? JR_DENIED : JR_IO, NULL, "%s",
                      a->outcome == JR_HTTP_NOT_SENT ? "not sent" : "connection lost");
    if (req->body_max > 0 && a->body.n > req->body_max && !a->stream) {
        c->answer.outcome = JR_HTTP_AMBIGUOUS;
        (void)jr_fail(&c->answer.error, JR_LIMIT, NULL, "the answer is longer than %zu bytes",
                      req->body_max);
        return JR_OK;
    }
    return jr_arena_str(&api->arena, a->body, &c->answer.body) ? JR_OK : JR_NOMEM;
}

static struct jr_call *send_call(void *self, const struct jr_http_request *req,
                                 const struct jr_http_handler *h)
{
    struct jr_scripted_api *api = self;
    struct jr_scripted_answer a;
    struct jr_call *c = jr_xcalloc(1, sizeof(*c));

    c->api = api;
    c->handler = *h;
    LIST_INSERT_HEAD(&api->open, c, in_list);
    api->n_open++;
    jr_must(ask(api, req, c, &a));
    if (!a.never)
        jr_xloop_after(api->loop, a.delay_ns, on_due, c, &c->timer);
    if (api->n_open > api->peak)
        api->peak = api->n_open;
    return c;
}

static void cancel_call(void *self, struct jr_call *call)
{
    (void)self;
    call_free(call);
}

struct jr_transport jr_scripted_transport(struct jr_scripted_api *api)
{
    return (struct jr_transport){ .send = send_call, .cancel = cancel_call, .self = api };
}

size_t jr_scripted_count(const struct jr_scripted_api *api)
{
    return api->n;
}

const struct jr_scripted_call *jr_scripted_call_at(const struct jr_scripted_api *api, size_t n)
{
    return n < api->n ? &api->recorded[n] : NULL;
}

size_t jr_scripted_open(const struct jr_scripted_api *api)
{
    return api->n_open;
}

size_t jr_scripted_peak(const struct jr_scripted_api *api)
{
    return api->peak;
}
