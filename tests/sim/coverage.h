/* SPDX-License-Identifier: Apache-2.0 */
/* Counts which rules of docs/reference/controller.md a run has met. */
#ifndef JR_TESTS_SIM_COVERAGE_H
#define JR_TESTS_SIM_COVERAGE_H

#include "common/base/metrics.h"
#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** A Job was written, by whom: NULL the server. */
void sim_coverage_job(struct sim_report *r, struct sim_seen_job *j, const struct sim_request *by);
void sim_coverage_pod(struct sim_report *r, const struct sim_book *b, const struct sim_seen_pod *p,
                      const struct sim_request *by);
/** An event was written. */
void sim_coverage_event(struct sim_report *r, const struct jr_dev_event *e);
/** A Lease was written. */
void sim_coverage_lease(struct sim_report *r, const struct jr_dev_event *e);
void sim_coverage_answer(struct sim_report *r, const struct sim_book *b,
                         const struct sim_request *q, const struct jr_dev_answer *a);
/** A controller's metrics, at the end of its life. */
void sim_coverage_metrics(struct sim_report *r, struct jr_metrics *m);

#endif
