/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster's side of time, and the shell. */
#include "tests/unit/reconcile/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

bool world_chance(struct world *w, unsigned percent)
{
    return jr_rand_below(&w->rand, 100) < percent;
}

uint64_t world_below(struct world *w, uint64_t n)
{
    return jr_rand_below(&w->rand, n);
}

/* ---- a new world ---- */

static struct world_plan plan(struct world *w)
{
    struct world_plan p = {
        .indexed = world_chance(w, 50),
        .replace_failed = world_chance(w, 30),
        .orphans = world_chance(w, 20),
        .toggles = world_chance(w, 25),
        .deletes = world_chance(w, 10),
        .forgetful = world_chance(w, 20),
        .parallelism = (int32_t)world_below(w, 5) + 1,
        .completions = (int32_t)world_below(w, 8) + 1,
        .backoff_limit = world_chance(w, 40) ? (int32_t)world_below(w, 4) : 1000,
        .per_index_limit = (int32_t)world_below(w, 3),
        .deadline_s = world_chance(w, 15) ? (int64_t)world_below(w, 400) + 1 : 0,
        .grace_s = 30,
    };

    p.per_index = p.indexed && world_chance(w, 50);
    p.work_queue = !p.indexed && world_chance(w, 25);
    if (p.indexed)
        p.orphans = false;
    return p;
}

static void write_spec(const struct world_plan *p, struct jr_buf *b)
{
    (void)jr_buf_addf(b,
                      "{\"parallelism\":%d,\"completionMode\":\"%s\","
                      "\"podReplacementPolicy\":\"%s\",\"manualSelector\":true,",
                      (int)p->parallelism, p->indexed ? "Indexed" : "NonIndexed",
                      p->replace_failed ? "Failed" : "TerminatingOrFailed");
    if (!p->work_queue)
        (void)jr_buf_addf(b, "\"completions\":%d,", (int)p->completions);
    if (p->deadline_s > 0)
        (void)jr_buf_addf(b, "\"activeDeadlineSeconds\":%lld,", (long long)p->deadline_s);
    if (p->per_index)
        (void)jr_buf_addf(b, "\"backoffLimitPerIndex\":%d,\"backoffLimit\":2147483647,",
                          (int)p->per_index_limit);
    else
        (void)jr_buf_addf(b, "\"backoffLimit\":%d,", (int)p->backoff_limit);
    (void)jr_buf_adds(b, "\"selector\":{\"matchLabels\":{\"app\":\"x\"}},\"template\":{"
                         "\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"containers\":[{"
                         "\"name\":\"c\",\"image\":\"i\"}],\"restartPolicy\":\"Never\"}}}");
}

static void first_job(struct world *w)
{
    struct jr_buf b;

    jr_buf_init(&b, 65536);
    (void)jr_buf_adds(
        &b, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"job\","
            "\"namespace\":\"ns\",\"uid\":\"job\",\"creationTimestamp\":\"2026-03-01T00:00:00Z\","
            "\"generation\":1},\"spec\":");
    if (w->plan.spec != NULL)
        (void)jr_buf_adds(&b, w->plan.spec);
    else
        write_spec(&w->plan, &b);
    assert_int_equal(jr_buf_addc(&b, '}'), JR_OK);
    world_set_job(w, jr_buf_str(&b));
    jr_buf_done(&b);
}

static void first_orphans(struct world *w)
{
    for (unsigned i = 0; w->plan.orphans && i < 3; i++) {
        size_t at = w->n_pods++;

        w->pods[at] = (struct mpod){
            .exists = true, .phase = JR_POD_RUNNING, .index = -1, .born = jr_time_trunc_s(w->now)
        };
        world_changed(w, at);
    }
}

static struct world *make(uint64_t seed, const struct world_plan *p, void (*live)(struct world *))
{
    struct world *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    w->rand = jr_rand_of_seed(&w->seed, seed);
    w->now = jr_time_s(1772366400);
    w->options = jr_reconcile_options_default();
    w->plan = p != NULL ? *p : plan(w);
    w->live = live != NULL ? live : world_live;
    w->options.stale_controller_consistency = !w->plan.forgetful;
    first_job(w);
    first_orphans(w);
    world_crash(w);
    return w;
}

struct world *world_new(uint64_t seed)
{
    return make(seed, NULL, NULL);
}

struct world *world_new_planned(uint64_t seed, const struct world_plan *p,
                                void (*live)(struct world *w))
{
    return make(seed, p, live);
}

void world_free(struct world *w)
{
    for (size_t i = 0; i < w->n_jobs; i++)
        jr_job_unref(w->jobs[i]);
    free(w);
}

size_t world_count(const struct world *w, bool (*is)(const struct mpod *p))
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_pods; i++)
        n += w->pods[i].exists && is(&w->pods[i]);
    return n;
}

/* ---- what happens to Pods ---- */

void world_end_pod(struct world *w, size_t at, enum jr_pod_phase phase)
{
    w->pods[at].phase = phase;
    w->pods[at].ready = false;
    w->pods[at].finished = jr_time_trunc_s(w->now);
    world_changed(w, at);
}

static void live(struct world *w, size_t at)
{
    struct mpod *p = &w->pods[at];

    if (p->phase == JR_POD_PENDING) {
        if (p->deleting) {
            world_end_pod(w, at, JR_POD_FAILED);
        } else {
            p->phase = JR_POD_RUNNING;
            p->ready = world_chance(w, 50);
            world_changed(w, at);
        }
    } else if (p->phase == JR_POD_RUNNING) {
        if (p->deleting)
            world_end_pod(w, at, world_chance(w, 80) ? JR_POD_FAILED : JR_POD_SUCCEEDED);
        else if (w->calm || world_chance(w, 60))
            world_end_pod(w, at, w->calm || world_chance(w, 60) ? JR_POD_SUCCEEDED : JR_POD_FAILED);
    } else if (!p->deleting && !w->calm && world_chance(w, 10)) {
        p->deleting = true; /* garbage collection of ended Pods */
        p->deleted = jr_time_trunc_s(w->now);
        world_changed(w, at);
    }
    (void)world_reap(w, at);
}

void world_live(struct world *w)
{
    for (size_t i = 0; i < w->n_pods; i++) {
        struct mpod *p = &w->pods[i];

        if (!p->exists)
            continue;
        if (w->calm || world_chance(w, 20)) {
            live(w, i);
        } else if (!p->deleting && world_chance(w, 2)) { /* evicted */
            world_delete_pod(w, i);
        }
    }
}

/* ---- the informers and their handlers ---- */

static void see(struct world *w, const struct world_event *e)
{
    struct mpod *was = &w->cache[e->pod];
    bool owned = e->after.owned;

    w->cache_pod_version = e->after.version;
    if (!e->after.exists || e->after.deleting) {
        if (owned)
            w->expect_del--;
    } else if (!was->exists && owned) {
        w->expect_add--;
    }
    if (!e->after.finalizer || !e->after.exists)
        w->awaited[e->pod] = false;
    *was = e->after;
}

void world_observe(struct world *w, bool all)
{
    while (w->seen_events < w->n_events && (all || world_chance(w, 60)))
        see(w, &w->events[w->seen_events++]);
    while (w->seen_job + 1 < w->n_jobs && (all || world_chance(w, 40)))
        w->seen_job++;
    if (jr_job_finished(&w->jobs[w->seen_job]->status))
        w->mark = false;
}

/** A consistent list, begun after the last request was sent, resolves what creations without an
 * answer left open. */
void world_relist(struct world *w)
{
    world_observe(w, true);
    w->expect_add = 0;
}

void world_crash(struct world *w)
{
    memcpy(w->cache, w->pods, sizeof(w->cache));
    w->seen_events = w->n_events;
    w->seen_job = w->n_jobs - 1;
    w->cache_pod_version = w->version;
    w->expect_add = 0;
    w->expect_del = 0;
    memset(w->awaited, 0, sizeof(w->awaited));
    memset(w->gone, 0, sizeof(w->gone));
    w->record = (struct jr_backoff_record){ 0 };
    w->mark = false;
    w->written_job = 0;
    w->written_pod = 0;
    w->ambiguous_job = 0;
}

/* ---- the shell ---- */

static void apply_effects(struct world *w, const struct jr_stage_effects *e)
{
    if (e->expect.set) {
        w->expect_add = e->expect.add;
        w->expect_del = e->expect.del;
    }
    w->expect_add -= e->lower.add;
    w->expect_del -= e->lower.del;
    for (size_t i = 0; i < e->await.n + e->unawait.n; i++) {
        bool on = i < e->await.n;
        struct jr_pod pod = { .uid = on ? e->await.v[i] : e->unawait.v[i - e->await.n] };

        w->awaited[world_pod_of(&pod)] = on;
    }
    for (size_t i = 0; i < e->gone.n; i++) {
        struct jr_pod pod = { .uid = e->gone.v[i] };

        w->gone[world_pod_of(&pod)] = true;
    }
    if (e->drop_records) {
        w->record = (struct jr_backoff_record){ 0 };
        w->mark = false;
        w->written_job = 0;
        w->written_pod = 0;
        w->ambiguous_job = 0;
    }
    if (e->backoff.set)
        w->record = e->backoff.record;
    if (e->finished_mark)
        w->mark = true;
    if (e->written_job_version > w->written_job)
        w->written_job = e->written_job_version;
    if (e->written_pod_version > w->written_pod)
        w->written_pod = e->written_pod_version;
    if (e->job_ambiguous.set)
        w->ambiguous_job = e->job_ambiguous.version;
}

static struct jr_op_result send(struct world *w, const struct jr_op *op, enum jr_stage_kind stage,
                                struct jr_arena *a)
{
    struct jr_op_result res = { .outcome = JR_OP_REFUSED, .http = 500, .message = JR_S("fault") };
    uint64_t dice = w->calm || w->plan.reliable ? 0 : world_below(w, 100);

    if (dice >= 95)
        return res;
    if (dice < 90)
        return world_apply(w, op, stage, a);
    w->ambiguous++;
    if (dice >= 92)
        (void)world_apply(w, op, stage, a);
    return (struct jr_op_result){ .outcome = JR_OP_AMBIGUOUS, .message = JR_S("lost") };
}

/** Runs a stage's operations; time and informers go on meanwhile. False: killed among them. */
static bool run_stage(struct world *w, const struct jr_stage *stage, struct jr_op_result *out,
                      struct jr_arena *a)
{
    bool killed = !w->calm && !w->plan.reliable && world_chance(w, 4), failed = false;
    size_t batch = stage->mode == JR_MODE_SLOW_START ? 1 : stage->n_ops, end = batch;
    bool stop = false;

    for (size_t i = 0; i < stage->n_ops; i++) {
        const struct jr_op *op = &stage->ops[i];

        if (i == end) {
            stop = failed && stage->mode == JR_MODE_SLOW_START;
            batch *= 2;
            end += batch;
        }
        out[i] = (struct jr_op_result){ .outcome = JR_OP_SKIPPED };
        if (stop || (op->after >= 0 && out[op->after].outcome != JR_OP_OK) ||
            (killed && world_chance(w, 50)))
            continue;
        out[i] = send(w, op, stage->kind, a);
        failed = failed || out[i].outcome != JR_OP_OK;
        if (world_chance(w, 20))
            world_observe(w, false);
        if (world_chance(w, 10))
            w->live(w);
    }
    return !killed;
}

static bool run_sync(struct world *w, struct jr_sync *sync, struct jr_arena *a)
{
    struct jr_results results = { NULL, 0 };
    const struct jr_stage *stage;
    struct jr_op_result *v;

    for (unsigned steps = 0;; steps++) {
        assert_true(steps < 9);
        stage = jr_sync_step(sync, steps == 0 ? NULL : &results);
        assert_non_null(stage);
        apply_effects(w, &stage->effects);
        if (stage->kind == JR_STAGE_DONE)
            return true;
        v = jr_arena_calloc(a, stage->n_ops, sizeof(*v));
        assert_non_null(v);
        if (!run_stage(w, stage, v, a))
            return false;
        results = (struct jr_results){ v, stage->n_ops };
    }
}

static struct jr_strs awaited_uids(const struct world *w, struct jr_arena *a)
{
    struct jr_strs uids = { jr_arena_calloc(a, WORLD_PODS, sizeof(*uids.v)), 0 };

    for (size_t i = 0; i < w->n_pods; i++) {
        if (w->awaited[i] || w->gone[i])
            uids.v[uids.n++] = jr_str(jr_arena_printf(a, "u%zu", i));
    }
    return uids;
}

static uint64_t version_of(const struct jr_job *job)
{
    uint64_t v;

    assert_int_equal(jr_parse_u64(job->meta.resource_version, &v), JR_OK);
    return v;
}

bool world_sync(struct world *w)
{
    struct jr_job *job = jr_job_ref(w->jobs[w->seen_job]);
    struct jr_pod *pods[WORLD_PODS];
    struct jr_snapshot snap = {
        .namespace = JR_S("ns"),
        .name = JR_S("job"),
        .job = job,
        .pods = (const struct jr_pod *const *)pods,
        .expectations_satisfied = w->expect_add <= 0 && w->expect_del <= 0,
        .backoff = w->record,
        .finished_mark = w->mark,
        .cache_job_version = version_of(job),
        .cache_pod_version = w->cache_pod_version,
        .written_job_version = w->written_job,
        .written_pod_version = w->written_pod,
        .ambiguous_job_version = w->ambiguous_job,
        .options = &w->options,
    };
    struct jr_arena a = { 0 };
    struct jr_sync *sync;
    bool alive;

    jr_arena_init(&a, 0);
    snap.awaited = awaited_uids(w, &a);
    for (size_t i = 0; i < w->n_pods; i++) {
        if (w->cache[i].exists)
            pods[snap.n_pods++] = world_pod(w, &w->cache[i], i);
    }
    sync = jr_sync_begin(&snap, w->now);
    w->syncs++;
    alive = run_sync(w, sync, &a);
    jr_sync_free(sync);
    for (size_t i = 0; i < snap.n_pods; i++)
        jr_pod_unref(pods[i]);
    jr_job_unref(job);
    jr_arena_done(&a);
    if (!alive) {
        w->crashes++;
        world_crash(w);
    }
    return alive;
}
