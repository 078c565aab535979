/* The end of a controller's time with its Jobs: watches the last accounting, then has the
 * finalizers taken off what still runs, and tells when nothing is left. The syncs count and the
 * orphan worker takes off, as ever. */
#ifndef JR_CONTROLLER_LEAVE_H
#define JR_CONTROLLER_LEAVE_H

#include "common/base/log.h"
#include "common/kube/transport.h"
#include "controller/state.h"

struct jr_leave_sink {
    /** Whether nothing is under way, and nothing due or to be tried again. */
    bool (*quiet)(void *ctx);
    /** The queues have something to do. */
    void (*told)(void *ctx);
    /** No Pod of our Jobs has the finalizer; once. */
    void (*over)(void *ctx);
    void *ctx;
};

struct jr_leaver;
/** All borrowed, and outlive it; log may be NULL. Sync with jr_reconcile_options.account_only. */
struct jr_leaver *jr_leaver_new(const struct jr_env *env, struct jr_state *state,
                                const struct jr_leave_sink *sink, struct jr_log *log);
void jr_leaver_free(struct jr_leaver *l);
/** Begins, with the caches complete. */
void jr_leaver_start(struct jr_leaver *l);
/** What there is still to do, and an example of it: for who gives up. */
void jr_leaver_left(struct jr_leaver *l, struct jr_error *ret);

#endif
