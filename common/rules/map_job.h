/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a Job itself, in the order of upstream's checks. X(ID, "id", TYPE, "detail"): rules
 * whose words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_JOB_H
#define JR_RULES_MAP_JOB_H

#include "common/rules/words.h"

#define JR_RULE_MAP_META(X)                                                                       \
    X(META_GENERATE_NAME, "meta-generate-name", INVALID, "")                                      \
    X(META_NAME_REQUIRED, "meta-name-required", REQUIRED, "name or generateName is required")     \
    X(META_NAME, "meta-name", INVALID, "")                                                        \
    X(META_NAMESPACE_REQUIRED, "meta-namespace-required", REQUIRED, "")                           \
    X(META_NAMESPACE, "meta-namespace", INVALID, "")                                              \
    X(META_GENERATION, "meta-generation", INVALID, JR_WORDS_NEGATIVE)                             \
    X(META_LABEL_KEY, "meta-label-key", INVALID, "")                                              \
    X(META_LABEL_VALUE, "meta-label-value", INVALID, "")                                          \
    X(META_ANNOTATION_KEY, "meta-annotation-key", INVALID, "")                                    \
    X(META_ANNOTATIONS_SIZE, "meta-annotations-size", TOO_LONG,                                   \
      "may not be more than 262144 bytes")                                                        \
    X(META_OWNER_VERSION, "meta-owner-version", INVALID, "version must not be empty")             \
    X(META_OWNER_VERSION_EMPTY, "meta-owner-version-empty", INVALID, "version must not be empty") \
    X(META_OWNER_KIND, "meta-owner-kind", INVALID, JR_WORDS_EMPTY)                                \
    X(META_OWNER_NAME, "meta-owner-name", INVALID, JR_WORDS_EMPTY)                                \
    X(META_OWNER_UID, "meta-owner-uid", INVALID, JR_WORDS_EMPTY)                                  \
    X(META_OWNER_BANNED, "meta-owner-banned", INVALID,                                            \
      "/v1, Kind=Event is disallowed from being an owner")                                        \
    X(META_OWNER_CONTROLLERS, "meta-owner-controllers", INVALID, "")                              \
    X(META_FINALIZER, "meta-finalizer", INVALID, "")                                              \
    X(META_FINALIZER_CLASH, "meta-finalizer-clash", INVALID,                                      \
      "finalizer orphan and foregroundDeletion cannot be both set")                               \
    X(META_FINALIZER_STANDARD, "meta-finalizer-standard", INVALID,                                \
      "name is neither a standard finalizer name nor is it fully qualified")                      \
    X(META_NEW_FINALIZER, "meta-new-finalizer", FORBIDDEN, "")                                    \
    X(META_RESOURCE_VERSION, "meta-resource-version", INVALID, "must be specified for an update") \
    X(META_GENERATION_LOWER, "meta-generation-lower", INVALID, "must not be decremented")         \
    X(META_GENERATION_CLEARED, "meta-generation-cleared", INVALID, JR_WORDS_NOT_CLEARED)          \
    X(META_NAME_IMMUTABLE, "meta-name-immutable", INVALID, JR_WORDS_IMMUTABLE)                    \
    X(META_NAMESPACE_IMMUTABLE, "meta-namespace-immutable", INVALID, JR_WORDS_IMMUTABLE)          \
    X(META_UID_IMMUTABLE, "meta-uid-immutable", INVALID, JR_WORDS_IMMUTABLE)                      \
    X(META_CREATION_IMMUTABLE, "meta-creation-timestamp-immutable", INVALID, JR_WORDS_IMMUTABLE)  \
    X(META_DELETION_IMMUTABLE, "meta-deletion-timestamp-immutable", INVALID, JR_WORDS_IMMUTABLE)  \
    X(META_GRACE_IMMUTABLE, "meta-deletion-grace-immutable", INVALID, JR_WORDS_IMMUTABLE)

#define JR_RULE_WORDS_META(V)                                                                    \
    V(META_ANNOTATIONS_SIZE, 31, 31, TOO_LONG, "must have at most 262144 bytes")                 \
    V(META_OWNER_VERSION, 37, JR_KUBE_NEWEST, INVALID, "must be <group>/<version> or <version>") \
    V(META_OWNER_VERSION_EMPTY, 37, JR_KUBE_NEWEST, REQUIRED, JR_WORDS_EMPTY)                    \
    V(META_OWNER_KIND, 31, 33, INVALID, "kind must not be empty")                                \
    V(META_OWNER_KIND, 37, JR_KUBE_NEWEST, REQUIRED, JR_WORDS_EMPTY)                             \
    V(META_OWNER_NAME, 31, 33, INVALID, "name must not be empty")                                \
    V(META_OWNER_NAME, 37, JR_KUBE_NEWEST, REQUIRED, JR_WORDS_EMPTY)                             \
    V(META_OWNER_UID, 31, 33, INVALID, "uid must not be empty")                                  \
    V(META_OWNER_UID, 37, JR_KUBE_NEWEST, REQUIRED, JR_WORDS_EMPTY)

#define JR_RULE_MAP_SELECTOR(X)                                                           \
    X(GENERATED_UID, "generated-uid", REQUIRED, "")                                       \
    X(GENERATED_LABEL_MISSING, "generated-label-missing", REQUIRED, "")                   \
    X(GENERATED_LABEL_WRONG, "generated-label-wrong", INVALID, "")                        \
    X(GENERATED_SELECTOR, "generated-selector", INVALID, "`selector` not auto-generated") \
    X(SELECTOR_REQUIRED, "selector-required", REQUIRED, "")                               \
    X(SELECTOR_LABEL_KEY, "selector-label-key", INVALID, "")                              \
    X(SELECTOR_LABEL_VALUE, "selector-label-value", INVALID, "")                          \
    X(SELECTOR_OPERATOR, "selector-operator", INVALID, "not a valid selector operator")   \
    X(SELECTOR_VALUES_REQUIRED, "selector-values-required", REQUIRED,                     \
      "must be specified when `operator` is 'In' or 'NotIn'")                             \
    X(SELECTOR_VALUES_FORBIDDEN, "selector-values-forbidden", FORBIDDEN,                  \
      "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")               \
    X(SELECTOR_KEY, "selector-key", INVALID, "")                                          \
    X(SELECTOR_VALUE, "selector-value", INVALID, "")                                      \
    X(SELECTOR_MISMATCH, "selector-mismatch", INVALID,                                    \
      "`selector` does not match template `labels`")

#define JR_RULE_MAP_SPEC(X)                                                                        \
    X(PARALLELISM_NEGATIVE, "parallelism-negative", INVALID, JR_WORDS_NEGATIVE)                    \
    X(COMPLETIONS_NEGATIVE, "completions-negative", INVALID, JR_WORDS_NEGATIVE)                    \
    X(DEADLINE_NEGATIVE, "active-deadline-negative", INVALID, JR_WORDS_NEGATIVE)                   \
    X(BACKOFF_LIMIT_NEGATIVE, "backoff-limit-negative", INVALID, JR_WORDS_NEGATIVE)                \
    X(TTL_NEGATIVE, "ttl-negative", INVALID, JR_WORDS_NEGATIVE)                                    \
    X(PER_INDEX_NEGATIVE, "backoff-limit-per-index-negative", INVALID, JR_WORDS_NEGATIVE)          \
    X(MAX_FAILED_NEGATIVE, "max-failed-indexes-negative", INVALID, JR_WORDS_NEGATIVE)              \
    X(PER_INDEX_REQUIRED, "backoff-limit-per-index-required", REQUIRED,                            \
      "when maxFailedIndexes is specified")                                                        \
    X(MANAGED_BY_EMPTY, "managed-by-empty", REQUIRED, "")                                          \
    X(MANAGED_BY_FORM, "managed-by-form", INVALID,                                                 \
      "must be a domain-prefixed path (such as \"acme.io/foo\")")                                  \
    X(MANAGED_BY_HOST, "managed-by-host", INVALID, "")                                             \
    X(MANAGED_BY_PATH, "managed-by-path", INVALID,                                                 \
      "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')")            \
    X(MANAGED_BY_LENGTH, "managed-by-length", TOO_LONG, "may not be more than 63 bytes")           \
    X(COMPLETION_MODE, "completion-mode", NOT_SUPPORTED,                                           \
      "supported values: \"NonIndexed\", \"Indexed\"")                                             \
    X(INDEXED_COMPLETIONS, "indexed-completions-required", REQUIRED,                               \
      "when completion mode is Indexed")                                                           \
    X(INDEXED_PARALLELISM, "indexed-parallelism-limit", INVALID,                                   \
      "must be less than or equal to 100000 when completion mode is Indexed")                      \
    X(MAX_FAILED_COMPLETIONS, "max-failed-indexes-completions", INVALID,                           \
      "must be less than or equal to completions")                                                 \
    X(MAX_FAILED_LIMIT, "max-failed-indexes-limit", INVALID,                                       \
      "must be less than or equal to 100000")                                                      \
    X(MANY_MAX_FAILED_REQUIRED, "many-completions-max-failed-required", REQUIRED,                  \
      "must be specified when completions is above 100000")                                        \
    X(MANY_PARALLELISM, "many-completions-parallelism", INVALID,                                   \
      "must be less than or equal to 10000 when completions are above 100000 and used with "       \
      "backoff limit per index")                                                                   \
    X(MANY_MAX_FAILED, "many-completions-max-failed", INVALID,                                     \
      "must be less than or equal to 10000 when completions are above 100000 and used with "       \
      "backoff limit per index")                                                                   \
    X(PER_INDEX_MODE, "backoff-limit-per-index-mode", INVALID, "requires indexed completion mode") \
    X(MAX_FAILED_MODE, "max-failed-indexes-mode", INVALID, "requires indexed completion mode")     \
    X(REPLACEMENT_WITH_POLICY, "replacement-with-failure-policy", NOT_SUPPORTED,                   \
      "supported values: \"Failed\"")                                                              \
    X(REPLACEMENT_POLICY, "replacement-policy", NOT_SUPPORTED,                                     \
      "supported values: \"Failed\", \"TerminatingOrFailed\"")                                     \
    X(RESTART_REQUIRED, "restart-policy-required", REQUIRED,                                       \
      "valid values: \"OnFailure\", \"Never\"")                                                    \
    X(RESTART_UNKNOWN, "restart-policy-unknown", NOT_SUPPORTED,                                    \
      "supported values: \"OnFailure\", \"Never\"")                                                \
    X(RESTART_WITH_POLICY, "restart-policy-with-failure-policy", INVALID,                          \
      "only \"Never\" is supported when podFailurePolicy is specified")                            \
    X(INDEXED_HOSTNAME, "indexed-hostname", INVALID, "")

#define JR_RULE_WORDS_SPEC(V) V(MANAGED_BY_LENGTH, 31, 31, TOO_LONG, "may not be longer than 63")

#define JR_RULE_MAP_POLICY(X)                                                                     \
    X(FAILURE_RULES, "failure-rules-limit", TOO_MANY, "must have at most 20 items")               \
    X(FAILURE_ACTION_REQUIRED, "failure-action-required", REQUIRED,                               \
      "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]")                           \
    X(FAILURE_ACTION, "failure-action", NOT_SUPPORTED,                                            \
      "supported values: \"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"")                      \
    X(FAILURE_FAIL_INDEX, "failure-fail-index", INVALID,                                          \
      "requires the backoffLimitPerIndex to be set")                                              \
    X(EXIT_OPERATOR_REQUIRED, "exit-codes-operator-required", REQUIRED,                           \
      "valid values: [\"In\" \"NotIn\"]")                                                         \
    X(EXIT_OPERATOR, "exit-codes-operator", NOT_SUPPORTED, "supported values: \"In\", \"NotIn\"") \
    X(EXIT_CONTAINER, "exit-codes-container", INVALID,                                            \
      "must be one of the container or initContainer names in the pod template")                  \
    X(EXIT_VALUES_NONE, "exit-codes-none", INVALID, "at least one value is required")             \
    X(EXIT_VALUES_LIMIT, "exit-codes-limit", TOO_MANY, "must have at most 255 items")             \
    X(EXIT_VALUE_ZERO, "exit-codes-zero", INVALID, "must not be 0 for the In operator")           \
    X(EXIT_VALUE_TWICE, "exit-codes-twice", DUPLICATE, "")                                        \
    X(EXIT_VALUES_ORDER, "exit-codes-order", INVALID, "must be ordered")                          \
    X(POD_CONDITIONS_LIMIT, "pod-conditions-limit", TOO_MANY, "must have at most 20 items")       \
    X(POD_CONDITION_TYPE, "pod-condition-type", INVALID, "")                                      \
    X(POD_CONDITION_STATUS_REQUIRED, "pod-condition-status-required", REQUIRED,                   \
      "valid values: [\"False\" \"True\" \"Unknown\"]")                                           \
    X(POD_CONDITION_STATUS, "pod-condition-status", NOT_SUPPORTED,                                \
      "supported values: \"False\", \"True\", \"Unknown\"")                                       \
    X(FAILURE_RULE_BOTH, "failure-rule-both", INVALID,                                            \
      "specifying both OnExitCodes and OnPodConditions is not supported")                         \
    X(FAILURE_RULE_NEITHER, "failure-rule-neither", INVALID,                                      \
      "specifying one of OnExitCodes and OnPodConditions is required")                            \
    X(SUCCESS_MODE, "success-policy-mode", INVALID, "requires indexed completion mode")           \
    X(SUCCESS_RULES_NONE, "success-rules-none", REQUIRED,                                         \
      "at least one rules must be specified when the successPolicy is specified")                 \
    X(SUCCESS_RULES_LIMIT, "success-rules-limit", TOO_MANY, "must have at most 20 items")         \
    X(SUCCESS_RULE_EMPTY, "success-rule-empty", REQUIRED,                                         \
      "at least one of succeededCount or succeededIndexes must be specified")                     \
    X(SUCCESS_INDEXES_LENGTH, "success-indexes-length", TOO_LONG,                                 \
      "may not be more than 65536 bytes")                                                         \
    X(SUCCESS_INDEXES, "success-indexes", INVALID, "")                                            \
    X(SUCCESS_COUNT_NEGATIVE, "success-count-negative", INVALID, JR_WORDS_NEGATIVE)               \
    X(SUCCESS_COUNT_COMPLETIONS, "success-count-completions", INVALID, "")                        \
    X(SUCCESS_COUNT_INDEXES, "success-count-indexes", INVALID, "")

#define JR_RULE_WORDS_POLICY(V) \
    V(SUCCESS_INDEXES_LENGTH, 31, 31, TOO_LONG, "must have at most 65536 bytes")

/* spec.scheduling: all since 1.37. */
#define JR_RULE_MAP_SCHEDULING(X)                                                                  \
    X(SCHEDULING_MIN_COUNT_PARALLELISM, "scheduling-min-count-parallelism", INVALID, "")           \
    X(SCHEDULING_DISRUPTION_BASIC, "scheduling-disruption-basic", INVALID,                         \
      "the disruptionMode `all` is not supported with the Basic scheduling policy")                \
    X(SCHEDULING_VARIANT, "scheduling-policy-variant-immutable", INVALID,                          \
      "the basic/gang policy variant is immutable after creation; only "                           \
      "schedulingPolicy.gang.minCount may be updated")                                             \
    X(SCHEDULING_FORBIDDEN, "scheduling-forbidden", FORBIDDEN, "")                                 \
    X(SCHEDULING_SET, "scheduling-set", INVALID, JR_WORDS_NOT_SET)                                 \
    X(SCHEDULING_UNSET, "scheduling-unset", INVALID, JR_WORDS_NOT_CLEARED)                         \
    X(SCHEDULING_POLICY_SET, "scheduling-policy-set", INVALID, JR_WORDS_NOT_SET)                   \
    X(SCHEDULING_POLICY_UNSET, "scheduling-policy-unset", INVALID, JR_WORDS_NOT_CLEARED)           \
    X(SCHEDULING_POLICY_NONE, "scheduling-policy-none", INVALID, "")                               \
    X(SCHEDULING_POLICY_BOTH, "scheduling-policy-both", INVALID, "")                               \
    X(SCHEDULING_MIN_COUNT, "scheduling-min-count", INVALID, "must be greater than or equal to 1") \
    X(SCHEDULING_CONSTRAINTS_IMMUTABLE, "scheduling-constraints-immutable", INVALID,               \
      JR_WORDS_IMMUTABLE)                                                                          \
    X(SCHEDULING_TOPOLOGY_LIMIT, "scheduling-topology-limit", TOO_MANY,                            \
      "must have at most 1 item")                                                                  \
    X(SCHEDULING_TOPOLOGY_KEY_REQUIRED, "scheduling-topology-key-required", REQUIRED, "")          \
    X(SCHEDULING_TOPOLOGY_KEY, "scheduling-topology-key", INVALID, "")                             \
    X(SCHEDULING_DISRUPTION_IMMUTABLE, "scheduling-disruption-immutable", INVALID,                 \
      JR_WORDS_IMMUTABLE)                                                                          \
    X(SCHEDULING_DISRUPTION_NONE, "scheduling-disruption-none", INVALID, "")                       \
    X(SCHEDULING_DISRUPTION_BOTH, "scheduling-disruption-both", INVALID, "")                       \
    X(SCHEDULING_CLAIMS_IMMUTABLE, "scheduling-claims-immutable", INVALID, JR_WORDS_IMMUTABLE)     \
    X(SCHEDULING_CLAIMS_LIMIT, "scheduling-claims-limit", TOO_MANY, "must have at most 4 items")   \
    X(SCHEDULING_CLAIM_TWICE, "scheduling-claim-twice", DUPLICATE, "")                             \
    X(SCHEDULING_CLAIM_NONE, "scheduling-claim-none", INVALID, "")                                 \
    X(SCHEDULING_CLAIM_BOTH, "scheduling-claim-both", INVALID, "")                                 \
    X(SCHEDULING_CLAIM_NAME_REQUIRED, "scheduling-claim-name-required", REQUIRED, "")              \
    X(SCHEDULING_CLAIM_NAME, "scheduling-claim-name", INVALID, "")                                 \
    X(SCHEDULING_CLAIM_REFERENCE, "scheduling-claim-reference", INVALID, "")

/* Who else decides about its Workload and its PodGroup: all since 1.38. */
#define JR_RULE_MAP_DELEGATION(X)                                                 \
    X(SCHEDULING_WITH_GROUP, "scheduling-with-group", INVALID,                    \
      "must not be set together with template.spec.schedulingGroup")              \
    X(SCHEDULING_DELEGATED, "scheduling-delegated", INVALID, "")                  \
    X(DELEGATION_INCOMPLETE, "delegation-incomplete", REQUIRED,                   \
      "must be set to a non-empty value when scheduling.k8s.io/workload-name or " \
      "scheduling.k8s.io/group-template-name is set")

#define JR_RULE_RANGES_UPDATE(R)                   \
    R(META_GENERATION_CLEARED, 38, JR_KUBE_NEWEST) \
    R(TEMPLATE_SPEC_IMMUTABLE, 35, JR_KUBE_NEWEST)

#define JR_RULE_MAP_UPDATE(X)                                                                \
    X(COMPLETIONS_IMMUTABLE, "completions-immutable", INVALID, JR_WORDS_IMMUTABLE)           \
    X(COMPLETIONS_TANDEM, "completions-tandem", INVALID,                                     \
      "can only be modified in tandem with spec.parallelism")                                \
    X(SELECTOR_IMMUTABLE, "selector-immutable", INVALID, JR_WORDS_IMMUTABLE)                 \
    X(TEMPLATE_IMMUTABLE, "template-immutable", INVALID, JR_WORDS_IMMUTABLE)                 \
    X(TEMPLATE_SPEC_IMMUTABLE, "template-spec-immutable", INVALID, JR_WORDS_IMMUTABLE)       \
    X(MODE_IMMUTABLE, "completion-mode-immutable", INVALID, JR_WORDS_IMMUTABLE)              \
    X(FAILURE_POLICY_IMMUTABLE, "failure-policy-immutable", INVALID, JR_WORDS_IMMUTABLE)     \
    X(PER_INDEX_IMMUTABLE, "backoff-limit-per-index-immutable", INVALID, JR_WORDS_IMMUTABLE) \
    X(MANAGED_BY_IMMUTABLE, "managed-by-immutable", INVALID, JR_WORDS_IMMUTABLE)             \
    X(SUCCESS_POLICY_IMMUTABLE, "success-policy-immutable", INVALID, JR_WORDS_IMMUTABLE)

/* The number is that of the rule in docs/reference/admission.md, "Status update". */
#define JR_RULE_MAP_STATUS(X)                                                                     \
    X(STATUS_ACTIVE, "status-1-active", INVALID, JR_WORDS_NEGATIVE)                               \
    X(STATUS_SUCCEEDED, "status-1-succeeded", INVALID, JR_WORDS_NEGATIVE)                         \
    X(STATUS_FAILED, "status-1-failed", INVALID, JR_WORDS_NEGATIVE)                               \
    X(STATUS_READY, "status-1-ready", INVALID, JR_WORDS_NEGATIVE)                                 \
    X(STATUS_TERMINATING, "status-1-terminating", INVALID, JR_WORDS_NEGATIVE)                     \
    X(STATUS_UNCOUNTED_EMPTY, "status-2-empty", INVALID, JR_WORDS_EMPTY)                          \
    X(STATUS_UNCOUNTED_TWICE, "status-2-twice", DUPLICATE, "")                                    \
    X(STATUS_COMPLETE_FAILED, "status-3", INVALID,                                                \
      "cannot set Complete=True and Failed=true conditions")                                      \
    X(STATUS_COMPLETE_TARGET, "status-4", INVALID,                                                \
      "cannot set Complete=True and FailureTarget=true conditions")                               \
    X(STATUS_TIME_NOT_COMPLETE, "status-5", INVALID,                                              \
      "cannot set completionTime when there is no Complete=True condition")                       \
    X(STATUS_COMPLETE_NO_TIME, "status-6", REQUIRED,                                              \
      "completionTime is required for Complete jobs")                                             \
    X(STATUS_TIMES, "status-7", INVALID, "must be equal to or after `startTime`")                 \
    X(STATUS_FAILED_NO_TARGET, "status-8", INVALID,                                               \
      "cannot set Failed=True condition without the FailureTarget=true condition")                \
    X(STATUS_COMPLETE_NO_CRITERIA, "status-9", INVALID,                                           \
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition")         \
    X(STATUS_FINISHED_ACTIVE, "status-10", INVALID, "active>0 is invalid for finished job")       \
    X(STATUS_FINISHED_NO_START, "status-11", REQUIRED, "startTime is required for finished job")  \
    X(STATUS_FINISHED_UNCOUNTED, "status-12", INVALID, "must be empty for finished job")          \
    X(STATUS_COMPLETED_INDEXES, "status-13", INVALID, "")                                         \
    X(STATUS_FAILED_INDEXES, "status-14", INVALID, "")                                            \
    X(STATUS_COMPLETED_MODE, "status-15", INVALID,                                                \
      "cannot set non-empty completedIndexes when non-indexed completion mode")                   \
    X(STATUS_FAILED_MODE, "status-16", INVALID,                                                   \
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null")                      \
    X(STATUS_OVERLAP, "status-17", INVALID, "")                                                   \
    X(STATUS_FINISHED_TERMINATING, "status-18", INVALID,                                          \
      "terminating>0 is invalid for finished job")                                                \
    X(STATUS_READY_ACTIVE, "status-19", INVALID, "cannot set more ready pods than active")        \
    X(STATUS_CRITERIA_MODE, "status-20-mode", INVALID,                                            \
      "cannot set SuccessCriteriaMet to NonIndexed Job")                                          \
    X(STATUS_CRITERIA_FAILED, "status-20", INVALID,                                               \
      "cannot set SuccessCriteriaMet=True and Failed=true conditions")                            \
    X(STATUS_CRITERIA_TARGET, "status-21", INVALID,                                               \
      "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")                     \
    X(STATUS_CRITERIA_NO_POLICY, "status-21-policy", INVALID,                                     \
      "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy")                         \
    X(STATUS_POLICY_NO_CRITERIA, "status-22", INVALID,                                            \
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")       \
    X(STATUS_TERMINAL_FAILED, "status-23-failed", INVALID,                                        \
      "cannot disable the terminal Failed=True condition")                                        \
    X(STATUS_TERMINAL_COMPLETE, "status-23-complete", INVALID,                                    \
      "cannot disable the terminal Complete=True condition")                                      \
    X(STATUS_TERMINAL_TARGET, "status-23-failure-target", INVALID,                                \
      "cannot disable the terminal FailureTarget=True condition")                                 \
    X(STATUS_FAILED_LOWER, "status-24", INVALID, "cannot decrease the failed counter")            \
    X(STATUS_SUCCEEDED_LOWER, "status-25", INVALID, "cannot decrease the succeeded counter")      \
    X(STATUS_COMPLETION_TIME, "status-26", INVALID, JR_WORDS_IMMUTABLE)                           \
    X(STATUS_START_TIME, "status-27", INVALID, "field is immutable for unsuspended job once set") \
    X(STATUS_CRITERIA_LOST, "status-28", INVALID,                                                 \
      "cannot disable the SuccessCriteriaMet=True condition")                                     \
    X(STATUS_CRITERIA_LATE, "status-29", INVALID,                                                 \
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")

/* Where neither managedBy nor podReplacementPolicy is known; both gates are locked later. */
#define JR_RULE_RANGES_STATUS(R)    \
    R(STATUS_CRITERIA_MODE, 31, 33) \
    R(STATUS_CRITERIA_NO_POLICY, 31, 33)

#define JR_RULE_WORDS_STATUS(V)                                                       \
    V(STATUS_TIMES, 31, 33, INVALID, "completionTime cannot be set before startTime") \
    V(STATUS_FINISHED_UNCOUNTED, 31, 33, INVALID,                                     \
      "uncountedTerminatedPods needs to be empty for finished job")                   \
    V(STATUS_COMPLETION_TIME, 31, 33, INVALID, "completionTime cannot be mutated")    \
    V(STATUS_START_TIME, 31, 35, REQUIRED, "startTime cannot be removed for unsuspended job")

#endif
