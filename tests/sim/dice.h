/* SPDX-License-Identifier: Apache-2.0 */
/* Randomness by address: each decision has a stream of its own, named by seed, purpose and ordinal,
 * so that leaving one out does not move the others. */
#ifndef JR_TESTS_SIM_DICE_H
#define JR_TESTS_SIM_DICE_H

#include "common/base/clock.h"

enum sim_dice_for {
    SIM_DICE_STORE,
    SIM_DICE_PROCESS,
    SIM_DICE_SETUP,
    SIM_DICE_LATENCY,
    SIM_DICE_FAULT,
    SIM_DICE_STREAM,
    SIM_DICE_TICK,
    SIM_DICE_PROCESS_FAULT,
    SIM_DICE_USER,
    SIM_DICE_GANG,
    SIM_DICE_POISON,
    SIM_DICE_RELEASE,
};

struct sim_dice {
    struct jr_rand_seeded state;
};
struct sim_dice sim_dice(uint64_t seed, enum sim_dice_for purpose, uint64_t ordinal);
/** Uniform in 0..n-1; n > 0. */
uint64_t sim_below(struct sim_dice *d, uint64_t n);
/** Uniform in from..to. */
int64_t sim_between(struct sim_dice *d, int64_t from, int64_t to);
/** True in `percent` of 100. */
bool sim_chance(struct sim_dice *d, unsigned percent);

#endif
