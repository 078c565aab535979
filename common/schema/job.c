/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and CronJobs (k8s.io/api batch/v1). */
#include "common/schema/job.h"

#include "common/schema/macros.h"

TYPE(pod_failure_policy_on_exit_codes_requirement, "PodFailurePolicyOnExitCodesRequirement",
    STRING_PTR("containerName", AT(struct jr_failure_on_exit_codes, container_name), NO(1)),
    TEXT_OF("operator", "v1.PodFailurePolicyOnExitCodesOperator",
              AT(struct jr_failure_on_exit_codes, op), NO(2)),
    INT32S("values", AT(struct jr_failure_on_exit_codes, values), SET, ALWAYS, NO(3)));

TYPE_WITH(pod_failure_policy_on_pod_conditions_pattern, "PodFailurePolicyOnPodConditionsPattern",
    DECODED(struct jr_failure_on_condition),
    TEXT_OF("type", "v1.PodConditionType", AT(struct jr_failure_on_condition, type), NO(1)),
    TEXT_OF("status", "v1.ConditionStatus", AT(struct jr_failure_on_condition, status), NO(2)));

TYPE_WITH(pod_failure_policy_rule, "PodFailurePolicyRule", DECODED(struct jr_failure_rule),
    TEXT_OF("action", "v1.PodFailurePolicyAction", AT(struct jr_failure_rule, action), NO(1)),
    STRUCT_PTR("onExitCodes", pod_failure_policy_on_exit_codes_requirement,
               AT(struct jr_failure_rule, on_exit_codes), NO(2)),
    LIST("onPodConditions", pod_failure_policy_on_pod_conditions_pattern,
         AT(struct jr_failure_rule, on_pod_conditions), NO(3)));

TYPE(pod_failure_policy, "PodFailurePolicy",
    LIST("rules", pod_failure_policy_rule, AT(struct jr_failure_policy, rules), ALWAYS, NO(1)));

TYPE_WITH(success_policy_rule, "SuccessPolicyRule", DECODED(struct jr_success_rule),
    STRING_PTR("succeededIndexes", AT(struct jr_success_rule, succeeded_indexes), NO(1)),
    INT32_PTR("succeededCount", AT(struct jr_success_rule, succeeded_count), NO(2)));

TYPE(success_policy, "SuccessPolicy",
    LIST("rules", success_policy_rule, AT(struct jr_success_policy, rules), ALWAYS, NO(1)));

/* ---- spec.scheduling (k8s.io/api scheduling/v1alpha3) ---- */

TYPE_ALPHA3(basic_policy, "WorkloadPodGroupBasicSchedulingPolicy", AS_JSON, END);
TYPE_ALPHA3(gang_policy, "WorkloadPodGroupGangSchedulingPolicy", AS_JSON, INT32_PTR("minCount", NO(1)));

TYPE_ALPHA3(scheduling_policy, "WorkloadPodGroupSchedulingPolicy", AS_JSON,
    STRUCT_PTR("basic", basic_policy, NO(1)),
    STRUCT_PTR("gang", gang_policy, NO(2)));

TYPE_ALPHA3(topology_constraint, "TopologyConstraint", AS_JSON, TEXT("key", NO(1)));
TYPE_ALPHA3(scheduling_constraints, "WorkloadPodGroupSchedulingConstraints", AS_JSON,
    LIST("topology", topology_constraint, NO(1)));

TYPE_ALPHA3(single_disruption, "WorkloadPodGroupSingleDisruptionMode", AS_JSON, END);
TYPE_ALPHA3(all_disruption, "WorkloadPodGroupAllDisruptionMode", AS_JSON, END);
TYPE_ALPHA3(disruption_mode, "WorkloadPodGroupDisruptionMode", AS_JSON,
    STRUCT_PTR("single", single_disruption, NO(1)),
    STRUCT_PTR("all", all_disruption, NO(2)));

TYPE_ALPHA3(group_claim, "WorkloadPodGroupResourceClaim", AS_JSON,
    STRING("name", NO(1)),
    STRING_PTR("resourceClaimName", NO(2)),
    STRING_PTR("resourceClaimTemplateName", NO(3)));

PUBLIC_TYPE(job_scheduling, "JobSchedulingConfiguration",
    STRUCT_PTR("schedulingPolicy", scheduling_policy, NO(1)),
    STRUCT_PTR("schedulingConstraints", scheduling_constraints, NO(2)),
    STRUCT_PTR("disruptionMode", disruption_mode, NO(3)),
    LIST("resourceClaims", group_claim, BY("name"), NO(4)));

/* ---- the spec ---- */

/* What the Job's rules and its controller want of a Pod template. */
TYPE_WITH(kept_container, "Container", DECODED(struct jr_str),
    STRING("name", ALONE(struct jr_str), NO(1)));

TYPE(kept_nothing, "PodSchedulingGroup", END);

TYPE(kept_pod_meta, "ObjectMeta",
    STRING_MAP("labels", AT(struct jr_pod_template, labels), NO(11)),
    STRING_MAP("annotations", AT(struct jr_pod_template, annotations), NO(12)),
    STRINGS("finalizers", AT(struct jr_pod_template, finalizers), NO(14)));

TYPE(kept_pod_spec, "PodSpec",
    LIST("initContainers", kept_container, AT(struct jr_pod_template, init_containers), NO(20)),
    LIST("containers", kept_container, AT(struct jr_pod_template, containers), NO(2)),
    STRING_OF("restartPolicy", "v1.RestartPolicy", AT(struct jr_pod_template, restart_policy), NO(3)),
    STRUCT_PTR("schedulingGroup", kept_nothing, AT(struct jr_pod_template, scheduling_group), NO(43)));

TYPE(kept_template, "PodTemplateSpec",
    STRUCT("metadata", kept_pod_meta, FLAT, NO(1)),
    STRUCT("spec", kept_pod_spec, FLAT, NO(2)));

PUBLIC_TYPE(job_spec, "JobSpec",
    INT32_PTR("parallelism", AT(struct jr_job_spec, parallelism), NO(1)),
    INT32_PTR("completions", AT(struct jr_job_spec, completions), NO(2)),
    INT64_PTR("activeDeadlineSeconds", AT(struct jr_job_spec, active_deadline_s), NO(3)),
    STRUCT_PTR("podFailurePolicy", pod_failure_policy, AT(struct jr_job_spec, pod_failure_policy), NO(11)),
    STRUCT_PTR("successPolicy", success_policy, GATE(JobSuccessPolicy),
               AT(struct jr_job_spec, success_policy), NO(16)),
    INT32_PTR("backoffLimit", AT(struct jr_job_spec, backoff_limit), NO(7)),
    INT32_PTR("backoffLimitPerIndex", GATE(JobBackoffLimitPerIndex),
              AT(struct jr_job_spec, backoff_limit_per_index), NO(12)),
    INT32_PTR("maxFailedIndexes", GATE(JobBackoffLimitPerIndex),
              AT(struct jr_job_spec, max_failed_indexes), NO(13)),
    STRUCT_PTR("selector", jr_schema_label_selector, AT(struct jr_job_spec, selector), NO(4)),
    BOOL_PTR("manualSelector", AT(struct jr_job_spec, manual_selector), NO(5)),
    STRUCT("template", jr_schema_pod_template_spec, AT(struct jr_job_spec, template),
           AS(kept_template), WITH_TEXT, NO(6)),
    INT32_PTR("ttlSecondsAfterFinished", AT(struct jr_job_spec, ttl_after_finished_s), NO(8)),
    STRING_PTR_OF("completionMode", "v1.CompletionMode", AT(struct jr_job_spec, completion_mode), NO(9)),
    BOOL_PTR("suspend", AT(struct jr_job_spec, suspend), NO(10)),
    STRING_PTR_OF("podReplacementPolicy", "v1.PodReplacementPolicy", GATE(JobPodReplacementPolicy),
                  AT(struct jr_job_spec, pod_replacement_policy), NO(14)),
    STRING_PTR("managedBy", GATE_ON_CREATE(JobManagedBy), AT(struct jr_job_spec, managed_by), NO(15)),
    STRUCT_PTR("scheduling", jr_schema_job_scheduling, SINCE(37), GATE(WorkloadWithJob),
               AT(struct jr_job_spec, scheduling), NO(17)));

TYPE_WITH(job_condition, "JobCondition", DECODED(struct jr_job_condition),
    TEXT_OF("type", "v1.JobConditionType", AT(struct jr_job_condition, type), NO(1)),
    TEXT_OF("status", "v1.ConditionStatus", AT(struct jr_job_condition, status), NO(2)),
    TIME("lastProbeTime", AT(struct jr_job_condition, last_probe_time), ALWAYS, NO(3)),
    TIME("lastTransitionTime", AT(struct jr_job_condition, last_transition_time), ALWAYS, NO(4)),
    STRING("reason", AT(struct jr_job_condition, reason), NO(5)),
    STRING("message", AT(struct jr_job_condition, message), NO(6)));

TYPE(uncounted_terminated_pods, "UncountedTerminatedPods",
    STRINGS_OF("succeeded", "types.UID", AT(struct jr_uncounted_pods, succeeded), SET, NO(1)),
    STRINGS_OF("failed", "types.UID", AT(struct jr_uncounted_pods, failed), SET, NO(2)));

PUBLIC_TYPE(job_status, "JobStatus",
    LIST("conditions", job_condition, PATCHED_BY("type"), AT(struct jr_job_status, conditions), NO(1)),
    TIME_PTR("startTime", AT(struct jr_job_status, start_time), NO(2)),
    TIME_PTR("completionTime", AT(struct jr_job_status, completion_time), NO(3)),
    INT32("active", AT(struct jr_job_status, active), NO(4)),
    INT32("succeeded", AT(struct jr_job_status, succeeded), NO(5)),
    INT32("failed", AT(struct jr_job_status, failed), NO(6)),
    INT32_PTR("terminating", AT(struct jr_job_status, terminating), NO(11)),
    STRING("completedIndexes", AT(struct jr_job_status, completed_indexes), NO(7)),
    STRING_PTR("failedIndexes", AT(struct jr_job_status, failed_indexes), NO(10)),
    STRUCT_PTR("uncountedTerminatedPods", uncounted_terminated_pods,
               AT(struct jr_job_status, uncounted), NO(8)),
    INT32_PTR("ready", AT(struct jr_job_status, ready), NO(9)));

PUBLIC_TYPE_WITH(job, "Job", DECODED(struct jr_job),
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_job, meta), NO(1)),
    STRUCT("spec", jr_schema_job_spec, AT(struct jr_job, spec), NO(2)),
    STRUCT("status", jr_schema_job_status, AT(struct jr_job, status), WITH_TEXT, NO(3)));

PUBLIC_TYPE(job_template_spec, "JobTemplateSpec",
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_job_template, meta), NO(1)),
    STRUCT("spec", jr_schema_job_spec, AT(struct jr_job_template, spec), NO(2)));

PUBLIC_TYPE(cron_job_spec, "CronJobSpec",
    TEXT("schedule", AT(struct jr_cron_job_spec, schedule), NO(1)),
    STRING_PTR("timeZone", AT(struct jr_cron_job_spec, time_zone), NO(8)),
    INT64_PTR("startingDeadlineSeconds", AT(struct jr_cron_job_spec, starting_deadline_s), NO(2)),
    STRING_OF("concurrencyPolicy", "v1.ConcurrencyPolicy",
              AT(struct jr_cron_job_spec, concurrency_policy), NO(3)),
    BOOL_PTR("suspend", AT(struct jr_cron_job_spec, suspend), NO(4)),
    STRUCT("jobTemplate", jr_schema_job_template_spec, AT(struct jr_cron_job_spec, job_template), NO(5)),
    INT32_PTR("successfulJobsHistoryLimit", AT(struct jr_cron_job_spec, successful_history_limit), NO(6)),
    INT32_PTR("failedJobsHistoryLimit", AT(struct jr_cron_job_spec, failed_history_limit), NO(7)));

TYPE(cron_job_status, "CronJobStatus",
    LIST("active", jr_schema_object_reference, NO(1)),
    TIME_PTR("lastScheduleTime", NO(4)),
    TIME_PTR("lastSuccessfulTime", NO(5)));

PUBLIC_TYPE_WITH(cron_job, "CronJob", DECODED(struct jr_cron_job),
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_cron_job, meta), NO(1)),
    STRUCT("spec", jr_schema_cron_job_spec, AT(struct jr_cron_job, spec), NO(2)),
    STRUCT("status", cron_job_status, NO(3)));
