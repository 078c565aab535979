/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a sync: snapshot, steps, what each stage does to the records, requeue. */
#include "controller/work/run.h"

#include <sys/queue.h>

#include "controller/reconcile/gang.h"
#include "controller/reconcile/metrics.h"
#include "controller/reconcile/sync.h"
#include "controller/work/fetch.h"
#include "controller/work/orphans.h"
#include "controller/work/refusals.h"

struct run {
    TAILQ_ENTRY(run) in_list;
    struct jr_fetch fetch; /* where the sync needs more of the Job than is cached */
    struct jr_runner *r;
    struct jr_arena arena; /* of the key and what the snapshot points at */
    struct jr_str key;
    struct jr_job *job; /* NULL: not in the cache */
    struct jr_object_key id;
    struct jr_pod_list pods;
    const struct jr_pod **by_uid; /* the same, sorted; NULL: not asked for yet */
    struct jr_gang_list workloads;
    struct jr_gang_list pod_groups;
    struct jr_reconcile_options options; /* as they are when it begins */
    struct jr_sync *sync;
    const struct jr_stage *stage;
    struct jr_exec *exec;
    struct jr_timer *rest;   /* set between two steps of a long sync */
    struct jr_deadline turn; /* of the step at hand */
    struct jr_mono started;
    unsigned stages;
};
TAILQ_HEAD(runs, run);

struct jr_runner {
    const struct jr_env *env;
    struct jr_state *state;
    struct jr_executor *x;
    struct jr_run_sink sink;
    struct jr_log *log;
    struct runs runs;
    size_t n;
    struct jr_fetches fetches;
};

struct jr_runner *jr_runner_new(const struct jr_env *env, struct jr_state *state,
                                struct jr_executor *x, const struct jr_run_sink *sink,
                                struct jr_log *log)
{
    struct jr_runner *r = jr_xcalloc(1, sizeof(*r));

    *r = (struct jr_runner){ .env = env, .state = state, .x = x, .sink = *sink, .log = log };
    TAILQ_INIT(&r->runs);
    jr_fetches_init(&r->fetches, state, x);
    return r;
}

/** Ends a sync, which goes before what it has pinned. */
static void unpin(struct run *run)
{
    jr_sync_free(run->sync);
    run->sync = NULL;
    run->stage = NULL;
    run->by_uid = NULL;
    jr_pod_list_done(&run->pods);
    jr_gang_list_done(&run->workloads);
    jr_gang_list_done(&run->pod_groups);
    jr_job_unref(run->job);
    run->job = NULL;
}

/** Frees a run, which is in the list. */
static void run_free(struct run *run)
{
    TAILQ_REMOVE(&run->r->runs, run, in_list);
    run->r->n--;
    jr_fetch_drop(&run->r->fetches, &run->fetch);
    jr_exec_cancel(&run->exec);
    jr_timer_cancel(run->r->env->loop, &run->rest);
    unpin(run);
    jr_arena_done(&run->arena);
    free(run);
}

void jr_runner_free(struct jr_runner *r)
{
    struct run *run;

    if (r == NULL)
        return;
    while ((run = TAILQ_FIRST(&r->runs)) != NULL)
        run_free(run);
    free(r);
}

size_t jr_runner_active(const struct jr_runner *r)
{
    return r->n - r->fetches.n_waiting;
}

size_t jr_runner_waiting(const struct jr_runner *r)
{
    return r->fetches.n_waiting;
}

bool jr_runner_fetch(struct jr_runner *r)
{
    return jr_fetch_next(&r->fetches);
}

struct jr_run_look jr_runner_look(const struct jr_runner *r, struct jr_str key)
{
    struct jr_run_look look = { .running = false };
    const struct run *run;

    TAILQ_FOREACH(run, &r->runs, in_list)
    {
        if (!jr_str_eq(run->key, key))
            continue;
        look.running = true;
        look.started = run->started;
        look.stage = run->stage == NULL ? JR_STAGE_GET_JOB : run->stage->kind;
        if (run->exec != NULL)
            jr_exec_look(run->exec, &look.inflight, &look.left);
    }
    return look;
}

/* ---- what a stage does to the records ---- */

static void apply_records(const struct run *run, const struct jr_stage_effects *e)
{
    struct jr_records *records = run->r->state->records;
    struct jr_record rec;

    if (e->drop_records)
        jr_records_drop(records, run->id.namespace, run->id.name);
    if (!e->backoff.set && !e->finished_mark && e->written_job_version == 0 &&
        e->written_pod_version == 0 && !e->job_ambiguous.set)
        return;
    rec = jr_records_get(records, &run->id);
    if (e->backoff.set) {
        rec.backoff_written |= e->backoff.written;
        rec.backoff = e->backoff.record;
    }
    if (e->finished_mark)
        rec.finished_mark = true;
    if (e->written_job_version > rec.written_job_version)
        rec.written_job_version = e->written_job_version;
    if (e->written_pod_version > rec.written_pod_version)
        rec.written_pod_version = e->written_pod_version;
    if (e->job_ambiguous.set)
        rec.ambiguous_job_version = e->job_ambiguous.version;
    jr_records_put(records, &run->id, &rec);
}

static int compare_uids(const void *a, const void *b)
{
    return jr_str_cmp((*(const struct jr_pod *const *)a)->uid,
                      (*(const struct jr_pod *const *)b)->uid);
}

/** Sorts the snapshot's Pods, for cached_pod(). */
static void sort_pods(struct run *run)
{
    if (run->by_uid != NULL)
        return;
    run->by_uid = jr_xarena_calloc(&run->arena, run->pods.n, sizeof(const struct jr_pod *));
    for (size_t i = 0; i < run->pods.n; i++)
        run->by_uid[i] = run->pods.v[i];
    qsort(run->by_uid, run->pods.n, sizeof(const struct jr_pod *), compare_uids);
}

/** One of the snapshot's Pods as the cache has it now: what it has lost since needs no watching,
 * and would never be dropped. NULL: it is gone. */
static const struct jr_pod *cached_pod(const struct run *run, struct jr_str uid)
{
    size_t lo = 0, hi = run->pods.n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const struct jr_pod *pinned = run->by_uid[mid];
        const int c = jr_str_cmp(pinned->uid, uid);

        if (c == 0) {
            const struct jr_pod *pod =
                jr_store_pod(run->r->state->store, pinned->namespace, pinned->name);

            return pod != NULL && jr_str_eq(pod->uid, uid) ? pod : NULL;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/** The removal of its finalizer has failed. As long as it was awaited nobody else was to see to the
 * Pod: if its Job has let go of it meanwhile, no event says so again. */
static void give_up(struct run *run, struct jr_str uid)
{
    struct jr_state *s = run->r->state;
    const struct jr_pod *pod;

    jr_expectations_unawait(s->expectations, &run->id, uid);
    pod = cached_pod(run, uid);
    if (pod != NULL && jr_orphans_is_target(s, pod))
        jr_orphans_add_pod(s->orphans, pod->namespace, pod->name, jr_loop_mono(run->r->env->loop));
}

static void apply_expectations(struct run *run, const struct jr_stage_effects *e)
{
    struct jr_expectations *x = run->r->state->expectations;

    if (e->expect.set)
        jr_expectations_set(x, &run->id, e->expect.add, e->expect.del,
                            jr_loop_mono(run->r->env->loop));
    if (e->lower.add != 0 || e->lower.del != 0)
        jr_expectations_lower(x, &run->id, e->lower.add, e->lower.del);
    for (size_t i = 0; i < e->await.n; i++)
        jr_expectations_await(x, &run->id, e->await.v[i]);
    if (e->unawait.n + e->finalizer_lost.n + e->gone.n + e->succeeded.n > 0)
        sort_pods(run);
    for (size_t i = 0; i < e->unawait.n; i++)
        give_up(run, e->unawait.v[i]);
    for (size_t i = 0; i < e->succeeded.n; i++) {
        if (cached_pod(run, e->succeeded.v[i]) != NULL)
            jr_expectations_succeeded(x, &run->id, e->succeeded.v[i]);
    }
    for (size_t i = 0; i < e->finalizer_lost.n; i++) {
        if (cached_pod(run, e->finalizer_lost.v[i]) != NULL)
            jr_expectations_finalizer_lost(x, &run->id, e->finalizer_lost.v[i]);
    }
    for (size_t i = 0; i < e->forget_finalizer_lost.n; i++)
        jr_expectations_forget_finalizer_lost(x, &run->id, e->forget_finalizer_lost.v[i]);
    for (size_t i = 0; i < e->gone.n; i++) {
        /* Also without its finalizer: the cache may not have seen yet that it was adopted. */
        if (cached_pod(run, e->gone.v[i]) != NULL)
            jr_expectations_gone(x, &run->id, e->gone.v[i]);
    }
    if (e->drop_records) /* the Job has ended, and stays in the cache for who knows how long */
        jr_expectations_trim(x, &run->id);
}

static void apply_effects(struct run *run, const struct jr_stage *stage)
{
    const struct jr_runner *r = run->r;

    if (run->job == NULL) { /* nothing is left to remember it for */
        jr_records_drop(r->state->records, run->id.namespace, run->id.name);
        jr_expectations_drop(r->state->expectations, run->id.namespace, run->id.name);
    } else {
        apply_records(run, &stage->effects);
        apply_expectations(run, &stage->effects);
    }
    for (size_t i = 0; i < stage->n_metrics; i++)
        jr_metrics_add(r->state->metrics, stage->metrics[i].desc, stage->metrics[i].values,
                       stage->metrics[i].by);
    for (size_t i = 0; run->job != NULL && i < stage->n_events; i++)
        r->sink.event(r->sink.ctx, run->job, stage->events[i].type, stage->events[i].reason,
                      stage->events[i].message);
}

/* ---- the end of a sync ---- */

/** What is expected may never be seen: a Pod that was made and, before the watch told of it, taken
 * by another or deleted. Nothing else may ever wake the Job then; upstream leaves it to the resync
 * after half a day. */
static void outlive_expectations(const struct run *run, struct jr_mono now)
{
    int64_t left;

    if (run->job == NULL || jr_job_finished(&run->job->status))
        return;
    left = jr_expectations_left(run->r->state->expectations, &run->id, now);
    if (left > 0)
        jr_queue_add_after(run->r->state->jobs, run->key, left, now);
}

static void requeue(const struct run *run, struct jr_mono now)
{
    struct jr_queue *q = run->r->state->jobs;

    if (run->stage->done.requeue)
        jr_queue_add_after(q, run->key, run->stage->done.requeue_after_ns, now);
    outlive_expectations(run, now);
    if (run->stage->done.failed)
        jr_queue_add_limited(q, run->key, run->stage->done.error, now);
    else
        jr_queue_forget(q, run->key);
}

static void observe_duration(const struct run *run, struct jr_mono now)
{
    const struct jr_stage *last = run->stage;
    const char *values[] = { last->done.completion_mode, last->done.failed ? "error" : "success",
                             last->done.action };

    if (last->done.action != NULL && last->done.completion_mode != NULL)
        jr_metrics_observe(run->r->state->metrics, &jr_metric_job_sync_duration_seconds, values,
                           (double)(now.ns - run->started.ns) / (double)JR_SEC);
}

/** Gives the key back. */
static void end_run(struct run *run, struct jr_mono now)
{
    struct jr_runner *r = run->r;

    jr_queue_done(r->state->jobs, run->key, now);
    r->sink.over(r->sink.ctx, run->key, run->stage);
    run_free(run);
}

/** Its last stage is DONE. */
static void finish_sync(struct run *run)
{
    struct jr_log *log = run->r->log;
    struct jr_mono now = jr_loop_mono(run->r->env->loop);

    observe_duration(run, now);
    if (run->stage->done.failed)
        jr_warn(log, "sync failed", JR_JOB(run->key), JR_STR("err", run->stage->done.error));
    else
        jr_debug(log, "reconciled", JR_JOB(run->key), JR_INT("stages", run->stages),
                 JR_INT("ms", (now.ns - run->started.ns) / JR_MSEC));
    requeue(run, now);
    end_run(run, now);
}

/* ---- the steps ---- */

static void on_results(void *ctx, const struct jr_results *results);

/** Remembers that the status is being written, to know this write again when the watch shows it. */
static void note_status_sent(const struct run *run)
{
    struct jr_record rec = jr_records_get(run->r->state->records, &run->id);

    jr_status_sent(&rec.status_writes);
    jr_records_put(run->r->state->records, &run->id, &rec);
}

static void note_status_answered(const struct run *run, const struct jr_results *results)
{
    const struct jr_runner *r = run->r;
    struct jr_record rec = jr_records_get(r->state->records, &run->id);
    unsigned others = jr_status_answered(&rec.status_writes, &results->v[0]);

    if (others > 0)
        jr_status_foreign(r->state->metrics, r->log, &run->id, others, results->v[0].body);
    jr_records_put(r->state->records, &run->id, &rec);
}

static void step_sync(struct run *run, const struct jr_results *results);
static void begin_sync(struct run *run);

/** The sync begins anew with what was read; else it is tried again later. */
static void on_fetched(void *ctx, struct jr_job *job, struct jr_str err)
{
    struct run *run = ctx;
    const struct jr_runner *r = run->r;
    const struct jr_mono now = jr_loop_mono(r->env->loop);

    run->job = job;
    if (job != NULL) {
        begin_sync(run);
    } else {
        jr_info(r->log, "the whole job can't be read now", JR_JOB(run->key), JR_STR("err", err));
        jr_queue_add_limited(r->state->jobs, run->key, err, now);
        end_run(run, now);
    }
    r->sink.room(r->sink.ctx);
}

/** Lets the run wait for its turn to read the whole Job. Meanwhile it isn't active: others need
 * nothing read. */
static void await_fetch(struct run *run)
{
    const struct jr_runner *r = run->r;

    unpin(run);
    run->id.uid = (struct jr_str){ NULL, 0 }; /* went with the Job */
    run->fetch.id = run->id;
    run->fetch.on_done = on_fetched;
    run->fetch.ctx = run;
    jr_fetch_wait(&run->r->fetches, &run->fetch);
    r->sink.room(r->sink.ctx);
}

static void on_rest(void *ctx)
{
    static const struct jr_results nothing = { 0 };
    struct run *run = ctx;

    run->rest = NULL;
    step_sync(run, &nothing);
}

/** Takes the next step, and has its stage's operations done; a stage without any only lets the loop
 * turn. */
static void step_sync(struct run *run, const struct jr_results *results)
{
    const struct jr_runner *r = run->r;

    run->turn = jr_loop_deadline(r->env->loop);
    run->stage = jr_sync_step(run->sync, results);
    if (run->stage->done.needs_template) {
        await_fetch(run);
        return;
    }
    apply_effects(run, run->stage);
    if (run->stage->kind == JR_STAGE_DONE) {
        finish_sync(run);
        return;
    }
    run->stages++;
    if (run->stage->kind == JR_STAGE_STATUS)
        note_status_sent(run);
    if (run->stage->n_ops > 0)
        jr_execute(r->x, run->stage, run->id.namespace, run->id.name, on_results, run, &run->exec);
    else
        jr_xloop_after(r->env->loop, 0, on_rest, run, &run->rest);
}

/** Whether one of a create stage's operations may have happened. */
static bool ambiguous_create(const struct jr_stage *stage, const struct jr_results *results)
{
    for (size_t i = 0; stage->kind == JR_STAGE_CREATE && i < results->n; i++) {
        if (results->v[i].outcome == JR_OP_AMBIGUOUS)
            return true;
    }
    return false;
}

/** What was made is known at once: the next sync may come before the watch tells of it, and would
 * take a Job that has begun for one without a gang. */
static void keep_gang_objects(const struct run *run, const struct jr_results *results)
{
    for (size_t i = 0; run->stage->kind == JR_STAGE_GANG && i < results->n; i++) {
        JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = NULL;
        const enum jr_op_kind op = run->stage->ops[i].kind;
        const enum jr_store_kind kind = op == JR_OP_CREATE_WORKLOAD || op == JR_OP_PATCH_WORKLOAD
                                            ? JR_STORE_WORKLOADS
                                            : JR_STORE_POD_GROUPS;

        if (results->v[i].outcome != JR_OP_OK)
            continue;
        if (jr_need(jr_gang_object_decode(results->v[i].body, &o, NULL)) == JR_OK)
            jr_cache_apply(jr_store_cache(run->r->state->store, kind), o, NULL, NULL);
        else
            jr_warn(run->r->log, "gang object not kept", JR_JOB(run->key));
    }
}

static void on_results(void *ctx, const struct jr_results *results)
{
    struct run *run = ctx;
    const struct jr_run_sink *sink = &run->r->sink;

    run->exec = NULL;
    jr_refusals_note(run->r->state->refusals, run->stage, results, run->job,
                     jr_loop_mono(run->r->env->loop));
    if (ambiguous_create(run->stage, results))
        sink->ambiguous(sink->ctx, &run->id);
    keep_gang_objects(run, results);
    if (run->stage->kind == JR_STAGE_STATUS)
        note_status_answered(run, results);
    step_sync(run, results);
}

/* ---- the start ---- */

/** The Workloads of the Job and of its controller, and the PodGroups of these and of the one that
 * it would get. */
static void find_gang(struct run *run, struct jr_snapshot *snap)
{
    const struct jr_store *store = run->r->state->store;
    const struct jr_owner_ref *owner = jr_meta_controller(&run->job->meta);
    struct jr_str space = run->id.namespace, name;

    if (run->r->state->gang_api == JR_SCHEDULING_NONE)
        return;
    name = jr_gang_workload_name(&run->arena, run->job);
    jr_store_gang(store, JR_STORE_WORKLOADS, space, run->id.name, &run->workloads);
    if (owner != NULL && !jr_str_eq(owner->name, run->id.name))
        jr_store_gang(store, JR_STORE_WORKLOADS, space, owner->name, &run->workloads);
    jr_store_gang(store, JR_STORE_POD_GROUPS, space, name, &run->pod_groups);
    for (size_t i = 0; i < run->workloads.n; i++) {
        const struct jr_str its = run->workloads.v[i]->meta.name;

        if (!jr_str_eq(its, name))
            jr_store_gang(store, JR_STORE_POD_GROUPS, space, its, &run->pod_groups);
    }
    snap->gang_api = run->r->state->gang_api;
    snap->workloads = (const struct jr_gang_object *const *)run->workloads.v;
    snap->n_workloads = run->workloads.n;
    snap->pod_groups = (const struct jr_gang_object *const *)run->pod_groups.v;
    snap->n_pod_groups = run->pod_groups.n;
}

/** Expectations are read before the Pods are. */
static struct jr_snapshot snapshot(struct run *run)
{
    const struct jr_state *s = run->r->state;
    struct jr_snapshot snap = { .namespace = run->id.namespace,
                                .name = run->id.name,
                                .job = run->job,
                                .expectations_satisfied = true,
                                .options = &run->options,
                                .turn = &run->turn };
    struct jr_record rec;

    run->options = s->options;
    snap.cache_job_version = jr_store_version(s->store, JR_STORE_JOBS, run->id.namespace);
    snap.cache_pod_version = jr_store_version(s->store, JR_STORE_PODS, run->id.namespace);
    if (run->job == NULL)
        return snap;
    rec = jr_records_get(s->records, &run->id);
    snap.backoff = rec.backoff;
    snap.finished_mark = rec.finished_mark;
    snap.written_job_version = rec.written_job_version;
    snap.written_pod_version = rec.written_pod_version;
    snap.ambiguous_job_version = rec.ambiguous_job_version;
    snap.expectations_satisfied =
        jr_expectations_satisfied(s->expectations, &run->id, run->started);
    snap.awaited = jr_expectations_awaited(s->expectations, &run->id, true, &run->arena);
    snap.succeeded = jr_expectations_all_succeeded(s->expectations, &run->id, &run->arena);
    snap.finalizer_lost = jr_expectations_finalizers_lost(s->expectations, &run->id, &run->arena);
    if (jr_job_is_ours(run->job, &s->options) && !jr_job_finished(&run->job->status))
        jr_store_candidates(s->store, run->job, &run->pods);
    snap.pods = (const struct jr_pod *const *)run->pods.v;
    snap.n_pods = run->pods.n;
    find_gang(run, &snap);
    return snap;
}

/** Begins the sync of the Job that is pinned, if there is one. */
static void begin_sync(struct run *run)
{
    const struct jr_runner *r = run->r;
    struct jr_snapshot snap;

    run->id.uid = run->job == NULL ? JR_S("") : run->job->meta.uid;
    if (jr_unreadables_hold(r->state->unreadables, &run->id)) {
        /* Not to be synced. When that changes, the feed adds the key anew. */
        jr_debug(r->log, "not synced, an object can't be read", JR_STR("job", run->key));
        jr_queue_forget(r->state->jobs, run->key);
        end_run(run, run->started);
        return;
    }
    snap = snapshot(run);
    run->sync = jr_sync_begin(&snap, jr_loop_wall(r->env->loop));
    step_sync(run, NULL);
}

void jr_runner_start(struct jr_runner *r, struct jr_str key)
{
    struct run *run = jr_xcalloc(1, sizeof(*run));

    run->r = r;
    run->started = jr_loop_mono(r->env->loop);
    jr_arena_init(&run->arena, 0);
    TAILQ_INSERT_TAIL(&r->runs, run, in_list);
    r->n++;
    run->key = jr_xarena_str(&run->arena, key);
    run->id = jr_object_key_parse(run->key);
    run->job = jr_job_ref(jr_store_job(r->state->store, run->id.namespace, run->id.name));
    begin_sync(run);
}
