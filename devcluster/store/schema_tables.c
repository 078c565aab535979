#include "devcluster/store/schema_macros.h"

/* clang-format off */

static const struct go_field owner_reference_fields[] = {
    TEXT("apiVersion"), TEXT("kind"), TEXT("name"), TEXT_OF("uid", "types.UID"),
    ONE("controller", GO_BOOL), ONE("blockOwnerDeletion", GO_BOOL), END,
};
STRUCT(owner_reference, "OwnerReference");

static const struct go_field managed_fields_entry_fields[] = {
    TEXT("manager"), TEXT_OF("operation", "v1.ManagedFieldsOperationType"), TEXT("apiVersion"),
    ONE("time", GO_TIME), TEXT("fieldsType"), ONE("fieldsV1", GO_ANY), TEXT("subresource"), END,
};
STRUCT(managed_fields_entry, "ManagedFieldsEntry");

static const struct go_field object_meta_fields[] = {
    TEXT("name"), TEXT("generateName"), TEXT("namespace"), TEXT("selfLink"),
    TEXT_OF("uid", "types.UID"), TEXT("resourceVersion"), ONE("generation", GO_INT64),
    ONE("creationTimestamp", GO_TIME), ONE("deletionTimestamp", GO_TIME),
    ONE("deletionGracePeriodSeconds", GO_INT64), ONE("labels", GO_MAP),
    ONE("annotations", GO_MAP), EACH("ownerReferences", owner_reference),
    ONE("finalizers", GO_STRINGS), EACH("managedFields", managed_fields_entry), END,
};
PUBLIC(object_meta, "ObjectMeta");

static const struct go_field label_selector_requirement_fields[] = {
    TEXT("key"), TEXT_OF("operator", "v1.LabelSelectorOperator"), ONE("values", GO_STRINGS), END,
};
PUBLIC(label_selector_requirement, "LabelSelectorRequirement");

static const struct go_field label_selector_fields[] = {
    ONE("matchLabels", GO_MAP), EACH("matchExpressions", jr_dev_go_label_selector_requirement), END,
};
PUBLIC(label_selector, "LabelSelector");

static const struct go_field pod_failure_policy_on_exit_codes_requirement_fields[] = {
    TEXT("containerName"), TEXT_OF("operator", "v1.PodFailurePolicyOnExitCodesOperator"),
    ONE("values", GO_INT32S), END,
};
STRUCT(pod_failure_policy_on_exit_codes_requirement, "PodFailurePolicyOnExitCodesRequirement");

static const struct go_field pod_failure_policy_on_pod_conditions_pattern_fields[] = {
    TEXT_OF("type", "v1.PodConditionType"), TEXT_OF("status", "v1.ConditionStatus"), END,
};
STRUCT(pod_failure_policy_on_pod_conditions_pattern, "PodFailurePolicyOnPodConditionsPattern");

static const struct go_field pod_failure_policy_rule_fields[] = {
    TEXT_OF("action", "v1.PodFailurePolicyAction"),
    IN("onExitCodes", pod_failure_policy_on_exit_codes_requirement),
    EACH("onPodConditions", pod_failure_policy_on_pod_conditions_pattern), END,
};
STRUCT(pod_failure_policy_rule, "PodFailurePolicyRule");

static const struct go_field pod_failure_policy_fields[] = {
    EACH("rules", pod_failure_policy_rule), END,
};
STRUCT(pod_failure_policy, "PodFailurePolicy");

static const struct go_field success_policy_rule_fields[] = {
    TEXT("succeededIndexes"), ONE("succeededCount", GO_INT32), END,
};
STRUCT(success_policy_rule, "SuccessPolicyRule");

static const struct go_field success_policy_fields[] = {
    EACH("rules", success_policy_rule), END,
};
STRUCT(success_policy, "SuccessPolicy");

static const struct go_field job_spec_fields[] = {
    ONE("parallelism", GO_INT32), ONE("completions", GO_INT32),
    ONE("activeDeadlineSeconds", GO_INT64), IN("podFailurePolicy", pod_failure_policy),
    IN("successPolicy", success_policy), ONE("backoffLimit", GO_INT32),
    ONE("backoffLimitPerIndex", GO_INT32), ONE("maxFailedIndexes", GO_INT32),
    IN("selector", jr_dev_go_label_selector), ONE("manualSelector", GO_BOOL),
    IN("template", jr_dev_go_pod_template_spec), ONE("ttlSecondsAfterFinished", GO_INT32),
    TEXT_OF("completionMode", "v1.CompletionMode"), ONE("suspend", GO_BOOL),
    TEXT_OF("podReplacementPolicy", "v1.PodReplacementPolicy"), TEXT("managedBy"), END,
};
STRUCT(job_spec, "JobSpec");

static const struct go_field job_condition_fields[] = {
    TEXT_OF("type", "v1.JobConditionType"), TEXT_OF("status", "v1.ConditionStatus"),
    ONE("lastProbeTime", GO_TIME), ONE("lastTransitionTime", GO_TIME), TEXT("reason"),
    TEXT("message"), END,
};
STRUCT(job_condition, "JobCondition");

static const struct go_field uncounted_terminated_pods_fields[] = {
    ONE("succeeded", GO_STRINGS), ONE("failed", GO_STRINGS), END,
};
STRUCT(uncounted_terminated_pods, "UncountedTerminatedPods");

static const struct go_field job_status_fields[] = {
    EACH("conditions", job_condition), ONE("startTime", GO_TIME),
    ONE("completionTime", GO_TIME), ONE("active", GO_INT32), ONE("succeeded", GO_INT32),
    ONE("failed", GO_INT32), ONE("terminating", GO_INT32), TEXT("completedIndexes"),
    TEXT("failedIndexes"), IN("uncountedTerminatedPods", uncounted_terminated_pods),
    ONE("ready", GO_INT32), END,
};
STRUCT(job_status, "JobStatus");

static const struct go_field job_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", job_spec),
    IN("status", job_status), END,
};
STRUCT(job, "Job");

static const struct go_field job_template_spec_fields[] = {
    IN("metadata", jr_dev_go_object_meta), IN("spec", job_spec), END,
};
STRUCT(job_template_spec, "JobTemplateSpec");

static const struct go_field cron_job_spec_fields[] = {
    TEXT("schedule"), TEXT("timeZone"), ONE("startingDeadlineSeconds", GO_INT64),
    TEXT_OF("concurrencyPolicy", "v1.ConcurrencyPolicy"), ONE("suspend", GO_BOOL),
    IN("jobTemplate", job_template_spec), ONE("successfulJobsHistoryLimit", GO_INT32),
    ONE("failedJobsHistoryLimit", GO_INT32), END,
};
STRUCT(cron_job_spec, "CronJobSpec");

static const struct go_field cron_job_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", cron_job_spec),
    ONE("status", GO_ANY), END,
};
STRUCT(cron_job, "CronJob");

static const struct go_field pod_condition_fields[] = {
    TEXT_OF("type", "v1.PodConditionType"), ONE("observedGeneration", GO_INT64),
    TEXT_OF("status", "v1.ConditionStatus"), ONE("lastProbeTime", GO_TIME),
    ONE("lastTransitionTime", GO_TIME), TEXT("reason"), TEXT("message"), END,
};
STRUCT(pod_condition, "PodCondition");

static const struct go_field container_status_fields[] = {
    TEXT("name"), ONE("state", GO_ANY), ONE("lastState", GO_ANY), ONE("ready", GO_BOOL),
    ONE("restartCount", GO_INT32), TEXT("image"), TEXT("imageID"), TEXT("containerID"),
    ONE("started", GO_BOOL), ONE("allocatedResources", GO_ANY), ONE("resources", GO_ANY),
    ONE("volumeMounts", GO_ANY), ONE("user", GO_ANY), ONE("allocatedResourcesStatus", GO_ANY),
    ONE("stopSignal", GO_ANY), END,
};
STRUCT(container_status, "ContainerStatus");

static const struct go_field pod_status_fields[] = {
    ONE("observedGeneration", GO_INT64), TEXT_OF("phase", "v1.PodPhase"),
    EACH("conditions", pod_condition), TEXT("message"), TEXT("reason"),
    TEXT("nominatedNodeName"), TEXT("hostIP"), ONE("hostIPs", GO_ANY), TEXT("podIP"),
    ONE("podIPs", GO_ANY), ONE("startTime", GO_TIME),
    EACH("initContainerStatuses", container_status),
    EACH("containerStatuses", container_status), TEXT_OF("qosClass", "v1.PodQOSClass"),
    EACH("ephemeralContainerStatuses", container_status), TEXT("resize"),
    ONE("resourceClaimStatuses", GO_ANY), ONE("extendedResourceClaimStatus", GO_ANY),
    ONE("allocatedResources", GO_ANY), ONE("resources", GO_ANY), END,
};
STRUCT(pod_status, "PodStatus");

static const struct go_field pod_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", jr_dev_go_pod_spec),
    IN("status", pod_status), END,
};
STRUCT(pod, "Pod");

static const struct go_field config_map_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), ONE("immutable", GO_BOOL),
    ONE("data", GO_MAP), ONE("binaryData", GO_ANY), END,
};
STRUCT(config_map, "ConfigMap");

static const struct go_field secret_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), ONE("immutable", GO_BOOL),
    ONE("data", GO_ANY), ONE("stringData", GO_MAP), TEXT_OF("type", "v1.SecretType"), END,
};
STRUCT(secret, "Secret");

static const struct go_field service_account_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), ONE("secrets", GO_ANY),
    EACH("imagePullSecrets", jr_dev_go_local_object_reference),
    ONE("automountServiceAccountToken", GO_BOOL), END,
};
STRUCT(service_account, "ServiceAccount");

static const struct go_field lease_spec_fields[] = {
    TEXT("holderIdentity"), ONE("leaseDurationSeconds", GO_INT32), ONE("acquireTime", GO_TIME),
    ONE("renewTime", GO_TIME), ONE("leaseTransitions", GO_INT32), TEXT("strategy"),
    TEXT("preferredHolder"), END,
};
STRUCT(lease_spec, "LeaseSpec");

static const struct go_field lease_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", lease_spec), END,
};
STRUCT(lease, "Lease");

static const struct go_field namespace_spec_fields[] = {
    ONE("finalizers", GO_STRINGS), END,
};
STRUCT(namespace_spec, "NamespaceSpec");

static const struct go_field namespace_status_fields[] = {
    TEXT_OF("phase", "v1.NamespacePhase"), ONE("conditions", GO_ANY), END,
};
STRUCT(namespace_status, "NamespaceStatus");

static const struct go_field namespace_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", namespace_spec),
    IN("status", namespace_status), END,
};
STRUCT(namespace, "Namespace");

static const struct go_field node_spec_fields[] = {
    TEXT("podCIDR"), ONE("podCIDRs", GO_STRINGS), TEXT("providerID"),
    ONE("unschedulable", GO_BOOL), ONE("taints", GO_ANY), ONE("configSource", GO_ANY),
    TEXT("externalID"), END,
};
STRUCT(node_spec, "NodeSpec");

static const struct go_field node_status_fields[] = {
    ONE("capacity", GO_ANY), ONE("allocatable", GO_ANY), TEXT("phase"),
    ONE("conditions", GO_ANY), ONE("addresses", GO_ANY), ONE("daemonEndpoints", GO_ANY),
    ONE("nodeInfo", GO_ANY), ONE("images", GO_ANY), ONE("volumesInUse", GO_ANY),
    ONE("volumesAttached", GO_ANY), ONE("config", GO_ANY), ONE("runtimeHandlers", GO_ANY),
    ONE("features", GO_ANY), ONE("declaredFeatures", GO_ANY), END,
};
STRUCT(node_status, "NodeStatus");

static const struct go_field node_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", node_spec),
    IN("status", node_status), END,
};
STRUCT(node, "Node");

static const struct go_field object_reference_fields[] = {
    TEXT("kind"), TEXT("namespace"), TEXT("name"), TEXT_OF("uid", "types.UID"),
    TEXT("apiVersion"), TEXT("resourceVersion"), TEXT("fieldPath"), END,
};
STRUCT(object_reference, "ObjectReference");

static const struct go_field event_source_fields[] = {
    TEXT("component"), TEXT("host"), END,
};
STRUCT(event_source, "EventSource");

static const struct go_field event_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta),
    IN("involvedObject", object_reference), TEXT("reason"), TEXT("message"),
    IN("source", event_source), ONE("firstTimestamp", GO_TIME), ONE("lastTimestamp", GO_TIME),
    ONE("count", GO_INT32), TEXT("type"), ONE("eventTime", GO_TIME), ONE("series", GO_ANY),
    TEXT("action"), ONE("related", GO_ANY), TEXT("reportingComponent"),
    TEXT("reportingInstance"), END,
};
STRUCT(event, "Event");

static const struct go_field mutating_webhook_configuration_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), ONE("webhooks", GO_ANY), END,
};
STRUCT(mutating_webhook_configuration, "MutatingWebhookConfiguration");

static const struct go_field validating_webhook_configuration_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), ONE("webhooks", GO_ANY), END,
};
STRUCT(validating_webhook_configuration, "ValidatingWebhookConfiguration");

static const struct go_field typed_local_reference_fields[] = {
    TEXT("apiGroup"), TEXT("kind"), TEXT("name"), END,
};
STRUCT_ALPHA(typed_local_reference, "TypedLocalObjectReference");

static const struct go_field gang_policy_fields[] = { ONE("minCount", GO_INT32), END };
STRUCT_ALPHA(gang_policy, "GangSchedulingPolicy");

static const struct go_field group_policy_fields[] = {
    ONE("basic", GO_ANY), IN("gang", gang_policy), END,
};
STRUCT_ALPHA(group_policy, "PodGroupSchedulingPolicy");

static const struct go_field group_template_fields[] = {
    TEXT("name"), IN("schedulingPolicy", group_policy), END,
};
STRUCT_ALPHA(group_template, "PodGroupTemplate");

static const struct go_field workload_spec_fields[] = {
    IN("controllerRef", typed_local_reference), EACH("podGroupTemplates", group_template), END,
};
STRUCT_ALPHA(workload_spec, "WorkloadSpec");

static const struct go_field workload_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta), IN("spec", workload_spec), END,
};
STRUCT_ALPHA(workload, "Workload");

static const struct go_field workload_reference_fields[] = {
    TEXT("workloadName"), TEXT("podGroupTemplateName"), END,
};
STRUCT_ALPHA(workload_reference, "WorkloadPodGroupTemplateReference");

static const struct go_field group_template_reference_fields[] = {
    IN("workload", workload_reference), END,
};
STRUCT_ALPHA(group_template_reference, "PodGroupTemplateReference");

static const struct go_field pod_group_spec_fields[] = {
    IN("podGroupTemplateRef", group_template_reference), IN("schedulingPolicy", group_policy), END,
};
STRUCT_ALPHA(pod_group_spec, "PodGroupSpec");

static const struct go_field pod_group_fields[] = {
    TEXT("kind"), TEXT("apiVersion"), IN("metadata", jr_dev_go_object_meta),
    IN("spec", pod_group_spec), ONE("status", GO_ANY), END,
};
STRUCT_ALPHA(pod_group, "PodGroup");

/* clang-format on */

const struct go_struct *const jr_dev_schema_of[DEV_RESOURCE_COUNT] = {
    [DEV_NAMESPACES] = &namespace,
    [DEV_PODS] = &pod,
    [DEV_NODES] = &node,
    [DEV_EVENTS] = &event,
    [DEV_CONFIGMAPS] = &config_map,
    [DEV_SECRETS] = &secret,
    [DEV_SERVICEACCOUNTS] = &service_account,
    [DEV_JOBS] = &job,
    [DEV_CRONJOBS] = &cron_job,
    [DEV_LEASES] = &lease,
    [DEV_MUTATING_CONFIGS] = &mutating_webhook_configuration,
    [DEV_VALIDATING_CONFIGS] = &validating_webhook_configuration,
    [DEV_WORKLOADS] = &workload,
    [DEV_POD_GROUPS] = &pod_group,
};
