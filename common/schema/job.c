/* Jobs and CronJobs (k8s.io/api batch/v1). */
#include "common/schema/macros.h"

static const struct jr_schema_field pod_failure_policy_on_exit_codes_requirement_fields[] = {
    STRING_PTR("containerName"),
    STRING_OF("operator", "v1.PodFailurePolicyOnExitCodesOperator"),
    INT32S("values"),
    END,
};
TYPE(pod_failure_policy_on_exit_codes_requirement, "PodFailurePolicyOnExitCodesRequirement");

static const struct jr_schema_field pod_failure_policy_on_pod_conditions_pattern_fields[] = {
    STRING_OF("type", "v1.PodConditionType"),
    STRING_OF("status", "v1.ConditionStatus"),
    END,
};
TYPE(pod_failure_policy_on_pod_conditions_pattern, "PodFailurePolicyOnPodConditionsPattern");

static const struct jr_schema_field pod_failure_policy_rule_fields[] = {
    STRING_OF("action", "v1.PodFailurePolicyAction"),
    STRUCT_PTR("onExitCodes", pod_failure_policy_on_exit_codes_requirement),
    LIST("onPodConditions", pod_failure_policy_on_pod_conditions_pattern),
    END,
};
TYPE(pod_failure_policy_rule, "PodFailurePolicyRule");

static const struct jr_schema_field pod_failure_policy_fields[] = {
    LIST("rules", pod_failure_policy_rule),
    END,
};
TYPE(pod_failure_policy, "PodFailurePolicy");

static const struct jr_schema_field success_policy_rule_fields[] = {
    STRING_PTR("succeededIndexes"),
    INT32_PTR("succeededCount"),
    END,
};
TYPE(success_policy_rule, "SuccessPolicyRule");

static const struct jr_schema_field success_policy_fields[] = {
    LIST("rules", success_policy_rule),
    END,
};
TYPE(success_policy, "SuccessPolicy");

static const struct jr_schema_field job_spec_fields[] = {
    INT32_PTR("parallelism"),
    INT32_PTR("completions"),
    INT64_PTR("activeDeadlineSeconds"),
    STRUCT_PTR("podFailurePolicy", pod_failure_policy),
    STRUCT_PTR("successPolicy", success_policy, GATE(JobSuccessPolicy)),
    INT32_PTR("backoffLimit"),
    INT32_PTR("backoffLimitPerIndex", GATE(JobBackoffLimitPerIndex)),
    INT32_PTR("maxFailedIndexes", GATE(JobBackoffLimitPerIndex)),
    STRUCT_PTR("selector", jr_schema_label_selector),
    BOOL_PTR("manualSelector"),
    STRUCT("template", jr_schema_pod_template_spec),
    INT32_PTR("ttlSecondsAfterFinished"),
    STRING_PTR_OF("completionMode", "v1.CompletionMode"),
    BOOL_PTR("suspend"),
    STRING_PTR_OF("podReplacementPolicy", "v1.PodReplacementPolicy", GATE(JobPodReplacementPolicy)),
    STRING_PTR("managedBy", GATE_ON_CREATE(JobManagedBy)),
    END,
};
PUBLIC_TYPE(job_spec, "JobSpec");

static const struct jr_schema_field job_condition_fields[] = {
    STRING_OF("type", "v1.JobConditionType"),
    STRING_OF("status", "v1.ConditionStatus"),
    TIME("lastProbeTime"),
    TIME("lastTransitionTime"),
    STRING("reason"),
    STRING("message"),
    END,
};
TYPE(job_condition, "JobCondition");

static const struct jr_schema_field uncounted_terminated_pods_fields[] = {
    STRINGS_OF("succeeded", "types.UID"),
    STRINGS_OF("failed", "types.UID"),
    END,
};
TYPE(uncounted_terminated_pods, "UncountedTerminatedPods");

static const struct jr_schema_field job_status_fields[] = {
    LIST("conditions", job_condition, BY("type")),
    TIME_PTR("startTime"),
    TIME_PTR("completionTime"),
    INT32("active"),
    INT32("succeeded"),
    INT32("failed"),
    INT32_PTR("terminating"),
    STRING("completedIndexes"),
    STRING_PTR("failedIndexes"),
    STRUCT_PTR("uncountedTerminatedPods", uncounted_terminated_pods),
    INT32_PTR("ready"),
    END,
};
TYPE(job_status, "JobStatus");

static const struct jr_schema_field job_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_job_spec),
    STRUCT("status", job_status),
    END,
};
PUBLIC_TYPE(job, "Job");

static const struct jr_schema_field job_template_spec_fields[] = {
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_job_spec),
    END,
};
PUBLIC_TYPE(job_template_spec, "JobTemplateSpec");

static const struct jr_schema_field cron_job_spec_fields[] = {
    STRING("schedule"),
    STRING_PTR("timeZone"),
    INT64_PTR("startingDeadlineSeconds"),
    STRING_OF("concurrencyPolicy", "v1.ConcurrencyPolicy"),
    BOOL_PTR("suspend"),
    STRUCT("jobTemplate", jr_schema_job_template_spec),
    INT32_PTR("successfulJobsHistoryLimit"),
    INT32_PTR("failedJobsHistoryLimit"),
    END,
};
PUBLIC_TYPE(cron_job_spec, "CronJobSpec");

static const struct jr_schema_field cron_job_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_cron_job_spec),
    ANY("status"),
    END,
};
PUBLIC_TYPE(cron_job, "CronJob");
