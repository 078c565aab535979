/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that were made beyond need: more than parallelism or completions ask for, or of an index
 * that has one (5). A controller knows of all Pods that it has made, so there are none, but for
 * what overlapping leaders and lost answers excuse. */
#include "tests/sim/model_parts.h"

struct others {
    int32_t active;
    int32_t terminating;
    int32_t succeeded; /* with their finalizer, listed nowhere yet */
    bool same_index;   /* one of them stands for it */
};

/* While it goes on. */
static bool stands_for_index(const struct jr_job *job, const struct jr_pod *p)
{
    return jr_pod_active(p) || (sim_replace_failed_only(job) && jr_pod_terminating(p));
}

/* Whether it had failed, or was being deleted, before it ran on or succeeded: who has seen no
 * further than that, at that moment, replaces it. A kubelet that comes back says also of a Pod that
 * somebody else has failed meanwhile that it runs, and how it has ended. */
static bool may_seem_failed(const struct sim_view *v, const struct sim_pod_view *p,
                            const struct jr_job *job, const struct sim_version *made)
{
    const int64_t at_ns = made->at_ns;

    for (size_t i = 1; i < p->n && p->life->versions[i].at_ns <= at_ns; i++) {
        if (sim_failed(job, p->v[i - 1]) && !sim_failed(job, p->v[i]) &&
            p->rv[i] > made->hand.pods &&
            (!v->h->undisturbed || p->life->versions[i].at_ns >= at_ns - SIM_PROMPT_NS))
            return true;
    }
    return false;
}

/* Whether it had ended and runs again, which the maker didn't know: a kubelet that comes back tells
 * what it knew last. */
static bool may_seem_ended(const struct sim_view *v, const struct sim_pod_view *p,
                           const struct sim_version *made)
{
    const int64_t at_ns = made->at_ns;

    for (size_t i = 1; i < p->n && p->life->versions[i].at_ns <= at_ns; i++) {
        if (jr_pod_terminal(p->v[i - 1]) && !jr_pod_terminal(p->v[i]) &&
            p->rv[i] > made->hand.pods &&
            (!v->h->undisturbed || p->life->versions[i].at_ns >= at_ns - SIM_PROMPT_NS))
            return true;
    }
    return false;
}

static struct others others_at(const struct sim_view *v, const struct sim_pod_view *p,
                               const struct jr_job *job)
{
    const int64_t at_ns = p->life->versions[0].at_ns;
    struct others o = { 0 };

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *q = sim_pod_at(&v->pods[i], p->rv[0], at_ns);
        bool success;

        if (&v->pods[i] == p || q == NULL || !sim_claimed(job, q) ||
            (!jr_pod_terminal(q) && may_seem_ended(v, &v->pods[i], &p->life->versions[0])))
            continue;
        success = sim_tracked(q) && q->phase == JR_POD_SUCCEEDED &&
                  !(v->pods[i].as_failed && v->rv[v->pods[i].entered] <= p->rv[0]) &&
                  !may_seem_failed(v, &v->pods[i], job, &p->life->versions[0]);
        o.active += jr_pod_active(q);
        o.terminating += jr_pod_terminating(q);
        o.succeeded += success && !jr_time_set(q->deletion_timestamp) && !sim_listed(job, q->uid);
        o.same_index = o.same_index || (sim_pod_index(q) == sim_pod_index(p->v[0]) &&
                                        (success || stands_for_index(job, q)));
    }
    return o;
}

/* Of all versions that the controller may have had before it. */
struct most {
    int32_t parallelism;
    int32_t completions; /* -1: none */
    bool ran;            /* not suspended in one of them */
};

static struct most most_until(const struct sim_view *v, size_t version,
                              const struct sim_version *made)
{
    size_t seen = sim_job_seen(v, made->at_ns), known = sim_job_at(v, made->hand.jobs);
    struct most m = { .completions = -1 };

    for (size_t i = known > seen ? known : seen; i <= version; i++) {
        const struct jr_job_spec *spec = &v->jobs[i]->spec;
        int32_t p = jr_i32_or(spec->parallelism, 1), c = jr_i32_or(spec->completions, -1);

        m.parallelism = p > m.parallelism ? p : m.parallelism;
        m.completions = c > m.completions ? c : m.completions;
        m.ran = m.ran || !sim_suspended(v->jobs[i]);
    }
    return m;
}

/* In what way a Pod is beyond need. One that its maker knows nothing of makes another one beyond
 * need in each way: one too many, and a second one of its index. So each is counted for itself. */
enum way { BY_NUMBER, BY_INDEX, BY_TIME, N_WAYS };
struct beyond {
    enum way way;
    const char *words; /* NULL: it was needed */
};

static struct beyond beyond_need(const struct sim_view *v, const struct sim_pod_view *p)
{
    size_t version = sim_job_at(v, p->rv[0]);
    const struct jr_job *job = v->jobs[version];
    struct most most = most_until(v, version, &p->life->versions[0]);
    struct others o = others_at(v, p, job);
    int32_t busy = o.active + (sim_replace_failed_only(job) ? o.terminating : 0);
    int64_t succeeded = (int64_t)job->status.succeeded + (int64_t)job->status.uncounted.succeeded.n;

    if (!most.ran)
        return (struct beyond){ BY_TIME, "while the Job was suspended" };
    if (jr_job_finished(&job->status) || sim_is_finishing(job))
        return (struct beyond){ BY_TIME, "after the Job had ended" };
    if (busy + 1 > most.parallelism)
        return (struct beyond){ BY_NUMBER, "beyond parallelism" };
    if (!sim_indexed(job))
        return (struct beyond){ BY_NUMBER,
                                most.completions >= 0 &&
                                        busy + o.succeeded + succeeded + 1 > most.completions
                                    ? "beyond completions"
                                    : NULL };
    if (sim_pod_index(p->v[0]) >= most.completions)
        return (struct beyond){ BY_INDEX, "with an index out of range" };
    if (o.same_index || sim_index_is_over(job, sim_pod_index(p->v[0])))
        return (struct beyond){ BY_INDEX, "for an index that needs none" };
    return (struct beyond){ BY_NUMBER, NULL };
}

bool sim_check_creations(struct sim_view *v)
{
    size_t n[N_WAYS] = { 0 };

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *p = &v->pods[i];
        struct beyond b = { BY_NUMBER, NULL };

        if (sim_owned(sim_last(v), p->v[0]))
            b = beyond_need(v, p);
        if (b.words != NULL && ++n[b.way] > v->h->surplus_max)
            return sim_wrong(v->why, "Pod %.*s was made %s (%zu beyond need, %zu may be)",
                             JR_P(p->life->uid), b.words, n[b.way], v->h->surplus_max);
    }
    return true;
}
