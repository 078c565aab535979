/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/dice.h"

/** One turn of splitmix64: spreads every bit of v over all of them. */
static uint64_t mix(uint64_t v)
{
    struct jr_rand_seeded s;
    struct jr_rand r = jr_rand_of_seed(&s, v);

    return r.next(r.self);
}

struct sim_dice sim_dice(uint64_t seed, enum sim_dice_for purpose, uint64_t ordinal)
{
    struct sim_dice d;

    (void)jr_rand_of_seed(&d.state, mix(mix(mix(seed) + (uint64_t)purpose) + ordinal));
    return d;
}

static struct jr_rand rand_of(struct sim_dice *d)
{
    uint64_t state = d->state.state;
    struct jr_rand r = jr_rand_of_seed(&d->state, 0);

    d->state.state = state;
    return r;
}

uint64_t sim_below(struct sim_dice *d, uint64_t n)
{
    struct jr_rand r = rand_of(d);

    return jr_rand_below(&r, n);
}

int64_t sim_between(struct sim_dice *d, int64_t from, int64_t to)
{
    return from + (int64_t)sim_below(d, (uint64_t)(to - from) + 1);
}

bool sim_chance(struct sim_dice *d, unsigned percent)
{
    return sim_below(d, 100) < percent;
}
