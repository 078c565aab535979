/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults of what reconciliation is to be. */
#include "controller/reconcile/options.h"

#include "common/api/job.h"

void jr_reconcile_gates_set(struct jr_reconcile_options *o, const struct jr_reconcile_options *from)
{
    o->mutable_scheduling_directives = from->mutable_scheduling_directives;
    o->stale_controller_consistency = from->stale_controller_consistency;
    o->workload_with_job = from->workload_with_job;
    o->managed_by_others = from->managed_by_others;
    o->pod_replacement_policy = from->pod_replacement_policy;
    o->success_policy = from->success_policy;
    o->backoff_limit_per_index = from->backoff_limit_per_index;
    o->start_time_sticks = from->start_time_sticks;
    o->gangs_only_asked = from->gangs_only_asked;
    o->failure_policy_replaces_failed = from->failure_policy_replaces_failed;
}

struct jr_reconcile_options jr_reconcile_options_default(void)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_reconcile_options o = {
        .replace_builtin = true,
        .managed_by = JR_S("jobreeve.dev/controller"),
        .tracking_finalizer = JR_S(JR_JOB_TRACKING_FINALIZER),
    };

    jr_reconcile_options_of_profile(&o, &profile);
    return o;
}

void jr_reconcile_options_of_profile(struct jr_reconcile_options *o, const struct jr_profile *p)
{
    o->mutable_scheduling_directives =
        p->gates[JR_GATE_MutableSchedulingDirectivesForSuspendedJobs];
    /* What has no such gate has no such check either, and makes an index's Pod twice by a Job that
     * is older than what became of the first one. Ours looks beside each version. */
    o->stale_controller_consistency = p->gates[JR_GATE_StaleControllerConsistencyJob] ||
                                      !jr_profile_can_set(p, JR_GATE_StaleControllerConsistencyJob);
    o->workload_with_job = p->gates[JR_GATE_WorkloadWithJob];
    o->managed_by_others = p->gates[JR_GATE_JobManagedBy];
    o->pod_replacement_policy = p->gates[JR_GATE_JobPodReplacementPolicy];
    o->success_policy = p->gates[JR_GATE_JobSuccessPolicy];
    o->backoff_limit_per_index = p->gates[JR_GATE_JobBackoffLimitPerIndex];
    o->start_time_sticks = p->gates[JR_GATE_JobManagedBy] &&
                           !jr_kube_has(p->version, JR_CHANGE_RESUME_REPLACES_START_TIME);
    o->failure_policy_replaces_failed =
        !jr_kube_has(p->version, JR_CHANGE_FAILURE_POLICY_IMPLIES_NOTHING);
}

bool jr_reconcile_has_gate(enum jr_gate_id gate)
{
    static const enum jr_gate_id all[] = {
        JR_GATE_MutableSchedulingDirectivesForSuspendedJobs,
        JR_GATE_StaleControllerConsistencyJob,
        JR_GATE_AtomicFIFO,
        JR_GATE_WorkloadWithJob,
        JR_GATE_GenericWorkload,
        JR_GATE_JobManagedBy,
        JR_GATE_JobPodReplacementPolicy,
        JR_GATE_JobSuccessPolicy,
        JR_GATE_JobBackoffLimitPerIndex,
    };
    size_t i = 0;

    while (i < JR_ARRAY_SIZE(all) && all[i] != gate)
        i++;
    return i < JR_ARRAY_SIZE(all);
}
