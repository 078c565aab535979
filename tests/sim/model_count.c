/* SPDX-License-Identifier: Apache-2.0 */
/* Each finished Pod is counted once (6): how Pods enter the uncounted lists. */
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
        if (p->entries++ > 0 && !p->life->adopted_late)
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
        failed += v->pods[i].as_failed ? (int64_t)v->pods[i].entries : 0;
        succeeded += v->pods[i].as_failed ? 0 : (int64_t)v->pods[i].entries;
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

bool sim_check_counting(struct sim_view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        if (!enter(v, i, &v->jobs[i]->status.uncounted.succeeded, false) ||
            !enter(v, i, &v->jobs[i]->status.uncounted.failed, true))
            return false;
    }
    for (size_t i = 0; i < v->n_pods; i++) {
        if (!entry_is_true(v, &v->pods[i]))
            return false;
    }
    return totals(v);
}
