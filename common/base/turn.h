/* SPDX-License-Identifier: Apache-2.0 */
/* How long a loop's turns take: whatever is ready waits for as long as a turn lasts. */
#ifndef JR_BASE_TURN_H
#define JR_BASE_TURN_H

#include "common/base/time.h"

/** CPU time tells work from a machine that had other things to do. The two may be of different
 * turns. */
struct jr_turn_longest {
    int64_t ns;
    int64_t cpu_ns; /* of the thread */
};

/** Zero-initialised before the first turn. */
struct jr_turn {
    struct jr_mono began;
    int64_t cpu_ns; /* at the end of the last one; 0: none yet */
    struct jr_turn_longest longest;
};
void jr_turn_begin(struct jr_turn *t, struct jr_mono now);
void jr_turn_end(struct jr_turn *t, struct jr_mono now);

#endif
