/* SPDX-License-Identifier: Apache-2.0 */
/* Characters out of bytes. */
#include "common/base/utf8.h"

static inline bool is_cont(const char *p)
{
    return ((unsigned char)*p & 0xc0) == 0x80;
}

size_t jr_utf8_length(const char *p, const char *end)
{
    const unsigned char c = (unsigned char)p[0];
    const ptrdiff_t left = end - p;
    unsigned char d;

    if (c < 0x80)
        return 1;
    if (c < 0xc2 || c > 0xf4 || left < 2 || !is_cont(p + 1))
        return 0;
    if (c < 0xe0)
        return 2;
    d = (unsigned char)p[1];
    if (left < 3 || !is_cont(p + 2))
        return 0;
    if (c < 0xf0)
        return (c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) ? 0 : 3;
    if (left < 4 || !is_cont(p + 3))
        return 0;
    return (c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f) ? 0 : 4;
}

size_t jr_utf8_next(struct jr_str s, uint32_t *ret, bool *ret_bad)
{
    static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    const size_t n = jr_utf8_length(s.p, s.p + s.n);
    uint32_t c = (unsigned char)s.p[0] & masks[n];

    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)s.p[i] & 0x3f);
    *ret = n == 0 ? JR_UTF8_BAD : c;
    *ret_bad = n == 0;
    return n == 0 ? 1 : n;
}

struct jr_str jr_utf8_head(struct jr_str s, size_t n)
{
    if (s.n <= n)
        return s;
    while (n > 0 && is_cont(s.p + n))
        n--;
    return jr_str_head(s, n);
}
