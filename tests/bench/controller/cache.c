/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <time.h>

#include "common/kube/framing.h"
#include "controller/intake/feed.h"
#include "tests/bench/controller/bench.h"
#include "tests/bench/controller/text.h"

#define EVENT_MAX ((size_t)1 << 20)
#define STRIDE 7919 /* prime: events go to Pods all over the cache */

struct cache {
    struct text pod, job;
    struct text_world world;
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_reconcile_options options;
    struct jr_state state;
    struct jr_feed feeds[2];
    struct jr_informer_handler handlers[2];
    struct jr_watch_frames frames;
    struct jr_buf text;
    uint64_t version;
    size_t told;
};

static void on_changed(void *ctx)
{
    struct cache *c = ctx;

    c->told++;
}

static void on_listed(void *ctx, enum jr_store_kind kind, struct jr_str namespace)
{
    (void)ctx;
    (void)kind;
    (void)namespace;
}

static void cache_done(struct cache *c)
{
    jr_state_done(&c->state);
    jr_metrics_free(c->metrics);
    jr_loop_free(c->loop);
    jr_watch_frames_done(&c->frames);
    jr_buf_done(&c->text);
    text_done(&c->pod);
    text_done(&c->job);
}

static bool begin(struct cache *c)
{
    jr_buf_init(&c->text, EVENT_MAX);
    jr_watch_frames_init(&c->frames);
    c->options = jr_reconcile_options_default();
    c->options.replace_builtin = true;
    if (jr_loop_new(&jr_clock_system, &c->loop, NULL) != JR_OK ||
        jr_metrics_new(&c->metrics) != JR_OK)
        return false;
    jr_state_init(&c->state, &c->options, false, c->metrics);
    for (int i = 0; i < 2; i++) {
        c->feeds[i] = (struct jr_feed){ .kind = (enum jr_store_kind)i,
                                        .state = &c->state,
                                        .loop = c->loop,
                                        .on_changed = on_changed,
                                        .on_listed = on_listed,
                                        .ctx = c };
        c->handlers[i] = jr_feed_handler(&c->feeds[i]);
        c->handlers[i].on_replace_begin(c->handlers[i].ctx);
    }
    return true;
}

static int64_t cpu_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * JR_SEC + t.tv_nsec;
}

static enum jr_status on_frame(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    const struct jr_informer_handler *h = ctx;

    (void)err;
    if (type == JR_EV_ADDED)
        h->on_replace_item(h->ctx, object);
    else
        h->on_event(h->ctx, type, object);
    return JR_OK;
}

/** Feeds a line of a watch; returns what it cost, below 0 on failure. */
static int64_t feed(struct cache *c, enum jr_store_kind kind, const char *type, size_t n)
{
    struct jr_error err = { 0 };
    int64_t t;

    jr_buf_reset(&c->text);
    (void)jr_buf_addf(&c->text, "{\"type\":\"%s\",\"object\":", type);
    c->version++;
    if ((kind == JR_STORE_JOBS
             ? text_add_job(&c->job, &c->world, n, c->version, &c->text)
             : text_add_pod(&c->pod, &c->world, n, c->version, &c->text)) != JR_OK ||
        jr_buf_adds(&c->text, "}\n") != JR_OK)
        return -1;
    t = cpu_ns();
    if (jr_watch_frames_feed(&c->frames, jr_buf_str(&c->text), on_frame, &c->handlers[kind],
                             &err) != JR_OK) {
        (void)fprintf(stderr, "bench-controller: %s: %s\n", err.path, err.msg);
        return -1;
    }
    return cpu_ns() - t;
}

static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

/** The mean cost of n lines, in nanoseconds; below 0 on failure. */
static int64_t feed_all(struct cache *c, enum jr_store_kind kind, const char *type, size_t n)
{
    size_t total = kind == JR_STORE_JOBS ? c->world.jobs : c->world.jobs * c->world.pods_each;
    bool changes = strcmp(type, "ADDED") != 0;
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t ns = feed(c, kind, type, changes ? i * STRIDE % total : i);

        if (ns < 0)
            return -1;
        sum += ns;
    }
    return n == 0 ? 0 : sum / (int64_t)n;
}

int bench_cache(const struct bench_options *o)
{
    JR_CLEANUP(cache_done) struct cache c = { 0 };
    size_t pods = (size_t)(o->jobs * o->pods_each), before, after;
    int64_t job_ns, item_ns, event_ns;

    c.world = (struct text_world){ (size_t)o->jobs, (size_t)o->pods_each };
    if (!text_read(&c.pod, o->pod_file) || !text_read(&c.job, o->job_file) || !begin(&c))
        return 2;
    job_ns = feed_all(&c, JR_STORE_JOBS, "ADDED", c.world.jobs);
    before = allocated();
    item_ns = feed_all(&c, JR_STORE_PODS, "ADDED", pods);
    after = allocated();
    event_ns = feed_all(&c, JR_STORE_PODS, "MODIFIED", (size_t)o->events);
    if (job_ns < 0 || item_ns < 0 || event_ns < 0 ||
        jr_store_count(c.state.store, JR_STORE_PODS) != pods)
        return 1;
    (void)printf("cache jobs %" PRIi64
                 " bytes_per_job %zu pods %zu bytes_per_pod %zu text_bytes %zu item_ns %" PRIi64
                 " event_ns %" PRIi64 "\n",
                 o->jobs, jr_store_job_bytes(c.state.store) / (size_t)o->jobs, pods,
                 (after - before) / pods, c.text.n, item_ns, event_ns);
    return 0;
}
