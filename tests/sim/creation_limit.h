/* SPDX-License-Identifier: Apache-2.0 */
/* No more Pods than needed: what a creation may add, and what the mistakes that can't be helped may
 * add on top. */
#ifndef JR_TESTS_SIM_CREATION_LIMIT_H
#define JR_TESTS_SIM_CREATION_LIMIT_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** The process that has listed the Pods last, and so knows of all that was created before. */
struct sim_lister {
    unsigned process;
    unsigned life;
};
/** Whether who sent the request knows of all that was created before it: it has listed last, and
 * has not given the request up. */
static inline bool sim_knows(const struct sim_lister *lister, const struct sim_request *by)
{
    return by != NULL && by->process == lister->process && by->life == lister->life &&
           !by->forsaken;
}

/** A status write was carried out, or refused by the server for its version: who sent it goes by no
 * older Job any more than by what it came to, also where there was no answer ("Check that the cache
 * is fresh", "Upstream defects"). */
void sim_creation_answered(const struct sim_book *b, const struct sim_request *q, int status);
/** A controller has created a Pod. Creations of those who have not listed last, overlapping leaders
 * and requests of the dead, may come on top of what is needed; so may those that were on their way
 * for longer than their sender waited: the list that he asked for instead doesn't show them. */
void sim_creation_check(struct sim_report *r, const struct sim_book *b,
                        const struct sim_lister *lister, struct sim_seen_pod *p,
                        const struct sim_request *by, int64_t now_ns);

#endif
