/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a running Pod (k8s.io/api core/v1). */
#include "common/schema/macros.h"

TYPE(pod_condition, "PodCondition",
    TEXT_OF("type", "v1.PodConditionType"),
    INT64("observedGeneration", SINCE(33)),
    TEXT_OF("status", "v1.ConditionStatus"),
    TIME("lastProbeTime", ALWAYS),
    TIME("lastTransitionTime", ALWAYS),
    STRING("reason"),
    STRING("message"));

TYPE(pod_ip, "PodIP", TEXT("ip"));

TYPE(host_ip, "HostIP", TEXT("ip"));

TYPE(pod_resource_claim_status, "PodResourceClaimStatus",
    TEXT("name"),
    STRING_PTR("resourceClaimName"));

TYPE(volume_mount_status, "VolumeMountStatus",
    TEXT("name"),
    TEXT("mountPath"),
    BOOL("readOnly"),
    STRING_PTR_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode"),
    ANY("volumeStatus", SINCE(36)));

TYPE(resource_status, "ResourceStatus",
    TEXT_OF("name", "v1.ResourceName"),
    ANY("resources", MAP("resourceID")));

TYPE(container_status, "ContainerStatus",
    TEXT("name"),
    ANY("state"),
    ANY("lastState"),
    BOOL("ready", ALWAYS),
    INT32("restartCount", ALWAYS),
    TEXT("image"),
    TEXT("imageID"),
    STRING("containerID"),
    BOOL_PTR("started"),
    ANY("allocatedResources"),
    ANY("resources"),
    LIST("volumeMounts", volume_mount_status, BY("mountPath")),
    ANY("user"),
    LIST("allocatedResourcesStatus", resource_status, BY("name")),
    ANY("stopSignal", SINCE(33)));

TYPE(volume_health_condition, "VolumeHealthCondition",
    TEXT_OF("status", "v1.VolumeHealthStatusType"),
    TEXT("reason"),
    STRING("message"));

TYPE(pod_volume_health, "PodVolumeHealth",
    TEXT("name"),
    LIST("healthConditions", volume_health_condition, BY("status,reason")),
    TIME("lastTransitionTime", ALWAYS));

PUBLIC_TYPE(pod_status, "PodStatus",
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
    LIST("volumeHealth", pod_volume_health, MAP("name"), SINCE(37)));
