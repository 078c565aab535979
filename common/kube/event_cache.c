/* SPDX-License-Identifier: Apache-2.0 */
/* The event recorder's memory: a map, and a list in the order of use. */
#include "common/kube/event_cache.h"

#include <openssl/sha.h>

#include "common/base/buf.h"
#include "common/base/hash.h"
#include "common/base/memory.h"

#define KEY_TEXT_BYTES ((size_t)500) /* about what a key is made of */

struct event_key event_key_of(const struct jr_str *parts, size_t n)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    struct event_key key;
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    (void)jr_buf_reserve(&text, KEY_TEXT_BYTES);
    for (size_t i = 0; i < n; i++) {
        (void)jr_buf_add_i64(&text, (int64_t)parts[i].n);
        (void)jr_buf_addc(&text, ':');
        (void)jr_buf_add(&text, parts[i]);
    }
    jr_must(text.failed);
    (void)SHA256((const unsigned char *)text.p, text.n, digest);
    memcpy(key.v, digest, sizeof(key.v));
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

/** The digest has no key: texts that share its low bits are soon found. */
static uint64_t hash_of(const struct event_key *key)
{
    return jr_hash((struct jr_str){ (const char *)key->v, sizeof(key->v) });
}

static struct event_record *find_record(const struct event_cache *c, const struct event_key *key)
{
    struct jr_link *l = jr_map_first(&c->by_key, hash_of(key));

    for (; l != NULL; l = jr_map_again(l)) {
        struct event_record *r = jr_of(l, struct event_record, link);

        if (memcmp(&r->key, key, sizeof(*key)) == 0)
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

struct event_record *event_cache_get(struct event_cache *c, const struct event_key *key,
                                     bool *ret_new)
{
    struct event_record *r = find_record(c, key);

    *ret_new = r == NULL;
    if (r != NULL) {
        TAILQ_REMOVE(&c->recent, r, recent);
    } else {
        if (c->by_key.n == EVENT_CACHE_MAX)
            drop_record(c, TAILQ_LAST(&c->recent, event_recent));
        r = jr_xcalloc(1, record_size(c->kind));
        r->key = *key;
        jr_xmap_add(&c->by_key, &r->link, hash_of(key));
    }
    TAILQ_INSERT_HEAD(&c->recent, r, recent);
    return r;
}
