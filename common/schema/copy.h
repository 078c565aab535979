/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copies of C structs that were decoded by the tables of schema.h: into memory of their exact
 * size, without decoding again. */
#ifndef JR_SCHEMA_COPY_H
#define JR_SCHEMA_COPY_H

#include "common/base/arena.h"
#include "common/schema/schema.h"

/** Where a copy's parts go. */
struct jr_schema_copy {
    struct jr_arena *arena;
    struct jr_str from; /* the text that the struct was decoded from; {NULL, 0}: none is shared */
    struct jr_str to;   /* the same text, where the copy's strings shall point into it */
};

/** Makes *object, which is a copy byte by byte of a C struct of that type, a deep one: its arrays
 * and the strings that aren't in the text get memory in the arena, the other strings point into
 * `to`. What no row of the tables keeps stays as it is. Takes no more of the arena than decoding
 * did. Errors: JR_NOMEM; JR_USAGE for a type that keeps a tape. */
enum jr_status jr_schema_deepen(const struct jr_schema_copy *c, const struct jr_schema_type *type,
                                void *object) JR_MUST_USE;

#endif
