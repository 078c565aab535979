/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod as a person looks at it: the states of its containers, with reasons and exit codes. */
#ifndef JR_DIAGNOSE_POD_VIEW_H
#define JR_DIAGNOSE_POD_VIEW_H

#include "common/api/meta.h"

/** state.waiting of a container. */
struct jr_container_waiting {
    bool set;
    struct jr_str reason; /* ImagePullBackOff, ContainerCreating, ... */
    struct jr_str message;
};

/** state.running of a container. */
struct jr_container_running {
    bool set;
    struct jr_time started;
};

/** The end of a container's run: state.terminated, or lastState.terminated. */
struct jr_container_exit {
    bool set;
    int32_t code;
    struct jr_str reason; /* Error, OOMKilled, ... */
    struct jr_str message;
    struct jr_time started;
    struct jr_time finished;
};

struct jr_container_state {
    struct jr_container_waiting waiting;
    struct jr_container_running running;
    struct jr_container_exit terminated;
};

/** One of containerStatuses or initContainerStatuses. */
struct jr_container_view {
    struct jr_str name;
    struct jr_str image;
    int32_t restarts;
    struct jr_container_state state;
    struct jr_container_state before; /* lastState */
};

struct jr_container_views {
    struct jr_container_view *v;
    size_t n;
};

/** One of status.conditions. */
struct jr_pod_view_condition {
    struct jr_str type;
    struct jr_str status;
    struct jr_str reason;
    struct jr_str message;
    struct jr_time since; /* lastTransitionTime */
};

/** A container of spec.initContainers. */
struct jr_init_container {
    struct jr_str name;
    struct jr_str restart_policy; /* Always: it is a sidecar */
};

/** An immutable, counted Pod. All of it lives in one arena with it. Not thread-safe. */
struct jr_pod_view {
    unsigned refs;
    struct jr_arena arena;
    struct jr_meta meta;
    struct jr_str node;      /* {NULL, 0}: none yet */
    struct jr_str scheduler; /* spec.schedulerName */
    struct jr_str nominated; /* status.nominatedNodeName */
    struct jr_str group;     /* spec.schedulingGroup.podGroupName */
    struct {
        struct jr_str *v; /* names */
        size_t n;
    } gates; /* spec.schedulingGates */
    struct {
        struct jr_init_container *v;
        size_t n;
    } init_specs;
    struct {
        struct jr_pod_view_condition *v;
        size_t n;
    } conditions;
    struct jr_str phase;
    struct jr_str reason; /* of status: Evicted, DeadlineExceeded, ... */
    struct jr_str message;
    struct jr_container_views init; /* in the order of the status */
    struct jr_container_views containers;
};

/** Decodes one Pod; text may go away afterwards. Errors: JR_SYNTAX, JR_TYPE, JR_RANGE with the
 * field path, JR_NOMEM. The caller owns one reference. */
enum jr_status jr_pod_view_decode(struct jr_str text, struct jr_pod_view **ret,
                                  struct jr_error *err) JR_MUST_USE;
struct jr_pod_view *jr_pod_view_ref(const struct jr_pod_view *pod);
void jr_pod_view_unref(struct jr_pod_view *pod);
JR_DEFINE_CLEANUP(struct jr_pod_view *, jr_pod_view_unref)

/** The condition of this type, NULL if there is none. */
const struct jr_pod_view_condition *jr_pod_view_condition(const struct jr_pod_view *pod,
                                                          const char *type);
/** Whether the init container of that name is a sidecar. */
bool jr_pod_view_is_sidecar(const struct jr_pod_view *pod, struct jr_str name);
/** When the Pod ended, as the Job controller reckons its back-off from: the latest end of its
 * containers, else when it stopped being ready, else of its deletion or creation. */
struct jr_time jr_pod_view_finished(const struct jr_pod_view *pod);
/** Phase Succeeded or Failed. */
bool jr_pod_view_ended(const struct jr_pod_view *pod);
/** The container whose last finished run failed; NULL: there is none. Init containers come last:
 * where one has failed the others never ran, unless it is a sidecar, which was ended with them. */
const struct jr_container_view *jr_pod_view_failed(const struct jr_pod_view *pod);

/** The last run of a container that is known. */
struct jr_container_run {
    bool any;                                 /* there was one */
    bool ended;                               /* it is over */
    int32_t number;                           /* from 0 */
    const struct jr_container_exit *exit;     /* how it ended; NULL: it runs */
    const struct jr_container_exit *previous; /* how the one before ended; NULL: there was none, or
                                            it isn't told any more */
};
struct jr_container_run jr_container_last_run(const struct jr_container_view *c);
/** The end of the last run that has ended; NULL: none has. */
const struct jr_container_exit *jr_container_last_exit(const struct jr_container_view *c);

#endif
