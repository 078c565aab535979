/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding a tree by the tables of schema.h, into C structs, with Go's words for what can't be. For
 * text see decode.h. */
#ifndef JR_SCHEMA_DECODE_TREE_H
#define JR_SCHEMA_DECODE_TREE_H

#include "common/base/arena.h"
#include "common/json/doc.h"
#include "common/json/field_path.h"
#include "common/schema/schema.h"

/** A value of a wrong type; why is NULL if there is none. Texts are in the arena. */
struct jr_type_error {
    const char *why;  /* Go's words: json: cannot unmarshal string into Go struct field ... */
    const char *type; /* that it should have */
    const struct jr_field_path *path;
    struct jr_str field; /* the path, rendered: spec.template.spec.containers[0].name */
};
/** The first value of a wrong type among the fields that Kubernetes 1.minor knows; minor 0: among
 * those that are kept. type may be NULL: nothing is known of the object. Errors: JR_NOMEM. */
enum jr_status jr_schema_type_error(const struct jr_schema_type *type, const struct jr_node *object,
                                    unsigned minor, struct jr_arena *arena,
                                    struct jr_type_error *ret) JR_MUST_USE;

/** Returns in a reader's words what a value of a Go type is, as jr_type_error.type names it: "a
 * whole number" of int32. */
const char *jr_schema_type_words(const char *type);

/** The same as jr_schema_type_error, and what the rows keep goes into *out, the type's C struct,
 * zeroed; it is of no use where a type is wrong. Strings lie in the tree, arrays in the arena.
 * minor 0: an API server has read the object, so that only what is kept is looked at, and times are
 * those that it may serve.
 */
enum jr_status jr_schema_decode_tree(const struct jr_schema_type *type,
                                     const struct jr_node *object, unsigned minor,
                                     struct jr_arena *arena, void *out,
                                     struct jr_type_error *ret) JR_MUST_USE;
#endif
