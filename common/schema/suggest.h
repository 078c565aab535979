/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses what an unknown field was meant to be. Pure. */
#ifndef JR_SCHEMA_SUGGEST_H
#define JR_SCHEMA_SUGGEST_H

#include "common/json/field_path.h"
#include "common/schema/schema.h"

/** Says what the unknown field at path, in the struct `in`, was meant to be, as "did you mean
 * "completions"?": a name much like it there, or the place in the object where a field of its name
 * belongs, of those that Kubernetes 1.minor knows, the nearest to where it was written. root: the
 * object's type. *ret is in the arena, NULL where there is nothing like it. Errors: JR_NOMEM. */
enum jr_status jr_suggest(const struct jr_schema_type *root, const struct jr_schema_type *in,
                          const struct jr_field_path *path, unsigned minor, struct jr_arena *arena,
                          const char **ret) JR_MUST_USE;

/** How many letters must be added, dropped, replaced or swapped with a neighbour to make b of a,
 * capitals being no others; `limit` + 1 where it is more than limit. Names of more than 63 letters
 * are not like any other. */
unsigned jr_suggest_distance(struct jr_str a, struct jr_str b, unsigned limit);

#endif
