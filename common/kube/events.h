/* SPDX-License-Identifier: Apache-2.0 */
/* The event recorder: core/v1 Events, with client-go's correlation: repeats are counted, similar
 * ones combined, floods dropped. */
#ifndef JR_KUBE_EVENTS_H
#define JR_KUBE_EVENTS_H

#include "common/api/event.h"
#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_recorder;
/** component: "job-controller". */
struct jr_recorder *jr_recorder_new(const struct jr_env *env, const char *component,
                                    struct jr_log *log, bool (*may_send)(void *ctx),
                                    void *may_send_ctx);
/** Queues an event; about is borrowed. At most 1,000 wait, the newest beyond are dropped and
 * counted in the log. */
void jr_recorder_event(struct jr_recorder *r, const struct jr_event_object *about, const char *type,
                       const char *reason, struct jr_str message);
/** How many wait or are in flight: for a graceful stop. */
size_t jr_recorder_pending(const struct jr_recorder *r);
void jr_recorder_free(struct jr_recorder *r);

#endif
