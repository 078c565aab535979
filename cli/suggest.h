/* What an unknown field was probably meant to be. Pure. */
#ifndef JR_CLI_SUGGEST_H
#define JR_CLI_SUGGEST_H

#include "common/base/arena.h"
#include "devcluster/store/resource.h"

/** "did you mean "completions"?" for the unknown field at path (spec.compeltions): a name much like
 * it beside it, or the place where a field of its name belongs. NULL if there is nothing like it,
 * or no memory. In the arena. */
const char *jr_suggest(const struct dev_resource *res, struct jr_str path, struct jr_arena *arena);

/** How many letters must be added, dropped, replaced or swapped with a neighbour to make b of a,
 * capitals being no others; `limit` + 1 where it is more than limit. Names of more than 63 letters
 * are not like any other. */
unsigned jr_suggest_distance(struct jr_str a, struct jr_str b, unsigned limit);

#endif
