/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of objects by text, which follow the object in its allocation. */
#include "common/kube/keyed.h"

#include "common/base/hash.h"

static uint64_t hash_of(const struct jr_object_key *key)
{
    return key->namespace.n == 0 ? jr_hash(key->name) : jr_map_hash2(key->namespace, key->name);
}

struct jr_object_key jr_keyed_key(const void *object)
{
    const struct jr_keyed *k = object;
    const char *text = (const char *)object + k->at;

    return (struct jr_object_key){ { text, k->namespace_n },
                                   { text + k->namespace_n, k->name_n },
                                   { text + k->namespace_n + k->name_n, k->uid_n } };
}

static char *append(char *to, struct jr_str s)
{
    return s.n == 0 ? to : mempcpy(to, s.p, s.n);
}

void *jr_keyed_new(size_t size, const struct jr_object_key *key)
{
    struct jr_keyed *k = jr_xcalloc(1, size + key->namespace.n + key->name.n + key->uid.n);

    k->at = (uint32_t)size;
    k->namespace_n = (uint32_t)key->namespace.n;
    k->name_n = (uint32_t)key->name.n;
    k->uid_n = (uint32_t)key->uid.n;
    (void)append(append(append((char *)k + size, key->namespace), key->name), key->uid);
    return k;
}

void *jr_keyed_find(const struct jr_map *m, const struct jr_object_key *key)
{
    for (struct jr_link *l = jr_map_first(m, hash_of(key)); l != NULL; l = jr_map_again(l)) {
        struct jr_keyed *k = jr_of(l, struct jr_keyed, link);
        const struct jr_object_key its = jr_keyed_key(k);

        if (jr_str_eq(its.name, key->name) && jr_str_eq(its.namespace, key->namespace))
            return k;
    }
    return NULL;
}

void *jr_keyed_find_uid(const struct jr_map *m, const struct jr_object_key *key)
{
    void *object = jr_keyed_find(m, key);

    return object != NULL && jr_str_eq(jr_keyed_key(object).uid, key->uid) ? object : NULL;
}

void *jr_keyed_need(struct jr_map *m, size_t size, const struct jr_object_key *key)
{
    struct jr_keyed *k = jr_keyed_find(m, key);

    if (k == NULL) {
        k = jr_keyed_new(size, key);
        jr_xmap_add(m, &k->link, hash_of(key));
    }
    return k;
}

void jr_keyed_drop(struct jr_map *m, void *object)
{
    struct jr_keyed *k = object;

    jr_map_remove(m, &k->link);
    free(k);
}

void jr_keyed_done(struct jr_map *m, void (*done)(void *object))
{
    struct jr_link *next;

    for (struct jr_link *l = jr_map_next(m, NULL); l != NULL; l = next) {
        struct jr_keyed *k = jr_of(l, struct jr_keyed, link);

        next = jr_map_next(m, l);
        if (done != NULL)
            done(k);
        free(k);
    }
    jr_map_done(m);
}
