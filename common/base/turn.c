/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the turns of a loop. */
#include "common/base/turn.h"

#include <time.h>

static int64_t cpu_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * JR_SEC + t.tv_nsec;
}

void jr_turn_begin(struct jr_turn *t, struct jr_mono now)
{
    t->began = now;
    if (t->cpu_ns == 0)
        t->cpu_ns = cpu_ns();
}

void jr_turn_end(struct jr_turn *t, struct jr_mono now)
{
    int64_t ns = now.ns - t->began.ns, until = cpu_ns(), cpu = until - t->cpu_ns;

    t->cpu_ns = until; /* waiting takes next to none: one system call a turn will do */
    if (ns > t->longest.ns)
        t->longest.ns = ns;
    if (cpu > t->longest.cpu_ns)
        t->longest.cpu_ns = cpu;
}
