/* SPDX-License-Identifier: Apache-2.0 */
/* The event recorder. Correlation happens when an event is recorded, so that what is dropped takes
 * no place in the queue; the queue goes out in order, one at a time. Source: client-go's
 * tools/record. */
#include "common/kube/events.h"

#include "common/api/event.h"
#include "common/base/memory.h"
#include "common/kube/event_cache.h"
#include "common/kube/request.h"

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
#define NAME_SUFFIX_BYTES 17 /* a dot and nanoseconds in hex */

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
    jr_arena_done(&p->arena);
    free(p);
}

/* ---- correlation ---- */

/** How many of the parts of a key count, in the order of key_of. */
enum key_parts { KEY_OF_TYPE = 7, KEY_BUT_MESSAGE, KEY_WHOLE };

static uint64_t key_of(const struct jr_recorder *r, const struct jr_event *e, enum key_parts n)
{
    const struct jr_str parts[KEY_WHOLE] = {
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

    return event_key_of(parts, n);
}

/** Whether this is one of many that differ by message only. */
static bool is_combined(struct jr_recorder *r, const struct jr_event *e, uint64_t but_message)
{
    const uint64_t message = event_key_of(&e->message, 1);
    bool is_new, known = false;
    struct event_record *rec = event_cache_get(&r->similar, but_message, &is_new);

    if (e->last_timestamp.ns - rec->u.similar.last.ns > SIMILAR_WITHIN_NS)
        rec->u.similar.n = 0;
    rec->u.similar.last = e->last_timestamp;
    for (unsigned i = 0; i < rec->u.similar.n; i++)
        known |= rec->u.similar.messages[i] == message;
    if (!known)
        rec->u.similar.messages[rec->u.similar.n++] = message;
    if (rec->u.similar.n < EVENT_SIMILAR_MAX)
        return false;
    rec->u.similar.n--; /* stay at the threshold */
    return true;
}

/** Counts the event; a repeat takes over the first one's name. */
static void count_event(struct jr_recorder *r, uint64_t key, struct pending *p)
{
    struct jr_event *e = &p->event;
    bool is_new;
    struct event_record *rec = event_cache_get(&r->same, key, &is_new);

    if (is_new) {
        rec->u.same.name = jr_xstrndup(e->name);
        rec->u.same.first = e->first_timestamp;
    }
    if (rec->u.same.count < INT32_MAX)
        rec->u.same.count++;
    e->count = rec->u.same.count;
    e->first_timestamp = rec->u.same.first;
    p->repeat = e->count > 1;
    if (p->repeat)
        e->name = jr_xarena_str(&p->arena, jr_str(rec->u.same.name));
}

/** Whether the object has had its share of events of this type. */
static bool is_spam(struct jr_recorder *r, const struct jr_event *e)
{
    const uint64_t key = key_of(r, e, KEY_OF_TYPE);
    struct jr_mono now = jr_loop_mono(r->env.loop);
    bool is_new;
    struct event_record *rec = event_cache_get(&r->rate, key, &is_new);

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

/** Whether it is to be sent, not dropped as spam. */
static bool correlate(struct jr_recorder *r, struct pending *p)
{
    struct jr_event *e = &p->event;
    uint64_t key = key_of(r, e, KEY_BUT_MESSAGE);

    if (is_combined(r, e, key))
        e->message = jr_xarena_text(&p->arena, COMBINED "%.*s", JR_P(e->message));
    else
        key = key_of(r, e, KEY_WHOLE);
    count_event(r, key, p);
    return !is_spam(r, e);
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
    jr_xloop_after(r->env.loop, ns, on_timer, r, &r->timer);
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

static void send_event(struct jr_recorder *r, const struct pending *p)
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

    jr_buf_init(&url, JR_BUF_BY_INPUT);
    jr_buf_init(&body, JR_BUF_BY_INPUT);
    if (p->repeat)
        jr_object_path("/api/v1", e->namespace, "events", e->name, &url);
    else
        jr_resource_path("/api/v1", e->namespace, "events", &url);
    jr_must(url.failed);
    jr_must(p->repeat ? jr_event_write_repeat(e, &body) : jr_event_write(e, &body));
    req.http.path = url.p;
    req.http.body = jr_buf_str(&body);
    r->call = jr_kube_send(&r->env, &req, on_done, r);
}

static void send_first(struct jr_recorder *r)
{
    if (!STAILQ_EMPTY(&r->queue) && r->call == NULL && r->timer == NULL)
        send_event(r, STAILQ_FIRST(&r->queue));
}

/* ---- recording ---- */

/** What all texts of an event take, each with the NUL behind it: a thousand may wait. */
static size_t texts_bytes(const struct jr_event_object *about, const char *type, const char *reason,
                          struct jr_str message)
{
    const size_t texts[] = {
        about->name.n + NAME_SUFFIX_BYTES,
        about->namespace.n > 0 ? about->namespace.n : sizeof("default") - 1,
        about->api_version.n,
        about->kind.n,
        about->namespace.n,
        about->name.n,
        about->uid.n,
        about->resource_version.n,
        strlen(type),
        strlen(reason),
        jr_str_head(message, MESSAGE_MAX).n,
    };
    size_t sum = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++)
        sum += texts[i] + 1;
    return sum;
}

/** The event with copies of all texts. */
static void fill(struct jr_recorder *r, struct pending *p, const struct jr_event_object *about,
                 const char *type, const char *reason, struct jr_str message)
{
    struct jr_event *e = &p->event;
    struct jr_arena *a = &p->arena;
    struct jr_time now = jr_loop_wall(r->env.loop);

    r->last_ns = now.ns > r->last_ns ? now.ns : r->last_ns + 1;
    e->name = jr_xarena_text(a, "%.*s.%llx",
                             JR_P(jr_str_head(about->name, NAME_MAX_BYTES - NAME_SUFFIX_BYTES)),
                             (unsigned long long)r->last_ns);
    e->first_timestamp = now;
    e->last_timestamp = now;
    e->component = jr_str(r->component);
    e->namespace = jr_xarena_str(a, about->namespace.n > 0 ? about->namespace : JR_S("default"));
    e->involved.api_version = jr_xarena_str(a, about->api_version);
    e->involved.kind = jr_xarena_str(a, about->kind);
    e->involved.namespace = jr_xarena_str(a, about->namespace);
    e->involved.name = jr_xarena_str(a, about->name);
    e->involved.uid = jr_xarena_str(a, about->uid);
    e->involved.resource_version = jr_xarena_str(a, about->resource_version);
    e->type = jr_xarena_str(a, jr_str(type));
    e->reason = jr_xarena_str(a, jr_str(reason));
    e->message = jr_xarena_str(a, jr_str_head(message, MESSAGE_MAX));
}

/** In a log line. */
#define ABOUT(o) \
    JR_STR("namespace", (o)->namespace), JR_STR("name", (o)->name), JR_STR("kind", (o)->kind)

void jr_recorder_event(struct jr_recorder *r, const struct jr_event_object *about, const char *type,
                       const char *reason, struct jr_str message)
{
    struct pending *p;

    if (r->n_queue >= QUEUE_MAX) {
        jr_warn(r->log, "event dropped, the queue is full", ABOUT(about),
                JR_CSTR("reason", reason));
        return;
    }
    p = jr_xcalloc(1, sizeof(*p));
    jr_arena_init_kept(&p->arena, 0, texts_bytes(about, type, reason, message));
    fill(r, p, about, type, reason, message);
    if (!correlate(r, p)) {
        jr_debug(r->log, "event dropped, too many of its kind", ABOUT(about),
                 JR_CSTR("reason", reason));
        pending_free(p);
        return;
    }
    STAILQ_INSERT_TAIL(&r->queue, p, link);
    r->n_queue++;
    send_first(r);
}

size_t jr_recorder_pending(const struct jr_recorder *r)
{
    return r->n_queue;
}

struct jr_recorder *jr_recorder_new(const struct jr_env *env, const char *component,
                                    struct jr_log *log, bool (*may_send)(void *ctx),
                                    void *may_send_ctx)
{
    struct jr_recorder *r = jr_xcalloc(1, sizeof(*r));

    r->component = jr_xstrdup(component);
    r->env = *env;
    r->log = log;
    r->may_send = may_send;
    r->may_send_ctx = may_send_ctx;
    STAILQ_INIT(&r->queue);
    event_cache_init(&r->same, EVENTS_SAME);
    event_cache_init(&r->similar, EVENTS_SIMILAR);
    event_cache_init(&r->rate, EVENTS_RATE);
    return r;
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
