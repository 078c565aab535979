/* SPDX-License-Identifier: Apache-2.0 */
/* Parses numbers and durations. */
#include "common/base/num.h"

#include <math.h>
#include <stdlib.h>

#define REAL_MAX 64 /* characters */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** One or more digits and nothing else. */
static enum jr_status digits(struct jr_str s, uint64_t *ret)
{
    bool over = false;
    uint64_t v = 0;

    if (s.n == 0)
        return JR_SYNTAX;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_digit(s.p[i]))
            return JR_SYNTAX;
        /* Go on to the end: malformed text is a syntax error, however large its front. */
        over = over || __builtin_mul_overflow(v, UINT64_C(10), &v) ||
               __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v);
    }
    if (over)
        return JR_RANGE;
    *ret = v;
    return JR_OK;
}

static bool has_leading_zero(struct jr_str s)
{
    return s.n > 1 && s.p[0] == '0';
}

static enum jr_status apply_sign(bool neg, uint64_t u, int64_t *ret)
{
    if (neg) {
        if (u > (uint64_t)INT64_MAX + 1)
            return JR_RANGE;
        *ret = u == (uint64_t)INT64_MAX + 1 ? INT64_MIN : -(int64_t)u;
        return JR_OK;
    }
    if (u > (uint64_t)INT64_MAX)
        return JR_RANGE;
    *ret = (int64_t)u;
    return JR_OK;
}

enum jr_status jr_parse_i64(struct jr_str s, int64_t min, int64_t max, int64_t *ret)
{
    bool neg = s.n > 0 && s.p[0] == '-';
    enum jr_status st;
    uint64_t u;
    int64_t v;

    if (neg)
        s = jr_str_from(s, 1);
    st = digits(s, &u);
    if (st != JR_SYNTAX && has_leading_zero(s))
        st = JR_SYNTAX;
    if (st == JR_OK)
        st = apply_sign(neg, u, &v);
    if (st != JR_OK)
        return st;
    if (v < min || v > max)
        return JR_RANGE;
    *ret = v;
    return JR_OK;
}

enum jr_status jr_parse_u64(struct jr_str s, uint64_t *ret)
{
    if (has_leading_zero(s))
        return JR_SYNTAX;
    return digits(s, ret);
}

enum jr_status jr_parse_real(struct jr_str s, double *ret)
{
    char text[REAL_MAX];
    char *end = NULL;
    double v;

    if (s.n == 0 || s.n >= sizeof(text))
        return JR_SYNTAX;
    for (size_t i = 0; i < s.n; i++) { /* strtod takes more: spaces, names, hexadecimal */
        if (!is_digit(s.p[i]) && jr_str_find(JR_S("+-.eE"), s.p[i]) < 0)
            return JR_SYNTAX;
        text[i] = s.p[i];
    }
    text[s.n] = '\0';
    v = strtod(text, &end);
    if (end != text + s.n)
        return JR_SYNTAX;
    if (!isfinite(v))
        return JR_RANGE;
    *ret = v;
    return JR_OK;
}

enum jr_status jr_parse_go_int(struct jr_str s, int64_t *ret)
{
    bool neg = s.n > 0 && s.p[0] == '-';
    enum jr_status st;
    uint64_t u;

    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = jr_str_from(s, 1);
    st = digits(s, &u);
    return st == JR_OK ? apply_sign(neg, u, ret) : st;
}

/** Takes one unit ("ms") off the front of *s. */
static bool take_unit(struct jr_str *s, uint64_t *ret_ns)
{
    static const struct {
        struct jr_str name;
        uint64_t ns;
    } units[] = {
        { { "ns", 2 }, 1 },
        { { "us", 2 }, 1000 },
        { { "\xc2\xb5s", 3 }, 1000 }, /* U+00B5, the micro sign */
        { { "\xce\xbcs", 3 }, 1000 }, /* U+03BC, Greek mu */
        { { "ms", 2 }, 1000000 },
        { { "s", 1 }, 1000000000 },
        { { "m", 1 }, 60 * UINT64_C(1000000000) },
        { { "h", 1 }, 3600 * UINT64_C(1000000000) },
    };
    size_t n = 0;

    while (n < s->n && s->p[n] != '.' && !is_digit(s->p[n]))
        n++;
    for (size_t i = 0; i < JR_ARRAY_SIZE(units); i++) {
        if (jr_str_eq(jr_str_head(*s, n), units[i].name)) {
            *s = jr_str_from(*s, n);
            *ret_ns = units[i].ns;
            return true;
        }
    }
    return false;
}

struct jr_str jr_take_digits(struct jr_str *s)
{
    size_t n = 0;
    struct jr_str d;

    while (n < s->n && is_digit(s->p[n]))
        n++;
    d = jr_str_head(*s, n);
    *s = jr_str_from(*s, n);
    return d;
}

/** "1.5h": digits, a fraction, a unit; added to *ns. As in Go, digits may lack on one side of the
 * dot, and a fraction beyond what 64 bits hold is cut. */
static enum jr_status take_term(struct jr_str *s, uint64_t *ns)
{
    struct jr_str whole = jr_take_digits(s), frac = { NULL, 0 };
    uint64_t v = 0, f = 0, unit;
    enum jr_status st = JR_OK;
    double scale = 1;

    if (s->n > 0 && s->p[0] == '.') {
        *s = jr_str_from(*s, 1);
        frac = jr_take_digits(s);
    }
    if ((whole.n == 0 && frac.n == 0) || !take_unit(s, &unit))
        return JR_SYNTAX;
    if (whole.n > 0)
        st = digits(whole, &v);
    for (size_t i = 0; i < frac.n && f <= (uint64_t)INT64_MAX / 10 - 1; i++, scale *= 10)
        f = f * 10 + (uint64_t)(frac.p[i] - '0');
    if (st != JR_OK || __builtin_mul_overflow(v, unit, &v) ||
        __builtin_add_overflow(v, (uint64_t)((double)f * ((double)unit / scale)), &v) ||
        __builtin_add_overflow(*ns, v, ns))
        return JR_RANGE;
    return JR_OK;
}

enum jr_status jr_parse_duration_ms(struct jr_str s, int64_t *ret)
{
    bool neg = s.n > 0 && s.p[0] == '-';
    enum jr_status st = JR_OK;
    uint64_t ns = 0;
    int64_t v;

    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = jr_str_from(s, 1);
    if (s.n == 0)
        return JR_SYNTAX;
    if (jr_str_is(s, "0")) {
        *ret = 0;
        return JR_OK;
    }
    while (s.n > 0) {
        enum jr_status term = take_term(&s, &ns);

        if (term == JR_SYNTAX)
            return term;
        if (term != JR_OK)
            st = term;
    }
    if (st == JR_OK)
        st = apply_sign(neg, ns, &v);
    if (st != JR_OK)
        return st;
    *ret = v / 1000000 - (v % 1000000 < 0 ? 1 : 0);
    return JR_OK;
}
