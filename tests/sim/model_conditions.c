/* SPDX-License-Identifier: Apache-2.0 */
/* A Job's conditions and times ("Conditions and events"). */
#include "tests/sim/model_step.h"

#define UNCOUNTED_MAX 500

static const char *const finishing[] = { "FailureTarget", "SuccessCriteriaMet" };
static const char *const terminal[] = { "Failed", "Complete" };

static bool same_condition(const struct jr_job_condition *a, const struct jr_job_condition *b)
{
    return jr_str_eq(a->type, b->type) && jr_str_eq(a->status, b->status) &&
           jr_str_eq(a->reason, b->reason) && jr_str_eq(a->message, b->message) &&
           jr_time_cmp(a->last_transition_time, b->last_transition_time) == 0;
}

bool sim_step_order(const struct sim_step *s)
{
    const struct jr_job_conditions *was = &s->prev->status.conditions;
    const struct jr_job_conditions *is = &s->next->status.conditions;

    for (size_t i = 0; i < was->n; i++) {
        if (i >= is->n || !jr_str_eq(was->v[i].type, is->v[i].type))
            return sim_wrong(s->why, "condition %.*s has left its place", JR_P(was->v[i].type));
        /* Suspended is the only one that goes back and forth. */
        if (jr_str_is(was->v[i].type, "Suspended") && !jr_str_eq(was->v[i].status, is->v[i].status))
            continue;
        if (!same_condition(&was->v[i], &is->v[i]))
            return sim_wrong(s->why, "condition %.*s has changed", JR_P(was->v[i].type));
    }
    for (size_t i = 0; i < is->n; i++)
        for (size_t k = 0; k < i; k++)
            if (jr_str_eq(is->v[i].type, is->v[k].type))
                return sim_wrong(s->why, "condition %.*s is there twice", JR_P(is->v[i].type));
    return true;
}

/* ---- kinds ---- */

static const struct {
    const char *type;
    const char *status;
    const char *reason;
    const char *message; /* NULL: the policies' own, checked elsewhere */
} kinds[] = {
    { "Failed", "True", "PodFailurePolicy", NULL },
    { "Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit" },
    { "Failed", "True", "DeadlineExceeded", "Job was active longer than specified deadline" },
    { "Failed", "True", "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes" },
    { "Failed", "True", "FailedIndexes", "Job has failed indexes" },
    { "Complete", "True", "SuccessPolicy", NULL },
    { "Complete", "True", "CompletionsReached", "Reached expected number of succeeded pods" },
    { "Suspended", "True", "JobSuspended", "Job suspended" },
    { "Suspended", "False", "JobResumed", "Job resumed" },
};

/* The condition that a finishing one announces; others stand for themselves. */
static const char *announced(struct jr_str type)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(finishing); i++) {
        if (jr_str_is(type, finishing[i]))
            return terminal[i];
    }
    return NULL;
}

static bool known_kind(const struct jr_job_condition *c)
{
    const char *type = announced(c->type);

    if (jr_str_find(c->type, '/') >= 0)
        return true; /* somebody else's, which stays as it is */
    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        bool is_type =
            type != NULL ? strcmp(kinds[i].type, type) == 0 : jr_str_is(c->type, kinds[i].type);

        if (is_type && jr_str_is(c->status, kinds[i].status) &&
            jr_str_is(c->reason, kinds[i].reason))
            return kinds[i].message == NULL || jr_str_is(c->message, kinds[i].message);
    }
    return false;
}

static size_t place(const struct jr_job *job, const char *type)
{
    for (size_t i = 0; i < job->status.conditions.n; i++) {
        if (jr_str_is(job->status.conditions.v[i].type, type))
            return i;
    }
    return SIZE_MAX;
}

static bool announces(const struct sim_step *s, const char *before, const char *end)
{
    const struct jr_job_condition *c = sim_true(s->next, end), *b = sim_true(s->next, before);

    if (c == NULL)
        return true;
    if (b == NULL || place(s->next, before) > place(s->next, end))
        return sim_wrong(s->why, "%s without %s before it", end, before);
    if (!jr_str_eq(b->reason, c->reason) || !jr_str_eq(b->message, c->message))
        return sim_wrong(s->why, "%s and %s say different things", before, end);
    return true;
}

bool sim_step_kinds(const struct sim_step *s)
{
    const struct jr_job_conditions *is = &s->next->status.conditions;

    for (size_t i = 0; i < is->n; i++) {
        const struct jr_job_condition *c = &is->v[i];

        if (!known_kind(c))
            return sim_wrong(s->why, "condition %.*s=%.*s with reason \"%.*s\", message \"%.*s\"",
                             JR_P(c->type), JR_P(c->status), JR_P(c->reason), JR_P(c->message));
        if (!jr_time_set(c->last_transition_time))
            return sim_wrong(s->why, "condition %.*s without a time", JR_P(c->type));
        if (jr_str_is(c->status, "False") && place(s->prev, "Suspended") == SIZE_MAX)
            return sim_wrong(s->why, "Suspended begins as False");
    }
    if (sim_true(s->next, finishing[0]) != NULL && sim_true(s->next, finishing[1]) != NULL)
        return sim_wrong(s->why, "FailureTarget and SuccessCriteriaMet");
    return announces(s, finishing[0], terminal[0]) && announces(s, finishing[1], terminal[1]);
}

/* ---- times ---- */

static bool turned(const struct sim_step *s, bool on)
{
    bool was = sim_true(s->prev, "Suspended") != NULL, is = sim_true(s->next, "Suspended") != NULL;

    return was != is && is == on;
}

bool sim_step_times(const struct sim_step *s)
{
    struct jr_time was = s->prev->status.start_time, is = s->next->status.start_time;
    struct jr_time done = s->next->status.completion_time;

    if (jr_time_set(was) && jr_time_set(is) && jr_time_cmp(was, is) != 0 && !turned(s, false))
        return sim_wrong(s->why, "startTime has changed");
    if (jr_time_set(was) && !jr_time_set(is) && !turned(s, true))
        return sim_wrong(s->why, "startTime has gone");
    if (turned(s, true) && jr_time_set(is))
        return sim_wrong(s->why, "startTime stays through suspension");
    if (!jr_time_set(was) && jr_time_set(is) && sim_suspended(s->next) &&
        !jr_job_finished(&s->next->status))
        return sim_wrong(s->why, "startTime begins while suspended");
    if (jr_time_set(done) != (sim_true(s->next, "Complete") != NULL))
        return sim_wrong(s->why, "completionTime is there with Complete and only then");
    if (jr_time_set(done) && jr_time_set(is) && jr_time_cmp(done, is) < 0)
        return sim_wrong(s->why, "completionTime before startTime");
    return true;
}

bool sim_step_start(const struct sim_step *s)
{
    const struct jr_job_status *is = &s->next->status;

    if (turned(s, true) && !sim_suspended(s->next))
        return sim_wrong(s->why, "Suspended becomes True, the spec doesn't say so");
    if (turned(s, false) && sim_suspended(s->next))
        return sim_wrong(s->why, "Suspended becomes False while suspended");
    if (!sim_suspended(s->next) && !jr_time_set(is->start_time))
        return sim_wrong(s->why, "no startTime, though not suspended");
    if (!jr_job_finished(is))
        return true;
    if (is->active != 0 || jr_i32_or(is->ready, 0) != 0 || jr_i32_or(is->terminating, 0) != 0)
        return sim_wrong(s->why, "finished with active %d, ready %d, terminating %d", is->active,
                         jr_i32_or(is->ready, 0), jr_i32_or(is->terminating, 0));
    if (is->uncounted.succeeded.n + is->uncounted.failed.n > 0)
        return sim_wrong(s->why, "finished with uncounted Pods");
    return true;
}

/* ---- why it ends ---- */

static int64_t failures(const struct jr_job *job)
{
    return (int64_t)job->status.failed + (int64_t)job->status.uncounted.failed.n;
}

static bool deadline_is_over(const struct sim_step *s, const struct jr_job_condition *c)
{
    int64_t elapsed = c->last_transition_time.ns - s->next->status.start_time.ns;

    return s->next->spec.active_deadline_s.set && !sim_suspended(s->next) &&
           jr_time_set(s->next->status.start_time) &&
           elapsed >= s->next->spec.active_deadline_s.v * JR_SEC;
}

/* A sync lists so many; what it has seen beyond that counts for its end all the same ("Counting
 * Pods"). */
static int64_t left_to_list(const struct sim_step *s)
{
    const struct jr_job_status *st = &s->next->status;
    int64_t n = 0;

    if (st->uncounted.succeeded.n + st->uncounted.failed.n < UNCOUNTED_MAX)
        return 0;
    for (size_t i = 0; i < s->n_pods; i++) {
        const struct sim_life *l = &s->pods[i];
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *p = NULL;

        if (l->n > 0 && jr_pod_decode(l->versions[l->n - 1].text, &p, NULL) == JR_OK)
            n += sim_claimed(s->next, p) && sim_tracked(p) && p->phase == JR_POD_SUCCEEDED &&
                 !sim_listed(s->next, l->uid);
    }
    return n;
}

static bool has_ended_well(const struct sim_step *s, const struct sim_life *l)
{
    for (size_t i = l->n; i-- > 0;) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *p = NULL;

        if (jr_pod_decode(l->versions[i].text, &p, NULL) == JR_OK && sim_claimed(s->next, p) &&
            sim_tracked(p) && p->phase == JR_POD_SUCCEEDED)
            return true;
    }
    return false;
}

/* A Pod that was listed as failed while it was being deleted, and has succeeded since, finalizer
 * and all, is a new success: only the list of those that have succeeded is looked at ("Count
 * Pods"). */
static int64_t listed_as_failed(const struct sim_step *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->n_pods; i++)
        n += jr_strs_has(&s->prev->status.uncounted.failed, s->pods[i].uid) &&
             has_ended_well(s, &s->pods[i]);
    return n;
}

static bool completions_are_reached(const struct sim_step *s)
{
    const struct jr_job *job = s->next;
    int64_t n = (int64_t)job->status.succeeded + (int64_t)job->status.uncounted.succeeded.n +
                left_to_list(s) + (sim_indexed(job) ? 0 : listed_as_failed(s));

    if (!job->spec.completions.set)
        return n > 0;
    return n >= job->spec.completions.v;
}

static bool too_many_failed_indexes(const struct jr_job *job, const struct jr_indexes *failed)
{
    return job->spec.max_failed_indexes.set &&
           jr_indexes_count(failed) > job->spec.max_failed_indexes.v;
}

static bool all_indexes_ended(const struct sim_step *s)
{
    int64_t n_failed = jr_indexes_count(s->failed);

    return n_failed > 0 &&
           n_failed + jr_indexes_count(s->completed) >= jr_i32_or(s->next->spec.completions, 0);
}

/* Whether the reason holds in what was written with it. */
static bool is_due(const struct sim_step *s, const struct jr_job_condition *c)
{
    const struct jr_job *job = s->next;

    if (jr_str_is(c->reason, "PodFailurePolicy"))
        return job->spec.pod_failure_policy.set;
    if (jr_str_is(c->reason, "BackoffLimitExceeded"))
        return failures(job) > sim_backoff_limit(job) ||
               jr_str_is(job->spec.template.restart_policy, "OnFailure");
    if (jr_str_is(c->reason, "DeadlineExceeded"))
        return deadline_is_over(s, c);
    if (jr_str_is(c->reason, "MaxFailedIndexesExceeded"))
        return too_many_failed_indexes(job, s->failed);
    if (jr_str_is(c->reason, "FailedIndexes"))
        return all_indexes_ended(s);
    if (jr_str_is(c->reason, "CompletionsReached"))
        return completions_are_reached(s) && sim_success_rule(job, s->completed) < 0;
    return sim_success_rule(job, s->completed) >= 0;
}

/* What was to be seen before comes first, in the order of "Decide whether the Job ends". */
static bool another_came_first(const struct sim_step *s, const struct jr_job_condition *c)
{
    bool by_policy = jr_str_is(c->reason, "PodFailurePolicy");
    bool by_limit = jr_str_is(c->reason, "BackoffLimitExceeded");
    bool by_deadline = jr_str_is(c->reason, "DeadlineExceeded");
    bool by_max = jr_str_is(c->reason, "MaxFailedIndexesExceeded");

    if (!by_policy && !by_limit && failures(s->prev) > sim_backoff_limit(s->next))
        return true;
    if (by_policy || by_limit || by_deadline || by_max)
        return false;
    return too_many_failed_indexes(s->next, s->failed) ||
           (!jr_str_is(c->reason, "FailedIndexes") && all_indexes_ended(s));
}

static bool names_its_rule(const struct sim_step *s, const struct jr_job_condition *c)
{
    JR_BUF want = { 0 };

    if (!jr_str_is(c->reason, "SuccessPolicy"))
        return true;
    jr_buf_init(&want, 128);
    (void)jr_buf_addf(&want, "Matched rules at index %d", sim_success_rule(s->next, s->completed));
    return jr_str_eq(jr_buf_str(&want), c->message) ||
           sim_wrong(s->why, "SuccessPolicy says \"%.*s\", \"%s\" was expected", JR_P(c->message),
                     want.p);
}

bool sim_step_finishing(const struct sim_step *s)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(finishing); i++) {
        const struct jr_job_condition *c = sim_true(s->next, finishing[i]);

        if (c == NULL || sim_true(s->prev, finishing[i]) != NULL)
            continue;
        if (!is_due(s, c))
            return sim_wrong(s->why, "%.*s is not due", JR_P(c->reason));
        if (another_came_first(s, c))
            return sim_wrong(s->why, "%.*s, but another condition comes before it",
                             JR_P(c->reason));
        if (s->next->status.active != 0)
            return sim_wrong(s->why, "%s with %d active Pods", finishing[i],
                             s->next->status.active);
        return names_its_rule(s, c);
    }
    return true;
}
