/* SPDX-License-Identifier: Apache-2.0 */
/* The warnings, in the order of upstream's checks. X(NAME, "id", ORIGIN, "what it is about"):
 * ORIGIN API is kube-apiserver's own warning, OURS is one that no API server gives. The words that
 * a user reads stand where the warning is added. */
#ifndef JR_POD_MAP_WARNINGS_H
#define JR_POD_MAP_WARNINGS_H

#define JR_WARNING_MAP(X)                                                                          \
    X(NAME_NOT_DNS_LABEL, "name-not-dns-label", API, "the name is no DNS label")                   \
    X(MANY_INDEXES, "many-indexes", API, "so many indexes may not be tracked")                     \
    X(SCHEDULE_ZONE, "schedule-zone", API, "the schedule names a time zone")                       \
    X(ANNOTATION_DEPRECATED, "annotation-deprecated", API, "the annotation has no effect")         \
    X(NODE_LABEL_DEPRECATED, "node-label-deprecated", API, "the node label has a new name")        \
    X(NODE_VALUE_INVALID, "node-value-invalid", API, "no node can have the value")                 \
    X(SELECTOR_NULL, "selector-null", API, "the selector matches no Pod")                          \
    X(ENTRY_DUPLICATE, "entry-duplicate", API, "the entry is there twice")                         \
    X(PULL_SECRET_EMPTY, "pull-secret-empty", API, "the secret has no name")                       \
    X(GRACE_PERIOD_NEGATIVE, "grace-period-negative", API, "the grace period is negative")         \
    X(ADDRESS_NON_STANDARD, "address-non-standard", API, "the IP address is not in standard form") \
    X(ADDRESS_NOT_CANONICAL, "address-not-canonical", API, "the IP address is not canonical")      \
    X(FRACTIONAL_BYTES, "fractional-bytes", API, "the quantity has a fraction of a byte")          \
    X(VOLUME_DEPRECATED, "volume-deprecated", API, "the volume source is deprecated")              \
    X(VOLUME_PATHS_OVERLAP, "volume-paths-overlap", API, "two sources write one path")             \
    X(VOLUME_WITHOUT_SOURCES, "volume-without-sources", API, "the projected volume is empty")      \
    X(SECCOMP_ANNOTATION, "seccomp-annotation", API, "the annotation has no effect")               \
    X(APP_ARMOR_ANNOTATION, "app-armor-annotation", API, "the annotation is deprecated")           \
    X(ENV_HIDDEN, "env-hidden", API, "a later variable of that name hides it")                     \
    X(PORT_DUPLICATE, "port-duplicate", API, "the port is there twice")                            \
    X(PORT_OVERLAPPING, "port-overlapping", API, "one of two equal ports has a host port")         \
    X(PORT_AMBIGUOUS, "port-ambiguous", API, "one of two equal host ports has no address")         \
    X(PORT_NAME_DUPLICATE, "port-name-duplicate", API, "the port's name is there twice")           \
    X(HOST_IP_WITHOUT_PORT, "host-ip-without-port", API, "the host's address is without a port")   \
    X(POLICY_FINDING, "policy-finding", OURS, "a JobPolicy warns")                                 \
    X(POLICY_DEFAULT_WITHOUT_LIMIT, "policy-default-without-limit", OURS,                          \
      "nothing holds the default")                                                                 \
    X(POLICY_DEFAULT_WITHOUT_EFFECT, "policy-default-without-effect", OURS,                        \
      "an API server sets the field first")                                                        \
    X(POLICY_EXCEPTION_ENDED, "policy-exception-ended", OURS, "the exception has ended")           \
    X(POLICY_BOUND_OPTIONAL, "policy-bound-optional", OURS, "a Job without the field passes")      \
    X(POLICY_ORPHANS, "policy-orphans", OURS, "Pods without their Job run on")                     \
    X(POLICY_DEVICE_NAMES, "policy-device-names", OURS, "devices have other names, too")           \
    X(POLICY_WITHOUT_EFFECT, "policy-without-effect", OURS,                                        \
      "what the policy says changes nothing")                                                      \
    X(POLICY_REFUSES_ALL, "policy-refuses-all", OURS, "no Job that runs Pods meets the policy")    \
    X(POLICY_DISRUPTIONS, "policy-disruptions", OURS, "nothing bounds what disruptions cost")      \
    X(POLICY_UPDATES_UNSEEN, "policy-updates-unseen", OURS, "an update can undo what is refused")  \
    X(POLICY_METADATA_UNSEEN, "policy-metadata-unseen", OURS,                                      \
      "updates of metadata alone aren't seen")

enum jr_warning_origin { JR_WARNING_OF_API, JR_WARNING_OF_OURS };

enum jr_warning {
#define X(name, id, origin, about) JR_WARNING_##name,
    JR_WARNING_MAP(X)
#undef X
        JR_WARNING_COUNT
};

#endif
