/* What is known of a running Pod (k8s.io/api core/v1). */
#include "common/schema/macros.h"

static const struct jr_schema_field pod_condition_fields[] = {
    STRING_OF("type", "v1.PodConditionType"),
    INT64("observedGeneration", SINCE(33)),
    STRING_OF("status", "v1.ConditionStatus"),
    TIME("lastProbeTime"),
    TIME("lastTransitionTime"),
    STRING("reason"),
    STRING("message"),
    END,
};
TYPE(pod_condition, "PodCondition");

static const struct jr_schema_field pod_ip_fields[] = { STRING("ip"), END };
TYPE(pod_ip, "PodIP");

static const struct jr_schema_field host_ip_fields[] = { STRING("ip"), END };
TYPE(host_ip, "HostIP");

static const struct jr_schema_field pod_resource_claim_status_fields[] = {
    STRING("name"),
    STRING_PTR("resourceClaimName"),
    END,
};
TYPE(pod_resource_claim_status, "PodResourceClaimStatus");

static const struct jr_schema_field volume_mount_status_fields[] = {
    STRING("name"),
    STRING("mountPath"),
    BOOL("readOnly"),
    STRING_PTR_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode"),
    ANY("volumeStatus", SINCE(36)),
    END,
};
TYPE(volume_mount_status, "VolumeMountStatus");

static const struct jr_schema_field resource_status_fields[] = {
    STRING_OF("name", "v1.ResourceName"),
    ANY("resources", MAP("resourceID")),
    END,
};
TYPE(resource_status, "ResourceStatus");

static const struct jr_schema_field container_status_fields[] = {
    STRING("name"),
    ANY("state"),
    ANY("lastState"),
    BOOL("ready"),
    INT32("restartCount"),
    STRING("image"),
    STRING("imageID"),
    STRING("containerID"),
    BOOL_PTR("started"),
    ANY("allocatedResources"),
    ANY("resources"),
    LIST("volumeMounts", volume_mount_status, BY("mountPath")),
    ANY("user"),
    LIST("allocatedResourcesStatus", resource_status, BY("name")),
    ANY("stopSignal", SINCE(33)),
    END,
};
TYPE(container_status, "ContainerStatus");

static const struct jr_schema_field volume_health_condition_fields[] = {
    STRING_OF("status", "v1.VolumeHealthStatusType"),
    STRING("reason"),
    STRING("message"),
    END,
};
TYPE(volume_health_condition, "VolumeHealthCondition");

static const struct jr_schema_field pod_volume_health_fields[] = {
    STRING("name"),
    LIST("healthConditions", volume_health_condition, BY("status,reason")),
    TIME("lastTransitionTime"),
    END,
};
TYPE(pod_volume_health, "PodVolumeHealth");

static const struct jr_schema_field pod_status_fields[] = {
    INT64("observedGeneration", SINCE(33)),
    STRING_OF("phase", "v1.PodPhase"),
    LIST("conditions", pod_condition, BY("type")),
    STRING("message"),
    STRING("reason"),
    STRING("nominatedNodeName"),
    STRING("hostIP"),
    LIST("hostIPs", host_ip, PATCHED_BY("ip")),
    STRING("podIP"),
    LIST("podIPs", pod_ip, BY("ip")),
    TIME_PTR("startTime"),
    LIST("initContainerStatuses", container_status),
    LIST("containerStatuses", container_status),
    STRING_OF("qosClass", "v1.PodQOSClass"),
    LIST("ephemeralContainerStatuses", container_status),
    STRING_OF("resize", "v1.PodResizeStatus"),
    LIST("resourceClaimStatuses", pod_resource_claim_status, BY("name")),
    ANY("extendedResourceClaimStatus", SINCE(34)),
    ANY("nodeAllocatableResourceClaimStatuses", SINCE(36)),
    ANY("allocatedResources", SINCE(35)),
    ANY("resources", SINCE(35)),
    LIST("volumeHealth", pod_volume_health, MAP("name"), SINCE(37)),
    END,
};
PUBLIC_TYPE(pod_status, "PodStatus");
