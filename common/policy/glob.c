/* SPDX-License-Identifier: Apache-2.0 */
/* Globs with * and ?: literal parts are searched for, so that one takes time by the text's length.
 */
#include "common/policy/policy.h"

bool jr_is_glob(struct jr_str s)
{
    return jr_str_find(s, '*') >= 0 || jr_str_find(s, '?') >= 0;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/** Matches a part without '*' in front of s: '?' is a character, which may be several bytes.
 * Returns how many bytes of s it takes; -1: it doesn't match. */
static ptrdiff_t match_front(struct jr_str part, struct jr_str s)
{
    size_t i = 0;

    for (size_t g = 0; g < part.n; g++) {
        if (i == s.n || (part.p[g] != '?' && part.p[g] != s.p[i]))
            return -1;
        i++;
        while (part.p[g] == '?' && i < s.n && is_continuation(s.p[i]))
            i++;
    }
    return (ptrdiff_t)i;
}

/** Likewise at the end of s. */
static bool matches_end(struct jr_str part, struct jr_str s)
{
    while (part.n > 0 && s.n > 0) {
        const char g = part.p[--part.n];

        s.n--;
        while (g == '?' && s.n > 0 && is_continuation(s.p[s.n]))
            s.n--;
        if (g != '?' && g != s.p[s.n])
            return false;
    }
    return part.n == 0;
}

/* Longer texts are searched in time by their length alone. */
#define SHORT_TEXT ((size_t)256)

static const char *find_literal(struct jr_str part, struct jr_str s)
{
    if (s.n > SHORT_TEXT)
        return memmem(s.p, s.n, part.p, part.n);
    for (size_t i = 0; i + part.n <= s.n; i++) {
        if (s.p[i] == part.p[0] && memcmp(s.p + i, part.p, part.n) == 0)
            return s.p + i;
    }
    return NULL;
}

/** Cuts *s behind the first place where the part matches; false: there is none. */
static bool find_part(struct jr_str part, struct jr_str *s)
{
    if (part.n == 0)
        return true;
    if (jr_str_find(part, '?') < 0) {
        const char *at = find_literal(part, *s);

        if (at != NULL)
            *s = jr_str_from(*s, (size_t)(at - s->p) + part.n);
        return at != NULL;
    }
    for (size_t from = 0; from < s->n; from++) {
        const ptrdiff_t n =
            is_continuation(s->p[from]) ? -1 : match_front(part, jr_str_from(*s, from));

        if (n >= 0) {
            *s = jr_str_from(*s, from + (size_t)n);
            return true;
        }
    }
    return false;
}

/** Whether a byte of the glob, at either end, can't be that of the text. */
static bool differs(char g, char c)
{
    return g != c && g != '*' && g != '?';
}

/* The first place where a part fits leaves the most for the parts behind it. */
bool jr_glob_matches(struct jr_str glob, struct jr_str s)
{
    ptrdiff_t star, front, next;

    /* Most globs match none of the texts that they meet, which the ends tell. */
    if (glob.n > 0 && s.n > 0 &&
        (differs(glob.p[0], s.p[0]) || differs(glob.p[glob.n - 1], s.p[s.n - 1])))
        return false;
    star = jr_str_find(glob, '*');
    front = match_front(star < 0 ? glob : jr_str_head(glob, (size_t)star), s);
    if (front < 0 || star < 0)
        return front == (ptrdiff_t)s.n;
    s = jr_str_from(s, (size_t)front);
    glob = jr_str_from(glob, (size_t)star + 1);
    while ((next = jr_str_find(glob, '*')) >= 0) {
        if (!find_part(jr_str_head(glob, (size_t)next), &s))
            return false;
        glob = jr_str_from(glob, (size_t)next + 1);
    }
    return matches_end(glob, s);
}

bool jr_globs_match(const struct jr_strs *globs, struct jr_str s)
{
    for (size_t i = 0; i < globs->n; i++) {
        if (jr_glob_matches(globs->v[i], s))
            return true;
    }
    return false;
}
