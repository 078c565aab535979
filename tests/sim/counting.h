/* SPDX-License-Identifier: Apache-2.0 */
/* No Pod is lost and none is counted twice, after every write: a Pod that has ended has been
 * counted, or is listed, or bears its finalizer. */
#ifndef JR_TESTS_SIM_COUNTING_H
#define JR_TESTS_SIM_COUNTING_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

struct sim_counting {
    struct sim_report *report; /* borrowed, as the other */
    struct sim_book *book;
    bool slow; /* requests wait for their turn: nothing is prompt */
};

/** A Pod was written, or has gone. */
void sim_counting_pod(const struct sim_counting *a, const struct sim_seen_pod *p, bool gone);
/** A Job was written, by a request or by the server itself (NULL). */
void sim_counting_job(const struct sim_counting *a, const struct sim_seen_job *j,
                      const struct sim_request *by);
/** What the API server saw of the Job so far; borrowed until the next call and the next write. */
struct sim_history sim_counting_history(const struct sim_counting *a, const struct sim_seen_job *j);

#endif
