/* Included into every source of a build with mutants (gcc -include): which of them is on. 0: none. */
#ifndef JR_TESTS_MUTANT_H
#define JR_TESTS_MUTANT_H

#include <stdlib.h>

/* One for the whole program, in whichever object comes first. */
__attribute__((weak)) long jr_mutant;

__attribute__((weak, constructor)) void jr_mutant_choose(void)
{
    const char *name = getenv("JR_MUTANT");

    jr_mutant = name == NULL ? 0 : strtol(name, NULL, 10);
}

#endif
