/* Gang scheduling (10), in worlds where it is on: what Workloads and PodGroups have to be, and
 * which Pods are in them. */
#ifndef JR_TESTS_SIM_GANG_H
#define JR_TESTS_SIM_GANG_H

#include "tests/sim/history.h"
#include "tests/sim/report.h"

/** A Workload or a PodGroup was made. knows: by one whose cache has what others made before it. */
void sim_gang_made(struct sim_report *r, const struct sim_book *b, const struct jr_dev_store *store,
                   const struct jr_dev_object *o, bool knows);
/** A controller has made a Pod of the Job. */
void sim_gang_pod(struct sim_report *r, const struct sim_book *b, const struct jr_dev_store *store,
                  const struct sim_seen_job *j, const struct sim_seen_pod *p, bool knows);
/** Whether what belonged to Jobs that are gone has gone too. */
bool sim_gang_at_rest(const struct sim_book *b, const struct jr_dev_store *store,
                      struct jr_buf *why);

#endif
