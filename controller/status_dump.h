/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to the log why each Job waits, for whoever sends SIGUSR1: some in each turn of the loop,
 * since there may be very many. */
#ifndef JR_CONTROLLER_STATUS_DUMP_H
#define JR_CONTROLLER_STATUS_DUMP_H

#include "controller/work/run.h"

struct jr_status_dump;
/** All borrowed; log may be NULL. */
struct jr_status_dump *jr_status_dump_new(struct jr_loop *loop, struct jr_state *state,
                                          struct jr_log *log);
void jr_status_dump_free(struct jr_status_dump *t);

/** Begins with the Jobs that are ours and have not finished; what was being told is broken off.
 * runner may be NULL, and is asked until jr_status_dump_stop. */
void jr_status_dump_start(struct jr_status_dump *t, const struct jr_runner *runner);
void jr_status_dump_stop(struct jr_status_dump *t);

#endif
