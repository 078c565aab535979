/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold after every write, and when the world has come to rest. */
#ifndef JR_TESTS_SIM_INVARIANTS_H
#define JR_TESTS_SIM_INVARIANTS_H

#include "tests/sim/history.h"
#include "tests/sim/process.h"

struct sim_invariants_options {
    struct sim_report *report; /* borrowed, as all of these */
    struct sim_book *book;
    const struct jr_dev_store *store;
    const struct jr_clock_virtual *clock;
    struct jr_clock_virtual start;
    bool quiet;                      /* nothing goes wrong in this world */
    bool slow;                       /* requests wait for their turn */
    enum jr_scheduling_api gang_api; /* gang scheduling is on, as the API server has it */
};
struct sim_invariants;
/** Never NULL. */
struct sim_invariants *sim_invariants_new(const struct sim_invariants_options *options);
void sim_invariants_free(struct sim_invariants *v);

/** A request goes out. */
void sim_invariants_sent(struct sim_invariants *v, const struct jr_dev_store *store,
                         const struct sim_request *r);
/** An object was written; job or pod is what it was about, if it was one. */
void sim_invariants_written(struct sim_invariants *v, const struct jr_dev_event *e,
                            const struct sim_request *by, struct sim_seen_job *job,
                            struct sim_seen_pod *pod);
void sim_invariants_answered(struct sim_invariants *v, const struct sim_request *q,
                             const struct jr_dev_answer *a);
/** A controller's life is about to end. */
void sim_invariants_over(struct sim_invariants *v, const struct sim_process *p);
/** Whether each Job is as the model says it has to be in the end. last: it fails if not. */
bool sim_invariants_at_rest(struct sim_invariants *v, bool last);
/** The end of a run. */
void sim_invariants_end(struct sim_invariants *v);

#endif
