/* SPDX-License-Identifier: Apache-2.0 */
/* Why a Job waits, for whoever is on call. */
#ifndef JR_CONTROLLER_EXPLAIN_H
#define JR_CONTROLLER_EXPLAIN_H

#include "controller/work/run.h"

/** Appends what is known of the Job with this key (namespace/name) as one JSON object: whether it
 * is cached, ours, finished; its place in the queue and the last error; what is expected to be
 * seen; backoff; versions; the sync under way; and `why`, the same in sentences. Says no secret:
 * names, counts and times only. runner may be NULL. A failure sticks to out. */
void jr_explain_job(const struct jr_state *s, const struct jr_runner *runner, struct jr_str key,
                    struct jr_now now, struct jr_buf *out);

/** Appends the sentences of `why` alone, with semicolons between. */
void jr_explain_why(const struct jr_state *s, const struct jr_runner *runner, struct jr_str key,
                    struct jr_now now, struct jr_buf *out);

#endif
