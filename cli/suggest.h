/* SPDX-License-Identifier: Apache-2.0 */
/* What an unknown field was probably meant to be. Pure. */
#ifndef JR_CLI_SUGGEST_H
#define JR_CLI_SUGGEST_H

#include "common/json/field_path.h"
#include "common/schema/schema.h"

/** "did you mean "completions"?" for the unknown field at path, in the struct `in`: a name much
 * like it there, or the place in the object where a field of its name belongs, of those that
 * Kubernetes 1.minor knows, the nearest to where it was written. root: the object's type. NULL if
 * there is nothing like it, or no memory. In the arena. */
const char *jr_suggest(const struct jr_schema_type *root, const struct jr_schema_type *in,
                       const struct jr_field_path *path, unsigned minor, struct jr_arena *arena);

/** How many letters must be added, dropped, replaced or swapped with a neighbour to make b of a,
 * capitals being no others; `limit` + 1 where it is more than limit. Names of more than 63 letters
 * are not like any other. */
unsigned jr_suggest_distance(struct jr_str a, struct jr_str b, unsigned limit);

#endif
