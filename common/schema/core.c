/* SPDX-License-Identifier: Apache-2.0 */
/* Other kinds that the devcluster serves, of core/v1 and coordination/v1 (k8s.io/api).
 */
#include "common/schema/lease.h"
#include "common/schema/macros.h"

PUBLIC_TYPE(config_map, "ConfigMap",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    BOOL_PTR("immutable", NO(4)),
    STRING_MAP("data", NO(2)),
    ANY("binaryData", BYTES, NO(3)));

PUBLIC_TYPE(secret, "Secret",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    BOOL_PTR("immutable", NO(5)),
    ANY("data", BYTES, NO(2)),
    STRING_MAP("stringData", NO(4)),
    STRING_OF("type", "v1.SecretType", NO(3)));

TYPE(scope_requirement, "ScopedResourceSelectorRequirement",
    TEXT_OF("scopeName", "v1.ResourceQuotaScope", NO(1)),
    TEXT_OF("operator", "v1.ScopeSelectorOperator", NO(2)),
    STRINGS("values", NO(3)));

TYPE(scope_selector, "ScopeSelector", LIST("matchExpressions", scope_requirement, NO(1)));

TYPE(quota_spec, "ResourceQuotaSpec",
    QUANTITIES("hard", NO(1)),
    STRINGS_OF("scopes", "v1.ResourceQuotaScope", NO(2)),
    STRUCT_PTR("scopeSelector", scope_selector, NO(3)));

TYPE(quota_status, "ResourceQuotaStatus",
    QUANTITIES("hard", NO(1)),
    QUANTITIES("used", NO(2)));

PUBLIC_TYPE(resource_quota, "ResourceQuota",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", quota_spec, NO(2)),
    STRUCT("status", quota_status, NO(3)));

PUBLIC_TYPE(object_reference, "ObjectReference",
    STRING("kind", NO(1)),
    STRING("namespace", NO(2)),
    STRING("name", NO(3)),
    STRING_OF("uid", "types.UID", NO(4)),
    STRING("apiVersion", NO(5)),
    STRING("resourceVersion", NO(6)),
    STRING("fieldPath", NO(7)));

PUBLIC_TYPE(service_account, "ServiceAccount",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    LIST("secrets", jr_schema_object_reference, BY("name"), NO(2)),
    LIST("imagePullSecrets", jr_schema_local_object_reference, NO(3)),
    BOOL_PTR("automountServiceAccountToken", NO(4)));

TYPE(lease_spec, "LeaseSpec",
    STRING_PTR("holderIdentity", AT(struct jr_lease, holder_identity), NO(1)),
    INT32_PTR("leaseDurationSeconds", AT(struct jr_lease, lease_duration_s), NO(2)),
    TIME_PTR("acquireTime", MICRO, AT(struct jr_lease, acquire_time), NO(3)),
    TIME_PTR("renewTime", MICRO, AT(struct jr_lease, renew_time), NO(4)),
    INT32_PTR("leaseTransitions", AT(struct jr_lease, lease_transitions), NO(5)),
    STRING_PTR_OF("strategy", "v1.CoordinatedLeaseStrategy", NO(6)),
    STRING_PTR("preferredHolder", NO(7)));

PUBLIC_TYPE_WITH(lease, "Lease", DECODED(struct jr_lease),
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_lease, meta), NO(1)),
    STRUCT("spec", lease_spec, FLAT, NO(2)));

TYPE(namespace_spec, "NamespaceSpec", STRINGS_OF("finalizers", "v1.FinalizerName", NO(1)));

TYPE(namespace_condition, "NamespaceCondition",
    TEXT_OF("type", "v1.NamespaceConditionType", NO(1)),
    TEXT_OF("status", "v1.ConditionStatus", NO(2)),
    TIME("lastTransitionTime", ALWAYS, NO(4)),
    STRING("reason", NO(5)),
    STRING("message", NO(6)));

TYPE(namespace_status, "NamespaceStatus",
    STRING_OF("phase", "v1.NamespacePhase", NO(1)),
    LIST("conditions", namespace_condition, BY("type"), NO(2)));

PUBLIC_TYPE(namespace, "Namespace",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", namespace_spec, NO(2)),
    STRUCT("status", namespace_status, NO(3)));

TYPE(taint, "Taint",
    TEXT("key", NO(1)),
    STRING("value", NO(2)),
    TEXT_OF("effect", "v1.TaintEffect", NO(3)),
    TIME_PTR("timeAdded", NO(4)));

TYPE(node_pod_preemption_policy, "NodePodPreemptionPolicy",
    STRINGS("disableResizePreemption", SET, NO(1)));

TYPE(node_spec, "NodeSpec",
    STRING("podCIDR", NO(1)),
    STRINGS("podCIDRs", MERGED, NO(7)),
    STRING("providerID", NO(3)),
    BOOL("unschedulable", NO(4)),
    LIST("taints", taint, NO(5)),
    ANY("configSource", NO(6)),
    STRING("externalID", NO(2)),
    STRUCT_PTR("podPreemptionPolicy", node_pod_preemption_policy, SINCE(37), NO(8)));

TYPE(node_condition, "NodeCondition",
    TEXT_OF("type", "v1.NodeConditionType", NO(1)),
    TEXT_OF("status", "v1.ConditionStatus", NO(2)),
    TIME("lastHeartbeatTime", ALWAYS, NO(3)),
    TIME("lastTransitionTime", ALWAYS, NO(4)),
    STRING("reason", NO(5)),
    STRING("message", NO(6)));

TYPE(node_address, "NodeAddress",
    TEXT_OF("type", "v1.NodeAddressType", NO(1)),
    TEXT("address", NO(2)));

TYPE(node_status, "NodeStatus",
    QUANTITIES("capacity", NO(1)),
    QUANTITIES("allocatable", NO(2)),
    STRING_OF("phase", "v1.NodePhase", NO(3)),
    LIST("conditions", node_condition, BY("type"), NO(4)),
    LIST("addresses", node_address, BY("type"), NO(5)),
    ANY("daemonEndpoints", NO(6)),
    ANY("nodeInfo", NO(7)),
    ANY("images", NO(8)),
    STRINGS_OF("volumesInUse", "v1.UniqueVolumeName", NO(9)),
    ANY("volumesAttached", NO(10)),
    ANY("config", NO(11)),
    ANY("runtimeHandlers", NO(12)),
    ANY("features", NO(13)),
    STRINGS("declaredFeatures", SINCE(35), NO(14)));

PUBLIC_TYPE(node, "Node",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", node_spec, NO(2)),
    STRUCT("status", node_status, NO(3)));

TYPE(event_source, "EventSource",
    STRING("component", NO(1)),
    STRING("host", NO(2)));

PUBLIC_TYPE(event, "Event",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("involvedObject", jr_schema_object_reference, NO(2)),
    STRING("reason", NO(3)),
    STRING("message", NO(4)),
    STRUCT("source", event_source, NO(5)),
    TIME("firstTimestamp", ALWAYS, NO(6)),
    TIME("lastTimestamp", ALWAYS, NO(7)),
    INT32("count", NO(8)),
    STRING("type", NO(9)),
    TIME("eventTime", MICRO, ALWAYS, NO(10)),
    ANY("series", NO(11)),
    STRING("action", NO(12)),
    STRUCT_PTR("related", jr_schema_object_reference, NO(13)),
    TEXT("reportingComponent", NO(14)),
    TEXT("reportingInstance", NO(15)));
