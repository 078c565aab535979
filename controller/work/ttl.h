/* SPDX-License-Identifier: Apache-2.0 */
/* When a finished Job is to be deleted (spec.ttlSecondsAfterFinished, KEP-592). Pure. */
#ifndef JR_CONTROLLER_WORK_TTL_H
#define JR_CONTROLLER_WORK_TTL_H

#include "common/api/job.h"

/** Whether the Job will be deleted by itself: it has finished, a TTL is set, and nobody deletes it
 * already. Whoever manages it. */
bool jr_ttl_applies(const struct jr_job *job);

/** How long the Job has still to stay, in nanoseconds; <= 0: it has expired. Counted from the first
 * of its conditions that says that it has finished; without a TTL as with one of 0. Errors:
 * JR_INVALID where no condition says so, or that one bears no time. */
enum jr_status jr_ttl_left(const struct jr_job *job, struct jr_time now, int64_t *ret_ns,
                           struct jr_error *err) JR_MUST_USE;

#endif
