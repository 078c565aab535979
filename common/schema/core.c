/* SPDX-License-Identifier: Apache-2.0 */
/* Other kinds that the devcluster serves, of core/v1 and coordination/v1 (k8s.io/api).
 */
#include "common/schema/lease.h"
#include "common/schema/macros.h"

PUBLIC_TYPE(config_map, "ConfigMap",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    BOOL_PTR("immutable"),
    STRING_MAP("data"),
    ANY("binaryData"));

PUBLIC_TYPE(secret, "Secret",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    BOOL_PTR("immutable"),
    ANY("data"),
    STRING_MAP("stringData"),
    STRING_OF("type", "v1.SecretType"));

PUBLIC_TYPE(object_reference, "ObjectReference",
    STRING("kind"),
    STRING("namespace"),
    STRING("name"),
    STRING_OF("uid", "types.UID"),
    STRING("apiVersion"),
    STRING("resourceVersion"),
    STRING("fieldPath"));

PUBLIC_TYPE(service_account, "ServiceAccount",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    LIST("secrets", jr_schema_object_reference, BY("name")),
    LIST("imagePullSecrets", jr_schema_local_object_reference),
    BOOL_PTR("automountServiceAccountToken"));

TYPE(lease_spec, "LeaseSpec",
    STRING_PTR("holderIdentity", AT(struct jr_lease, holder_identity)),
    INT32_PTR("leaseDurationSeconds", AT(struct jr_lease, lease_duration_s)),
    TIME_PTR("acquireTime", AT(struct jr_lease, acquire_time)),
    TIME_PTR("renewTime", AT(struct jr_lease, renew_time)),
    INT32_PTR("leaseTransitions", AT(struct jr_lease, lease_transitions)),
    STRING_PTR_OF("strategy", "v1.CoordinatedLeaseStrategy"),
    STRING_PTR("preferredHolder"));

PUBLIC_TYPE_WITH(lease, "Lease", DECODED(struct jr_lease),
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_lease, meta)),
    STRUCT("spec", lease_spec, FLAT));

TYPE(namespace_spec, "NamespaceSpec", STRINGS_OF("finalizers", "v1.FinalizerName"));

TYPE(namespace_condition, "NamespaceCondition",
    TEXT_OF("type", "v1.NamespaceConditionType"),
    TEXT_OF("status", "v1.ConditionStatus"),
    TIME("lastTransitionTime", ALWAYS),
    STRING("reason"),
    STRING("message"));

TYPE(namespace_status, "NamespaceStatus",
    STRING_OF("phase", "v1.NamespacePhase"),
    LIST("conditions", namespace_condition, BY("type")));

PUBLIC_TYPE(namespace, "Namespace",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", namespace_spec),
    STRUCT("status", namespace_status));

TYPE(taint, "Taint",
    TEXT("key"),
    STRING("value"),
    TEXT_OF("effect", "v1.TaintEffect"),
    TIME_PTR("timeAdded"));

TYPE(node_pod_preemption_policy, "NodePodPreemptionPolicy",
    STRINGS("disableResizePreemption", SET));

TYPE(node_spec, "NodeSpec",
    STRING("podCIDR"),
    STRINGS("podCIDRs", MERGED),
    STRING("providerID"),
    BOOL("unschedulable"),
    LIST("taints", taint),
    ANY("configSource"),
    STRING("externalID"),
    STRUCT_PTR("podPreemptionPolicy", node_pod_preemption_policy, SINCE(37)));

TYPE(node_condition, "NodeCondition",
    TEXT_OF("type", "v1.NodeConditionType"),
    TEXT_OF("status", "v1.ConditionStatus"),
    TIME("lastHeartbeatTime", ALWAYS),
    TIME("lastTransitionTime", ALWAYS),
    STRING("reason"),
    STRING("message"));

TYPE(node_address, "NodeAddress",
    TEXT_OF("type", "v1.NodeAddressType"),
    TEXT("address"));

TYPE(node_status, "NodeStatus",
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
    STRINGS("declaredFeatures", SINCE(35)));

PUBLIC_TYPE(node, "Node",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", node_spec),
    STRUCT("status", node_status));

TYPE(event_source, "EventSource",
    STRING("component"),
    STRING("host"));

PUBLIC_TYPE(event, "Event",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("involvedObject", jr_schema_object_reference),
    STRING("reason"),
    STRING("message"),
    STRUCT("source", event_source),
    TIME("firstTimestamp", ALWAYS),
    TIME("lastTimestamp", ALWAYS),
    INT32("count"),
    STRING("type"),
    TIME("eventTime", ALWAYS),
    ANY("series"),
    STRING("action"),
    STRUCT_PTR("related", jr_schema_object_reference),
    TEXT("reportingComponent"),
    TEXT("reportingInstance"));
