/* Writes to the log why each Job waits, for whoever sends SIGUSR1: some in each turn of the loop,
 * since there may be very many. */
#ifndef JR_CONTROLLER_TELL_H
#define JR_CONTROLLER_TELL_H

#include "controller/run.h"

struct jr_teller;
/** All borrowed; log may be NULL. */
struct jr_teller *jr_teller_new(struct jr_loop *loop, struct jr_state *state, struct jr_log *log);
void jr_teller_free(struct jr_teller *t);
static inline void jr_teller_freep(struct jr_teller **t)
{
    jr_teller_free(*t);
}

/** Begins with the Jobs that are ours and have not finished; what was being told is broken off.
 * runner may be NULL, and is asked until jr_teller_stop. */
void jr_teller_start(struct jr_teller *t, const struct jr_runner *runner);
void jr_teller_stop(struct jr_teller *t);

#endif
