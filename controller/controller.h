/* SPDX-License-Identifier: Apache-2.0 */
/* The Job controller: informers, queues, syncs, election and events put together over one
 * environment. Nothing here knows whether the loop and the transport are real. */
#ifndef JR_CONTROLLER_CONTROLLER_H
#define JR_CONTROLLER_CONTROLLER_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/leader_election.h"
#include "controller/reconcile/options.h"

struct jr_controller_options {
    struct jr_reconcile_options reconcile;
    const struct jr_str *namespaces; /* watch only these; borrowed */
    size_t n_namespaces;             /* 0: all */
    bool leader_elect;
    struct jr_elector_options election; /* where leader_elect is set */
    size_t concurrent_syncs;            /* of Jobs, and as many of orphaned Pods; 0: 5 */
    size_t max_inflight;                /* requests; 0: 100 */
    size_t job_cache_bytes;     /* beyond, Jobs are cached without their template; 0: 128 MiB */
    int64_t request_timeout_ms; /* 0: 60,000 */
    int64_t stop_timeout_ms;    /* for syncs and events under way; 0: 10,000 */
    bool paged_lists;           /* don't try WatchList */
    bool ttl_after_finished;    /* delete finished Jobs in their time */
    bool await_gates;           /* no Job is synced before jr_controller_set_gates */
    bool decommission;          /* stop once no Pod of ours has the finalizer; with
                                   reconcile.account_only */
};

struct jr_controller_handler {
    /** Once, unless it is freed before: code 0 after jr_controller_stop or once it is
     * decommissioned, 1 when the right to lead was lost. The controller does nothing from then on;
     * it must not be freed from here. */
    void (*on_end)(void *ctx, int code);
    void *ctx;
};

struct jr_controller;
/** env is copied, options too but for their strings; log and metrics may be NULL and outlive the
 * controller. Errors: those of the election's options. */
enum jr_status jr_controller_new(const struct jr_env *env,
                                 const struct jr_controller_options *options,
                                 const struct jr_controller_handler *handler, struct jr_log *log,
                                 struct jr_metrics *metrics, struct jr_controller **ret,
                                 struct jr_error *err) JR_MUST_USE;
/** Stands for election, or begins at once where there is none. */
void jr_controller_start(struct jr_controller *c);
/** Takes the gates of o from now on: syncs that begin go by them. May be called at any time, again
 * too. Gangs are looked for in the API server once their gate is on; when that is later than the
 * start, Jobs go without until their lists are there. */
void jr_controller_set_gates(struct jr_controller *c, const struct jr_reconcile_options *o);
/** Ends in good order: takes no more keys, lets syncs under way come to their end, sends the
 * events, gives the Lease back; then on_end(0). */
void jr_controller_stop(struct jr_controller *c);
/** Ends at once, as a crash would. */
void jr_controller_free(struct jr_controller *c);
JR_DEFINE_CLEANUP(struct jr_controller *, jr_controller_free)

/** Fit to serve: the caches are synced, or another leads, and the Lease can be read. Else *ret
 * (which may be NULL) says what is missing. */
bool jr_controller_ready(const struct jr_controller *c, struct jr_error *ret);
/** Whether it leads (true without election) and works. */
bool jr_controller_working(const struct jr_controller *c);
/** Appends why a Job waits (jr_explain_job). key: namespace/name. A failure sticks to out. */
void jr_controller_explain(const struct jr_controller *c, struct jr_str key, struct jr_buf *out);
/** Writes to the log why each Job that is ours and has not finished waits, in the turns to come. */
void jr_controller_dump_status(struct jr_controller *c);
/** What there is still to do before it has left: for who gives up. */
void jr_controller_decommission_left(struct jr_controller *c, struct jr_error *ret);
/** Sets the gauges that depend on the time, before a rendering. */
void jr_controller_measure(struct jr_controller *c);

#endif
