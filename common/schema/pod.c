/* SPDX-License-Identifier: Apache-2.0 */
/* Pods and their templates (k8s.io/api core/v1). */
#include "common/schema/macros.h"

TYPE(container_port, "ContainerPort",
    STRING("name"),
    INT32("hostPort"),
    INT32("containerPort", ALWAYS),
    STRING_OF("protocol", "v1.Protocol"),
    STRING("hostIP"));

TYPE_WITH(config_map_env_source, "ConfigMapEnvSource", EMBEDS(jr_schema_local_object_reference),
    BOOL_PTR("optional"));

TYPE_WITH(secret_env_source, "SecretEnvSource", EMBEDS(jr_schema_local_object_reference),
    BOOL_PTR("optional"));

TYPE(env_from_source, "EnvFromSource",
    STRING("prefix"),
    STRUCT_PTR("configMapRef", config_map_env_source),
    STRUCT_PTR("secretRef", secret_env_source));

TYPE_WITH(config_map_key_selector, "ConfigMapKeySelector", EMBEDS(jr_schema_local_object_reference),
    TEXT("key"),
    BOOL_PTR("optional"));

TYPE_WITH(secret_key_selector, "SecretKeySelector", EMBEDS(jr_schema_local_object_reference),
    TEXT("key"),
    BOOL_PTR("optional"));

TYPE(file_key_selector, "FileKeySelector",
    TEXT("volumeName"),
    TEXT("path"),
    TEXT("key"),
    BOOL_PTR("optional"));

TYPE(env_var_source, "EnvVarSource",
    STRUCT_PTR("fieldRef", jr_schema_object_field_selector),
    STRUCT_PTR("resourceFieldRef", jr_schema_resource_field_selector),
    STRUCT_PTR("configMapKeyRef", config_map_key_selector),
    STRUCT_PTR("secretKeyRef", secret_key_selector),
    STRUCT_PTR("fileKeyRef", file_key_selector, GATE(EnvFiles), SINCE(34)));

TYPE(env_var, "EnvVar",
    TEXT("name"),
    STRING("value"),
    STRUCT_PTR("valueFrom", env_var_source));

TYPE(resource_claim, "ResourceClaim",
    TEXT("name"),
    STRING("request"));

TYPE(resource_requirements, "ResourceRequirements",
    QUANTITIES("limits"),
    QUANTITIES("requests"),
    LIST("claims", resource_claim, MAP("name")));

TYPE(container_resize_policy, "ContainerResizePolicy",
    TEXT_OF("resourceName", "v1.ResourceName"),
    TEXT_OF("restartPolicy", "v1.ResourceResizeRestartPolicy"));

TYPE(container_restart_rule_on_exit_codes, "ContainerRestartRuleOnExitCodes",
    STRING_OF("operator", "v1.ContainerRestartRuleOnExitCodesOperator"),
    INT32S("values", SET));

TYPE(container_restart_rule, "ContainerRestartRule",
    STRING_OF("action", "v1.ContainerRestartRuleAction"),
    STRUCT_PTR("exitCodes", container_restart_rule_on_exit_codes));

TYPE(volume_mount, "VolumeMount",
    TEXT("name"),
    BOOL("readOnly"),
    STRING_PTR_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode"),
    TEXT("mountPath"),
    STRING("subPath"),
    STRING_PTR_OF("mountPropagation", "v1.MountPropagationMode"),
    STRING("subPathExpr"),
    STRINGS("bindMountOptions", SET, GATE(VolumeBindMountOptions), SINCE(37)));

TYPE(volume_device, "VolumeDevice",
    TEXT("name"),
    TEXT("devicePath"));

TYPE(exec_action, "ExecAction", STRINGS("command"));

TYPE(http_header, "HTTPHeader",
    TEXT("name"),
    TEXT("value"));

TYPE(http_get_action, "HTTPGetAction",
    STRING("path"),
    INT_OR_STRING("port"),
    STRING("host"),
    STRING_OF("scheme", "v1.URIScheme"),
    LIST("httpHeaders", http_header),
    STRING_PTR_OF("protocol", "v1.HTTPProtocol", GATE(H2CContainerProbe), SINCE(37)));

TYPE(tcp_socket_action, "TCPSocketAction",
    INT_OR_STRING("port"),
    STRING("host"));

TYPE(grpc_action, "GRPCAction",
    INT32("port", ALWAYS),
    STRING_PTR("service", ALWAYS),
    STRING_PTR_OF("mode", "v1.GRPCProbeMode", GATE(GRPCContainerProbeTLS), SINCE(37)));

TYPE(probe_handler, "ProbeHandler",
    STRUCT_PTR("exec", exec_action),
    STRUCT_PTR("httpGet", http_get_action),
    STRUCT_PTR("tcpSocket", tcp_socket_action),
    STRUCT_PTR("grpc", grpc_action));

TYPE_WITH(probe, "Probe", EMBEDS(probe_handler),
    INT32("initialDelaySeconds"),
    INT32("timeoutSeconds"),
    INT32("periodSeconds"),
    INT32("successThreshold"),
    INT32("failureThreshold"),
    INT64_PTR("terminationGracePeriodSeconds"));

TYPE(sleep_action, "SleepAction", INT64("seconds", ALWAYS));

TYPE(lifecycle_handler, "LifecycleHandler",
    STRUCT_PTR("exec", exec_action),
    STRUCT_PTR("httpGet", http_get_action),
    STRUCT_PTR("tcpSocket", tcp_socket_action),
    STRUCT_PTR("sleep", sleep_action));

TYPE(lifecycle, "Lifecycle",
    STRUCT_PTR("postStart", lifecycle_handler),
    STRUCT_PTR("preStop", lifecycle_handler),
    STRING_PTR_OF("stopSignal", "v1.Signal", SINCE(33)));

TYPE(capabilities, "Capabilities",
    STRINGS_OF("add", "v1.Capability"),
    STRINGS_OF("drop", "v1.Capability"));

TYPE(se_linux_options, "SELinuxOptions",
    STRING("user"),
    STRING("role"),
    STRING("type"),
    STRING("level"));

TYPE(windows_security_context_options, "WindowsSecurityContextOptions",
    STRING_PTR("gmsaCredentialSpecName"),
    STRING_PTR("gmsaCredentialSpec"),
    STRING_PTR("runAsUserName"),
    BOOL_PTR("hostProcess"));

TYPE(security_profile_base, "SecurityProfileOCIBase",
    STRING_OF("type", "v1.SecurityProfileOCIBaseType"),
    STRING_PTR("localhostProfile"));

TYPE(security_profile, "SecurityProfileOCI",
    STRING("ref"),
    STRUCT_PTR("baseProfile", security_profile_base));

TYPE(seccomp_profile, "SeccompProfile",
    TEXT_OF("type", "v1.SeccompProfileType"),
    STRING_PTR("localhostProfile"),
    STRUCT_PTR("oci", security_profile, SINCE(38)));

TYPE(app_armor_profile, "AppArmorProfile",
    TEXT_OF("type", "v1.AppArmorProfileType"),
    STRING_PTR("localhostProfile"));

PUBLIC_TYPE(security_context, "SecurityContext",
    STRUCT_PTR("capabilities", capabilities),
    BOOL_PTR("privileged"),
    STRUCT_PTR("seLinuxOptions", se_linux_options),
    STRUCT_PTR("windowsOptions", windows_security_context_options),
    INT64_PTR("runAsUser"),
    INT64_PTR("runAsGroup"),
    BOOL_PTR("runAsNonRoot"),
    BOOL_PTR("readOnlyRootFilesystem"),
    BOOL_PTR("allowPrivilegeEscalation"),
    STRING_PTR_OF("procMount", "v1.ProcMountType"),
    STRUCT_PTR("seccompProfile", seccomp_profile),
    STRUCT_PTR("appArmorProfile", app_armor_profile));

static const struct jr_schema_field container_fields[] = {
    TEXT("name"),
    STRING("image"),
    STRINGS("command"),
    STRINGS("args"),
    STRING("workingDir"),
    LIST("ports", container_port, BY("containerPort,protocol")),
    LIST("envFrom", env_from_source),
    LIST("env", env_var, BY("name")),
    STRUCT("resources", resource_requirements),
    LIST("resizePolicy", container_resize_policy, GATE(InPlacePodVerticalScaling)),
    STRING_PTR_OF("restartPolicy", "v1.ContainerRestartPolicy"),
    LIST("restartPolicyRules", container_restart_rule, SINCE(34)),
    LIST("volumeMounts", volume_mount, BY("mountPath")),
    LIST("volumeDevices", volume_device, BY("devicePath")),
    STRUCT_PTR("livenessProbe", probe),
    STRUCT_PTR("readinessProbe", probe),
    STRUCT_PTR("startupProbe", probe),
    STRUCT_PTR("lifecycle", lifecycle),
    STRING("terminationMessagePath"),
    STRING_OF("terminationMessagePolicy", "v1.TerminationMessagePolicy"),
    STRING_OF("imagePullPolicy", "v1.PullPolicy"),
    STRUCT_PTR("securityContext", jr_schema_security_context),
    BOOL("stdin"),
    BOOL("stdinOnce"),
    BOOL("tty"),
    END,
};
const struct jr_schema_type jr_schema_container =
    TYPE_OF("v1.", "Container", container_fields, .size = 0);
/* Upstream's copy of Container, member by member, under a name of its own. */
static const struct jr_schema_type ephemeral_container_common =
    TYPE_OF("v1.", "EphemeralContainerCommon", container_fields, .size = 0);

TYPE_WITH(ephemeral_container, "EphemeralContainer", EMBEDS(ephemeral_container_common),
    STRING("targetContainerName"));

TYPE(sysctl, "Sysctl",
    TEXT("name"),
    TEXT("value"));

TYPE(pod_security_context, "PodSecurityContext",
    STRUCT_PTR("seLinuxOptions", se_linux_options),
    STRUCT_PTR("windowsOptions", windows_security_context_options),
    INT64_PTR("runAsUser"),
    INT64_PTR("runAsGroup"),
    BOOL_PTR("runAsNonRoot"),
    INT64S("supplementalGroups"),
    STRING_PTR_OF("supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy",
                  GATE(SupplementalGroupsPolicy)),
    INT64_PTR("fsGroup"),
    LIST("sysctls", sysctl),
    STRING_PTR_OF("fsGroupChangePolicy", "v1.PodFSGroupChangePolicy"),
    STRUCT_PTR("seccompProfile", seccomp_profile),
    STRUCT_PTR("appArmorProfile", app_armor_profile),
    STRING_PTR_OF("seLinuxChangePolicy", "v1.PodSELinuxChangePolicy", GATE(SELinuxChangePolicy),
                  SINCE(32)));

TYPE(node_selector_requirement, "NodeSelectorRequirement",
    TEXT("key"),
    TEXT_OF("operator", "v1.NodeSelectorOperator"),
    STRINGS("values"));

TYPE(node_selector_term, "NodeSelectorTerm",
    LIST("matchExpressions", node_selector_requirement),
    LIST("matchFields", node_selector_requirement));

TYPE(node_selector, "NodeSelector", LIST("nodeSelectorTerms", node_selector_term, ALWAYS));

TYPE(preferred_scheduling_term, "PreferredSchedulingTerm",
    INT32("weight", ALWAYS),
    STRUCT("preference", node_selector_term));

TYPE(node_affinity, "NodeAffinity",
    STRUCT_PTR("requiredDuringSchedulingIgnoredDuringExecution", node_selector),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_scheduling_term));

TYPE(pod_affinity_term, "PodAffinityTerm",
    STRUCT_PTR("labelSelector", jr_schema_label_selector),
    STRINGS("namespaces"),
    TEXT("topologyKey"),
    STRUCT_PTR("namespaceSelector", jr_schema_label_selector),
    STRINGS("matchLabelKeys"),
    STRINGS("mismatchLabelKeys"));

TYPE(weighted_pod_affinity_term, "WeightedPodAffinityTerm",
    INT32("weight", ALWAYS),
    STRUCT("podAffinityTerm", pod_affinity_term));

TYPE(pod_affinity, "PodAffinity",
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term));

TYPE(pod_anti_affinity, "PodAntiAffinity",
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term));

TYPE(affinity, "Affinity",
    STRUCT_PTR("nodeAffinity", node_affinity),
    STRUCT_PTR("podAffinity", pod_affinity),
    STRUCT_PTR("podAntiAffinity", pod_anti_affinity));

TYPE(toleration, "Toleration",
    STRING("key"),
    STRING_OF("operator", "v1.TolerationOperator"),
    STRING("value"),
    STRING_OF("effect", "v1.TaintEffect"),
    INT64_PTR("tolerationSeconds"));

TYPE(host_alias, "HostAlias",
    TEXT("ip"),
    STRINGS("hostnames"));

TYPE(pod_dns_config_option, "PodDNSConfigOption",
    STRING("name"),
    STRING_PTR("value"));

TYPE(pod_dns_config, "PodDNSConfig",
    STRINGS("nameservers"),
    STRINGS("searches"),
    LIST("options", pod_dns_config_option));

TYPE(pod_readiness_gate, "PodReadinessGate", TEXT_OF("conditionType", "v1.PodConditionType"));

TYPE(topology_spread_constraint, "TopologySpreadConstraint",
    INT32("maxSkew", ALWAYS),
    TEXT("topologyKey"),
    TEXT_OF("whenUnsatisfiable", "v1.UnsatisfiableConstraintAction"),
    STRUCT_PTR("labelSelector", jr_schema_label_selector),
    INT32_PTR("minDomains"),
    STRING_PTR_OF("nodeAffinityPolicy", "v1.NodeInclusionPolicy"),
    STRING_PTR_OF("nodeTaintsPolicy", "v1.NodeInclusionPolicy"),
    STRINGS("matchLabelKeys", GATE(MatchLabelKeysInPodTopologySpread)));

TYPE(pod_os, "PodOS", TEXT_OF("name", "v1.OSName"));

TYPE(pod_scheduling_gate, "PodSchedulingGate", TEXT("name"));

TYPE(pod_resource_claim, "PodResourceClaim",
    TEXT("name"),
    STRING_PTR("resourceClaimName"),
    STRING_PTR("resourceClaimTemplateName"));

TYPE(pod_scheduling_group, "PodSchedulingGroup", STRING_PTR("podGroupName"));

TYPE(eviction_responder, "EvictionResponder",
    TEXT("name"),
    INT32_PTR("priority", ALWAYS));

TYPE(workload_reference, "WorkloadReference",
    STRING("name"),
    STRING("podGroup"),
    STRING("podGroupReplicaKey"));

PUBLIC_TYPE(pod_spec, "PodSpec",
    LIST("volumes", jr_schema_volume, BY("name")),
    LIST("initContainers", jr_schema_container, BY("name")),
    LIST("containers", jr_schema_container, BY("name"), ALWAYS),
    LIST("ephemeralContainers", ephemeral_container, BY("name")),
    STRING_OF("restartPolicy", "v1.RestartPolicy"),
    INT64_PTR("terminationGracePeriodSeconds"),
    INT64_PTR("activeDeadlineSeconds"),
    STRING_OF("dnsPolicy", "v1.DNSPolicy"),
    STRING_MAP("nodeSelector"),
    STRING("serviceAccountName"),
    STRING("serviceAccount"),
    BOOL_PTR("automountServiceAccountToken"),
    STRING("nodeName"),
    BOOL("hostNetwork"),
    BOOL("hostPID"),
    BOOL("hostIPC"),
    BOOL_PTR("shareProcessNamespace"),
    STRUCT_PTR("securityContext", pod_security_context),
    LIST("imagePullSecrets", jr_schema_local_object_reference, BY("name")),
    STRING("hostname"),
    STRING("subdomain"),
    STRUCT_PTR("affinity", affinity),
    STRING("schedulerName"),
    LIST("tolerations", toleration),
    LIST("hostAliases", host_alias, BY("ip")),
    STRING("priorityClassName"),
    INT32_PTR("priority"),
    STRUCT_PTR("dnsConfig", pod_dns_config),
    LIST("readinessGates", pod_readiness_gate),
    STRING_PTR("runtimeClassName"),
    BOOL_PTR("enableServiceLinks"),
    STRING_PTR_OF("preemptionPolicy", "v1.PreemptionPolicy"),
    QUANTITIES("overhead"),
    LIST("topologySpreadConstraints", topology_spread_constraint,
         BY("topologyKey,whenUnsatisfiable")),
    BOOL_PTR("setHostnameAsFQDN"),
    STRUCT_PTR("os", pod_os),
    BOOL_PTR("hostUsers", GATE(UserNamespacesSupport)),
    LIST("schedulingGates", pod_scheduling_gate, BY("name")),
    LIST("resourceClaims", pod_resource_claim, BY("name")),
    STRUCT_PTR("resources", resource_requirements, SINCE(32)),
    STRING_PTR("hostnameOverride", GATE(HostnameOverride), SINCE(34)),
    STRUCT_PTR("workloadRef", workload_reference, GATE(GenericWorkload), SINCE(35), UNTIL(35)),
    STRUCT_PTR("schedulingGroup", pod_scheduling_group, GATE(GenericWorkload), SINCE(36)),
    LIST("evictionResponders", eviction_responder, BY("name"), GATE(EvictionRequestAPI),
         SINCE(37)));

PUBLIC_TYPE(pod_template_spec, "PodTemplateSpec",
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_pod_spec));

PUBLIC_TYPE(pod, "Pod",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_pod_spec),
    STRUCT("status", jr_schema_pod_status));
