/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody has to act before a Job goes on, by its diagnosis. Pure. */
#ifndef JR_CLI_WAIT_STUCK_H
#define JR_CLI_WAIT_STUCK_H

#include "common/diagnose/diagnosis.h"

/** Returns evidence without the kinds that waiting doesn't read: what hangs on them isn't known.
 * events: they were listed. */
struct jr_evidence *jr_wait_evidence_new(bool events);
/** Whether the Job can't go on before somebody acts, or can't succeed any more, and none of its
 * Pods runs meanwhile. Appends the cause and the best command to why; nothing where it moves. */
bool jr_wait_is_stuck(const struct jr_evidence *ev, const struct jr_job *job, struct jr_time now,
                      struct jr_buf *why);

#endif
