/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/controller/scenario_world.h"

#include <stdio.h>

#include "tests/unit/controller/scenario_api.h"

struct jr_str world_text(struct world *w, const struct jr_node *n)
{
    struct jr_str text = { NULL, 0 };
    JR_BUF out = { 0 };

    jr_buf_init(&out, (size_t)8 << 20);
    if (jr_node_print(n, &out) != JR_OK || !jr_arena_str(&w->arena, jr_buf_str(&out), &text))
        w->broken = true;
    return text;
}

struct jr_job *world_job(struct world *w, const struct jr_node *n)
{
    struct jr_job *job = NULL;
    struct jr_error err = { 0 };

    if (jr_job_decode(world_text(w, n), &job, &err) != JR_OK) {
        (void)printf("job: %s: %s\n", err.path, err.msg);
        w->broken = true;
    }
    return job;
}

struct jr_pod *world_pod(struct world *w, const struct jr_node *n)
{
    struct jr_pod *pod = NULL;
    struct jr_error err = { 0 };

    if (jr_pod_decode(world_text(w, n), &pod, &err) != JR_OK) {
        (void)printf("pod: %s: %s\n", err.path, err.msg);
        w->broken = true;
    }
    return pod;
}

struct jr_time world_time(struct jr_str s)
{
    struct jr_time t = { 0 };

    return jr_time_parse(s, &t) == JR_OK ? t : (struct jr_time){ 0 };
}

/* ---- what the controller tells ---- */

/** Room for one event more; NULL without memory. */
static struct world_event *next_event(struct world *w)
{
    if (w->n_events == w->cap_events) {
        size_t cap = w->cap_events == 0 ? 16 : w->cap_events * 2;
        struct world_event *v = reallocarray(w->events, cap, sizeof(*v));

        if (v == NULL)
            return NULL;
        w->events = v;
        w->cap_events = cap;
    }
    return &w->events[w->n_events];
}

static void on_event(void *ctx, const struct jr_job *job, const char *type, const char *reason,
                     struct jr_str message)
{
    struct world *w = ctx;
    struct world_event *e;

    (void)job;
    for (size_t i = 0; i < w->n_events; i++) {
        e = &w->events[i];
        if (jr_str_is(e->type, type) && jr_str_is(e->reason, reason) &&
            jr_str_eq(e->message, message)) {
            e->count++;
            return;
        }
    }
    e = next_event(w);
    if (e == NULL || !jr_arena_str(&w->arena, jr_str(type), &e->type) ||
        !jr_arena_str(&w->arena, jr_str(reason), &e->reason) ||
        !jr_arena_str(&w->arena, message, &e->message)) {
        w->broken = true;
        return;
    }
    e->count = 1;
    w->n_events++;
}

static void on_ambiguous(void *ctx, const struct jr_object_key *key)
{
    (void)ctx;
    (void)key;
}

static void on_room(void *ctx)
{
    struct world *w = ctx;

    if (jr_runner_waiting(w->runner) == 0)
        return;
    w->fetched = true; /* before the API is asked */
    (void)jr_runner_fetch(w->runner);
}

static void on_over(void *ctx, struct jr_str key, const struct jr_stage *last)
{
    struct world *w = ctx;

    (void)key;
    w->over = true;
    if (last == NULL) {
        w->broken = true;
        return;
    }
    w->failed = last->done.failed;
    w->requeue = last->done.requeue;
    w->requeue_ns = last->done.requeue_after_ns;
    if (!jr_arena_str(&w->arena, last->done.error, &w->error))
        w->broken = true;
}

static void on_released(void *ctx)
{
    struct world *w = ctx;

    w->over = true;
}

/* ---- making and ending ---- */

struct jr_profile scenario_profile(const struct jr_node *row)
{
    const struct jr_node *version = jr_get(row, "kubernetes");
    struct jr_kube_version v = JR_KUBE_DESCRIBED;
    struct jr_profile profile;

    if (version != NULL && jr_kube_version_parse(jr_node_str(version), &v, NULL) != JR_OK)
        abort(); /* the row is wrong */
    profile = jr_profile_of(v);
    for (const struct jr_node *g = jr_first(jr_get(row, "features")); g != NULL; g = jr_next(g)) {
        if (jr_profile_set(&profile, jr_key(g), jr_node_kind(g) == JR_TRUE, true, NULL) != JR_OK)
            abort();
    }
    return profile;
}

static struct jr_reconcile_options options_of(const struct jr_node *row)
{
    struct jr_reconcile_options o = jr_reconcile_options_default();
    const struct jr_profile profile = scenario_profile(row);

    jr_reconcile_options_of_profile(&o, &profile);
    return o;
}

static void make_workers(struct world *w)
{
    const struct jr_executor_options x = {
        .max_inflight = 100, .timeout_ms = 60000, .max_retries = 3, .ctx = w
    };
    const struct jr_run_sink run = {
        .event = on_event, .ambiguous = on_ambiguous, .over = on_over, .room = on_room, .ctx = w
    };
    const struct jr_orphan_worker_sink release = { .over = on_released, .ctx = w };

    w->executor = jr_executor_new(&w->env, &x);
    w->runner = jr_runner_new(&w->env, &w->state, w->executor, &run, NULL);
    w->orphan_worker = jr_orphan_worker_new(&w->env, &w->state, w->executor, &release, NULL);
}

static enum jr_status put_gang_objects(struct world *w, const char *key, enum jr_store_kind kind)
{
    enum jr_status st = JR_OK;

    for (const struct jr_node *n = jr_first(jr_get(w->row, key)); st == JR_OK && n != NULL;
         n = jr_next(n)) {
        JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = NULL;

        st = jr_gang_object_decode(world_text(w, n), &o, NULL);
        if (st == JR_OK)
            jr_cache_apply(jr_store_cache(w->state.store, kind), o, NULL, NULL);
    }
    return st;
}

static enum jr_status make_gangs(struct world *w)
{
    enum jr_status st;

    if (!w->state.options.workload_with_job)
        return JR_OK;
    w->state.gang_api = JR_SCHEDULING_V1ALPHA2;
    st = put_gang_objects(w, "workloads", JR_STORE_WORKLOADS);
    return st == JR_OK ? put_gang_objects(w, "podGroups", JR_STORE_POD_GROUPS) : st;
}

bool world_init(struct world *w, const struct jr_node *row, bool slim)
{
    struct jr_reconcile_options options = options_of(row);
    struct jr_error err = { 0 };
    enum jr_status st;

    *w = (struct world){ .row = row, .slim = slim };
    jr_arena_init(&w->arena, 0);
    w->clock = (struct jr_clock_virtual){ .wall = world_time(jr_get_str(row, "now")),
                                          .mono = { 1000000 * JR_SEC } };
    w->now = (struct jr_now){ w->clock.wall, w->clock.mono };
    st = jr_loop_new_virtual(&w->clock, &w->loop, &err);
    if (st == JR_OK)
        st = jr_scripted_api_new(w->loop, scenario_answer, w, &w->api);
    if (st == JR_OK)
        st = jr_metrics_new(&w->metrics);
    if (st == JR_OK) {
        jr_state_init(&w->state, &options, true, w->metrics);
        w->env =
            (struct jr_env){ w->loop, jr_rand_of_seed(&w->seed, 1), jr_scripted_transport(w->api) };
        make_workers(w);
        st = make_gangs(w);
    }
    if (st != JR_OK)
        (void)printf("no world: %s\n", jr_status_text(st));
    return st == JR_OK;
}

void world_done(struct world *w)
{
    jr_runner_free(w->runner);
    jr_orphan_worker_free(w->orphan_worker);
    jr_executor_free(w->executor);
    jr_state_done(&w->state);
    jr_metrics_free(w->metrics);
    jr_scripted_api_free(w->api);
    jr_loop_free(w->loop);
    free(w->events);
    jr_arena_done(&w->arena);
}

void world_run(struct world *w)
{
    struct jr_error err = { 0 };

    if (jr_loop_run(w->loop, &err) != JR_OK)
        w->broken = true;
}

/* ---- the row's objects ---- */

bool world_put_job(struct world *w, const struct jr_node *job)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *j = world_job(w, job);
    JR_CLEANUP(jr_job_unrefp)
    struct jr_job *slim = w->slim && j != NULL ? jr_store_slim(j, false) : NULL;

    if (j != NULL)
        jr_cache_apply(jr_store_cache(w->state.store, JR_STORE_JOBS), slim != NULL ? slim : j, NULL,
                       NULL);
    return j != NULL;
}

static bool put_pod_text(struct world *w, struct jr_str text)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    struct jr_error err = { 0 };

    if (jr_pod_decode(text, &pod, &err) != JR_OK) {
        (void)printf("pod: %s: %s\n", err.path, err.msg);
        return false;
    }
    jr_cache_apply(jr_store_cache(w->state.store, JR_STORE_PODS), pod, NULL, NULL);
    return true;
}

/** The template's text with each {i} replaced. */
static bool put_repeated(struct world *w, struct jr_str text, int64_t i)
{
    const struct jr_str mark = JR_S("{i}");
    JR_BUF out = { 0 };

    jr_buf_init(&out, (size_t)1 << 20);
    while (text.n > 0) {
        const char *at = memmem(text.p, text.n, mark.p, mark.n);
        size_t n = at == NULL ? text.n : (size_t)(at - text.p);

        (void)jr_buf_add(&out, jr_str_head(text, n));
        if (at != NULL)
            (void)jr_buf_add_i64(&out, i);
        text = jr_str_from(text, at == NULL ? n : n + mark.n);
    }
    return out.failed == JR_OK && put_pod_text(w, jr_buf_str(&out));
}

bool world_put_pods(struct world *w, const struct jr_node *pods)
{
    const struct jr_node *repeat = jr_get(w->row, "podsRepeat");
    int64_t n = jr_node_i64_or(jr_get(repeat, "count"), 0);
    bool ok = true;

    for (const struct jr_node *p = jr_first(pods); ok && p != NULL; p = jr_next(p))
        ok = put_pod_text(w, world_text(w, p));
    for (int64_t i = 0; ok && i < n; i++)
        ok = put_repeated(w, world_text(w, jr_get(repeat, "pod")), i);
    return ok;
}

static uint64_t version_of(const struct jr_node *n)
{
    uint64_t v = 0;

    return jr_parse_u64(jr_node_str(n), &v) == JR_OK ? v : 0;
}

static void set_records(struct world *w, const struct jr_node *s)
{
    const struct jr_node *b = jr_get(s, "backoffRecord");
    struct jr_record rec = { .backoff_written = b != NULL };

    rec.backoff.failures_after_last_success =
        (int32_t)jr_node_i64_or(jr_get(b, "failuresAfterLastSuccess"), 0);
    rec.backoff.last_failure_time = world_time(jr_get_str(b, "lastFailureTime"));
    rec.finished_mark = jr_node_bool_or(jr_get(s, "finishedStatusWritten"), false);
    rec.written_job_version = version_of(jr_get(s, "lastWrittenJobResourceVersion"));
    if (rec.backoff_written || rec.finished_mark || rec.written_job_version > 0)
        jr_records_put(w->state.records, &w->key, &rec);
}

void world_set_state(struct world *w)
{
    const struct jr_node *s = jr_get(w->row, "state");
    const struct jr_node *e = jr_get(s, "expectations");
    const struct jr_node *cached = jr_get(s, "cacheJobResourceVersion");

    if (e != NULL)
        jr_expectations_set(w->state.expectations, &w->key,
                            (int32_t)jr_node_i64_or(jr_get(e, "add"), 0),
                            (int32_t)jr_node_i64_or(jr_get(e, "del"), 0), w->now.mono);
    for (const struct jr_node *u = jr_first(jr_get(s, "expectedFinalizerRemovals")); u != NULL;
         u = jr_next(u))
        jr_expectations_await(w->state.expectations, &w->key, jr_node_str(u));
    if (cached != NULL)
        jr_store_progress(w->state.store, JR_STORE_JOBS, (struct jr_str){ NULL, 0 },
                          jr_node_str(cached));
    set_records(w, s);
}
