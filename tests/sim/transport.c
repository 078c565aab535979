/* The clients' side of the network. */
#include "tests/sim/net.h"

#include <stdio.h>

#include "common/base/memory.h"

struct jr_call {
    LIST_ENTRY(jr_call) in_list;
    struct sim_wire *wire;
    struct jr_http_handler handler;
    bool (*may_send)(void *ctx);
    void *may_send_ctx;
    uint64_t number;
    struct flight *flight; /* before it goes out it is owned, after that only known */
    bool sent;
    struct jr_timer *hold;
    struct jr_timer *deadline;
    struct jr_timer *silence;
    int64_t idle_ns;
    struct jr_mono last_byte;
    TAILQ_HEAD(, delivery) coming;
    int64_t last_due_ns; /* of what is coming, in the server's time */
    bool in_handler;
    bool over;
    bool writes;
    bool of_sync; /* known.h */
    bool again;
    int retry_after_s;
    char *text; /* what it asks, for Retry-After */
};
LIST_HEAD(calls, jr_call);

/** A request that was sent away, and how long it was told to wait, if it was. */
struct told_off {
    char *text;
    int status;
    int64_t until_ns;
};
#define TOLD_OFF_MAX 256

struct sim_wire {
    struct sim_net *net;
    struct sim_wire_options o;
    struct calls calls;
    struct sim_known known;
    struct told_off told_off[TOLD_OFF_MAX]; /* the last ones */
    size_t n_told_off;
    uint64_t first;  /* number of its first request */
    int64_t skew_ns; /* the most there was of it */
};

/* ---- ends ---- */

static void delivery_free(struct delivery *d)
{
    jr_timer_cancel(d->call->wire->o.loop, &d->timer);
    TAILQ_REMOVE(&d->call->coming, d, in_list);
    jr_buf_done(&d->body);
    free(d);
}

/** Cuts the call off from all that may still happen to it. */
static void call_clear(struct jr_call *c)
{
    struct jr_loop *loop = c->wire->o.loop;
    struct delivery *d;

    jr_timer_cancel(loop, &c->hold);
    jr_timer_cancel(loop, &c->deadline);
    jr_timer_cancel(loop, &c->silence);
    while ((d = TAILQ_FIRST(&c->coming)) != NULL)
        delivery_free(d);
    if (c->flight != NULL) {
        c->flight->call = NULL;
        if (!c->sent || c->flight->op != NULL) /* nobody reads the stream any more */
            sim_flight_free(c->flight);
        c->flight = NULL;
    }
    LIST_REMOVE(c, in_list);
    free(c->text);
    c->text = NULL;
    c->over = true;
    if (c->of_sync)
        sim_known_end(&c->wire->known, c->again, c->retry_after_s, jr_loop_mono(loop).ns);
}

/* ---- Retry-After ---- */

static char *text_of(const struct jr_http_request *req)
{
    char *text;

    if (asprintf(&text, "%s %s %.*s", req->method, req->path, JR_P(req->body)) < 0)
        abort();
    return text;
}

static bool is_sent_away(int status)
{
    return status == 429 || status >= 500;
}

static void note_told_off(struct jr_call *c, int status, int64_t now_ns)
{
    struct told_off *t = &c->wire->told_off[c->wire->n_told_off++ % TOLD_OFF_MAX];

    free(t->text);
    *t = (struct told_off){ c->text, status, now_ns + c->retry_after_s * JR_SEC };
    c->text = NULL;
}

/** Asked once more, after an answer that may have said how long to wait. */
static bool is_told_off(const struct jr_http_request *req)
{
    return req->again && is_sent_away(req->after_status);
}

/** What is asked once more is not asked too early after such an answer. Of several that ask the
 * same, one; what is asked anew has not been told to wait by what another was answered. */
static void check_told_off(struct jr_call *c, const struct jr_http_request *req)
{
    int64_t now_ns = jr_loop_mono(c->wire->o.loop).ns, early_ns = 0;

    for (size_t i = 0; i < TOLD_OFF_MAX && is_told_off(req); i++) {
        struct told_off *t = &c->wire->told_off[i];

        if (t->text == NULL || t->status != req->after_status || strcmp(t->text, c->text) != 0)
            continue;
        early_ns = t->until_ns - now_ns;
        if (early_ns <= 0) {
            free(t->text);
            t->text = NULL;
            return;
        }
    }
    if (early_ns > 0)
        sim_fail(c->wire->net->o.report, "Retry-After is obeyed", "%s %s, %lld ms too early",
                 req->method, req->path, (long long)(early_ns / JR_MSEC));
}

static void end(struct jr_call *c, const struct jr_http_answer *a)
{
    if (c->sent && c->writes && (a->outcome != JR_HTTP_DONE || a->status >= 500))
        c->wire->known.untold = jr_dev_revision(c->wire->net->o.store);
    c->again = a->outcome != JR_HTTP_DONE || a->status == 429 || a->status >= 500;
    c->retry_after_s = a->retry_after_s;
    if (a->outcome == JR_HTTP_DONE && is_sent_away(a->status))
        note_told_off(c, a->status, jr_loop_mono(c->wire->o.loop).ns);
    call_clear(c);
    c->handler.on_done(c->handler.ctx, a);
    free(c);
}

static void end_without(struct jr_call *c, enum jr_status why, const char *words)
{
    struct jr_http_answer a = { .outcome = c->sent ? JR_HTTP_AMBIGUOUS : JR_HTTP_NOT_SENT };
    const struct sim_net_hooks *h = &c->wire->net->o.hooks;

    if (c->sent && c->flight != NULL && c->flight->op == NULL)
        h->given_up(h->ctx, &c->flight->about);
    sim_tell(c->wire->net->o.report, "%s   %llu ends: %s", c->wire->o.name,
             (unsigned long long)c->number, words);
    (void)jr_fail(&a.error, why, NULL, "%s", words);
    end(c, &a);
}

static void on_deadline(void *ctx)
{
    struct jr_call *c = ctx;

    c->deadline = NULL;
    end_without(c, JR_TIMEOUT, "no answer in time");
}

static void on_silence(void *ctx)
{
    struct jr_call *c = ctx;
    int64_t quiet = jr_loop_mono(c->wire->o.loop).ns - c->last_byte.ns;

    c->silence = NULL;
    if (quiet < c->idle_ns &&
        jr_loop_after(c->wire->o.loop, c->idle_ns - quiet, on_silence, c, &c->silence) == JR_OK)
        return;
    end_without(c, JR_TIMEOUT, "nothing came for too long");
}

/* ---- what comes back ---- */

/** What was not understood was not taken in. */
static void deliver_chunk(struct jr_call *c, const struct delivery *d, struct jr_str chunk)
{
    enum jr_status st;

    c->in_handler = true;
    st = c->handler.on_chunk(c->handler.ctx, chunk);
    c->in_handler = false;
    if (st == JR_OK)
        sim_known_told(&c->wire->known, d->told, d->revision, c->last_byte.ns);
    if (c->over)
        free(c);
    else if (st != JR_OK)
        end_without(c, st, "the stream was not understood");
}

static void on_delivery(void *ctx)
{
    struct delivery *d = ctx, got = *d;
    struct jr_call *c = d->call;
    struct jr_http_answer a = { .outcome = got.outcome,
                                .status = got.status,
                                .retry_after_s = got.retry_after_s };

    d->timer = NULL;
    jr_buf_init(&d->body, 1); /* moved out */
    delivery_free(d);
    c->last_byte = jr_loop_mono(c->wire->o.loop);
    a.body = jr_buf_str(&got.body);
    if (!got.end) {
        deliver_chunk(c, &got, a.body);
    } else {
        if (got.outcome != JR_HTTP_DONE)
            (void)jr_fail(&a.error, JR_IO, NULL, "the connection was lost");
        end(c, &a);
    }
    jr_buf_done(&got.body);
}

void sim_call_forget(struct flight *f)
{
    if (f->call != NULL)
        f->call->flight = NULL;
    f->call = NULL;
}

void sim_call_pause(struct flight *f, int64_t ns)
{
    if (f->call != NULL)
        f->call->last_due_ns += ns;
}

void sim_call_deliver(struct flight *f, const struct delivery *what, struct jr_str body)
{
    struct jr_call *c = f->call;
    struct delivery *d;
    int64_t now = jr_loop_mono(f->net->o.loop).ns, due = now + f->fate.back_ns;

    if (c == NULL)
        return;
    d = calloc(1, sizeof(*d));
    if (d == NULL)
        abort();
    *d = *what;
    d->call = c;
    if (due < c->last_due_ns)
        due = c->last_due_ns;
    c->last_due_ns = due;
    jr_buf_init(&d->body, SIZE_MAX);
    TAILQ_INSERT_TAIL(&c->coming, d, in_list);
    /* The process' clock stands while it is stopped. */
    if (jr_buf_add(&d->body, body) != JR_OK ||
        jr_loop_after(c->wire->o.loop, due - jr_loop_mono(c->wire->o.loop).ns, on_delivery, d,
                      &d->timer) != JR_OK)
        abort();
    if (d->end) /* the server has done its part */
        sim_call_forget(f);
}

/* ---- going out ---- */

static void on_go(void *ctx)
{
    struct jr_call *c = ctx;
    struct sim_report *report = c->wire->net->o.report;
    struct flight *f = c->flight;

    c->hold = NULL;
    if (c->may_send != NULL && !c->may_send(c->may_send_ctx)) {
        sim_rule(report, SIM_RULE_NOT_SENT);
        end_without(c, JR_DENIED, "not sent: no longer allowed to");
        return;
    }
    if (f->fate.fault != SIM_FAULT_NONE) {
        report->counts.faults[f->fate.fault][f->about.verb]++;
        if (sim_numbers_add(&report->faults, f->about.number) != JR_OK)
            abort();
    }
    if (f->fate.fault == SIM_FAULT_REFUSED) {
        end_without(c, JR_IO, "connection refused");
        return;
    }
    c->sent = true;
    c->wire->net->o.hooks.sent(c->wire->net->o.hooks.ctx, &f->about);
    if (sim_net_take(f) != JR_OK)
        abort();
}

static const char *copy(struct jr_arena *a, const char *s)
{
    struct jr_str out;

    if (s == NULL)
        return NULL;
    if (!jr_arena_str(a, jr_str(s), &out))
        abort();
    return out.p;
}

static int64_t most_skew(struct sim_wire *w)
{
    if (*w->o.n_requests == w->first + 1 || *w->o.skew_ns > w->skew_ns)
        w->skew_ns = *w->o.skew_ns;
    return w->skew_ns;
}

static bool is_relist(const struct sim_wire *w, const struct sim_request *r)
{
    return strstr(r->path, "sendInitialEvents=true") != NULL &&
           w->known.first[sim_told_by(r->path)] > 0;
}

static struct flight *flight_of(struct sim_wire *w, const struct jr_http_request *req)
{
    struct flight *f = calloc(1, sizeof(*f));
    uint64_t n = (*w->o.n_requests)++;

    if (f == NULL)
        return NULL;
    jr_arena_init(&f->arena, 0);
    f->net = w->net;
    f->about = (struct sim_request){
        .client = w->o.name,
        .process = w->o.process,
        .life = w->o.life,
        .number = sim_fault_number(w->o.process, n),
        .verb = sim_verb_of(req->method, req->path),
        .method = copy(&f->arena, req->method),
        .path = copy(&f->arena, req->path),
        .skew_ns = most_skew(w),
    };
    f->accept = copy(&f->arena, req->accept);
    f->content_type = copy(&f->arena, req->content_type);
    if (!jr_arena_str(&f->arena, req->body, &f->about.body))
        abort();
    const struct sim_about about = { .process = w->o.process,
                                     .n = n,
                                     .verb = f->about.verb,
                                     .relist = is_relist(w, &f->about),
                                     .calm = w->net->calm || w->o.mild };
    f->fate = sim_fate_draw(w->net->o.climate, w->net->o.choice, &about);
    if (w->o.mild) {
        f->fate.there_ns %= JR_MSEC;
        f->fate.back_ns %= JR_MSEC;
        f->fate.lag_ns %= JR_MSEC;
    }
    if (req->own_connection)
        f->fate.hold_ns = 0;
    f->about.fault = f->fate.fault;
    return f;
}

/** Of a sync, or of the like: it goes by what the caches hold. */
static bool is_of_sync(const struct sim_request *r)
{
    return r->verb != SIM_VERB_LIST && r->verb != SIM_VERB_WATCH &&
           strstr(r->path, "/leases") == NULL && strstr(r->path, "/events") == NULL;
}

/** Who goes on from a version has taken in all until then: a list, too. */
static void note_watch(struct sim_known *k, struct flight *f, int64_t now_ns)
{
    if (f->about.verb != SIM_VERB_WATCH)
        return;
    f->oldest = k->first[sim_told_by(f->about.path)];
    if (f->oldest > 0 && f->oldest < k->untold)
        f->oldest = k->untold;
    if (f->fate.fault == SIM_FAULT_OLD_STATE)
        sim_known_back(k);
    else
        sim_known_told(k, sim_told_by(f->about.path), sim_version_asked(f), now_ns);
}

static bool set_timers(struct jr_call *c, const struct jr_http_request *req)
{
    struct jr_loop *loop = c->wire->o.loop;

    c->last_byte = jr_loop_mono(loop);
    c->idle_ns = req->idle_timeout_ms * JR_MSEC;
    if (jr_loop_after(loop, c->flight->fate.hold_ns, on_go, c, &c->hold) != JR_OK)
        return false;
    if (req->timeout_ms > 0 &&
        jr_loop_after(loop, req->timeout_ms * JR_MSEC, on_deadline, c, &c->deadline) != JR_OK)
        return false;
    return c->idle_ns <= 0 || jr_loop_after(loop, c->idle_ns, on_silence, c, &c->silence) == JR_OK;
}

static struct jr_call *wire_send(void *self, const struct jr_http_request *req,
                                 const struct jr_http_handler *h)
{
    struct sim_wire *w = self;
    struct jr_call *c = jr_xcalloc(1, sizeof(*c));

    c->wire = w;
    c->handler = *h;
    c->may_send = req->may_send;
    c->may_send_ctx = req->may_send_ctx;
    TAILQ_INIT(&c->coming);
    LIST_INSERT_HEAD(&w->calls, c, in_list);
    c->text = text_of(req);
    check_told_off(c, req);
    c->flight = flight_of(w, req);
    if (c->flight == NULL || !set_timers(c, req))
        jr_out_of_memory();
    c->flight->call = c;
    c->number = c->flight->about.number;
    c->writes = c->flight->about.verb >= SIM_VERB_POST;
    note_watch(&w->known, c->flight, jr_loop_mono(w->o.loop).ns);
    c->of_sync = !w->o.queued && is_of_sync(&c->flight->about);
    if (c->of_sync)
        c->flight->about.hand = sim_known_begin(&w->known, jr_loop_mono(w->o.loop).ns);
    c->flight->about.hand.leaving = w->o.leaving;
    c->flight->about.hand.life = sim_life_of(&c->flight->about);
    w->net->o.hooks.handed(w->net->o.hooks.ctx, &c->flight->about);
    return c;
}

static void wire_cancel(void *self, struct jr_call *c)
{
    (void)self;
    if (c->over)
        return;
    call_clear(c);
    if (!c->in_handler)
        free(c);
}

enum jr_status sim_wire_new(struct sim_net *net, const struct sim_wire_options *options,
                            struct sim_wire **ret)
{
    struct sim_wire *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return JR_NOMEM;
    w->net = net;
    w->o = *options;
    w->first = *options->n_requests;
    LIST_INIT(&w->calls);
    *ret = w;
    return JR_OK;
}

void sim_wire_free(struct sim_wire *w)
{
    struct jr_call *c;

    if (w == NULL)
        return;
    while ((c = LIST_FIRST(&w->calls)) != NULL) {
        call_clear(c);
        free(c);
    }
    for (size_t i = 0; i < TOLD_OFF_MAX; i++)
        free(w->told_off[i].text);
    free(w);
}

void sim_wire_stood(struct sim_wire *w, int64_t from_ns, int64_t until_ns)
{
    sim_known_stood(&w->known, from_ns, until_ns);
}

struct sim_hand sim_wire_knows(const struct sim_wire *w)
{
    return sim_known_at(&w->known, jr_loop_mono(w->o.loop).ns);
}

struct jr_transport sim_wire_transport(struct sim_wire *w)
{
    return (struct jr_transport){ .send = wire_send, .cancel = wire_cancel, .self = w };
}
