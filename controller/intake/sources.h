/* SPDX-License-Identifier: Apache-2.0 */
/* The informers that fill the store: one of each kind for all namespaces, or one of each for every
 * namespace that is named, as a Role in these alone gives no right to the others' lists. */
#ifndef JR_CONTROLLER_INTAKE_SOURCES_H
#define JR_CONTROLLER_INTAKE_SOURCES_H

#include "common/base/metrics.h"
#include "controller/work/state.h"

struct jr_env;
struct jr_log;

/** What is listed and watched, and how. */
struct jr_sources_options {
    const struct jr_str *namespaces; /* only these, each with streams of its own; borrowed */
    size_t n_namespaces;             /* 0: all, with one stream a resource */
    bool paged_lists;                /* don't try WatchList */
};

/** Called from the loop. */
struct jr_sources_sink {
    /** The queues may have something to do. */
    void (*changed)(void *ctx);
    /** A consistent list of a namespace ({NULL, 0}: of all) is complete. */
    void (*listed)(void *ctx, enum jr_store_kind kind, struct jr_str namespace);
    void *ctx;
};

struct jr_sources;
/** None yet. state is borrowed, env, options and sink are copied; log and metrics may be NULL. */
struct jr_sources *jr_sources_new(const struct jr_env *env, struct jr_state *state,
                                  const struct jr_sources_options *options,
                                  const struct jr_sources_sink *sink, struct jr_log *log,
                                  struct jr_metrics *metrics);
/** Adds those of Jobs and Pods. Once. */
void jr_sources_add_jobs(struct jr_sources *s);
/** Adds those of Workloads and PodGroups of that version of their API; of another one than before,
 * in place of those, and the caches are empty again. JR_SCHEDULING_NONE: there are none any more.
 */
void jr_sources_set_gangs(struct jr_sources *s, enum jr_scheduling_api api);
void jr_sources_free(struct jr_sources *s);

/** Starts the first lists of those that have none yet. */
void jr_sources_start(struct jr_sources *s);
/** Whether all first lists are complete. */
bool jr_sources_synced(const struct jr_sources *s);
/** Lists the Pods of a namespace anew. Returns the number of the list that resolves what is
 * ambiguous now (jr_informer_relist). */
uint64_t jr_sources_relist_pods(struct jr_sources *s, struct jr_str namespace);
/** The number of the last list of the Pods of a namespace ({NULL, 0}: of all) that was begun. */
uint64_t jr_sources_pods_list(const struct jr_sources *s, struct jr_str namespace);

#endif
