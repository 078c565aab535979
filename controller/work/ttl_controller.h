/* SPDX-License-Identifier: Apache-2.0 */
/* The TTL-after-finished controller: deletes finished Jobs when ttl.h says so. */
#ifndef JR_CONTROLLER_WORK_TTL_CONTROLLER_H
#define JR_CONTROLLER_WORK_TTL_CONTROLLER_H

#include "common/base/log.h"
#include "common/kube/request.h"
#include "controller/work/state.h"

struct jr_ttl_controller_sink {
    /** A worker is free again. */
    void (*over)(void *ctx);
    /** Asked before a request goes out: whether this process may still write. NULL: always. */
    bool (*may_write)(void *ctx);
    void *ctx;
};

struct jr_ttl_controller;
/** Works off the queue state->expired. All borrowed, and outlive it; log may be NULL.
 * timeout_ms: of a request. */
struct jr_ttl_controller *jr_ttl_controller_new(const struct jr_env *env, struct jr_state *state,
                                                const struct jr_ttl_controller_sink *sink,
                                                int64_t timeout_ms, struct jr_log *log);
/** Breaks off what runs. */
void jr_ttl_controller_free(struct jr_ttl_controller *x);
/** Begins the work on a key just taken from the queue, to which it is given back when it is over,
 * perhaps at once: a Job that has expired in the cache is read anew, and deleted if it still has
 * (propagationPolicy Foreground, with its uid as precondition). */
void jr_ttl_controller_start(struct jr_ttl_controller *x, struct jr_str key);
size_t jr_ttl_controller_active(const struct jr_ttl_controller *x);

#endif
