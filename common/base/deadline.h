/* SPDX-License-Identifier: Apache-2.0 */
/* Until when work may go on: loops over what others have written look at it, and stop or yield.
 * Pure code is handed one, and reads no clock by itself. */
#ifndef JR_BASE_DEADLINE_H
#define JR_BASE_DEADLINE_H

#include "common/base/clock.h"

/** Steps between two looks at the clock: a look costs some 25 ns, a step of most loops more. */
#define JR_DEADLINE_STEPS 32

/** Zero-initialised there is no end. One thread's. */
struct jr_deadline {
    const struct jr_clock *clock; /* borrowed; NULL: never over */
    struct jr_mono at;
    unsigned left; /* steps until the next look */
    bool over;     /* sticks */
};

/** Over at that time. */
static inline struct jr_deadline jr_deadline_at(const struct jr_clock *clock, struct jr_mono at)
{
    return (struct jr_deadline){ .clock = clock, .at = at };
}

/** Whether the time is over, by a look at the clock now. d may be NULL: it never is. */
static inline bool jr_deadline_over(struct jr_deadline *d)
{
    if (d == NULL || d->clock == NULL)
        return false;
    d->left = JR_DEADLINE_STEPS;
    if (!d->over)
        d->over = d->clock->mono(d->clock->self).ns >= d->at.ns;
    return d->over;
}

/** The same, with a look each JR_DEADLINE_STEPS calls alone; the first call doesn't look, so that
 * each turn gets something done. */
static inline bool jr_deadline_step(struct jr_deadline *d)
{
    if (d == NULL || d->clock == NULL || d->over)
        return d != NULL && d->over;
    if (d->left == 0)
        d->left = JR_DEADLINE_STEPS;
    return --d->left == 0 && jr_deadline_over(d);
}

#endif
