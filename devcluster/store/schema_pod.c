/* A Pod template (k8s.io/api core/v1). */
#include "devcluster/store/schema_macros.h"

/* clang-format off */

static const struct go_field container_port_fields[] = {
    TEXT("name"), ONE("hostPort", GO_INT32), ONE("containerPort", GO_INT32),
    TEXT_OF("protocol", "v1.Protocol"), TEXT("hostIP"), END,
};
STRUCT(container_port, "ContainerPort");

static const struct go_field config_map_env_source_fields[] = {
    ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(config_map_env_source, "ConfigMapEnvSource", jr_dev_go_local_object_reference);

static const struct go_field secret_env_source_fields[] = {
    ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(secret_env_source, "SecretEnvSource", jr_dev_go_local_object_reference);

static const struct go_field env_from_source_fields[] = {
    TEXT("prefix"), IN("configMapRef", config_map_env_source), IN("secretRef", secret_env_source),
    END,
};
STRUCT(env_from_source, "EnvFromSource");

static const struct go_field config_map_key_selector_fields[] = {
    TEXT("key"), ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(config_map_key_selector, "ConfigMapKeySelector", jr_dev_go_local_object_reference);

static const struct go_field secret_key_selector_fields[] = {
    TEXT("key"), ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(secret_key_selector, "SecretKeySelector", jr_dev_go_local_object_reference);

static const struct go_field file_key_selector_fields[] = {
    TEXT("volumeName"), TEXT("path"), TEXT("key"), ONE("optional", GO_BOOL), END,
};
STRUCT(file_key_selector, "FileKeySelector");

static const struct go_field env_var_source_fields[] = {
    IN("fieldRef", jr_dev_go_object_field_selector),
    IN("resourceFieldRef", jr_dev_go_resource_field_selector),
    IN("configMapKeyRef", config_map_key_selector), IN("secretKeyRef", secret_key_selector),
    IN("fileKeyRef", file_key_selector), END,
};
STRUCT(env_var_source, "EnvVarSource");

static const struct go_field env_var_fields[] = {
    TEXT("name"), TEXT("value"), IN("valueFrom", env_var_source), END,
};
STRUCT(env_var, "EnvVar");

static const struct go_field resource_claim_fields[] = {
    TEXT("name"), TEXT("request"), END,
};
STRUCT(resource_claim, "ResourceClaim");

static const struct go_field resource_requirements_fields[] = {
    ONE("limits", GO_QUANTITIES), ONE("requests", GO_QUANTITIES), EACH("claims", resource_claim),
    END,
};
STRUCT(resource_requirements, "ResourceRequirements");

static const struct go_field container_resize_policy_fields[] = {
    TEXT_OF("resourceName", "v1.ResourceName"),
    TEXT_OF("restartPolicy", "v1.ResourceResizeRestartPolicy"), END,
};
STRUCT(container_resize_policy, "ContainerResizePolicy");

static const struct go_field container_restart_rule_on_exit_codes_fields[] = {
    TEXT_OF("operator", "v1.ContainerRestartRuleOnExitCodesOperator"), ONE("values", GO_INT32S),
    END,
};
STRUCT(container_restart_rule_on_exit_codes, "ContainerRestartRuleOnExitCodes");

static const struct go_field container_restart_rule_fields[] = {
    TEXT_OF("action", "v1.ContainerRestartRuleAction"),
    IN("exitCodes", container_restart_rule_on_exit_codes), END,
};
STRUCT(container_restart_rule, "ContainerRestartRule");

static const struct go_field volume_mount_fields[] = {
    TEXT("name"), ONE("readOnly", GO_BOOL),
    TEXT_OF("recursiveReadOnly", "v1.RecursiveReadOnlyMode"), TEXT("mountPath"), TEXT("subPath"),
    TEXT_OF("mountPropagation", "v1.MountPropagationMode"), TEXT("subPathExpr"), END,
};
STRUCT(volume_mount, "VolumeMount");

static const struct go_field volume_device_fields[] = {
    TEXT("name"), TEXT("devicePath"), END,
};
STRUCT(volume_device, "VolumeDevice");

static const struct go_field exec_action_fields[] = {
    ONE("command", GO_STRINGS), END,
};
STRUCT(exec_action, "ExecAction");

static const struct go_field http_header_fields[] = {
    TEXT("name"), TEXT("value"), END,
};
STRUCT(http_header, "HTTPHeader");

static const struct go_field http_get_action_fields[] = {
    TEXT("path"), ONE("port", GO_INT_OR_STRING), TEXT("host"), TEXT_OF("scheme", "v1.URIScheme"),
    EACH("httpHeaders", http_header), END,
};
STRUCT(http_get_action, "HTTPGetAction");

static const struct go_field tcp_socket_action_fields[] = {
    ONE("port", GO_INT_OR_STRING), TEXT("host"), END,
};
STRUCT(tcp_socket_action, "TCPSocketAction");

static const struct go_field grpc_action_fields[] = {
    ONE("port", GO_INT32), TEXT("service"), END,
};
STRUCT(grpc_action, "GRPCAction");

static const struct go_field probe_handler_fields[] = {
    IN("exec", exec_action), IN("httpGet", http_get_action), IN("tcpSocket", tcp_socket_action),
    IN("grpc", grpc_action), END,
};
STRUCT(probe_handler, "ProbeHandler");

static const struct go_field probe_fields[] = {
    ONE("initialDelaySeconds", GO_INT32), ONE("timeoutSeconds", GO_INT32),
    ONE("periodSeconds", GO_INT32), ONE("successThreshold", GO_INT32),
    ONE("failureThreshold", GO_INT32), ONE("terminationGracePeriodSeconds", GO_INT64), END,
};
STRUCT_WITH(probe, "Probe", probe_handler);

static const struct go_field sleep_action_fields[] = {
    ONE("seconds", GO_INT64), END,
};
STRUCT(sleep_action, "SleepAction");

static const struct go_field lifecycle_handler_fields[] = {
    IN("exec", exec_action), IN("httpGet", http_get_action), IN("tcpSocket", tcp_socket_action),
    IN("sleep", sleep_action), END,
};
STRUCT(lifecycle_handler, "LifecycleHandler");

static const struct go_field lifecycle_fields[] = {
    IN("postStart", lifecycle_handler), IN("preStop", lifecycle_handler),
    TEXT_OF("stopSignal", "v1.Signal"), END,
};
STRUCT(lifecycle, "Lifecycle");

static const struct go_field capabilities_fields[] = {
    TEXTS_OF("add", "v1.Capability"), TEXTS_OF("drop", "v1.Capability"), END,
};
STRUCT(capabilities, "Capabilities");

static const struct go_field se_linux_options_fields[] = {
    TEXT("user"), TEXT("role"), TEXT("type"), TEXT("level"), END,
};
STRUCT(se_linux_options, "SELinuxOptions");

static const struct go_field windows_security_context_options_fields[] = {
    TEXT("gmsaCredentialSpecName"), TEXT("gmsaCredentialSpec"), TEXT("runAsUserName"),
    ONE("hostProcess", GO_BOOL), END,
};
STRUCT(windows_security_context_options, "WindowsSecurityContextOptions");

static const struct go_field seccomp_profile_fields[] = {
    TEXT_OF("type", "v1.SeccompProfileType"), TEXT("localhostProfile"), END,
};
STRUCT(seccomp_profile, "SeccompProfile");

static const struct go_field app_armor_profile_fields[] = {
    TEXT_OF("type", "v1.AppArmorProfileType"), TEXT("localhostProfile"), END,
};
STRUCT(app_armor_profile, "AppArmorProfile");

static const struct go_field security_context_fields[] = {
    IN("capabilities", capabilities), ONE("privileged", GO_BOOL),
    IN("seLinuxOptions", se_linux_options), IN("windowsOptions", windows_security_context_options),
    ONE("runAsUser", GO_INT64), ONE("runAsGroup", GO_INT64), ONE("runAsNonRoot", GO_BOOL),
    ONE("readOnlyRootFilesystem", GO_BOOL), ONE("allowPrivilegeEscalation", GO_BOOL),
    TEXT_OF("procMount", "v1.ProcMountType"), IN("seccompProfile", seccomp_profile),
    IN("appArmorProfile", app_armor_profile), END,
};
STRUCT(security_context, "SecurityContext");

static const struct go_field container_fields[] = {
    TEXT("name"), TEXT("image"), ONE("command", GO_STRINGS), ONE("args", GO_STRINGS),
    TEXT("workingDir"), EACH("ports", container_port), EACH("envFrom", env_from_source),
    EACH("env", env_var), IN("resources", resource_requirements),
    EACH("resizePolicy", container_resize_policy),
    TEXT_OF("restartPolicy", "v1.ContainerRestartPolicy"),
    EACH("restartPolicyRules", container_restart_rule), EACH("volumeMounts", volume_mount),
    EACH("volumeDevices", volume_device), IN("livenessProbe", probe), IN("readinessProbe", probe),
    IN("startupProbe", probe), IN("lifecycle", lifecycle), TEXT("terminationMessagePath"),
    TEXT_OF("terminationMessagePolicy", "v1.TerminationMessagePolicy"),
    TEXT_OF("imagePullPolicy", "v1.PullPolicy"), IN("securityContext", security_context),
    ONE("stdin", GO_BOOL), ONE("stdinOnce", GO_BOOL), ONE("tty", GO_BOOL), END,
};
STRUCT(container, "Container");

/* Upstream's copy of Container, member by member, under a name of its own. */
static const struct go_struct ephemeral_container_common = { "EphemeralContainerCommon",
                                                             "v1.EphemeralContainerCommon",
                                                             container_fields, NULL };

static const struct go_field ephemeral_container_fields[] = {
    TEXT("targetContainerName"), END,
};
STRUCT_WITH(ephemeral_container, "EphemeralContainer", ephemeral_container_common);

static const struct go_field sysctl_fields[] = {
    TEXT("name"), TEXT("value"), END,
};
STRUCT(sysctl, "Sysctl");

static const struct go_field pod_security_context_fields[] = {
    IN("seLinuxOptions", se_linux_options), IN("windowsOptions", windows_security_context_options),
    ONE("runAsUser", GO_INT64), ONE("runAsGroup", GO_INT64), ONE("runAsNonRoot", GO_BOOL),
    ONE("supplementalGroups", GO_INT64S),
    TEXT_OF("supplementalGroupsPolicy", "v1.SupplementalGroupsPolicy"), ONE("fsGroup", GO_INT64),
    EACH("sysctls", sysctl), TEXT_OF("fsGroupChangePolicy", "v1.PodFSGroupChangePolicy"),
    IN("seccompProfile", seccomp_profile), IN("appArmorProfile", app_armor_profile),
    TEXT_OF("seLinuxChangePolicy", "v1.PodSELinuxChangePolicy"), END,
};
STRUCT(pod_security_context, "PodSecurityContext");

static const struct go_field node_selector_requirement_fields[] = {
    TEXT("key"), TEXT_OF("operator", "v1.NodeSelectorOperator"), ONE("values", GO_STRINGS), END,
};
STRUCT(node_selector_requirement, "NodeSelectorRequirement");

static const struct go_field node_selector_term_fields[] = {
    EACH("matchExpressions", node_selector_requirement),
    EACH("matchFields", node_selector_requirement), END,
};
STRUCT(node_selector_term, "NodeSelectorTerm");

static const struct go_field node_selector_fields[] = {
    EACH("nodeSelectorTerms", node_selector_term), END,
};
STRUCT(node_selector, "NodeSelector");

static const struct go_field preferred_scheduling_term_fields[] = {
    ONE("weight", GO_INT32), IN("preference", node_selector_term), END,
};
STRUCT(preferred_scheduling_term, "PreferredSchedulingTerm");

static const struct go_field node_affinity_fields[] = {
    IN("requiredDuringSchedulingIgnoredDuringExecution", node_selector),
    EACH("preferredDuringSchedulingIgnoredDuringExecution", preferred_scheduling_term), END,
};
STRUCT(node_affinity, "NodeAffinity");

static const struct go_field pod_affinity_term_fields[] = {
    IN("labelSelector", jr_dev_go_label_selector), ONE("namespaces", GO_STRINGS),
    TEXT("topologyKey"), IN("namespaceSelector", jr_dev_go_label_selector),
    ONE("matchLabelKeys", GO_STRINGS), ONE("mismatchLabelKeys", GO_STRINGS), END,
};
STRUCT(pod_affinity_term, "PodAffinityTerm");

static const struct go_field weighted_pod_affinity_term_fields[] = {
    ONE("weight", GO_INT32), IN("podAffinityTerm", pod_affinity_term), END,
};
STRUCT(weighted_pod_affinity_term, "WeightedPodAffinityTerm");

static const struct go_field pod_affinity_fields[] = {
    EACH("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term),
    EACH("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term), END,
};
STRUCT(pod_affinity, "PodAffinity");

static const struct go_field pod_anti_affinity_fields[] = {
    EACH("requiredDuringSchedulingIgnoredDuringExecution", pod_affinity_term),
    EACH("preferredDuringSchedulingIgnoredDuringExecution", weighted_pod_affinity_term), END,
};
STRUCT(pod_anti_affinity, "PodAntiAffinity");

static const struct go_field affinity_fields[] = {
    IN("nodeAffinity", node_affinity), IN("podAffinity", pod_affinity),
    IN("podAntiAffinity", pod_anti_affinity), END,
};
STRUCT(affinity, "Affinity");

static const struct go_field toleration_fields[] = {
    TEXT("key"), TEXT_OF("operator", "v1.TolerationOperator"), TEXT("value"),
    TEXT_OF("effect", "v1.TaintEffect"), ONE("tolerationSeconds", GO_INT64), END,
};
STRUCT(toleration, "Toleration");

static const struct go_field host_alias_fields[] = {
    TEXT("ip"), ONE("hostnames", GO_STRINGS), END,
};
STRUCT(host_alias, "HostAlias");

static const struct go_field pod_dns_config_option_fields[] = {
    TEXT("name"), TEXT("value"), END,
};
STRUCT(pod_dns_config_option, "PodDNSConfigOption");

static const struct go_field pod_dns_config_fields[] = {
    ONE("nameservers", GO_STRINGS), ONE("searches", GO_STRINGS),
    EACH("options", pod_dns_config_option), END,
};
STRUCT(pod_dns_config, "PodDNSConfig");

static const struct go_field pod_readiness_gate_fields[] = {
    TEXT_OF("conditionType", "v1.PodConditionType"), END,
};
STRUCT(pod_readiness_gate, "PodReadinessGate");

static const struct go_field topology_spread_constraint_fields[] = {
    ONE("maxSkew", GO_INT32), TEXT("topologyKey"),
    TEXT_OF("whenUnsatisfiable", "v1.UnsatisfiableConstraintAction"),
    IN("labelSelector", jr_dev_go_label_selector), ONE("minDomains", GO_INT32),
    TEXT_OF("nodeAffinityPolicy", "v1.NodeInclusionPolicy"),
    TEXT_OF("nodeTaintsPolicy", "v1.NodeInclusionPolicy"), ONE("matchLabelKeys", GO_STRINGS), END,
};
STRUCT(topology_spread_constraint, "TopologySpreadConstraint");

static const struct go_field pod_os_fields[] = {
    TEXT_OF("name", "v1.OSName"), END,
};
STRUCT(pod_os, "PodOS");

static const struct go_field pod_scheduling_gate_fields[] = {
    TEXT("name"), END,
};
STRUCT(pod_scheduling_gate, "PodSchedulingGate");

static const struct go_field pod_resource_claim_fields[] = {
    TEXT("name"), TEXT("resourceClaimName"), TEXT("resourceClaimTemplateName"), END,
};
STRUCT(pod_resource_claim, "PodResourceClaim");

static const struct go_field pod_scheduling_group_fields[] = {
    TEXT("podGroupName"), END,
};
STRUCT(pod_scheduling_group, "PodSchedulingGroup");

static const struct go_field pod_spec_fields[] = {
    EACH("volumes", jr_dev_go_volume), EACH("initContainers", container),
    EACH("containers", container), EACH("ephemeralContainers", ephemeral_container),
    TEXT_OF("restartPolicy", "v1.RestartPolicy"), ONE("terminationGracePeriodSeconds", GO_INT64),
    ONE("activeDeadlineSeconds", GO_INT64), TEXT_OF("dnsPolicy", "v1.DNSPolicy"),
    ONE("nodeSelector", GO_MAP), TEXT("serviceAccountName"), TEXT("serviceAccount"),
    ONE("automountServiceAccountToken", GO_BOOL), TEXT("nodeName"), ONE("hostNetwork", GO_BOOL),
    ONE("hostPID", GO_BOOL), ONE("hostIPC", GO_BOOL), ONE("shareProcessNamespace", GO_BOOL),
    IN("securityContext", pod_security_context),
    EACH("imagePullSecrets", jr_dev_go_local_object_reference), TEXT("hostname"), TEXT("subdomain"),
    IN("affinity", affinity), TEXT("schedulerName"), EACH("tolerations", toleration),
    EACH("hostAliases", host_alias), TEXT("priorityClassName"), ONE("priority", GO_INT32),
    IN("dnsConfig", pod_dns_config), EACH("readinessGates", pod_readiness_gate),
    TEXT("runtimeClassName"), ONE("enableServiceLinks", GO_BOOL),
    TEXT_OF("preemptionPolicy", "v1.PreemptionPolicy"), ONE("overhead", GO_QUANTITIES),
    EACH("topologySpreadConstraints", topology_spread_constraint),
    ONE("setHostnameAsFQDN", GO_BOOL), IN("os", pod_os), ONE("hostUsers", GO_BOOL),
    EACH("schedulingGates", pod_scheduling_gate), EACH("resourceClaims", pod_resource_claim),
    IN("resources", resource_requirements), TEXT("hostnameOverride"),
    IN("schedulingGroup", pod_scheduling_group), END,
};
PUBLIC(pod_spec, "PodSpec");

static const struct go_field pod_template_spec_fields[] = {
    IN("metadata", jr_dev_go_object_meta), IN("spec", jr_dev_go_pod_spec), END,
};
PUBLIC(pod_template_spec, "PodTemplateSpec");

/* clang-format on */
