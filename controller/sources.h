/* The informers of Jobs and Pods: one of each for all namespaces, or one of each for every
 * namespace that is named, as a Role in these alone gives no right to the others' lists. */
#ifndef JR_CONTROLLER_SOURCES_H
#define JR_CONTROLLER_SOURCES_H

#include "common/base/metrics.h"
#include "controller/state.h"

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
    void (*told)(void *ctx);
    /** A consistent list of a namespace ({NULL, 0}: of all) is complete. */
    void (*listed)(void *ctx, enum jr_store_kind kind, struct jr_str namespace);
    /** No memory. */
    void (*broken)(void *ctx, const struct jr_error *err);
    void *ctx;
};

struct jr_sources;
/** state is borrowed, env and sink are copied; log and metrics may be NULL. */
enum jr_status jr_sources_new(const struct jr_env *env, struct jr_state *state,
                              const struct jr_sources_options *options,
                              const struct jr_sources_sink *sink, struct jr_log *log,
                              struct jr_metrics *metrics, struct jr_sources **ret) JR_MUST_USE;
void jr_sources_free(struct jr_sources *s);
static inline void jr_sources_freep(struct jr_sources **s)
{
    jr_sources_free(*s);
}

/** Starts the first lists. */
void jr_sources_start(struct jr_sources *s);
/** Whether all first lists are complete. */
bool jr_sources_synced(const struct jr_sources *s);
/** Lists the Pods of a namespace anew. Returns the number of the list that settles what is in doubt
 * now (jr_informer_relist). */
uint64_t jr_sources_relist_pods(struct jr_sources *s, struct jr_str namespace);
/** The number of the last list of the Pods of a namespace ({NULL, 0}: of all) that was begun. */
uint64_t jr_sources_pods_list(const struct jr_sources *s, struct jr_str namespace);

#endif
