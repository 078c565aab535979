/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a running Pod (k8s.io/api core/v1). */
#include "common/schema/macros.h"

TYPE(pod_condition, "PodCondition",
    TEXT_OF("type", "v1.PodConditionType", NO(1)),
    INT64("observedGeneration", SINCE(33), NO(7)),
    TEXT_OF("status", "v1.ConditionStatus", NO(2)),
    TIME("lastProbeTime", ALWAYS, NO(3)),
    TIME("lastTransitionTime", ALWAYS, NO(4)),
    STRING("reason", NO(5)),
    STRING("message", NO(6)));

TYPE(pod_ip, "PodIP", TEXT("ip", NO(1)));

TYPE(host_ip, "HostIP", TEXT("ip", NO(1)));

TYPE(pod_resource_claim_status, "PodResourceClaimStatus",
    TEXT("name", NO(1)),
    STRING_PTR("resourceClaimName", NO(2)));

TYPE(volume_mount_status, "VolumeMountStatus",
    TEXT("name", NO(1)),
    TEXT("mountPath", NO(2)),
    BOOL("readOnly", NO(3)),
    STRING_PTR_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode", NO(4)),
    ANY("volumeStatus", SINCE(36), NO(5)));

TYPE(resource_status, "ResourceStatus",
    TEXT_OF("name", "v1.ResourceName", NO(1)),
    ANY("resources", MAP("resourceID"), NO(2)));

TYPE(container_status, "ContainerStatus",
    TEXT("name", NO(1)),
    ANY("state", NO(2)),
    ANY("lastState", NO(3)),
    BOOL("ready", ALWAYS, NO(4)),
    INT32("restartCount", ALWAYS, NO(5)),
    TEXT("image", NO(6)),
    TEXT("imageID", NO(7)),
    STRING("containerID", NO(8)),
    BOOL_PTR("started", NO(9)),
    ANY("allocatedResources", NO(10)),
    ANY("resources", NO(11)),
    LIST("volumeMounts", volume_mount_status, BY("mountPath"), NO(12)),
    ANY("user", NO(13)),
    LIST("allocatedResourcesStatus", resource_status, BY("name"), NO(14)),
    ANY("stopSignal", SINCE(33), NO(15)));

TYPE(volume_health_condition, "VolumeHealthCondition",
    TEXT_OF("status", "v1.VolumeHealthStatusType", NO(1)),
    TEXT("reason", NO(2)),
    STRING("message", NO(3)));

TYPE(pod_volume_health, "PodVolumeHealth",
    TEXT("name", NO(1)),
    LIST("healthConditions", volume_health_condition, BY("status,reason"), NO(2)),
    TIME("lastTransitionTime", ALWAYS, NO(3)));

PUBLIC_TYPE(pod_status, "PodStatus",
    INT64("observedGeneration", SINCE(33), NO(17)),
    STRING_OF("phase", "v1.PodPhase", NO(1)),
    LIST("conditions", pod_condition, BY("type"), NO(2)),
    STRING("message", NO(3)),
    STRING("reason", NO(4)),
    STRING("nominatedNodeName", NO(11)),
    STRING("hostIP", NO(5)),
    LIST("hostIPs", host_ip, PATCHED_BY("ip"), NO(16)),
    STRING("podIP", NO(6)),
    LIST("podIPs", pod_ip, BY("ip"), NO(12)),
    TIME_PTR("startTime", NO(7)),
    LIST("initContainerStatuses", container_status, NO(10)),
    LIST("containerStatuses", container_status, NO(8)),
    STRING_OF("qosClass", "v1.PodQOSClass", NO(9)),
    LIST("ephemeralContainerStatuses", container_status, NO(13)),
    STRING_OF("resize", "v1.PodResizeStatus", NO(14)),
    LIST("resourceClaimStatuses", pod_resource_claim_status, BY("name"), NO(15)),
    ANY("extendedResourceClaimStatus", SINCE(34), NO(18)),
    ANY("nodeAllocatableResourceClaimStatuses", SINCE(36), NO(21)),
    ANY("allocatedResources", SINCE(35), NO(19)),
    ANY("resources", SINCE(35), NO(20)),
    LIST("volumeHealth", pod_volume_health, MAP("name"), SINCE(37), NO(22)));
