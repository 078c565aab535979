/* SPDX-License-Identifier: Apache-2.0 */
/* Indexed Jobs: which indexes have succeeded or failed, which need a Pod (KEP-2214, KEP-3850). */
#include "controller/reconcile/internal.h"

/* ---- the counts that Pods of one index hand on ---- */

static int64_t annotation(const struct jr_pod *pod, struct jr_pod_text text)
{
    int64_t v;

    return jr_parse_go_int(jr_pod_str(pod, text), &v) == JR_OK && v >= 0 && v <= INT32_MAX ? v : 0;
}

int64_t jr_index_count(const struct jr_pod *pod)
{
    return annotation(pod, pod->index_failure_count);
}

int64_t jr_index_failures(const struct jr_pod *pod)
{
    return annotation(pod, pod->index_failure_count) +
           annotation(pod, pod->index_ignored_failure_count);
}

/* ---- sets ---- */

/** Merges the indexes of the Pods that `in` picks into *set. Pods are ordered by index. */
static void add_indexes(const struct jr_sync *s,
                        bool (*in)(const struct jr_sync *s, const struct jr_rpod *p),
                        struct jr_indexes *set)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes found = { 0 };

    for (size_t i = 0; i < s->n_pods; i++) {
        if (jr_index_known(s, s->pods[i].index) && in(s, &s->pods[i]))
            jr_must(jr_indexes_add(&found, s->pods[i].index));
    }
    jr_must(jr_indexes_merge(set, &found));
}

/** Whether the Pod's end is still to be recorded. What bears a finalizer whose removal is under way
 * is recorded in a status that the cache has; only a cache that may be older has to look again. */
static bool unrecorded(const struct jr_sync *s, const struct jr_rpod *p)
{
    return p->holder ||
           (!s->snap.options->stale_controller_consistency && (p->finalizer || p->finalizer_lost));
}

static bool succeeded(const struct jr_sync *s, const struct jr_rpod *p)
{
    return unrecorded(s, p) && p->succeeded;
}

/** Whether this failure was the index's last. */
static bool exhausted(const struct jr_sync *s, const struct jr_rpod *p)
{
    struct jr_failure_match m;

    /* What is listed and succeeds has failed its index by that write, or only with its Job. */
    if (!unrecorded(s, p) || !p->failed || p->pod->phase == JR_POD_SUCCEEDED)
        return false;
    m = jr_failure_policy_match(s->snap.options, s->job, p->pod);
    if (m.action == JR_FAILURE_FAIL_INDEX)
        return true;
    return m.action != JR_FAILURE_IGNORE &&
           jr_index_count(p->pod) >= s->job->spec.backoff_limit_per_index.v;
}

static bool is_active(const struct jr_sync *s, const struct jr_rpod *p)
{
    (void)s;
    return p->active;
}

static bool is_terminating(const struct jr_sync *s, const struct jr_rpod *p)
{
    (void)s;
    return jr_pod_terminating(p->pod);
}

/** Takes from *set what is in `other`. Both are small or, mostly, have nothing in common. */
static void subtract(struct jr_indexes *set, const struct jr_indexes *other)
{
    struct jr_indexes left = { 0 };

    if (jr_indexes_common(set, other) < 0)
        return;
    for (size_t i = 0; i < set->n; i++) {
        for (int64_t x = set->v[i].first; x <= set->v[i].last; x++) {
            if (!jr_indexes_has(other, (int32_t)x))
                jr_must(jr_indexes_add(&left, (int32_t)x));
        }
    }
    jr_indexes_done(set);
    *set = left;
}

/* ---- Pods that are held ---- */

/** Whether a replacement goes on from p and not from o: p has more failures, or as many and ended
 * no earlier. Upstream asks for both, so its choice depends on the order of its cache. */
static bool is_held_before(const struct jr_pod *p, const struct jr_pod *o)
{
    const int64_t n = jr_index_failures(p), of_o = jr_index_failures(o);

    return n > of_o ||
           (n == of_o && jr_time_cmp(jr_pod_finish_time(p), jr_pod_finish_time(o)) >= 0);
}

/** Of the failed Pods of one index the one that knows most: it is kept, so that its counts and its
 * time survive until a replacement carries them on. */
static void hold_latest(struct jr_rpod *group, size_t n)
{
    struct jr_rpod *best = NULL;

    for (size_t i = 0; i < n; i++) {
        struct jr_rpod *p = &group[i];

        if (!p->failed || !p->holder)
            continue;
        if (best == NULL || is_held_before(p->pod, best->pod))
            best = p;
    }
    if (best != NULL)
        best->held = true;
}

static void hold_all(struct jr_sync *s)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes accounted = { 0 };

    if (s->snap.options->account_only)
        return;
    add_indexes(s, is_active, &accounted);
    jr_must(jr_indexes_merge(&accounted, &s->succeeded_set));
    jr_must(jr_indexes_merge(&accounted, &s->failed_set));
    for (size_t i = 0, n; i < s->n_pods; i += n) {
        int32_t index = s->pods[i].index;

        for (n = 1; i + n < s->n_pods && s->pods[i + n].index == index; n++)
            continue;
        if (jr_index_known(s, index) && !jr_indexes_has(&accounted, index))
            hold_latest(&s->pods[i], n);
    }
}

const struct jr_rpod *jr_index_held(const struct jr_sync *s, int32_t index)
{
    size_t lo = 0, hi = s->n_pods;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->pods[mid].index < index)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < s->n_pods && s->pods[lo].index == index; lo++) {
        if (s->pods[lo].held)
            return &s->pods[lo];
    }
    return NULL;
}

void jr_indexes_update(struct jr_sync *s)
{
    const struct jr_job_status *was = &s->job->status;

    jr_must(jr_indexes_read(was->completed_indexes, s->completions, &s->old_succeeded));
    jr_must(jr_indexes_merge(&s->succeeded_set, &s->old_succeeded));
    add_indexes(s, succeeded, &s->succeeded_set);
    s->succeeded = jr_indexes_count(&s->succeeded_set);
    if (!s->per_index)
        return;
    jr_must(jr_indexes_read(was->failed_indexes, s->completions, &s->failed_set));
    add_indexes(s, exhausted, &s->failed_set);
    /* A second Pod of an index that has succeeded may fail; the API server refuses an index that
     * is in both lists (upstream lets that happen and the Job hangs). */
    subtract(&s->failed_set, &s->succeeded_set);
    hold_all(s);
}

/* ---- indexes that need a Pod ---- */

void jr_indexes_pending(struct jr_sync *s, size_t want)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes taken = { 0 };
    int64_t next = 0;

    jr_must(jr_indexes_merge(&taken, &s->succeeded_set));
    add_indexes(s, is_active, &taken);
    if (s->replace_failed_only)
        add_indexes(s, is_terminating, &taken);
    jr_must(jr_indexes_merge(&taken, &s->failed_set));
    s->new_indexes = jr_xarena_calloc(&s->keep, want, sizeof(*s->new_indexes));
    s->n_new = 0;
    for (size_t i = 0; i <= taken.n; i++) {
        int64_t end = i < taken.n ? taken.v[i].first : s->completions;

        for (; next < end && next < s->completions && s->n_new < want; next++)
            s->new_indexes[s->n_new++] = (int32_t)next;
        if (i < taken.n)
            next = (int64_t)taken.v[i].last + 1;
    }
}
