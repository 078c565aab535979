/* SPDX-License-Identifier: Apache-2.0 */
/* What events do to the store, the expectations and the queues. No I/O; the time is passed in. */
#ifndef JR_CONTROLLER_INTAKE_HANDLERS_H
#define JR_CONTROLLER_INTAKE_HANDLERS_H

#include "controller/work/state.h"

/** How long a Job waits for more events before it is synced because of one. */
#define JR_BATCH_NS JR_SEC

/** Puts an object of a list or a watch into the store, and calls the handler that fits. object: of
 * the kind's type. */
void jr_handle(struct jr_state *s, enum jr_store_kind kind, const void *object, struct jr_now now);
/** Takes an object out of the store; object is its last state. */
void jr_handle_gone(struct jr_state *s, enum jr_store_kind kind, const void *object,
                    struct jr_now now);
/** Handles what a complete list hasn't shown as deleted. */
void jr_handle_sweep(struct jr_state *s, enum jr_store_kind kind,
                     const struct jr_cache_round *round, struct jr_now now);

/* The handlers proper, called once the store shows what happened. */

void jr_on_job_add(struct jr_state *s, const struct jr_job *job, struct jr_now now);
void jr_on_job_update(struct jr_state *s, const struct jr_job *old, const struct jr_job *job,
                      struct jr_now now);
void jr_on_job_delete(struct jr_state *s, const struct jr_job *job, struct jr_now now);
void jr_on_pod_add(struct jr_state *s, const struct jr_pod *pod, struct jr_now now);
void jr_on_pod_update(struct jr_state *s, const struct jr_pod *old, const struct jr_pod *pod,
                      struct jr_now now);
/** final: it is gone, not only marked for deletion. */
void jr_on_pod_delete(struct jr_state *s, const struct jr_pod *pod, bool final, struct jr_now now);

#endif
