/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of Kubernetes, and what changed from one to the next without a feature gate. */
#ifndef JR_SCHEMA_KUBE_VERSION_H
#define JR_SCHEMA_KUBE_VERSION_H

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/str.h"

/** A release, 1.minor.patch. */
struct jr_kube_version {
    unsigned minor;
    unsigned patch;
};

/** The minor versions that are known, and the newest that is released: what is newer is a preview.
 */
#define JR_KUBE_OLDEST 31
#define JR_KUBE_RELEASED 37
#define JR_KUBE_NEWEST 38
#define JR_KUBE_MINORS (JR_KUBE_NEWEST - JR_KUBE_OLDEST + 1)
/** The version that docs/reference/admission.md describes, to which others are compared. */
#define JR_KUBE_DESCRIBED ((struct jr_kube_version){ 36, 0 })
/** "1.36.3" and the like, with its NUL. */
#define JR_KUBE_TEXT_MAX 32

/** The newest patch that is known of 1.minor, which has to be a known one. */
struct jr_kube_version jr_kube_newest_patch(unsigned minor);
/** "1.36", "v1.36" (the newest patch that is known), "1.36.2" or "v1.36.2". Error: JR_INVALID,
 * which says what was expected. */
enum jr_status jr_kube_version_parse(struct jr_str s, struct jr_kube_version *ret,
                                     struct jr_error *err) JR_MUST_USE;
/** "1.36.3", into text. */
const char *jr_kube_version_text(struct jr_kube_version v, char text[static JR_KUBE_TEXT_MAX]);
/** Appends the line of the newest release that is known to what --version prints. */
void jr_kube_about(struct jr_buf *out);
/** Less than, equal to or greater than 0, as a is older than, the same as or newer than b. */
int jr_kube_version_cmp(struct jr_kube_version a, struct jr_kube_version b);

/** Changes of upstream's that no gate guards, each with the first patch of 1.31, 1.32, ... 1.38
 * that has it: 0 where all have it, JR_NEVER where none has. Source: docs/reference/versions.md. */
#define JR_NEVER 999
#define JR_SINCE_32 JR_NEVER, 0, 0, 0, 0, 0, 0, 0
#define JR_SINCE_33 JR_NEVER, JR_NEVER, 0, 0, 0, 0, 0, 0
#define JR_SINCE_34 JR_NEVER, JR_NEVER, JR_NEVER, 0, 0, 0, 0, 0
#define JR_SINCE_35 JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, 0, 0, 0, 0
#define JR_SINCE_36 JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, 0, 0, 0
#define JR_SINCE_37 JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, 0, 0
#define JR_SINCE_38 JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, 0
#define JR_KUBE_CHANGE_MAP(X)                                                                      \
    /* A suspended Job that never started may get another template, whatever its conditions. */    \
    X(NEVER_STARTED_IS_MUTABLE, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, JR_NEVER, 2, 0, 0)         \
    /* An update is validated once, by rules of its own: before, all of create's ran first. */     \
    X(UPDATE_VALIDATED_ONCE, JR_SINCE_37)                                                          \
    /* Values in errors are shown as JSON; before as Go prints them. */                            \
    X(VALUES_ARE_JSON, JR_SINCE_34)                                                                \
    /* Of errors with one text the first stays, and what declarative rules find comes last. */     \
    X(ERRORS_ONCE, JR_SINCE_37)                                                                    \
    /* serviceAccount and serviceAccountName are made one by defaulting. */                        \
    X(SERVICE_ACCOUNT_DEFAULTED, JR_SINCE_37)                                                      \
    /* The driver of a csi volume that is missing isn't looked at as a name, too. */               \
    X(MISSING_CSI_DRIVER_IS_NO_NAME, JR_SINCE_35)                                                  \
    /* A start time that was kept through a suspension may be replaced when the Job is resumed. */ \
    X(RESUME_REPLACES_START_TIME, JR_NEVER, 10, 6, 2, 0, 0, 0, 0)                                  \
    /* A suspended Job with nothing to complete may finish without a start time. */                \
    X(FINISHES_UNSTARTED, JR_NEVER, 9, 5, 0, 0, 0, 0, 0)                                           \
    /* A CronJob's onPodConditions get their status by default, as a Job's do. */                  \
    X(CRON_JOB_CONDITIONS_DEFAULTED, JR_SINCE_34)                                                  \
    /* Of a CronJob's template, fields of the Job behind gates that are off are dropped, too. */   \
    X(CRON_JOB_GATES, JR_SINCE_37)                                                                 \
    /* Errors about an owner reference have its index. */                                          \
    X(OWNER_INDEX_SHOWN, JR_SINCE_37)                                                              \
    /* What containers say of restarts is dropped where the gate is off: before it was refused. */ \
    X(RESTART_RULES_DROPPED, JR_SINCE_34)                                                          \
    /* An init container's restart rules are looked at where it has no restartPolicy, too. */      \
    X(INIT_RESTART_RULES_NEED_POLICY, JR_SINCE_35)                                                 \
    /* The error of a restart rule's action names all that may be there. */                        \
    X(RESTART_ACTIONS_NAMED, JR_SINCE_36)                                                          \
    /* The controller: only podReplacementPolicy: Failed makes it replace failed Pods alone. */    \
    X(FAILURE_POLICY_IMPLIES_NOTHING, JR_SINCE_37)                                                 \
    /* The values of a required nodeAffinity are validated. */                                     \
    X(NODE_AFFINITY_VALUES_CHECKED, JR_SINCE_33)                                                   \
    /* Tolerations may compare, by the operators Lt and Gt. */                                     \
    X(TOLERATIONS_COMPARE, JR_SINCE_35)                                                            \
    /* hostPID beside shareProcessNamespace is an error at the latter's own path. */               \
    X(SHARED_PROCESSES_AT_POD, JR_SINCE_37)                                                        \
    /* A Windows Pod's errors about its securityContext come before those about its own fields. */ \
    X(WINDOWS_CONTEXT_FIRST, JR_SINCE_37)                                                          \
    /* The volume source `image` is validated wherever it is. */                                   \
    X(IMAGE_VOLUMES_VALIDATED, JR_SINCE_32)                                                        \
    /* The error of a sleep that is too short or too long names the gate for none. */              \
    X(SLEEP_ERROR_NAMES_GATE, JR_SINCE_32)                                                         \
    /* A Pod's own requests may leave out what its containers ask for: before that was zero. */    \
    X(POD_REQUESTS_MAY_BE_ABSENT, JR_SINCE_34)                                                     \
    /* ... and huge pages are among them. */                                                       \
    X(POD_HUGE_PAGES, JR_SINCE_33)                                                                 \
    /* Init containers may have a resizePolicy; before where a sidecar of the old object has. */   \
    X(INIT_RESIZE_POLICY, JR_SINCE_33)                                                             \
    X(INIT_RESIZE_POLICY_KEPT, JR_SINCE_32)                                                        \
    /* A signer's name that is too long may not be so long; before it must have so many bytes. */  \
    X(TOO_LONG_SAYS_MAY, JR_SINCE_32)                                                              \
    /* Warnings: of volumes whose paths overlap, or that have no sources. */                       \
    X(WARNS_OF_OVERLAPS, JR_SINCE_32)                                                              \
    /* Warnings: ports of one name, addresses, values of a preferred nodeAffinity, gitRepo. */     \
    X(WARNS_OF_PORT_NAMES, JR_SINCE_33)                                                            \
    X(WARNS_OF_ADDRESSES, JR_SINCE_33)                                                             \
    X(ADDRESSES_ARE_INVALID, JR_SINCE_36)                                                          \
    X(WARNS_OF_NODE_VALUES, JR_SINCE_33)                                                           \
    X(WARNS_OF_GIT_REPO_DISABLED, JR_SINCE_33)                                                     \
    /* What owners must say, most of what stays in metadata, what maxFailedIndexes needs, and      \
     * tolerations' keys are found by declarative rules. */                                        \
    X(MORE_DECLARED, JR_SINCE_38)                                                                  \
    /* Quantities beyond 64 bits aren't taken for others when they have to be whole. */            \
    X(WHOLE_QUANTITIES_EXACT, JR_SINCE_38)                                                         \
    /* Built with Go 1.27, whose JSON decoder has other words. */                                  \
    X(GO_1_27, JR_SINCE_38)                                                                        \
    /* There are seccomp profiles of OCI registries, and certificates with keys of ML-DSA. */      \
    X(OCI_AND_ML_DSA, JR_SINCE_38)                                                                 \
    /* spec.scheduling that an update leaves as it is isn't looked at by newer rules. */           \
    X(STORED_SCHEDULING_STAYS, JR_SINCE_38)                                                        \
    /* ... none of an AppArmor annotation that says what the Pod's field says. */                  \
    X(APP_ARMOR_ANNOTATION_MAY_REPEAT, JR_SINCE_34)

enum jr_kube_change {
#define X(name, ...) JR_CHANGE_##name,
    JR_KUBE_CHANGE_MAP(X)
#undef X
        JR_CHANGE_COUNT
};

/** The version, if its minor one is known, else the nearest: 1.31.0, or the newest patch of 1.38.
 */
struct jr_kube_version jr_kube_nearest(struct jr_kube_version v);
/** Whether the version, or the nearest one that is known, has the change. */
bool jr_kube_has(struct jr_kube_version v, enum jr_kube_change change);

#endif
