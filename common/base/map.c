/* SPDX-License-Identifier: Apache-2.0 */
/* The intrusive hash map: buckets of linked objects. */
#include "common/base/map.h"

#include "common/base/hash.h"

#define FIRST_BUCKETS 64

uint64_t jr_map_hash2(struct jr_str a, struct jr_str b)
{
    return jr_hash_more(jr_hash(a), b);
}

static size_t bucket_of(const struct jr_map *m, uint32_t hash)
{
    return (size_t)hash & (m->n_buckets - 1);
}

static void put_link(struct jr_link **at, struct jr_link *link)
{
    link->next = *at;
    link->here = at;
    if (link->next != NULL)
        link->next->here = &link->next;
    *at = link;
}

static enum jr_status grow_slots(struct jr_map *m)
{
    size_t n = m->n_buckets == 0 ? FIRST_BUCKETS : m->n_buckets * 2;
    struct jr_link **old = m->buckets;
    size_t n_old = m->n_buckets;
    struct jr_link **v = calloc(n, sizeof(struct jr_link *));

    if (v == NULL)
        return JR_NOMEM;
    m->buckets = v;
    m->n_buckets = n;
    for (size_t i = 0; i < n_old; i++) {
        struct jr_link *l = old[i];

        while (l != NULL) {
            struct jr_link *next = l->next;

            put_link(&v[bucket_of(m, l->hash)], l);
            l = next;
        }
    }
    free(old);
    return JR_OK;
}

enum jr_status jr_map_add(struct jr_map *m, struct jr_link *link, uint64_t hash)
{
    if (m->n >= m->n_buckets && grow_slots(m) != JR_OK && m->n_buckets == 0)
        return JR_NOMEM;
    link->hash = (uint32_t)hash;
    put_link(&m->buckets[bucket_of(m, link->hash)], link);
    m->n++;
    return JR_OK;
}

void jr_map_remove(struct jr_map *m, struct jr_link *link)
{
    *link->here = link->next;
    if (link->next != NULL)
        link->next->here = link->here;
    link->next = NULL;
    m->n--;
}

static struct jr_link *with_hash(struct jr_link *l, uint32_t hash)
{
    while (l != NULL && l->hash != hash)
        l = l->next;
    return l;
}

struct jr_link *jr_map_first(const struct jr_map *m, uint64_t hash)
{
    return m->n_buckets == 0 ? NULL
                             : with_hash(m->buckets[bucket_of(m, (uint32_t)hash)], (uint32_t)hash);
}

struct jr_link *jr_map_again(const struct jr_link *after)
{
    return with_hash(after->next, after->hash);
}

struct jr_link *jr_map_next(const struct jr_map *m, const struct jr_link *after)
{
    size_t at = 0;

    if (after != NULL) {
        if (after->next != NULL)
            return after->next;
        at = bucket_of(m, after->hash) + 1;
    }
    for (; at < m->n_buckets; at++) {
        if (m->buckets[at] != NULL)
            return m->buckets[at];
    }
    return NULL;
}

void jr_map_done(struct jr_map *m)
{
    free(m->buckets);
    *m = (struct jr_map){ 0 };
}
