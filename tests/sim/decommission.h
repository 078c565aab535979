/* SPDX-License-Identifier: Apache-2.0 */
/* decommission: the Jobs are handed back. What has ended is counted, what runs is let go, and
 * nothing else is done. That no Pod is lost by it is counting.c's to check. */
#ifndef JR_TESTS_SIM_DECOMMISSION_H
#define JR_TESTS_SIM_DECOMMISSION_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** A request of who hands back goes out: no Pod is made, adopted or deleted, and no Job deleted. */
void sim_release_sent(struct sim_report *r, const struct sim_request *q);
/** He says that nothing is left: so it is, as far as he must know. */
void sim_release_over(struct sim_report *r, const struct sim_book *b, const struct sim_hand *knows);

#endif
