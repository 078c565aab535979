/* SPDX-License-Identifier: Apache-2.0 */
/* A work queue of keys: a set with one worker per key at a time, delayed adds and a backoff per
 * key. Pure: the time is passed in, nothing is called. */
#ifndef JR_CONTROLLER_WORK_QUEUE_H
#define JR_CONTROLLER_WORK_QUEUE_H

#include "common/base/metrics.h"
#include "common/base/time.h"

/** What jr_queue_add_limited waits for. */
struct jr_queue_limits {
    int64_t base_ns;  /* the first delay of a key; it doubles */
    int64_t cap_ns;   /* up to this */
    int64_t every_ns; /* of all keys together one in so long; 0: no such limit */
    int64_t burst;    /* but so many at once */
};
/** Those of the Job controller: 1 s to 60 s. */
#define JR_QUEUE_LIMITS_JOB ((struct jr_queue_limits){ .base_ns = JR_SEC, .cap_ns = 60 * JR_SEC })
/** client-go's default: 5 ms to 1,000 s, and 10 per second of all keys with bursts of 100. */
#define JR_QUEUE_LIMITS_DEFAULT                           \
    ((struct jr_queue_limits){ .base_ns = 5 * JR_MSEC,    \
                               .cap_ns = 1000 * JR_SEC,   \
                               .every_ns = 100 * JR_MSEC, \
                               .burst = 100 })

struct jr_queue;
/** name: the value of the metrics' label "name", constant text. metrics may be NULL. */
struct jr_queue *jr_queue_new(const char *name, const struct jr_queue_limits *limits,
                              struct jr_metrics *metrics);
void jr_queue_free(struct jr_queue *q);

/** Adds key; nothing changes if it is waiting already. While it is being worked on it waits for
 * jr_queue_done. */
void jr_queue_add(struct jr_queue *q, struct jr_str key, struct jr_mono now);
/** Adds key in delay_ns; <= 0: now. Of several delayed adds of a key only the earliest is kept; an
 * immediate one doesn't cancel it. */
void jr_queue_add_after(struct jr_queue *q, struct jr_str key, int64_t delay_ns,
                        struct jr_mono now);
/** Adds key after its backoff, which doubles each time until jr_queue_forget, or when the limit of
 * all keys lets it, whichever is later. why: the words of the failure, kept until then, and cut if
 * they are long. */
void jr_queue_add_limited(struct jr_queue *q, struct jr_str key, struct jr_str why,
                          struct jr_mono now);
/** Ends the key's backoff: its work was a success. */
void jr_queue_forget(struct jr_queue *q, struct jr_str key);

/** Takes the next key that is due, in the order of adding. *ret_key is borrowed until
 * jr_queue_done(), which must follow once the work is over. Errors: JR_NOTFOUND (nothing is due).
 */
enum jr_status jr_queue_get(struct jr_queue *q, struct jr_mono now,
                            struct jr_str *ret_key) JR_MUST_USE;
void jr_queue_done(struct jr_queue *q, struct jr_str key, struct jr_mono now);

/** When jr_queue_get will have something: now or earlier if it has, the time of the earliest
 * delayed add otherwise; INT64_MAX: only after another add. */
struct jr_mono jr_queue_next_due(const struct jr_queue *q, struct jr_mono now);
/** Keys whose last work was a failure. */
size_t jr_queue_failing(const struct jr_queue *q);
/** Keys of which anything is remembered. */
size_t jr_queue_count(const struct jr_queue *q);

/** What is known of a key, for tests and for whoever asks why a Job waits. */
struct jr_queue_state {
    bool waiting;
    bool working;
    bool delayed;
    struct jr_mono due; /* of the delayed add */
    unsigned failures;
    struct jr_str why; /* of the last failure; borrowed until the next call on the queue */
};
struct jr_queue_state jr_queue_look(const struct jr_queue *q, struct jr_str key);
/** Sets the gauges that depend on the time: unfinished work and the longest running. */
void jr_queue_measure(struct jr_queue *q, struct jr_mono now);

#endif
