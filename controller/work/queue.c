/* SPDX-License-Identifier: Apache-2.0 */
/* The work queue: keys that wait, in order; a heap of delayed adds; keys that are worked on. */
#include "controller/work/queue.h"

#include <sys/queue.h>

#include "common/base/heap.h"
#include "common/kube/keyed.h"

#define WHY_MAX 512

struct item {
    struct jr_keyed keyed;
    TAILQ_ENTRY(item) in_list; /* of the waiting or of the working */
    bool waiting;              /* to be worked on, perhaps after the work under way */
    bool working;
    bool delayed; /* in the heap */
    unsigned failures;
    struct jr_heap_entry in_heap;
    uint64_t seq; /* breaks ties of equal times */
    struct jr_mono due;
    struct jr_mono added;
    struct jr_mono started;
    char *why; /* of the last failure */
};
TAILQ_HEAD(items, item);

struct jr_queue {
    const char *name;
    struct jr_queue_limits limits;
    struct jr_mono free_at; /* when the limit of all keys would be at rest again */
    struct jr_metrics *metrics;
    struct jr_map map;
    struct items waiting; /* less those being worked on */
    struct items working;
    struct jr_heap delayed; /* those with a delayed add, the earliest first */
    size_t depth;
    uint64_t seq;
};

/* ---- metrics, as client-go names them ---- */

static const double buckets[] = { 10e-9, 10e-8, 10e-7, 10e-6, 10e-5, 10e-4,
                                  10e-3, 10e-2, 10e-1, 10e0,  10e1,  10e2 };
static const struct jr_metric_desc depth_desc =
    JR_METRIC(GAUGE, "workqueue_depth", "Current depth of workqueue", "name", NULL);
static const struct jr_metric_desc adds_desc = JR_METRIC(
    COUNTER, "workqueue_adds_total", "Total number of adds handled by workqueue", "name", NULL);
static const struct jr_metric_desc latency_desc = JR_METRIC_HISTOGRAM(
    buckets, "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested", "name", NULL);
static const struct jr_metric_desc work_desc = JR_METRIC_HISTOGRAM(
    buckets, "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes.", "name", NULL);
static const struct jr_metric_desc unfinished_desc =
    JR_METRIC(GAUGE, "workqueue_unfinished_work_seconds",
              "How many seconds of work has been done that is in progress and hasn't been observed "
              "by work_duration.",
              "name", NULL);
static const struct jr_metric_desc longest_desc = JR_METRIC(
    GAUGE, "workqueue_longest_running_processor_seconds",
    "How many seconds has the longest running processor for workqueue been running.", "name", NULL);
static const struct jr_metric_desc retries_desc =
    JR_METRIC(COUNTER, "workqueue_retries_total", "Total number of retries handled by workqueue",
              "name", NULL);

static double seconds(struct jr_mono from, struct jr_mono to)
{
    return (double)(to.ns - from.ns) / (double)JR_SEC;
}

static void set_depth(struct jr_queue *q, size_t depth)
{
    q->depth = depth;
    jr_metrics_set(q->metrics, &depth_desc, &q->name, (double)depth);
}

static bool is_due_before(struct jr_heap_entry *a, struct jr_heap_entry *b)
{
    const struct item *x = jr_of(a, struct item, in_heap), *y = jr_of(b, struct item, in_heap);

    return x->due.ns != y->due.ns ? x->due.ns < y->due.ns : x->seq < y->seq;
}

/** The item whose delayed add is due first; NULL: there is none. */
static struct item *first_delayed(const struct jr_queue *q)
{
    return q->delayed.n == 0 ? NULL : jr_of(q->delayed.v[0], struct item, in_heap);
}

/* ---- making and ending ---- */

struct jr_queue *jr_queue_new(const char *name, const struct jr_queue_limits *limits,
                              struct jr_metrics *metrics)
{
    struct jr_queue *q = jr_xcalloc(1, sizeof(*q));

    q->name = name;
    q->limits = *limits;
    q->metrics = metrics;
    q->delayed.before = is_due_before;
    TAILQ_INIT(&q->waiting);
    TAILQ_INIT(&q->working);
    jr_metrics_declare(metrics, &depth_desc, &q->name);
    jr_metrics_declare(metrics, &adds_desc, &q->name);
    jr_metrics_declare(metrics, &retries_desc, &q->name);
    return q;
}

static void free_why(void *item)
{
    free(((struct item *)item)->why);
}

void jr_queue_free(struct jr_queue *q)
{
    if (q == NULL)
        return;
    jr_keyed_done(&q->map, free_why);
    jr_heap_done(&q->delayed);
    free(q);
}

/* ---- items ---- */

static struct item *find_item(const struct jr_queue *q, struct jr_str text)
{
    const struct jr_object_key key = jr_object_key_of_text(text);

    return jr_keyed_find(&q->map, &key);
}

static struct item *need_item(struct jr_queue *q, struct jr_str text)
{
    const struct jr_object_key key = jr_object_key_of_text(text);
    struct item *it = find_item(q, text);

    return it != NULL ? it : jr_keyed_need(&q->map, sizeof(*it), &key);
}

/** Frees an item of which nothing is left to know. */
static void drop_idle(struct jr_queue *q, struct item *it)
{
    if (it->waiting || it->working || it->failures > 0 || it->delayed)
        return;
    free_why(it);
    jr_keyed_drop(&q->map, it);
}

/* ---- the queue ---- */

static void make_waiting(struct jr_queue *q, struct item *it, struct jr_mono now)
{
    if (it->waiting)
        return;
    it->waiting = true;
    it->added = now;
    jr_metrics_add(q->metrics, &adds_desc, &q->name, 1);
    set_depth(q, q->depth + 1);
    if (!it->working)
        TAILQ_INSERT_TAIL(&q->waiting, it, in_list);
}

void jr_queue_add(struct jr_queue *q, struct jr_str key, struct jr_mono now)
{
    make_waiting(q, need_item(q, key), now);
}

void jr_queue_add_after(struct jr_queue *q, struct jr_str key, int64_t delay_ns, struct jr_mono now)
{
    struct item *it;
    struct jr_mono due;

    jr_metrics_add(q->metrics, &retries_desc, &q->name, 1);
    if (delay_ns <= 0) {
        jr_queue_add(q, key, now);
        return;
    }
    it = need_item(q, key);
    if (__builtin_add_overflow(now.ns, delay_ns, &due.ns))
        due.ns = INT64_MAX;
    if (!it->delayed) {
        it->due = due;
        it->seq = q->seq++;
        it->delayed = true;
        jr_must(jr_heap_room(&q->delayed, q->delayed.n));
        jr_heap_add(&q->delayed, &it->in_heap);
    } else if (due.ns < it->due.ns) {
        it->due = due;
        jr_heap_move(&q->delayed, &it->in_heap);
    }
}

static int64_t backoff(const struct jr_queue *q, unsigned failures)
{
    int64_t delay = q->limits.base_ns;

    while (failures-- > 0 && delay < q->limits.cap_ns)
        delay *= 2;
    return delay < q->limits.cap_ns ? delay : q->limits.cap_ns;
}

/** Takes one from the bucket of all keys: how long until it is there. */
static int64_t take_turn(struct jr_queue *q, struct jr_mono now)
{
    int64_t wait;

    if (q->limits.every_ns == 0)
        return 0;
    if (q->free_at.ns < now.ns)
        q->free_at = now;
    wait = q->free_at.ns - now.ns - (q->limits.burst - 1) * q->limits.every_ns;
    q->free_at.ns += q->limits.every_ns;
    return wait;
}

void jr_queue_add_limited(struct jr_queue *q, struct jr_str key, struct jr_str why,
                          struct jr_mono now)
{
    struct item *it = need_item(q, key);
    int64_t delay = backoff(q, it->failures), turn = take_turn(q, now);

    free(it->why);
    it->why = why.n == 0 ? NULL : jr_xstrndup(jr_str_head(why, why.n < WHY_MAX ? why.n : WHY_MAX));
    if (it->failures < UINT32_MAX)
        it->failures++;
    jr_queue_add_after(q, key, turn > delay ? turn : delay, now);
}

void jr_queue_forget(struct jr_queue *q, struct jr_str key)
{
    struct item *it = find_item(q, key);

    if (it == NULL)
        return;
    it->failures = 0;
    free(it->why);
    it->why = NULL;
    drop_idle(q, it);
}

static void promote(struct jr_queue *q, struct jr_mono now)
{
    struct item *it;

    while ((it = first_delayed(q)) != NULL && it->due.ns <= now.ns) {
        jr_heap_remove(&q->delayed, &it->in_heap);
        it->delayed = false;
        make_waiting(q, it, now);
    }
}

enum jr_status jr_queue_get(struct jr_queue *q, struct jr_mono now, struct jr_str *ret_key)
{
    struct item *it;

    promote(q, now);
    it = TAILQ_FIRST(&q->waiting);
    if (it == NULL)
        return JR_NOTFOUND;
    TAILQ_REMOVE(&q->waiting, it, in_list);
    TAILQ_INSERT_TAIL(&q->working, it, in_list);
    it->waiting = false;
    it->working = true;
    it->started = now;
    set_depth(q, q->depth - 1);
    jr_metrics_observe(q->metrics, &latency_desc, &q->name, seconds(it->added, now));
    *ret_key = jr_keyed_key(it).name;
    return JR_OK;
}

void jr_queue_done(struct jr_queue *q, struct jr_str key, struct jr_mono now)
{
    struct item *it = find_item(q, key);

    if (it == NULL || !it->working)
        return;
    jr_metrics_observe(q->metrics, &work_desc, &q->name, seconds(it->started, now));
    TAILQ_REMOVE(&q->working, it, in_list);
    it->working = false;
    if (it->waiting)
        TAILQ_INSERT_TAIL(&q->waiting, it, in_list);
    else
        drop_idle(q, it);
}

struct jr_mono jr_queue_next_due(const struct jr_queue *q, struct jr_mono now)
{
    const struct item *it = first_delayed(q);

    if (!TAILQ_EMPTY(&q->waiting))
        return now;
    return it != NULL ? it->due : (struct jr_mono){ INT64_MAX };
}

size_t jr_queue_failing(const struct jr_queue *q)
{
    size_t n = 0;

    for (struct jr_link *l = jr_map_next(&q->map, NULL); l != NULL; l = jr_map_next(&q->map, l))
        n += jr_of(l, struct item, keyed.link)->failures > 0;
    return n;
}

size_t jr_queue_count(const struct jr_queue *q)
{
    return q->map.n;
}

struct jr_queue_state jr_queue_look(const struct jr_queue *q, struct jr_str key)
{
    const struct item *it = find_item(q, key);

    if (it == NULL)
        return (struct jr_queue_state){ 0 };
    return (struct jr_queue_state){ .waiting = it->waiting,
                                    .working = it->working,
                                    .delayed = it->delayed,
                                    .due = it->due,
                                    .failures = it->failures,
                                    .why = jr_str(it->why) };
}

void jr_queue_measure(struct jr_queue *q, struct jr_mono now)
{
    double sum = 0, longest = 0;
    const struct item *it;

    TAILQ_FOREACH(it, &q->working, in_list)
    {
        double s = seconds(it->started, now);

        sum += s;
        longest = s > longest ? s : longest;
    }
    jr_metrics_set(q->metrics, &unfinished_desc, &q->name, sum);
    jr_metrics_set(q->metrics, &longest_desc, &q->name, longest);
}
