/* SPDX-License-Identifier: Apache-2.0 */
/* Included into every source of a build with mutants (gcc -include): which of them is on. 0: none.
 */
#ifndef JR_TESTS_MUTANT_H
#define JR_TESTS_MUTANT_H

#include <stdlib.h>

/* One for the whole program, in whichever object comes first. */
__attribute__((weak)) long jr_mutant;

__attribute__((weak, constructor)) void jr_mutant_choose(void)
{
    const char *name = getenv("JR_MUTANT");

    jr_mutant = 0;
    while (name != NULL && *name >= '0' && *name <= '9')
        jr_mutant = jr_mutant * 10 + (*name++ - '0');
}

#endif
