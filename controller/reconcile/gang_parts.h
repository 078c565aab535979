/* SPDX-License-Identifier: Apache-2.0 */
/* What both versions of gang scheduling share. Inside of this folder. */
#ifndef JR_RECONCILE_GANG_PARTS_H
#define JR_RECONCILE_GANG_PARTS_H

#include "controller/reconcile/gang.h"
#include "controller/reconcile/internal.h"

/** Nothing of it was ever begun: a Job from before gangs were switched on goes on without one. */
bool jr_gang_is_new(const struct jr_sync *s);
/** Whether a Workload's controllerRef names that object. */
bool jr_gang_refers_to(const struct jr_gang_object *workload, struct jr_str group,
                       struct jr_str kind, struct jr_str name);
/** Whether the Job controls it. */
bool jr_gang_is_controlled(const struct jr_sync *s, const struct jr_gang_object *o);
/** Whether the template of its Pod group can have the name that it would get, which has to be a DNS
 * label. Where it can't, the built-in controller is refused for ever, and no Pod starts; ours goes
 * on without a gang. */
bool jr_gang_can_be_named(const struct jr_sync *s);

/** The beginning of an object, up to the list of its owners, which stays open behind the Job. */
void jr_gang_write_head(struct jr_sync *s, struct jr_writer *w, const char *kind,
                        struct jr_str name);
/** The Workload as another owner. */
void jr_gang_write_workload_owner(struct jr_sync *s, struct jr_writer *w);
/** spec.controllerRef: the Job. */
void jr_gang_write_controller(struct jr_sync *s, struct jr_writer *w);

/** A stage of one operation; write makes its body. name: of what is patched. */
const struct jr_stage *jr_gang_send(struct jr_sync *s, enum jr_op_kind kind, struct jr_str name,
                                    void (*write)(struct jr_sync *s, struct jr_writer *w),
                                    jr_resume_fn *resume);
/** No Pods and no status without the objects: the sync is tried again. So it is where one of them
 * exists already, unseen as yet (409). */
const struct jr_stage *jr_gang_fail(struct jr_sync *s, struct jr_str why);

/** gang_v1beta1.c */
const struct jr_stage *jr_gang_v1beta1(struct jr_sync *s);

#endif
