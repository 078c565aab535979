/* SPDX-License-Identifier: Apache-2.0 */
/* The sync machine: one sync of one Job, as a resumable pure machine. */
#ifndef JR_RECONCILE_SYNC_H
#define JR_RECONCILE_SYNC_H

#include "controller/reconcile/stage.h"

struct jr_sync;

/** Begins a sync. Pure: no I/O, no clock; equal inputs give equal stages.
 *  @param snapshot  copied; what it points at stays the caller's and pinned until jr_sync_free().
 *                   With a slim Job (jr_job_slim) the sync gets as far as there is nothing to do,
 *                   and then asks for the whole one (done.needs_template)
 *  @param now       the time of the whole sync */
struct jr_sync *jr_sync_begin(const struct jr_snapshot *snapshot, struct jr_time now);

/** Takes one step and returns the stage to run next, borrowed until the next step or
 *  jr_sync_free(). Kind JR_STAGE_DONE ends the sync; NULL: it had ended before.
 *  @param results  of the stage before, in the order of its operations; NULL for the first step
 *  Source: KEP-2307 (counting), KEP-3850 (per-index backoff). */
const struct jr_stage *jr_sync_step(struct jr_sync *sync, const struct jr_results *results);

void jr_sync_free(struct jr_sync *sync);

/** Whether this Job is ours by the mode's rule (managedBy equal, or none and replace-builtin). */
bool jr_job_is_ours(const struct jr_job *job, const struct jr_reconcile_options *options);
/** Whether it is suspended, and waits for nothing but to be resumed. */
bool jr_job_at_rest(const struct jr_job *job);
/** Completion index of a Pod, -1 if missing, bad or negative. */
int32_t jr_pod_index(const struct jr_pod *pod);

#endif
