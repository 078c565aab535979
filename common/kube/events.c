/* The event recorder. Correlation happens when an event is recorded, so that what is dropped takes
 * no place in the queue; the queue goes out in order, one at a time. Source: client-go's
 * tools/record. */
#include "common/kube/events.h"

#include "common/api/event.h"
#include "common/kube/event_cache.h"
#include "common/kube/request.h"

#define EVENT_BYTES ((size_t)640) /* what the texts of an ordinary event take */
#define QUEUE_MAX 1000
#define SIMILAR_WITHIN_NS (600 * JR_SEC)
#define BURST 25.0
#define REFILL_S 300.0
#define TRIES_MAX 12
#define TRY_AGAIN_NS (10 * JR_SEC)
#define REQUEST_TIMEOUT_MS 30000
#define REQUEST_RETRIES 3
#define COMBINED "(combined from similar events): "
#define MESSAGE_MAX 1200 /* more is cut off when it is written */
#define NAME_MAX_BYTES 253

struct pending {
    STAILQ_ENTRY(pending) link;
    struct jr_arena arena;
    struct jr_event event;
    bool repeat; /* it is there already: a PATCH of its count */
    unsigned tries;
};

struct jr_recorder {
    struct jr_env env;
    char *component;
    struct jr_log *log;
    bool (*may_send)(void *ctx);
    void *may_send_ctx;
    struct event_cache same, similar, rate;
    int64_t last_ns; /* of the last name: names of one object never repeat */
    STAILQ_HEAD(, pending) queue;
    size_t n_queue;
    struct jr_kube_call *call; /* of the first in the queue */
    struct jr_timer *timer;
};

static void send_first(struct jr_recorder *r);

static void pending_free(struct pending *p)
{
    if (p == NULL)
        return;
    jr_arena_done(&p->arena);
    free(p);
}

static void pending_freep(struct pending **p)
{
    pending_free(*p);
}

/* ---- correlation ---- */

/** Whether this is one of many that differ by message only; then *ret_key is what they share. */
static bool is_combined(struct jr_recorder *r, const struct jr_event *e, struct event_key *ret_key)
{
    const struct jr_str group[] = {
        jr_str(r->component),
        e->involved.kind,
        e->involved.namespace,
        e->involved.name,
        e->involved.uid,
        e->involved.api_version,
        e->type,
        e->reason,
    };
    struct event_key key, message;
    struct event_record *rec;
    bool is_new, known = false;

    if (!event_key_of(group, JR_ARRAY_SIZE(group), &key) || !event_key_of(&e->message, 1, &message))
        return false;
    rec = event_cache_get(&r->similar, &key, &is_new);
    if (rec == NULL)
        return false;
    if (e->last_timestamp.ns - rec->u.similar.last.ns > SIMILAR_WITHIN_NS)
        rec->u.similar.n = 0;
    rec->u.similar.last = e->last_timestamp;
    for (unsigned i = 0; i < rec->u.similar.n; i++)
        known |= rec->u.similar.messages[i] == message.v[0];
    if (!known)
        rec->u.similar.messages[rec->u.similar.n++] = message.v[0];
    if (rec->u.similar.n < EVENT_SIMILAR_MAX)
        return false;
    rec->u.similar.n--; /* stay at the threshold */
    *ret_key = key;
    return true;
}

/** The key of this very event. */
static bool same_key(const struct jr_recorder *r, const struct jr_event *e, struct event_key *ret)
{
    const struct jr_str parts[] = {
        jr_str(r->component),
        e->involved.kind,
        e->involved.namespace,
        e->involved.name,
        e->involved.uid,
        e->involved.api_version,
        e->type,
        e->reason,
        e->message,
    };

    return event_key_of(parts, JR_ARRAY_SIZE(parts), ret);
}

/** Counts the event; a repeat takes over the first one's name. false without memory. */
static bool count(struct jr_recorder *r, const struct event_key *key, struct pending *p)
{
    struct jr_event *e = &p->event;
    bool is_new;
    struct event_record *rec = event_cache_get(&r->same, key, &is_new);

    if (rec == NULL)
        return false;
    if (is_new) {
        rec->u.same.name = jr_str_dup(e->name);
        rec->u.same.first = e->first_timestamp;
    }
    if (rec->u.same.name == NULL)
        return false;
    if (rec->u.same.count < INT32_MAX)
        rec->u.same.count++;
    e->count = rec->u.same.count;
    e->first_timestamp = rec->u.same.first;
    p->repeat = e->count > 1;
    return !p->repeat || jr_arena_str(&p->arena, jr_str(rec->u.same.name), &e->name);
}

/** Whether the object has had its share of events of this type. */
static bool is_spam(struct jr_recorder *r, const struct jr_event *e)
{
    const struct jr_str parts[] = {
        jr_str(r->component),
        e->involved.kind,
        e->involved.namespace,
        e->involved.name,
        e->involved.uid,
        e->involved.api_version,
        e->type,
    };
    struct jr_mono now = jr_loop_mono(r->env.loop);
    struct event_key key;
    struct event_record *rec;
    bool is_new;

    if (!event_key_of(parts, JR_ARRAY_SIZE(parts), &key))
        return false;
    rec = event_cache_get(&r->rate, &key, &is_new);
    if (rec == NULL)
        return false;
    if (is_new)
        rec->u.rate.tokens = BURST;
    else
        rec->u.rate.tokens += (double)(now.ns - rec->u.rate.filled.ns) / (double)JR_SEC / REFILL_S;
    rec->u.rate.filled = now;
    if (rec->u.rate.tokens > BURST)
        rec->u.rate.tokens = BURST;
    if (rec->u.rate.tokens < 1)
        return true;
    rec->u.rate.tokens -= 1;
    return false;
}

/** JR_OK: to be sent; JR_DENIED: dropped as spam. */
static enum jr_status correlate(struct jr_recorder *r, struct pending *p)
{
    struct jr_event *e = &p->event;
    struct event_key key;

    if (is_combined(r, e, &key)) {
        const char *m = jr_arena_printf(&p->arena, COMBINED "%.*s", JR_P(e->message));

        if (m == NULL)
            return JR_NOMEM;
        e->message = jr_str(m);
    } else if (!same_key(r, e, &key)) {
        return JR_NOMEM;
    }
    if (!count(r, &key, p))
        return JR_NOMEM;
    return is_spam(r, e) ? JR_DENIED : JR_OK;
}

/* ---- sending ---- */

static void drop_first(struct jr_recorder *r)
{
    struct pending *p = STAILQ_FIRST(&r->queue);

    STAILQ_REMOVE_HEAD(&r->queue, link);
    r->n_queue--;
    pending_free(p);
}

static void on_timer(void *ctx)
{
    struct jr_recorder *r = ctx;

    r->timer = NULL;
    send_first(r);
}

static void give_up(struct jr_recorder *r, const struct jr_error *why)
{
    const struct jr_event *e = &STAILQ_FIRST(&r->queue)->event;

    jr_warn(r->log, "event lost", JR_STR("namespace", e->involved.namespace),
            JR_STR("name", e->involved.name), JR_STR("kind", e->involved.kind),
            JR_STR("reason", e->reason), JR_ERR(why));
    drop_first(r);
    send_first(r);
}

/** The server was not reached: everything waits. */
static void try_later(struct jr_recorder *r, const struct jr_error *why)
{
    struct pending *p = STAILQ_FIRST(&r->queue);
    int64_t ns = TRY_AGAIN_NS;

    if (++p->tries >= TRIES_MAX) {
        give_up(r, why);
        return;
    }
    if (p->tries == 1) /* not all clients at once when a server comes back */
        ns = (int64_t)((double)ns * jr_rand_unit(&r->env.rand));
    if (jr_loop_after(r->env.loop, ns, on_timer, r, &r->timer) != JR_OK)
        jr_err(r->log, "out of memory, events wait", JR_CSTR("component", r->component));
}

static void on_done(void *ctx, const struct jr_kube_result *res)
{
    struct jr_recorder *r = ctx;
    struct pending *p = STAILQ_FIRST(&r->queue);

    r->call = NULL;
    switch (res->kind) {
    case JR_RESULT_OK:
        drop_first(r);
        send_first(r);
        break;
    case JR_RESULT_REFUSED:
        if (p->repeat && res->http == 404) { /* its time was over: as a new one */
            p->repeat = false;
            send_first(r);
        } else if (res->error.status == JR_EXISTS) { /* an attempt without an answer did it */
            drop_first(r);
            send_first(r);
        } else {
            give_up(r, &res->error);
        }
        break;
    case JR_RESULT_AMBIGUOUS:
    case JR_RESULT_NOT_SENT:
        try_later(r, &res->error);
        break;
    }
}

static enum jr_status send(struct jr_recorder *r, const struct pending *p, struct jr_error *err)
{
    const struct jr_event *e = &p->event;
    struct jr_kube_request req = {
        .http = { .method = p->repeat ? "PATCH" : "POST",
                  .content_type = p->repeat ? "application/strategic-merge-patch+json" : NULL,
                  .timeout_ms = REQUEST_TIMEOUT_MS,
                  .may_send = r->may_send,
                  .may_send_ctx = r->may_send_ctx },
        .max_retries = REQUEST_RETRIES,
    };
    JR_BUF url = { 0 };
    JR_BUF body = { 0 };

    jr_buf_init(&url, 4096);
    jr_buf_init(&body, (size_t)1 << 20);
    (void)jr_buf_adds(&url, "/api/v1/namespaces/");
    (void)jr_url_escape(e->namespace, &url);
    (void)jr_buf_adds(&url, "/events");
    if (p->repeat) {
        (void)jr_buf_addc(&url, '/');
        (void)jr_url_escape(e->name, &url);
    }
    if ((p->repeat ? jr_event_write_repeat(e, &body) : jr_event_write(e, &body)) != JR_OK ||
        url.failed != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "event");
    req.http.path = url.p;
    req.http.body = jr_buf_str(&body);
    return jr_kube_send(&r->env, &req, on_done, r, &r->call, err);
}

static void send_first(struct jr_recorder *r)
{
    struct jr_error error = { 0 };

    if (STAILQ_EMPTY(&r->queue) || r->call != NULL || r->timer != NULL)
        return;
    if (send(r, STAILQ_FIRST(&r->queue), &error) != JR_OK)
        try_later(r, &error);
}

/* ---- recording ---- */

/** The event with copies of all texts. */
static bool fill(struct jr_recorder *r, struct pending *p, const struct jr_event_object *about,
                 const char *type, const char *reason, struct jr_str message)
{
    struct jr_event *e = &p->event;
    struct jr_arena *a = &p->arena;
    struct jr_time now = jr_loop_wall(r->env.loop);
    const char *name;

    r->last_ns = now.ns > r->last_ns ? now.ns : r->last_ns + 1;
    name = jr_arena_printf(a, "%.*s.%llx", JR_P(jr_str_head(about->name, NAME_MAX_BYTES - 17)),
                           (unsigned long long)r->last_ns);
    e->name = jr_str(name);
    e->first_timestamp = now;
    e->last_timestamp = now;
    e->component = jr_str(r->component);
    return name != NULL &&
           jr_arena_str(a, about->namespace.n > 0 ? about->namespace : JR_S("default"),
                        &e->namespace) &&
           jr_arena_str(a, about->api_version, &e->involved.api_version) &&
           jr_arena_str(a, about->kind, &e->involved.kind) &&
           jr_arena_str(a, about->namespace, &e->involved.namespace) &&
           jr_arena_str(a, about->name, &e->involved.name) &&
           jr_arena_str(a, about->uid, &e->involved.uid) &&
           jr_arena_str(a, about->resource_version, &e->involved.resource_version) &&
           jr_arena_str(a, jr_str(type), &e->type) && jr_arena_str(a, jr_str(reason), &e->reason) &&
           jr_arena_str(a, jr_str_head(message, MESSAGE_MAX), &e->message);
}

/** In a log line. */
#define ABOUT(o) \
    JR_STR("namespace", (o)->namespace), JR_STR("name", (o)->name), JR_STR("kind", (o)->kind)

void jr_recorder_event(struct jr_recorder *r, const struct jr_event_object *about, const char *type,
                       const char *reason, struct jr_str message)
{
    JR_CLEANUP(pending_freep) struct pending *p = NULL;
    enum jr_status st = JR_NOMEM;

    if (r->n_queue >= QUEUE_MAX) {
        jr_warn(r->log, "event dropped, the queue is full", ABOUT(about),
                JR_CSTR("reason", reason));
        return;
    }
    p = calloc(1, sizeof(*p));
    if (p != NULL) {
        jr_arena_init_kept(&p->arena, 0, EVENT_BYTES);
        if (fill(r, p, about, type, reason, message))
            st = correlate(r, p);
    }
    if (st == JR_DENIED) {
        jr_debug(r->log, "event dropped, too many of its kind", ABOUT(about),
                 JR_CSTR("reason", reason));
    } else if (st != JR_OK) {
        jr_warn(r->log, "event dropped, out of memory", ABOUT(about), JR_CSTR("reason", reason));
    } else {
        STAILQ_INSERT_TAIL(&r->queue, p, link);
        p = NULL;
        r->n_queue++;
        send_first(r);
    }
}

size_t jr_recorder_pending(const struct jr_recorder *r)
{
    return r->n_queue;
}

enum jr_status jr_recorder_new(const struct jr_env *env, const char *component, struct jr_log *log,
                               bool (*may_send)(void *ctx), void *may_send_ctx,
                               struct jr_recorder **ret)
{
    struct jr_recorder *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return JR_NOMEM;
    r->component = jr_str_dup(jr_str(component));
    if (r->component == NULL) {
        free(r);
        return JR_NOMEM;
    }
    r->env = *env;
    r->log = log;
    r->may_send = may_send;
    r->may_send_ctx = may_send_ctx;
    STAILQ_INIT(&r->queue);
    event_cache_init(&r->same, true);
    event_cache_init(&r->similar, false);
    event_cache_init(&r->rate, false);
    *ret = r;
    return JR_OK;
}

void jr_recorder_free(struct jr_recorder *r)
{
    if (r == NULL)
        return;
    jr_kube_cancel(&r->call);
    jr_timer_cancel(r->env.loop, &r->timer);
    while (!STAILQ_EMPTY(&r->queue))
        drop_first(r);
    event_cache_done(&r->same);
    event_cache_done(&r->similar);
    event_cache_done(&r->rate);
    free(r->component);
    free(r);
}
