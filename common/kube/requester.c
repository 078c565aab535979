/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that follow one another. */
#include "common/kube/requester.h"

#include "common/base/memory.h"

#define TIMEOUT_MS 10000
#define ANSWER_MAX ((size_t)16 << 20)
#define RETRY_NS (500 * JR_MSEC)

static void on_done(void *ctx, const struct jr_kube_result *r)
{
    struct jr_requester *q = ctx;

    q->call = NULL;
    q->on_answer(q->ctx, r);
}

void jr_requester_send(struct jr_requester *q, const struct jr_http_request *http,
                       void (*on_answer)(void *ctx, const struct jr_kube_result *r))
{
    struct jr_kube_request req = { .http = *http };

    if (req.http.timeout_ms == 0)
        req.http.timeout_ms = TIMEOUT_MS;
    if (req.http.body_max == 0)
        req.http.body_max = ANSWER_MAX;
    q->on_answer = on_answer;
    q->call = jr_kube_send(&q->env, &req, on_done, q);
}

void jr_requester_get(struct jr_requester *q, const char *path,
                      void (*on_answer)(void *ctx, const struct jr_kube_result *r))
{
    jr_requester_send(q, &(struct jr_http_request){ .method = "GET", .path = path }, on_answer);
}

static void on_timer(void *ctx)
{
    struct jr_requester *q = ctx;

    q->timer = NULL;
    q->step(q->ctx);
}

void jr_requester_after(struct jr_requester *q, int64_t ns, void (*step)(void *ctx))
{
    jr_timer_cancel(q->env.loop, &q->timer);
    q->step = step;
    jr_xloop_after(q->env.loop, ns, on_timer, q, &q->timer);
}

void jr_requester_retry(struct jr_requester *q, unsigned n, int64_t cap_ns, double jitter,
                        void (*step)(void *ctx))
{
    jr_requester_after(q, jr_backoff_ns(n, RETRY_NS, cap_ns, jitter, &q->env.rand), step);
}

void jr_requester_done(struct jr_requester *q)
{
    jr_kube_cancel(&q->call);
    if (q->timer != NULL)
        jr_timer_cancel(q->env.loop, &q->timer);
}

enum jr_status jr_kube_object(const struct jr_kube_result *r, struct jr_doc **ret,
                              struct jr_error *err)
{
    if (r->kind == JR_RESULT_OK)
        return jr_need(jr_doc_parse(r->body, &JR_READER_LENIENT, ret, err));
    if (err != NULL)
        *err = r->error;
    return r->error.status == JR_OK ? JR_REMOTE
                                    : r->error.status; /* never that there is an object */
}
