/* SPDX-License-Identifier: Apache-2.0 */
/* What an informer tells, into the state: decodes the objects and passes them to the handlers.
 * What can't be read costs only itself (unreadable.h). */
#ifndef JR_CONTROLLER_INTAKE_FEED_H
#define JR_CONTROLLER_INTAKE_FEED_H

#include "common/kube/informer.h"
#include "controller/intake/handlers.h"

/** All borrowed. Filled by its owner; the callbacks come from the loop. */
struct jr_feed {
    enum jr_store_kind kind;
    struct jr_str namespace; /* {NULL, 0}: all */
    struct jr_state *state;
    const struct jr_loop *loop;
    struct jr_log *log;
    void (*on_changed)(void *ctx); /* the queues may have something to do */
    /* A consistent list is complete. */
    void (*on_listed)(void *ctx, enum jr_store_kind kind, struct jr_str namespace);
    void *ctx;
    struct jr_cache_round round; /* of the list under way */
    bool restored;               /* it counts, however old it is */
};

/** The handler of the informer that feeds it. */
struct jr_informer_handler jr_feed_handler(struct jr_feed *f);

#endif
