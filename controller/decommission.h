/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a controller's time with its Jobs: watches the last accounting, then has the
 * finalizers taken off what still runs, and tells when nothing is left. The syncs count and the
 * orphan worker takes off, as ever. */
#ifndef JR_CONTROLLER_DECOMMISSION_H
#define JR_CONTROLLER_DECOMMISSION_H

#include "common/base/log.h"
#include "common/kube/transport.h"
#include "controller/work/state.h"

struct jr_decommission_sink {
    /** Whether nothing is under way, and nothing due or to be tried again. */
    bool (*quiet)(void *ctx);
    /** The queues have something to do. */
    void (*changed)(void *ctx);
    /** No Pod of our Jobs has the finalizer; once. */
    void (*over)(void *ctx);
    void *ctx;
};

struct jr_decommission;
/** All borrowed, and outlive it; log may be NULL. Sync with jr_reconcile_options.account_only. */
struct jr_decommission *jr_decommission_new(const struct jr_env *env, struct jr_state *state,
                                            const struct jr_decommission_sink *sink,
                                            struct jr_log *log);
void jr_decommission_free(struct jr_decommission *l);
/** Begins, with the caches complete. */
void jr_decommission_start(struct jr_decommission *l);
/** What there is still to do, and an example of it: for who gives up. */
void jr_decommission_left(struct jr_decommission *l, struct jr_error *ret);

#endif
