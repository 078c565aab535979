/* Workloads and PodGroups (k8s.io/api scheduling/v1alpha2). */
#include "common/schema/macros.h"

static const struct jr_schema_field typed_local_reference_fields[] = {
    STRING("apiGroup"),
    STRING("kind"),
    STRING("name"),
    END,
};
TYPE_ALPHA(typed_local_reference, "TypedLocalObjectReference");

static const struct jr_schema_field gang_policy_fields[] = { INT32("minCount"), END };
TYPE_ALPHA(gang_policy, "GangSchedulingPolicy");

static const struct jr_schema_field group_policy_fields[] = {
    ANY("basic"),
    STRUCT_PTR("gang", gang_policy),
    END,
};
TYPE_ALPHA(group_policy, "PodGroupSchedulingPolicy");

static const struct jr_schema_field topology_constraint_fields[] = { STRING("key"), END };
TYPE_ALPHA(topology_constraint, "TopologyConstraint");

static const struct jr_schema_field group_scheduling_constraints_fields[] = {
    LIST("topology", topology_constraint),
    END,
};
TYPE_ALPHA(group_scheduling_constraints, "PodGroupSchedulingConstraints");

static const struct jr_schema_field group_resource_claim_fields[] = {
    STRING("name"),
    STRING_PTR("resourceClaimName"),
    STRING_PTR("resourceClaimTemplateName"),
    END,
};
TYPE_ALPHA(group_resource_claim, "PodGroupResourceClaim");

static const struct jr_schema_field group_template_fields[] = {
    STRING("name"),
    STRUCT("schedulingPolicy", group_policy),
    STRUCT_PTR("schedulingConstraints", group_scheduling_constraints),
    LIST("resourceClaims", group_resource_claim, BY("name")),
    STRING_PTR_OF("disruptionMode", "v1alpha2.DisruptionMode"),
    STRING("priorityClassName"),
    INT32_PTR("priority"),
    END,
};
TYPE_ALPHA(group_template, "PodGroupTemplate");

static const struct jr_schema_field workload_spec_fields[] = {
    STRUCT_PTR("controllerRef", typed_local_reference),
    LIST("podGroupTemplates", group_template, MAP("name")),
    END,
};
TYPE_ALPHA(workload_spec, "WorkloadSpec");

static const struct jr_schema_field workload_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", workload_spec),
    END,
};
PUBLIC_TYPE_ALPHA(workload, "Workload");

static const struct jr_schema_field workload_reference_fields[] = {
    STRING("workloadName"),
    STRING("podGroupTemplateName"),
    END,
};
TYPE_ALPHA(workload_reference, "WorkloadPodGroupTemplateReference");

static const struct jr_schema_field group_template_reference_fields[] = {
    STRUCT_PTR("workload", workload_reference),
    END,
};
TYPE_ALPHA(group_template_reference, "PodGroupTemplateReference");

static const struct jr_schema_field pod_group_spec_fields[] = {
    STRUCT_PTR("podGroupTemplateRef", group_template_reference),
    STRUCT("schedulingPolicy", group_policy),
    STRUCT_PTR("schedulingConstraints", group_scheduling_constraints),
    LIST("resourceClaims", group_resource_claim, BY("name")),
    STRING_PTR_OF("disruptionMode", "v1alpha2.DisruptionMode"),
    STRING("priorityClassName"),
    INT32_PTR("priority"),
    END,
};
TYPE_ALPHA(pod_group_spec, "PodGroupSpec");

static const struct jr_schema_field pod_group_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", pod_group_spec),
    ANY("status"),
    END,
};
PUBLIC_TYPE_ALPHA(pod_group, "PodGroup");
