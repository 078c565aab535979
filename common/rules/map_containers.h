/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of containers, beyond those in map_template.h. X(ID, "id", TYPE, "detail"): rules whose
 * words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_CONTAINERS_H
#define JR_RULES_MAP_CONTAINERS_H

#include "common/rules/words.h"

#define JR_RULE_MAP_CONTAINERS(X)  \
    JR_RULE_MAP_ENV(X)             \
    JR_RULE_MAP_MOUNTS(X)          \
    JR_RULE_MAP_CLAIMS(X)          \
    JR_RULE_MAP_SECURITY(X)        \
    JR_RULE_MAP_WINDOWS_OPTIONS(X) \
    JR_RULE_MAP_HANDLERS(X)        \
    JR_RULE_MAP_RESTARTS(X)        \
    JR_RULE_MAP_EPHEMERAL(X)

#define JR_RULE_MAP_ENV(X)                                                                         \
    X(HOST_PORT_TWICE, "host-port-twice", DUPLICATE, "")                                           \
    X(ENV_SOURCE_REQUIRED, "env-source-required", INVALID, "")                                     \
    X(ENV_SOURCE_WITH_VALUE, "env-source-with-value", INVALID,                                     \
      "may not be specified when `value` is not empty")                                            \
    X(ENV_SOURCES, "env-sources", INVALID, "may not have more than one field specified at a time") \
    X(FIELD_REF_REQUIRED, "field-ref-required", REQUIRED, "")                                      \
    X(FIELD_REF_PATH, "field-ref-path", INVALID, "")                                               \
    X(FIELD_REF_KEY, "field-ref-key", INVALID, "")                                                 \
    X(FIELD_REF_UNSUPPORTED, "field-ref-unsupported", NOT_SUPPORTED, "")                           \
    X(RESOURCE_REF_REQUIRED, "resource-ref-required", REQUIRED, "")                                \
    X(RESOURCE_REF, "resource-ref", NOT_SUPPORTED, "")                                             \
    X(RESOURCE_REF_DIVISOR, "resource-ref-divisor", INVALID, "")                                   \
    X(CONFIG_KEY_NAME, "config-map-key-name", INVALID, "")                                         \
    X(CONFIG_KEY_REQUIRED, "config-map-key-required", REQUIRED, "")                                \
    X(CONFIG_KEY, "config-map-key", INVALID, "")                                                   \
    X(SECRET_KEY_NAME, "secret-key-name", INVALID, "")                                             \
    X(SECRET_KEY_REQUIRED, "secret-key-required", REQUIRED, "")                                    \
    X(SECRET_KEY, "secret-key", INVALID, "")                                                       \
    X(FILE_KEY_REQUIRED, "file-key-required", REQUIRED, "")                                        \
    X(FILE_KEY, "file-key", INVALID, "")                                                           \
    X(FILE_KEY_VOLUME_REQUIRED, "file-key-volume-required", REQUIRED, "")                          \
    X(FILE_KEY_VOLUME, "file-key-volume", INVALID, "")                                             \
    X(FILE_KEY_PATH_REQUIRED, "file-key-path-required", REQUIRED, "")                              \
    X(FILE_KEY_PATH, "file-key-path", INVALID, JR_WORDS_BACKSTEP)                                  \
    X(FILE_KEY_VOLUME_FOUND, "file-key-volume-found", NOT_FOUND, "")                               \
    X(FILE_KEY_VOLUME_TYPE, "file-key-volume-type", INVALID,                                       \
      "referenced volume must be of type emptyDir")                                                \
    X(ENV_FROM_PREFIX, "env-from-prefix", INVALID, "")                                             \
    X(ENV_FROM_CONFIG_REQUIRED, "env-from-config-map-required", REQUIRED, "")                      \
    X(ENV_FROM_CONFIG, "env-from-config-map", INVALID, "")                                         \
    X(ENV_FROM_SECRET_REQUIRED, "env-from-secret-required", REQUIRED, "")                          \
    X(ENV_FROM_SECRET, "env-from-secret", INVALID, "")                                             \
    X(ENV_FROM_SOURCE_REQUIRED, "env-from-source-required", INVALID,                               \
      "must specify one of: `configMapRef` or `secretRef`")                                        \
    X(ENV_FROM_SOURCES, "env-from-sources", INVALID,                                               \
      "may not have more than one field specified at a time")

#define JR_RULE_MAP_MOUNTS(X)                                                                     \
    X(MOUNT_NAME_DEVICE, "mount-name-device", INVALID, "must not already exist in volumeDevices") \
    X(MOUNT_PATH_DEVICE, "mount-path-device", INVALID,                                            \
      "must not already exist as a path in volumeDevices")                                        \
    X(MOUNT_SUB_PATH, "mount-sub-path", INVALID, "")                                              \
    X(MOUNT_SUB_PATHS, "mount-sub-paths", INVALID,                                                \
      "subPathExpr and subPath are mutually exclusive")                                           \
    X(MOUNT_SUB_PATH_IMAGE, "mount-sub-path-image", INVALID,                                      \
      "not allowed in image volume sources")                                                      \
    X(MOUNT_SUB_PATH_EXPR, "mount-sub-path-expr", INVALID, "")                                    \
    X(MOUNT_PROPAGATION, "mount-propagation", NOT_SUPPORTED, "")                                  \
    X(MOUNT_BIDIRECTIONAL, "mount-bidirectional", FORBIDDEN,                                      \
      "Bidirectional mount propagation is available only to privileged containers")               \
    X(MOUNT_RECURSIVE, "mount-recursive-read-only", NOT_SUPPORTED, "")                            \
    X(MOUNT_RECURSIVE_WRITABLE, "mount-recursive-writable", FORBIDDEN,                            \
      "may only be specified when readOnly is true")                                              \
    X(MOUNT_RECURSIVE_PROPAGATED, "mount-recursive-propagated", FORBIDDEN,                        \
      "may only be specified when mountPropagation is None or not specified")                     \
    X(DEVICE_NAME_REQUIRED, "device-name-required", REQUIRED, "")                                 \
    X(DEVICE_NAME_TWICE, "device-name-twice", INVALID, "must be unique")                          \
    X(DEVICE_VOLUME_TYPE, "device-volume-type", INVALID,                                          \
      "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")     \
    X(DEVICE_NAME, "device-name", NOT_FOUND, "")                                                  \
    X(DEVICE_PATH_REQUIRED, "device-path-required", REQUIRED, "")                                 \
    X(DEVICE_PATH_TWICE, "device-path-twice", INVALID, "must be unique")                          \
    X(DEVICE_PATH, "device-path", INVALID, "can not contain backsteps ('..')")                    \
    X(DEVICE_NAME_MOUNT, "device-name-mount", INVALID, "must not already exist in volumeMounts")  \
    X(DEVICE_PATH_MOUNT, "device-path-mount", INVALID,                                            \
      "must not already exist as a path in volumeMounts")

#define JR_RULE_MAP_CLAIMS(X)                                                                     \
    X(HUGE_PAGES_MULTIPLE, "huge-pages-multiple", INVALID, "")                                    \
    X(HUGE_PAGES_ALONE, "huge-pages-alone", FORBIDDEN, "HugePages require cpu or memory")         \
    X(CLAIM_REF_REQUIRED, "claim-ref-required", REQUIRED, "")                                     \
    X(CLAIM_REF_TWICE, "claim-ref-twice", DUPLICATE, "")                                          \
    X(CLAIM_REF_REQUEST, "claim-ref-request", INVALID, "")                                        \
    X(CLAIM_REF, "claim-ref", NOT_FOUND, "")                                                      \
    X(RESIZE_RESOURCE_TWICE, "resize-resource-twice", DUPLICATE, "")                              \
    X(RESIZE_RESOURCE_REQUIRED, "resize-resource-required", REQUIRED, "")                         \
    X(RESIZE_RESOURCE, "resize-resource", NOT_SUPPORTED, "supported values: \"cpu\", \"memory\"") \
    X(RESIZE_POLICY_REQUIRED, "resize-policy-required", REQUIRED, "")                             \
    X(RESIZE_POLICY, "resize-policy", NOT_SUPPORTED,                                              \
      "supported values: \"NotRequired\", \"RestartContainer\"")                                  \
    X(RESIZE_POLICY_NEVER, "resize-policy-never", INVALID,                                        \
      "must be 'NotRequired' when pod `restartPolicy` is 'Never'")                                \
    X(RESIZE_POLICY_INIT_BANNED, "resize-policy-init-banned", INVALID,                            \
      "must not be set for init containers")                                                      \
    X(RESIZE_POLICY_INIT, "resize-policy-init", INVALID,                                          \
      "must not be set to 'RestartContainer' for non-sidecar initContainers")

/* R(ID, since, until): not all versions have the rule. */
#define JR_RULE_RANGES_CONTAINERS(R)                \
    R(RESIZE_POLICY_INIT_BANNED, 31, 34)            \
    R(RESIZE_POLICY_INIT, 36, JR_KUBE_NEWEST)       \
    R(SECCOMP_OCI_UNION, 38, JR_KUBE_NEWEST)        \
    R(RESTART_POLICY_REQUIRED, 34, JR_KUBE_NEWEST)  \
    R(CONTAINER_RESTART_POLICY, 34, JR_KUBE_NEWEST) \
    R(MOUNT_SUB_PATH_IMAGE, 31, 32)                 \
    R(CONTAINER_RESTART_POLICY_EARLY, 31, 33)       \
    R(INIT_RESTART_POLICY_EARLY, 31, 33)

#define JR_RULE_MAP_SECURITY(X)                                                               \
    X(RUN_AS_USER, "container-run-as-user", INVALID, JR_WORDS_ID_RANGE)                       \
    X(RUN_AS_GROUP, "container-run-as-group", INVALID, JR_WORDS_ID_RANGE)                     \
    X(PROC_MOUNT, "proc-mount", NOT_SUPPORTED, "")                                            \
    X(PROC_MOUNT_USERS, "proc-mount-host-users", INVALID,                                     \
      "`hostUsers` must be false to use `Unmasked`")                                          \
    X(ESCALATION_PRIVILEGED, "escalation-privileged", INVALID,                                \
      "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")              \
    X(ESCALATION_SYS_ADMIN, "escalation-sys-admin", INVALID,                                  \
      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN")  \
    X(SECCOMP_TYPE_REQUIRED, "seccomp-type-required", REQUIRED,                               \
      "type is required when seccompProfile is set")                                          \
    X(SECCOMP_TYPE, "seccomp-type", NOT_SUPPORTED, "")                                        \
    X(SECCOMP_OCI_REF_REQUIRED, "seccomp-oci-ref-required", REQUIRED, "")                     \
    X(SECCOMP_OCI_REF, "seccomp-oci-ref", INVALID, "")                                        \
    X(SECCOMP_OCI_REF_LENGTH, "seccomp-oci-ref-length", TOO_LONG,                             \
      "may not be more than 1024 characters")                                                 \
    X(SECCOMP_OCI_BASE_UNION, "seccomp-oci-base-union", INVALID, "")                          \
    X(SECCOMP_OCI_BASE_REQUIRED, "seccomp-oci-base-required", REQUIRED, "")                   \
    X(SECCOMP_OCI_BASE, "seccomp-oci-base", NOT_SUPPORTED, "")                                \
    X(SECCOMP_OCI_LOCAL_REQUIRED, "seccomp-oci-local-required", REQUIRED, JR_WORDS_EMPTY)     \
    X(SECCOMP_OCI_LOCAL, "seccomp-oci-local", INVALID, "")                                    \
    X(SECCOMP_OCI_LOCAL_LENGTH, "seccomp-oci-local-length", TOO_LONG,                         \
      "may not be more than 4096 characters")                                                 \
    X(SECCOMP_OCI_UNION, "seccomp-oci-union", INVALID, "")                                    \
    X(SECCOMP_OCI_PRIVILEGED, "seccomp-oci-privileged", FORBIDDEN,                            \
      "privileged containers cannot use a seccomp profile of type OCI; set a seccompProfile " \
      "of another type on the container")                                                     \
    X(SECCOMP_PROFILE_REQUIRED, "seccomp-profile-required", REQUIRED,                         \
      "must be set when seccomp type is Localhost")                                           \
    X(SECCOMP_PROFILE_PATH, "seccomp-profile-path", INVALID, "")                              \
    X(SECCOMP_PROFILE_LOCALHOST, "seccomp-profile-localhost", INVALID,                        \
      "can only be set when seccomp type is Localhost")                                       \
    X(APP_ARMOR_TYPE_REQUIRED, "app-armor-type-required", REQUIRED,                           \
      "type is required when appArmorProfile is set")                                         \
    X(APP_ARMOR_TYPE, "app-armor-type", NOT_SUPPORTED, "")                                    \
    X(APP_ARMOR_PROFILE_REQUIRED, "app-armor-profile-required", REQUIRED,                     \
      "must be set when AppArmor type is Localhost")                                          \
    X(APP_ARMOR_PROFILE_PADDED, "app-armor-profile-padded", INVALID,                          \
      "must not be padded with whitespace")                                                   \
    X(APP_ARMOR_PROFILE_LENGTH, "app-armor-profile-length", TOO_LONG,                         \
      "may not be more than 4095 bytes")                                                      \
    X(APP_ARMOR_PROFILE_LOCALHOST, "app-armor-profile-localhost", INVALID,                    \
      "can only be set when AppArmor type is Localhost")

#define JR_RULE_MAP_WINDOWS_OPTIONS(X)                                                             \
    X(GMSA_NAME, "gmsa-name", INVALID, "")                                                         \
    X(GMSA_SPEC_EMPTY, "gmsa-spec-empty", INVALID, "gmsaCredentialSpec cannot be an empty string") \
    X(GMSA_SPEC_SIZE, "gmsa-spec-size", INVALID, "gmsaCredentialSpec size must be under 64 KiB")   \
    X(WINDOWS_USER_EMPTY, "windows-user-empty", INVALID,                                           \
      "runAsUserName cannot be an empty string")                                                   \
    X(WINDOWS_USER_CONTROL, "windows-user-control", INVALID,                                       \
      "runAsUserName cannot contain control characters")                                           \
    X(WINDOWS_USER_BACKSLASHES, "windows-user-backslashes", INVALID,                               \
      "runAsUserName cannot contain more than one backslash")                                      \
    X(WINDOWS_DOMAIN_LENGTH, "windows-domain-length", INVALID,                                     \
      "runAsUserName's Domain length must be under 256 characters")                                \
    X(WINDOWS_DOMAIN, "windows-domain", INVALID,                                                   \
      "runAsUserName's Domain doesn't match the NetBios nor the DNS format")                       \
    X(WINDOWS_NAME_EMPTY, "windows-name-empty", INVALID, "runAsUserName's User cannot be empty")   \
    X(WINDOWS_NAME_LENGTH, "windows-name-length", INVALID,                                         \
      "runAsUserName's User length must not be longer than 104 characters")                        \
    X(WINDOWS_NAME_DOTS, "windows-name-dots", INVALID,                                             \
      "runAsUserName's User cannot contain only periods or spaces")                                \
    X(WINDOWS_NAME_CHARACTERS, "windows-name-characters", INVALID,                                 \
      "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")

#define JR_RULE_MAP_HANDLERS(X)                                                                  \
    X(HANDLER_REQUIRED, "handler-required", REQUIRED, "must specify a handler type")             \
    X(HANDLERS, "handlers", FORBIDDEN, "may not specify more than 1 handler type")               \
    X(EXEC_COMMAND, "exec-command-required", REQUIRED, "")                                       \
    X(HANDLER_PORT, "handler-port", INVALID, JR_WORDS_PORT_RANGE)                                \
    X(HANDLER_PORT_NAME, "handler-port-name", INVALID, "")                                       \
    X(HTTP_SCHEME, "http-scheme", NOT_SUPPORTED, "")                                             \
    X(HTTP_HEADER, "http-header", INVALID, "")                                                   \
    X(SLEEP_SECONDS, "sleep-seconds", INVALID, "")                                               \
    X(PROBE_NEGATIVE, "probe-negative", INVALID, JR_WORDS_NEGATIVE)                              \
    X(PROBE_GRACE, "probe-grace-period", INVALID, "must be greater than 0")                      \
    X(PROBE_SUCCESSES, "probe-success-threshold", INVALID, "must be 1")                          \
    X(READINESS_GRACE, "readiness-grace-period", INVALID, "must not be set for readinessProbes") \
    X(STOP_SIGNAL_OS, "stop-signal-os", FORBIDDEN,                                               \
      "may not be set for containers with empty `spec.os.name`")                                 \
    X(STOP_SIGNAL, "stop-signal", NOT_SUPPORTED, "")

#define JR_RULE_MAP_RESTARTS(X)                                                            \
    X(RESTART_POLICY_REQUIRED, "container-restart-policy-required", REQUIRED,              \
      "must specify restartPolicy when restart rules are used")                            \
    X(CONTAINER_RESTART_POLICY, "container-restart-policy", NOT_SUPPORTED, "")             \
    X(SIDECAR_RESTART_RULES, "sidecar-restart-rules", FORBIDDEN,                           \
      "restartPolicyRules are not allowed for init containers with restart policy Always") \
    X(RESTART_RULES_MANY, "restart-rules-many", TOO_MANY, "must have at most 20 items")    \
    X(RESTART_RULE_ACTION, "restart-rule-action", NOT_SUPPORTED, "")                       \
    X(RESTART_RULE_EXIT_CODES, "restart-rule-exit-codes", REQUIRED, "must be specified")   \
    X(RESTART_RULE_OPERATOR, "restart-rule-operator", NOT_SUPPORTED, "")                   \
    X(RESTART_RULE_VALUES, "restart-rule-values", TOO_MANY, "must have at most 255 items") \
    X(CONTAINER_RESTART_POLICY_EARLY, "container-restart-policy-early", FORBIDDEN,         \
      "may not be set for non-init containers")                                            \
    X(INIT_RESTART_POLICY_EARLY, "init-restart-policy-early", NOT_SUPPORTED,               \
      "supported values: \"Always\"")

#define JR_RULE_WORDS_CONTAINERS(V)                                              \
    V(APP_ARMOR_PROFILE_LENGTH, 31, 31, TOO_LONG, "may not be longer than 4095") \
    V(RESIZE_POLICY_NEVER, 31, 35, INVALID,                                      \
      "must be 'NotRequired' when `restartPolicy` is 'Never'")                   \
    V(RESTART_RULES_MANY, 34, 35, TOO_LONG, "may not be more than 20 bytes")     \
    V(RESTART_RULE_VALUES, 34, 35, TOO_LONG, "may not be more than 255 bytes")

#define JR_RULE_MAP_EPHEMERAL(X)                                                             \
    X(IMAGE_PADDED, "image-padded", INVALID, "must not have leading or trailing whitespace") \
    X(EPHEMERAL_TARGET, "ephemeral-target", NOT_FOUND, "")                                   \
    X(EPHEMERAL_FIELD, "ephemeral-field", FORBIDDEN, "cannot be set for an Ephemeral Container")

#endif
