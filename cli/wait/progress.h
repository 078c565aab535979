/* SPDX-License-Identifier: Apache-2.0 */
/* The line that tells how far the awaited Jobs are. Pure. */
#ifndef JR_CLI_WAIT_PROGRESS_H
#define JR_CLI_WAIT_PROGRESS_H

#include "cli/wait/jobs.h"

/** The bounds of how long the rest takes, in seconds. */
struct jr_wait_range {
    bool known;
    int64_t least, most;
};
/** Returns when the rest of n ends, at the rate at which done of them have ended in seconds: as if
 * ends came at random (a Poisson process), one standard deviation to both sides. Unknown before
 * three have. */
struct jr_wait_range jr_wait_rest(int64_t done, int64_t n, int64_t seconds);

/** Appends one line, without its end. One Job: its Pods, or indexes, that are done, active and
 * failed, the rate and the rest. Several: how many are over, and the sums. */
void jr_wait_progress(const struct jr_wait_jobs *jobs, struct jr_time now, struct jr_buf *out);

#endif
