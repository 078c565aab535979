/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/counting.h"

#include "common/job/indexes.h"

#define INDEXES JR_CLEANUP(jr_indexes_done) struct jr_indexes

struct sim_history sim_counting_history(const struct sim_counting *a, const struct sim_seen_job *j)
{
    return (struct sim_history){
        .plan = j->plan,
        .job = j->thing.life,
        .pods = sim_book_pods(a->book, j),
        .n_pods = j->n_pods,
        .external = sim_is_external(j->plan->features),
        .surplus_max = j->surplus,
        .ttl = true,
        .undisturbed = !a->slow && a->report->faults.n + a->report->process_faults.n == 0,
    };
}

/* ---- none is lost ---- */

static bool is_listed(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    return jr_strs_has(&j->now->status.uncounted.succeeded, p->thing.life.uid) ||
           jr_strs_has(&j->now->status.uncounted.failed, p->thing.life.uid);
}

/** What its index, or its uid, says so of is no matter for the model, and that is most. */
static bool is_accounted(const struct sim_seen_job *j, const struct sim_seen_pod *p,
                         const struct jr_pod *was)
{
    INDEXES completed = { 0 };
    int64_t i;

    if (is_listed(j, p))
        return true;
    return was->phase == JR_POD_SUCCEEDED && sim_index_of(was, &i) &&
           jr_indexes_read(j->now->status.completed_indexes, jr_i32_or(j->now->spec.completions, 0),
                           &completed) == JR_OK &&
           jr_indexes_has(&completed, (int32_t)i);
}

void sim_counting_pod(const struct sim_counting *a, const struct sim_seen_pod *p, bool gone)
{
    const struct jr_pod *was = gone ? p->now : p->before;
    const struct sim_seen_job *j;
    enum sim_excuse excuse;
    JR_BUF why = { 0 };

    if (was == NULL || !sim_bears(was) || (!gone && sim_bears(p->now)))
        return;
    j = sim_book_controller(a->book, was);
    if (j == NULL || j->plan == NULL || is_accounted(j, p, was))
        return;
    struct sim_history h = sim_counting_history(a, j);
    jr_buf_init(&why, 4096);
    for (size_t i = 0; i < j->n_pods; i++) {
        if (j->pods[i] != p)
            continue;
        if (!sim_model_removal(&h, i, &excuse, &why))
            sim_fail(a->report, "no Pod is lost", "%.*s: %.*s", JR_P(j->thing.name),
                     JR_P(jr_buf_str(&why)));
        sim_excuse(a->report, excuse);
    }
}

/* ---- none is counted twice ---- */

/** The end that who lists it must have gone by: the Pod had failed as far as he knew, and each of
 * its containers says when. 0: unknown. */
static int64_t known_end(const struct sim_seen_pod *p, const struct sim_request *by)
{
    int64_t end = 0;

    if (by == NULL || p->now->phase != JR_POD_FAILED ||
        sim_rv(jr_pod_str(p->now, p->now->resource_version)) > by->hand.pods)
        return 0;
    for (size_t i = 0; i < p->now->containers.n; i++) {
        const struct jr_container_status *c = &p->now->containers.v[i];

        if (!jr_time_set(c->terminated.finished_at))
            return 0;
        end = c->terminated.finished_at.ns > end ? c->terminated.finished_at.ns : end;
    }
    return end;
}

static void note_listed(struct sim_seen_pod *p, const struct sim_seen_job *j, bool failed,
                        const struct sim_request *by)
{
    p->listed_by = j;
    p->listed_failed = failed;
    p->listed_rv = sim_rv(j->now->meta.resource_version);
    p->listed_in = by != NULL ? sim_life_of(by) : 0;
    /* Without the answer the failure is new to the next sync, but listed already. */
    p->listed_end_ns =
        by != NULL && by->fault == SIM_FAULT_NONE && !by->forsaken ? known_end(p, by) : 0;
}

/** A Pod of the index that has succeeded, other than `but`, and isn't listed as failed; NULL: none.
 */
static const struct sim_seen_pod *success(const struct sim_seen_job *j, int64_t index,
                                          const struct sim_seen_pod *but)
{
    int64_t i;

    for (size_t k = 0; k < j->n_pods; k++) {
        const struct sim_seen_pod *p = j->pods[k];

        if (p != but && p->succeeded_ns != 0 && sim_index_of(p->now, &i) && i == index &&
            (p->listed_by != j || !p->listed_failed))
            return p;
    }
    return NULL;
}

/** Whether its index is completed, and by itself alone. */
static bool has_completed(const struct sim_seen_job *j, const struct jr_str completed,
                          const struct sim_seen_pod *p)
{
    INDEXES set = { 0 };
    int64_t i;

    return p->succeeded_ns != 0 && sim_index_of(p->now, &i) &&
           jr_indexes_read(completed, INT32_MAX, &set) == JR_OK &&
           jr_indexes_has(&set, (int32_t)i) && success(j, i, p) == NULL;
}

/** Its index is completed by itself, and now it is listed as failed. */
static void enter_completed(const struct sim_counting *a, const struct sim_seen_job *j,
                            const struct sim_seen_pod *p, const struct sim_request *by)
{
    if (p->completed_in == 0 || by == NULL || p->completed_in != sim_life_of(by))
        sim_excuse(a->report, SIM_EXCUSE_UNKNOWN_INDEX);
    else
        sim_fail(a->report, "no Pod is counted twice",
                 "%.*s: Pod %.*s enters uncounted.failed, and has completed its index",
                 JR_P(j->thing.name), JR_P(p->thing.life.uid));
}

static void enter(const struct sim_counting *a, const struct sim_seen_job *j,
                  const struct jr_strs *was, const struct jr_strs *is, bool failed,
                  const struct sim_request *by)
{
    for (size_t i = 0; i < is->n; i++) {
        struct sim_seen_pod *p;

        if (jr_strs_has(was, is->v[i]) || (p = sim_pod_of(j, is->v[i])) == NULL)
            continue; /* a uid of no Pod of the Job is for the step to check */
        if (p->listed_by == j && !p->thing.life.adopted_late)
            sim_fail(a->report, "no Pod is counted twice",
                     "%.*s: Pod %.*s enters uncounted.%s, "
                     "and was counted as %s before",
                     JR_P(j->thing.name), JR_P(is->v[i]), failed ? "failed" : "succeeded",
                     p->listed_failed ? "failed" : "succeeded");
        if (failed && has_completed(j, j->before->status.completed_indexes, p))
            enter_completed(a, j, p, by);
        note_listed(p, j, failed, by);
    }
}

/** What was listed as failed while it ran or was being deleted may succeed all the same before its
 * finalizer goes. Its index isn't completed by that. */
static void enter_index(const struct sim_counting *a, const struct sim_seen_job *j, int32_t index,
                        const struct sim_request *by)
{
    int64_t i;

    for (size_t k = 0; k < j->n_pods; k++) {
        if (sim_index_of(j->pods[k]->now, &i) && i == index && j->pods[k]->succeeded_ns != 0)
            j->pods[k]->completed_in =
                by != NULL && by->fault == SIM_FAULT_NONE && !by->forsaken ? sim_life_of(by) : 0;
    }
    if (success(j, index, NULL) == NULL)
        sim_fail(a->report, "no Pod is counted twice",
                 "%.*s: index %d is completed, and no Pod of it counts as succeeded",
                 JR_P(j->thing.name), index);
}

static void enter_indexes(const struct sim_counting *a, const struct sim_seen_job *j,
                          const struct sim_request *by)
{
    INDEXES was = { 0 };
    INDEXES is = { 0 };

    if (jr_str_eq(j->before->status.completed_indexes, j->now->status.completed_indexes))
        return;
    if (jr_indexes_read(j->before->status.completed_indexes, INT32_MAX, &was) != JR_OK ||
        jr_indexes_read(j->now->status.completed_indexes, INT32_MAX, &is) != JR_OK)
        abort();
    for (size_t i = 0; i < is.n; i++) {
        for (int32_t k = is.v[i].first; k <= is.v[i].last; k++)
            if (!jr_indexes_has(&was, k))
                enter_index(a, j, k, by);
    }
}

void sim_counting_job(const struct sim_counting *a, const struct sim_seen_job *j,
                      const struct sim_request *by)
{
    const struct jr_job_status *was, *is = &j->now->status;

    if (j->before == NULL)
        return;
    was = &j->before->status;
    enter(a, j, &was->uncounted.succeeded, &is->uncounted.succeeded, false, by);
    enter(a, j, &was->uncounted.failed, &is->uncounted.failed, true, by);
    enter_indexes(a, j, by);
}
