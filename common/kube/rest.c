/* SPDX-License-Identifier: Apache-2.0 */
/* A transport on top of another one: what client-go's REST client counts, times and holds back. */
#include "common/kube/rest.h"

#include <stdio.h>
#include <sys/queue.h>

#include "common/base/memory.h"

/* client-go's label for a request that has no answer. */
#define NO_CODE "<error>"
/* Between two requests, at the least rate: with the largest burst it still is a time. */
#define EVERY_MAX_NS (INT64_C(3600) * JR_SEC)

struct jr_call {
    TAILQ_ENTRY(jr_call) link;
    struct jr_rest *r;
    struct jr_http_handler h;
    struct jr_http_request req; /* while it waits: its strings are in the arena */
    struct jr_arena arena;
    struct jr_call *below; /* of the transport below; NULL: it waits */
    const char *verb;      /* for the metrics, constant */
    struct jr_mono began;  /* when it was handed to the transport below */
    struct jr_mono asked;
    bool counted; /* a stream counts when it begins */
    bool over;    /* on_done runs: nothing is left to cancel */
};
TAILQ_HEAD(rest_calls, jr_call);

struct jr_rest {
    struct jr_loop *loop;
    struct jr_transport below;
    struct jr_metrics *metrics;
    char *host;
    int64_t every_ns; /* 0: no limit */
    int64_t burst;
    struct jr_mono full_at; /* when the bucket would be full again */
    struct rest_calls live;
    struct rest_calls waiting;
    struct jr_timer *timer; /* for the first of the waiting */
};

/* ---- metrics ---- */

static const double seconds[] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60 };
static const double bytes[] = { 64,    256,    512,     1024,    4096,    16384,
                                65536, 262144, 1048576, 4194304, 16777216 };

static const char *const by_verb[] = { "verb", "host", NULL };

static const struct jr_metric_desc requests_total =
    JR_METRIC(COUNTER, "rest_client_requests_total",
              "Number of HTTP requests, partitioned by status code, method, and host.", "code",
              "method", "host", NULL);
static const struct jr_metric_desc retries_total =
    JR_METRIC(COUNTER, "rest_client_request_retries_total",
              "Number of request retries, partitioned by the status code that led to it, verb, and "
              "host.",
              "code", "verb", "host", NULL);
#define HISTOGRAM(name_, help_, buckets_)                                            \
    {                                                                                \
        .name = (name_), .help = (help_), .kind = JR_HISTOGRAM, .labels = by_verb,   \
        .buckets = (buckets_), .n_buckets = sizeof(buckets_) / sizeof((buckets_)[0]) \
    }
static const struct jr_metric_desc duration_seconds =
    HISTOGRAM("rest_client_request_duration_seconds",
              "Request latency in seconds. Broken down by verb, and host.", seconds);
static const struct jr_metric_desc limiter_seconds = HISTOGRAM(
    "rest_client_rate_limiter_duration_seconds",
    "Client side rate limiter latency in seconds. Broken down by verb, and host.", seconds);
static const struct jr_metric_desc request_size_bytes =
    HISTOGRAM("rest_client_request_size_bytes",
              "Request size in bytes. Broken down by verb and host.", bytes);
static const struct jr_metric_desc response_size_bytes =
    HISTOGRAM("rest_client_response_size_bytes",
              "Response size in bytes. Broken down by verb and host.", bytes);

/** The method as constant text: the caller's goes away. */
static const char *verb_of(const char *method)
{
    static const char *const verbs[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(verbs); i++) {
        if (strcmp(method, verbs[i]) == 0)
            return verbs[i];
    }
    return "OTHER";
}

static const char *code_text(int status, char buf[16])
{
    if (status == 0)
        return NO_CODE;
    (void)snprintf(buf, 16, "%d", status);
    return buf;
}

static double seconds_since(const struct jr_rest *r, struct jr_mono from)
{
    return (double)(jr_loop_mono(r->loop).ns - from.ns) / (double)JR_SEC;
}

static void observe_metric(const struct jr_call *c, const struct jr_metric_desc *d, double v)
{
    jr_metrics_observe(c->r->metrics, d, (const char *const[]){ c->verb, c->r->host }, v);
}

static void count_request(struct jr_call *c, int status)
{
    char code[16];

    if (c->counted)
        return;
    c->counted = true;
    jr_metrics_add(c->r->metrics, &requests_total,
                   (const char *const[]){ code_text(status, code), c->verb, c->r->host }, 1);
}

static void count_begin(const struct jr_call *c, const struct jr_http_request *req)
{
    char code[16];

    if (req->again)
        jr_metrics_add(
            c->r->metrics, &retries_total,
            (const char *const[]){ code_text(req->after_status, code), c->verb, c->r->host }, 1);
    if (c->r->every_ns > 0 && !req->own_connection)
        observe_metric(c, &limiter_seconds, seconds_since(c->r, c->asked));
    observe_metric(c, &request_size_bytes, (double)req->body.n);
}

static void count_end(struct jr_call *c, const struct jr_http_answer *a)
{
    count_request(c, a->outcome == JR_HTTP_DONE ? a->status : 0);
    if (c->h.on_chunk != NULL) /* its length says how long somebody watched */
        return;
    observe_metric(c, &duration_seconds, seconds_since(c->r, c->began));
    if (a->outcome == JR_HTTP_DONE)
        observe_metric(c, &response_size_bytes, (double)a->body.n);
}

/* ---- a call's way ---- */

static void call_free(struct jr_call *c)
{
    jr_arena_done(&c->arena);
    free(c);
}

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct jr_call *c = ctx;

    count_request(c, 200);
    return c->h.on_chunk(c->h.ctx, chunk); /* which may have cancelled it */
}

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct jr_call *c = ctx;

    TAILQ_REMOVE(&c->r->live, c, link);
    count_end(c, a);
    c->over = true;
    c->h.on_done(c->h.ctx, a);
    call_free(c);
}

/** Hands it to the transport below. */
static void hand_down(struct jr_call *c, const struct jr_http_request *req)
{
    struct jr_rest *r = c->r;
    const struct jr_http_handler h = { .on_chunk = c->h.on_chunk == NULL ? NULL : on_chunk,
                                       .on_done = on_done,
                                       .ctx = c };

    c->began = jr_loop_mono(r->loop);
    c->below = r->below.send(r->below.self, req, &h);
    TAILQ_INSERT_TAIL(&r->live, c, link);
    count_begin(c, req);
}

/* ---- the limit ---- */

/** How long until the bucket has one to give. */
static int64_t wait_ns(const struct jr_rest *r)
{
    int64_t debt = r->full_at.ns - jr_loop_mono(r->loop).ns;

    return debt - (r->burst - 1) * r->every_ns;
}

static void take_one(struct jr_rest *r)
{
    struct jr_mono now = jr_loop_mono(r->loop);

    if (r->full_at.ns < now.ns)
        r->full_at = now;
    r->full_at.ns += r->every_ns;
}

static void on_turn(void *ctx);

static void set_timer(struct jr_rest *r)
{
    if (r->timer == NULL)
        jr_xloop_after(r->loop, wait_ns(r), on_turn, r, &r->timer);
}

static void on_turn(void *ctx)
{
    struct jr_rest *r = ctx;
    struct jr_call *c;

    r->timer = NULL;
    while ((c = TAILQ_FIRST(&r->waiting)) != NULL && wait_ns(r) <= 0) {
        TAILQ_REMOVE(&r->waiting, c, link);
        take_one(r);
        hand_down(c, &c->req);
    }
    if (!TAILQ_EMPTY(&r->waiting))
        set_timer(r);
}

static void enqueue(struct jr_call *c, const struct jr_http_request *req)
{
    c->req = *req;
    jr_http_request_keep(&c->req, &c->arena);
    set_timer(c->r);
    TAILQ_INSERT_TAIL(&c->r->waiting, c, link);
}

/* ---- the transport ---- */

static struct jr_call *transport_send(void *self, const struct jr_http_request *req,
                                      const struct jr_http_handler *h)
{
    struct jr_rest *r = self;
    struct jr_call *c = jr_xcalloc(1, sizeof(*c));
    bool limited = r->every_ns > 0 && !req->own_connection;

    c->r = r;
    c->h = *h;
    c->verb = verb_of(req->method);
    c->asked = jr_loop_mono(r->loop);
    jr_arena_init(&c->arena, 0);
    if (limited && (!TAILQ_EMPTY(&r->waiting) || wait_ns(r) > 0)) {
        enqueue(c, req);
    } else {
        if (limited)
            take_one(r);
        hand_down(c, req);
    }
    return c;
}

static void cancel_call(struct jr_rest *r, struct jr_call *c)
{
    if (c->below != NULL) {
        TAILQ_REMOVE(&r->live, c, link);
        r->below.cancel(r->below.self, c->below);
    } else {
        TAILQ_REMOVE(&r->waiting, c, link);
    }
    call_free(c);
}

static void transport_cancel(void *self, struct jr_call *call)
{
    if (call != NULL && !call->over)
        cancel_call(self, call);
}

struct jr_transport jr_rest_transport(struct jr_rest *r)
{
    return (struct jr_transport){ .send = transport_send, .cancel = transport_cancel, .self = r };
}

/* ---- making and ending ---- */

/** The next whole number; without libm, whose pages every process would have for it. */
static int64_t at_least(double x)
{
    const int64_t whole = (int64_t)x;

    return (double)whole < x ? whole + 1 : whole;
}

struct jr_rest *jr_rest_new(struct jr_loop *loop, const struct jr_transport *below,
                            const struct jr_rest_options *options, struct jr_metrics *metrics)
{
    struct jr_rest *r = jr_xcalloc(1, sizeof(*r));

    r->loop = loop;
    r->below = *below;
    r->metrics = metrics;
    TAILQ_INIT(&r->live);
    TAILQ_INIT(&r->waiting);
    if (options->qps > 0) {
        const double every = (double)JR_SEC / options->qps;

        r->every_ns = every < (double)EVERY_MAX_NS ? (int64_t)every : EVERY_MAX_NS;
        r->burst = options->burst > 0 ? options->burst : at_least(options->qps);
    }
    r->host = jr_xstrndup(options->host);
    return r;
}

void jr_rest_free(struct jr_rest *r)
{
    struct jr_call *c;

    if (r == NULL)
        return;
    jr_timer_cancel(r->loop, &r->timer);
    while ((c = TAILQ_FIRST(&r->live)) != NULL || (c = TAILQ_FIRST(&r->waiting)) != NULL)
        cancel_call(r, c);
    free(r->host);
    free(r);
}

struct jr_str jr_rest_host(struct jr_str server)
{
    ptrdiff_t at = server.n == 0 ? -1 : jr_str_find(server, '/');
    struct jr_str rest = server, host;

    if (at > 0 && server.p[at - 1] == ':' &&
        jr_str_starts(jr_str_from(server, (size_t)at), JR_S("//")))
        rest = jr_str_from(server, (size_t)at + 2);
    return jr_str_cut(&rest, '/', &host) ? host : rest;
}
