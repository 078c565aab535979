/* SPDX-License-Identifier: Apache-2.0 */
/* The event recorder's memory: records by key, the least recently used one goes first. Not for
 * others. */
#ifndef JR_KUBE_EVENT_CACHE_H
#define JR_KUBE_EVENT_CACHE_H

#include <sys/queue.h>

#include "common/base/map.h"
#include "common/base/time.h"

#define EVENT_CACHE_MAX 4096
#define EVENT_SIMILAR_MAX 10

/** A hash of n texts, which make two events the same, under the key of the process: nobody can
 * choose other texts that have it. Texts that run together differently are different. */
uint64_t event_key_of(const struct jr_str *parts, size_t n);

enum event_cache_kind { EVENTS_SAME, EVENTS_SIMILAR, EVENTS_RATE };

/** One record; each kind of cache has its own part, and no room for the others. */
struct event_record {
    TAILQ_ENTRY(event_record) recent;
    struct jr_link link;
    uint64_t key;
    union {
        struct { /* the same event, again */
            int32_t count;
            struct jr_time first;
            char *name; /* owned */
        } same;
        struct { /* events that differ by message only */
            struct jr_time last;
            unsigned n;
            uint64_t messages[EVENT_SIMILAR_MAX];
        } similar;
        struct { /* a token bucket */
            double tokens;
            struct jr_mono filled;
        } rate;
    } u;
};
TAILQ_HEAD(event_recent, event_record);

struct event_cache {
    struct jr_map by_key;
    struct event_recent recent; /* the newest first */
    enum event_cache_kind kind;
};
void event_cache_init(struct event_cache *c, enum event_cache_kind kind);
void event_cache_done(struct event_cache *c);
/** The record of key, new and zeroed where there was none (*ret_new). It stays until 4,095 others
 * were asked for. */
struct event_record *event_cache_get(struct event_cache *c, uint64_t key, bool *ret_new);

#endif
