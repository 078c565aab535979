/* SPDX-License-Identifier: Apache-2.0 */
/* core/v1 Pod, as much of it as reconciliation reads. */
#ifndef JR_API_POD_H
#define JR_API_POD_H

#include "common/api/meta.h"

enum jr_pod_phase {
    JR_POD_PENDING,
    JR_POD_RUNNING,
    JR_POD_SUCCEEDED,
    JR_POD_FAILED,
    JR_POD_UNKNOWN
};

/** A text of a Pod's, in four bytes: a Pod has some thirty, and there are many Pods. jr_pod_str
 * gives it. */
struct jr_pod_text {
    uint32_t at; /* 0: absent */
};

/** A container's or init container's status. */
struct jr_container_status {
    struct jr_pod_text name;
    int32_t restart_count;
    bool init;    /* from initContainerStatuses */
    bool sidecar; /* init container with restartPolicy Always in the spec */
    struct jr_pod_terminated {
        bool set; /* state.terminated is there */
        int32_t exit_code;
        struct jr_time finished_at;
    } terminated;
};

struct jr_pod_condition {
    struct jr_pod_text type;
    struct jr_pod_text status;
};

struct jr_pod_label {
    struct jr_pod_text key;
    struct jr_pod_text value;
};

/** An immutable, counted Pod in one allocation. Not thread-safe. */
struct jr_pod {
    unsigned refs;
    uint32_t size_bytes; /* of the whole allocation */
    struct jr_str namespace;
    struct jr_str name;
    struct jr_str uid;
    struct jr_time creation_timestamp;
    struct jr_time deletion_timestamp;
    int64_t deletion_grace_period_s; /* absent: 0 */
    struct jr_time ready_since;      /* lastTransitionTime of the condition Ready, true or not */
    struct {
        struct jr_pod_label *v; /* by key */
        size_t n;
    } labels;
    struct {
        struct jr_pod_text *v;
        size_t n;
    } finalizers;
    struct {
        struct jr_pod_condition *v;
        size_t n;
    } conditions;
    /* containerStatuses, then initContainerStatuses, each in list order. */
    struct {
        struct jr_container_status *v;
        size_t n;
    } containers;
    struct jr_pod_text resource_version;
    /* The owner reference with controller: true. */
    struct {
        bool set;
        struct jr_pod_text api_version;
        struct jr_pod_text kind;
        struct jr_pod_text name;
        struct jr_pod_text uid;
    } controller;
    /* Annotations that count. */
    struct jr_pod_text completion_index;
    struct jr_pod_text index_failure_count;
    struct jr_pod_text index_ignored_failure_count;
    struct jr_pod_text node_name;
    enum jr_pod_phase
        phase; /* absent or unknown text: JR_POD_UNKNOWN; "" and absent: JR_POD_PENDING */
};

/** Decodes one Pod; text may go away afterwards. Errors: JR_SYNTAX, JR_TYPE, JR_RANGE, JR_NOMEM. */
enum jr_status jr_pod_decode(struct jr_str text, struct jr_pod **ret,
                             struct jr_error *err) JR_MUST_USE;
struct jr_pod *jr_pod_ref(const struct jr_pod *pod);
void jr_pod_unref(struct jr_pod *pod);
JR_DEFINE_CLEANUP(struct jr_pod *, jr_pod_unref)

/** A text of the Pod's, borrowed from it; {NULL, 0} = absent. */
struct jr_str jr_pod_str(const struct jr_pod *pod, struct jr_pod_text t);
/** The value of a label, {NULL, 0} if absent. */
struct jr_str jr_pod_label(const struct jr_pod *pod, struct jr_str key);
bool jr_pod_same_labels(const struct jr_pod *a, const struct jr_pod *b);
/** Both without a controller, or with the same. */
bool jr_pod_same_controller(const struct jr_pod *a, const struct jr_pod *b);
/** Whether the Pod's controller is of this kind. */
static inline bool jr_pod_controller_is(const struct jr_pod *pod, const char *kind)
{
    return pod->controller.set && jr_str_is(jr_pod_str(pod, pod->controller.kind), kind);
}
bool jr_pod_has_finalizer(const struct jr_pod *pod, struct jr_str finalizer);
const struct jr_pod_condition *jr_pod_condition_get(const struct jr_pod *pod, const char *type);
/** Condition Ready is True. */
bool jr_pod_ready(const struct jr_pod *pod);
/** Phase Succeeded or Failed. */
bool jr_pod_terminal(const struct jr_pod *pod);
/** Not terminal, no deletionTimestamp. */
bool jr_pod_active(const struct jr_pod *pod);
/** Not terminal, with deletionTimestamp. */
bool jr_pod_terminating(const struct jr_pod *pod);

#endif
