/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves YAML scalars. */
#include "common/json/yaml_scalar.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "common/base/num.h"

struct word {
    const char *text;
    enum jr_scalar_kind kind;
    double number;
};

static const struct word words[] = {
    { "y", JR_SCALAR_TRUE, 0 },
    { "Y", JR_SCALAR_TRUE, 0 },
    { "yes", JR_SCALAR_TRUE, 0 },
    { "Yes", JR_SCALAR_TRUE, 0 },
    { "YES", JR_SCALAR_TRUE, 0 },
    { "true", JR_SCALAR_TRUE, 0 },
    { "True", JR_SCALAR_TRUE, 0 },
    { "TRUE", JR_SCALAR_TRUE, 0 },
    { "on", JR_SCALAR_TRUE, 0 },
    { "On", JR_SCALAR_TRUE, 0 },
    { "ON", JR_SCALAR_TRUE, 0 },
    { "n", JR_SCALAR_FALSE, 0 },
    { "N", JR_SCALAR_FALSE, 0 },
    { "no", JR_SCALAR_FALSE, 0 },
    { "No", JR_SCALAR_FALSE, 0 },
    { "NO", JR_SCALAR_FALSE, 0 },
    { "false", JR_SCALAR_FALSE, 0 },
    { "False", JR_SCALAR_FALSE, 0 },
    { "FALSE", JR_SCALAR_FALSE, 0 },
    { "off", JR_SCALAR_FALSE, 0 },
    { "Off", JR_SCALAR_FALSE, 0 },
    { "OFF", JR_SCALAR_FALSE, 0 },
    { "", JR_SCALAR_NULL, 0 },
    { "~", JR_SCALAR_NULL, 0 },
    { "null", JR_SCALAR_NULL, 0 },
    { "Null", JR_SCALAR_NULL, 0 },
    { "NULL", JR_SCALAR_NULL, 0 },
    { ".nan", JR_SCALAR_FLOAT, NAN },
    { ".NaN", JR_SCALAR_FLOAT, NAN },
    { ".NAN", JR_SCALAR_FLOAT, NAN },
    { ".inf", JR_SCALAR_FLOAT, HUGE_VAL },
    { ".Inf", JR_SCALAR_FLOAT, HUGE_VAL },
    { ".INF", JR_SCALAR_FLOAT, HUGE_VAL },
    { "+.inf", JR_SCALAR_FLOAT, HUGE_VAL },
    { "+.Inf", JR_SCALAR_FLOAT, HUGE_VAL },
    { "+.INF", JR_SCALAR_FLOAT, HUGE_VAL },
    { "-.inf", JR_SCALAR_FLOAT, -HUGE_VAL },
    { "-.Inf", JR_SCALAR_FLOAT, -HUGE_VAL },
    { "-.INF", JR_SCALAR_FLOAT, -HUGE_VAL },
};

/* The shortest decimal digits that give a number back, and where the point is: 0.d1d2... *
 * 10^point. */
struct decimal {
    char digits[20];
    int n;
    int point;
    bool negative;
};

/* single: digits enough for a float instead of a double. */
static void shortest(double v, bool single, struct decimal *ret)
{
    char text[40];
    const int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    const char *p = text;
    int exp = 0;

    for (int prec = 0; prec < most; prec++) {
        (void)snprintf(text, sizeof(text), "%.*e", prec, v);
        if (single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
            break;
    }
    *ret = (struct decimal){ .negative = *p == '-' };
    for (p += ret->negative ? 1 : 0; *p != '\0' && *p != 'e'; p++) {
        if (*p != '.')
            ret->digits[ret->n++] = *p;
    }
    if (*p == 'e') {
        bool minus = p[1] == '-';

        for (p += 2; *p != '\0'; p++)
            exp = exp * 10 + (*p - '0');
        exp = minus ? -exp : exp;
    }
    while (ret->n > 1 && ret->digits[ret->n - 1] == '0')
        ret->n--;
    ret->point = ret->digits[0] == '0' ? 1 : exp + 1;
}

/* d.ddde+XX, with at least min_exp digits in the exponent. */
static void format_e(const struct decimal *d, int min_exp, char *out, size_t cap)
{
    int exp = d->point - 1;

    (void)snprintf(out, cap, "%s%c%s%.*se%c%0*d", d->negative ? "-" : "", d->digits[0],
                   d->n > 1 ? "." : "", d->n - 1, d->digits + 1, exp < 0 ? '-' : '+', min_exp,
                   exp < 0 ? -exp : exp);
}

static void format_f(const struct decimal *d, char *out, size_t cap)
{
    static const char zeros[] = "0000000000000000000000";
    const char *sign = d->negative ? "-" : "";

    if (d->point <= 0)
        (void)snprintf(out, cap, "%s0.%.*s%.*s", sign, -d->point, zeros, d->n, d->digits);
    else if (d->point >= d->n)
        (void)snprintf(out, cap, "%s%.*s%.*s", sign, d->n, d->digits, d->point - d->n, zeros);
    else
        (void)snprintf(out, cap, "%s%.*s.%.*s", sign, d->point, d->digits, d->n - d->point,
                       d->digits + d->point);
}

void jr_scalar_of_float(double v, struct jr_scalar *ret)
{
    struct decimal d;
    double abs = fabs(v);

    ret->kind = JR_SCALAR_FLOAT;
    ret->number = v;
    if (!isfinite(v))
        return;
    shortest(v, false, &d);
    if (abs != 0 && (abs < 1e-6 || abs >= 1e21))
        format_e(&d, 1, ret->text, sizeof(ret->text));
    else
        format_f(&d, ret->text, sizeof(ret->text));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The base that a prefix says, as Go's ParseInt(s, 0, 64); takes the prefix off. */
static unsigned take_base(struct jr_str *s)
{
    char c;

    if (s->n < 2 || s->p[0] != '0')
        return 10;
    c = s->p[1];
    if (c == 'x' || c == 'X' || c == 'b' || c == 'B' || c == 'o' || c == 'O') {
        *s = jr_str_from(*s, 2);
        return c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : 8;
    }
    *s = jr_str_from(*s, 1);
    return 8;
}

/* An integer of 64 bits, signed or not; the text has no underscores any more. */
static bool set_int(struct jr_str s, struct jr_scalar *ret)
{
    const bool negative = s.n > 0 && s.p[0] == '-';
    const bool sign = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+');
    unsigned base;
    uint64_t v = 0;

    if (sign)
        s = jr_str_from(s, 1);
    base = take_base(&s);
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned d = (unsigned)jr_hex_value(s.p[i]); /* of no digit: greater than any base */

        if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    }
    if (sign && v > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    ret->kind = JR_SCALAR_INT;
    ret->wide = v > (uint64_t)INT64_MAX && !negative;
    (void)snprintf(ret->text, sizeof(ret->text), "%s%llu", negative && v != 0 ? "-" : "",
                   (unsigned long long)v);
    return true;
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

/* [-+]? ( .d+ | d+ (. d*)? ) ([eE] [-+]? d+)?, and within the range of a double. */
static bool set_decimal(const char *text, struct jr_scalar *ret)
{
    const char *p = text, *start;
    double v;

    if (*p == '-' || *p == '+')
        p++;
    start = p;
    p = skip_digits(p);
    if (*p == '.') {
        const char *fraction = p + 1;

        p = skip_digits(fraction);
        if (fraction - 1 == start && p == fraction)
            return false;
    } else if (p == start) {
        return false;
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        start = p;
        p = skip_digits(p);
        if (p == start)
            return false;
    }
    if (*p != '\0')
        return false;
    v = strtod(text, NULL);
    if (!isfinite(v))
        return false;
    jr_scalar_of_float(v, ret);
    return true;
}

/* Go lets underscores stand between digits. */
static bool underscores_fit(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '_' &&
            (i == 0 || i + 1 == s.n || !is_digit(s.p[i - 1]) || !is_digit(s.p[i + 1])))
            return false;
    }
    return true;
}

/* Longer ones are no numbers that anybody wrote by hand. */
#define NUMBER_MAX 1000

static bool set_number(struct jr_str value, struct jr_scalar *ret)
{
    char plain[NUMBER_MAX + 1];
    size_t n = 0;

    if (value.n > NUMBER_MAX || (value.p[0] == '.' && !underscores_fit(value)))
        return false;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '\0')
            return false;
        if (value.p[i] != '_')
            plain[n++] = value.p[i];
    }
    plain[n] = '\0';
    if (value.p[0] != '.' && set_int((struct jr_str){ plain, n }, ret))
        return true;
    return set_decimal(plain, ret);
}

void jr_scalar_resolve(struct jr_str value, struct jr_scalar *ret)
{
    ret->kind = JR_SCALAR_STRING;
    ret->wide = false;
    if (value.n <= 5) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(words); i++) {
            if (!jr_str_is(value, words[i].text))
                continue;
            if (words[i].kind == JR_SCALAR_FLOAT)
                jr_scalar_of_float(words[i].number, ret);
            else
                ret->kind = words[i].kind;
            return;
        }
    }
    if (value.n > 0 && (is_digit(value.p[0]) || strchr("+-.", value.p[0]) != NULL))
        (void)set_number(value, ret);
}

#define TAG "tag:yaml.org,2002:"

enum jr_status jr_scalar_resolve_tag(struct jr_str value, struct jr_str tag, struct jr_scalar *ret)
{
    bool fits;

    ret->kind = JR_SCALAR_STRING;
    if (jr_str_eq(tag, JR_S(TAG "bool"))) {
        jr_scalar_resolve(value, ret);
        fits = ret->kind == JR_SCALAR_TRUE || ret->kind == JR_SCALAR_FALSE;
    } else if (jr_str_eq(tag, JR_S(TAG "int"))) {
        jr_scalar_resolve(value, ret);
        fits = ret->kind == JR_SCALAR_INT;
    } else if (jr_str_eq(tag, JR_S(TAG "float"))) {
        jr_scalar_resolve(value, ret);
        if (ret->kind == JR_SCALAR_INT && !ret->wide)
            jr_scalar_of_float(strtod(ret->text, NULL), ret);
        fits = ret->kind == JR_SCALAR_FLOAT;
    } else if (jr_str_eq(tag, JR_S(TAG "null"))) {
        jr_scalar_resolve(value, ret);
        fits = ret->kind == JR_SCALAR_NULL;
    } else {
        fits = true; /* !!str, !!timestamp, foreign ones */
    }
    return fits ? JR_OK : JR_INVALID;
}

/* As Go's FormatFloat(v, 'g', -1, 32). */
static struct jr_str float_key(double v, char buf[64])
{
    struct decimal d;

    if (isnan(v))
        return JR_S(".nan");
    if (isinf((float)v))
        return v < 0 ? JR_S("-.inf") : JR_S(".inf");
    shortest((double)(float)v, true, &d);
    if (d.point - 1 < -4 || d.point - 1 >= 6)
        format_e(&d, 2, buf, 64);
    else
        format_f(&d, buf, 64);
    return jr_str(buf);
}

enum jr_status jr_scalar_key(const struct jr_scalar *s, struct jr_str value, char buf[64],
                             struct jr_str *ret)
{
    switch (s->kind) {
    case JR_SCALAR_STRING:
        *ret = value;
        return JR_OK;
    case JR_SCALAR_TRUE:
        *ret = JR_S("true");
        return JR_OK;
    case JR_SCALAR_FALSE:
        *ret = JR_S("false");
        return JR_OK;
    case JR_SCALAR_INT:
        *ret = (struct jr_str){ memcpy(buf, s->text, strlen(s->text) + 1), strlen(s->text) };
        return s->wide ? JR_INVALID : JR_OK;
    case JR_SCALAR_FLOAT:
        *ret = float_key(s->number, buf);
        return JR_OK;
    case JR_SCALAR_NULL:
        break;
    }
    return JR_INVALID;
}
