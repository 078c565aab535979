/* How a controller asks: creations start slowly (5), the live Job is read before an adoption (4),
 * an end is told by its event (7). Told from requests and answers alone. */
#ifndef JR_TESTS_SIM_MANNERS_H
#define JR_TESTS_SIM_MANNERS_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** A request of a controller goes out. */
void sim_manners_sent(struct sim_report *r, const struct sim_book *b, const struct sim_request *q);
/** The server has answered it, for its own sake. */
void sim_manners_answered(const struct sim_book *b, const struct sim_request *q, int status,
                          struct jr_str body);
/** Its sender waits no more, and it has not arrived: his next creation is another sync's. */
void sim_manners_given_up(const struct sim_book *b, const struct sim_request *q);
/** An event was written. */
void sim_manners_event(const struct sim_book *b, struct jr_str text);
/** At rest, where nothing was disturbed: a Job that has ended has the event that says so. */
void sim_manners_at_rest(struct sim_report *r, const struct sim_book *b);

#endif
