/* SPDX-License-Identifier: Apache-2.0 */
/* An informer: keeps a consumer told of every object of one resource. List and watch, resume,
 * relist. It holds no objects: the consumer's store does, and says what it knew when a relist is
 * over. */
#ifndef JR_KUBE_INFORMER_H
#define JR_KUBE_INFORMER_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/framing.h"
#include "common/kube/transport.h"

/** What the informer tells. All calls come from the loop. object is the source text of the object.
 * A handler may ask for a relist and send requests; it must not free the informer. */
struct jr_informer_handler {
    /** A (re)list begins: mark what is known as not seen. Comes again, without an end between, when
     * a list breaks off and is begun anew. A list of several pages may tell of objects that are
     * newer than its version. Between begin and end of a WatchList on_event may tell
     * of a deletion. */
    void (*on_replace_begin)(void *ctx);
    /** Follows on_replace_begin where lists went back so often that the server must have been
     * restored: the list's objects count even where they are older than what is known. May be NULL.
     */
    void (*on_restored)(void *ctx);
    /** An object of the list: new, changed or as it was. */
    void (*on_replace_item)(void *ctx, struct jr_str object);
    /** The list is complete at resource_version: what was not seen is gone
     * (DeletedFinalStateUnknown). A list that is older than what was told before has no end, but
     * on_progress, and is had again: three times in a row at most, for an etcd that was restored.
     */
    void (*on_replace_end)(void *ctx, struct jr_str resource_version);
    /** A watch event: ADDED, MODIFIED or DELETED. */
    void (*on_event)(void *ctx, enum jr_event_type type, struct jr_str object);
    /** An event, or an initial one of a WatchList, that is no object: too long, or not understood
     * (jr_watch_frames). line: its text, perhaps only the beginning. May be NULL. */
    void (*on_unread)(void *ctx, struct jr_str line, const struct jr_error *why);
    /** The cache is as new as resource_version (bookmarks, after each event, and after a list
     * without an end, for which it is an older one). May be NULL. */
    void (*on_progress)(void *ctx, struct jr_str resource_version);
    void *ctx;
};

struct jr_informer_options {
    const char *path;           /* /apis/batch/v1/jobs, no query */
    const char *name;           /* for logs and metrics: "jobs" */
    const char *field_selector; /* NULL: none */
    const char *label_selector; /* NULL: none */
    bool metadata_only; /* objects come as PartialObjectMetadata, where the server has these */
    bool watch_list;    /* try sendInitialEvents first; falls back to paged lists when refused */
    bool may_vanish;    /* once synced, 404 to a list means that there are no objects any more */
    int page_size;      /* 0: 500 */
};

struct jr_informer;
/** handler and the strings of options are copied; log and metrics may be
 * NULL. The first list is always consistent (no resourceVersion), later ones too. */
struct jr_informer *jr_informer_new(const struct jr_env *env,
                                    const struct jr_informer_options *options,
                                    const struct jr_informer_handler *handler, struct jr_log *log,
                                    struct jr_metrics *metrics);
/** Starts the first list, unless that was done before. What goes wrong is tried again. */
void jr_informer_start(struct jr_informer *inf);
/** Lists anew, consistently, in place of the watch: to resolve what an ambiguous write did. Returns
 * the number of the first list that is begun after this call; the list's end, or that of a later
 * one, resolves it. What is in progress goes on: a list to its end, and the watch until then. Safe
 * from inside handlers; many calls are one, and so are those of a fifth of a second. Relists are
 * paced: at least a second, and twice the time that the last list took, apart. */
uint64_t jr_informer_relist(struct jr_informer *inf);
/** The number of the list that was begun last, from 1; at on_replace_end that of the list. */
uint64_t jr_informer_list(const struct jr_informer *inf);
/** Whether the first list is complete. */
bool jr_informer_synced(const struct jr_informer *inf);
void jr_informer_free(struct jr_informer *inf);

#endif
