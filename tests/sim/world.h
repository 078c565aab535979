/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated world: the API server's store, the simulated kubelet, one or two controllers, users,
 * and one time for all of them. */
#ifndef JR_TESTS_SIM_WORLD_H
#define JR_TESTS_SIM_WORLD_H

#include "tests/sim/report.h"

/** Lives a seed to its end. report is filled; it must be zeroed, but for print. */
void sim_world_run(uint64_t seed, const struct sim_choice *choice, struct sim_report *report);

#endif
