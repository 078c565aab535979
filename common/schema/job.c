/* Jobs and CronJobs (k8s.io/api batch/v1). */
#include "common/schema/job.h"

#include "common/schema/macros.h"

static const struct jr_schema_field pod_failure_policy_on_exit_codes_requirement_fields[] = {
    STRING_PTR("containerName", AT(struct jr_failure_on_exit_codes, container_name)),
    STRING_OF("operator", "v1.PodFailurePolicyOnExitCodesOperator",
              AT(struct jr_failure_on_exit_codes, op)),
    INT32S("values", AT(struct jr_failure_on_exit_codes, values), SET),
    END,
};
TYPE(pod_failure_policy_on_exit_codes_requirement, "PodFailurePolicyOnExitCodesRequirement");

static const struct jr_schema_field pod_failure_policy_on_pod_conditions_pattern_fields[] = {
    STRING_OF("type", "v1.PodConditionType", AT(struct jr_failure_on_condition, type)),
    STRING_OF("status", "v1.ConditionStatus", AT(struct jr_failure_on_condition, status)),
    END,
};
TYPE_WITH(pod_failure_policy_on_pod_conditions_pattern, "PodFailurePolicyOnPodConditionsPattern",
          DECODED(struct jr_failure_on_condition));

static const struct jr_schema_field pod_failure_policy_rule_fields[] = {
    STRING_OF("action", "v1.PodFailurePolicyAction", AT(struct jr_failure_rule, action)),
    STRUCT_PTR("onExitCodes", pod_failure_policy_on_exit_codes_requirement,
               AT(struct jr_failure_rule, on_exit_codes)),
    LIST("onPodConditions", pod_failure_policy_on_pod_conditions_pattern,
         AT(struct jr_failure_rule, on_pod_conditions)),
    END,
};
TYPE_WITH(pod_failure_policy_rule, "PodFailurePolicyRule", DECODED(struct jr_failure_rule));

static const struct jr_schema_field pod_failure_policy_fields[] = {
    LIST("rules", pod_failure_policy_rule, AT(struct jr_failure_policy, rules)),
    END,
};
TYPE(pod_failure_policy, "PodFailurePolicy");

static const struct jr_schema_field success_policy_rule_fields[] = {
    STRING_PTR("succeededIndexes", AT(struct jr_success_rule, succeeded_indexes)),
    INT32_PTR("succeededCount", AT(struct jr_success_rule, succeeded_count)),
    END,
};
TYPE_WITH(success_policy_rule, "SuccessPolicyRule", DECODED(struct jr_success_rule));

static const struct jr_schema_field success_policy_fields[] = {
    LIST("rules", success_policy_rule, AT(struct jr_success_policy, rules)),
    END,
};
TYPE(success_policy, "SuccessPolicy");

/* What the Job's rules and its controller want of a Pod template. */
static const struct jr_schema_field kept_container_fields[] = {
    STRING("name", ALONE(struct jr_str)),
    END,
};
TYPE_WITH(kept_container, "Container", DECODED(struct jr_str));

static const struct jr_schema_field kept_nothing_fields[] = { END };
TYPE(kept_nothing, "PodSchedulingGroup");

static const struct jr_schema_field kept_pod_meta_fields[] = {
    STRING_MAP("labels", AT(struct jr_pod_template, labels)),
    STRING_MAP("annotations", AT(struct jr_pod_template, annotations)),
    STRINGS("finalizers", AT(struct jr_pod_template, finalizers)),
    END,
};
TYPE(kept_pod_meta, "ObjectMeta");

static const struct jr_schema_field kept_pod_spec_fields[] = {
    LIST("initContainers", kept_container, AT(struct jr_pod_template, init_containers)),
    LIST("containers", kept_container, AT(struct jr_pod_template, containers)),
    STRING_OF("restartPolicy", "v1.RestartPolicy", AT(struct jr_pod_template, restart_policy)),
    STRUCT_PTR("schedulingGroup", kept_nothing, AT(struct jr_pod_template, scheduling_group)),
    END,
};
TYPE(kept_pod_spec, "PodSpec");

static const struct jr_schema_field kept_template_fields[] = {
    STRUCT("metadata", kept_pod_meta, FLAT),
    STRUCT("spec", kept_pod_spec, FLAT),
    END,
};
TYPE(kept_template, "PodTemplateSpec");

static const struct jr_schema_field job_spec_fields[] = {
    INT32_PTR("parallelism", AT(struct jr_job_spec, parallelism)),
    INT32_PTR("completions", AT(struct jr_job_spec, completions)),
    INT64_PTR("activeDeadlineSeconds", AT(struct jr_job_spec, active_deadline_s)),
    STRUCT_PTR("podFailurePolicy", pod_failure_policy, AT(struct jr_job_spec, pod_failure_policy)),
    STRUCT_PTR("successPolicy", success_policy, GATE(JobSuccessPolicy),
               AT(struct jr_job_spec, success_policy)),
    INT32_PTR("backoffLimit", AT(struct jr_job_spec, backoff_limit)),
    INT32_PTR("backoffLimitPerIndex", GATE(JobBackoffLimitPerIndex),
              AT(struct jr_job_spec, backoff_limit_per_index)),
    INT32_PTR("maxFailedIndexes", GATE(JobBackoffLimitPerIndex),
              AT(struct jr_job_spec, max_failed_indexes)),
    STRUCT_PTR("selector", jr_schema_label_selector, AT(struct jr_job_spec, selector)),
    BOOL_PTR("manualSelector", AT(struct jr_job_spec, manual_selector)),
    STRUCT("template", jr_schema_pod_template_spec, AT(struct jr_job_spec, template),
           AS(kept_template), WITH_TEXT),
    INT32_PTR("ttlSecondsAfterFinished", AT(struct jr_job_spec, ttl_after_finished_s)),
    STRING_PTR_OF("completionMode", "v1.CompletionMode", AT(struct jr_job_spec, completion_mode)),
    BOOL_PTR("suspend", AT(struct jr_job_spec, suspend)),
    STRING_PTR_OF("podReplacementPolicy", "v1.PodReplacementPolicy", GATE(JobPodReplacementPolicy),
                  AT(struct jr_job_spec, pod_replacement_policy)),
    STRING_PTR("managedBy", GATE_ON_CREATE(JobManagedBy), AT(struct jr_job_spec, managed_by)),
    END,
};
PUBLIC_TYPE(job_spec, "JobSpec");

static const struct jr_schema_field job_condition_fields[] = {
    STRING_OF("type", "v1.JobConditionType", AT(struct jr_job_condition, type)),
    STRING_OF("status", "v1.ConditionStatus", AT(struct jr_job_condition, status)),
    TIME("lastProbeTime", AT(struct jr_job_condition, last_probe_time)),
    TIME("lastTransitionTime", AT(struct jr_job_condition, last_transition_time)),
    STRING("reason", AT(struct jr_job_condition, reason)),
    STRING("message", AT(struct jr_job_condition, message)),
    END,
};
TYPE_WITH(job_condition, "JobCondition", DECODED(struct jr_job_condition));

static const struct jr_schema_field uncounted_terminated_pods_fields[] = {
    STRINGS_OF("succeeded", "types.UID", AT(struct jr_uncounted_pods, succeeded), SET),
    STRINGS_OF("failed", "types.UID", AT(struct jr_uncounted_pods, failed), SET),
    END,
};
TYPE(uncounted_terminated_pods, "UncountedTerminatedPods");

static const struct jr_schema_field job_status_fields[] = {
    LIST("conditions", job_condition, PATCHED_BY("type"), AT(struct jr_job_status, conditions)),
    TIME_PTR("startTime", AT(struct jr_job_status, start_time)),
    TIME_PTR("completionTime", AT(struct jr_job_status, completion_time)),
    INT32("active", AT(struct jr_job_status, active)),
    INT32("succeeded", AT(struct jr_job_status, succeeded)),
    INT32("failed", AT(struct jr_job_status, failed)),
    INT32_PTR("terminating", AT(struct jr_job_status, terminating)),
    STRING("completedIndexes", AT(struct jr_job_status, completed_indexes)),
    STRING_PTR("failedIndexes", AT(struct jr_job_status, failed_indexes)),
    STRUCT_PTR("uncountedTerminatedPods", uncounted_terminated_pods,
               AT(struct jr_job_status, uncounted)),
    INT32_PTR("ready", AT(struct jr_job_status, ready)),
    END,
};
PUBLIC_TYPE(job_status, "JobStatus");

static const struct jr_schema_field job_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_job, meta)),
    STRUCT("spec", jr_schema_job_spec, AT(struct jr_job, spec)),
    STRUCT("status", jr_schema_job_status, AT(struct jr_job, status)),
    END,
};
PUBLIC_TYPE_WITH(job, "Job", DECODED(struct jr_job));

static const struct jr_schema_field job_template_spec_fields[] = {
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_job_template, meta)),
    STRUCT("spec", jr_schema_job_spec, AT(struct jr_job_template, spec)),
    END,
};
PUBLIC_TYPE(job_template_spec, "JobTemplateSpec");

static const struct jr_schema_field cron_job_spec_fields[] = {
    STRING("schedule", AT(struct jr_cron_job_spec, schedule)),
    STRING_PTR("timeZone", AT(struct jr_cron_job_spec, time_zone)),
    INT64_PTR("startingDeadlineSeconds", AT(struct jr_cron_job_spec, starting_deadline_s)),
    STRING_OF("concurrencyPolicy", "v1.ConcurrencyPolicy",
              AT(struct jr_cron_job_spec, concurrency_policy)),
    BOOL_PTR("suspend", AT(struct jr_cron_job_spec, suspend)),
    STRUCT("jobTemplate", jr_schema_job_template_spec, AT(struct jr_cron_job_spec, job_template)),
    INT32_PTR("successfulJobsHistoryLimit", AT(struct jr_cron_job_spec, successful_history_limit)),
    INT32_PTR("failedJobsHistoryLimit", AT(struct jr_cron_job_spec, failed_history_limit)),
    END,
};
PUBLIC_TYPE(cron_job_spec, "CronJobSpec");

static const struct jr_schema_field cron_job_status_fields[] = {
    LIST("active", jr_schema_object_reference),
    TIME_PTR("lastScheduleTime"),
    TIME_PTR("lastSuccessfulTime"),
    END,
};
TYPE(cron_job_status, "CronJobStatus");

static const struct jr_schema_field cron_job_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_cron_job, meta)),
    STRUCT("spec", jr_schema_cron_job_spec, AT(struct jr_cron_job, spec)),
    STRUCT("status", cron_job_status),
    END,
};
PUBLIC_TYPE_WITH(cron_job, "CronJob", DECODED(struct jr_cron_job));
