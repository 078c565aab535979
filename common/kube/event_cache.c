/* SPDX-License-Identifier: Apache-2.0 */
/* The event recorder's memory: a map, and a list in the order of use. */
#include "common/kube/event_cache.h"

#include "common/base/hash.h"
#include "common/base/memory.h"

uint64_t event_key_of(const struct jr_str *parts, size_t n)
{
    uint64_t key = 0;

    for (size_t i = 0; i < n; i++)
        key = jr_hash_more(key, parts[i]);
    return key;
}

void event_cache_init(struct event_cache *c, enum event_cache_kind kind)
{
    *c = (struct event_cache){ .kind = kind };
    TAILQ_INIT(&c->recent);
}

static void drop_record(struct event_cache *c, struct event_record *r)
{
    TAILQ_REMOVE(&c->recent, r, recent);
    jr_map_remove(&c->by_key, &r->link);
    if (c->kind == EVENTS_SAME)
        free(r->u.same.name);
    free(r);
}

void event_cache_done(struct event_cache *c)
{
    struct event_record *r;

    while ((r = TAILQ_FIRST(&c->recent)) != NULL)
        drop_record(c, r);
    jr_map_done(&c->by_key);
}

static struct event_record *find_record(const struct event_cache *c, uint64_t key)
{
    struct jr_link *l = jr_map_first(&c->by_key, key);

    for (; l != NULL; l = jr_map_again(l)) {
        struct event_record *r = jr_of(l, struct event_record, link);

        if (r->key == key)
            return r;
    }
    return NULL;
}

/* There are thousands: one kind's part is six times another's. */
static size_t record_size(enum event_cache_kind kind)
{
    static const size_t parts[] = {
        [EVENTS_SAME] = sizeof(((struct event_record *)0)->u.same),
        [EVENTS_SIMILAR] = sizeof(((struct event_record *)0)->u.similar),
        [EVENTS_RATE] = sizeof(((struct event_record *)0)->u.rate),
    };

    return offsetof(struct event_record, u) + parts[kind];
}

struct event_record *event_cache_get(struct event_cache *c, uint64_t key, bool *ret_new)
{
    struct event_record *r = find_record(c, key);

    *ret_new = r == NULL;
    if (r != NULL) {
        TAILQ_REMOVE(&c->recent, r, recent);
    } else {
        if (c->by_key.n == EVENT_CACHE_MAX)
            drop_record(c, TAILQ_LAST(&c->recent, event_recent));
        r = jr_xcalloc(1, record_size(c->kind));
        r->key = key;
        jr_xmap_add(&c->by_key, &r->link, key);
    }
    TAILQ_INSERT_HEAD(&c->recent, r, recent);
    return r;
}
