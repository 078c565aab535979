/* Each finished Pod is counted once, and none is lost (6): how Pods enter the uncounted lists, and
 * what a finalizer may be taken off for. */
#include "tests/sim/model_parts.h"

static struct sim_pod_view *pod_of(struct sim_view *v, struct jr_str uid)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (jr_str_eq(v->pods[i].life->uid, uid))
            return &v->pods[i];
    }
    return NULL;
}

/* ---- entries ---- */

static bool enter(struct sim_view *v, size_t version, const struct jr_strs *list, bool failed)
{
    for (size_t i = 0; i < list->n; i++) {
        struct sim_pod_view *p = pod_of(v, list->v[i]);

        if (version > 0 && sim_listed(v->jobs[version - 1], list->v[i]))
            continue;
        if (p == NULL)
            return sim_wrong(v->why, "\"%.*s\" was counted, but is no Pod of this Job",
                             JR_P(list->v[i]));
        if (p->entries++ > 0)
            return sim_wrong(v->why, "Pod %.*s was counted twice", JR_P(list->v[i]));
        p->entered = version;
        p->as_failed = failed;
    }
    return true;
}

/* The counters at the end are what the entries come to. */
static bool totals(const struct sim_view *v)
{
    const struct jr_job_status *st = &sim_last(v)->status;
    int64_t failed = 0, succeeded = 0;

    for (size_t i = 0; i < v->n_pods; i++) {
        failed += v->pods[i].entries > 0 && v->pods[i].as_failed;
        succeeded += v->pods[i].entries > 0 && !v->pods[i].as_failed;
    }
    if (st->failed + (int64_t)st->uncounted.failed.n != failed)
        return sim_wrong(v->why, "failed is %d with %zu uncounted, %lld Pods were counted so",
                         st->failed, st->uncounted.failed.n, (long long)failed);
    if (!sim_indexed(sim_last(v)) &&
        st->succeeded + (int64_t)st->uncounted.succeeded.n != succeeded)
        return sim_wrong(v->why, "succeeded is %d with %zu uncounted, %lld Pods were counted so",
                         st->succeeded, st->uncounted.succeeded.n, (long long)succeeded);
    return true;
}

/* As what it was counted, it was at some time. */
static bool entry_is_true(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct jr_job *job = v->jobs[p->entered];

    if (p->entries == 0)
        return true;
    if (!p->as_failed)
        return sim_ever(v, p, UINT64_MAX, sim_has_succeeded) ||
               sim_wrong(v->why, "Pod %.*s counts as succeeded and never was", JR_P(p->life->uid));
    if (sim_ever(v, p, v->rv[p->entered], sim_has_failed))
        return true;
    return sim_true(job, "FailureTarget") != NULL ||
           sim_wrong(v->why, "Pod %.*s counts as failed, which it %s", JR_P(p->life->uid),
                     sim_ever(v, p, UINT64_MAX, sim_has_failed_ignored) ? "did by an ignored rule"
                                                                        : "never did");
}

/* ---- removals ---- */

/* The Job's versions that may have stood when a finalizer went. */
struct span {
    size_t lo;
    size_t hi;
    size_t seen; /* the oldest that the controller may have gone by */
};

static struct span span_at(const struct sim_view *v, const struct sim_pod_view *p, size_t i)
{
    const struct sim_version *job = v->h->job.versions;
    int64_t at_ns = i < p->n ? p->life->versions[i].at_ns : p->life->gone_ns;
    struct span s = { 0, v->n - 1, sim_job_seen(v, at_ns) };

    if (i < p->n) {
        s.lo = s.hi = sim_job_at(v, p->rv[i]);
        return s;
    }
    /* It went with its last finalizer: only the moment is known. */
    while (s.hi > 0 && job[s.hi].at_ns > p->life->gone_ns)
        s.hi--;
    s.lo = s.hi;
    while (s.lo > 0 && job[s.lo].at_ns >= p->life->gone_ns)
        s.lo--;
    return s;
}

static bool index_is_completed(const struct jr_job *job, const struct jr_pod *p)
{
    SIM_INDEXES completed = { 0 };

    return jr_indexes_read(job->status.completed_indexes, jr_i32_or(job->spec.completions, 0),
                           &completed) == JR_OK &&
           jr_indexes_has(&completed, sim_pod_index(p));
}

static bool is_accounted(const struct sim_view *v, struct span s, const struct sim_pod_view *p,
                         const struct jr_pod *last)
{
    for (size_t i = s.lo; i <= s.hi; i++) {
        if (sim_listed(v->jobs[i], p->life->uid))
            return true;
        if (sim_indexed(v->jobs[i]) && last->phase == JR_POD_SUCCEEDED &&
            index_is_completed(v->jobs[i], last))
            return true;
        if (sim_has_failed_ignored(v->jobs[i], last))
            return true;
        if (sim_true(v->jobs[i], "SuccessCriteriaMet") != NULL || sim_deleting(v->jobs[i]) ||
            jr_job_finished(&v->jobs[i]->status))
            return true; /* what the cache showed running goes uncounted */
    }
    return false;
}

/* Out of range in a version that the controller may have seen. */
static bool index_never_counted(const struct sim_view *v, struct span s, const struct jr_pod *p)
{
    for (size_t i = 0; i <= s.hi; i++) {
        if (!sim_index_counts(v->jobs[i], p))
            return true;
    }
    return false;
}

static bool was_suspended(const struct sim_view *v, struct span s)
{
    for (size_t i = s.seen; i <= s.hi; i++) {
        if (sim_suspended(v->jobs[i]))
            return true;
    }
    return false;
}

static bool was_scaled_down(const struct sim_view *v, struct span s)
{
    for (size_t i = 1; i <= s.hi; i++) {
        const struct jr_job_spec *was = &v->jobs[i - 1]->spec, *is = &v->jobs[i]->spec;

        if (jr_i32_or(is->parallelism, 1) < jr_i32_or(was->parallelism, 1) ||
            jr_i32_or(is->completions, 0) < jr_i32_or(was->completions, 0))
            return true;
    }
    return false;
}

static bool has_adopted(const struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        for (size_t k = 1; k < v->pods[i].n; k++)
            if (!v->pods[i].v[k - 1]->controller.set && sim_owned(sim_last(v), v->pods[i].v[k]))
                return true;
    }
    return false;
}

/* Reasons to take an active Pod away, uncounted (5). */
static bool may_be_removed(const struct sim_view *v, struct span s)
{
    return was_suspended(v, s) || was_scaled_down(v, s) || has_adopted(v) || v->h->surplus_max > 0;
}

static bool job_is_gone(const struct sim_view *v, const struct sim_pod_view *p, size_t i)
{
    int64_t at_ns = i < p->n ? p->life->versions[i].at_ns : p->life->gone_ns;

    return v->h->job.gone_ns >= 0 && v->h->job.gone_ns <= at_ns;
}

/* The i-th version has lost the finalizer that the one before had; i = n: the Pod went with it. */
static bool removal_is_right(const struct sim_view *v, const struct sim_pod_view *p, size_t i)
{
    const struct jr_pod *last = p->v[i - 1];
    struct span s = span_at(v, p, i);
    const struct jr_job *job = v->jobs[s.hi];

    if (p->life->stripped || job_is_gone(v, p, i) || is_accounted(v, s, p, last))
        return true;
    if (!sim_claimed(job, last) && (i == p->n || !sim_owned(job, p->v[i])))
        return true; /* released, and gone by that if it was being deleted */
    if (sim_claimed(job, last) && index_never_counted(v, s, last))
        return true;
    if (may_be_removed(v, s))
        return true; /* also when it was relabelled with that on its way */
    if (!sim_claimed(job, last))
        return sim_wrong(v->why, "Pod %.*s, which doesn't match, lost its finalizer, not its owner",
                         JR_P(p->life->uid));
    if (i < p->n && !sim_owned(job, p->v[i]))
        return sim_wrong(v->why, "Pod %.*s was released though it matches", JR_P(p->life->uid));
    return sim_wrong(v->why, "Pod %.*s %s, and was lost: its finalizer went before it was counted",
                     JR_P(p->life->uid),
                     jr_pod_terminal(last)      ? "finished"
                     : sim_failed(job, last)    ? "failed by being deleted"
                     : jr_pod_terminating(last) ? "was terminating"
                                                : "was active");
}

static bool removals(const struct sim_view *v, const struct sim_pod_view *p)
{
    for (size_t i = 1; i <= p->n; i++) {
        const struct jr_pod *last = p->v[i - 1];
        bool lost = i < p->n ? !sim_tracked(p->v[i]) : p->life->gone_ns >= 0;

        if (sim_owned(sim_last(v), last) && sim_tracked(last) && lost && !removal_is_right(v, p, i))
            return false;
    }
    return true;
}

bool sim_judge_counting(struct sim_view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        if (!enter(v, i, &v->jobs[i]->status.uncounted.succeeded, false) ||
            !enter(v, i, &v->jobs[i]->status.uncounted.failed, true))
            return false;
    }
    for (size_t i = 0; i < v->n_pods; i++) {
        if (!entry_is_true(v, &v->pods[i]) || !removals(v, &v->pods[i]))
            return false;
    }
    return totals(v);
}
