/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the model. Inside of its sources. Comments cite
 * headings of docs/reference/controller.md. */
#ifndef JR_TESTS_SIM_MODEL_PARTS_H
#define JR_TESTS_SIM_MODEL_PARTS_H

#include "common/api/job.h"
#include "common/api/pod.h"
#include "common/base/num.h"
#include "common/job/indexes.h"
#include "tests/sim/model.h"

#define SIM_INDEXES JR_CLEANUP(jr_indexes_done) struct jr_indexes

/** Appends what is wrong; always false. */
bool sim_wrong(struct jr_buf *why, const char *fmt, ...) JR_PRINTF(2, 3);

/* ---- facts of one version: model_facts.c ---- */

/** The finalizer of either mode. */
bool sim_tracked(const struct jr_pod *p);
bool sim_owned(const struct jr_job *job, const struct jr_pod *p);
/** Owned, and the selector matches: what a sync counts (4). */
bool sim_claimed(const struct jr_job *job, const struct jr_pod *p);
/** Claimed, or would be by an adoption: what a sync adopts it takes for its own as it was before.
 */
bool sim_claimable(const struct jr_job *job, const struct jr_pod *p);
bool sim_indexed(const struct jr_job *job);
bool sim_replace_failed_only(const struct jr_job *job);
/** failed as 1 defines it. */
bool sim_failed(const struct jr_job *job, const struct jr_pod *p);
/** -1: unknown. */
int32_t sim_pod_index(const struct jr_pod *p);
/** An index that counts under this version of the Job, or none needed. */
bool sim_index_counts(const struct jr_job *job, const struct jr_pod *p);
int64_t sim_failure_count(const struct jr_pod *p);
int64_t sim_ignored_count(const struct jr_pod *p);
/** Both. */
int64_t sim_all_failures(const struct jr_pod *p);
int32_t sim_restarts(const struct jr_pod *p);
bool sim_listed(const struct jr_job *job, struct jr_str uid);
/** A condition of this type that is True; NULL if there is none. */
const struct jr_job_condition *sim_true(const struct jr_job *job, const char *type);
bool sim_suspended(const struct jr_job *job);
bool sim_deleting(const struct jr_job *job);
/** Reads an index list of the status; false: why says that it is malformed. */
bool sim_read_indexes(const struct jr_job *job, struct jr_str text, const char *field,
                      struct jr_indexes *ret, struct jr_buf *why);
/** Completed, or failed for good. */
bool sim_index_is_over(const struct jr_job *job, int32_t index);

/* ---- policies: model_policy.c ---- */

enum sim_pod_effect_kind { SIM_COUNTED, SIM_IGNORED, SIM_FAILS_INDEX, SIM_FAILS_JOB };
/** What the podFailurePolicy says to a Pod that counts as failed, whatever its phase is: at the end
 * of a failing Job those that still run or terminate do. message as below. */
enum sim_pod_effect_kind sim_match_rules(const struct jr_job *job, const struct jr_pod *p,
                                         struct jr_buf *message);
/** What it says to a failed Pod. message (may be NULL) gets FailureTarget's. */
enum sim_pod_effect_kind sim_pod_effect(const struct jr_job *job, const struct jr_pod *p,
                                        struct jr_buf *message);
/** The first rule of the successPolicy that is met, -1: none. Errors: JR_NOMEM. */
int sim_success_rule(const struct jr_job *job, const struct jr_indexes *completed);
/** Counted, and with that (or by FailIndex) the index is over its limit. */
bool sim_exceeds(const struct jr_job *job, const struct jr_pod *p);

/* ---- a history, decoded: model_view.c ---- */

struct sim_pod_view {
    const struct sim_life *life;
    struct jr_pod **v;
    uint64_t *rv;
    size_t n;
    /* Its entry into the uncounted lists: model_count.c. */
    size_t entries;
    size_t entered; /* by which version of the Job */
    bool as_failed;
};
struct sim_view {
    const struct sim_history *h;
    struct jr_arena arena;
    struct jr_job **jobs;
    uint64_t *rv; /* their versions */
    size_t n;
    struct sim_pod_view *pods;
    size_t n_pods;
    struct jr_buf *why;
};
bool sim_view_init(struct sim_view *v, const struct sim_history *h, struct jr_buf *why);
void sim_view_done(struct sim_view *v);
static inline const struct jr_job *sim_last(const struct sim_view *v)
{
    return v->jobs[v->n - 1];
}
/** The Pod as it was at this version of the store and moment; NULL: not yet or no more. */
const struct jr_pod *sim_pod_at(const struct sim_pod_view *p, uint64_t rv, int64_t at_ns);
/** The newest of a Pod's versions up to `most` that had been written at this version of the store;
 * 0 also before its first. */
size_t sim_newest_until(const struct sim_pod_view *p, uint64_t rv, size_t most);
/** The Job's version that stood then; 0 also before its first. */
size_t sim_job_at(const struct sim_view *v, uint64_t rv);
/** The oldest version of the Job that a controller may have gone by at that moment. */
size_t sim_job_seen(const struct sim_view *v, int64_t at_ns);
/** The first version where the condition is True; v->n: none. */
size_t sim_first_true(const struct sim_view *v, const char *type);
/** FailureTarget or SuccessCriteriaMet, whichever came. */
size_t sim_first_finishing(const struct sim_view *v);

/** Whether at that version of the store a removal had let go of the Pod and not come to its end:
 * who let go of it counts it yet, who doesn't remember that can't. */
bool sim_was_let_go(const struct sim_pod_view *p, uint64_t rv);
typedef bool sim_pod_test(const struct jr_job *job, const struct jr_pod *p);
/** Whether a version of the Pod up to rv passes, while it is claimed, and tracked or let go by a
 * removal that did not come to its end. */
bool sim_ever(const struct sim_view *v, const struct sim_pod_view *p, uint64_t rv,
              sim_pod_test *test);
bool sim_has_succeeded(const struct jr_job *job, const struct jr_pod *p);
/** Failed, and not ignored. */
bool sim_has_failed(const struct jr_job *job, const struct jr_pod *p);
bool sim_has_failed_ignored(const struct jr_job *job, const struct jr_pod *p);

/* ---- the checks; false: v->why says what is wrong ---- */

bool sim_check_counting(struct sim_view *v);   /* model_count.c: each Pod once */
bool sim_check_removals(struct sim_view *v);   /* model_removal.c: none lost */
bool sim_check_indexes(struct sim_view *v);    /* model_indexed.c */
bool sim_check_creations(struct sim_view *v);  /* model_creation.c */
bool sim_check_finish(struct sim_view *v);     /* model_finish.c: why it ended */
bool sim_check_delays(struct sim_view *v);     /* model_delays.c: what waits, and what may not */
bool sim_check_promptness(struct sim_view *v); /* model_prompt.c: what may not last */
bool sim_check_rest(struct sim_view *v);       /* model_rest.c: that it had to end, what is left */
/** Whether the Pod was recorded as succeeded by then: whatever it becomes, it is no failure. */
bool sim_is_success(const struct sim_view *v, const struct sim_pod_view *p, uint64_t rv);
/** How many of the Job's Pods counted as failed by themselves up to this version of the store. */
int64_t sim_failures(const struct sim_view *v, uint64_t rv);
/** When its containers ended, unset where they don't say. */
struct jr_time sim_ended_at(const struct jr_pod *p);
/** The failed Pod of the same index with most failures that bore its finalizer when p was made;
 * NULL: none, or more than one has that many. */
const struct jr_pod *sim_held_before(const struct sim_view *v, const struct sim_pod_view *p);

#endif
