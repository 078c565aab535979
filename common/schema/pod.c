/* SPDX-License-Identifier: Apache-2.0 */
/* Pods and their templates (k8s.io/api core/v1). */
#include "common/schema/macros.h"

TYPE(container_port, "ContainerPort",
    STRING("name", NO(1)),
    INT32("hostPort", NO(2)),
    INT32("containerPort", ALWAYS, NO(3)),
    STRING_OF("protocol", "v1.Protocol", NO(4)),
    STRING("hostIP", NO(5)));

TYPE_WITH(config_map_env_source, "ConfigMapEnvSource", EMBEDS(jr_schema_local_object_reference, 1),
    BOOL_PTR("optional", NO(2)));

TYPE_WITH(secret_env_source, "SecretEnvSource", EMBEDS(jr_schema_local_object_reference, 1),
    BOOL_PTR("optional", NO(2)));

TYPE(env_from_source, "EnvFromSource",
    STRING("prefix", NO(1)),
    STRUCT_PTR("configMapRef", config_map_env_source, NO(2)),
    STRUCT_PTR("secretRef", secret_env_source, NO(3)));

TYPE_WITH(config_map_key_selector, "ConfigMapKeySelector", EMBEDS(jr_schema_local_object_reference, 1),
    TEXT("key", NO(2)),
    BOOL_PTR("optional", NO(3)));

TYPE_WITH(secret_key_selector, "SecretKeySelector", EMBEDS(jr_schema_local_object_reference, 1),
    TEXT("key", NO(2)),
    BOOL_PTR("optional", NO(3)));

TYPE(file_key_selector, "FileKeySelector",
    TEXT("volumeName", NO(1)),
    TEXT("path", NO(2)),
    TEXT("key", NO(3)),
    BOOL_PTR("optional", NO(4)));

TYPE(env_var_source, "EnvVarSource",
    STRUCT_PTR("fieldRef", jr_schema_object_field_selector, NO(1)),
    STRUCT_PTR("resourceFieldRef", jr_schema_resource_field_selector, NO(2)),
    STRUCT_PTR("configMapKeyRef", config_map_key_selector, NO(3)),
    STRUCT_PTR("secretKeyRef", secret_key_selector, NO(4)),
    STRUCT_PTR("fileKeyRef", file_key_selector, GATE(EnvFiles), SINCE(34), NO(5)));

TYPE(env_var, "EnvVar",
    TEXT("name", NO(1)),
    STRING("value", NO(2)),
    STRUCT_PTR("valueFrom", env_var_source, NO(3)));

TYPE(resource_claim, "ResourceClaim",
    TEXT("name", NO(1)),
    STRING("request", NO(2)));

TYPE(resource_requirements, "ResourceRequirements",
    QUANTITIES("limits", NO(1)),
    QUANTITIES("requests", NO(2)),
    LIST("claims", resource_claim, MAP("name"), NO(3)));

TYPE(container_resize_policy, "ContainerResizePolicy",
    TEXT_OF("resourceName", "v1.ResourceName", NO(1)),
    TEXT_OF("restartPolicy", "v1.ResourceResizeRestartPolicy", NO(2)));

TYPE(container_restart_rule_on_exit_codes, "ContainerRestartRuleOnExitCodes",
    STRING_OF("operator", "v1.ContainerRestartRuleOnExitCodesOperator", NO(1)),
    INT32S("values", SET, NO(2)));

TYPE(container_restart_rule, "ContainerRestartRule",
    STRING_OF("action", "v1.ContainerRestartRuleAction", NO(1)),
    STRUCT_PTR("exitCodes", container_restart_rule_on_exit_codes, NO(2)));

TYPE(volume_mount, "VolumeMount",
    TEXT("name", NO(1)),
    BOOL("readOnly", NO(2)),
    STRING_PTR_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode", NO(7)),
    TEXT("mountPath", NO(3)),
    STRING("subPath", NO(4)),
    STRING_PTR_OF("mountPropagation", "v1.MountPropagationMode", NO(5)),
    STRING("subPathExpr", NO(6)),
    STRINGS("bindMountOptions", SET, GATE(VolumeBindMountOptions), SINCE(37), NO(8)));

TYPE(volume_device, "VolumeDevice",
    TEXT("name", NO(1)),
    TEXT("devicePath", NO(2)));

TYPE(exec_action, "ExecAction", STRINGS("command", NO(1)));

TYPE(http_header, "HTTPHeader",
    TEXT("name", NO(1)),
    TEXT("value", NO(2)));

TYPE(http_get_action, "HTTPGetAction",
    STRING("path", NO(1)),
    INT_OR_STRING("port", NO(2)),
    STRING("host", NO(3)),
    STRING_OF("scheme", "v1.URIScheme", NO(4)),
    LIST("httpHeaders", http_header, NO(5)),
    STRING_PTR_OF("protocol", "v1.HTTPProtocol", GATE(H2CContainerProbe), SINCE(37), NO(6)));

TYPE(tcp_socket_action, "TCPSocketAction",
    INT_OR_STRING("port", NO(1)),
    STRING("host", NO(2)));

TYPE(grpc_action, "GRPCAction",
    INT32("port", ALWAYS, NO(1)),
    STRING_PTR("service", ALWAYS, NO(2)),
    STRING_PTR_OF("mode", "v1.GRPCProbeMode", GATE(GRPCContainerProbeTLS), SINCE(37), NO(3)));

TYPE(probe_handler, "ProbeHandler",
    STRUCT_PTR("exec", exec_action, NO(1)),
    STRUCT_PTR("httpGet", http_get_action, NO(2)),
    STRUCT_PTR("tcpSocket", tcp_socket_action, NO(3)),
    STRUCT_PTR("grpc", grpc_action, NO(4)));

TYPE_WITH(probe, "Probe", EMBEDS(probe_handler, 1),
    INT32("initialDelaySeconds", NO(2)),
    INT32("timeoutSeconds", NO(3)),
    INT32("periodSeconds", NO(4)),
    INT32("successThreshold", NO(5)),
    INT32("failureThreshold", NO(6)),
    INT64_PTR("terminationGracePeriodSeconds", NO(7)));

TYPE(sleep_action, "SleepAction", INT64("seconds", ALWAYS, NO(1)));

TYPE(lifecycle_handler, "LifecycleHandler",
    STRUCT_PTR("exec", exec_action, NO(1)),
    STRUCT_PTR("httpGet", http_get_action, NO(2)),
    STRUCT_PTR("tcpSocket", tcp_socket_action, NO(3)),
    STRUCT_PTR("sleep", sleep_action, NO(4)));

TYPE(lifecycle, "Lifecycle",
    STRUCT_PTR("postStart", lifecycle_handler, NO(1)),
    STRUCT_PTR("preStop", lifecycle_handler, NO(2)),
    STRING_PTR_OF("stopSignal", "v1.Signal", SINCE(33), NO(3)));

TYPE(capabilities, "Capabilities",
    STRINGS_OF("add", "v1.Capability", NO(1)),
    STRINGS_OF("drop", "v1.Capability", NO(2)));

TYPE(se_linux_options, "SELinuxOptions",
    STRING("user", NO(1)),
    STRING("role", NO(2)),
    STRING("type", NO(3)),
    STRING("level", NO(4)));

TYPE(windows_security_context_options, "WindowsSecurityContextOptions",
    STRING_PTR("gmsaCredentialSpecName", NO(1)),
    STRING_PTR("gmsaCredentialSpec", NO(2)),
    STRING_PTR("runAsUserName", NO(3)),
    BOOL_PTR("hostProcess", NO(4)));

TYPE(security_profile_base, "SecurityProfileOCIBase",
    STRING_OF("type", "v1.SecurityProfileOCIBaseType", NO(1)),
    STRING_PTR("localhostProfile", NO(2)));

TYPE(security_profile, "SecurityProfileOCI",
    STRING("ref", NO(1)),
    STRUCT_PTR("baseProfile", security_profile_base, NO(2)));

TYPE(seccomp_profile, "SeccompProfile",
    TEXT_OF("type", "v1.SeccompProfileType", NO(1)),
    STRING_PTR("localhostProfile", NO(2)),
    STRUCT_PTR("oci", security_profile, SINCE(38), NO(3)));

TYPE(app_armor_profile, "AppArmorProfile",
    TEXT_OF("type", "v1.AppArmorProfileType", NO(1)),
    STRING_PTR("localhostProfile", NO(2)));

PUBLIC_TYPE(security_context, "SecurityContext",
    STRUCT_PTR("capabilities", capabilities, NO(1)),
    BOOL_PTR("privileged", NO(2)),
    STRUCT_PTR("seLinuxOptions", se_linux_options, NO(3)),
    STRUCT_PTR("windowsOptions", windows_security_context_options, NO(10)),
    INT64_PTR("runAsUser", NO(4)),
    INT64_PTR("runAsGroup", NO(8)),
    BOOL_PTR("runAsNonRoot", NO(5)),
    BOOL_PTR("readOnlyRootFilesystem", NO(6)),
    BOOL_PTR("allowPrivilegeEscalation", NO(7)),
    STRING_PTR_OF("procMount", "v1.ProcMountType", NO(9)),
    STRUCT_PTR("seccompProfile", seccomp_profile, NO(11)),
    STRUCT_PTR("appArmorProfile", app_armor_profile, NO(12)));

static const struct jr_schema_field container_fields[] = {
    TEXT("name", NO(1)),
    STRING("image", NO(2)),
    STRINGS("command", NO(3)),
    STRINGS("args", NO(4)),
    STRING("workingDir", NO(5)),
    LIST("ports", container_port, BY("containerPort,protocol"), NO(6)),
    LIST("envFrom", env_from_source, NO(19)),
    LIST("env", env_var, BY("name"), NO(7)),
    STRUCT("resources", resource_requirements, NO(8)),
    LIST("resizePolicy", container_resize_policy, GATE(InPlacePodVerticalScaling), NO(23)),
    STRING_PTR_OF("restartPolicy", "v1.ContainerRestartPolicy", NO(24)),
    LIST("restartPolicyRules", container_restart_rule, SINCE(34), NO(25)),
    LIST("volumeMounts", volume_mount, BY("mountPath"), NO(9)),
    LIST("volumeDevices", volume_device, BY("devicePath"), NO(21)),
    STRUCT_PTR("livenessProbe", probe, NO(10)),
    STRUCT_PTR("readinessProbe", probe, NO(11)),
    STRUCT_PTR("startupProbe", probe, NO(22)),
    STRUCT_PTR("lifecycle", lifecycle, NO(12)),
    STRING("terminationMessagePath", NO(13)),
    STRING_OF("terminationMessagePolicy", "v1.TerminationMessagePolicy", NO(20)),
    STRING_OF("imagePullPolicy", "v1.PullPolicy", NO(14)),
    STRUCT_PTR("securityContext", jr_schema_security_context, NO(15)),
    BOOL("stdin", NO(16)),
    BOOL("stdinOnce", NO(17)),
    BOOL("tty", NO(18)),
    END,
};
const struct jr_schema_type jr_schema_container =
    TYPE_OF("v1.", "Container", container_fields, .size = 0);
/* Upstream's copy of Container, member by member, under a name of its own. */
static const struct jr_schema_type ephemeral_container_common =
    TYPE_OF("v1.", "EphemeralContainerCommon", container_fields, .size = 0);

TYPE_WITH(ephemeral_container, "EphemeralContainer", EMBEDS(ephemeral_container_common, 1),
    STRING("targetContainerName", NO(2)));

TYPE(sysctl, "Sysctl",
    TEXT("name", NO(1)),
    TEXT("value", NO(2)));

TYPE(pod_security_context, "PodSecurityContext",
    STRUCT_PTR("seLinuxOptions", se_linux_options, NO(1)),
    STRUCT_PTR("windowsOptions", windows_security_context_options, NO(8)),
    INT64_PTR("runAsUser", NO(2)),
    INT64_PTR("runAsGroup", NO(6)),
    BOOL_PTR("runAsNonRoot", NO(3)),
    INT64S("supplementalGroups", NO(4)),
    STRING_PTR_OF("supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy",
                  GATE(SupplementalGroupsPolicy), NO(12)),
    INT64_PTR("fsGroup", NO(5)),
    LIST("sysctls", sysctl, NO(7)),
    STRING_PTR_OF("fsGroupChangePolicy", "v1.PodFSGroupChangePolicy", NO(9)),
    STRUCT_PTR("seccompProfile", seccomp_profile, NO(10)),
    STRUCT_PTR("appArmorProfile", app_armor_profile, NO(11)),
    STRING_PTR_OF("seLinuxChangePolicy", "v1.PodSELinuxChangePolicy", GATE(SELinuxChangePolicy),
                  SINCE(32), NO(13)));

TYPE(node_selector_requirement, "NodeSelectorRequirement",
    TEXT("key", NO(1)),
    TEXT_OF("operator", "v1.NodeSelectorOperator", NO(2)),
    STRINGS("values", NO(3)));

TYPE(node_selector_term, "NodeSelectorTerm",
    LIST("matchExpressions", node_selector_requirement, NO(1)),
    LIST("matchFields", node_selector_requirement, NO(2)));

TYPE(node_selector, "NodeSelector", LIST("nodeSelectorTerms", node_selector_term, ALWAYS, NO(1)));

TYPE(preferred_scheduling_term, "PreferredSchedulingTerm",
    INT32("weight", ALWAYS, NO(1)),
    STRUCT("preference", node_selector_term, NO(2)));

TYPE(node_affinity, "NodeAffinity",
    STRUCT_PTR("requiredDuringSchedulingIgnoredDuringExecution", node_selector, NO(1)),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_scheduling_term, NO(2)));

TYPE(pod_affinity_term, "PodAffinityTerm",
    STRUCT_PTR("labelSelector", jr_schema_label_selector, NO(1)),
    STRINGS("namespaces", NO(2)),
    TEXT("topologyKey", NO(3)),
    STRUCT_PTR("namespaceSelector", jr_schema_label_selector, NO(4)),
    STRINGS("matchLabelKeys", NO(5)),
    STRINGS("mismatchLabelKeys", NO(6)));

TYPE(weighted_pod_affinity_term, "WeightedPodAffinityTerm",
    INT32("weight", ALWAYS, NO(1)),
    STRUCT("podAffinityTerm", pod_affinity_term, NO(2)));

TYPE(pod_affinity, "PodAffinity",
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term, NO(1)),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term, NO(2)));

TYPE(pod_anti_affinity, "PodAntiAffinity",
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term, NO(1)),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term, NO(2)));

TYPE(affinity, "Affinity",
    STRUCT_PTR("nodeAffinity", node_affinity, NO(1)),
    STRUCT_PTR("podAffinity", pod_affinity, NO(2)),
    STRUCT_PTR("podAntiAffinity", pod_anti_affinity, NO(3)));

TYPE(toleration, "Toleration",
    STRING("key", NO(1)),
    STRING_OF("operator", "v1.TolerationOperator", NO(2)),
    STRING("value", NO(3)),
    STRING_OF("effect", "v1.TaintEffect", NO(4)),
    INT64_PTR("tolerationSeconds", NO(5)));

TYPE(host_alias, "HostAlias",
    TEXT("ip", NO(1)),
    STRINGS("hostnames", NO(2)));

TYPE(pod_dns_config_option, "PodDNSConfigOption",
    STRING("name", NO(1)),
    STRING_PTR("value", NO(2)));

TYPE(pod_dns_config, "PodDNSConfig",
    STRINGS("nameservers", NO(1)),
    STRINGS("searches", NO(2)),
    LIST("options", pod_dns_config_option, NO(3)));

TYPE(pod_readiness_gate, "PodReadinessGate", TEXT_OF("conditionType", "v1.PodConditionType", NO(1)));

TYPE(topology_spread_constraint, "TopologySpreadConstraint",
    INT32("maxSkew", ALWAYS, NO(1)),
    TEXT("topologyKey", NO(2)),
    TEXT_OF("whenUnsatisfiable", "v1.UnsatisfiableConstraintAction", NO(3)),
    STRUCT_PTR("labelSelector", jr_schema_label_selector, NO(4)),
    INT32_PTR("minDomains", NO(5)),
    STRING_PTR_OF("nodeAffinityPolicy", "v1.NodeInclusionPolicy", NO(6)),
    STRING_PTR_OF("nodeTaintsPolicy", "v1.NodeInclusionPolicy", NO(7)),
    STRINGS("matchLabelKeys", GATE(MatchLabelKeysInPodTopologySpread), NO(8)));

TYPE(pod_os, "PodOS", TEXT_OF("name", "v1.OSName", NO(1)));

TYPE(pod_scheduling_gate, "PodSchedulingGate", TEXT("name", NO(1)));

TYPE(pod_resource_claim, "PodResourceClaim",
    TEXT("name", NO(1)),
    STRING_PTR("resourceClaimName", NO(3)),
    STRING_PTR("resourceClaimTemplateName", NO(4)));

TYPE(pod_scheduling_group, "PodSchedulingGroup", STRING_PTR("podGroupName", NO(1)));

TYPE(eviction_responder, "EvictionResponder",
    TEXT("name", NO(1)),
    INT32_PTR("priority", ALWAYS, NO(2)));

TYPE(workload_reference, "WorkloadReference",
    STRING("name", NO(1)),
    STRING("podGroup", NO(2)),
    STRING("podGroupReplicaKey", NO(3)));

PUBLIC_TYPE(pod_spec, "PodSpec",
    LIST("volumes", jr_schema_volume, BY("name"), NO(1)),
    LIST("initContainers", jr_schema_container, BY("name"), NO(20)),
    LIST("containers", jr_schema_container, BY("name"), ALWAYS, NO(2)),
    LIST("ephemeralContainers", ephemeral_container, BY("name"), NO(34)),
    STRING_OF("restartPolicy", "v1.RestartPolicy", NO(3)),
    INT64_PTR("terminationGracePeriodSeconds", NO(4)),
    INT64_PTR("activeDeadlineSeconds", NO(5)),
    STRING_OF("dnsPolicy", "v1.DNSPolicy", NO(6)),
    STRING_MAP("nodeSelector", NO(7)),
    STRING("serviceAccountName", NO(8)),
    STRING("serviceAccount", NO(9)),
    BOOL_PTR("automountServiceAccountToken", NO(21)),
    STRING("nodeName", NO(10)),
    BOOL("hostNetwork", NO(11)),
    BOOL("hostPID", NO(12)),
    BOOL("hostIPC", NO(13)),
    BOOL_PTR("shareProcessNamespace", NO(27)),
    STRUCT_PTR("securityContext", pod_security_context, NO(14)),
    LIST("imagePullSecrets", jr_schema_local_object_reference, BY("name"), NO(15)),
    STRING("hostname", NO(16)),
    STRING("subdomain", NO(17)),
    STRUCT_PTR("affinity", affinity, NO(18)),
    STRING("schedulerName", NO(19)),
    LIST("tolerations", toleration, NO(22)),
    LIST("hostAliases", host_alias, BY("ip"), NO(23)),
    STRING("priorityClassName", NO(24)),
    INT32_PTR("priority", NO(25)),
    STRUCT_PTR("dnsConfig", pod_dns_config, NO(26)),
    LIST("readinessGates", pod_readiness_gate, NO(28)),
    STRING_PTR("runtimeClassName", NO(29)),
    BOOL_PTR("enableServiceLinks", NO(30)),
    STRING_PTR_OF("preemptionPolicy", "v1.PreemptionPolicy", NO(31)),
    QUANTITIES("overhead", NO(32)),
    LIST("topologySpreadConstraints", topology_spread_constraint,
         BY("topologyKey,whenUnsatisfiable"), NO(33)),
    BOOL_PTR("setHostnameAsFQDN", NO(35)),
    STRUCT_PTR("os", pod_os, NO(36)),
    BOOL_PTR("hostUsers", GATE(UserNamespacesSupport), NO(37)),
    LIST("schedulingGates", pod_scheduling_gate, BY("name"), NO(38)),
    LIST("resourceClaims", pod_resource_claim, BY("name"), NO(39)),
    STRUCT_PTR("resources", resource_requirements, SINCE(32), NO(40)),
    STRING_PTR("hostnameOverride", GATE(HostnameOverride), SINCE(34), NO(41)),
    STRUCT_PTR("workloadRef", workload_reference, GATE(GenericWorkload), SINCE(35), UNTIL(35), NO(42)),
    STRUCT_PTR("schedulingGroup", pod_scheduling_group, GATE(GenericWorkload), SINCE(36), NO(43)),
    LIST("evictionResponders", eviction_responder, BY("name"), GATE(EvictionRequestAPI),
         SINCE(37), NO(44)));

PUBLIC_TYPE(pod_template_spec, "PodTemplateSpec",
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", jr_schema_pod_spec, NO(2)));

PUBLIC_TYPE(pod, "Pod",
    TYPE_META,
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", jr_schema_pod_spec, NO(2)),
    STRUCT("status", jr_schema_pod_status, NO(3)));
