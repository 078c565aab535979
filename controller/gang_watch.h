/* Finds out whether the API server serves Workloads and PodGroups, and if so keeps a cache of them.
 */
#ifndef JR_CONTROLLER_GANG_WATCH_H
#define JR_CONTROLLER_GANG_WATCH_H

#include "controller/gangs.h"
#include "controller/sources.h"

struct jr_gang_watch_sink {
    /** Once: the caches are complete, or (NULL) the server doesn't have the resources. gangs lives
     * as long as the watch. */
    void (*settled)(void *ctx, struct jr_gangs *gangs);
    /** No memory. */
    void (*broken)(void *ctx, const struct jr_error *err);
    void *ctx;
};

struct jr_gang_watch;
/** env is copied, unreadables borrowed; log and metrics may be NULL. */
enum jr_status jr_gang_watch_new(const struct jr_env *env, const struct jr_sources_options *options,
                                 struct jr_unreadables *unreadables,
                                 const struct jr_gang_watch_sink *sink, struct jr_log *log,
                                 struct jr_metrics *metrics,
                                 struct jr_gang_watch **ret) JR_MUST_USE;
/** Asks the server; a server that doesn't answer is asked again. */
enum jr_status jr_gang_watch_start(struct jr_gang_watch *w) JR_MUST_USE;
void jr_gang_watch_free(struct jr_gang_watch *w);
static inline void jr_gang_watch_freep(struct jr_gang_watch **w)
{
    jr_gang_watch_free(*w);
}

#endif
