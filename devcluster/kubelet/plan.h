/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulated Pod will do, read from its annotations. Pure. */
#ifndef JR_DEVCLUSTER_KUBELET_PLAN_H
#define JR_DEVCLUSTER_KUBELET_PLAN_H

#include "common/json/doc.h"

/* Annotations, all optional:
 *   kubelet.jobreeve.dev/duration             "300ms", or "forever": how long a run takes
 *   kubelet.jobreeve.dev/duration-by-index    "1s,forever": by completion index, before the above
 *   kubelet.jobreeve.dev/disruptions          "1": so many first attempts end by a disruption
 *   kubelet.jobreeve.dev/exit-code            "3", or one per attempt: "1,1,0", the last goes on
 *   kubelet.jobreeve.dev/exit-code-by-index   "0,1,0": by completion index, before the above
 *   kubelet.jobreeve.dev/ready                "false": never Ready while it runs
 *   kubelet.jobreeve.dev/termination-delay    "5s": how long it takes to die when deleted
 *   kubelet.jobreeve.dev/restart-delay        "1s": pause before an OnFailure restart */
#define JR_DEV_KUBELET_PREFIX "kubelet.jobreeve.dev/"

struct jr_dev_pod_plan {
    int64_t run_ns; /* -1: until it is deleted */
    int exit_code;
    bool ready;
    int64_t die_ns;
    int64_t restart_ns;
    bool restart;   /* after this exit: OnFailure and a bad code, or Always */
    bool disrupted; /* the run ends with the condition DisruptionTarget */
};

/** The plan of one run. attempt counts from 0: earlier runs of the same Job and index, restarts
 * included. A value that can't be read counts as not given. */
struct jr_dev_pod_plan jr_dev_pod_plan_of(const struct jr_node *pod, unsigned attempt,
                                          int64_t default_run_ns);

#endif
