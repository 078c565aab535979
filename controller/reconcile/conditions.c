/* The list of conditions, and how a Job comes to its end. */
#include "controller/reconcile/internal.h"

/* ---- the list ---- */

#define ROOM ((size_t)4) /* conditions that one sync may add */

enum jr_status jr_status_take(struct jr_sync *s, const struct jr_job_status *status)
{
    size_t n = status->conditions.n;
    struct jr_job_condition *v = jr_arena_calloc(&s->keep, n + ROOM, sizeof(*v));

    if (v == NULL)
        return JR_NOMEM;
    if (n > 0)
        memcpy(v, status->conditions.v, n * sizeof(*v));
    s->status = *status;
    s->status.conditions.v = v;
    s->cap_conditions = n + ROOM;
    return JR_OK;
}

enum jr_status jr_condition_ensure(struct jr_sync *s, const char *type, const char *status,
                                   struct jr_str reason, struct jr_str message, bool *ret_changed)
{
    struct jr_job_conditions *list = &s->status.conditions;
    struct jr_job_condition *c = NULL;

    *ret_changed = false;
    for (size_t i = 0; i < list->n && c == NULL; i++) {
        if (jr_str_is(list->v[i].type, type))
            c = &list->v[i];
    }
    if (c != NULL && jr_str_is(c->status, status) && jr_str_eq(c->reason, reason) &&
        jr_str_eq(c->message, message))
        return JR_OK;
    if (c == NULL) {
        if (strcmp(status, "False") == 0)
            return JR_OK;
        if (list->n == s->cap_conditions)
            return JR_LIMIT;
        c = &list->v[list->n++];
    }
    *c = (struct jr_job_condition){ .type = jr_str(type),
                                    .status = jr_str(status),
                                    .last_probe_time = s->now,
                                    .last_transition_time = s->now,
                                    .reason = reason,
                                    .message = message };
    *ret_changed = true;
    return JR_OK;
}

/* ---- the end ---- */

static void finish(struct jr_sync *s, enum jr_finish kind, struct jr_str reason,
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

    if (c != NULL && jr_str_is(c->status, "True")) {
        finish(s, JR_FINISH_SUCCESS, c->reason, c->message);
        return true;
    }
    c = jr_job_condition_get(list, "FailureTarget");
    if (c != NULL && jr_str_is(c->status, "True")) {
        finish(s, JR_FINISH_FAILED, c->reason, c->message);
        return true;
    }
    return false;
}

/** A rule with FailJob matches a failed Pod, be it counted or not. */
static bool fails_by_policy(struct jr_sync *s)
{
    for (size_t i = 0; i < s->n_pods && s->job->spec.pod_failure_policy.set; i++) {
        const struct jr_rpod *p = &s->pods[i];
        struct jr_policy_match m;

        if (!p->failed)
            continue;
        m = jr_failure_policy_match(s->job, p->pod);
        if (m.action != JR_POLICY_FAIL_JOB)
            continue;
        finish(s, JR_FINISH_FAILING, JR_S("PodFailurePolicy"),
               jr_kept(s, jr_failure_policy_words(&s->keep, &m, p->pod)));
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

static void judge_limits(struct jr_sync *s)
{
    int64_t left;
    bool deadline = deadline_left(s, &left);

    if (s->failed > backoff_limit(s->job) || restarted_too_often(s))
        finish(s, JR_FINISH_FAILING, JR_S("BackoffLimitExceeded"),
               JR_S("Job has reached the specified backoff limit"));
    else if (deadline && left <= 0)
        finish(s, JR_FINISH_FAILING, JR_S("DeadlineExceeded"),
               JR_S("Job was active longer than specified deadline"));
    else if (deadline)
        jr_requeue(s, left);
}

static void judge_failed_indexes(struct jr_sync *s)
{
    int64_t failed = jr_indexes_count(&s->failed_set);

    if (s->job->spec.max_failed_indexes.set && failed > s->job->spec.max_failed_indexes.v)
        finish(s, JR_FINISH_FAILING, JR_S("MaxFailedIndexesExceeded"),
               JR_S("Job has exceeded the specified maximal number of failed indexes"));
    else if (failed > 0 && failed + jr_indexes_count(&s->succeeded_set) >= s->completions)
        finish(s, JR_FINISH_FAILING, JR_S("FailedIndexes"), JR_S("Job has failed indexes"));
}

static enum jr_status judge_success(struct jr_sync *s)
{
    ptrdiff_t rule;
    enum jr_status st = jr_success_policy_match(s->job, s->completions, &s->succeeded_set, &rule);

    if (st == JR_OK && rule >= 0)
        finish(s, JR_FINISH_SUCCESS, JR_S("SuccessPolicy"),
               jr_kept(s, jr_arena_printf(&s->keep, "Matched rules at index %td", rule)));
    return st;
}

enum jr_status jr_finish_judge(struct jr_sync *s)
{
    if (s->indexed)
        s->succeeded = jr_indexes_count(&s->succeeded_set);
    if (decided_before(s) || fails_by_policy(s))
        return JR_OK;
    judge_limits(s);
    if (s->finish.kind == JR_FINISH_NONE && s->per_index)
        judge_failed_indexes(s);
    if (s->finish.kind == JR_FINISH_NONE && s->indexed)
        return judge_success(s);
    return JR_OK;
}
