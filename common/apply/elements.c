/* SPDX-License-Identifier: Apache-2.0 */
/* An index of a list's elements. */
#include "common/apply/elements.h"

#include "common/base/hash.h"

static const struct jr_node *key_of(const struct jr_elements *x, const struct jr_node *element)
{
    const struct jr_str key = jr_schema_merge_key(x->rule);

    return key.n > 0 ? jr_getn(element, key) : element;
}

/** Returns equal hashes of what is equal: of types that no list's keys have, one for all. */
static uint64_t hash_of(const struct jr_node *key)
{
    const enum jr_kind kind = key == NULL ? JR_NULL : jr_node_kind(key);
    int64_t v;

    if (kind == JR_STRING)
        return jr_hash(jr_node_str(key));
    if (kind == JR_NUMBER && jr_node_i64(key, &v) == JR_OK)
        return jr_hash((struct jr_str){ (const char *)&v, sizeof(v) });
    return kind;
}

void jr_elements_init(struct jr_elements *x, const struct jr_schema_field *rule,
                      const struct jr_node *list)
{
    *x = (struct jr_elements){ .rule = rule };
    jr_arena_init(&x->arena, 0);
    for (struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n))
        jr_elements_add(x, n);
}

void jr_elements_done(struct jr_elements *x)
{
    jr_map_done(&x->map);
    jr_arena_done(&x->arena);
}

static struct jr_keyed_element *find(const struct jr_elements *x, const struct jr_node *key,
                                     uint64_t hash)
{
    for (struct jr_link *l = jr_map_first(&x->map, hash); l != NULL; l = jr_map_again(l)) {
        struct jr_keyed_element *e = jr_of(l, struct jr_keyed_element, link);

        if (jr_node_equal(key_of(x, e->node), key))
            return e;
    }
    return NULL;
}

struct jr_keyed_element *jr_elements_find(const struct jr_elements *x, const struct jr_node *like)
{
    const struct jr_node *key = key_of(x, like);

    return find(x, key, hash_of(key));
}

void jr_elements_add(struct jr_elements *x, struct jr_node *node)
{
    const struct jr_node *key = key_of(x, node);
    const uint64_t hash = hash_of(key);
    struct jr_keyed_element *first = find(x, key, hash);
    struct jr_keyed_element *e = jr_must_have(jr_arena_calloc(&x->arena, 1, sizeof(*e)));

    e->node = node;
    e->at = x->n++;
    e->last = e;
    if (first == NULL) {
        jr_must(jr_map_add(&x->map, &e->link, hash));
        return;
    }
    first->last->next = e;
    first->last = e;
}

void jr_elements_remove(struct jr_elements *x, struct jr_keyed_element *e)
{
    const uint64_t hash = hash_of(key_of(x, e->node));

    jr_map_remove(&x->map, &e->link);
    if (e->next == NULL)
        return;
    e->next->last = e->last;
    jr_must(jr_map_add(&x->map, &e->next->link, hash));
}
