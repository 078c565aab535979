/* SPDX-License-Identifier: Apache-2.0 */
/* The Pods of a Job that failed: how, and the last lines that they wrote, which are read at once,
 * since Pods may be deleted. */
#ifndef JR_CLI_WAIT_FAILURES_H
#define JR_CLI_WAIT_FAILURES_H

#include "cli/wait/jobs.h"
#include "common/diagnose/pod_view.h"
#include "common/kube/requester.h"

#define JR_WAIT_FAILURES 3 /* of each Job so many are kept, the last ones */
#define JR_WAIT_LINES "10" /* of each so many */

/** Reads one log after the other. Set jobs, followed and q.env; the rest is zero at first. */
struct jr_failure_reader {
    const struct jr_wait_jobs *jobs;
    bool followed; /* all logs are told as they are written */
    struct jr_requester q;
    struct jr_wait_failure *reading; /* NULL: none */
};
/** Notes how the Pod, one of the Job's, has failed, if it has. */
void jr_failures_take(struct jr_failure_reader *r, struct jr_wait_job *j,
                      const struct jr_pod_view *pod);
/** Whether all that was noted was read. */
bool jr_failures_idle(const struct jr_failure_reader *r);
void jr_failures_done(struct jr_failure_reader *r);

#endif
