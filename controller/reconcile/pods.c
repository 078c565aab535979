/* SPDX-License-Identifier: Apache-2.0 */
/* What each Pod is to the Job, and how many there are of each kind. */
#include "controller/reconcile/internal.h"

/* ---- sets of strings ---- */

struct jr_strs jr_strset_make(struct jr_arena *a, const struct jr_strs *of)
{
    struct jr_str *v = jr_xarena_calloc(a, of->n, sizeof(*v));

    if (of->n > 0) {
        memcpy(v, of->v, of->n * sizeof(*v));
        qsort(v, of->n, sizeof(*v), jr_str_order);
    }
    return (struct jr_strs){ v, of->n };
}

bool jr_strset_has(const struct jr_strs *set, struct jr_str v)
{
    return set->n > 0 && bsearch(&v, set->v, set->n, sizeof(*set->v), jr_str_order) != NULL;
}

/* ---- one Pod ---- */

bool jr_index_known(const struct jr_sync *s, int32_t index)
{
    return index >= 0 && index < s->completions;
}

/** KEP-3939: unless only failed Pods are replaced, one that is being deleted is a failure at once,
 * since an orphan of a lost node may never reach the phase. */
static bool has_failed(const struct jr_sync *s, const struct jr_pod *pod)
{
    if (pod->phase == JR_POD_FAILED)
        return true;
    return !s->replace_failed_only && jr_time_set(pod->deletion_timestamp) &&
           pod->phase != JR_POD_SUCCEEDED;
}

bool jr_rpod_new(const struct jr_sync *s, const struct jr_rpod *p, bool listed)
{
    return p->holder && !listed && (!s->indexed || jr_index_known(s, p->index));
}

static void count(struct jr_sync *s, const struct jr_rpod *p)
{
    if (p->active) {
        s->active++;
        if (jr_pod_ready(p->pod))
            s->ready++;
    } else if (jr_pod_terminating(p->pod)) {
        s->terminating++;
    }
    if (p->succeeded && jr_rpod_new(s, p, p->listed_succeeded))
        s->succeeded++;
    if (p->failed && jr_rpod_new(s, p, p->listed_failed) && jr_failure_counts(s, p->pod))
        s->failed++;
}

/* ---- all of them ---- */

static int compare_index(const void *a, const void *b)
{
    const struct jr_rpod *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void classify(const struct jr_sync *s, struct jr_rpod *p)
{
    p->index = jr_pod_index(p->pod);
    /* Where a deletion had no answer and happened all the same, it is none of ours any more. */
    p->finalizer_lost = !p->finalizer && !jr_time_set(p->pod->deletion_timestamp) &&
                        jr_strset_has(&s->finalizer_lost, p->pod->uid);
    p->holder = (p->finalizer || p->finalizer_lost) && !jr_strset_has(&s->awaited, p->pod->uid);
    p->active = jr_pod_active(p->pod);
    p->listed_succeeded = jr_strset_has(&s->uncounted_succeeded, p->pod->uid);
    p->listed_failed = jr_strset_has(&s->uncounted_failed, p->pod->uid);
    p->succeeded = p->listed_succeeded || (p->pod->phase == JR_POD_SUCCEEDED && !p->listed_failed);
    p->failed = !p->listed_succeeded &&
                (has_failed(s, p->pod) || (p->listed_failed && p->pod->phase == JR_POD_SUCCEEDED));
}

static const struct jr_stage *count_some(struct jr_sync *s, const struct jr_results *r)
{
    const size_t from = s->cursor;

    (void)r;
    for (; s->cursor < s->n_pods && !jr_slice_over(s, from); s->cursor++) {
        classify(s, &s->pods[s->cursor]);
        count(s, &s->pods[s->cursor]);
    }
    if (s->cursor < s->n_pods)
        return jr_emit_nothing(s, count_some);
    /* Completed indexes are introduced in order, and Pods of one index lie together. */
    if (s->indexed && s->n_pods > 0)
        qsort(s->pods, s->n_pods, sizeof(*s->pods), compare_index);
    return NULL;
}

const struct jr_stage *jr_pods_count(struct jr_sync *s)
{
    const struct jr_job_status *was = &s->job->status;

    /* Who leaves begins nothing: a deadline would run, and who comes next would make no gang. */
    if (s->snap.options->account_only && s->n_pods == 0 && !was->uncounted.set)
        return jr_emit_done(s, s->manage_error);
    s->uncounted_succeeded =
        jr_strset_make(&s->keep, s->indexed ? &s->snap.succeeded : &was->uncounted.succeeded);
    s->uncounted_failed = jr_strset_make(&s->keep, &was->uncounted.failed);
    s->succeeded = (int64_t)was->succeeded + (int64_t)was->uncounted.succeeded.n;
    s->failed = (int64_t)was->failed + (int64_t)was->uncounted.failed.n;
    s->cursor = 0;
    return count_some(s, NULL);
}
