/* SPDX-License-Identifier: Apache-2.0 */
/* What the events of Jobs and Pods mean for the expectations and the queues. */
#include "controller/intake/handlers.h"

#include "controller/reconcile/metrics.h"
#include "controller/reconcile/sync.h"
#include "controller/work/orphans.h"

/* ---- small questions ---- */

static bool has_finalizer(const struct jr_state *s, const struct jr_pod *pod)
{
    return jr_pod_has_finalizer(pod, s->options.tracking_finalizer);
}

static bool counts_as_terminated(const struct jr_state *s, const struct jr_pod *pod)
{
    return pod != NULL && jr_pod_terminal(pod) && has_finalizer(s, pod);
}

static void record_terminated(const struct jr_state *s, const struct jr_pod *old,
                              const struct jr_pod *pod)
{
    bool was = counts_as_terminated(s, old), is = counts_as_terminated(s, pod);
    const char *event = is ? "add" : "delete";

    if (was != is)
        jr_metrics_add(s->metrics, &jr_metric_terminated_pods_tracking_finalizer_total, &event, 1);
}

static void enqueue(struct jr_state *s, const struct jr_job *job, int64_t delay_ns,
                    struct jr_now now)
{
    jr_state_enqueue(s, job->meta.namespace, job->meta.name, delay_ns, now.mono);
}

/** An event: when it came, and to what. */
struct event {
    struct jr_state *s;
    struct jr_now now;
    const struct jr_pod *pod; /* that is gone; NULL: none is */
};

static void enqueue_match(void *ctx, const struct jr_job *job)
{
    const struct event *e = ctx;

    enqueue(e->s, job, JR_BATCH_NS, e->now);
}

static void enqueue_matching(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    jr_store_each_match(s->store, pod, enqueue_match, &(struct event){ s, now, NULL });
}

/* ---- Pods ---- */

static void add_orphan(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    jr_orphans_add_pod(s->orphans, pod->namespace, pod->name, now.mono);
}

/** A Job whose syncs let the Pod be for good. Its own events say it; nothing else comes. */
static void add_stray(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    if (jr_orphans_is_target(s, pod))
        add_orphan(s, pod, now);
}

void jr_on_pod_add(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    record_terminated(s, NULL, pod);
    if (jr_time_set(pod->deletion_timestamp)) { /* no creation to be seen in it */
        jr_on_pod_delete(s, pod, false, now);
    } else if (pod->controller.set) {
        const struct jr_job *job = jr_store_owner(s->store, pod);
        struct jr_object_key key;

        if (job == NULL)
            return;
        key = jr_object_key_of(&job->meta);
        jr_expectations_lower(s->expectations, &key, 1, 0);
        add_stray(s, pod, now);
        enqueue(s, job, JR_BATCH_NS, now);
    } else {
        if (has_finalizer(s, pod))
            add_orphan(s, pod, now);
        enqueue_matching(s, pod, now);
    }
}

/** A Pod of job has changed: the removal of its finalizer is seen, if it is gone. The old Pod's
 * finalizer is not asked for: in a change of owners it may have been put back and taken off again.
 */
static void pod_changed(struct jr_state *s, const struct jr_job *job, const struct jr_pod *pod,
                        struct jr_now now)
{
    struct jr_object_key key;

    if (job == NULL)
        return;
    key = jr_object_key_of(&job->meta);
    if (!has_finalizer(s, pod))
        jr_expectations_removed(s->expectations, &key, pod->uid);
    enqueue(s, job, JR_BATCH_NS, now);
}

static void note_adoption(struct jr_state *s, const struct jr_job *job, const struct jr_pod *pod)
{
    struct jr_object_key key = jr_object_key_of(&job->meta);

    jr_expectations_adopted(s->expectations, &key, pod->uid);
}

void jr_on_pod_update(struct jr_state *s, const struct jr_pod *old, const struct jr_pod *pod,
                      struct jr_now now)
{
    bool other_owner = !jr_pod_same_controller(old, pod);

    record_terminated(s, old, pod);
    if (jr_str_eq(jr_pod_str(old, old->resource_version), jr_pod_str(pod, pod->resource_version)))
        return;
    /* The old Job is told of a terminating Pod too, which upstream forgets: it may wait for its
     * end.
     */
    if (other_owner && old->controller.set)
        pod_changed(s, jr_store_owner(s->store, old), pod, now);
    if (jr_time_set(pod->deletion_timestamp)) {
        jr_on_pod_delete(s, pod, false, now);
    } else if (pod->controller.set) {
        const struct jr_job *job = jr_store_owner(s->store, pod);

        if (job != NULL && !jr_job_finished(&job->status))
            add_stray(s, pod, now);
        if (job != NULL && !old->controller.set)
            note_adoption(s, job, pod);
        pod_changed(s, job, pod, now);
    } else {
        if (has_finalizer(s, pod))
            add_orphan(s, pod, now);
        if (other_owner || !jr_pod_same_labels(old, pod))
            enqueue_matching(s, pod, now);
    }
}

static void lose_pod(struct jr_state *s, const struct jr_job *job, const struct jr_pod *pod)
{
    const struct jr_object_key key = jr_object_key_of(&job->meta);

    jr_expectations_lost(s->expectations, &key, pod->uid);
    jr_expectations_forget_finalizer_lost(s->expectations, &key, pod->uid);
}

static void lose_match(void *ctx, const struct jr_job *job)
{
    const struct event *e = ctx;

    lose_pod(e->s, job, e->pod);
    enqueue(e->s, job, JR_BATCH_NS, e->now);
}

void jr_on_pod_delete(struct jr_state *s, const struct jr_pod *pod, bool final, struct jr_now now)
{
    const struct jr_job *job = jr_store_owner(s->store, pod);
    bool finalizer = has_finalizer(s, pod);
    struct jr_object_key key;

    if (final)
        record_terminated(s, pod, NULL);
    if (job == NULL || jr_job_finished(&job->status)) { /* no sync will take its finalizer off */
        if (finalizer)
            add_orphan(s, pod, now);
        /* A Job may have adopted it, and count it as terminating. A list that comes when it has
         * gone tells nothing of that, and upstream leaves the Job to the resync. */
        if (final && !pod->controller.set)
            jr_store_each_match(s->store, pod, lose_match, &(struct event){ s, now, pod });
        return;
    }
    key = jr_object_key_of(&job->meta);
    jr_expectations_lower(s->expectations, &key, 0, 1);
    if (final)
        lose_pod(s, job, pod);
    else if (!finalizer)
        jr_expectations_removed(s->expectations, &key, pod->uid);
    if (!final)
        add_stray(s, pod, now);
    enqueue(s, job, JR_BATCH_NS, now);
}

static void on_pod(void *ctx, const void *old, const void *pod)
{
    const struct event *e = ctx;

    if (old == NULL)
        jr_on_pod_add(e->s, pod, e->now);
    else
        jr_on_pod_update(e->s, old, pod, e->now);
}

static void on_pod_gone(void *ctx, const void *pod)
{
    const struct event *e = ctx;

    jr_on_pod_delete(e->s, pod, true, e->now);
}

/* ---- Jobs ---- */

/** Its deletion is new: Pods that it doesn't claim are let go. */
static void add_if_deleted(struct jr_state *s, const struct jr_job *old, const struct jr_job *job,
                           struct jr_now now)
{
    if (jr_time_set(job->meta.deletion_timestamp) &&
        (old == NULL || !jr_time_set(old->meta.deletion_timestamp)))
        jr_orphans_add_job(s->orphans, job, now.mono);
}

void jr_on_job_add(struct jr_state *s, const struct jr_job *job, struct jr_now now)
{
    struct jr_str by = job->spec.managed_by;

    if (by.p != NULL && !jr_str_is(by, JR_MANAGED_BY_BUILTIN) &&
        !jr_job_is_ours(job, &s->options)) {
        const char *value = jr_label_limit_value(&s->foreign_controllers, by);

        jr_metrics_add(s->metrics, &jr_metric_jobs_by_external_controller_total, &value, 1);
    }
    add_if_deleted(s, NULL, job, now);
    enqueue(s, job, 0, now);
}

/** Syncs the Job when its deadline ends, if that is new or has moved. */
static void arm_deadline(struct jr_state *s, const struct jr_job *old, const struct jr_job *job,
                         struct jr_now now)
{
    struct jr_opt_i64 was = old->spec.active_deadline_s, is = job->spec.active_deadline_s;
    int64_t total, left;

    if (!jr_time_set(job->status.start_time) || !is.set || (was.set && was.v == is.v))
        return;
    if (__builtin_mul_overflow(is.v, JR_SEC, &total))
        total = INT64_MAX;
    if (__builtin_sub_overflow(total, jr_time_diff(now.wall, job->status.start_time), &left))
        left = INT64_MAX;
    enqueue(s, job, left, now);
}

void jr_on_job_update(struct jr_state *s, const struct jr_job *old, const struct jr_job *job,
                      struct jr_now now)
{
    if (jr_job_finished(&job->status)) { /* no finalizer should be left by then: a safety net */
        jr_orphans_add_job(s->orphans, job, now.mono);
        return;
    }
    add_if_deleted(s, old, job, now);
    enqueue(s, job, old->meta.generation == job->meta.generation ? JR_BATCH_NS : 0, now);
    arm_deadline(s, old, job, now);
}

void jr_on_job_delete(struct jr_state *s, const struct jr_job *job, struct jr_now now)
{
    enqueue(s, job, 0, now);
    jr_records_drop(s->records, job->meta.namespace, job->meta.name);
    /* Else a Job made anew under this name could wait for what only its predecessor was to see. */
    jr_expectations_drop(s->expectations, job->meta.namespace, job->meta.name);
    jr_orphans_add_job(s->orphans, job, now.mono);
}

static void on_job(void *ctx, const void *old, const void *job)
{
    const struct event *e = ctx;

    if (old == NULL)
        jr_on_job_add(e->s, job, e->now);
    else
        jr_on_job_update(e->s, old, job, e->now);
    jr_state_enqueue_expiring(e->s, job, e->now.mono);
}

static void on_job_gone(void *ctx, const void *job)
{
    const struct event *e = ctx;

    jr_on_job_delete(e->s, job, e->now);
}

/** The Job as it is to be cached, where that is less than all of it: nobody makes Pods for one that
 * isn't ours or has finished, or writes its status. NULL: all of it. */
static struct jr_job *slim_one(const struct jr_state *s, const struct jr_job *job)
{
    const bool unused = !jr_job_is_ours(job, &s->options) || jr_job_finished(&job->status);

    return unused || jr_job_at_rest(job) ? jr_store_slim(job, unused) : NULL;
}

/* ---- what is told ---- */

static const struct jr_cache_events job_events = { on_job, on_job_gone };
static const struct jr_cache_events pod_events = { on_pod, on_pod_gone };
static const struct jr_cache_events *const events[JR_STORE_KINDS] = {
    [JR_STORE_JOBS] = &job_events, [JR_STORE_PODS] = &pod_events
};

void jr_handle(struct jr_state *s, enum jr_store_kind kind, const void *object, struct jr_now now)
{
    JR_CLEANUP(jr_job_unrefp)
    struct jr_job *slim = kind == JR_STORE_JOBS ? slim_one(s, object) : NULL;

    jr_cache_apply(jr_store_cache(s->store, kind), slim == NULL ? object : slim, events[kind],
                   &(struct event){ s, now, NULL });
    jr_store_shed_templates(s->store);
}

void jr_handle_gone(struct jr_state *s, enum jr_store_kind kind, const void *object,
                    struct jr_now now)
{
    jr_cache_remove(jr_store_cache(s->store, kind), object, events[kind],
                    &(struct event){ s, now, NULL });
}

void jr_handle_sweep(struct jr_state *s, enum jr_store_kind kind,
                     const struct jr_cache_round *round, struct jr_now now)
{
    jr_cache_sweep(jr_store_cache(s->store, kind), round, events[kind],
                   &(struct event){ s, now, NULL });
}
