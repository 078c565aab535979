/* SPDX-License-Identifier: Apache-2.0 */
/* What reconciliation is to be: constant for one sync; for one controller process but for the
 * gates.
 */
#ifndef JR_RECONCILE_OPTIONS_H
#define JR_RECONCILE_OPTIONS_H

#include "common/base/str.h"
#include "common/schema/profile.h"

struct jr_reconcile_options {
    /* managedBy mode: Jobs whose spec.managedBy equals managed_by. With replace_builtin: all Jobs
     * that name no controller or the reserved one (kubernetes.io/job-controller). */
    bool replace_builtin;
    struct jr_str managed_by; /* jobreeve.dev/controller */
    struct jr_str
        tracking_finalizer; /* batch.kubernetes.io/job-tracking, or jobreeve.dev/job-tracking */
    /* Gates, as named upstream: they follow the versions of the API servers. */
    bool mutable_scheduling_directives; /* MutableSchedulingDirectivesForSuspendedJobs */
    bool stale_controller_consistency;  /* StaleControllerConsistencyJob */
    bool workload_with_job;             /* WorkloadWithJob: gangs, where the server has them */
    /* Can be off up to 1.34, 1.33, 1.32 and 1.32: what a stored Job has of them is ignored then.
     * With the first two off, a Job ends at once, without an interim condition, beside terminating
     * Pods. */
    bool managed_by_others;       /* JobManagedBy */
    bool pod_replacement_policy;  /* JobPodReplacementPolicy */
    bool success_policy;          /* JobSuccessPolicy */
    bool backoff_limit_per_index; /* JobBackoffLimitPerIndex */
    /* Of 1.37's gangs: only Jobs with spec.scheduling, or whose controller has delegated their Pod
     * group, get one. */
    bool gangs_only_asked;
    /* The API server refuses a new start time at resume (k/k#134521), so none is kept through a
     * suspension. */
    bool start_time_sticks;
    /* A podFailurePolicy without a podReplacementPolicy means that of Failed, as up to 1.36. */
    bool failure_policy_replaces_failed;
    /* The last accounting before this controller goes: what has ended is counted, and a Job ends
     * where nothing of it runs any more. No Pod is made, adopted, deleted or kept for a successor.
     */
    bool account_only;
};

/** Sets the gates to those of from, and nothing else. */
void jr_reconcile_gates_set(struct jr_reconcile_options *o,
                            const struct jr_reconcile_options *from);
/** 1.36's defaults in replace-builtin mode. */
struct jr_reconcile_options jr_reconcile_options_default(void);
/** What the built-in controller of that Kubernetes does: its gates, and what no gate guards. The
 * other options stay. */
void jr_reconcile_options_of_profile(struct jr_reconcile_options *o, const struct jr_profile *p);
/** Whether the controller goes by the gate, or one that it goes by needs it. */
bool jr_reconcile_has_gate(enum jr_gate_id gate);

#endif
