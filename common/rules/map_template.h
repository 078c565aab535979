/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a Pod template that Jobs can't do without. X(ID, "id", TYPE, "detail"): rules whose
 * words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_TEMPLATE_H
#define JR_RULES_MAP_TEMPLATE_H

#include "common/rules/words.h"

#define JR_RULE_MAP_TEMPLATE(X)                                                                    \
    X(TEMPLATE_LABEL_KEY, "template-label-key", INVALID, "")                                       \
    X(TEMPLATE_LABEL_VALUE, "template-label-value", INVALID, "")                                   \
    X(TEMPLATE_ANNOTATION_KEY, "template-annotation-key", INVALID, "")                             \
    X(TEMPLATE_ANNOTATIONS_SIZE, "template-annotations-size", TOO_LONG,                            \
      "may not be more than 262144 bytes")                                                         \
    X(GRACE_PERIOD_REQUIRED, "grace-period-required", REQUIRED, "")                                \
    X(VOLUME_SOURCE, "volume-source-required", REQUIRED, "must specify a volume type")             \
    X(VOLUME_SOURCES, "volume-sources", FORBIDDEN, "may not specify more than 1 volume type")      \
    X(VOLUME_NAME_REQUIRED, "volume-name-required", REQUIRED, "")                                  \
    X(VOLUME_NAME, "volume-name", INVALID, "")                                                     \
    X(VOLUME_NAME_TWICE, "volume-name-twice", DUPLICATE, "")                                       \
    X(CONTAINERS_REQUIRED, "containers-required", REQUIRED, "")                                    \
    X(CONTAINER_NAME_REQUIRED, "container-name-required", REQUIRED, "")                            \
    X(CONTAINER_NAME, "container-name", INVALID, "")                                               \
    X(CONTAINER_NAME_TWICE, "container-name-twice", DUPLICATE, "")                                 \
    X(CONTAINER_IMAGE, "container-image-required", REQUIRED, "")                                   \
    X(TERMINATION_POLICY_REQUIRED, "termination-policy-required", REQUIRED, "")                    \
    X(TERMINATION_POLICY, "termination-policy", NOT_SUPPORTED,                                     \
      "supported values: \"File\", \"FallbackToLogsOnError\"")                                     \
    X(PORT_NAME, "port-name", INVALID, "")                                                         \
    X(PORT_NAME_TWICE, "port-name-twice", DUPLICATE, "")                                           \
    X(PORT_REQUIRED, "port-required", REQUIRED, "")                                                \
    X(PORT_RANGE, "port-range", INVALID, "must be between 1 and 65535, inclusive")                 \
    X(HOST_PORT_RANGE, "host-port-range", INVALID, "must be between 1 and 65535, inclusive")       \
    X(PORT_PROTOCOL_REQUIRED, "port-protocol-required", REQUIRED, "")                              \
    X(PORT_PROTOCOL, "port-protocol", NOT_SUPPORTED,                                               \
      "supported values: \"SCTP\", \"TCP\", \"UDP\"")                                              \
    X(ENV_NAME_REQUIRED, "env-name-required", REQUIRED, "")                                        \
    X(ENV_NAME, "env-name", INVALID, "")                                                           \
    X(MOUNT_NAME_REQUIRED, "mount-name-required", REQUIRED, "")                                    \
    X(MOUNT_NAME, "mount-name", NOT_FOUND, "")                                                     \
    X(MOUNT_PATH_REQUIRED, "mount-path-required", REQUIRED, "")                                    \
    X(MOUNT_PATH_TWICE, "mount-path-twice", INVALID, "must be unique")                             \
    X(PULL_POLICY_REQUIRED, "pull-policy-required", REQUIRED, "")                                  \
    X(PULL_POLICY, "pull-policy", NOT_SUPPORTED,                                                   \
      "supported values: \"Always\", \"IfNotPresent\", \"Never\"")                                 \
    X(RESOURCE_NAME, "resource-name", INVALID, "")                                                 \
    X(RESOURCE_NEGATIVE, "resource-negative", INVALID, JR_WORDS_NEGATIVE)                          \
    X(RESOURCE_INTEGER, "resource-integer", INVALID, "must be an integer")                         \
    X(REQUEST_ABOVE_LIMIT, "request-above-limit", INVALID, "")                                     \
    X(REQUEST_NOT_LIMIT, "request-not-limit", INVALID, "")                                         \
    X(REQUEST_WITHOUT_LIMIT, "request-without-limit", REQUIRED,                                    \
      "Limit must be set for non overcommitable resources")                                        \
    X(INIT_LIFECYCLE, "init-lifecycle", FORBIDDEN, JR_WORDS_INIT_ONLY)                             \
    X(INIT_LIVENESS, "init-liveness-probe", FORBIDDEN, JR_WORDS_INIT_ONLY)                         \
    X(INIT_READINESS, "init-readiness-probe", FORBIDDEN, JR_WORDS_INIT_ONLY)                       \
    X(INIT_STARTUP, "init-startup-probe", FORBIDDEN, JR_WORDS_INIT_ONLY)                           \
    X(POD_RESTART_REQUIRED, "pod-restart-policy-required", REQUIRED, "")                           \
    X(POD_RESTART, "pod-restart-policy", NOT_SUPPORTED,                                            \
      "supported values: \"Always\", \"OnFailure\", \"Never\"")                                    \
    X(DNS_POLICY_REQUIRED, "dns-policy-required", REQUIRED, "")                                    \
    X(DNS_POLICY, "dns-policy", NOT_SUPPORTED,                                                     \
      "supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\"")    \
    X(NODE_SELECTOR_KEY, "node-selector-key", INVALID, "")                                         \
    X(NODE_SELECTOR_VALUE, "node-selector-value", INVALID, "")                                     \
    X(SERVICE_ACCOUNT, "service-account-name", INVALID, "")                                        \
    X(NODE_NAME, "node-name", INVALID, "")                                                         \
    X(POD_DEADLINE, "pod-active-deadline", INVALID, "must be between 1 and 2147483647, inclusive") \
    X(HOSTNAME, "hostname", INVALID, "")                                                           \
    X(SUBDOMAIN, "subdomain", INVALID, "")                                                         \
    X(PRIORITY_CLASS, "priority-class-name", INVALID, "")                                          \
    X(EPHEMERAL_CONTAINERS, "ephemeral-containers", FORBIDDEN,                                     \
      "ephemeral containers not allowed in pod template")

#define JR_RULE_WORDS_TEMPLATE(V) \
    V(TEMPLATE_ANNOTATIONS_SIZE, 31, 31, TOO_LONG, "must have at most 262144 bytes")

#endif
