/* SPDX-License-Identifier: Apache-2.0 */
/* Deep copies of C structs that were decoded by the tables of schema.h: to keep an object in memory
 * of its exact size without decoding it twice. */
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

/** Copies a C struct of that type, which has one, to *out, as DeepCopy does in Go: arrays, and the
 * strings that aren't in the text, get memory in the arena, the other strings point into `to`. What
 * no row of the tables keeps is copied as it is. Takes no more of the arena than decoding did.
 * Errors: JR_NOMEM, and *out is of no use then; JR_USAGE for a type that keeps a tape. */
enum jr_status jr_schema_deep_copy(const struct jr_schema_copy *c,
                                   const struct jr_schema_type *type, const void *object,
                                   void *out) JR_MUST_USE;

#endif
