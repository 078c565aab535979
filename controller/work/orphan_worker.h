/* SPDX-License-Identifier: Apache-2.0 */
/* The orphan worker: takes the tracking finalizer off Pods that no Job will see to. */
#ifndef JR_CONTROLLER_WORK_ORPHAN_WORKER_H
#define JR_CONTROLLER_WORK_ORPHAN_WORKER_H

#include "common/base/log.h"
#include "controller/work/execute.h"
#include "controller/work/orphans.h"

struct jr_orphan_worker_sink {
    void (*over)(void *ctx);
    void *ctx;
};

struct jr_orphan_worker;
/** All borrowed, and outlive the worker; log may be NULL. */
struct jr_orphan_worker *jr_orphan_worker_new(const struct jr_env *env, struct jr_state *state,
                                              struct jr_executor *x,
                                              const struct jr_orphan_worker_sink *sink,
                                              struct jr_log *log);
/** Breaks off what runs. */
void jr_orphan_worker_free(struct jr_orphan_worker *r);
/** Begins the work on an entry just taken from the queue, to which it is given back when it is
 * over, perhaps at once. */
void jr_orphan_worker_start(struct jr_orphan_worker *r, const struct jr_orphan *orphan);
size_t jr_orphan_worker_active(const struct jr_orphan_worker *r);

#endif
