/* Other kinds that the devcluster serves, of core/v1 and coordination/v1 (k8s.io/api).
 */
#include "common/schema/lease.h"
#include "common/schema/macros.h"

static const struct jr_schema_field config_map_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    BOOL_PTR("immutable"),
    STRING_MAP("data"),
    ANY("binaryData"),
    END,
};
PUBLIC_TYPE(config_map, "ConfigMap");

static const struct jr_schema_field secret_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    BOOL_PTR("immutable"),
    ANY("data"),
    STRING_MAP("stringData"),
    STRING_OF("type", "v1.SecretType"),
    END,
};
PUBLIC_TYPE(secret, "Secret");

static const struct jr_schema_field object_reference_fields[] = {
    STRING("kind"),       STRING("namespace"),
    STRING("name"),       STRING_OF("uid", "types.UID"),
    STRING("apiVersion"), STRING("resourceVersion"),
    STRING("fieldPath"),  END,
};
PUBLIC_TYPE(object_reference, "ObjectReference");

static const struct jr_schema_field service_account_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    LIST("secrets", jr_schema_object_reference, BY("name")),
    LIST("imagePullSecrets", jr_schema_local_object_reference),
    BOOL_PTR("automountServiceAccountToken"),
    END,
};
PUBLIC_TYPE(service_account, "ServiceAccount");

static const struct jr_schema_field lease_spec_fields[] = {
    STRING_PTR("holderIdentity", AT(struct jr_lease, holder_identity)),
    INT32_PTR("leaseDurationSeconds", AT(struct jr_lease, lease_duration_s)),
    TIME_PTR("acquireTime", AT(struct jr_lease, acquire_time)),
    TIME_PTR("renewTime", AT(struct jr_lease, renew_time)),
    INT32_PTR("leaseTransitions", AT(struct jr_lease, lease_transitions)),
    STRING_PTR_OF("strategy", "v1.CoordinatedLeaseStrategy"),
    STRING_PTR("preferredHolder"),
    END,
};
TYPE(lease_spec, "LeaseSpec");

static const struct jr_schema_field lease_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_lease, meta)),
    STRUCT("spec", lease_spec, FLAT),
    END,
};
PUBLIC_TYPE_WITH(lease, "Lease", DECODED(struct jr_lease));

static const struct jr_schema_field namespace_spec_fields[] = {
    STRINGS_OF("finalizers", "v1.FinalizerName"),
    END,
};
TYPE(namespace_spec, "NamespaceSpec");

static const struct jr_schema_field namespace_condition_fields[] = {
    STRING_OF("type", "v1.NamespaceConditionType"),
    STRING_OF("status", "v1.ConditionStatus"),
    TIME("lastTransitionTime"),
    STRING("reason"),
    STRING("message"),
    END,
};
TYPE(namespace_condition, "NamespaceCondition");

static const struct jr_schema_field namespace_status_fields[] = {
    STRING_OF("phase", "v1.NamespacePhase"),
    LIST("conditions", namespace_condition, BY("type")),
    END,
};
TYPE(namespace_status, "NamespaceStatus");

static const struct jr_schema_field namespace_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", namespace_spec),
    STRUCT("status", namespace_status),
    END,
};
PUBLIC_TYPE(namespace, "Namespace");

static const struct jr_schema_field taint_fields[] = {
    STRING("key"), STRING("value"), STRING_OF("effect", "v1.TaintEffect"), TIME_PTR("timeAdded"),
    END,
};
TYPE(taint, "Taint");

static const struct jr_schema_field node_pod_preemption_policy_fields[] = {
    STRINGS("disableResizePreemption", SET),
    END,
};
TYPE(node_pod_preemption_policy, "NodePodPreemptionPolicy");

static const struct jr_schema_field node_spec_fields[] = {
    STRING("podCIDR"),
    STRINGS("podCIDRs", MERGED),
    STRING("providerID"),
    BOOL("unschedulable"),
    LIST("taints", taint),
    ANY("configSource"),
    STRING("externalID"),
    STRUCT_PTR("podPreemptionPolicy", node_pod_preemption_policy, SINCE(37)),
    END,
};
TYPE(node_spec, "NodeSpec");

static const struct jr_schema_field node_condition_fields[] = {
    STRING_OF("type", "v1.NodeConditionType"),
    STRING_OF("status", "v1.ConditionStatus"),
    TIME("lastHeartbeatTime"),
    TIME("lastTransitionTime"),
    STRING("reason"),
    STRING("message"),
    END,
};
TYPE(node_condition, "NodeCondition");

static const struct jr_schema_field node_address_fields[] = {
    STRING_OF("type", "v1.NodeAddressType"),
    STRING("address"),
    END,
};
TYPE(node_address, "NodeAddress");

static const struct jr_schema_field node_status_fields[] = {
    QUANTITIES("capacity"),
    QUANTITIES("allocatable"),
    STRING_OF("phase", "v1.NodePhase"),
    LIST("conditions", node_condition, BY("type")),
    LIST("addresses", node_address, BY("type")),
    ANY("daemonEndpoints"),
    ANY("nodeInfo"),
    ANY("images"),
    STRINGS_OF("volumesInUse", "v1.UniqueVolumeName"),
    ANY("volumesAttached"),
    ANY("config"),
    ANY("runtimeHandlers"),
    ANY("features"),
    STRINGS("declaredFeatures", SINCE(35)),
    END,
};
TYPE(node_status, "NodeStatus");

static const struct jr_schema_field node_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", node_spec),
    STRUCT("status", node_status),
    END,
};
PUBLIC_TYPE(node, "Node");

static const struct jr_schema_field event_source_fields[] = {
    STRING("component"),
    STRING("host"),
    END,
};
TYPE(event_source, "EventSource");

static const struct jr_schema_field event_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("involvedObject", jr_schema_object_reference),
    STRING("reason"),
    STRING("message"),
    STRUCT("source", event_source),
    TIME("firstTimestamp"),
    TIME("lastTimestamp"),
    INT32("count"),
    STRING("type"),
    TIME("eventTime"),
    ANY("series"),
    STRING("action"),
    STRUCT_PTR("related", jr_schema_object_reference),
    STRING("reportingComponent"),
    STRING("reportingInstance"),
    END,
};
PUBLIC_TYPE(event, "Event");
