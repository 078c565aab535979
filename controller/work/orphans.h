/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that bear the tracking finalizer though no Job will take it off: the queue "job_orphan_pod"
 * and what is to be done about an entry. No I/O. */
#ifndef JR_CONTROLLER_WORK_ORPHANS_H
#define JR_CONTROLLER_WORK_ORPHANS_H

#include "controller/work/state.h"

struct jr_orphans;
struct jr_orphans *jr_orphans_new(struct jr_metrics *metrics);
void jr_orphans_free(struct jr_orphans *o);

/** One Pod, by name. */
void jr_orphans_add_pod(struct jr_orphans *o, struct jr_str namespace, struct jr_str name,
                        struct jr_mono now);
/** All Pods that the Job's selector matches. The Job is kept until that is done. */
void jr_orphans_add_job(struct jr_orphans *o, const struct jr_job *job, struct jr_mono now);

/** An entry in work. Borrowed until jr_orphans_done. */
struct jr_orphan {
    struct jr_str key;
    struct jr_str namespace;
    struct jr_str name;       /* of the Pod; empty where a Job is given */
    const struct jr_job *job; /* by its selector */
};
/** Takes the next entry. Errors: JR_NOTFOUND (nothing is due). */
enum jr_status jr_orphans_get(struct jr_orphans *o, struct jr_mono now,
                              struct jr_orphan *ret) JR_MUST_USE;
/** The work on it is over; where it failed it comes again after a backoff. */
void jr_orphans_done(struct jr_orphans *o, const struct jr_orphan *orphan, bool failed,
                     struct jr_mono now);
struct jr_queue *jr_orphans_queue(struct jr_orphans *o);

/** Appends the cached Pods whose finalizer is to be taken off. */
void jr_orphans_targets(const struct jr_state *s, const struct jr_orphan *orphan,
                        struct jr_pod_list *out);
/** Whether the Pod's finalizer is ours to take off: it has one, and its Job, if it means one, is
 * gone or ours; Jobs of other controllers see to their Pods themselves. In *ret_job that Job,
 * borrowed; NULL: there is none. */
bool jr_orphans_is_ours(const struct jr_state *s, const struct jr_pod *pod,
                        const struct jr_job **ret_job);
/** Whether no sync will ever take the Pod's finalizer off: it has one, and its Job, if it means one
 * of ours, is gone, has finished, or is being deleted and doesn't claim it; or we are
 * decommissioning and it has not ended. */
bool jr_orphans_is_target(const struct jr_state *s, const struct jr_pod *pod);

#endif
