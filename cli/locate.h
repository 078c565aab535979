/* Where in an object a field error has its cause. Pure. */
#ifndef JR_CLI_LOCATE_H
#define JR_CLI_LOCATE_H

#include "common/api/field_error.h"
#include "common/json/doc.h"

/** The value at a field path ("spec.template.spec.containers[0].name", "metadata.labels[a/b]"),
 * NULL if it is not there. */
const struct jr_node *jr_locate(const struct jr_node *root, struct jr_str path);

/** The path of what an error is about, in the arena: that of the error's field, but closer where
 * the API server names only the map that a bad key or value is in, and right where it forgets a
 * part (spec.template.labels). {NULL, 0} without memory. */
struct jr_str jr_locate_cause(const struct jr_node *root, const struct jr_field_error *e,
                              struct jr_arena *arena);

/** Calls fn with the path of each value that is there and matches a pattern (names with dots
 * between, "[*]" for each element), below `at`, which is the path of root. Paths are borrowed for
 * the call. Errors: JR_NOMEM. */
enum jr_status jr_locate_each(const struct jr_node *root, struct jr_str at, const char *pattern,
                              enum jr_status (*fn)(void *ctx, struct jr_str path),
                              void *ctx) JR_MUST_USE;

#endif
