/* SPDX-License-Identifier: Apache-2.0 */
/* An arena with a byte limit: many allocations, one end. */
#ifndef JR_BASE_ARENA_H
#define JR_BASE_ARENA_H

#include <stdarg.h>

#include "common/base/error.h"

struct jr_arena_block;
struct jr_arena {
    struct jr_arena_block *head;
    size_t used;  /* bytes handed out */
    size_t limit; /* most bytes it may hand out; 0 = no limit */
    size_t first; /* of the first block; 0: for something large that passes */
};

void jr_arena_init(struct jr_arena *a, size_t limit);
/** The same for what is kept: the first block has `first` bytes, about what will be needed, and
 * what more is needed comes in small ones. */
void jr_arena_init_kept(struct jr_arena *a, size_t limit, size_t first);
/** Frees all of it; safe on a zeroed arena and twice. */
void jr_arena_done(struct jr_arena *a);
/** Forgets all allocations, keeps one block for reuse. */
void jr_arena_reset(struct jr_arena *a);
/** Moves all of from's allocations into the arena, whatever its limit; from is empty then. */
void jr_arena_adopt(struct jr_arena *a, struct jr_arena *from);
/** Zeroed, aligned for any type; NULL without memory or past the limit. n = 0 gives a valid
 * pointer. */
void *jr_arena_alloc(struct jr_arena *a, size_t n) JR_MUST_USE;
/** count * size, NULL also on overflow. */
void *jr_arena_calloc(struct jr_arena *a, size_t count, size_t size) JR_MUST_USE;
/** Returns the array v of n elements of `size` bytes with room for one more: v, or a copy of twice
 * the size, *cap being raised. What lies behind the n elements is zeroed in a copy. NULL: as for
 * jr_arena_calloc; v is as it was. */
void *jr_arena_room(struct jr_arena *a, void *v, size_t n, size_t *cap, size_t size) JR_MUST_USE;
/** Copies s, NUL-terminated behind its length. On failure false and *ret untouched. */
bool jr_arena_str(struct jr_arena *a, struct jr_str s, struct jr_str *ret) JR_MUST_USE;
/** A formatted, NUL-terminated text; NULL without memory. */
const char *jr_arena_printf(struct jr_arena *a, const char *fmt, ...) JR_PRINTF(2, 3) JR_MUST_USE;
const char *jr_arena_vprintf(struct jr_arena *a, const char *fmt, va_list ap)
    JR_PRINTF(2, 0) JR_MUST_USE;

#define JR_ARENA JR_CLEANUP(jr_arena_done) struct jr_arena

#endif
