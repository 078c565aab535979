/* SPDX-License-Identifier: Apache-2.0 */
/* Gang scheduling (10), in worlds where it is on: what Workloads and PodGroups have to be, and
 * which Pods are in them. */
#ifndef JR_TESTS_SIM_GANG_H
#define JR_TESTS_SIM_GANG_H

#include "common/api/workload.h"
#include "tests/sim/history.h"
#include "tests/sim/report.h"

struct sim_gangs {
    struct sim_report *report;
    const struct sim_book *book;
    const struct jr_dev_store *store;
    enum jr_scheduling_api api; /* as the API server has it */
};

/** An object was made: of interest is whether it is a Workload or a PodGroup. knows: by one whose
 * cache has what others made before it. */
void sim_gang_made(const struct sim_gangs *g, const struct jr_dev_object *o, bool knows);
/** A controller has made a Pod of the Job. hand: what it goes by. */
void sim_gang_pod(const struct sim_gangs *g, const struct sim_seen_job *j,
                  const struct sim_seen_pod *p, bool knows, const struct sim_hand *hand);
/** Whether what belonged to Jobs that are gone has gone too, and minCount has followed. */
bool sim_gang_at_rest(const struct sim_gangs *g, struct jr_buf *why);

#endif
