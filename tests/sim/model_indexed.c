/* SPDX-License-Identifier: Apache-2.0 */
/* Completed and failed indexes from what the Pods did, and the failure counts that Pods of one
 * index hand on (5, 6). */
#include <inttypes.h>

#include "tests/sim/model_parts.h"

/* ---- completedIndexes ---- */

static bool some_pod(const struct sim_view *v, int32_t index, sim_pod_test *test)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (sim_pod_index(v->pods[i].v[0]) == index && sim_ever(v, &v->pods[i], UINT64_MAX, test))
            return true;
    }
    return false;
}

static bool have_reasons(const struct sim_view *v, const struct jr_indexes *s, sim_pod_test *test,
                         const char *field)
{
    for (size_t i = 0; i < s->n; i++) {
        for (int32_t k = s->v[i].first; k <= s->v[i].last; k++)
            if (!some_pod(v, k, test))
                return sim_wrong(v->why, "index %d is in status.%s, and no Pod did that", k, field);
    }
    return true;
}

/* An index that was out of range for a while may have been cut, or not have counted. */
static int32_t least_completions(const struct sim_view *v)
{
    int32_t least = INT32_MAX;

    for (size_t i = 0; i < v->n; i++) {
        int32_t n = jr_i32_or(v->jobs[i]->spec.completions, 0);

        if (n < least)
            least = n;
    }
    return least;
}

/* What succeeded and lost its finalizer by being counted stays completed to the end. */
static bool counted_indexes(const struct sim_view *v, const struct jr_indexes *completed)
{
    int32_t least = least_completions(v);

    for (size_t k = 0; k + 1 < v->n; k++) {
        SIM_INDEXES was = { 0 };

        if (!sim_read_indexes(v->jobs[k], v->jobs[k]->status.completed_indexes, "completedIndexes",
                              &was, v->why)) {
            /* Scaled down, and not looked at since. */
            jr_buf_reset(v->why);
            continue;
        }
        for (size_t i = 0; i < was.n; i++)
            for (int32_t x = was.v[i].first; x <= was.v[i].last && x < least; x++)
                if (!jr_indexes_has(completed, x))
                    return sim_wrong(v->why, "index %d was completed and is no more", x);
    }
    return true;
}

/* ---- failedIndexes ---- */

/* A Pod that was seen to fail (without FailureTarget nothing else counts as failed) fails its index
 * in the same write, or is followed by another. */
static bool entry_fails_index(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct jr_job *job = v->jobs[p->entered];
    int32_t index = sim_pod_index(p->v[0]);
    SIM_INDEXES completed = { 0 };
    SIM_INDEXES failed = { 0 };
    bool exceeds = true;

    if (p->entries == 0 || !p->as_failed || sim_true(job, "FailureTarget") != NULL)
        return true;
    if (jr_indexes_read(job->status.completed_indexes, INT32_MAX, &completed) != JR_OK ||
        jr_indexes_read(job->status.failed_indexes, INT32_MAX, &failed) != JR_OK)
        return sim_wrong(v->why, "no memory");
    for (size_t i = 0; i < p->n && p->rv[i] <= v->rv[p->entered]; i++)
        exceeds = exceeds && (!sim_failed(job, p->v[i]) || sim_exceeds(job, p->v[i]));
    if (!exceeds || jr_indexes_has(&completed, index) || jr_indexes_has(&failed, index))
        return true;
    return sim_wrong(v->why, "Pod %.*s fails index %d for good, status.failedIndexes is \"%.*s\"",
                     JR_P(p->life->uid), index, JR_P(job->status.failed_indexes));
}

/* Held (6): the last failed Pod of an index keeps its finalizer until another one is there, but for
 * who hands the Jobs back, who keeps none for a successor. */
static bool was_followed(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct jr_job *job = v->jobs[p->entered];
    int32_t index = sim_pod_index(p->v[0]);
    SIM_INDEXES ended = { 0 };
    SIM_INDEXES failed = { 0 };

    if (p->entries == 0 || !p->as_failed || sim_is_finishing(job) || sim_deleting(job) ||
        v->h->job.versions[p->entered].hand.decommissioning)
        return true;
    if (jr_indexes_read(job->status.completed_indexes, INT32_MAX, &ended) != JR_OK ||
        jr_indexes_read(job->status.failed_indexes, INT32_MAX, &failed) != JR_OK)
        return sim_wrong(v->why, "no memory");
    if (jr_indexes_has(&ended, index) || jr_indexes_has(&failed, index))
        return true;
    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];

        if (o != p && sim_pod_index(o->v[0]) == index && o->rv[0] < v->rv[p->entered])
            return true;
    }
    return sim_wrong(v->why, "Pod %.*s, the last of index %d, was let go before another was made",
                     JR_P(p->life->uid), index);
}

/* ---- failure counts ---- */

/* A moment of the store, and whether those count that a removal had let go of. */
struct then {
    uint64_t rv;
    int64_t at_ns;
    bool let_go;
};

/* Another failed Pod of p's index, as it was then, that bore its finalizer; NULL: it was none. */
static const struct jr_pod *failed_then(const struct sim_view *v, const struct sim_pod_view *p,
                                        const struct sim_pod_view *o, const struct then *then)
{
    const struct jr_pod *was = o == p ? NULL : sim_pod_at(o, then->rv, then->at_ns);

    if (was == NULL || sim_pod_index(was) != sim_pod_index(p->v[0]) ||
        !sim_claimed(sim_last(v), was) || !sim_failed(sim_last(v), was))
        return NULL;
    if (!sim_tracked(was) && !(then->let_go && sim_was_let_go(o, then->rv)))
        return NULL;
    return was;
}

static const struct sim_pod_view *held_before(const struct sim_view *v,
                                              const struct sim_pod_view *p)
{
    const struct then then = { p->rv[0], p->life->versions[0].at_ns, .let_go = false };
    const struct sim_pod_view *top = NULL;
    int64_t most = -1;
    bool several = false;

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct sim_pod_view *o = &v->pods[i];
        const struct jr_pod *was = failed_then(v, p, o, &then);

        if (was == NULL)
            continue;
        several = sim_all_failures(was) == most || (several && sim_all_failures(was) < most);
        if (sim_all_failures(was) > most) {
            most = sim_all_failures(was);
            top = o;
        }
    }
    return several ? NULL : top;
}

const struct jr_pod *sim_held_before(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct sim_pod_view *o = held_before(v, p);

    return o == NULL ? NULL : sim_pod_at(o, p->rv[0], p->life->versions[0].at_ns);
}

/* Whether `made` has the counts of one that follows `was`. */
static bool follows(const struct jr_job *job, const struct jr_pod *was, const struct jr_pod *made)
{
    const bool ignored = sim_pod_effect(job, was, NULL) == SIM_IGNORED;

    return sim_failure_count(made) == sim_failure_count(was) + !ignored &&
           sim_ignored_count(made) == sim_ignored_count(was) + ignored;
}

/* The same of those with most failures then. */
static bool follows_then(const struct sim_view *v, const struct sim_pod_view *p,
                         const struct then *then)
{
    int64_t most = -1;
    bool right = false;

    for (size_t i = 0; i < v->n_pods; i++) {
        const struct jr_pod *was = failed_then(v, p, &v->pods[i], then);

        if (was == NULL || sim_all_failures(was) < most)
            continue;
        right = (right && sim_all_failures(was) == most) || follows(sim_last(v), was, p->v[0]);
        most = sim_all_failures(was);
    }
    return right;
}

/* The same of what its maker may have gone by: all as it was when he knew it last, or as it became
 * since, one version after the other. */
static bool follows_any(const struct sim_view *v, const struct sim_pod_view *p, bool let_go)
{
    const struct then now = { p->rv[0], p->life->versions[0].at_ns, let_go };
    struct then known = { p->life->versions[0].hand.pods, 0, let_go };

    if (follows_then(v, p, &now))
        return true;
    for (size_t k = 0; k < v->n_pods; k++) {
        const struct sim_pod_view *o = &v->pods[k];
        const bool same = sim_pod_index(o->v[0]) == sim_pod_index(p->v[0]);

        for (size_t i = 0; i < o->n && o->rv[i] < p->rv[0]; i++) {
            const struct then then = { o->rv[i], o->life->versions[i].at_ns, let_go };

            if (then.rv <= known.rv && then.at_ns > known.at_ns)
                known.at_ns = then.at_ns;
            if (same && then.rv > known.rv && follows_then(v, p, &then))
                return true;
        }
    }
    return follows_then(v, p, &known);
}

static bool counts_go_on(const struct sim_view *v, const struct sim_pod_view *p)
{
    const struct sim_pod_view *o = held_before(v, p);
    const struct jr_pod *made = p->v[0], *held;
    bool ignored;

    if (!sim_owned(sim_last(v), made) || o == NULL || v->h->surplus_max > 0 ||
        !sim_index_counts(v->jobs[sim_job_at(v, p->rv[0])], made) || follows_any(v, p, false) ||
        follows_any(v, p, true))
        return true;
    held = sim_held_before(v, p);
    ignored = sim_pod_effect(sim_last(v), held, NULL) == SIM_IGNORED;
    return sim_wrong(v->why,
                     "Pod %.*s of index %d says %" PRId64 " failures and %" PRId64
                     " ignored ones, %" PRId64 " and %" PRId64 " went before",
                     JR_P(p->life->uid), sim_pod_index(made), sim_failure_count(made),
                     sim_ignored_count(made), sim_failure_count(held) + !ignored,
                     sim_ignored_count(held) + ignored);
}

/* ---- the whole ---- */

static bool per_index(struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        if (!entry_fails_index(v, &v->pods[i]) || !was_followed(v, &v->pods[i]) ||
            !counts_go_on(v, &v->pods[i]))
            return false;
    }
    return true;
}

bool sim_check_indexes(struct sim_view *v)
{
    const struct jr_job *job = sim_last(v);
    SIM_INDEXES completed = { 0 };
    SIM_INDEXES failed = { 0 };

    if (!sim_indexed(job))
        return true;
    if (jr_indexes_read(job->status.completed_indexes, INT32_MAX, &completed) != JR_OK ||
        jr_indexes_read(job->status.failed_indexes, INT32_MAX, &failed) != JR_OK)
        return sim_wrong(v->why, "no memory");
    if (!have_reasons(v, &completed, sim_has_succeeded, "completedIndexes") ||
        !have_reasons(v, &failed, sim_exceeds, "failedIndexes") || !counted_indexes(v, &completed))
        return false;
    return !job->spec.backoff_limit_per_index.set || per_index(v);
}
