/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads and PodGroups (k8s.io/api scheduling/v1alpha2 and v1beta1). */
#include "common/schema/macros.h"

TYPE_ALPHA(typed_local_reference, "TypedLocalObjectReference",
    STRING("apiGroup"),
    TEXT("kind"),
    TEXT("name"));

TYPE_ALPHA(gang_policy, "GangSchedulingPolicy", INT32("minCount", ALWAYS));

TYPE_ALPHA(group_policy, "PodGroupSchedulingPolicy",
    ANY("basic"),
    STRUCT_PTR("gang", gang_policy));

TYPE_ALPHA(topology_constraint, "TopologyConstraint", TEXT("key"));

TYPE_ALPHA(group_scheduling_constraints, "PodGroupSchedulingConstraints",
    LIST("topology", topology_constraint));

TYPE_ALPHA(group_resource_claim, "PodGroupResourceClaim",
    TEXT("name"),
    STRING_PTR("resourceClaimName"),
    STRING_PTR("resourceClaimTemplateName"));

TYPE_ALPHA(group_template, "PodGroupTemplate",
    TEXT("name"),
    STRUCT("schedulingPolicy", group_policy),
    STRUCT_PTR("schedulingConstraints", group_scheduling_constraints, ALWAYS),
    LIST("resourceClaims", group_resource_claim, BY("name")),
    STRING_PTR_OF("disruptionMode", "v1alpha2.DisruptionMode"),
    STRING("priorityClassName"),
    INT32_PTR("priority"));

TYPE_ALPHA(workload_spec, "WorkloadSpec",
    STRUCT_PTR("controllerRef", typed_local_reference),
    LIST("podGroupTemplates", group_template, MAP("name"), ALWAYS));

PUBLIC_TYPE_ALPHA(workload, "Workload",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", workload_spec));

TYPE_ALPHA(workload_reference, "WorkloadPodGroupTemplateReference",
    TEXT("workloadName"),
    TEXT("podGroupTemplateName"));

TYPE_ALPHA(group_template_reference, "PodGroupTemplateReference",
    STRUCT_PTR("workload", workload_reference, ALWAYS));

TYPE_ALPHA(pod_group_spec, "PodGroupSpec",
    STRUCT_PTR("podGroupTemplateRef", group_template_reference, ALWAYS),
    STRUCT("schedulingPolicy", group_policy),
    STRUCT_PTR("schedulingConstraints", group_scheduling_constraints),
    LIST("resourceClaims", group_resource_claim, BY("name")),
    STRING_PTR_OF("disruptionMode", "v1alpha2.DisruptionMode"),
    STRING("priorityClassName"),
    INT32_PTR("priority"));

PUBLIC_TYPE_ALPHA(pod_group, "PodGroup",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", pod_group_spec),
    ANY("status"));

/* ---- v1beta1, since 1.37 ---- */

TYPE_BETA(beta_reference, "TypedLocalObjectReference",
    STRING("apiGroup"),
    STRING("kind"),
    STRING("name"));

TYPE_BETA(beta_basic, "BasicSchedulingPolicy", END);
TYPE_BETA(beta_gang, "GangSchedulingPolicy", INT32("minCount"));

TYPE_BETA(beta_policy, "PodGroupSchedulingPolicy",
    STRUCT_PTR("basic", beta_basic),
    STRUCT_PTR("gang", beta_gang));

TYPE_BETA(beta_topology, "TopologyConstraint", STRING("key"));

TYPE_BETA(beta_constraints, "PodGroupSchedulingConstraints",
    LIST("topology", beta_topology));

TYPE_BETA(beta_claim, "PodGroupResourceClaim",
    STRING("name"),
    STRING_PTR("resourceClaimName"),
    STRING_PTR("resourceClaimTemplateName"));

TYPE_BETA(beta_single, "SingleDisruptionMode", END);
TYPE_BETA(beta_all, "AllDisruptionMode", END);
TYPE_BETA(beta_disruption, "DisruptionMode",
    STRUCT_PTR("single", beta_single),
    STRUCT_PTR("all", beta_all));

TYPE_BETA(beta_template, "PodGroupTemplate",
    STRING("name"),
    STRUCT("schedulingPolicy", beta_policy),
    STRUCT_PTR("schedulingConstraints", beta_constraints),
    LIST("resourceClaims", beta_claim, BY("name"), GATE(DRAWorkloadResourceClaims)),
    STRUCT_PTR("disruptionMode", beta_disruption),
    STRING("priorityClassName"),
    INT32_PTR("priority"),
    STRING_PTR_OF("preemptionPolicy", "v1beta1.PreemptionPolicy"));

TYPE_BETA(beta_workload_spec, "WorkloadSpec",
    STRUCT_PTR("controllerRef", beta_reference),
    LIST("podGroupTemplates", beta_template, MAP("name")),
    ANY("compositePodGroupTemplates"));

PUBLIC_TYPE_BETA(workload_v1beta1, "Workload",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", beta_workload_spec));

TYPE_BETA(beta_workload_reference, "WorkloadReference",
    STRING("workloadName"),
    STRING("templateName"));

TYPE_BETA(beta_pod_group_spec, "PodGroupSpec",
    STRING_PTR("parentCompositePodGroupName"),
    STRUCT_PTR("workloadRef", beta_workload_reference),
    STRUCT("schedulingPolicy", beta_policy),
    STRUCT_PTR("schedulingConstraints", beta_constraints),
    LIST("resourceClaims", beta_claim, BY("name"), GATE(DRAWorkloadResourceClaims)),
    STRUCT_PTR("disruptionMode", beta_disruption),
    STRING("priorityClassName"),
    INT32_PTR("priority"),
    STRING_PTR_OF("preemptionPolicy", "v1beta1.PreemptionPolicy"));

PUBLIC_TYPE_BETA(pod_group_v1beta1, "PodGroup",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", beta_pod_group_spec),
    ANY("status"));
