/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of the objects of one kind, as an informer fills it: immutable, counted, by namespace and
 * name. By what else they are found is their kind's index. */
#ifndef JR_KUBE_OBJECT_CACHE_H
#define JR_KUBE_OBJECT_CACHE_H

#include "common/base/memory.h"
#include "common/kube/object_key.h"

/** An object in the cache: the first member of what the kind keeps of each. */
struct jr_cache_entry {
    struct jr_link by_key; /* seen: the list that has shown it */
    void *object;
};

struct jr_cache;
/** A kind of objects. What is void here is the kind's type; JR_CACHE_TYPE makes these functions. */
struct jr_cache_kind {
    const char *resource; /* "pods" */
    enum jr_status (*decode)(struct jr_str text, void **ret, struct jr_error *err);
    /** Borrowed from the object. Without a uid: objects of one name are all one. */
    struct jr_object_key (*key)(const void *object);
    void *(*ref)(const void *object);
    void (*unref)(void *object);
    size_t entry_size;
    /** Returns the object to be kept when one arrives: the new one, the known one (NULL: there is
     * none), or none (NULL). NULL: always the new one. */
    const void *(*choose)(const struct jr_cache *c, const void *known, const void *new);
    /** Puts the entry into the kind's indexes, or out of them. old: what it was; NULL: new here.
     * e->object: what it is; NULL: it leaves. NULL: there are no indexes. */
    void (*index)(struct jr_cache *c, struct jr_cache_entry *e, const void *old);
};

/** The functions of a counted type with jr_TYPE_ref and jr_TYPE_unref; DECODE has the signature of
 * jr_TYPE_decode. */
#define JR_CACHE_TYPE_BY(TYPE, DECODE)                                                        \
    static enum jr_status TYPE##_decode(struct jr_str text, void **ret, struct jr_error *err) \
    {                                                                                         \
        struct jr_##TYPE *object = NULL;                                                      \
        enum jr_status st = jr_need(DECODE(text, &object, err));                              \
                                                                                              \
        *ret = object;                                                                        \
        return st;                                                                            \
    }                                                                                         \
    static void *TYPE##_ref(const void *object)                                               \
    {                                                                                         \
        return jr_##TYPE##_ref(object);                                                       \
    }                                                                                         \
    static void TYPE##_unref(void *object)                                                    \
    {                                                                                         \
        jr_##TYPE##_unref(object);                                                            \
    }
#define JR_CACHE_TYPE(TYPE) JR_CACHE_TYPE_BY(TYPE, jr_##TYPE##_decode)
#define JR_CACHE_FUNCTIONS(TYPE) .decode = TYPE##_decode, .ref = TYPE##_ref, .unref = TYPE##_unref

struct jr_cache {
    const struct jr_cache_kind *kind;
    void *owner; /* of the indexes */
    struct jr_map map;
    unsigned round; /* of the lists */
};

/** Callbacks for changes, called once the cache shows them. ctx is passed on. */
struct jr_cache_events {
    /** old: what was there; NULL: nothing. */
    void (*changed)(void *ctx, const void *old, const void *object);
    void (*gone)(void *ctx, const void *object);
};

/** Gives all objects back. */
void jr_cache_done(struct jr_cache *c);

/** The object of that name, borrowed until the next change; NULL: there is none. */
const void *jr_cache_get(const struct jr_cache *c, struct jr_str namespace, struct jr_str name);
/** Iteration over all entries: from NULL to NULL. */
struct jr_cache_entry *jr_cache_next(const struct jr_cache *c, const struct jr_cache_entry *after);

/** Adds or updates an object; the kind's `choose` decides which version is kept. One of the same
 * name and another uid is gone: its deletion was missed. events may be NULL. */
void jr_cache_apply(struct jr_cache *c, const void *object, const struct jr_cache_events *events,
                    void *ctx);
/** Removes an object; last is its last state. */
void jr_cache_remove(struct jr_cache *c, const void *object, const struct jr_cache_events *events,
                     void *ctx);

/** Puts another copy of the same object in its place, of which nobody is told. */
void jr_cache_replace(struct jr_cache *c, struct jr_cache_entry *e, const void *object);

/* Lists: begin, tell what is there, sweep the rest. */

/** One list. */
struct jr_cache_round {
    struct jr_str namespace; /* borrowed; {NULL, 0}: all */
    unsigned began;
    size_t known; /* objects that were in the cache then */
};
struct jr_cache_round jr_cache_begin(struct jr_cache *c, struct jr_str namespace);
/** Says that an object of the list can't be read: what is known of it stays, whatever its version.
 * False: nothing is known of one of that name. */
bool jr_cache_see(struct jr_cache *c, struct jr_str namespace, struct jr_str name);
/** Removes the objects that the list hasn't shown since it began. The events must not change the
 * cache. */
void jr_cache_sweep(struct jr_cache *c, const struct jr_cache_round *round,
                    const struct jr_cache_events *events, void *ctx);

#endif
