/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of one kind of objects: what every kind does alike. */
#include "common/kube/object_cache.h"

#include <limits.h>

static struct jr_cache_entry *find_entry(const struct jr_cache *c, struct jr_str namespace,
                                         struct jr_str name)
{
    for (struct jr_link *l = jr_map_first(&c->map, jr_map_hash2(namespace, name)); l != NULL;
         l = jr_map_again(l)) {
        struct jr_cache_entry *e = jr_of(l, struct jr_cache_entry, by_key);
        const struct jr_object_key key = c->kind->key(e->object);

        if (jr_str_eq(key.name, name) && jr_str_eq(key.namespace, namespace))
            return e;
    }
    return NULL;
}

const void *jr_cache_get(const struct jr_cache *c, struct jr_str namespace, struct jr_str name)
{
    const struct jr_cache_entry *e = find_entry(c, namespace, name);

    return e == NULL ? NULL : e->object;
}

struct jr_cache_entry *jr_cache_next(const struct jr_cache *c, const struct jr_cache_entry *after)
{
    struct jr_link *l = jr_map_next(&c->map, after == NULL ? NULL : &after->by_key);

    return l == NULL ? NULL : jr_of(l, struct jr_cache_entry, by_key);
}

static void index_entry(struct jr_cache *c, struct jr_cache_entry *e, const void *old)
{
    if (c->kind->index != NULL)
        c->kind->index(c, e, old);
}

/** Puts the object in its place, with a reference. Returns what was there, the caller's reference;
 * NULL: nothing. */
static void *put_object(struct jr_cache *c, struct jr_cache_entry *e, const void *object)
{
    const struct jr_object_key key = c->kind->key(object);
    void *old = e == NULL ? NULL : e->object;

    if (e == NULL) {
        e = jr_xcalloc(1, c->kind->entry_size);
        jr_xmap_add(&c->map, &e->by_key, jr_map_hash2(key.namespace, key.name));
    }
    e->object = c->kind->ref(object);
    e->by_key.seen = c->round;
    index_entry(c, e, old);
    return old;
}

void jr_cache_replace(struct jr_cache *c, struct jr_cache_entry *e, const void *object)
{
    const unsigned seen = e->by_key.seen;

    c->kind->unref(put_object(c, e, object));
    e->by_key.seen = seen;
}

/** Takes the entry out, which may be NULL. Returns its object, the caller's reference. */
static void *take_out(struct jr_cache *c, struct jr_cache_entry *e)
{
    void *object = e == NULL ? NULL : e->object;

    if (e == NULL)
        return NULL;
    e->object = NULL;
    index_entry(c, e, object);
    jr_map_remove(&c->map, &e->by_key);
    free(e);
    return object;
}

void jr_cache_done(struct jr_cache *c)
{
    struct jr_cache_entry *next;

    for (struct jr_cache_entry *e = jr_cache_next(c, NULL); e != NULL; e = next) {
        next = jr_cache_next(c, e);
        c->kind->unref(take_out(c, e));
    }
    jr_map_done(&c->map);
}

static void remove_entry(struct jr_cache *c, struct jr_cache_entry *e, const void *last,
                         const struct jr_cache_events *events, void *ctx)
{
    void *object = take_out(c, e);

    if (events != NULL)
        events->gone(ctx, last == NULL ? object : last);
    c->kind->unref(object);
}

static bool has_uid(const struct jr_cache *c, const struct jr_cache_entry *e, struct jr_str uid)
{
    return jr_str_eq(c->kind->key(e->object).uid, uid);
}

void jr_cache_apply(struct jr_cache *c, const void *object, const struct jr_cache_events *events,
                    void *ctx)
{
    const struct jr_object_key key = c->kind->key(object);
    struct jr_cache_entry *e = find_entry(c, key.namespace, key.name);
    const void *chosen = object;
    void *old;

    if (e != NULL && !has_uid(c, e, key.uid)) {
        remove_entry(c, e, NULL, events, ctx);
        e = NULL;
    }
    if (c->kind->choose != NULL)
        chosen = c->kind->choose(c, e == NULL ? NULL : e->object, object);
    if (e != NULL && chosen != NULL && chosen != object) {
        e->by_key.seen = c->round;
        return;
    }
    old = chosen == NULL ? take_out(c, e) : put_object(c, e, object);
    if (events != NULL && (chosen != NULL || old != NULL))
        events->changed(ctx, old, object);
    c->kind->unref(old);
}

void jr_cache_remove(struct jr_cache *c, const void *object, const struct jr_cache_events *events,
                     void *ctx)
{
    const struct jr_object_key key = c->kind->key(object);
    struct jr_cache_entry *e = find_entry(c, key.namespace, key.name);

    if (e != NULL && has_uid(c, e, key.uid))
        remove_entry(c, e, object, events, ctx);
}

struct jr_cache_round jr_cache_begin(struct jr_cache *c, struct jr_str namespace)
{
    return (struct jr_cache_round){ namespace, ++c->round, c->map.n };
}

bool jr_cache_see(struct jr_cache *c, struct jr_str namespace, struct jr_str name)
{
    struct jr_cache_entry *e = find_entry(c, namespace, name);

    if (e != NULL)
        e->by_key.seen = c->round;
    return e != NULL;
}

/** Whether the list should have shown the object, and has not. */
static bool is_missed(const struct jr_cache *c, const struct jr_cache_entry *e,
                      const struct jr_cache_round *round)
{
    if (round->namespace.p != NULL &&
        !jr_str_eq(round->namespace, c->kind->key(e->object).namespace))
        return false;
    return e->by_key.seen - round->began > UINT_MAX / 2; /* also where the count went round */
}

void jr_cache_sweep(struct jr_cache *c, const struct jr_cache_round *round,
                    const struct jr_cache_events *events, void *ctx)
{
    struct jr_cache_entry *next;

    if (round->known == 0) /* nothing can be missed */
        return;
    for (struct jr_cache_entry *e = jr_cache_next(c, NULL); e != NULL; e = next) {
        next = jr_cache_next(c, e);
        if (is_missed(c, e, round))
            remove_entry(c, e, NULL, events, ctx);
    }
}
