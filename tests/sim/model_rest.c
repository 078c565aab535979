/* SPDX-License-Identifier: Apache-2.0 */
/* The world at rest: a Job has ended unless something keeps it from it, and nothing is left of what
 * tracking put on its Pods. */
#include "common/rules/selector.h"
#include "tests/sim/model_parts.h"

static bool stands(const struct sim_pod_view *p)
{
    return p->life->gone_ns < 0;
}

static const struct jr_pod *latest(const struct sim_pod_view *p)
{
    return p->v[p->n - 1];
}

/* ---- why it had to end ---- */

static bool fails_by_policy(const struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (stands(&v->pods[i]) && !sim_is_success(v, &v->pods[i], UINT64_MAX) &&
            sim_claimed(sim_last(v), latest(&v->pods[i])) &&
            sim_pod_effect(sim_last(v), latest(&v->pods[i]), NULL) == SIM_FAILS_JOB)
            return true;
    }
    return false;
}

static bool completions_reached(const struct jr_job *job)
{
    if (!job->spec.completions.set)
        return job->status.succeeded > 0;
    return job->status.succeeded >= job->spec.completions.v;
}

static const char *due_by_indexes(const struct jr_job *job, struct jr_buf *why)
{
    SIM_INDEXES completed = { 0 };
    SIM_INDEXES failed = { 0 };
    int64_t n = jr_i32_or(job->spec.completions, 0);

    if (!sim_read_indexes(job, job->status.completed_indexes, "completedIndexes", &completed,
                          why) ||
        !sim_read_indexes(job, job->status.failed_indexes, "failedIndexes", &failed, why))
        return "index lists that can be read";
    if (job->spec.max_failed_indexes.set &&
        jr_indexes_count(&failed) > job->spec.max_failed_indexes.v)
        return "MaxFailedIndexesExceeded";
    if (failed.n > 0 && jr_indexes_count(&failed) + jr_indexes_count(&completed) >= n)
        return "FailedIndexes";
    return sim_success_rule(job, &completed) >= 0 ? "SuccessPolicy" : NULL;
}

/* The reason by which it had to end, NULL: none. */
static const char *due(const struct sim_view *v)
{
    const struct jr_job *job = sim_last(v);
    const char *reason = NULL;

    if (sim_first_finishing(v) < v->n)
        return "what it has begun";
    if (fails_by_policy(v))
        return "PodFailurePolicy";
    if (job->status.failed > sim_backoff_limit(job))
        return "BackoffLimitExceeded";
    if (sim_indexed(job))
        reason = due_by_indexes(job, v->why);
    if (reason != NULL)
        return reason;
    if (completions_reached(job))
        return "CompletionsReached";
    if (sim_suspended(job))
        return NULL;
    if (job->spec.active_deadline_s.set)
        return "DeadlineExceeded";
    return jr_i32_or(job->spec.parallelism, 1) > 0 ? "one condition or another" : NULL;
}

/* ---- a Job that goes on ---- */

static bool pod_at_rest(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct jr_job *job = sim_last(v);
    const struct jr_pod *is = latest(p);
    bool claimed = sim_claimed(job, is);

    if (!stands(p))
        return true;
    if (sim_owned(job, is) && !claimed)
        return sim_wrong(v->why, "Pod %.*s doesn't match and was not released", JR_P(is->uid));
    if (!is->controller.set && !jr_time_set(is->deletion_timestamp) &&
        jr_selector_matches_pod(&job->spec.selector, is))
        return sim_wrong(v->why, "Pod %.*s matches and was not adopted", JR_P(is->uid));
    if (!claimed)
        return true;
    if (!jr_pod_terminal(is))
        return sim_wrong(v->why, "Pod %.*s stands, with nothing left to run", JR_P(is->uid));
    /* A held one waits for its follower (6). */
    if (sim_tracked(is) && !(job->spec.backoff_limit_per_index.set && is->phase == JR_POD_FAILED))
        return sim_wrong(v->why, "Pod %.*s has finished and was not counted", JR_P(is->uid));
    return true;
}

static bool bears_failure(const struct jr_job *job, const struct jr_pod *p)
{
    return sim_claimed(job, p) && sim_tracked(p) && sim_index_counts(job, p) &&
           (p->phase == JR_POD_FAILED || jr_strs_has(&job->status.uncounted.failed, p->uid));
}

/* The Pod that its index keeps until it has another one (6). */
static bool may_be_held(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct jr_job *job = sim_last(v);
    const struct jr_pod *is = latest(p);

    if (!job->spec.backoff_limit_per_index.set || !stands(p) || !bears_failure(job, is) ||
        sim_index_is_over(job, sim_pod_index(is)))
        return false;
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *o = latest(&v->pods[i]);

        if (stands(&v->pods[i]) && bears_failure(job, o) && sim_pod_index(o) == sim_pod_index(is) &&
            sim_all_failures(o) > sim_all_failures(is))
            return false;
    }
    return true;
}

/* A listed Pod is held again where the one that had followed it was taken away, by a suspension or
 * fewer Pods at a time, before its finalizer went: what is held keeps it, listed or not (6). */
static bool waits_listed(const struct sim_view *v, struct jr_str uid)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (jr_str_eq(v->pods[i].life->uid, uid))
            return may_be_held(v, &v->pods[i]);
    }
    return false;
}

static bool all_is_counted(const struct sim_view *v)
{
    const struct jr_strs *failed = &sim_last(v)->status.uncounted.failed;
    bool right = sim_last(v)->status.uncounted.succeeded.n == 0;

    for (size_t i = 0; i < failed->n && right; i++)
        right = waits_listed(v, failed->v[i]);
    return right || sim_wrong(v->why, "uncounted Pods are left");
}

static bool goes_on(const struct sim_view *v)
{
    const struct jr_job *job = sim_last(v);
    const char *reason = due(v);

    if (reason != NULL)
        return sim_wrong(v->why, "the Job had to end by %s and hasn't", reason);
    if (sim_deleting(job))
        return sim_wrong(v->why, "the Job is being deleted, and never goes");
    for (size_t i = 0; i < v->n_pods; i++) {
        if (!pod_at_rest(v, &v->pods[i]))
            return false;
    }
    if (sim_suspended(job) && sim_true(job, "Suspended") == NULL)
        return sim_wrong(v->why, "suspended, without the condition");
    if (!sim_suspended(job) && sim_true(job, "Suspended") != NULL)
        return sim_wrong(v->why, "not suspended, with the condition");
    if (job->status.active != 0 || jr_i32_or(job->status.terminating, 0) != 0)
        return sim_wrong(v->why, "active %d, terminating %d, and no Pod", job->status.active,
                         jr_i32_or(job->status.terminating, 0));
    return all_is_counted(v);
}

/* ---- a Job that has ended, or has gone ---- */

static bool ended(const struct sim_view *v)
{
    const struct jr_job *job = sim_last(v);
    size_t n = 0;

    if (sim_deleting(job))
        return sim_wrong(v->why, "the Job is being deleted, and never goes");
    if (v->h->ttl && job->spec.ttl_after_finished_s.set)
        return sim_wrong(v->why, "the Job has expired and stands");
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *is = latest(&v->pods[i]);

        if (!stands(&v->pods[i]) || !sim_owned(job, is))
            continue;
        /* Also of one that has stopped matching, or has come too late. */
        if (sim_tracked(is))
            return sim_wrong(v->why, "the Job has ended, Pod %.*s keeps its finalizer",
                             JR_P(is->uid));
        if (sim_claimed(job, is) && !jr_pod_terminal(is) && ++n > v->h->surplus_max)
            return sim_wrong(v->why, "the Job has ended, Pod %.*s stands", JR_P(is->uid));
    }
    return true;
}

static bool gone(const struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *is = latest(&v->pods[i]);

        if (!stands(&v->pods[i]))
            continue;
        if (sim_owned(sim_last(v), is))
            return sim_wrong(v->why, "the Job is gone, Pod %.*s stands", JR_P(is->uid));
        if (!is->controller.set && sim_tracked(is))
            return sim_wrong(v->why, "the Job is gone, Pod %.*s keeps its finalizer",
                             JR_P(is->uid));
    }
    return true;
}

bool sim_check_rest(struct sim_view *v)
{
    if (v->h->job.gone_ns >= 0)
        return gone(v);
    return jr_job_finished(&sim_last(v)->status) ? ended(v) : goes_on(v);
}
