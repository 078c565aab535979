/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod as a person looks at it: the states of its containers, with reasons and exit codes. */
#ifndef JR_CLI_WAIT_POD_H
#define JR_CLI_WAIT_POD_H

#include "common/api/meta.h"

/** state.waiting of a container. */
struct jr_wait_waiting {
    bool set;
    struct jr_str reason; /* ImagePullBackOff, ContainerCreating, ... */
    struct jr_str message;
};

/** The end of a container's run: state.terminated, or lastState.terminated. */
struct jr_wait_exit {
    bool set;
    int32_t code;
    struct jr_str reason; /* Error, OOMKilled, ... */
    struct jr_str message;
    struct jr_time finished;
};

struct jr_wait_state {
    struct jr_wait_waiting waiting;
    bool running;
    struct jr_wait_exit terminated;
};

/** One of containerStatuses or initContainerStatuses. */
struct jr_wait_container {
    struct jr_str name;
    int32_t restarts;
    struct jr_wait_state state;
    struct jr_wait_state before; /* lastState */
};

struct jr_wait_containers {
    struct jr_wait_container *v;
    size_t n;
};

/** An immutable, counted Pod. All of it lives in one arena with it. Not thread-safe. */
struct jr_wait_pod {
    unsigned refs;
    struct jr_arena arena;
    struct jr_meta meta;
    struct jr_str phase;
    struct jr_str reason; /* of status: Evicted, DeadlineExceeded, ... */
    struct jr_str message;
    struct jr_wait_containers init; /* in the order of the status */
    struct jr_wait_containers containers;
};

/** Decodes one Pod; text may go away afterwards. Errors: JR_SYNTAX, JR_TYPE, JR_RANGE with the
 * field path, JR_NOMEM. The caller owns one reference. */
enum jr_status jr_wait_pod_decode(struct jr_str text, struct jr_wait_pod **ret,
                                  struct jr_error *err) JR_MUST_USE;
struct jr_wait_pod *jr_wait_pod_ref(const struct jr_wait_pod *pod);
void jr_wait_pod_unref(struct jr_wait_pod *pod);
JR_DEFINE_CLEANUP(struct jr_wait_pod *, jr_wait_pod_unref)

/** Phase Succeeded or Failed. */
bool jr_wait_pod_over(const struct jr_wait_pod *pod);
/** The container whose last finished run failed; NULL: there is none. Init containers come last:
 * where one has failed the others never ran, unless it is a sidecar, which was ended with them. */
const struct jr_wait_container *jr_wait_pod_failed(const struct jr_wait_pod *pod);

/** The last run of a container that is known. */
struct jr_wait_run {
    bool any;                            /* there was one */
    bool ended;                          /* it is over */
    int32_t number;                      /* from 0 */
    const struct jr_wait_exit *exit;     /* how it ended; NULL: it runs */
    const struct jr_wait_exit *previous; /* how the one before ended; NULL: there was none, or it
                                            isn't told any more */
};
struct jr_wait_run jr_wait_last_run(const struct jr_wait_container *c);
/** The end of the last run that has ended; NULL: none has. */
const struct jr_wait_exit *jr_wait_last_exit(const struct jr_wait_container *c);

#endif
