/* SPDX-License-Identifier: Apache-2.0 */
/* One request to the API server, from the first attempt to what came of the last one. */
#include "common/kube/request.h"

#include "common/base/memory.h"
#include "common/base/percent.h"

#define RETRY_BASE_NS (500 * JR_MSEC)
#define RETRY_CAP_NS (30 * JR_SEC)
#define RETRY_AFTER_MAX_S 60
#define STATUS_BYTES_MAX ((size_t)1 << 20)

struct jr_kube_call {
    const struct jr_env *env;
    struct jr_http_request http; /* its strings live in the arena */
    struct jr_arena arena;
    bool reads;      /* changes nothing */
    bool repeatable; /* a second attempt does no harm: only creates name no object */
    bool ambiguous; /* an attempt had no answer: it may have happened, whatever the next ones say */
    unsigned retries_left;
    unsigned tries;
    bool over; /* on_done runs or has run: the handle is nobody's any more */
    struct jr_call *call;
    struct jr_timer *timer;
    void (*on_done)(void *ctx, const struct jr_kube_result *r);
    void *ctx;
};

int64_t jr_backoff_ns(unsigned n, int64_t base_ns, int64_t cap_ns, double jitter,
                      const struct jr_rand *rand)
{
    int64_t d = base_ns < cap_ns ? base_ns : cap_ns;

    while (n-- > 0 && d < cap_ns)
        d = d > cap_ns / 2 ? cap_ns : d * 2;
    if (rand != NULL && jitter > 0)
        d += (int64_t)((double)d * jitter * jr_rand_unit(rand));
    return d;
}

static bool unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

enum jr_status jr_url_escape(struct jr_str s, struct jr_buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        if (unreserved(s.p[i]))
            (void)jr_buf_addc(out, s.p[i]);
        else
            (void)jr_buf_addf(out, "%%%02X", (unsigned)(unsigned char)s.p[i]);
    }
    return out->failed;
}

enum jr_status jr_url_unescape(struct jr_str s, struct jr_buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        const int byte = jr_percent_byte(jr_str_from(s, i));

        if (byte < 0 && s.p[i] == '%')
            return JR_SYNTAX;
        if (byte < 0) {
            (void)jr_buf_addc(out, s.p[i]);
        } else {
            (void)jr_buf_addc(out, (char)byte);
            i += 2;
        }
    }
    return out->failed;
}

void jr_resource_path(const char *api, struct jr_str namespace, const char *resource,
                      struct jr_buf *out)
{
    (void)jr_buf_adds(out, api);
    if (namespace.p != NULL) {
        (void)jr_buf_adds(out, "/namespaces/");
        (void)jr_url_escape(namespace, out);
    }
    (void)jr_buf_addf(out, "/%s", resource);
}

void jr_object_path(const char *api, struct jr_str namespace, const char *resource,
                    struct jr_str name, struct jr_buf *out)
{
    jr_resource_path(api, namespace, resource, out);
    (void)jr_buf_addc(out, '/');
    (void)jr_url_escape(name, out);
}

static void call_free(struct jr_kube_call *c)
{
    jr_arena_done(&c->arena);
    free(c);
}

static bool contains(struct jr_str s, const char *part)
{
    return s.n > 0 && memmem(s.p, s.n, part, strlen(part)) != NULL;
}

/** Whether a 500 with this Status may have been carried out all the same: the server's own words
 * for "I gave up waiting". A webhook that failed ran before anything was stored, whatever its error
 * says. */
static bool gave_up(const struct jr_api_status *s)
{
    if (jr_str_is(s->reason, "Timeout") || jr_str_is(s->reason, "ServerTimeout"))
        return true;
    if (contains(s->message, "failed calling webhook"))
        return false;
    return contains(s->message, "timed out") || contains(s->message, "timeout") ||
           contains(s->message, "deadline exceeded") || contains(s->message, "leader changed");
}

/** Whether a refused write may have happened: gateways answer 502 to 504 for a server that got the
 * request. */
static bool is_ambiguous(int http, const struct jr_api_status *s)
{
    switch (http) {
    case 500:
        return gave_up(s);
    case 502:
    case 504:
        return true;
    case 503:
        return s->code == 0 || gave_up(s); /* no Status: not the API server's own word */
    default:
        return false;
    }
}

static enum jr_status status_of_http(int http, const struct jr_api_status *s)
{
    switch (http) {
    case 400:
    case 422:
        return JR_INVALID;
    case 401:
    case 403:
        return JR_DENIED;
    case 404:
        return JR_NOTFOUND;
    case 409:
        return jr_str_is(s->reason, "AlreadyExists") ? JR_EXISTS : JR_CONFLICT;
    case 410:
        return JR_EXPIRED;
    case 504:
        return JR_TIMEOUT;
    default:
        return JR_REMOTE;
    }
}

/** Reads what a whole answer says. r->status borrows from the call's arena. */
static void read_answer(struct jr_kube_call *c, const struct jr_http_answer *a,
                        struct jr_kube_result *r)
{
    r->http = a->status;
    r->retry_after_s = a->retry_after_s;
    r->date = a->date;
    if (a->status >= 200 && a->status < 300) {
        r->kind = JR_RESULT_OK;
        r->body = a->body;
        return;
    }
    r->kind = JR_RESULT_REFUSED;
    if (a->body.n > 0 && jr_api_status_decode(a->body, &c->arena, &r->status, NULL) == JR_OK) {
        if (!jr_str_is(r->status.status, "Failure")) /* JSON, but no Status */
            r->status = (struct jr_api_status){ 0 };
        else if (r->status.code == 0)
            r->status.code = a->status;
        if (r->retry_after_s == 0)
            r->retry_after_s = r->status.details.retry_after_s;
    }
    if (!c->reads && is_ambiguous(a->status, &r->status))
        r->kind = JR_RESULT_AMBIGUOUS;
    if (r->status.message.n > 0)
        (void)jr_fail_http(&r->error, status_of_http(a->status, &r->status), a->status, "%.*s",
                           JR_P(r->status.message));
    else
        (void)jr_fail_http(&r->error, status_of_http(a->status, &r->status), a->status,
                           "the server answered %d", a->status);
}

static void read_outcome(struct jr_kube_call *c, const struct jr_http_answer *a,
                         struct jr_kube_result *r)
{
    switch (a->outcome) {
    case JR_HTTP_DONE:
        read_answer(c, a, r);
        return;
    case JR_HTTP_NOT_SENT:
        r->kind = JR_RESULT_NOT_SENT;
        break;
    case JR_HTTP_AMBIGUOUS:
        r->kind = JR_RESULT_AMBIGUOUS;
        break;
    }
    r->http = a->status;
    r->error = a->error;
}

static bool worth_another(const struct jr_kube_call *c, const struct jr_http_answer *a,
                          const struct jr_kube_result *r)
{
    if (c->retries_left == 0)
        return false;
    /* Who may not send now is not to send later by surprise. */
    if (c->http.may_send != NULL && !c->http.may_send(c->http.may_send_ctx))
        return false;
    switch (a->outcome) {
    case JR_HTTP_NOT_SENT:
        return true;
    case JR_HTTP_AMBIGUOUS:
        return c->repeatable;
    case JR_HTTP_DONE:
        break;
    }
    if (r->http == 429)
        return true;
    if (r->http < 500)
        return false;
    return c->reads || (c->repeatable && r->retry_after_s > 0);
}

static int64_t retry_delay(const struct jr_kube_call *c, const struct jr_kube_result *r)
{
    int64_t s = r->retry_after_s;

    if (s <= 0)
        return jr_backoff_ns(c->tries - 1, RETRY_BASE_NS, RETRY_CAP_NS, 1.0, &c->env->rand);
    if (s > RETRY_AFTER_MAX_S)
        s = RETRY_AFTER_MAX_S;
    /* All that were sent away at one moment are not to come back at one. */
    return s * JR_SEC + (int64_t)(jr_rand_unit(&c->env->rand) * (double)(s * JR_SEC) * 0.25);
}

static void finish_call(struct jr_kube_call *c, struct jr_kube_result *r)
{
    if (c->ambiguous && r->kind == JR_RESULT_NOT_SENT)
        r->kind = JR_RESULT_AMBIGUOUS;
    r->ambiguous = c->ambiguous;
    c->over = true;
    c->on_done(c->ctx, r);
    call_free(c);
}

static void send_attempt(void *ctx);

static void on_answer(void *ctx, const struct jr_http_answer *a)
{
    struct jr_kube_call *c = ctx;
    struct jr_kube_result r = { 0 };

    c->call = NULL;
    read_outcome(c, a, &r);
    c->ambiguous |= r.kind == JR_RESULT_AMBIGUOUS;
    if (worth_another(c, a, &r)) {
        c->retries_left--;
        c->http.again = true;
        c->http.after_status = a->outcome == JR_HTTP_DONE ? a->status : 0;
        jr_xloop_after(c->env->loop, retry_delay(c, &r), send_attempt, c, &c->timer);
        return;
    }
    finish_call(c, &r);
}

static void send_attempt(void *ctx)
{
    struct jr_kube_call *c = ctx;
    const struct jr_transport *t = &c->env->transport;
    const struct jr_http_handler h = { .on_done = on_answer, .ctx = c };

    c->timer = NULL;
    c->tries++;
    c->call = t->send(t->self, &c->http, &h);
}

struct jr_kube_call *jr_kube_send(const struct jr_env *env, const struct jr_kube_request *req,
                                  void (*on_done)(void *ctx, const struct jr_kube_result *r),
                                  void *ctx)
{
    struct jr_kube_call *c = jr_xcalloc(1, sizeof(*c));

    c->env = env;
    c->http = req->http;
    c->retries_left = req->max_retries;
    c->on_done = on_done;
    c->ctx = ctx;
    jr_arena_init(&c->arena, 0);
    c->reads = strcmp(req->http.method, "GET") == 0;
    c->repeatable = strcmp(req->http.method, "POST") != 0;
    /* The caller lends the request only for now: what may be sent again has to be copied. */
    if (req->max_retries > 0)
        jr_http_request_keep(&c->http, &c->arena);
    c->arena.limit = c->arena.used + STATUS_BYTES_MAX;
    send_attempt(c);
    return c;
}

void jr_kube_cancel(struct jr_kube_call **call)
{
    struct jr_kube_call *c = *call;

    *call = NULL;
    if (c == NULL || c->over)
        return;
    jr_timer_cancel(c->env->loop, &c->timer);
    if (c->call != NULL)
        c->env->transport.cancel(c->env->transport.self, c->call);
    call_free(c);
}
