/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody has to change something before a Job goes on. Pure. */
#ifndef JR_CLI_WAIT_STUCK_H
#define JR_CLI_WAIT_STUCK_H

#include "common/diagnose/pod_view.h"
#include "common/api/job.h"

/** Whether a creation that was refused in these words is refused until somebody acts: what a
 * ResourceQuota "must specify", Pod Security, a service account that is missing. Others, as of a
 * quota that is used up, may pass by themselves. */
bool jr_wait_refusal_stays(struct jr_str message);

/** Whether none of the Job's Pods can go on as they are: each that isn't over waits for an image
 * that can't be pulled or a container that can't be configured; or there are none, and refusal
 * (the last refused creation's message; {NULL, 0}: none) stays. What else a Job may wait for, a
 * node, a queue, a back-off, passes. Appends the cause to why. */
bool jr_wait_is_stuck(const struct jr_job *job, const struct jr_pod_view *const *pods, size_t n,
                      struct jr_str refusal, struct jr_buf *why);

#endif
