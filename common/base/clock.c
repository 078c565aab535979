/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clock and randomness, and virtual ones. */
#include "common/base/clock.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec ts = { 0 };

    (void)clock_gettime(id, &ts); /* fails for unknown clocks only */
    return (int64_t)ts.tv_sec * JR_SEC + ts.tv_nsec;
}

static struct jr_time system_wall(void *self)
{
    (void)self;
    return (struct jr_time){ read_clock(CLOCK_REALTIME) };
}

static struct jr_mono system_mono(void *self)
{
    (void)self;
    return (struct jr_mono){ read_clock(CLOCK_BOOTTIME) };
}

const struct jr_clock jr_clock_system = { system_wall, system_mono, NULL };

static struct jr_time virtual_wall(void *self)
{
    return ((const struct jr_clock_virtual *)self)->wall;
}

static struct jr_mono virtual_mono(void *self)
{
    struct jr_clock_virtual *v = self;

    if (v->patience > 0 && v->reads++ >= v->patience)
        jr_clock_virtual_advance(v, JR_SEC);
    return v->mono;
}

struct jr_clock jr_clock_of_virtual(struct jr_clock_virtual *v)
{
    return (struct jr_clock){ virtual_wall, virtual_mono, v };
}

static int64_t forward(int64_t from, int64_t ns)
{
    int64_t to;

    return __builtin_add_overflow(from, ns, &to) ? INT64_MAX : to;
}

void jr_clock_virtual_advance(struct jr_clock_virtual *v, int64_t ns)
{
    if (ns <= 0)
        return;
    v->wall.ns = forward(v->wall.ns, ns);
    v->mono.ns = forward(v->mono.ns, ns);
}

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t system_next(void *self)
{
    uint64_t v;
    ssize_t n;

    (void)self;
    do {
        n = getrandom(&v, sizeof(v), 0);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(v)) {
        /* A seccomp filter may forbid it. Jitter is all we need it for. */
        uint64_t state = (uint64_t)read_clock(CLOCK_MONOTONIC) ^ (uint64_t)(uintptr_t)&v;

        v = splitmix64(&state);
    }
    return v;
}

const struct jr_rand jr_rand_system = { system_next, NULL };

static uint64_t seeded_next(void *self)
{
    return splitmix64(&((struct jr_rand_seeded *)self)->state);
}

struct jr_rand jr_rand_of_seed(struct jr_rand_seeded *s, uint64_t seed)
{
    s->state = seed;
    return (struct jr_rand){ seeded_next, s };
}

uint64_t jr_rand_below(const struct jr_rand *r, uint64_t n)
{
    uint64_t skip = (0 - n) % n; /* 2^64 mod n: as many low values are one too frequent */
    uint64_t v;

    do {
        v = r->next(r->self);
    } while (v < skip);
    return v % n;
}

double jr_rand_unit(const struct jr_rand *r)
{
    return (double)(r->next(r->self) >> 11) * 0x1.0p-53;
}
