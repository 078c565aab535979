/* SPDX-License-Identifier: Apache-2.0 */
/* Where nothing has disturbed it: a controller waits before it replaces what has failed (8), and
 * doesn't wait when restarts have reached their limit. */
#include "tests/sim/model_parts.h"

#define BASE_S 10
#define CAP_S 600

static int64_t delay_ns(int64_t failures)
{
    int64_t s = BASE_S;

    for (int64_t i = 1; i < failures && s < CAP_S; i++)
        s *= 2;
    return (s < CAP_S ? s : CAP_S) * JR_SEC;
}

static bool is_late_enough(const struct sim_view *v, const struct sim_pod_view *p,
                           struct jr_time last, int64_t failures)
{
    int64_t waited = p->v[0]->creation_timestamp.ns - last.ns;

    if (waited >= delay_ns(failures))
        return true;
    return sim_wrong(v->why, "Pod %.*s was made %lld s after failure number %lld, not %lld s",
                     JR_P(p->life->uid), (long long)(waited / JR_SEC), (long long)failures,
                     (long long)(delay_ns(failures) / JR_SEC));
}

/* ---- of an index: its failed Pod is there to be asked ---- */

/* When it ended; unset: a controller may know it as one that terminates, and goes by something
 * else then, such as when it stopped being ready. */
static struct jr_time known_end(const struct sim_view *v, const struct sim_pod_view *p,
                                const struct jr_pod *held)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];

        for (size_t k = 0; jr_str_eq(o->life->uid, held->uid) && k < o->n; k++) {
            if (o->rv[k] < p->rv[0] && sim_has_failed(sim_last(v), o->v[k]) &&
                !jr_time_set(sim_ended_at(o->v[k])))
                return (struct jr_time){ 0 };
        }
    }
    return sim_ended_at(held);
}

static bool index_waits(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct jr_pod *held = sim_held_before(v, p);
    struct jr_time last;

    if (held == NULL)
        return true;
    last = known_end(v, p, held);
    return !jr_time_set(last) || is_late_enough(v, p, last, sim_all_failures(held) + 1);
}

/* ---- of the Job: what was counted was seen ---- */

/* The version in which it first was what test says; p->n: none. */
static size_t first(const struct sim_view *v, const struct sim_pod_view *p, sim_pod_test *test)
{
    size_t i = 0;

    while (i < p->n && !(sim_claimed(sim_last(v), p->v[i]) && sim_tracked(p->v[i]) &&
                         test(sim_last(v), p->v[i])))
        i++;
    return i;
}

/* The newest success that a controller may have known of, and when it was. */
static void newest_success(const struct sim_view *v, uint64_t before, uint64_t *rv, int64_t *at_ns)
{
    *rv = 0;
    *at_ns = 0;
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];
        size_t k = first(v, o, sim_has_succeeded);

        if (k == o->n || o->rv[k] >= before)
            continue;
        *rv = o->rv[k] > *rv ? o->rv[k] : *rv;
        /* Unknown: later than any failure. */
        int64_t end = jr_time_set(sim_ended_at(o->v[k])) ? sim_ended_at(o->v[k]).ns : INT64_MAX;
        *at_ns = end > *at_ns ? end : *at_ns;
    }
}

/* Whether it failed, was counted before p was made, and counts as failed after that success. */
static bool is_known_failure(const struct sim_view *v, const struct sim_pod_view *o,
                             uint64_t before, uint64_t success_rv, int64_t success_ns)
{
    size_t k = first(v, o, sim_has_failed);

    return k < o->n && o->entries > 0 && o->as_failed && v->rv[o->entered] < before &&
           o->rv[k] > success_rv && jr_time_set(sim_ended_at(o->v[k])) &&
           sim_ended_at(o->v[k]).ns > success_ns;
}

/* Whether the sync that made p may have found one more failure, which no status told of before, and
 * which ended before the last known one: what a sync finds sets the time, also to one long ago (8),
 * such as the creation of a Pod whose containers don't say when they ended. */
static bool another_sets_the_time(const struct sim_view *v, uint64_t before, struct jr_time last)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];
        size_t k = first(v, o, sim_has_failed);

        if (k == o->n || o->rv[k] >= before || (o->entries > 0 && v->rv[o->entered] < before))
            continue;
        if (jr_time_cmp(sim_ended_at(o->v[k]), last) < 0)
            return true;
    }
    return false;
}

static bool job_waits(const struct sim_view *v, const struct sim_pod_view *p)
{
    uint64_t success_rv;
    int64_t success_ns, failures = 0;
    struct jr_time last = { 0 };
    size_t newest = 0;

    newest_success(v, p->rv[0], &success_rv, &success_ns);
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];

        if (o->entries > 0 && o->as_failed && v->rv[o->entered] < p->rv[0] && o->entered > newest)
            newest = o->entered;
    }
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];

        if (!is_known_failure(v, o, p->rv[0], success_rv, success_ns))
            continue;
        failures++;
        struct jr_time end = sim_ended_at(o->v[first(v, o, sim_has_failed)]);
        if (o->entered == newest && jr_time_cmp(end, last) > 0)
            last = end;
    }
    return failures == 0 || !jr_time_set(last) || another_sets_the_time(v, p->rv[0], last) ||
           is_late_enough(v, p, last, failures);
}

static bool has_ignored(const struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (sim_ever(v, &v->pods[i], UINT64_MAX, sim_has_failed_ignored))
            return true;
    }
    return false;
}

static bool replacements(const struct sim_view *v)
{
    bool per_index = sim_last(v)->spec.backoff_limit_per_index.set;

    /* Ignored failures are waited for as well, but leave nothing that says when they were seen. */
    if (!per_index && has_ignored(v))
        return true;
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *p = &v->pods[i];

        if (!sim_owned(sim_last(v), p->v[0]))
            continue;
        if (per_index ? !index_waits(v, p) : !job_waits(v, p))
            return false;
    }
    return true;
}

/* ---- restarts ---- */

static int64_t restarts_at(const struct sim_view *v, uint64_t rv, int64_t at_ns)
{
    int64_t sum = 0;

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *p = sim_pod_at(&v->pods[i], rv, at_ns);

        if (p != NULL && sim_claimed(sim_last(v), p) && !jr_pod_terminal(p))
            sum += sim_restarts(p);
    }
    return sum;
}

/* Whether the Job's Pods have restarted enough by then, and the Job hasn't begun to end. */
static bool has_to_end(const struct sim_view *v, uint64_t rv, int64_t at_ns)
{
    const struct jr_job *job = v->jobs[sim_job_at(v, rv)];
    int64_t limit = sim_backoff_limit(job);
    int64_t n = restarts_at(v, rv, at_ns);

    return n > 0 && n >= limit && !sim_is_finishing(job);
}

/* A Pod's version, and whether by the end of its prompt time all is as it was. */
static bool ends_promptly(const struct sim_view *v, const struct sim_pod_view *p, size_t i)
{
    int64_t from = p->life->versions[i].at_ns, until = from + SIM_PROMPT_NS;
    bool lasts = has_to_end(v, p->rv[i], from);
    bool later = false;

    for (size_t k = 0; lasts && k < v->n_pods; k++) {
        const struct sim_pod_view *o = &v->pods[k];

        if (o->life->gone_ns >= from && o->life->gone_ns <= until)
            lasts = false;
        for (size_t x = 0; lasts && x < o->n; x++) {
            int64_t at = o->life->versions[x].at_ns;

            if (o->rv[x] > p->rv[i] && at <= until)
                lasts = has_to_end(v, o->rv[x], at);
            later = later || at > until;
        }
    }
    for (size_t k = 0; lasts && k < v->n; k++) {
        if (v->h->job.versions[k].at_ns >= from && v->h->job.versions[k].at_ns <= until)
            lasts = has_to_end(v, v->rv[k], v->h->job.versions[k].at_ns);
    }
    if (!lasts || !later || (v->h->job.gone_ns >= 0 && v->h->job.gone_ns <= until))
        return true;
    return sim_wrong(v->why, "containers have restarted as often as backoffLimit allows, and the "
                             "Job goes on");
}

static bool restarts(const struct sim_view *v)
{
    if (!jr_str_is(sim_last(v)->spec.template.restart_policy, "OnFailure"))
        return true;
    for (size_t i = 0; i < v->n_pods; i++) {
        for (size_t k = 0; k < v->pods[i].n; k++)
            if (sim_restarts(v->pods[i].v[k]) > 0 && !ends_promptly(v, &v->pods[i], k))
                return false;
    }
    return true;
}

bool sim_check_delays(struct sim_view *v)
{
    return !v->h->undisturbed || (replacements(v) && restarts(v));
}
