/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a Pod's own fields, beyond those in map_template.h. X(ID, "id", TYPE, "detail"):
 * rules whose words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_POD_H
#define JR_RULES_MAP_POD_H

#include "common/rules/words.h"

#define JR_WORDS_WEIGHT "must be in the range 1-100"
#define JR_WORDS_HOST_USERS "when `hostUsers` is false"
#define JR_WORDS_OPERATOR "not a valid selector operator"

/* Annotations, and fields that say the same. */
#define JR_RULE_MAP_POD_ANNOTATIONS(X)                                                      \
    X(MIRROR_NODE, "mirror-node-name", INVALID,                                             \
      "must set spec.nodeName if mirror pod annotation is set")                             \
    X(TOLERATIONS_ANNOTATION, "tolerations-annotation", INVALID, "")                        \
    X(DELETION_COST, "deletion-cost", INVALID, "must be a 32bit integer")                   \
    X(SECCOMP_ANNOTATION, "seccomp-annotation", INVALID, "must be a valid seccomp profile") \
    X(APP_ARMOR_ANNOTATION_CONTAINER, "app-armor-annotation-container", INVALID,            \
      "container not found")                                                                \
    X(APP_ARMOR_ANNOTATION, "app-armor-annotation", INVALID, "")                            \
    X(SECCOMP_TYPE_MATCH, "seccomp-type-match", FORBIDDEN,                                  \
      "seccomp type in annotation and field must match")                                    \
    X(SECCOMP_PROFILE_MATCH, "seccomp-profile-match", FORBIDDEN,                            \
      "seccomp profile in annotation and field must match")                                 \
    X(APP_ARMOR_TYPE_MATCH, "app-armor-type-match", FORBIDDEN,                              \
      "apparmor type in annotation and field must match")                                   \
    X(APP_ARMOR_PROFILE_MATCH, "app-armor-profile-match", FORBIDDEN,                        \
      "apparmor profile in annotation and field must match")

/* securityContext, host namespaces, operating system. */
#define JR_RULE_MAP_POD_SECURITY(X)                                                               \
    X(HOST_PORT_MATCH, "host-port-match", INVALID,                                                \
      "must match `containerPort` when `hostNetwork` is true")                                    \
    X(POD_FS_GROUP, "pod-fs-group", INVALID, JR_WORDS_ID_RANGE)                                   \
    X(POD_RUN_AS_USER, "pod-run-as-user", INVALID, JR_WORDS_ID_RANGE)                             \
    X(POD_RUN_AS_GROUP, "pod-run-as-group", INVALID, JR_WORDS_ID_RANGE)                           \
    X(SUPPLEMENTAL_GROUP, "supplemental-group", INVALID, JR_WORDS_ID_RANGE)                       \
    X(SHARE_PROCESSES, "share-process-namespace", INVALID,                                        \
      "ShareProcessNamespace and HostPID cannot both be enabled")                                 \
    X(SYSCTL_REQUIRED, "sysctl-name-required", REQUIRED, "")                                      \
    X(SYSCTL_NAME, "sysctl-name", INVALID,                                                        \
      "must have at most 253 characters and match regex "                                         \
      "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$")                  \
    X(SYSCTL_TWICE, "sysctl-twice", DUPLICATE, "")                                                \
    X(SYSCTL_HOST_NETWORK, "sysctl-host-network", INVALID,                                        \
      "may not be specified when 'hostNetwork' is true")                                          \
    X(SYSCTL_HOST_IPC, "sysctl-host-ipc", INVALID, "may not be specified when 'hostIPC' is true") \
    X(FS_GROUP_POLICY, "fs-group-change-policy", NOT_SUPPORTED,                                   \
      "supported values: \"Always\", \"OnRootMismatch\"")                                         \
    X(SUPPLEMENTAL_POLICY, "supplemental-groups-policy", NOT_SUPPORTED,                           \
      "supported values: \"Merge\", \"Strict\"")                                                  \
    X(SELINUX_POLICY, "selinux-change-policy", NOT_SUPPORTED,                                     \
      "supported values: \"MountOption\", \"Recursive\"")                                         \
    X(SELINUX_RECURSIVE, "selinux-change-policy-recursive", NOT_SUPPORTED,                        \
      "supported values: \"Recursive\"")                                                          \
    X(HOST_PROCESS_DIFFERS, "host-process-differs", INVALID, "")                                  \
    X(HOST_PROCESS_ALL, "host-process-all", INVALID,                                              \
      "If pod contains any hostProcess containers then all containers must be HostProcess "       \
      "containers")                                                                               \
    X(HOST_PROCESS_NETWORK, "host-process-network", INVALID,                                      \
      "hostNetwork must be true if pod contains any hostProcess containers")                      \
    X(HOST_USERS_NETWORK, "host-users-network", FORBIDDEN, JR_WORDS_HOST_USERS)                   \
    X(HOST_USERS_PID, "host-users-pid", FORBIDDEN, JR_WORDS_HOST_USERS)                           \
    X(HOST_USERS_IPC, "host-users-ipc", FORBIDDEN, JR_WORDS_HOST_USERS)                           \
    X(HOST_USERS_DEVICES, "host-users-devices", FORBIDDEN, JR_WORDS_HOST_USERS)                   \
    X(OS_REQUIRED, "os-name-required", REQUIRED, "")                                              \
    X(OS_NAME, "os-name", NOT_SUPPORTED, "supported values: \"linux\", \"windows\"")              \
    X(LINUX_WINDOWS_OPTIONS, "linux-windows-options", FORBIDDEN,                                  \
      "windows options cannot be set for a linux pod")                                            \
    X(WINDOWS_FIELD, "windows-field", FORBIDDEN, "cannot be set for a windows pod")

/* Where a Pod may run. */
#define JR_RULE_MAP_POD_PLACES(X)                                                               \
    X(NODE_TERMS, "node-terms-required", REQUIRED, "must have at least one node selector term") \
    X(NODE_VALUES_REQUIRED, "node-values-required", REQUIRED,                                   \
      "must be specified when `operator` is 'In' or 'NotIn'")                                   \
    X(NODE_VALUES_FORBIDDEN, "node-values-forbidden", FORBIDDEN,                                \
      "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")                     \
    X(NODE_VALUES_SINGLE, "node-values-single", REQUIRED,                                       \
      "must be specified single value when `operator` is 'Lt' or 'Gt'")                         \
    X(NODE_OPERATOR, "node-operator", INVALID, JR_WORDS_OPERATOR)                               \
    X(NODE_KEY, "node-key", INVALID, "")                                                        \
    X(NODE_VALUE, "node-value", INVALID, "")                                                    \
    X(NODE_FIELD_VALUES, "node-field-values", REQUIRED,                                         \
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")      \
    X(NODE_FIELD_OPERATOR, "node-field-operator", INVALID, JR_WORDS_OPERATOR)                   \
    X(NODE_FIELD_KEY, "node-field-key", INVALID, "not a valid field selector key")              \
    X(NODE_FIELD_VALUE, "node-field-value", INVALID, "")                                        \
    X(NODE_WEIGHT, "node-affinity-weight", INVALID, JR_WORDS_WEIGHT)                            \
    X(POD_WEIGHT, "pod-affinity-weight", INVALID, JR_WORDS_WEIGHT)                              \
    X(POD_TERM_NAMESPACE, "pod-affinity-namespace", INVALID, "")                                \
    X(MATCH_KEYS_ALONE, "match-label-keys-alone", FORBIDDEN,                                    \
      "must not be specified when labelSelector is not set")                                    \
    X(MATCH_KEY, "match-label-key", INVALID, "")                                                \
    X(MATCH_KEY_SELECTED, "match-label-key-selected", INVALID,                                  \
      "exists in both matchLabelKeys and labelSelector")                                        \
    X(MATCH_KEY_MISMATCHED, "match-label-key-mismatched", INVALID,                              \
      "exists in both matchLabelKeys and mismatchLabelKeys")                                    \
    X(TOPOLOGY_KEY_REQUIRED, "topology-key-required", REQUIRED, "can not be empty")             \
    X(TOPOLOGY_KEY, "topology-key", INVALID, "")                                                \
    X(SPREAD_SKEW, "spread-max-skew", INVALID, "must be greater than zero")                     \
    X(SPREAD_ACTION, "spread-when-unsatisfiable", NOT_SUPPORTED,                                \
      "supported values: \"DoNotSchedule\", \"ScheduleAnyway\"")                                \
    X(SPREAD_TWICE, "spread-twice", DUPLICATE, "")                                              \
    X(SPREAD_MIN_DOMAINS, "spread-min-domains", INVALID, "must be greater than zero")           \
    X(SPREAD_MIN_DOMAINS_ACTION, "spread-min-domains-action", INVALID, "")                      \
    X(SPREAD_POLICY, "spread-policy", NOT_SUPPORTED, "supported values: \"Honor\", \"Ignore\"") \
    X(SCHEDULING_GATE, "scheduling-gate", INVALID, "")                                          \
    X(SCHEDULING_GATE_TWICE, "scheduling-gate-twice", DUPLICATE, "")                            \
    X(TOLERATION_KEY, "toleration-key", INVALID, "")                                            \
    X(TOLERATION_ALL, "toleration-all", INVALID,                                                \
      "operator must be Exists when `key` is empty, which means \"match all values and all "    \
      "keys\"")                                                                                 \
    X(TOLERATION_SECONDS, "toleration-seconds", INVALID,                                        \
      "effect must be 'NoExecute' when `tolerationSeconds` is set")                             \
    X(TOLERATION_VALUE, "toleration-value", INVALID, "")                                        \
    X(TOLERATION_EXISTS, "toleration-exists", INVALID,                                          \
      "value must be empty when `operator` is 'Exists'")                                        \
    X(TOLERATION_OPERATOR, "toleration-operator", NOT_SUPPORTED,                                \
      "supported values: \"Equal\", \"Exists\"")                                                \
    X(TOLERATION_COMPARISON, "toleration-comparison", NOT_SUPPORTED,                            \
      "supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\"")                                \
    X(TOLERATION_NUMBER, "toleration-number", INVALID, "")                                      \
    X(TOLERATION_RANGE, "toleration-range", INVALID, "")                                        \
    X(TOLERATION_EFFECT, "toleration-effect", NOT_SUPPORTED,                                    \
      "supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"")                  \
    X(RUNTIME_CLASS, "runtime-class-name", INVALID, "")                                         \
    X(PREEMPTION_REQUIRED, "preemption-policy-required", REQUIRED, "")                          \
    X(PREEMPTION, "preemption-policy", NOT_SUPPORTED,                                           \
      "supported values: \"PreemptLowerPriority\", \"Never\"")

/* Names and addresses. */
#define JR_RULE_MAP_POD_NAMES(X)                                                          \
    X(DNS_CONFIG_REQUIRED, "dns-config-required", REQUIRED,                               \
      "must provide `dnsConfig` when `dnsPolicy` is None")                                \
    X(DNS_SERVER_REQUIRED, "dns-server-required", REQUIRED,                               \
      "must provide at least one DNS nameserver when `dnsPolicy` is None")                \
    X(DNS_SERVERS, "dns-servers", INVALID, "must not have more than 3 nameservers")       \
    X(IP_ADDRESS, "ip-address", INVALID,                                                  \
      "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")                    \
    X(IP_ZEROS, "ip-address-zeros", INVALID, "must not have leading 0s")                  \
    X(IP_MAPPED, "ip-address-mapped", INVALID, "must not be an IPv4-mapped IPv6 address") \
    X(DNS_SEARCHES, "dns-searches", INVALID, "must not have more than 32 search paths")   \
    X(DNS_SEARCHES_LONG, "dns-searches-long", INVALID,                                    \
      "must not have more than 2048 characters (including spaces) in the search list")    \
    X(DNS_SEARCH, "dns-search", INVALID, "")                                              \
    X(DNS_OPTION, "dns-option", REQUIRED, JR_WORDS_EMPTY)                                 \
    X(READINESS_GATE, "readiness-gate", INVALID, "")                                      \
    X(HOSTNAME_FQDN, "hostname-override-fqdn", FORBIDDEN,                                 \
      "may not be specified when setHostnameAsFQDN is true")                              \
    X(HOSTNAME_NETWORK, "hostname-override-network", FORBIDDEN,                           \
      "may not be specified when hostNetwork is true")                                    \
    X(HOSTNAME_LONG, "hostname-override-long", TOO_LONG, "may not be more than 64 bytes") \
    X(HOSTNAME_OVERRIDE, "hostname-override", INVALID, "")                                \
    X(HOST_ALIAS_NAME, "host-alias-name", INVALID, "")

#define JR_WORDS_HOST_USERS_33 "when `pod.Spec.HostUsers` is false"
#define JR_RULE_WORDS_POD(V)                                                                   \
    V(OS_REQUIRED, 31, 33, REQUIRED, "cannot be empty")                                        \
    V(TOLERATION_COMPARISON, 31, 34, NOT_SUPPORTED, "supported values: \"Equal\", \"Exists\"") \
    V(HOST_USERS_NETWORK, 31, 33, FORBIDDEN, JR_WORDS_HOST_USERS_33)                           \
    V(HOST_USERS_PID, 31, 33, FORBIDDEN, JR_WORDS_HOST_USERS_33)                               \
    V(HOST_USERS_IPC, 31, 33, FORBIDDEN, JR_WORDS_HOST_USERS_33)

#define JR_RULE_RANGES_POD(R)                 \
    R(HOST_USERS_DEVICES, 34, JR_KUBE_NEWEST) \
    R(NODE_VALUE, 33, JR_KUBE_NEWEST)         \
    R(IP_ZEROS, 33, JR_KUBE_NEWEST)           \
    R(IP_MAPPED, 33, JR_KUBE_NEWEST)          \
    R(TOLERATION_NUMBER, 35, JR_KUBE_NEWEST)  \
    R(TOLERATION_RANGE, 35, JR_KUBE_NEWEST)

#define JR_RULE_MAP_POD(X)         \
    JR_RULE_MAP_POD_ANNOTATIONS(X) \
    JR_RULE_MAP_POD_SECURITY(X)    \
    JR_RULE_MAP_POD_PLACES(X)      \
    JR_RULE_MAP_POD_NAMES(X)

#endif
