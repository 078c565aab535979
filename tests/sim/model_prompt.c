/* SPDX-License-Identifier: Apache-2.0 */
/* Where nothing has disturbed it: what a controller has to do about a Pod is done before
 * SIM_PROMPT_NS is over, also where something else would mend it in the end. */
#include "common/rules/selector.h"
#include "tests/sim/model_parts.h"

/* A stretch of time of that length. */
struct window {
    int64_t from_ns;
    int64_t until_ns;
    const struct jr_job *job; /* as it is all the while, but for its status */
};

static int64_t last_event(const struct sim_view *v)
{
    int64_t at = v->h->job.versions[v->n - 1].at_ns;

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_life *l = v->pods[i].life;

        if (l->versions[l->n - 1].at_ns > at)
            at = l->versions[l->n - 1].at_ns;
    }
    return at;
}

static bool same_wish(const struct jr_job *a, const struct jr_job *b)
{
    return jr_i32_or(a->spec.parallelism, 1) == jr_i32_or(b->spec.parallelism, 1) &&
           jr_i32_or(a->spec.completions, -1) == jr_i32_or(b->spec.completions, -1) &&
           sim_suspended(a) == sim_suspended(b);
}

static bool goes_on(const struct jr_job *job)
{
    return !sim_deleting(job) && !sim_is_finishing(job);
}

/* Whether the Job stands there all the while, and nobody wants anything else of it. */
static bool window_at(const struct sim_view *v, int64_t from_ns, struct window *ret)
{
    const struct sim_version *at = v->h->job.versions;
    struct window w = { from_ns, from_ns + SIM_PROMPT_NS, NULL };

    if (at[0].at_ns > from_ns || w.until_ns > last_event(v) ||
        (v->h->job.gone_ns >= 0 && v->h->job.gone_ns <= w.until_ns))
        return false;
    for (size_t i = 0; i < v->n && at[i].at_ns <= w.until_ns; i++) {
        if (i + 1 < v->n && at[i + 1].at_ns <= from_ns)
            continue;
        if (w.job != NULL && !same_wish(w.job, v->jobs[i]))
            return false;
        w.job = v->jobs[i];
        if (!goes_on(w.job))
            return false;
    }
    *ret = w;
    return true;
}

/* Whether it was all the while what test says. */
static bool all_the_while(const struct sim_pod_view *p, const struct window *w, sim_pod_test *test)
{
    const struct sim_version *at = p->life->versions;

    if (at[0].at_ns > w->from_ns || (p->life->gone_ns >= 0 && p->life->gone_ns <= w->until_ns))
        return false;
    for (size_t i = 0; i < p->n && at[i].at_ns <= w->until_ns; i++) {
        if (i + 1 < p->n && at[i + 1].at_ns <= w->from_ns)
            continue;
        if (!test(w->job, p->v[i]))
            return false;
    }
    return true;
}

/* ---- what may not last ---- */

static bool is_uncounted(const struct jr_job *job, const struct jr_pod *p)
{
    /* A failed one of an index may be held. */
    return sim_claimed(job, p) && sim_tracked(p) &&
           (p->phase == JR_POD_SUCCEEDED ||
            (sim_failed(job, p) && !job->spec.backoff_limit_per_index.set));
}

static bool is_unreleased(const struct jr_job *job, const struct jr_pod *p)
{
    return sim_owned(job, p) && !sim_claimed(job, p);
}

static bool is_unadopted(const struct jr_job *job, const struct jr_pod *p)
{
    return !p->controller.set && !jr_time_set(p->deletion_timestamp) &&
           jr_selector_matches_pod(&job->spec.selector, p);
}

static bool is_active(const struct jr_job *job, const struct jr_pod *p)
{
    return sim_claimed(job, p) && jr_pod_active(p);
}

static bool is_active_for_no_index(const struct jr_job *job, const struct jr_pod *p)
{
    return is_active(job, p) && !sim_index_counts(job, p);
}

static const struct {
    sim_pod_test *test;
    const char *words;
} lasting[] = {
    { is_uncounted, "has ended and isn't counted" },
    { is_unreleased, "doesn't match and isn't released" },
    { is_unadopted, "matches and isn't adopted" },
    { is_active_for_no_index, "runs for no index" },
};

static bool pod_is_seen_to(const struct sim_view *v, const struct sim_pod_view *p)
{
    for (size_t i = 0; i < p->n; i++) {
        struct window w;

        if (!window_at(v, p->life->versions[i].at_ns, &w))
            continue;
        for (size_t k = 0; k < JR_ARRAY_SIZE(lasting); k++)
            if (all_the_while(p, &w, lasting[k].test))
                return sim_wrong(v->why, "Pod %.*s %s, for %lld s", JR_P(p->life->uid),
                                 lasting[k].words, (long long)(SIM_PROMPT_NS / JR_SEC));
    }
    return true;
}

/* ---- how many may run ---- */

static bool some_succeeded(const struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (sim_ever(v, &v->pods[i], UINT64_MAX, sim_has_succeeded))
            return true;
    }
    return false;
}

static bool none_is_beyond(const struct sim_view *v, size_t version)
{
    struct window w;
    int32_t n = 0, most;

    if (!window_at(v, v->h->job.versions[version].at_ns, &w))
        return true;
    for (size_t i = 0; i < v->n_pods; i++)
        n += all_the_while(&v->pods[i], &w, is_active);
    most = sim_suspended(w.job) ? 0 : jr_i32_or(w.job->spec.parallelism, 1);
    /* A work queue leaves what runs to itself once one has succeeded. */
    if (n <= most || (!sim_suspended(w.job) && !w.job->spec.completions.set && some_succeeded(v)))
        return true;
    return sim_wrong(v->why, "%d Pods run for %lld s, %d are wanted%s", n,
                     (long long)(SIM_PROMPT_NS / JR_SEC), most,
                     sim_suspended(w.job) ? ": it is suspended" : "");
}

bool sim_check_promptness(struct sim_view *v)
{
    if (!v->h->undisturbed)
        return true;
    for (size_t i = 0; i < v->n_pods; i++) {
        if (!pod_is_seen_to(v, &v->pods[i]))
            return false;
    }
    for (size_t i = 0; i < v->n; i++) {
        if (!none_is_beyond(v, i))
            return false;
    }
    return true;
}
