/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs with a creation that had no answer: it may have happened. A list that was begun after it
 * shows whether it did; one such list resolves all ambiguous creates from before. */
#ifndef JR_CONTROLLER_WORK_AMBIGUOUS_CREATES_H
#define JR_CONTROLLER_WORK_AMBIGUOUS_CREATES_H

#include <sys/queue.h>

#include "controller/work/state.h"

TAILQ_HEAD(jr_ambiguous_creates, jr_ambiguous_create);
static inline void jr_ambiguous_creates_init(struct jr_ambiguous_creates *d)
{
    TAILQ_INIT(d);
}

/** Copies the key. list: the number of the first list of its Pods that begins from now on; s: its
 * expectations are those that are ambiguous. */
void jr_ambiguous_creates_add(struct jr_ambiguous_creates *d, const struct jr_object_key *key,
                              uint64_t list, const struct jr_state *s);
/** The list of this number of the Pods of a namespace ({NULL, 0}: of all) is complete: what it
 * doesn't show of the ambiguous creates from before did not happen, so nothing is expected any
 * more, and the Jobs are to be looked at. A sync may have begun since, with creations of its own:
 * of these the list says nothing. */
void jr_ambiguous_creates_resolve(struct jr_ambiguous_creates *d, struct jr_str namespace,
                                  uint64_t list, struct jr_state *s, struct jr_mono now);
void jr_ambiguous_creates_done(struct jr_ambiguous_creates *d);

#endif
