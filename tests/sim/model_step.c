/* SPDX-License-Identifier: Apache-2.0 */
/* One write of a Job's status, or of a Pod, against the version before (6, 7, 14). */
#include "tests/sim/model_step.h"

#define JOB JR_CLEANUP(jr_job_unrefp) struct jr_job
#define POD JR_CLEANUP(jr_pod_unrefp) struct jr_pod

static bool numbers(const struct sim_step *s)
{
    const struct jr_job_status *st = &s->next->status;
    int32_t ready = jr_i32_or(st->ready, 0);

    if (st->active < 0 || st->succeeded < 0 || st->failed < 0 || ready < 0 ||
        jr_i32_or(st->terminating, 0) < 0)
        return sim_wrong(s->why, "a negative number in status");
    if (ready > st->active)
        return sim_wrong(s->why, "ready %d is more than active %d", ready, st->active);
    return true;
}

static bool uncounted_lists(const struct sim_step *s)
{
    const struct jr_strs *lists[] = { &s->next->status.uncounted.succeeded,
                                      &s->next->status.uncounted.failed };

    for (size_t l = 0; l < JR_ARRAY_SIZE(lists); l++) {
        for (size_t i = 0; i < lists[l]->n; i++) {
            size_t same = 0;

            for (size_t k = 0; k < JR_ARRAY_SIZE(lists); k++)
                for (size_t j = 0; j < lists[k]->n; j++)
                    same += jr_str_eq(lists[l]->v[i], lists[k]->v[j]);
            if (lists[l]->v[i].n == 0 || same != 1)
                return sim_wrong(s->why, "uncounted Pod \"%.*s\" is listed %zu times",
                                 JR_P(lists[l]->v[i]), same);
        }
    }
    if (sim_indexed(s->next) && lists[0]->n > 0)
        return sim_wrong(s->why, "an Indexed Job lists uncounted succeeded Pods");
    return true;
}

static size_t missing(const struct jr_strs *from, const struct jr_strs *in)
{
    size_t n = 0;

    for (size_t i = 0; i < from->n; i++)
        n += !jr_strs_has(in, from->v[i]);
    return n;
}

/* A counter rises by what leaves its list, and by nothing else. */
static bool counters(const struct sim_step *s)
{
    const struct jr_job_status *was = &s->prev->status, *is = &s->next->status;
    size_t failed = missing(&was->uncounted.failed, &is->uncounted.failed);
    size_t succeeded = missing(&was->uncounted.succeeded, &is->uncounted.succeeded);

    if ((int64_t)is->failed - was->failed != (int64_t)failed)
        return sim_wrong(s->why, "failed goes from %d to %d, but %zu Pods left the uncounted list",
                         was->failed, is->failed, failed);
    if (!sim_indexed(s->next) && (int64_t)is->succeeded - was->succeeded != (int64_t)succeeded)
        return sim_wrong(s->why,
                         "succeeded goes from %d to %d, but %zu Pods left the uncounted list",
                         was->succeeded, is->succeeded, succeeded);
    return true;
}

/* ---- indexes ---- */

/* What was in it and is still in range stays, but for what is in `moved` now (may be NULL). */
static bool kept(const struct sim_step *s, struct jr_str before, const struct jr_indexes *now,
                 const struct jr_indexes *moved, const char *field)
{
    SIM_INDEXES old = { 0 };

    if (jr_indexes_read(before, jr_i32_or(s->next->spec.completions, 0), &old) != JR_OK)
        return sim_wrong(s->why, "no memory");
    for (size_t i = 0; i < old.n; i++) {
        for (int32_t k = old.v[i].first; k <= old.v[i].last; k++) {
            if (!jr_indexes_has(now, k) && (moved == NULL || !jr_indexes_has(moved, k)))
                return sim_wrong(s->why, "index %d has left status.%s", k, field);
        }
    }
    return true;
}

static bool index_lists(const struct sim_step *s)
{
    const struct jr_job_status *st = &s->next->status;
    bool per_index = s->next->spec.backoff_limit_per_index.set;

    if (!sim_indexed(s->next))
        return (st->completed_indexes.n == 0 && st->failed_indexes.p == NULL) ||
               sim_wrong(s->why, "index lists in a NonIndexed Job");
    if (st->failed_indexes.p == NULL ? per_index : !per_index)
        return sim_wrong(s->why, "status.failedIndexes is %s with%s backoffLimitPerIndex",
                         per_index ? "absent" : "there", per_index ? "" : "out");
    if (!sim_read_indexes(s->next, st->completed_indexes, "completedIndexes", s->completed,
                          s->why) ||
        !sim_read_indexes(s->next, st->failed_indexes, "failedIndexes", s->failed, s->why))
        return false;
    if (jr_indexes_common(s->completed, s->failed) >= 0)
        return sim_wrong(s->why, "index %d is completed and failed",
                         jr_indexes_common(s->completed, s->failed));
    if (st->succeeded != jr_indexes_count(s->completed))
        return sim_wrong(s->why, "succeeded is %d, completedIndexes \"%.*s\"", st->succeeded,
                         JR_P(st->completed_indexes));
    /* An index that has failed gets completed by another Pod of it that succeeds, one that was
     * adopted or made twice (6). It can't be in both lists (14): the completed ones leave the
     * failed ones (defect 6). */
    return kept(s, s->prev->status.completed_indexes, s->completed, NULL, "completedIndexes") &&
           kept(s, s->prev->status.failed_indexes, s->failed, s->completed, "failedIndexes");
}

/* ---- Pods that enter and leave the uncounted lists ---- */

static const struct sim_life *life_of(const struct sim_step *s, struct jr_str uid)
{
    for (size_t i = 0; i < s->n_pods; i++) {
        if (jr_str_eq(s->pods[i].uid, uid))
            return &s->pods[i];
    }
    return NULL;
}

static bool may_be_counted(const struct sim_step *s, const struct jr_pod *p, bool failed)
{
    if (!failed)
        return p->phase == JR_POD_SUCCEEDED;
    /* With FailureTarget what runs counts as failed too. */
    return sim_true(s->next, "FailureTarget") != NULL || sim_has_failed(s->next, p);
}

static bool enters(const struct sim_step *s, struct jr_str uid, bool failed)
{
    const struct sim_life *life = life_of(s, uid);
    const char *list = failed ? "failed" : "succeeded";

    if (life == NULL)
        return sim_wrong(s->why, "\"%.*s\" in uncounted.%s is no Pod of this Job", JR_P(uid), list);
    for (size_t i = life->n; i-- > 0;) {
        POD *p = NULL;

        if (jr_pod_decode(life->versions[i].text, &p, NULL) != JR_OK)
            return sim_wrong(s->why, "a Pod that can't be read");
        if (sim_owned(s->next, p) && may_be_counted(s, p, failed))
            return true;
    }
    return sim_wrong(s->why, "Pod %.*s enters uncounted.%s, but never %s", JR_P(uid), list,
                     failed ? "failed so that it counts" : "succeeded");
}

static bool leaves(const struct sim_step *s, struct jr_str uid)
{
    const struct sim_life *life = life_of(s, uid);
    POD *p = NULL;

    if (life == NULL || life->gone_ns >= 0 || life->n == 0)
        return true;
    if (jr_pod_decode(life->versions[life->n - 1].text, &p, NULL) != JR_OK)
        return sim_wrong(s->why, "a Pod that can't be read");
    if (sim_claimed(s->next, p) && sim_tracked(p))
        return sim_wrong(s->why, "Pod %.*s was counted with its finalizer still on", JR_P(uid));
    return true;
}

static bool pods(const struct sim_step *s)
{
    const struct jr_job_status *was = &s->prev->status, *is = &s->next->status;
    const struct jr_strs *before[] = { &was->uncounted.succeeded, &was->uncounted.failed };
    const struct jr_strs *after[] = { &is->uncounted.succeeded, &is->uncounted.failed };

    for (size_t l = 0; l < JR_ARRAY_SIZE(after); l++) {
        for (size_t i = 0; i < after[l]->n; i++)
            if (!sim_listed(s->prev, after[l]->v[i]) && !enters(s, after[l]->v[i], l == 1))
                return false;
        for (size_t i = 0; i < before[l]->n; i++)
            if (!jr_strs_has(after[l], before[l]->v[i]) && !leaves(s, before[l]->v[i]))
                return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool same_status(const struct jr_job *a, const struct jr_job *b)
{
    JR_BUF x = { 0 }, y = { 0 };

    jr_buf_init(&x, (size_t)1 << 20);
    jr_buf_init(&y, (size_t)1 << 20);
    return jr_job_status_write(&a->status, &x) == JR_OK &&
           jr_job_status_write(&b->status, &y) == JR_OK &&
           jr_str_eq(jr_buf_str(&x), jr_buf_str(&y));
}

static bool step_of_job(struct sim_step *s)
{
    static bool (*const checks[])(const struct sim_step *) = {
        numbers,        uncounted_lists, counters,       index_lists,    pods,
        sim_step_order, sim_step_kinds,  sim_step_times, sim_step_start, sim_step_finishing,
    };

    if (same_status(s->prev, s->next))
        return true;
    if (s->external)
        return sim_wrong(s->why, "the status of another's Job was written");
    if (jr_job_finished(&s->prev->status))
        return sim_wrong(s->why, "the status of a finished Job was written");
    for (size_t i = 0; i < JR_ARRAY_SIZE(checks); i++) {
        if (!checks[i](s))
            return false;
    }
    return true;
}

static bool is_pod(struct jr_str text)
{
    return memmem(text.p, text.n, "\"kind\":\"Pod\"", 12) != NULL;
}

static bool step_job(struct sim_step *s, struct jr_str prev, struct jr_str next)
{
    SIM_INDEXES completed = { 0 };
    SIM_INDEXES failed = { 0 };
    JOB *was = NULL;
    JOB *is = NULL;

    if (prev.n == 0)
        return true; /* what was created has no status yet: the API server empties it */
    if (jr_job_decode(prev, &was, NULL) != JR_OK || jr_job_decode(next, &is, NULL) != JR_OK)
        return sim_wrong(s->why, "a Job that can't be read");
    s->prev = was;
    s->next = is;
    s->completed = &completed;
    s->failed = &failed;
    return step_of_job(s);
}

static bool step_pod(const struct sim_step *s, struct jr_str prev, struct jr_str next)
{
    POD *was = NULL;
    POD *is = NULL;

    if ((prev.n > 0 && jr_pod_decode(prev, &was, NULL) != JR_OK) ||
        jr_pod_decode(next, &is, NULL) != JR_OK)
        return sim_wrong(s->why, "a Pod that can't be read");
    return sim_step_of_pod(s, was, is, next);
}

bool sim_model_step(const struct sim_job *plan, struct jr_str prev, struct jr_str next,
                    const struct sim_life *pods_of, size_t n_pods, struct jr_buf *why)
{
    struct sim_step s = {
        .plan = plan,
        .external = sim_is_external(plan->features),
        .pods = pods_of,
        .n_pods = n_pods,
        .why = why,
    };

    return is_pod(next) ? step_pod(&s, prev, next) : step_job(&s, prev, next);
}
