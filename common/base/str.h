/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed text: a pointer and a length, never owned, not NUL-terminated. */
#ifndef JR_BASE_STR_H
#define JR_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/cleanup.h"

/** Borrowed bytes. p may be NULL when n is 0; {NULL, 0} also stands for "absent" where a field says
 * so. */
struct jr_str {
    const char *p;
    size_t n;
};

/** A view of a string literal. */
#define JR_S(lit) ((struct jr_str){ "" lit, sizeof(lit) - 1 })
/** For printf("%.*s", JR_P(s)). */
#define JR_P(s) (int)(s).n, (s).p == NULL ? "" : (s).p

/** A view of a NUL-terminated string; NULL gives {NULL, 0}. */
static inline struct jr_str jr_str(const char *s)
{
    return (struct jr_str){ s, s == NULL ? 0 : strlen(s) };
}

static inline bool jr_str_eq(struct jr_str a, struct jr_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool jr_str_is(struct jr_str a, const char *b)
{
    return jr_str_eq(a, jr_str(b));
}

/** Byte order, as strcmp. */
int jr_str_cmp(struct jr_str a, struct jr_str b);
/** Compares two `const struct jr_str *` likewise, for qsort and bsearch. */
int jr_str_order(const void *a, const void *b);
bool jr_str_starts(struct jr_str s, struct jr_str prefix);
bool jr_str_ends(struct jr_str s, struct jr_str suffix);
/** Offset of the first (last) c in s, or -1. */
ptrdiff_t jr_str_find(struct jr_str s, char c);
ptrdiff_t jr_str_rfind(struct jr_str s, char c);
/** s from offset at on; at is clamped to the length. */
struct jr_str jr_str_from(struct jr_str s, size_t at);
/** The first n bytes of s; n is clamped to the length. */
struct jr_str jr_str_head(struct jr_str s, size_t n);
/** Takes the part up to sep (or all) off the front of *s; false when *s is exhausted. "a,,b" gives
 *  3 parts; an empty part at the very end gives none: "a," is 1 part, "" is 0. */
bool jr_str_cut(struct jr_str *s, char sep, struct jr_str *ret);
struct jr_str jr_str_trim(struct jr_str s);
/** Copies s to *to, which then stands behind the copy; a view of the copy. */
static inline struct jr_str jr_str_put(char **to, struct jr_str s)
{
    const struct jr_str copy = { *to, s.n };

    if (s.n > 0)
        memcpy(*to, s.p, s.n);
    *to += s.n;
    return copy;
}
/** A NUL-terminated copy from malloc, NULL without memory. */
char *jr_str_dup(struct jr_str s) JR_MUST_USE;

#endif
