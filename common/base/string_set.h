/* SPDX-License-Identifier: Apache-2.0 */
/* A set of texts that lives in an arena. */
#ifndef JR_BASE_STRING_SET_H
#define JR_BASE_STRING_SET_H

#include "common/base/arena.h"

/** Open addressing; JR_STRING_SET() is an empty one. The texts are borrowed. */
struct jr_string_set {
    struct jr_arena *arena;
    enum jr_status *status; /* becomes JR_NOMEM without memory */
    struct jr_str *slots;   /* p = NULL: free */
    size_t cap;             /* a power of two, 0 at first */
    size_t n;
};
/** In the arena of owner_, a struct jr_errlist or jr_warnings, whose `failed` says if memory is
 * wanting. */
#define JR_STRING_SET(owner_) \
    ((struct jr_string_set){ .arena = (owner_)->arena, .status = &(owner_)->failed })

/** Adds s; false if it was there. {NULL, 0} is taken for "". */
bool jr_string_set_add(struct jr_string_set *t, struct jr_str s);
bool jr_string_set_has(const struct jr_string_set *t, struct jr_str s);

#endif
