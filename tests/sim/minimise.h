/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a failing seed small: leaves out what it can, as long as it fails in the same way. */
#ifndef JR_TESTS_SIM_MINIMISE_H
#define JR_TESTS_SIM_MINIMISE_H

#include "tests/sim/world.h"

/** choice: what was chosen when the seed failed with `report`; becomes the smallest that was found.
 * Errors: JR_NOMEM. */
enum jr_status sim_minimise(uint64_t seed, struct sim_choice *choice,
                            const struct sim_report *report) JR_MUST_USE;

#endif
