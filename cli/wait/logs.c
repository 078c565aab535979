/* SPDX-License-Identifier: Apache-2.0 */
/* Which run of which container is read when. */
#include "cli/wait/logs.h"

#include <sys/queue.h>

#include "cli/wait/log_reader.h"
#include "common/kube/keyed.h"
#include "common/kube/request.h"

/* So many connections; further logs wait, and are kept by the nodes meanwhile. */
#define READINGS_MAX 128
#define PAUSE_NS (500 * JR_MSEC)
#define PAUSE_CAP_NS (10 * JR_SEC)
/* In a row and without a line between, before a log is given up. Connections that have lasted for a
 * while don't count: a container may have nothing to say for hours. */
#define FAILURES_MAX 30
#define LASTED_NS (20 * JR_SEC)

enum log_state {
    LOG_IDLE,    /* nothing to read, as far as is known */
    LOG_QUEUED,  /* waits for its turn */
    LOG_READING, /* the reader is open */
    LOG_PAUSED,  /* the timer runs, then it is read on */
};

/** The last run of a container, as the Pod's status tells. */
struct known_run {
    bool any, ended;
    int32_t number;
    bool has_previous;                          /* the log of the one before is there, too */
    struct jr_time finished, previous_finished; /* 0: unknown */
};

/** The log of one container. */
struct log {
    TAILQ_ENTRY(log) link; /* while it is queued */
    struct pod_logs *pod;
    char *container;
    bool init;
    enum log_state state;
    struct jr_log_reader reader;
    struct jr_timer *timer;
    int32_t next;  /* the run that is read, or is to be read next */
    bool previous; /* it is read as the one before the last */
    bool begun;    /* it was opened */
    bool complete; /* it came to an end by itself: once the status tells so, too, it is read on, as
                      connections may seem to end well */
    unsigned failures;
    struct jr_mono opened;
    struct known_run run;
};
TAILQ_HEAD(log_queue, log);

/** Those of a Pod. */
struct pod_logs {
    struct jr_keyed keyed;
    struct jr_logs *all;
    struct jr_pod_view *pod;
    char *path;
    bool gone;
    struct log *v; /* init containers first */
    size_t n;
};

struct jr_logs {
    struct jr_env env;
    struct jr_logs_handler h;
    struct jr_map pods;
    struct log_queue queue;
    size_t readings;
    bool forbidden;
};

static void advance(struct log *l);

/* ---- words ---- */

static const char *container_of(const struct log *l)
{
    return l->pod->n > 1 ? l->container : NULL;
}

static void missing(const struct log *l, const char *what, struct jr_str why)
{
    JR_BUF words = { 0 };

    jr_buf_init(&words, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&words, what);
    if (why.n > 0)
        (void)jr_buf_addf(&words, ": %.*s", JR_P(why));
    jr_must(words.failed);
    l->pod->all->h.missing(l->pod->all->h.ctx, l->pod->pod->meta.name, container_of(l),
                           jr_buf_str(&words));
}

static void missing_run(const struct log *l, struct jr_str why)
{
    JR_FREE char *what =
        l->next == 0 && l->run.number == 0
            ? jr_xstrdup("its log had gone before it was read")
            : jr_xasprintf("the log of its run %d had gone before it was read", (int)l->next + 1);

    missing(l, what, why);
}

/* ---- readings ---- */

/** Whether the status tells that the run that is read has ended. */
static bool run_has_ended(const struct log *l)
{
    return l->run.number > l->next || (l->run.number == l->next && l->run.ended);
}

static void open_next(struct jr_logs *all)
{
    while (all->readings < READINGS_MAX && !TAILQ_EMPTY(&all->queue)) {
        struct log *l = TAILQ_FIRST(&all->queue);
        const struct jr_log_what what = {
            .previous = l->previous,
            .follow = !run_has_ended(l) && !l->pod->gone && !jr_pod_view_ended(l->pod->pod),
            .resume = l->begun,
            .until = l->previous ? l->run.previous_finished : l->run.finished,
        };

        TAILQ_REMOVE(&all->queue, l, link);
        all->readings++;
        l->state = LOG_READING;
        l->begun = true;
        l->opened = jr_loop_mono(all->env.loop);
        jr_log_reader_open(&l->reader, &what);
    }
}

static void enqueue(struct log *l)
{
    l->state = LOG_QUEUED;
    TAILQ_INSERT_TAIL(&l->pod->all->queue, l, link);
    open_next(l->pod->all);
}

static void on_pause_over(void *ctx)
{
    struct log *l = ctx;

    l->timer = NULL;
    l->state = LOG_IDLE;
    advance(l);
}

static void pause_log(struct log *l)
{
    const struct jr_env *env = &l->pod->all->env;

    l->state = LOG_PAUSED;
    jr_xloop_after(env->loop, jr_backoff_ns(l->failures++, PAUSE_NS, PAUSE_CAP_NS, 0.5, &env->rand),
                   on_pause_over, l, &l->timer);
}

/** Goes on to the next run. */
static void finish_run(struct log *l)
{
    jr_timer_cancel(l->pod->all->env.loop, &l->timer);
    l->next++;
    l->begun = l->complete = false;
    l->failures = 0;
    l->state = LOG_IDLE;
}

static void give_up_run(struct log *l, struct jr_str why)
{
    if (l->begun && jr_time_set(l->reader.first))
        missing(l, "the rest of its log could not be read", why);
    else
        missing_run(l, why);
    finish_run(l);
}

/** A run's log came to an end without a fault. */
static void after_end(struct log *l)
{
    if (run_has_ended(l) || jr_pod_view_ended(l->pod->pod)) {
        finish_run(l);
        return;
    }
    l->complete = true;
    pause_log(l);
}

static void after_reading(struct log *l, enum jr_log_end end, struct jr_str why)
{
    bool hopeless = l->failures >= FAILURES_MAX;

    switch (end) {
    case JR_LOG_READ:
        after_end(l);
        return;
    case JR_LOG_FORBIDDEN:
        if (!l->pod->all->forbidden)
            missing(l, "logs can't be read", why);
        l->pod->all->forbidden = true;
        finish_run(l);
        return;
    case JR_LOG_OTHER: /* by now it may be the one before the last */
        l->begun = l->complete = false;
        hopeless = l->previous || l->failures > 0;
        break;
    case JR_LOG_NOT_YET:
        hopeless |= l->previous || l->pod->gone;
        break;
    case JR_LOG_GONE:
        if (l->complete && run_has_ended(l)) {
            finish_run(l);
            return;
        }
        hopeless = true;
        break;
    case JR_LOG_BROKEN:
        l->complete = false;
        break;
    }
    if (hopeless)
        give_up_run(l, why);
    else
        pause_log(l);
}

static void on_end(void *ctx, enum jr_log_end end, struct jr_str why)
{
    struct log *l = ctx;
    struct pod_logs *p = l->pod;

    p->all->readings--;
    l->state = LOG_IDLE;
    if (jr_loop_mono(p->all->env.loop).ns - l->opened.ns >= LASTED_NS)
        l->failures = 0;
    after_reading(l, end, why);
    for (size_t i = 0; i < p->n; i++)
        advance(&p->v[i]);
    open_next(p->all);
}

static void on_line(void *ctx, struct jr_str text)
{
    struct log *l = ctx;

    l->failures = 0;
    l->pod->all->h.line(l->pod->all->h.ctx, l->pod->pod->meta.name, container_of(l), text);
}

static void on_rotated(void *ctx)
{
    missing(ctx, "its log was rotated while it wasn't read: lines may be missing here",
            (struct jr_str){ NULL, 0 });
}

/* ---- runs ---- */

/** Whether there is nothing more to read of the container, as far as is known. */
static bool is_drained(const struct log *l)
{
    return l->state == LOG_IDLE && (!l->run.any || l->next > l->run.number);
}

/** Whether an init container before it has ended, and its log wasn't read. */
static bool is_early(const struct log *l)
{
    for (const struct log *i = l->pod->v; i != l && i->init; i++) {
        if (i->run.ended && !is_drained(i))
            return true;
    }
    return false;
}

/** Passes over the runs whose logs a node doesn't give any more. */
static void pass_over(struct log *l)
{
    while (l->next + 1 < l->run.number || (l->next < l->run.number && !l->run.has_previous))
        give_up_run(l, (struct jr_str){ NULL, 0 });
}

/** Reads the next run, or reads on, if there is something to read and its turn has come. */
static void advance(struct log *l)
{
    if (l->state != LOG_IDLE || is_drained(l) || is_early(l))
        return;
    if (l->pod->all->forbidden) {
        l->next = l->run.number + 1;
        return;
    }
    pass_over(l);
    l->previous = l->next < l->run.number;
    enqueue(l);
}

/** Counts as the next run what was read as this one, if it was written after this one had ended:
 * the container was started anew just before its log was opened. */
static void correct_run(struct log *l)
{
    const struct jr_time ended = l->run.previous_finished;

    if (!l->begun || l->previous || l->next + 1 != l->run.number || !jr_time_set(ended) ||
        !jr_time_set(l->reader.first) ||
        jr_time_cmp(l->reader.first, jr_time_later(ended, JR_SEC)) < 0)
        return;
    missing_run(l, (struct jr_str){ NULL, 0 });
    l->next++;
}

/* ---- Pods ---- */

static void init_log(struct log *l, struct pod_logs *p, const struct jr_container_view *c,
                     bool init)
{
    const struct jr_log_handler handler = { on_line, on_rotated, on_end, l };

    l->pod = p;
    l->container = jr_xstrndup(c->name);
    l->init = init;
    l->reader = (struct jr_log_reader){
        .env = p->all->env, .h = handler, .path = p->path, .container = l->container
    };
}

/** The containers, once the status has them. */
static void init_logs(struct pod_logs *p, const struct jr_pod_view *pod)
{
    if (p->n > 0 || pod->containers.n == 0)
        return;
    p->v = jr_xcalloc(pod->init.n + pod->containers.n, sizeof(*p->v));
    for (size_t i = 0; i < pod->init.n; i++)
        init_log(&p->v[p->n++], p, &pod->init.v[i], true);
    for (size_t i = 0; i < pod->containers.n; i++)
        init_log(&p->v[p->n++], p, &pod->containers.v[i], false);
}

static struct known_run known_run(const struct jr_container_view *c)
{
    const struct jr_container_run run = jr_container_last_run(c);
    struct known_run known = { run.any, run.ended, run.number, run.previous != NULL, { 0 }, { 0 } };

    if (run.exit != NULL)
        known.finished = run.exit->finished;
    if (run.previous != NULL)
        known.previous_finished = run.previous->finished;
    return known;
}

static void take_container(struct pod_logs *p, const struct jr_container_view *c, bool init)
{
    for (size_t i = 0; i < p->n; i++) {
        struct log *l = &p->v[i];

        if (l->init != init || !jr_str_is(c->name, l->container))
            continue;
        l->run = known_run(c);
        correct_run(l);
        return;
    }
}

static struct pod_logs *find_pod(const struct jr_logs *all, const struct jr_pod_view *pod)
{
    const struct jr_object_key key = jr_object_key_of(&pod->meta);

    return jr_keyed_find_uid(&all->pods, &key);
}

static struct pod_logs *need_pod(struct jr_logs *all, const struct jr_pod_view *pod)
{
    const struct jr_object_key key = jr_object_key_of(&pod->meta);
    struct pod_logs *p = find_pod(all, pod);
    JR_BUF path = { 0 };

    if (p != NULL)
        return p;
    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_object_path("/api/v1", key.namespace, "pods", key.name, &path);
    jr_must(path.failed);
    p = jr_keyed_new(sizeof(*p), &key);
    jr_xmap_add(&all->pods, &p->keyed.link, jr_map_hash2(key.namespace, key.name));
    p->all = all;
    p->path = jr_xstrndup(jr_buf_str(&path));
    return p;
}

void jr_logs_take(struct jr_logs *all, const struct jr_pod_view *pod)
{
    struct pod_logs *p = need_pod(all, pod);
    struct jr_pod_view *known = p->pod;

    p->pod = jr_pod_view_ref(pod);
    jr_pod_view_unref(known);
    init_logs(p, pod);
    for (size_t i = 0; i < pod->init.n; i++)
        take_container(p, &pod->init.v[i], true);
    for (size_t i = 0; i < pod->containers.n; i++)
        take_container(p, &pod->containers.v[i], false);
    for (size_t i = 0; i < p->n; i++)
        advance(&p->v[i]);
}

void jr_logs_gone(struct jr_logs *all, const struct jr_pod_view *pod)
{
    need_pod(all, pod)->gone = true;
    jr_logs_take(all, pod);
}

static void free_pod(void *object)
{
    struct pod_logs *p = object;

    for (size_t i = 0; i < p->n; i++) {
        jr_log_reader_done(&p->v[i].reader);
        jr_timer_cancel(p->all->env.loop, &p->v[i].timer);
        free(p->v[i].container);
    }
    jr_pod_view_unref(p->pod);
    free(p->path);
    free(p->v);
}

/* ---- all ---- */

struct jr_logs *jr_logs_new(const struct jr_env *env, const struct jr_logs_handler *handler)
{
    struct jr_logs *all = jr_xcalloc(1, sizeof(*all));

    all->env = *env;
    all->h = *handler;
    TAILQ_INIT(&all->queue);
    return all;
}

void jr_logs_free(struct jr_logs *all)
{
    if (all == NULL)
        return;
    jr_keyed_done(&all->pods, free_pod);
    free(all);
}

static struct pod_logs *next_pod(const struct jr_logs *all, const struct pod_logs *after)
{
    struct jr_link *link = jr_map_next(&all->pods, after == NULL ? NULL : &after->keyed.link);

    return link == NULL ? NULL : jr_of(link, struct pod_logs, keyed.link);
}

bool jr_logs_idle(const struct jr_logs *all)
{
    for (const struct pod_logs *p = next_pod(all, NULL); p != NULL; p = next_pod(all, p)) {
        for (size_t i = 0; i < p->n; i++) {
            if (!is_drained(&p->v[i]))
                return false;
        }
    }
    return true;
}

void jr_logs_give_up(struct jr_logs *all)
{
    for (const struct pod_logs *p = next_pod(all, NULL); p != NULL; p = next_pod(all, p)) {
        for (size_t i = 0; i < p->n; i++) {
            if (!is_drained(&p->v[i]))
                missing(&p->v[i], "its log was not read to its end", (struct jr_str){ NULL, 0 });
        }
    }
}
