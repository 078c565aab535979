#include "controller/handlers.h"

#include "controller/orphans.h"
#include "controller/reconcile/metrics.h"
#include "controller/reconcile/sync.h"

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

static enum jr_status enqueue(struct jr_state *s, const struct jr_job *job, int64_t delay_ns,
                              struct jr_now now)
{
    return jr_state_enqueue(s, job->meta.namespace, job->meta.name, delay_ns, now.mono);
}

struct match {
    struct jr_state *s;
    struct jr_now now;
    const struct jr_pod *pod; /* that is gone; NULL: none is */
};

static enum jr_status enqueue_match(void *ctx, const struct jr_job *job)
{
    const struct match *m = ctx;

    return enqueue(m->s, job, JR_BATCH_NS, m->now);
}

static enum jr_status enqueue_matching(struct jr_state *s, const struct jr_pod *pod,
                                       struct jr_now now)
{
    return jr_store_each_match(s->store, pod, enqueue_match, &(struct match){ s, now, NULL });
}

/* ---- Pods ---- */

/** A Job whose syncs let the Pod be for good. Its own events say it; nothing else comes. */
static enum jr_status add_stray(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    if (!jr_orphans_is_target(s, pod))
        return JR_OK;
    return jr_orphans_add_pod(s->orphans, pod->namespace, pod->name, now.mono);
}

enum jr_status jr_on_pod_add(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    enum jr_status st = JR_OK;

    record_terminated(s, NULL, pod);
    if (jr_time_set(pod->deletion_timestamp))
        return jr_on_pod_delete(s, pod, false, now); /* no creation to be seen in it */
    if (pod->controller.set) {
        const struct jr_job *job = jr_store_owner(s->store, pod);
        struct jr_job_key key;

        if (job == NULL)
            return JR_OK;
        key = jr_job_key_of(job);
        jr_expectations_lower(s->expectations, &key, 1, 0);
        st = add_stray(s, pod, now);
        return st == JR_OK ? enqueue(s, job, JR_BATCH_NS, now) : st;
    }
    if (has_finalizer(s, pod))
        st = jr_orphans_add_pod(s->orphans, pod->namespace, pod->name, now.mono);
    return st == JR_OK ? enqueue_matching(s, pod, now) : st;
}

/** A Pod of job has changed: the removal of its finalizer is seen, if it is gone. The old Pod's
 * finalizer is not asked for: in a change of owners it may have been put back and taken off again.
 */
static enum jr_status pod_changed(struct jr_state *s, const struct jr_job *job,
                                  const struct jr_pod *pod, struct jr_now now)
{
    struct jr_job_key key;

    if (job == NULL)
        return JR_OK;
    key = jr_job_key_of(job);
    if (!has_finalizer(s, pod))
        jr_expectations_removed(s->expectations, &key, pod->uid);
    return enqueue(s, job, JR_BATCH_NS, now);
}

static enum jr_status note_adoption(struct jr_state *s, const struct jr_job *job,
                                    const struct jr_pod *pod)
{
    struct jr_job_key key = jr_job_key_of(job);

    return jr_expectations_adopted(s->expectations, &key, pod->uid);
}

enum jr_status jr_on_pod_update(struct jr_state *s, const struct jr_pod *old,
                                const struct jr_pod *pod, struct jr_now now)
{
    bool other_owner = !jr_pod_same_controller(old, pod);
    enum jr_status st = JR_OK;

    record_terminated(s, old, pod);
    if (jr_str_eq(old->resource_version, pod->resource_version))
        return JR_OK;
    /* The old Job is told of a terminating Pod too, which upstream forgets: it may wait for its
     * end.
     */
    if (other_owner && old->controller.set)
        st = pod_changed(s, jr_store_owner(s->store, old), pod, now);
    if (st != JR_OK)
        return st;
    if (jr_time_set(pod->deletion_timestamp))
        return jr_on_pod_delete(s, pod, false, now);
    if (pod->controller.set) {
        const struct jr_job *job = jr_store_owner(s->store, pod);

        st = job == NULL || jr_job_finished(&job->status) ? JR_OK : add_stray(s, pod, now);
        if (st == JR_OK && job != NULL && !old->controller.set)
            st = note_adoption(s, job, pod);
        return st == JR_OK ? pod_changed(s, job, pod, now) : st;
    }
    if (has_finalizer(s, pod))
        st = jr_orphans_add_pod(s->orphans, pod->namespace, pod->name, now.mono);
    if (st == JR_OK && (other_owner || !jr_pod_same_labels(old, pod)))
        st = enqueue_matching(s, pod, now);
    return st;
}

static enum jr_status lose(void *ctx, const struct jr_job *job)
{
    const struct match *m = ctx;
    const struct jr_job_key key = jr_job_key_of(job);

    jr_expectations_lost(m->s->expectations, &key, m->pod->uid);
    jr_expectations_unspare(m->s->expectations, &key, m->pod->uid);
    return enqueue(m->s, job, JR_BATCH_NS, m->now);
}

/** A Job may have adopted it, and count it as terminating. A list that comes when it has gone tells
 * nothing of that, and upstream leaves the Job to the resync. */
static enum jr_status unowned_gone(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    return jr_store_each_match(s->store, pod, lose, &(struct match){ s, now, pod });
}

enum jr_status jr_on_pod_delete(struct jr_state *s, const struct jr_pod *pod, bool final,
                                struct jr_now now)
{
    const struct jr_job *job = jr_store_owner(s->store, pod);
    bool finalizer = has_finalizer(s, pod);
    struct jr_job_key key;
    enum jr_status st;

    if (final)
        record_terminated(s, pod, NULL);
    if (job == NULL || jr_job_finished(&job->status)) { /* no sync will take its finalizer off */
        st =
            finalizer ? jr_orphans_add_pod(s->orphans, pod->namespace, pod->name, now.mono) : JR_OK;
        return st == JR_OK && final && !pod->controller.set ? unowned_gone(s, pod, now) : st;
    }
    key = jr_job_key_of(job);
    jr_expectations_lower(s->expectations, &key, 0, 1);
    if (final) {
        jr_expectations_lost(s->expectations, &key, pod->uid);
        jr_expectations_unspare(s->expectations, &key, pod->uid);
    } else if (!finalizer) {
        jr_expectations_removed(s->expectations, &key, pod->uid);
    }
    st = final ? JR_OK : add_stray(s, pod, now);
    return st == JR_OK ? enqueue(s, job, JR_BATCH_NS, now) : st;
}

enum jr_status jr_handle_pod(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    const struct jr_pod *known = jr_store_pod(s->store, pod->namespace, pod->name);
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *old = NULL;
    enum jr_status st;

    if (known != NULL && !jr_str_eq(known->uid, pod->uid)) {
        /* Its deletion was missed: another Pod bears the name now. */
        st = jr_handle_pod_gone(s, known, now);
        if (st != JR_OK)
            return st;
    }
    if (jr_store_wants(s->store, pod)) {
        st = jr_store_put_pod(s->store, pod, &old);
        if (st != JR_OK)
            return st;
    } else {
        jr_store_remove_pod(s->store, pod->namespace, pod->name, &old);
        if (old == NULL)
            return JR_OK; /* none of ours, and never was */
    }
    return old == NULL ? jr_on_pod_add(s, pod, now) : jr_on_pod_update(s, old, pod, now);
}

enum jr_status jr_handle_pod_gone(struct jr_state *s, const struct jr_pod *pod, struct jr_now now)
{
    const struct jr_pod *known = jr_store_pod(s->store, pod->namespace, pod->name);
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *old = NULL;

    if (known == NULL || !jr_str_eq(known->uid, pod->uid))
        return JR_OK;
    jr_store_remove_pod(s->store, pod->namespace, pod->name, &old);
    return jr_on_pod_delete(s, pod, true, now);
}

/* ---- Jobs ---- */

/** Its deletion is new: Pods that it doesn't claim are let go. */
static enum jr_status add_if_deleted(struct jr_state *s, const struct jr_job *old,
                                     const struct jr_job *job, struct jr_now now)
{
    if (!jr_time_set(job->meta.deletion_timestamp) ||
        (old != NULL && jr_time_set(old->meta.deletion_timestamp)))
        return JR_OK;
    return jr_orphans_add_job(s->orphans, job, now.mono);
}

enum jr_status jr_on_job_add(struct jr_state *s, const struct jr_job *job, struct jr_now now)
{
    struct jr_str by = job->spec.managed_by;
    enum jr_status st;

    if (by.p != NULL && !jr_str_is(by, JR_MANAGED_BY_BUILTIN) &&
        !jr_job_is_ours(job, &s->options)) {
        const char *value = jr_others_label(&s->others, by);

        jr_metrics_add(s->metrics, &jr_metric_jobs_by_external_controller_total, &value, 1);
    }
    st = add_if_deleted(s, NULL, job, now);
    return st == JR_OK ? enqueue(s, job, 0, now) : st;
}

/** Syncs the Job when its deadline ends, if that is new or has moved. */
static enum jr_status arm_deadline(struct jr_state *s, const struct jr_job *old,
                                   const struct jr_job *job, struct jr_now now)
{
    struct jr_opt_i64 was = old->spec.active_deadline_s, is = job->spec.active_deadline_s;
    int64_t total, left;

    if (!jr_time_set(job->status.start_time) || !is.set || (was.set && was.v == is.v))
        return JR_OK;
    if (__builtin_mul_overflow(is.v, JR_SEC, &total))
        total = INT64_MAX;
    if (__builtin_sub_overflow(total, jr_time_diff(now.wall, job->status.start_time), &left))
        left = INT64_MAX;
    return enqueue(s, job, left, now);
}

enum jr_status jr_on_job_update(struct jr_state *s, const struct jr_job *old,
                                const struct jr_job *job, struct jr_now now)
{
    enum jr_status st;

    if (jr_job_finished(&job->status)) /* no finalizer should be left by then: a safety net */
        return jr_orphans_add_job(s->orphans, job, now.mono);
    st = add_if_deleted(s, old, job, now);
    if (st == JR_OK)
        st = enqueue(s, job, old->meta.generation == job->meta.generation ? JR_BATCH_NS : 0, now);
    return st == JR_OK ? arm_deadline(s, old, job, now) : st;
}

enum jr_status jr_on_job_delete(struct jr_state *s, const struct jr_job *job, struct jr_now now)
{
    enum jr_status st = enqueue(s, job, 0, now);

    jr_records_drop(s->records, job->meta.namespace, job->meta.name);
    /* Else a Job made anew under this name could wait for what only its predecessor was to see. */
    jr_expectations_drop(s->expectations, job->meta.namespace, job->meta.name);
    return st == JR_OK ? jr_orphans_add_job(s->orphans, job, now.mono) : st;
}

enum jr_status jr_handle_job(struct jr_state *s, const struct jr_job *job, struct jr_now now)
{
    const struct jr_job *known = jr_store_job(s->store, job->meta.namespace, job->meta.name);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *old = NULL;
    enum jr_status st;

    if (known != NULL && !jr_str_eq(known->meta.uid, job->meta.uid)) {
        st = jr_handle_job_gone(s, known, now);
        if (st != JR_OK)
            return st;
    }
    st = jr_store_put_job(s->store, job, &old);
    if (st != JR_OK)
        return st;
    st = old == NULL ? jr_on_job_add(s, job, now) : jr_on_job_update(s, old, job, now);
    return st == JR_OK ? jr_state_enqueue_expiring(s, job, now.mono) : st;
}

enum jr_status jr_handle_job_gone(struct jr_state *s, const struct jr_job *job, struct jr_now now)
{
    const struct jr_job *known = jr_store_job(s->store, job->meta.namespace, job->meta.name);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *old = NULL;

    if (known == NULL || !jr_str_eq(known->meta.uid, job->meta.uid))
        return JR_OK;
    jr_store_remove_job(s->store, job->meta.namespace, job->meta.name, &old);
    return jr_on_job_delete(s, job, now);
}

/* ---- the end of a list ---- */

static enum jr_status job_swept(void *ctx, const struct jr_job *job)
{
    const struct match *m = ctx;

    return jr_on_job_delete(m->s, job, m->now);
}

static enum jr_status pod_swept(void *ctx, const struct jr_pod *pod)
{
    const struct match *m = ctx;

    return jr_on_pod_delete(m->s, pod, true, m->now);
}

enum jr_status jr_handle_sweep(struct jr_state *s, enum jr_store_kind kind,
                               const struct jr_store_round *round, struct jr_now now)
{
    struct match m = { s, now, NULL };

    return kind == JR_STORE_JOBS ? jr_store_sweep_jobs(s->store, round, job_swept, &m)
                                 : jr_store_sweep_pods(s->store, round, pod_swept, &m);
}
