/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies and Namespaces as an API server has them: two informers that keep a store and a table
 * as they are there. */
#ifndef JR_POLICY_WATCH_WATCH_H
#define JR_POLICY_WATCH_WATCH_H

#include "common/base/log.h"
#include "common/kube/transport.h"
#include "common/policy/watch/namespaces.h"
#include "common/policy/watch/store.h"

/** Where what is told of goes; borrowed. */
struct jr_policy_watch_options {
    struct jr_policy_store *store;    /* NULL: JobPolicies are not watched */
    struct jr_namespaces *namespaces; /* NULL: Namespaces are not watched */
    void (*on_listed)(void *ctx);     /* after each list, once all is synced; may be NULL */
    void *ctx;
};

struct jr_policy_watch;
/** Begins at once. env is copied; log and metrics may be NULL. A change is in force when its event
 * has come. Who deletes the CustomResourceDefinition deletes all policies: the API server tells of
 * each, and answers 404 to lists from then on. An API server that answers something else, or
 * nothing, changes nothing. jobreeve_policies is set from the first list on. */
struct jr_policy_watch *jr_policy_watch_start(const struct jr_env *env,
                                              const struct jr_policy_watch_options *options,
                                              struct jr_log *log, struct jr_metrics *metrics);
/** Whether all that is watched was listed once. */
bool jr_policy_watch_synced(const struct jr_policy_watch *w);
/** Until when all of it is known to have been as the API server has it; 0: never. */
struct jr_time jr_policy_watch_known_until(const struct jr_policy_watch *w);
/** NULL-safe. */
void jr_policy_watch_free(struct jr_policy_watch *w);

#endif
