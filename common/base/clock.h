/* SPDX-License-Identifier: Apache-2.0 */
/* The clock and the randomness that are handed in: real ones in programs, virtual ones in
 * simulation. */
#ifndef JR_BASE_CLOCK_H
#define JR_BASE_CLOCK_H

#include "common/base/time.h"

/** A source of time. `self` is passed to the functions. */
struct jr_clock {
    struct jr_time (*wall)(void *self);
    struct jr_mono (*mono)(void *self);
    void *self;
};

/** CLOCK_REALTIME and CLOCK_BOOTTIME. */
extern const struct jr_clock jr_clock_system;

/** Time that only moves when told to. */
struct jr_clock_virtual {
    struct jr_time wall;
    struct jr_mono mono;
    /* To find out code that goes round until time has passed: after so many readings of mono each
     * further one moves the time by a second. 0: never. Whoever sets the time sets `reads` back. */
    unsigned patience;
    unsigned reads;
};
/** A clock that reads v, which must outlive it. */
struct jr_clock jr_clock_of_virtual(struct jr_clock_virtual *v);
/** Moves both times forward by ns. */
void jr_clock_virtual_advance(struct jr_clock_virtual *v, int64_t ns);

/** A source of 64 random bits. */
struct jr_rand {
    uint64_t (*next)(void *self);
    void *self;
};

/** getrandom(2). Not for keys: those come from OpenSSL. */
extern const struct jr_rand jr_rand_system;

/** A seeded generator (splitmix64), for replayable runs. */
struct jr_rand_seeded {
    uint64_t state;
};
struct jr_rand jr_rand_of_seed(struct jr_rand_seeded *s, uint64_t seed);

/** Uniform in 0..n-1; n > 0. */
uint64_t jr_rand_below(const struct jr_rand *r, uint64_t n);
/** Uniform in [0, 1). */
double jr_rand_unit(const struct jr_rand *r);

#endif
