#include "common/kube/event_cache.h"

#include <openssl/sha.h>

#include "common/base/buf.h"
#include "common/base/hash.h"

#define KEY_TEXT_MAX ((size_t)1 << 20)

bool event_key_of(const struct jr_str *parts, size_t n, struct event_key *ret)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    JR_BUF text = { 0 };

    jr_buf_init(&text, KEY_TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        (void)jr_buf_addf(&text, "%zu:", parts[i].n);
        (void)jr_buf_add(&text, parts[i]);
    }
    if (text.failed != JR_OK || text.p == NULL)
        return false;
    (void)SHA256((const unsigned char *)text.p, text.n, digest);
    memcpy(ret->v, digest, sizeof(ret->v));
    return true;
}

void event_cache_init(struct event_cache *c, bool names)
{
    c->names = names;
    c->n = 0;
    TAILQ_INIT(&c->recent);
    for (size_t i = 0; i < EVENT_CACHE_MAX; i++)
        LIST_INIT(&c->buckets[i]);
}

static void drop(struct event_cache *c, struct event_record *r)
{
    TAILQ_REMOVE(&c->recent, r, recent);
    LIST_REMOVE(r, bucket);
    c->n--;
    if (c->names)
        free(r->u.same.name);
    free(r);
}

void event_cache_done(struct event_cache *c)
{
    struct event_record *r;

    while ((r = TAILQ_FIRST(&c->recent)) != NULL)
        drop(c, r);
}

/** The digest has no key: texts that share its low bits are soon found. */
static size_t bucket_of(const struct event_key *key)
{
    return jr_hash((struct jr_str){ (const char *)key->v, sizeof(key->v) }) % EVENT_CACHE_MAX;
}

struct event_record *event_cache_get(struct event_cache *c, const struct event_key *key,
                                     bool *ret_new)
{
    struct event_bucket *bucket = &c->buckets[bucket_of(key)];
    struct event_record *r;

    *ret_new = false;
    LIST_FOREACH(r, bucket, bucket)
    {
        if (r->key.v[0] == key->v[0] && r->key.v[1] == key->v[1]) {
            TAILQ_REMOVE(&c->recent, r, recent);
            TAILQ_INSERT_HEAD(&c->recent, r, recent);
            return r;
        }
    }
    r = calloc(1, sizeof(*r));
    if (r == NULL)
        return NULL;
    if (c->n == EVENT_CACHE_MAX)
        drop(c, TAILQ_LAST(&c->recent, event_recent));
    r->key = *key;
    TAILQ_INSERT_HEAD(&c->recent, r, recent);
    LIST_INSERT_HEAD(bucket, r, bucket);
    c->n++;
    *ret_new = true;
    return r;
}
