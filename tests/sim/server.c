/* The server's side of the network: the store is asked, its streams are read. */
#include "tests/sim/net.h"

#include <stdio.h>

#define POLL_NS (10 * JR_SEC) /* streams are looked after even if nothing is written */
#define READ_MAX ((size_t)256 << 10)
#define TICK_MAX_NS (300 * JR_MSEC)

static void on_timer(void *ctx);

void sim_flight_free(struct flight *f)
{
    if (f->in_list.le_prev != NULL)
        LIST_REMOVE(f, in_list);
    jr_timer_cancel(f->net->o.loop, &f->timer);
    jr_dev_op_free(f->op);
    jr_arena_done(&f->arena);
    free(f);
}

static void set_timer(struct flight *f, int64_t ns)
{
    jr_timer_cancel(f->net->o.loop, &f->timer);
    if (jr_loop_after(f->net->o.loop, ns, on_timer, f, &f->timer) != JR_OK)
        abort();
}

/* ---- what follows a write ---- */

static void on_tick(void *ctx);

static void tick_soon(struct sim_net *net)
{
    struct sim_dice d = sim_dice(net->o.climate->seed, SIM_DICE_TICK, net->n_ticks);

    if (net->tick != NULL)
        return;
    net->n_ticks++;
    if (jr_loop_after(net->o.loop, sim_between(&d, 0, TICK_MAX_NS), on_tick, net, &net->tick) !=
        JR_OK)
        abort();
}

static void stream_wakes(struct flight *f)
{
    int64_t lag = f->net->calm ? f->fate.lag_ns % JR_MSEC : f->fate.lag_ns;

    f->target = jr_dev_revision(f->net->o.store);
    set_timer(f, lag <= 0 ? 0 : sim_between(&f->dice, 0, lag));
}

/** Tells of all writes since the last time, and sees to it that the streams do. */
static void tell_writes(struct sim_net *net, const struct sim_request *by)
{
    const struct jr_dev_store *s = net->o.store;
    struct flight *f;

    if (net->seen == s->revision)
        return;
    for (size_t i = jr_dev_event_after(s, net->seen); i < s->n_events; i++) {
        const struct jr_dev_event *e = jr_dev_event_at(s, i);

        if (by != NULL && by->process < SIM_PROCESSES && e->object == NULL)
            net->gone[by->process] = e->revision;
        net->o.hooks.written(net->o.hooks.ctx, e, by);
    }
    net->seen = s->revision;
    tick_soon(net);
    LIST_FOREACH(f, &net->flights, in_list)
    {
        /* One that waits for something already reads the rest after it. */
        if (f->op != NULL && !f->silent && f->target == 0)
            stream_wakes(f);
    }
}

static void on_tick(void *ctx)
{
    struct sim_net *net = ctx;

    net->tick = NULL;
    (void)jr_dev_tick(net->o.store, jr_loop_wall(net->o.loop));
    tell_writes(net, NULL);
}

/* ---- answers ---- */

static void refuse_for(struct flight *f, int code, const char *reason, const char *message,
                       int retry_after_s, const char *details)
{
    const struct delivery d = {
        .end = true, .outcome = JR_HTTP_DONE, .status = code, .retry_after_s = retry_after_s
    };
    char body[512];
    int n = snprintf(body, sizeof(body),
                     "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                     "\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",%s\"code\":%d}",
                     message, reason, details, code);

    sim_tell(f->net->o.report, "%s<  %llu %d %s", f->about.client,
             (unsigned long long)f->about.number, code, reason);
    sim_call_deliver(f, &d, (struct jr_str){ body, (size_t)n });
}

static void refuse(struct flight *f, int code, const char *reason, const char *message,
                   int retry_after_s)
{
    refuse_for(f, code, reason, message, retry_after_s, "");
}

static void lose(struct flight *f)
{
    const struct delivery d = { .end = true, .outcome = JR_HTTP_AMBIGUOUS };

    sim_call_deliver(f, &d, (struct jr_str){ NULL, 0 });
}

/** Whether an object that can hardly be read is among what is told now: one that stands is in each
 * list, and in the initial events; another comes and goes. */
static bool is_poisoned(const struct flight *f)
{
    const char *path = f->about.path;
    bool whole = f->about.verb == SIM_VERB_LIST
                     ? strstr(path, "continue=") == NULL
                     : f->read == 0 && strstr(path, "sendInitialEvents=true") != NULL;

    if (sim_told_by(path) == SIM_TOLD_NOTHING || f->about.process == 0)
        return false; /* the kubelet is not what is tried */
    return (f->net->o.climate->poisoned && whole) ||
           (f->fate.fault == SIM_FAULT_POISON && !f->net->calm);
}

/** One that stands is the same one all the time. */
static struct sim_dice poison_dice(const struct flight *f)
{
    const struct sim_climate *c = f->net->o.climate;

    return sim_dice(c->seed, SIM_DICE_POISON, c->poisoned ? 1 : f->about.number + 2);
}

static void answer(struct flight *f, const struct jr_dev_answer *a)
{
    struct delivery d = {
        .end = true, .outcome = JR_HTTP_DONE, .status = a->status, .retry_after_s = a->retry_after_s
    };
    struct sim_dice dice = sim_dice(f->net->o.climate->seed, SIM_DICE_STREAM, f->about.number);
    struct sim_dice poison = poison_dice(f);
    struct jr_str body = jr_buf_str(&a->body);
    JR_BUF poisoned = { 0 };

    if (f->about.verb == SIM_VERB_LIST && a->status == 200 && is_poisoned(f)) {
        jr_buf_init(&poisoned, SIZE_MAX);
        if (jr_buf_add(&poisoned, body) != JR_OK)
            abort();
        sim_body_poison_list(&poison, sim_told_by(f->about.path) == SIM_TOLD_JOBS,
                             jr_dev_revision(f->net->o.store), &poisoned);
        body = jr_buf_str(&poisoned);
    }
    if (f->fate.fault == SIM_FAULT_BODY_CUT) {
        d.outcome = sim_chance(&dice, 50) ? JR_HTTP_DONE : JR_HTTP_AMBIGUOUS;
        body = jr_str_head(body, (size_t)sim_below(&dice, body.n));
    }
    sim_call_deliver(f, &d, body);
}

/* ---- streams ---- */

/** Hands on what was read, in one piece or in several, cut anywhere. revision: with it all is told
 * up to there; 0: it isn't, as by an error. */
static void send_frames(struct flight *f, struct jr_str text, uint64_t revision)
{
    struct delivery d = { .outcome = JR_HTTP_DONE, .status = 200 };

    while (text.n > 0) {
        size_t n = text.n;

        if (f->net->o.climate->chunks && f->fate.fault != SIM_FAULT_OLD_STATE &&
            sim_chance(&f->dice, 60))
            n = (size_t)sim_between(&f->dice, 1, (int64_t)text.n);
        if (n == text.n) {
            d.told = sim_told_by(f->about.path);
            d.revision = revision;
        }
        sim_call_deliver(f, &d, jr_str_head(text, n));
        text = jr_str_from(text, n);
        if (text.n > 0)
            sim_call_pause(f, sim_between(&f->dice, 0, f->net->o.climate->latency_ns));
    }
}

static void end_stream(struct flight *f, enum jr_http_outcome outcome)
{
    const struct delivery d = { .end = true, .outcome = outcome, .status = 200 };

    (f->net->calm ? sim_tell_aside : sim_tell)(f->net->o.report, "%s<  %llu the stream %s",
                                               f->about.client, (unsigned long long)f->about.number,
                                               outcome == JR_HTTP_DONE ? "ends" : "is cut");
    sim_call_deliver(f, &d, (struct jr_str){ NULL, 0 });
    sim_flight_free(f);
}

/** Among the initial events, or as the write of this version, unless that was another's. */
static void poison_stream(struct flight *f, uint64_t version, struct jr_buf *out)
{
    const bool job = sim_told_by(f->about.path) == SIM_TOLD_JOBS;
    const bool initial = f->read == 0 && strstr(f->about.path, "sendInitialEvents=true") != NULL;
    struct sim_dice d = poison_dice(f);
    char text[64];

    (void)snprintf(text, sizeof(text), "\"resourceVersion\":\"%llu\"", (unsigned long long)version);
    if (initial)
        sim_body_poison_first(&d, job, version, out);
    else if (version > f->read &&
             (out->n == 0 || memmem(out->p, out->n, text, strlen(text)) == NULL))
        sim_body_poison_last(&d, job, version, out);
}

/** Ends in the middle of what was read. */
static void cut_stream(struct flight *f, struct jr_str text)
{
    send_frames(f, jr_str_head(text, (size_t)sim_between(&f->dice, 1, (int64_t)text.n - 1)), 0);
    end_stream(f, sim_chance(&f->dice, 50) ? JR_HTTP_DONE : JR_HTTP_AMBIGUOUS);
}

static void read_stream(struct flight *f)
{
    struct sim_net *net = f->net;
    struct jr_time now = jr_loop_wall(net->o.loop);
    int64_t now_ns = jr_loop_mono(net->o.loop).ns;
    uint64_t to = f->target != 0 ? f->target : f->read;
    JR_BUF out = { 0 };
    bool over = false;

    if (now_ns >= f->end_at.ns) {
        if (f->fate.fault == SIM_FAULT_STREAM_SILENT)
            f->silent = true;
        else
            end_stream(f, f->fate.fault == SIM_FAULT_STREAM_END ? JR_HTTP_DONE : JR_HTTP_AMBIGUOUS);
        return;
    }
    jr_buf_init(&out, SIZE_MAX);
    do {
        size_t before = out.n;

        over = jr_dev_watch_read(f->op, to, READ_MAX, now, &out);
        if (out.n - before < READ_MAX)
            break;
    } while (!over);
    if (is_poisoned(f) && !over)
        poison_stream(f, to, &out);
    f->target = 0;
    f->read = to;
    if (f->fate.fault == SIM_FAULT_BODY_CUT && out.n > 1 && !net->calm) {
        cut_stream(f, jr_buf_str(&out));
        return;
    }
    if (f->fate.fault == SIM_FAULT_STREAM_TWICE && !net->calm)
        sim_body_repeat(&out);
    send_frames(f, jr_buf_str(&out), over ? 0 : to);
    if (over) {
        end_stream(f, JR_HTTP_DONE);
        return;
    }
    if (jr_dev_revision(net->o.store) > f->read)
        stream_wakes(f);
    else
        set_timer(f, f->end_at.ns - now_ns < POLL_NS ? f->end_at.ns - now_ns : POLL_NS);
}

static void begin_stream(struct flight *f)
{
    int64_t now = jr_loop_mono(f->net->o.loop).ns;

    f->dice = sim_dice(f->net->o.climate->seed, SIM_DICE_STREAM, f->about.number);
    f->end_at.ns = INT64_MAX;
    if (f->fate.fault == SIM_FAULT_STREAM_END || f->fate.fault == SIM_FAULT_STREAM_CUT ||
        f->fate.fault == SIM_FAULT_STREAM_SILENT)
        f->end_at.ns = now + f->fate.life_ns;
    f->target = f->state > 0 ? f->state : jr_dev_revision(f->net->o.store);
    read_stream(f);
}

/* ---- arrivals ---- */

static void tell_arrival(const struct flight *f, const struct jr_dev_answer *a)
{
    bool fault = f->fate.fault != SIM_FAULT_NONE;
    bool dull = !fault && (strstr(f->about.path, "/leases/") != NULL ||
                           (f->net->calm && f->about.verb == SIM_VERB_WATCH));
    void (*tell)(struct sim_report *, const char *, ...) JR_PRINTF(2, 3) =
        dull ? sim_tell_aside : sim_tell;

    tell(f->net->o.report, "api  %llu %s %s %s -> %d%s%s%s", (unsigned long long)f->about.number,
         f->about.client, f->about.method, f->about.path, a->status, fault ? " (" : "",
         fault ? sim_fault_words(f->fate.fault) : "", fault ? ")" : "");
}

/** Asks the store. False: a stream has begun, and f is one now. */
static bool carry_out(struct flight *f, struct jr_dev_op **ret)
{
    struct sim_net *net = f->net;
    f->state = f->about.verb == SIM_VERB_WATCH ? sim_state_of(f) : 0;
    const struct jr_dev_request req = { .method = f->about.method,
                                        .path = sim_path_of(f),
                                        .accept = f->accept,
                                        .content_type = f->content_type,
                                        .body = f->about.body,
                                        .user = f->about.client,
                                        .as_of = f->state };
    enum jr_dev_next next;
    const struct jr_dev_answer *a;

    f->about.forsaken = f->about.hand.late = f->call == NULL;
    next = jr_dev_begin(net->o.store, &req, jr_loop_wall(net->o.loop), ret);
    a = jr_dev_op_answer(*ret);
    tell_arrival(f, a);
    if (next == JR_DEV_NEXT_WATCH) {
        f->op = *ret;
        *ret = NULL;
        net->o.hooks.answered(net->o.hooks.ctx, &f->about, a, false);
        begin_stream(f);
        return false;
    }
    net->o.report->counts.writes += jr_dev_op_wrote(*ret);
    tell_writes(net, &f->about);
    net->o.hooks.answered(net->o.hooks.ctx, &f->about, a, jr_dev_op_wrote(*ret));
    return true;
}

/** What is answered instead of carrying a request out. */
static const struct {
    enum sim_fault fault;
    int code;
    bool wait; /* with Retry-After */
    const char *reason, *message;
} refusals[] = {
    { SIM_FAULT_CONFLICT, 409, false, "Conflict", "the object has been modified" },
    { SIM_FAULT_TOO_MANY, 429, true, "TooManyRequests", "too many requests" },
    { SIM_FAULT_INTERNAL, 500, false, "InternalError", "Internal error occurred: simulated" },
    { SIM_FAULT_UNAVAILABLE, 503, false, "ServiceUnavailable", "the server is currently unable" },
    { SIM_FAULT_BUSY, 503, true, "ServiceUnavailable", "apiserver is shutting down" },
    { SIM_FAULT_GONE, 410, false, "Expired", "too old resource version" },
    { SIM_FAULT_UNAUTHORIZED, 401, false, "Unauthorized", "Unauthorized" },
    { SIM_FAULT_FORBIDDEN, 403, false, "Forbidden", "it is forbidden: User cannot do that" },
    { SIM_FAULT_QUOTA, 403, false, "Forbidden", "it is forbidden: exceeded quota: few" },
    { SIM_FAULT_DENIED, 403, false, "Forbidden", "admission webhook denied the request: policy" },
};

static void refuse_as_behind(struct flight *f)
{
    refuse_for(f, 504, "Timeout", "Timeout: Too large resource version: 9, current: 1", 0,
               "\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\","
               "\"message\":\"Too large resource version\"}],\"retryAfterSeconds\":1},");
}

/** What keeps a request from being carried out. False: nothing does. */
static bool refused(struct flight *f)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(refusals); i++) {
        if (refusals[i].fault != f->fate.fault)
            continue;
        refuse(f, refusals[i].code, refusals[i].reason, refusals[i].message,
               refusals[i].wait ? f->fate.retry_after_s : 0);
        return true;
    }
    if (f->fate.fault == SIM_FAULT_BEHIND)
        refuse_as_behind(f);
    else if (f->fate.fault == SIM_FAULT_LOST_UNDONE)
        lose(f);
    else if (f->fate.fault == SIM_FAULT_COMPACT)
        jr_dev_compact(f->net->o.store, jr_dev_revision(f->net->o.store));
    return f->fate.fault == SIM_FAULT_BEHIND || f->fate.fault == SIM_FAULT_LOST_UNDONE;
}

static void on_arrival(struct flight *f)
{
    struct jr_dev_op *op = NULL;

    f->net->o.report->counts.requests++;
    if (refused(f)) {
        sim_tell(f->net->o.report, "api  %llu %s %s %s (%s)", (unsigned long long)f->about.number,
                 f->about.client, f->about.method, f->about.path, sim_fault_words(f->fate.fault));
        sim_flight_free(f);
        return;
    }
    if (!carry_out(f, &op))
        return;
    if (f->fate.fault == SIM_FAULT_LOST_DONE)
        lose(f);
    else if (f->fate.fault == SIM_FAULT_GATEWAY_DONE)
        refuse(f, 504, "Timeout", "Timeout: request did not complete within the allotted time", 0);
    else if (f->fate.fault == SIM_FAULT_HANG_DONE)
        sim_call_forget(f);
    else
        answer(f, jr_dev_op_answer(op));
    jr_dev_op_free(op);
    sim_flight_free(f);
}

static void on_timer(void *ctx)
{
    struct flight *f = ctx;

    f->timer = NULL;
    if (f->op != NULL)
        read_stream(f);
    else
        on_arrival(f);
}

enum jr_status sim_net_take(struct flight *f)
{
    LIST_INSERT_HEAD(&f->net->flights, f, in_list);
    return jr_loop_after(f->net->o.loop, f->fate.there_ns, on_timer, f, &f->timer);
}

/* ---- others ---- */

int sim_net_ask(struct sim_net *net, const char *user, const char *method, const char *path,
                const char *content_type, struct jr_str body, struct jr_buf *ret)
{
    const struct jr_dev_request req = {
        .method = method, .path = path, .content_type = content_type, .body = body, .user = user
    };
    const struct sim_request about = { .client = user,
                                       .process = SIM_USER,
                                       .method = method,
                                       .path = path,
                                       .verb = sim_verb_of(method, path),
                                       .body = body,
                                       .hand = { .other = true } };
    const struct jr_dev_answer *a;
    struct jr_dev_op *op = NULL;
    int status;

    (void)jr_dev_begin(net->o.store, &req, jr_loop_wall(net->o.loop), &op);
    a = jr_dev_op_answer(op);
    status = a->status;
    sim_tell(net->o.report, "api  %s %s %s -> %d", user, method, path, status);
    if (ret != NULL && jr_buf_add(ret, jr_buf_str(&a->body)) != JR_OK)
        status = 0;
    tell_writes(net, &about);
    jr_dev_op_free(op);
    return status;
}

void sim_net_calm(struct sim_net *net)
{
    net->calm = true;
}

enum jr_status sim_net_new(const struct sim_net_options *options, struct sim_net **ret)
{
    struct sim_net *net = calloc(1, sizeof(*net));

    if (net == NULL)
        return JR_NOMEM;
    net->o = *options;
    net->seen = jr_dev_revision(options->store);
    LIST_INIT(&net->flights);
    *ret = net;
    return JR_OK;
}

void sim_net_free(struct sim_net *net)
{
    struct flight *f;

    if (net == NULL)
        return;
    while ((f = LIST_FIRST(&net->flights)) != NULL)
        sim_flight_free(f);
    jr_timer_cancel(net->o.loop, &net->tick);
    free(net);
}
