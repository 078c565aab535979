/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicy (v1alpha1 of the group policy.jobreeve.dev), a type of our own. */
#include "common/schema/macros.h"

TYPE(match_condition, "MatchCondition",
    STRING("name"),
    STRING("expression"));

TYPE(validation, "Validation",
    STRING("expression"),
    STRING("message"),
    STRING("messageExpression"),
    STRING("reason"));

TYPE(policy_match, "JobPolicyMatch",
    STRINGS("namespaces"),
    STRINGS("excludeNamespaces"),
    STRUCT_PTR("namespaceSelector", jr_schema_label_selector),
    STRUCT_PTR("objectSelector", jr_schema_label_selector),
    STRINGS("requests"),
    STRINGS("kinds"),
    STRINGS("operations"));

TYPE(template_defaults, "JobPolicyTemplateDefaults",
    INT64_PTR("activeDeadlineSeconds"),
    INT64_PTR("terminationGracePeriodSeconds"),
    STRING_PTR("priorityClassName"),
    STRING_MAP("labels"));

TYPE(policy_defaults, "JobPolicyDefaults",
    INT64_PTR("activeDeadlineSeconds"),
    INT32_PTR("backoffLimit"),
    INT32_PTR("ttlSecondsAfterFinished"),
    STRING_PTR("podReplacementPolicy"),
    STRING_MAP("labels"),
    STRUCT_PTR("template", template_defaults),
    STRINGS("overrideServerDefaults"));

TYPE(int_limit, "JobPolicyIntLimit",
    BOOL("required"),
    INT64_PTR("min"),
    INT64_PTR("max"));

TYPE(text_limit, "JobPolicyTextLimit",
    BOOL("required"),
    STRINGS("values"));

TYPE(globs_limit, "JobPolicyGlobsLimit",
    STRINGS("values"),
    STRINGS("excluded"));

TYPE(presence_limit, "JobPolicyPresenceLimit",
    BOOL("required"));

/* Maps have a constraint by key or by path, which no row describes: compile_limits.c reads them. */
TYPE(template_limits, "JobPolicyTemplateLimits",
    STRUCT_PTR("activeDeadlineSeconds", int_limit),
    STRUCT_PTR("terminationGracePeriodSeconds", int_limit),
    STRUCT_PTR("priorityClassName", text_limit),
    STRUCT_PTR("images", globs_limit),
    ANY("labels"),
    ANY("nodeSelector"),
    ANY("requests"),
    ANY("limits"),
    ANY("tolerations"));

TYPE(range_limit, "JobPolicyRangeLimit",
    INT64_PTR("min"),
    INT64_PTR("max"));

TYPE(duration_limit, "JobPolicyDurationLimit",
    STRING_PTR("min"),
    STRING_PTR("max"));

TYPE(cron_job_limits, "JobPolicyCronJobLimits",
    STRUCT_PTR("concurrencyPolicy", text_limit),
    STRUCT_PTR("startingDeadlineSeconds", int_limit),
    STRUCT_PTR("successfulJobsHistoryLimit", int_limit),
    STRUCT_PTR("failedJobsHistoryLimit", int_limit),
    STRUCT_PTR("timeZone", text_limit),
    STRUCT_PTR("shortestInterval", duration_limit),
    STRUCT_PTR("jobsPerDay", range_limit),
    STRUCT_PTR("jobsAtOnce", range_limit));

TYPE(policy_limits, "JobPolicyLimits",
    STRUCT_PTR("parallelism", int_limit),
    STRUCT_PTR("completions", int_limit),
    STRUCT_PTR("activeDeadlineSeconds", int_limit),
    STRUCT_PTR("backoffLimit", int_limit),
    STRUCT_PTR("backoffLimitPerIndex", int_limit),
    STRUCT_PTR("maxFailedIndexes", int_limit),
    STRUCT_PTR("ttlSecondsAfterFinished", int_limit),
    STRUCT_PTR("completionMode", text_limit),
    STRUCT_PTR("podReplacementPolicy", text_limit),
    STRUCT_PTR("managedBy", text_limit),
    STRING("manualSelector"),
    STRUCT_PTR("name", globs_limit),
    STRING("suspend"),
    STRUCT_PTR("podFailurePolicy", presence_limit),
    STRUCT_PTR("cronJob", cron_job_limits),
    ANY("labels"),
    ANY("annotations"),
    ANY("fields"),
    STRUCT_PTR("template", template_limits));

TYPE(policy_pod_security, "JobPolicyPodSecurity",
    STRING("level"),
    STRING("version"));

TYPE(policy_budget, "JobPolicyBudget",
    INT64_PTR("podsAtOnce"),
    INT64_PTR("podsEver"),
    STRING_PTR("runtime"),
    QUANTITIES("requestsAtOnce"),
    QUANTITIES("resourceHours"),
    STRING("disruptions"),
    STRING("changes"),
    ANY("assumeSuspensions")); /* gone: refused */

TYPE(policy_exception, "JobPolicyException",
    STRINGS("namespaces"),
    ANY("users"), /* gone: refused */
    ANY("groups"), /* gone: refused */
    STRUCT_PTR("limits", policy_limits),
    STRUCT_PTR("budget", policy_budget),
    STRINGS("lift"),
    TIME_PTR("until"),
    STRING("reason"));

TYPE(policy_spec, "JobPolicySpec",
    STRING("message"),
    STRUCT_PTR("match", policy_match),
    LIST("matchConditions", match_condition, BY("name")),
    STRINGS("validationActions"),
    STRING_PTR("failurePolicy"),
    STRUCT_PTR("defaults", policy_defaults),
    STRUCT_PTR("limits", policy_limits),
    STRUCT_PTR("podSecurity", policy_pod_security),
    STRUCT_PTR("budget", policy_budget),
    LIST("variables", match_condition, BY("name")),
    LIST("validations", validation),
    LIST("exceptions", policy_exception));

PUBLIC_TYPE(job_policy, "JobPolicy",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", policy_spec),
    ANY("status"));
