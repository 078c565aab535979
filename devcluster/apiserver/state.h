/* SPDX-License-Identifier: Apache-2.0 */
/* The API server's state: objects by key and by uid, one revision counter, the history that watches
 * and pages read. Requests change it only through the functions below. */
#ifndef JR_DEVCLUSTER_APISERVER_STATE_H
#define JR_DEVCLUSTER_APISERVER_STATE_H

#include "devcluster/apiserver/object.h"
#include "devcluster/apiserver/store.h"

/** One write. object is NULL where it has deleted, before where it has added one. */
struct jr_dev_event {
    uint64_t revision;
    struct jr_dev_object *object; /* as it is since then */
    struct jr_dev_object *before; /* as it was */
};

/** How many objects name one as their owner. */
struct jr_dev_owned {
    struct jr_link link;
    size_t count;
    size_t blocking; /* of these, how many block its deletion */
    size_t uid_n;
    char uid[];
};

struct jr_dev_store {
    struct jr_rand rand;
    struct jr_profile profile;
    size_t max_body_bytes;
    uint64_t revision;
    uint64_t compacted; /* events up to this revision are forgotten */
    struct jr_dev_objects lists[JR_DEV_RESOURCE_COUNT]; /* sorted by key */
    struct jr_map by_uid;                               /* of the same objects */
    struct jr_map owned;                                /* struct jr_dev_owned */
    /* The history: a ring, oldest first from `first`. */
    struct jr_dev_event *events;
    size_t events_cap; /* a power of two */
    size_t first;
    size_t n_events;
    size_t history; /* most of them */
    /* What the collector has to look at. */
    bool gc_due;      /* owners are missing or wait for their dependents */
    size_t n_leaving; /* namespaces being deleted */
    struct jr_time next_expiry;
};

/** NULL if there is none. Borrowed until the next write. */
struct jr_dev_object *jr_dev_find(const struct jr_dev_store *s, const struct jr_dev_resource *res,
                                  struct jr_str namespace, struct jr_str name);
struct jr_dev_object *jr_dev_find_uid(const struct jr_dev_store *s, struct jr_str uid);
/** Whether it is the current state. */
static inline bool jr_dev_is_current(const struct jr_dev_store *s, const struct jr_dev_object *o)
{
    return jr_dev_find_uid(s, o->meta.uid) == o;
}
/** How many name it as their owner; NULL: none does. */
struct jr_dev_owned *jr_dev_owned_by(const struct jr_dev_store *s, struct jr_str uid);
/** The i-th event of the history, 0 the oldest. */
const struct jr_dev_event *jr_dev_event_at(const struct jr_dev_store *s, size_t i);
/** Index of the first event with a greater revision. */
size_t jr_dev_event_after(const struct jr_dev_store *s, uint64_t revision);

enum jr_dev_owner { JR_DEV_OWNER_SOLID, JR_DEV_OWNER_GONE, JR_DEV_OWNER_WAITING };
/** What the collector thinks of an owner of o. Of kinds that aren't known here nothing can be said:
 * they are solid. */
enum jr_dev_owner jr_dev_owner_state(const struct jr_dev_store *s, const struct jr_dev_object *o,
                                     const struct jr_owner_ref *ref);
/** It is being deleted and waits for its dependents to go, or to be orphaned. */
bool jr_dev_waits_foreground(const struct jr_dev_object *o);
bool jr_dev_waits_orphan(const struct jr_dev_object *o);

/* Writes, of trees that were checked. What they return is borrowed. */

/** Adds what isn't there yet. */
struct jr_dev_object *jr_dev_insert(struct jr_dev_store *s, const struct jr_dev_resource *res,
                                    const struct jr_node *root, struct jr_time now);
/** Puts root in the place of old, which must be the current one. */
struct jr_dev_object *jr_dev_replace(struct jr_dev_store *s, struct jr_dev_object *old,
                                     const struct jr_node *root, struct jr_time now);
/** Removes old, which must be the current one; returns the revision of the removal. */
uint64_t jr_dev_erase(struct jr_dev_store *s, struct jr_dev_object *old);
/** A uid (RFC 4122, version 4). */
#define JR_DEV_UID_MAX 37
void jr_dev_uid(const struct jr_dev_store *s, char out[JR_DEV_UID_MAX]);

#endif
