/* Pods and their templates (k8s.io/api core/v1). */
#include "common/schema/macros.h"

static const struct jr_schema_field container_port_fields[] = {
    STRING("name"),         INT32("hostPort"),
    INT32("containerPort"), STRING_OF("protocol", "v1.Protocol"),
    STRING("hostIP"),       END,
};
TYPE(container_port, "ContainerPort");

static const struct jr_schema_field config_map_env_source_fields[] = {
    BOOL_PTR("optional"),
    END,
};
TYPE_WITH(config_map_env_source, "ConfigMapEnvSource", EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field secret_env_source_fields[] = {
    BOOL_PTR("optional"),
    END,
};
TYPE_WITH(secret_env_source, "SecretEnvSource", EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field env_from_source_fields[] = {
    STRING("prefix"),
    STRUCT_PTR("configMapRef", config_map_env_source),
    STRUCT_PTR("secretRef", secret_env_source),
    END,
};
TYPE(env_from_source, "EnvFromSource");

static const struct jr_schema_field config_map_key_selector_fields[] = {
    STRING("key"),
    BOOL_PTR("optional"),
    END,
};
TYPE_WITH(config_map_key_selector, "ConfigMapKeySelector",
          EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field secret_key_selector_fields[] = {
    STRING("key"),
    BOOL_PTR("optional"),
    END,
};
TYPE_WITH(secret_key_selector, "SecretKeySelector", EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field file_key_selector_fields[] = {
    STRING("volumeName"), STRING("path"), STRING("key"), BOOL_PTR("optional"), END,
};
TYPE(file_key_selector, "FileKeySelector");

static const struct jr_schema_field env_var_source_fields[] = {
    STRUCT_PTR("fieldRef", jr_schema_object_field_selector),
    STRUCT_PTR("resourceFieldRef", jr_schema_resource_field_selector),
    STRUCT_PTR("configMapKeyRef", config_map_key_selector),
    STRUCT_PTR("secretKeyRef", secret_key_selector),
    STRUCT_PTR("fileKeyRef", file_key_selector, GATE(EnvFiles), SINCE(34)),
    END,
};
TYPE(env_var_source, "EnvVarSource");

static const struct jr_schema_field env_var_fields[] = {
    STRING("name"),
    STRING("value"),
    STRUCT_PTR("valueFrom", env_var_source),
    END,
};
TYPE(env_var, "EnvVar");

static const struct jr_schema_field resource_claim_fields[] = {
    STRING("name"),
    STRING("request"),
    END,
};
TYPE(resource_claim, "ResourceClaim");

static const struct jr_schema_field resource_requirements_fields[] = {
    QUANTITIES("limits"),
    QUANTITIES("requests"),
    LIST("claims", resource_claim, MAP("name")),
    END,
};
TYPE(resource_requirements, "ResourceRequirements");

static const struct jr_schema_field container_resize_policy_fields[] = {
    STRING_OF("resourceName", "v1.ResourceName"),
    STRING_OF("restartPolicy", "v1.ResourceResizeRestartPolicy"),
    END,
};
TYPE(container_resize_policy, "ContainerResizePolicy");

static const struct jr_schema_field container_restart_rule_on_exit_codes_fields[] = {
    STRING_OF("operator", "v1.ContainerRestartRuleOnExitCodesOperator"),
    INT32S("values", SET),
    END,
};
TYPE(container_restart_rule_on_exit_codes, "ContainerRestartRuleOnExitCodes");

static const struct jr_schema_field container_restart_rule_fields[] = {
    STRING_OF("action", "v1.ContainerRestartRuleAction"),
    STRUCT_PTR("exitCodes", container_restart_rule_on_exit_codes),
    END,
};
TYPE(container_restart_rule, "ContainerRestartRule");

static const struct jr_schema_field volume_mount_fields[] = {
    STRING("name"),
    BOOL("readOnly"),
    STRING_PTR_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode"),
    STRING("mountPath"),
    STRING("subPath"),
    STRING_PTR_OF("mountPropagation", "v1.MountPropagationMode"),
    STRING("subPathExpr"),
    STRINGS("bindMountOptions", SET, SINCE(37)),
    END,
};
TYPE(volume_mount, "VolumeMount");

static const struct jr_schema_field volume_device_fields[] = {
    STRING("name"),
    STRING("devicePath"),
    END,
};
TYPE(volume_device, "VolumeDevice");

static const struct jr_schema_field exec_action_fields[] = {
    STRINGS("command"),
    END,
};
TYPE(exec_action, "ExecAction");

static const struct jr_schema_field http_header_fields[] = {
    STRING("name"),
    STRING("value"),
    END,
};
TYPE(http_header, "HTTPHeader");

static const struct jr_schema_field http_get_action_fields[] = {
    STRING("path"),
    INT_OR_STRING("port"),
    STRING("host"),
    STRING_OF("scheme", "v1.URIScheme"),
    LIST("httpHeaders", http_header),
    STRING_PTR_OF("protocol", "v1.HTTPProtocol", SINCE(37)),
    END,
};
TYPE(http_get_action, "HTTPGetAction");

static const struct jr_schema_field tcp_socket_action_fields[] = {
    INT_OR_STRING("port"),
    STRING("host"),
    END,
};
TYPE(tcp_socket_action, "TCPSocketAction");

static const struct jr_schema_field grpc_action_fields[] = {
    INT32("port"),
    STRING_PTR("service"),
    STRING_PTR_OF("mode", "v1.GRPCProbeMode", SINCE(37)),
    END,
};
TYPE(grpc_action, "GRPCAction");

static const struct jr_schema_field probe_handler_fields[] = {
    STRUCT_PTR("exec", exec_action),
    STRUCT_PTR("httpGet", http_get_action),
    STRUCT_PTR("tcpSocket", tcp_socket_action),
    STRUCT_PTR("grpc", grpc_action),
    END,
};
TYPE(probe_handler, "ProbeHandler");

static const struct jr_schema_field probe_fields[] = {
    INT32("initialDelaySeconds"),
    INT32("timeoutSeconds"),
    INT32("periodSeconds"),
    INT32("successThreshold"),
    INT32("failureThreshold"),
    INT64_PTR("terminationGracePeriodSeconds"),
    END,
};
TYPE_WITH(probe, "Probe", EMBEDS(probe_handler));

static const struct jr_schema_field sleep_action_fields[] = {
    INT64("seconds"),
    END,
};
TYPE(sleep_action, "SleepAction");

static const struct jr_schema_field lifecycle_handler_fields[] = {
    STRUCT_PTR("exec", exec_action),
    STRUCT_PTR("httpGet", http_get_action),
    STRUCT_PTR("tcpSocket", tcp_socket_action),
    STRUCT_PTR("sleep", sleep_action),
    END,
};
TYPE(lifecycle_handler, "LifecycleHandler");

static const struct jr_schema_field lifecycle_fields[] = {
    STRUCT_PTR("postStart", lifecycle_handler),
    STRUCT_PTR("preStop", lifecycle_handler),
    STRING_PTR_OF("stopSignal", "v1.Signal", SINCE(33)),
    END,
};
TYPE(lifecycle, "Lifecycle");

static const struct jr_schema_field capabilities_fields[] = {
    STRINGS_OF("add", "v1.Capability"),
    STRINGS_OF("drop", "v1.Capability"),
    END,
};
TYPE(capabilities, "Capabilities");

static const struct jr_schema_field se_linux_options_fields[] = {
    STRING("user"), STRING("role"), STRING("type"), STRING("level"), END,
};
TYPE(se_linux_options, "SELinuxOptions");

static const struct jr_schema_field windows_security_context_options_fields[] = {
    STRING_PTR("gmsaCredentialSpecName"),
    STRING_PTR("gmsaCredentialSpec"),
    STRING_PTR("runAsUserName"),
    BOOL_PTR("hostProcess"),
    END,
};
TYPE(windows_security_context_options, "WindowsSecurityContextOptions");

static const struct jr_schema_field seccomp_profile_fields[] = {
    STRING_OF("type", "v1.SeccompProfileType"),
    STRING_PTR("localhostProfile"),
    END,
};
TYPE(seccomp_profile, "SeccompProfile");

static const struct jr_schema_field app_armor_profile_fields[] = {
    STRING_OF("type", "v1.AppArmorProfileType"),
    STRING_PTR("localhostProfile"),
    END,
};
TYPE(app_armor_profile, "AppArmorProfile");

static const struct jr_schema_field security_context_fields[] = {
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
    STRUCT_PTR("appArmorProfile", app_armor_profile),
    END,
};
PUBLIC_TYPE(security_context, "SecurityContext");

static const struct jr_schema_field container_fields[] = {
    STRING("name"),
    STRING("image"),
    STRINGS("command"),
    STRINGS("args"),
    STRING("workingDir"),
    LIST("ports", container_port, BY("containerPort,protocol")),
    LIST("envFrom", env_from_source),
    LIST("env", env_var, BY("name")),
    STRUCT("resources", resource_requirements),
    LIST("resizePolicy", container_resize_policy),
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
PUBLIC_TYPE(container, "Container");

/* Upstream's copy of Container, member by member, under a name of its own. */
#define ephemeral_container_common_fields container_fields
TYPE(ephemeral_container_common, "EphemeralContainerCommon");
#undef ephemeral_container_common_fields

static const struct jr_schema_field ephemeral_container_fields[] = {
    STRING("targetContainerName"),
    END,
};
TYPE_WITH(ephemeral_container, "EphemeralContainer", EMBEDS(ephemeral_container_common));

static const struct jr_schema_field sysctl_fields[] = {
    STRING("name"),
    STRING("value"),
    END,
};
TYPE(sysctl, "Sysctl");

static const struct jr_schema_field pod_security_context_fields[] = {
    STRUCT_PTR("seLinuxOptions", se_linux_options),
    STRUCT_PTR("windowsOptions", windows_security_context_options),
    INT64_PTR("runAsUser"),
    INT64_PTR("runAsGroup"),
    BOOL_PTR("runAsNonRoot"),
    INT64S("supplementalGroups"),
    STRING_PTR_OF("supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy"),
    INT64_PTR("fsGroup"),
    LIST("sysctls", sysctl),
    STRING_PTR_OF("fsGroupChangePolicy", "v1.PodFSGroupChangePolicy"),
    STRUCT_PTR("seccompProfile", seccomp_profile),
    STRUCT_PTR("appArmorProfile", app_armor_profile),
    STRING_PTR_OF("seLinuxChangePolicy", "v1.PodSELinuxChangePolicy", SINCE(32)),
    END,
};
TYPE(pod_security_context, "PodSecurityContext");

static const struct jr_schema_field node_selector_requirement_fields[] = {
    STRING("key"),
    STRING_OF("operator", "v1.NodeSelectorOperator"),
    STRINGS("values"),
    END,
};
TYPE(node_selector_requirement, "NodeSelectorRequirement");

static const struct jr_schema_field node_selector_term_fields[] = {
    LIST("matchExpressions", node_selector_requirement),
    LIST("matchFields", node_selector_requirement),
    END,
};
TYPE(node_selector_term, "NodeSelectorTerm");

static const struct jr_schema_field node_selector_fields[] = {
    LIST("nodeSelectorTerms", node_selector_term),
    END,
};
TYPE(node_selector, "NodeSelector");

static const struct jr_schema_field preferred_scheduling_term_fields[] = {
    INT32("weight"),
    STRUCT("preference", node_selector_term),
    END,
};
TYPE(preferred_scheduling_term, "PreferredSchedulingTerm");

static const struct jr_schema_field node_affinity_fields[] = {
    STRUCT_PTR("requiredDuringSchedulingIgnoredDuringExecution", node_selector),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", preferred_scheduling_term),
    END,
};
TYPE(node_affinity, "NodeAffinity");

static const struct jr_schema_field pod_affinity_term_fields[] = {
    STRUCT_PTR("labelSelector", jr_schema_label_selector),
    STRINGS("namespaces"),
    STRING("topologyKey"),
    STRUCT_PTR("namespaceSelector", jr_schema_label_selector),
    STRINGS("matchLabelKeys"),
    STRINGS("mismatchLabelKeys"),
    END,
};
TYPE(pod_affinity_term, "PodAffinityTerm");

static const struct jr_schema_field weighted_pod_affinity_term_fields[] = {
    INT32("weight"),
    STRUCT("podAffinityTerm", pod_affinity_term),
    END,
};
TYPE(weighted_pod_affinity_term, "WeightedPodAffinityTerm");

static const struct jr_schema_field pod_affinity_fields[] = {
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term),
    END,
};
TYPE(pod_affinity, "PodAffinity");

static const struct jr_schema_field pod_anti_affinity_fields[] = {
    LIST("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term),
    LIST("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term),
    END,
};
TYPE(pod_anti_affinity, "PodAntiAffinity");

static const struct jr_schema_field affinity_fields[] = {
    STRUCT_PTR("nodeAffinity", node_affinity),
    STRUCT_PTR("podAffinity", pod_affinity),
    STRUCT_PTR("podAntiAffinity", pod_anti_affinity),
    END,
};
TYPE(affinity, "Affinity");

static const struct jr_schema_field toleration_fields[] = {
    STRING("key"),
    STRING_OF("operator", "v1.TolerationOperator"),
    STRING("value"),
    STRING_OF("effect", "v1.TaintEffect"),
    INT64_PTR("tolerationSeconds"),
    END,
};
TYPE(toleration, "Toleration");

static const struct jr_schema_field host_alias_fields[] = {
    STRING("ip"),
    STRINGS("hostnames"),
    END,
};
TYPE(host_alias, "HostAlias");

static const struct jr_schema_field pod_dns_config_option_fields[] = {
    STRING("name"),
    STRING_PTR("value"),
    END,
};
TYPE(pod_dns_config_option, "PodDNSConfigOption");

static const struct jr_schema_field pod_dns_config_fields[] = {
    STRINGS("nameservers"),
    STRINGS("searches"),
    LIST("options", pod_dns_config_option),
    END,
};
TYPE(pod_dns_config, "PodDNSConfig");

static const struct jr_schema_field pod_readiness_gate_fields[] = {
    STRING_OF("conditionType", "v1.PodConditionType"),
    END,
};
TYPE(pod_readiness_gate, "PodReadinessGate");

static const struct jr_schema_field topology_spread_constraint_fields[] = {
    INT32("maxSkew"),
    STRING("topologyKey"),
    STRING_OF("whenUnsatisfiable", "v1.UnsatisfiableConstraintAction"),
    STRUCT_PTR("labelSelector", jr_schema_label_selector),
    INT32_PTR("minDomains"),
    STRING_PTR_OF("nodeAffinityPolicy", "v1.NodeInclusionPolicy"),
    STRING_PTR_OF("nodeTaintsPolicy", "v1.NodeInclusionPolicy"),
    STRINGS("matchLabelKeys", GATE(MatchLabelKeysInPodTopologySpread)),
    END,
};
TYPE(topology_spread_constraint, "TopologySpreadConstraint");

static const struct jr_schema_field pod_os_fields[] = {
    STRING_OF("name", "v1.OSName"),
    END,
};
TYPE(pod_os, "PodOS");

static const struct jr_schema_field pod_scheduling_gate_fields[] = {
    STRING("name"),
    END,
};
TYPE(pod_scheduling_gate, "PodSchedulingGate");

static const struct jr_schema_field pod_resource_claim_fields[] = {
    STRING("name"),
    STRING_PTR("resourceClaimName"),
    STRING_PTR("resourceClaimTemplateName"),
    END,
};
TYPE(pod_resource_claim, "PodResourceClaim");

static const struct jr_schema_field pod_scheduling_group_fields[] = {
    STRING_PTR("podGroupName"),
    END,
};
TYPE(pod_scheduling_group, "PodSchedulingGroup");

static const struct jr_schema_field eviction_responder_fields[] = {
    STRING("name"),
    INT32_PTR("priority"),
    END,
};
TYPE(eviction_responder, "EvictionResponder");

static const struct jr_schema_field workload_reference_fields[] = {
    STRING("name"),
    STRING("podGroup"),
    STRING("podGroupReplicaKey"),
    END,
};
TYPE(workload_reference, "WorkloadReference");

static const struct jr_schema_field pod_spec_fields[] = {
    LIST("volumes", jr_schema_volume, BY("name")),
    LIST("initContainers", jr_schema_container, BY("name")),
    LIST("containers", jr_schema_container, BY("name")),
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
    BOOL_PTR("hostUsers"),
    LIST("schedulingGates", pod_scheduling_gate, BY("name")),
    LIST("resourceClaims", pod_resource_claim, BY("name")),
    STRUCT_PTR("resources", resource_requirements, SINCE(32)),
    STRING_PTR("hostnameOverride", GATE(HostnameOverride), SINCE(34)),
    STRUCT_PTR("workloadRef", workload_reference, SINCE(35), UNTIL(35)),
    STRUCT_PTR("schedulingGroup", pod_scheduling_group, GATE(GenericWorkload), SINCE(36)),
    LIST("evictionResponders", eviction_responder, BY("name"), SINCE(37)),
    END,
};
PUBLIC_TYPE(pod_spec, "PodSpec");

static const struct jr_schema_field pod_template_spec_fields[] = {
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_pod_spec),
    END,
};
PUBLIC_TYPE(pod_template_spec, "PodTemplateSpec");

static const struct jr_schema_field pod_fields[] = {
    STRING("kind"),
    STRING("apiVersion"),
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", jr_schema_pod_spec),
    STRUCT("status", jr_schema_pod_status),
    END,
};
PUBLIC_TYPE(pod, "Pod");
