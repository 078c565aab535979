/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the API server that can't be read, while they stand: each is named once in the log
 * and counted, and costs nobody but itself. No I/O but the log. */
#ifndef JR_CONTROLLER_CACHE_UNREADABLE_H
#define JR_CONTROLLER_CACHE_UNREADABLE_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/object_id.h"
#include "common/kube/object_key.h"

/** How many are remembered. More of them are counted, and named at each list. */
#define JR_UNREADABLE_MAX 1000

/** One of them. All texts are its own; what isn't known is {NULL, 0}. */
struct jr_unreadable {
    const char *resource;   /* "pods" */
    struct jr_object_id id; /* without a name: one of those that have none */
    struct jr_str why;
    /* It is not in the cache from a time when it could be read. What depends on it has to wait:
     * a Job whose Pod is hidden would make another one in its place. */
    bool hidden;
    bool seen; /* in the list under way */
};

struct jr_unreadables;
/** metrics is borrowed and may be NULL. */
struct jr_unreadables *jr_unreadables_new(struct jr_metrics *metrics);
void jr_unreadables_free(struct jr_unreadables *u);
/** Declares the series of a resource, so that they are there at zero. */
void jr_unreadables_declare(struct jr_unreadables *u, const char *resource);

/** One was met. resource: a constant; id and why are copied. The same version of the same object is
 * told of once; of those without a name the first, until a list has none. */
void jr_unreadables_add(struct jr_unreadables *u, const char *resource,
                        const struct jr_object_id *id, const struct jr_error *why, bool hidden,
                        struct jr_log *log);
/** The one of that name; NULL: it can be read, or isn't there. Borrowed until the next change. */
const struct jr_unreadable *jr_unreadables_get(const struct jr_unreadables *u, const char *resource,
                                               struct jr_str namespace, struct jr_str name);
/** It can be read now, or is gone. Nothing happens if it was not among them. */
void jr_unreadables_remove(struct jr_unreadables *u, const char *resource, struct jr_str namespace,
                           struct jr_str name);

/** A list of a resource in a namespace ({NULL, 0}: in all) begins. */
void jr_unreadables_begin(struct jr_unreadables *u, const char *resource, struct jr_str namespace);
/** It is complete: takes out those that were not met in it, and calls fn with each before. */
void jr_unreadables_sweep(struct jr_unreadables *u, const char *resource, struct jr_str namespace,
                          void (*fn)(void *ctx, const struct jr_unreadable *x), void *ctx);

/** Calls fn with each that is this Job, or a Pod that it controls; key.uid may be unknown. */
void jr_unreadables_each_of(const struct jr_unreadables *u, const struct jr_object_key *key,
                            void (*fn)(void *ctx, const struct jr_unreadable *x), void *ctx);
/** Whether the Job must not be synced: it is among them itself, or a hidden Pod that it controls
 * is. u may be NULL. */
bool jr_unreadables_hold(const struct jr_unreadables *u, const struct jr_object_key *key);
/** Whether a Job of that uid is among them: it is there, however little is known of it. */
bool jr_unreadables_has_job(const struct jr_unreadables *u, struct jr_str namespace,
                            struct jr_str uid);

#endif
