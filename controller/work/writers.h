/* SPDX-License-Identifier: Apache-2.0 */
/* Who else writes a Job's status. Two controllers of one Job undo each other's counting, and the
 * person on call has to know. A rival is told by the conditions, counts, indexes and uncounted Pods
 * that it writes; a status that differs from ours in startTime alone is a partner's work. A status
 * counts as ours if the API server answered it to one of our writes: both texts come from the same
 * encoder. The watch may be faster than the answer, and an answer may be lost; then the decision
 * waits, or is left out. */
#ifndef JR_CONTROLLER_WORK_WRITERS_H
#define JR_CONTROLLER_WORK_WRITERS_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/object_key.h"
#include "controller/reconcile/stage.h"

#define JR_STATUS_WRITES_KEPT 4 /* a sync writes twice at most */

/** The writes of one Job's status, as sums of their text (jr_status_sum). */
struct jr_status_writes {
    uint64_t own[JR_STATUS_WRITES_KEPT]; /* the last first; 0: none */
    uint64_t seen[2];                    /* by the watch, while a write was under way */
    unsigned n_seen;                     /* there may have been more */
    bool under_way;
    bool ambiguous; /* a write had no answer, and may yet be seen */
};

/** Returns the sum of what a controller counts in the status of a Job's text: all but startTime.
 * Never 0. */
uint64_t jr_status_sum(struct jr_str job);

/** Tells whether two statuses (source texts) differ in what a controller counts. */
bool jr_status_counts_differ(struct jr_str a, struct jr_str b);

/** A write goes out. */
void jr_status_sent(struct jr_status_writes *w);
/** What came of it. Returns how many others have written meanwhile, as far as one can tell. */
unsigned jr_status_answered(struct jr_status_writes *w, const struct jr_op_result *r);
/** The watch shows that the status has become `sum`. True: another has written it. */
bool jr_status_changed(struct jr_status_writes *w, uint64_t sum);

/** Returns the manager of the last write to the status by another than `own`, by the
 * metadata.managedFields of a Job's text, in the arena. {NULL, 0}: they don't say. An entry that
 * is seconds older than `own`'s is of another write, and a write that only removes fields leaves
 * none. */
struct jr_str jr_status_manager(struct jr_str job, const char *own, struct jr_arena *arena);

/** Counts and logs that others have written the status of a Job of ours, n times. job: its text,
 * whose managedFields may name them; empty where it isn't known. */
void jr_status_foreign(struct jr_metrics *m, struct jr_log *log, const struct jr_object_key *key,
                       unsigned n, struct jr_str job);

/** jobreeve_job_status_foreign_writes_total */
extern const struct jr_metric_desc jr_metric_foreign_writes;

#endif
