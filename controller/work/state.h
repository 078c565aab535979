/* SPDX-License-Identifier: Apache-2.0 */
/* What the controller knows and has to do: all in memory, changed by the handlers and by syncs
 * only. */
#ifndef JR_CONTROLLER_WORK_STATE_H
#define JR_CONTROLLER_WORK_STATE_H

#include "controller/cache/store.h"
#include "controller/cache/unreadable.h"
#include "controller/reconcile/options.h"
#include "controller/work/expectations.h"
#include "controller/work/label_limit.h"
#include "controller/work/queue.h"
#include "controller/work/records.h"

/** Both times of one moment. */
struct jr_now {
    struct jr_time wall;
    struct jr_mono mono;
};
/** Returns both times, now. */
static inline struct jr_now jr_now_of(const struct jr_loop *loop)
{
    return (struct jr_now){ jr_loop_wall(loop), jr_loop_mono(loop) };
}

struct jr_orphans;
struct jr_refusals;

struct jr_state {
    struct jr_reconcile_options options;
    struct jr_metrics *metrics; /* borrowed, may be NULL */
    struct jr_store *store;
    struct jr_expectations *expectations;
    struct jr_records *records;
    struct jr_queue *jobs; /* "job": namespace/name */
    struct jr_unreadables *unreadables;
    struct jr_orphans *orphans;      /* with its own queue, "job_orphan_pod" */
    enum jr_scheduling_api gang_api; /* gang scheduling is on, and the server has it thus */
    struct jr_refusals *refusals;    /* borrowed; NULL: nobody is told */
    bool decommissioning; /* Pods that haven't ended lose their finalizers, too: nobody will count
                             them */
    struct jr_label_limit foreign_controllers; /* spec.managedBy of Jobs that are not ours */
    struct jr_queue *expired; /* "ttl_jobs_to_delete": namespace/name; NULL: not our business */
};

/** options' strings and metrics are borrowed. ttl: finished Jobs are to be deleted in their time.
 */
void jr_state_init(struct jr_state *s, const struct jr_reconcile_options *options, bool ttl,
                   struct jr_metrics *metrics);
/** Safe on a zeroed state. */
void jr_state_done(struct jr_state *s);

/** Adds the Job's key to the queue in delay_ns, <= 0: now. */
void jr_state_enqueue(struct jr_state *s, struct jr_str namespace, struct jr_str name,
                      int64_t delay_ns, struct jr_mono now);
/** Adds the key of a Job that is to be deleted some time after its end; others are passed over. */
void jr_state_enqueue_expiring(struct jr_state *s, const struct jr_job *job, struct jr_mono now);
/** Sets the gauges of all queues. */
void jr_state_measure(const struct jr_state *s, struct jr_mono now);

#endif
