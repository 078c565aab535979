/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a controller's requests: creations start slowly, the live Job is read before an
 * adoption, a Job's end has its event. Checked on requests, answers and events alone. */
#ifndef JR_TESTS_SIM_CLIENT_RULES_H
#define JR_TESTS_SIM_CLIENT_RULES_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** A request of a controller goes out. */
void sim_client_rules_sent(struct sim_report *r, const struct sim_book *b,
                           const struct sim_request *q);
/** The server has answered it, for its own sake. */
void sim_client_rules_answered(const struct sim_book *b, const struct sim_request *q, int status,
                               struct jr_str body);
/** Its sender has given it up before it arrived: the next creation is another sync's. */
void sim_client_rules_given_up(const struct sim_book *b, const struct sim_request *q);
/** An event was written. */
void sim_client_rules_event(const struct sim_book *b, struct jr_str text);
/** At rest, where nothing was disturbed: a Job that has ended has the event that says so. */
void sim_client_rules_at_rest(struct sim_report *r, const struct sim_book *b);

#endif
