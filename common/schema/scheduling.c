/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads and PodGroups (k8s.io/api scheduling/v1alpha2 and v1beta1). */
#include "common/schema/macros.h"

TYPE_ALPHA(typed_local_reference, "TypedLocalObjectReference",
    STRING("apiGroup", NO(1)),
    TEXT("kind", NO(2)),
    TEXT("name", NO(3)));

TYPE_ALPHA(gang_policy, "GangSchedulingPolicy", INT32("minCount", ALWAYS, NO(1)));

TYPE_ALPHA(group_policy, "PodGroupSchedulingPolicy",
    ANY("basic", NO(1)),
    STRUCT_PTR("gang", gang_policy, NO(2)));

TYPE_ALPHA(topology_constraint, "TopologyConstraint", TEXT("key", NO(1)));

TYPE_ALPHA(group_scheduling_constraints, "PodGroupSchedulingConstraints",
    LIST("topology", topology_constraint, NO(1)));

TYPE_ALPHA(group_resource_claim, "PodGroupResourceClaim",
    TEXT("name", NO(1)),
    STRING_PTR("resourceClaimName", NO(2)),
    STRING_PTR("resourceClaimTemplateName", NO(3)));

TYPE_ALPHA(group_template, "PodGroupTemplate",
    TEXT("name", NO(1)),
    STRUCT("schedulingPolicy", group_policy, NO(2)),
    STRUCT_PTR("schedulingConstraints", group_scheduling_constraints, ALWAYS, NO(3)),
    LIST("resourceClaims", group_resource_claim, BY("name"), NO(4)),
    STRING_PTR_OF("disruptionMode", "v1alpha2.DisruptionMode", NO(5)),
    STRING("priorityClassName", NO(6)),
    INT32_PTR("priority", NO(7)));

TYPE_ALPHA(workload_spec, "WorkloadSpec",
    STRUCT_PTR("controllerRef", typed_local_reference, NO(1)),
    LIST("podGroupTemplates", group_template, MAP("name"), ALWAYS, NO(2)));

PUBLIC_TYPE_ALPHA(workload, "Workload",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", workload_spec, NO(2)));

TYPE_ALPHA(workload_reference, "WorkloadPodGroupTemplateReference",
    TEXT("workloadName", NO(1)),
    TEXT("podGroupTemplateName", NO(2)));

TYPE_ALPHA(group_template_reference, "PodGroupTemplateReference",
    STRUCT_PTR("workload", workload_reference, ALWAYS, NO(1)));

TYPE_ALPHA(pod_group_spec, "PodGroupSpec",
    STRUCT_PTR("podGroupTemplateRef", group_template_reference, ALWAYS, NO(1)),
    STRUCT("schedulingPolicy", group_policy, NO(2)),
    STRUCT_PTR("schedulingConstraints", group_scheduling_constraints, NO(3)),
    LIST("resourceClaims", group_resource_claim, BY("name"), NO(4)),
    STRING_PTR_OF("disruptionMode", "v1alpha2.DisruptionMode", NO(5)),
    STRING("priorityClassName", NO(6)),
    INT32_PTR("priority", NO(7)));

PUBLIC_TYPE_ALPHA(pod_group, "PodGroup",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", pod_group_spec, NO(2)),
    ANY("status", NO(3)));

/* ---- v1beta1, since 1.37 ---- */

TYPE_BETA(beta_reference, "TypedLocalObjectReference",
    STRING("apiGroup", NO(1)),
    STRING("kind", NO(2)),
    STRING("name", NO(3)));

TYPE_BETA(beta_basic, "BasicSchedulingPolicy", END);
TYPE_BETA(beta_gang, "GangSchedulingPolicy", INT32("minCount", NO(1)));

TYPE_BETA(beta_policy, "PodGroupSchedulingPolicy",
    STRUCT_PTR("basic", beta_basic, NO(1)),
    STRUCT_PTR("gang", beta_gang, NO(2)));

TYPE_BETA(beta_topology, "TopologyConstraint", STRING("key", NO(1)));

TYPE_BETA(beta_constraints, "PodGroupSchedulingConstraints",
    LIST("topology", beta_topology, NO(1)));

TYPE_BETA(beta_claim, "PodGroupResourceClaim",
    STRING("name", NO(1)),
    STRING_PTR("resourceClaimName", NO(2)),
    STRING_PTR("resourceClaimTemplateName", NO(3)));

TYPE_BETA(beta_single, "SingleDisruptionMode", END);
TYPE_BETA(beta_all, "AllDisruptionMode", END);
TYPE_BETA(beta_disruption, "DisruptionMode",
    STRUCT_PTR("single", beta_single, NO(1)),
    STRUCT_PTR("all", beta_all, NO(2)));

TYPE_BETA(beta_template, "PodGroupTemplate",
    STRING("name", NO(1)),
    STRUCT("schedulingPolicy", beta_policy, NO(2)),
    STRUCT_PTR("schedulingConstraints", beta_constraints, NO(3)),
    LIST("resourceClaims", beta_claim, BY("name"), GATE(DRAWorkloadResourceClaims), NO(4)),
    STRUCT_PTR("disruptionMode", beta_disruption, NO(5)),
    STRING("priorityClassName", NO(6)),
    INT32_PTR("priority", NO(7)),
    STRING_PTR_OF("preemptionPolicy", "v1beta1.PreemptionPolicy", NO(8)));

TYPE_BETA(beta_workload_spec, "WorkloadSpec",
    STRUCT_PTR("controllerRef", beta_reference, NO(1)),
    LIST("podGroupTemplates", beta_template, MAP("name"), NO(2)),
    ANY("compositePodGroupTemplates", NO(3)));

PUBLIC_TYPE_BETA(workload_v1beta1, "Workload",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", beta_workload_spec, NO(2)));

TYPE_BETA(beta_workload_reference, "WorkloadReference",
    STRING("workloadName", NO(1)),
    STRING("templateName", NO(2)));

TYPE_BETA(beta_pod_group_spec, "PodGroupSpec",
    STRING_PTR("parentCompositePodGroupName", NO(1)),
    STRUCT_PTR("workloadRef", beta_workload_reference, NO(2)),
    STRUCT("schedulingPolicy", beta_policy, NO(3)),
    STRUCT_PTR("schedulingConstraints", beta_constraints, NO(4)),
    LIST("resourceClaims", beta_claim, BY("name"), GATE(DRAWorkloadResourceClaims), NO(5)),
    STRUCT_PTR("disruptionMode", beta_disruption, NO(6)),
    STRING("priorityClassName", NO(7)),
    INT32_PTR("priority", NO(8)),
    STRING_PTR_OF("preemptionPolicy", "v1beta1.PreemptionPolicy", NO(9)));

PUBLIC_TYPE_BETA(pod_group_v1beta1, "PodGroup",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", beta_pod_group_spec, NO(2)),
    ANY("status", NO(3)));
