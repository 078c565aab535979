/* SPDX-License-Identifier: Apache-2.0 */
/* Characters out of bytes that may be anything. */
#ifndef JR_BASE_UTF8_H
#define JR_BASE_UTF8_H

#include "common/base/str.h"

#define JR_UTF8_BAD UINT32_C(0xfffd)
/** U+FFFD itself in UTF-8. */
#define JR_UTF8_BAD_S JR_S("\xef\xbf\xbd")

/** Length of the UTF-8 sequence at p (1 to 4), 0 if it is none: overlong forms, surrogates and
 * anything past U+10FFFF are none. p < end. */
size_t jr_utf8_length(const char *p, const char *end);
/** Decodes the character at the front of s (s.n > 0) and returns its length in bytes. A byte that
 * starts no well-formed character (overlong forms and surrogates are none) has length 1, *ret_bad
 * is true. */
size_t jr_utf8_next(struct jr_str s, uint32_t *ret, bool *ret_bad);
/** The first n bytes of s at most: no character is cut in two. */
struct jr_str jr_utf8_head(struct jr_str s, size_t n);

#endif
