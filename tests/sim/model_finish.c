/* SPDX-License-Identifier: Apache-2.0 */
/* Why a Job ended: that what its finishing condition says had happened by then ("Decide whether the
 * Job ends"). */
#include "tests/sim/model_parts.h"

/* ---- what was known of a Pod ---- */

/* Claimed then, or adopted since: who adopts a Pod goes by the version that he knew. */
static bool is_claimed_by(const struct sim_view *v, const struct sim_pod_view *p, size_t version,
                          uint64_t rv)
{
    const struct jr_job *job = sim_last(v);

    if (!sim_claimable(job, p->v[version]))
        return false;
    for (size_t i = version; i < p->n && p->rv[i] <= rv; i++) {
        if (sim_claimed(job, p->v[i]))
            return true;
    }
    return false;
}

/* ---- podFailurePolicy ---- */

static bool pod_says(const struct sim_view *v, const struct sim_pod_view *p, uint64_t rv,
                     struct jr_str message)
{
    const bool listed = p->entries > 0 && p->as_failed && v->rv[p->entered] < rv;

    for (size_t i = 0; i < p->n && p->rv[i] <= rv; i++) {
        /* The list of failed Pods decides, whatever a Pod's phase is made later.
         */
        const bool failed =
            p->v[i]->phase == JR_POD_FAILED || (listed && p->v[i]->phase == JR_POD_SUCCEEDED);
        JR_BUF text = { 0 };

        jr_buf_init(&text, 4096);
        if (failed && is_claimed_by(v, p, i, rv) &&
            sim_match_rules(sim_last(v), p->v[i], &text) == SIM_FAILS_JOB &&
            jr_str_eq(jr_buf_str(&text), message))
            return true;
    }
    return false;
}

/* Whether the Job had counted it by then, and no longer says as what: its phase speaks again. A
 * list of what was counted exists nowhere, in upstream neither. */
static bool has_left_its_list(const struct sim_view *v, const struct sim_pod_view *p, uint64_t rv)
{
    for (size_t i = p->entered + 1; i < v->n && v->rv[i] <= rv; i++) {
        if (!sim_listed(v->jobs[i], p->life->uid))
            return true;
    }
    return false;
}

static bool some_pod_says(const struct sim_view *v, uint64_t rv, struct jr_str message)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if ((!sim_is_success(v, &v->pods[i], rv) || has_left_its_list(v, &v->pods[i], rv)) &&
            pod_says(v, &v->pods[i], rv, message))
            return true;
    }
    return sim_wrong(v->why, "PodFailurePolicy, but no Pod had failed so: \"%.*s\"", JR_P(message));
}

/* A Pod that was counted before, fails the Job and still stands fails it by this reason first. */
static bool none_fails_it_before(const struct sim_view *v, size_t version)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *p = &v->pods[i];
        const struct jr_pod *then =
            sim_pod_at(p, v->rv[version], v->h->job.versions[version].at_ns);

        if (p->entries == 0 || !p->as_failed || p->entered >= version || then == NULL ||
            !sim_claimed(sim_last(v), then) ||
            sim_pod_effect(sim_last(v), then, NULL) != SIM_FAILS_JOB)
            continue;
        return sim_wrong(v->why, "Pod %.*s fails the Job by a FailJob rule, the reason is another",
                         JR_P(p->life->uid));
    }
    return true;
}

/* ---- backoffLimit ---- */

static int64_t restarts(const struct sim_view *v, uint64_t rv)
{
    int64_t sum = 0;

    for (size_t i = 0; i < v->n_pods; i++) {
        int32_t most = 0;

        for (size_t k = 0; k < v->pods[i].n && v->pods[i].rv[k] <= rv; k++) {
            const struct jr_pod *p = v->pods[i].v[k];

            if (!jr_pod_terminal(p) && sim_restarts(p) > most &&
                is_claimed_by(v, &v->pods[i], k, rv))
                most = sim_restarts(p);
        }
        sum += most;
    }
    return sum;
}

static bool limit_is_over(const struct sim_view *v, const struct jr_job *job, uint64_t rv)
{
    int64_t limit = sim_backoff_limit(job);
    int64_t failed = sim_failures(v, rv), restarted = restarts(v, rv);
    bool on_failure = jr_str_is(job->spec.template.restart_policy, "OnFailure");

    if (failed > limit || (on_failure && restarted > 0 && restarted >= limit))
        return true;
    return sim_wrong(v->why,
                     "BackoffLimitExceeded, limit %lld, but only %lld Pods had failed, with %lld "
                     "restarts",
                     (long long)limit, (long long)failed, (long long)restarted);
}

/* ---- success ---- */

static bool enough_succeeded(const struct sim_view *v, const struct jr_job *job, uint64_t rv)
{
    int64_t want = jr_i32_or(job->spec.completions, 1), n = 0;

    if (sim_indexed(job))
        return true; /* its indexes have Pods behind them, see model_indexed.c */
    for (size_t i = 0; i < v->n_pods; i++)
        n += sim_ever(v, &v->pods[i], rv, sim_has_succeeded);
    return n >= want || sim_wrong(v->why, "CompletionsReached, but only %lld of %lld had succeeded",
                                  (long long)n, (long long)want);
}

/* ---- what it leaves behind ---- */

/* Terminal at that version of the store or before: a kubelet's late status may have come over a
 * terminal phase that another had set, and the controller go by what it saw. */
static bool had_ended(const struct sim_pod_view *p, uint64_t rv)
{
    for (size_t i = 0; i < p->n && p->rv[i] <= rv; i++) {
        if (jr_pod_terminal(p->v[i]))
            return true;
    }
    return false;
}

/* When it is said to have ended, its Pods are gone or have ended, and have no finalizers. */
static bool pods_are_done(const struct sim_view *v, size_t version)
{
    size_t n = 0;

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *p =
            sim_pod_at(&v->pods[i], v->rv[version], v->h->job.versions[version].at_ns);

        if (p == NULL || !sim_claimed(sim_last(v), p) ||
            (had_ended(&v->pods[i], v->rv[version]) && !sim_tracked(p)))
            continue;
        if (++n > v->h->surplus_max)
            return sim_wrong(v->why, "the Job has ended, but Pod %.*s %s", JR_P(p->uid),
                             jr_pod_terminal(p) ? "has its finalizer still" : "is not done");
    }
    return true;
}

bool sim_check_finish(struct sim_view *v)
{
    size_t first = sim_first_finishing(v);
    size_t failed = sim_first_true(v, "Failed"), complete = sim_first_true(v, "Complete");
    size_t end = failed < complete ? failed : complete;

    if (end < v->n && !pods_are_done(v, end))
        return false;
    if (first == v->n)
        return true;
    const struct jr_job *job = v->jobs[first];
    const struct jr_job_condition *c = sim_true(job, "FailureTarget");
    if (c == NULL)
        c = sim_true(job, "SuccessCriteriaMet");
    if (jr_str_is(c->reason, "PodFailurePolicy"))
        return some_pod_says(v, v->rv[first], c->message);
    if (jr_str_is(c->reason, "BackoffLimitExceeded") && !limit_is_over(v, job, v->rv[first]))
        return false;
    if (jr_str_is(c->reason, "CompletionsReached") && !enough_succeeded(v, job, v->rv[first]))
        return false;
    return none_fails_it_before(v, first);
}
