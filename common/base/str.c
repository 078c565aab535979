/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on borrowed text. */
#include "common/base/str.h"

int jr_str_cmp(struct jr_str a, struct jr_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

    if (c != 0)
        return c < 0 ? -1 : 1;
    return (a.n > b.n) - (a.n < b.n);
}

int jr_str_order(const void *a, const void *b)
{
    return jr_str_cmp(*(const struct jr_str *)a, *(const struct jr_str *)b);
}

bool jr_str_starts(struct jr_str s, struct jr_str prefix)
{
    return jr_str_eq(jr_str_head(s, prefix.n), prefix);
}

bool jr_str_ends(struct jr_str s, struct jr_str suffix)
{
    return suffix.n <= s.n && jr_str_eq(jr_str_from(s, s.n - suffix.n), suffix);
}

ptrdiff_t jr_str_find(struct jr_str s, char c)
{
    const char *at = s.n == 0 ? NULL : memchr(s.p, c, s.n);

    return at == NULL ? -1 : at - s.p;
}

ptrdiff_t jr_str_rfind(struct jr_str s, char c)
{
    const char *at = s.n == 0 ? NULL : memrchr(s.p, c, s.n);

    return at == NULL ? -1 : at - s.p;
}

struct jr_str jr_str_from(struct jr_str s, size_t at)
{
    if (at > s.n)
        at = s.n;
    if (at == 0) /* NULL + 0 is undefined in C */
        return s;
    return (struct jr_str){ s.p + at, s.n - at };
}

struct jr_str jr_str_head(struct jr_str s, size_t n)
{
    return (struct jr_str){ s.p, n < s.n ? n : s.n };
}

bool jr_str_cut(struct jr_str *s, char sep, struct jr_str *ret)
{
    ptrdiff_t at;

    if (s->n == 0)
        return false;
    at = jr_str_find(*s, sep);
    if (at < 0) {
        *ret = *s;
        *s = jr_str_from(*s, s->n);
    } else {
        *ret = jr_str_head(*s, (size_t)at);
        *s = jr_str_from(*s, (size_t)at + 1);
    }
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct jr_str jr_str_trim(struct jr_str s)
{
    while (s.n > 0 && is_space(s.p[0]))
        s = jr_str_from(s, 1);
    while (s.n > 0 && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

char *jr_str_dup(struct jr_str s)
{
    char *p = s.n == SIZE_MAX ? NULL : malloc(s.n + 1);

    if (p == NULL)
        return NULL;
    if (s.n > 0)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return p;
}
