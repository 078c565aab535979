/* SPDX-License-Identifier: Apache-2.0 */
/* Backoff and other delays are as long as the rules say. That none is shorter is checked in all
 * worlds, by what the controller must have known; that none is longer, in worlds without faults. */
#ifndef JR_TESTS_SIM_TIMING_H
#define JR_TESTS_SIM_TIMING_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** A Pod was created by a request, in any world: no sooner than the backoff allows after the
 * failures that the same controller has listed in a status whose write was answered. */
void sim_timing_known(struct sim_report *r, const struct sim_seen_job *j,
                      const struct sim_request *by, struct jr_time now);
/** A Pod was created: not later than its Job's backoff ("Backoff") and what has happened since
 * explain. */
void sim_timing_check(struct sim_report *r, const struct sim_seen_job *j,
                      const struct sim_seen_pod *p, int64_t now_ns);
/** A controller has begun to delete a Pod: with its finalizer on only where the Job ends, as its
 * next status has to say. */
void sim_timing_deleted(struct sim_seen_job *j, const struct sim_seen_pod *p);
void sim_timing_status(struct sim_report *r, const struct sim_seen_job *j);
/** A request was answered. A status that ends the Job may be refused for its version: by the newer
 * one it may not have to end, though its Pods are deleted, as upstream's are. */
void sim_timing_answered(const struct sim_book *b, const struct sim_request *q, int status);
/** A controller has taken the finalizer off an active Pod, to remove it. */
void sim_timing_removed(struct sim_report *r, const struct sim_seen_job *j,
                        const struct sim_seen_pod *p, int64_t now_ns);
/** The Job or one of its Pods was written. */
static inline void sim_timing_stir(struct sim_seen_job *j, int64_t now_ns)
{
    j->stirred_ns = now_ns;
}

#endif
