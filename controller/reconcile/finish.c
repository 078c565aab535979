/* SPDX-License-Identifier: Apache-2.0 */
/* Whether and how the Job ends. */
#include "controller/reconcile/internal.h"

static void set_finish(struct jr_sync *s, enum jr_finish kind, struct jr_str reason,
                       struct jr_str message)
{
    s->finish.kind = kind;
    s->finish.reason = reason;
    s->finish.message = message;
}

/** What an earlier sync decided stands, whatever has happened since. */
static bool decided_before(struct jr_sync *s)
{
    const struct jr_job_conditions *list = &s->job->status.conditions;
    const struct jr_job_condition *c = jr_job_condition_get(list, "SuccessCriteriaMet");

    if (c != NULL && jr_str_is(c->status, "True") &&
        (s->snap.options->success_policy || !s->ends_at_once)) {
        set_finish(s, JR_FINISH_SUCCESS, c->reason, c->message);
        return true;
    }
    c = jr_job_condition_get(list, "FailureTarget");
    if (c != NULL && jr_str_is(c->status, "True")) {
        set_finish(s, JR_FINISH_FAILED, c->reason, c->message);
        return true;
    }
    return false;
}

/** A rule with FailJob matches a failed Pod, be it counted or not. */
static bool fails_by_policy(struct jr_sync *s)
{
    for (size_t i = 0; i < s->n_pods && s->job->spec.pod_failure_policy.set; i++) {
        const struct jr_rpod *p = &s->pods[i];
        struct jr_failure_match m;

        if (!p->failed)
            continue;
        m = jr_failure_policy_match(s->snap.options, s->job, p->pod);
        if (m.action != JR_FAILURE_FAIL_JOB)
            continue;
        set_finish(s, JR_FINISH_FAILING, JR_S("PodFailurePolicy"),
                   jr_failure_policy_words(&s->keep, &m, p->pod));
        return true;
    }
    return false;
}

static int32_t backoff_limit(const struct jr_job *job)
{
    return jr_i32_or(job->spec.backoff_limit,
                     job->spec.backoff_limit_per_index.set ? INT32_MAX : 6);
}

/** restartPolicy OnFailure: restarts of containers count as failures. */
static bool restarted_too_often(const struct jr_sync *s)
{
    int64_t limit = backoff_limit(s->job), sum = 0;

    if (!jr_str_is(s->job->spec.template.restart_policy, "OnFailure"))
        return false;
    for (size_t i = 0; i < s->n_pods; i++) {
        const struct jr_pod *pod = s->pods[i].pod;

        if (pod->phase != JR_POD_RUNNING && pod->phase != JR_POD_PENDING)
            continue;
        for (size_t j = 0; j < pod->containers.n; j++)
            sum += pod->containers.v[j].restart_count;
    }
    return limit == 0 ? sum > 0 : sum >= limit;
}

/** Nanoseconds until the deadline, <= 0: it has passed; false: there is none that runs. */
static bool deadline_left(const struct jr_sync *s, int64_t *ret)
{
    int64_t allowed;

    if (!s->job->spec.active_deadline_s.set || s->suspended || !jr_time_set(s->status.start_time))
        return false;
    if (__builtin_mul_overflow(s->job->spec.active_deadline_s.v, JR_SEC, &allowed) ||
        __builtin_sub_overflow(allowed, jr_time_diff(s->now, s->status.start_time), ret))
        return false; /* centuries */
    return true;
}

/** The Job fails, not by its policy: that one has an interim condition by every gate. */
static void set_failure(struct jr_sync *s, struct jr_str reason, const char *message)
{
    set_finish(s, s->ends_at_once ? JR_FINISH_FAILED : JR_FINISH_FAILING, reason, jr_str(message));
}

static void check_limits(struct jr_sync *s)
{
    int64_t left;
    bool deadline = deadline_left(s, &left);

    if (s->failed > backoff_limit(s->job) || restarted_too_often(s))
        set_failure(s, JR_S("BackoffLimitExceeded"), "Job has reached the specified backoff limit");
    else if (deadline && left <= 0)
        set_failure(s, JR_S("DeadlineExceeded"), "Job was active longer than specified deadline");
    else if (deadline)
        jr_requeue(s, left);
}

static void check_failed_indexes(struct jr_sync *s)
{
    int64_t failed = jr_indexes_count(&s->failed_set);

    if (s->job->spec.max_failed_indexes.set && failed > s->job->spec.max_failed_indexes.v)
        set_failure(s, JR_S("MaxFailedIndexesExceeded"),
                    "Job has exceeded the specified maximal number of failed indexes");
    else if (failed > 0 && failed + jr_indexes_count(&s->succeeded_set) >= s->completions)
        set_failure(s, JR_S("FailedIndexes"), "Job has failed indexes");
}

static void check_success_policy(struct jr_sync *s)
{
    const ptrdiff_t rule = jr_success_policy_match(s->job, s->completions, &s->succeeded_set);

    if (rule >= 0)
        set_finish(s, JR_FINISH_SUCCESS, JR_S("SuccessPolicy"),
                   jr_xarena_text(&s->keep, "Matched rules at index %td", rule));
}

void jr_finish_evaluate(struct jr_sync *s)
{
    if (decided_before(s) || fails_by_policy(s))
        return;
    check_limits(s);
    if (s->finish.kind == JR_FINISH_NONE && s->per_index)
        check_failed_indexes(s);
    if (s->finish.kind == JR_FINISH_NONE && s->indexed && s->snap.options->success_policy)
        check_success_policy(s);
}
