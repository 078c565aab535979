/* SPDX-License-Identifier: Apache-2.0 */
/* Parses, compares, adds and writes quantities. */
#include "common/schema/quantity.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/num.h"

#define NANO (-9)
/* 2^63-1, the most that a binary quantity may be. */
#define BINARY_MAX "9223372036854775807"

/* ---- digits ---- */

/** Brings the digits into their form: no zeros in front, none behind. */
static void normalize(struct jr_quantity *q)
{
    uint32_t lead = 0;

    while (lead < q->n && q->digits[lead] == '0')
        lead++;
    if (lead > 0) {
        memmove(q->digits, q->digits + lead, q->n - lead);
        q->n -= lead;
    }
    while (q->n > 0 && q->digits[q->n - 1] == '0') {
        q->n--;
        q->exp++;
    }
    if (q->n == 0) {
        q->exp = 0;
        q->negative = false;
    }
}

/** Multiplies the digits by a number below 2^60. False: no room. */
static bool multiply(struct jr_quantity *q, uint64_t by)
{
    char out[JR_QUANTITY_DIGITS];
    uint64_t carry = 0;
    uint32_t n = 0;

    for (uint32_t i = q->n; i > 0 || carry > 0;) {
        uint64_t v = carry;

        if (i > 0)
            v += (uint64_t)(q->digits[--i] - '0') * by;
        if (n == JR_QUANTITY_DIGITS)
            return false;
        out[JR_QUANTITY_DIGITS - ++n] = (char)('0' + v % 10);
        carry = v / 10;
    }
    memcpy(q->digits, out + JR_QUANTITY_DIGITS - n, n);
    q->n = n;
    return true;
}

/** Adds one to the last digit. The digits have room for one more. */
static void increment(struct jr_quantity *q)
{
    uint32_t i = q->n;

    while (i > 0 && q->digits[i - 1] == '9')
        q->digits[--i] = '0';
    if (i > 0) {
        q->digits[i - 1]++;
        return;
    }
    memmove(q->digits + 1, q->digits, q->n);
    q->digits[0] = '1';
    q->n++;
}

bool jr_quantity_round_up(struct jr_quantity *q, int32_t scale)
{
    uint32_t drop;

    if (q->n == 0 || q->exp >= scale)
        return false;
    drop = (uint32_t)(scale - q->exp);
    q->verbatim = (struct jr_str){ NULL, 0 };
    q->n = drop >= q->n ? 0 : q->n - drop;
    q->exp = scale;
    increment(q); /* what was dropped was not zero: the last digit never is */
    normalize(q);
    return true;
}

/** Where the first digit stands: the value is 0.DIGITS * 10^this. */
static int64_t magnitude(const struct jr_quantity *q)
{
    return (int64_t)q->exp + q->n;
}

static int cmp_abs(const struct jr_quantity *a, const struct jr_quantity *b)
{
    uint32_t n = a->n < b->n ? a->n : b->n;
    int c;

    if (a->n == 0 || b->n == 0)
        return (a->n > 0) - (b->n > 0);
    if (magnitude(a) != magnitude(b))
        return magnitude(a) < magnitude(b) ? -1 : 1;
    c = memcmp(a->digits, b->digits, n);
    if (c != 0)
        return c < 0 ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

int jr_quantity_sign(const struct jr_quantity *q)
{
    if (q->n == 0)
        return 0;
    return q->negative ? -1 : 1;
}

int jr_quantity_cmp(const struct jr_quantity *a, const struct jr_quantity *b)
{
    int sa = jr_quantity_sign(a), sb = jr_quantity_sign(b);

    if (sa != sb)
        return sa < sb ? -1 : 1;
    return sa < 0 ? -cmp_abs(a, b) : cmp_abs(a, b);
}

bool jr_quantity_whole(const struct jr_quantity *q)
{
    return q->n == 0 || q->exp >= 0;
}

/** digits * 10^exp modulo 2^64; exp is not negative. */
static uint64_t low_bits(const struct jr_quantity *q, int32_t exp)
{
    uint64_t v = 0;

    for (uint32_t i = 0; i < q->n; i++)
        v = v * 10 + (uint64_t)(q->digits[i] - '0');
    for (int32_t i = 0; i < exp && v != 0; i++)
        v *= 10;
    return v;
}

/** Powers of ten that upstream multiplies by at once: the product overflows. Others it gets at step
 * by step, and gives up. */
static bool is_one_step(int32_t exp)
{
    return exp == 1 || exp == 2 || exp == 3 || exp == 6 || exp == 9;
}

bool jr_quantity_fits(const struct jr_quantity *q, int32_t scale)
{
    struct jr_quantity v = *q, max = { .n = sizeof(BINARY_MAX) - 1, .exp = scale };

    (void)jr_quantity_round_up(&v, scale);
    memcpy(max.digits, BINARY_MAX, max.n);
    return cmp_abs(&v, &max) <= 0;
}

int64_t jr_quantity_scaled(const struct jr_quantity *q, int32_t scale)
{
    struct jr_quantity v = *q, max = { .n = sizeof(BINARY_MAX) - 1, .exp = scale };
    bool inexact = jr_quantity_round_up(&v, scale);
    uint64_t bits;

    memcpy(max.digits, BINARY_MAX, max.n);
    if (!q->wide && cmp_abs(&v, &max) > 0 && !is_one_step(q->scale - scale))
        return 0;
    bits = low_bits(&v, v.n == 0 ? 0 : v.exp - scale);
    if (q->negative)
        bits = 0 - bits;
    if (q->wide && q->negative && inexact)
        bits += 2; /* upstream cuts it off towards zero and then adds one */
    return (int64_t)bits;
}

/** The digit that stands for 10^e. */
static int digit_at(const struct jr_quantity *q, int64_t e)
{
    const int64_t i = magnitude(q) - 1 - e;

    return i < 0 || i >= q->n ? 0 : q->digits[i] - '0';
}

/** |a| + |b|, or |a| - |b| where a is not the smaller one. */
static bool combine(const struct jr_quantity *a, const struct jr_quantity *b, int sign,
                    struct jr_quantity *ret)
{
    const int64_t lo = a->exp < b->exp ? a->exp : b->exp;
    const int64_t hi = magnitude(a) > magnitude(b) ? magnitude(a) : magnitude(b);
    const int64_t n = hi - lo + 1; /* one for the carry */
    int carry = 0;

    if (n > JR_QUANTITY_DIGITS - 1)
        return false;
    ret->exp = (int32_t)lo;
    ret->n = (uint32_t)n;
    for (int64_t e = lo; e <= hi; e++) {
        const int v = digit_at(a, e) + sign * digit_at(b, e) + carry + 10;

        ret->digits[hi - e] = (char)('0' + v % 10);
        carry = v / 10 - 1;
    }
    return true;
}

bool jr_quantity_add(struct jr_quantity *a, const struct jr_quantity *b)
{
    struct jr_quantity sum = *a;

    sum.verbatim = (struct jr_str){ NULL, 0 };
    sum.wide = a->wide || b->wide;
    if (a->n == 0) {
        sum = *b;
        sum.verbatim = (struct jr_str){ NULL, 0 };
    } else if (b->n > 0) {
        bool same = a->negative == b->negative, less = cmp_abs(a, b) < 0;

        sum.negative = same || !less ? a->negative : b->negative;
        if (same   ? !combine(a, b, 1, &sum)
            : less ? !combine(b, a, -1, &sum)
                   : !combine(a, b, -1, &sum))
            return false;
        normalize(&sum);
    }
    *a = sum;
    return true;
}

bool jr_quantity_multiply(struct jr_quantity *q, uint64_t by)
{
    /* The digits below 10^9 and those above it, so that no step needs more than 64 bits. */
    const uint64_t split = 1000000000;
    struct jr_quantity low = *q, high = *q;

    low.verbatim = high.verbatim = (struct jr_str){ NULL, 0 };
    if (!multiply(&low, by % split) || !multiply(&high, by / split))
        return false;
    high.exp += 9;
    normalize(&low);
    normalize(&high);
    if (!jr_quantity_add(&low, &high))
        return false;
    *q = low;
    return true;
}

double jr_quantity_double(const struct jr_quantity *q)
{
    char text[JR_QUANTITY_DIGITS + 24];

    (void)snprintf(text, sizeof(text), "%s%.*se%d", q->negative ? "-" : "", (int)q->n, q->digits,
                   (int)q->exp);
    return q->n == 0 ? 0 : strtod(text, NULL);
}

/* ---- parsing ---- */

struct suffix {
    const char *text;
    enum jr_quantity_format format;
    int32_t exp; /* of 10, or of 2 for binary ones */
};
static const struct suffix suffixes[] = {
    { "n", JR_QUANTITY_DECIMAL, -9 }, { "u", JR_QUANTITY_DECIMAL, -6 },
    { "m", JR_QUANTITY_DECIMAL, -3 }, { "", JR_QUANTITY_DECIMAL, 0 },
    { "k", JR_QUANTITY_DECIMAL, 3 },  { "M", JR_QUANTITY_DECIMAL, 6 },
    { "G", JR_QUANTITY_DECIMAL, 9 },  { "T", JR_QUANTITY_DECIMAL, 12 },
    { "P", JR_QUANTITY_DECIMAL, 15 }, { "E", JR_QUANTITY_DECIMAL, 18 },
    { "Ki", JR_QUANTITY_BINARY, 10 }, { "Mi", JR_QUANTITY_BINARY, 20 },
    { "Gi", JR_QUANTITY_BINARY, 30 }, { "Ti", JR_QUANTITY_BINARY, 40 },
    { "Pi", JR_QUANTITY_BINARY, 50 }, { "Ei", JR_QUANTITY_BINARY, 60 },
};

static bool parse_suffix(struct jr_str text, struct suffix *ret)
{
    int64_t exp;

    for (size_t i = 0; i < JR_ARRAY_SIZE(suffixes); i++) {
        if (jr_str_is(text, suffixes[i].text)) {
            *ret = suffixes[i];
            return true;
        }
    }
    if (text.n < 2 || (text.p[0] != 'e' && text.p[0] != 'E') ||
        jr_parse_go_int(jr_str_from(text, 1), &exp) != JR_OK || exp < -1000000 || exp > 1000000)
        return false;
    *ret = (struct suffix){ "", JR_QUANTITY_EXPONENT, (int32_t)exp };
    return true;
}

/** Whether the digits, the dot left out, end in "000". */
static bool ends_in_zeros(struct jr_str whole, struct jr_str frac)
{
    if (whole.n + frac.n < 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        const char *c = i < frac.n ? &frac.p[frac.n - 1 - i] : &whole.p[whole.n - 1 - (i - frac.n)];

        if (*c != '0')
            return false;
    }
    return true;
}

/** Whether upstream keeps this spelling instead of making it canonical: it is on its fast path and
 * looks canonical. whole comes without zeros in front. */
static bool keeps_spelling(struct jr_str whole, struct jr_str frac, const struct suffix *suffix)
{
    const size_t n = (whole.n == 0 ? 1 : whole.n) + frac.n;
    int32_t scale = suffix->exp - (int32_t)frac.n;
    int64_t v;

    if (suffix->format == JR_QUANTITY_BINARY) {
        int precision = 15 - (int)n - suffix->exp * 3 / 10 - 1;

        if (frac.n > 0 || precision < 0 || whole.n == 0 ||
            jr_parse_i64(whole, 0, INT64_MAX, &v) != JR_OK)
            return false;
        return (v & 7) != 0;
    }
    if (n > 18 || scale < NANO || scale % 3 != 0 || whole.n == 0)
        return false;
    return !ends_in_zeros(whole, frac);
}

/** Whether upstream leaves its fast path, on which a value has 64 bits. whole as above. */
static bool is_wide(struct jr_str whole, struct jr_str frac, const struct suffix *suffix)
{
    const int n = (int)(whole.n == 0 ? 1 : whole.n) + (int)frac.n;

    if (suffix->format == JR_QUANTITY_BINARY)
        return frac.n > 0 || 15 - n - suffix->exp * 3 / 10 - 1 < 0;
    return n > 18 || suffix->exp - (int32_t)frac.n < NANO;
}

static enum jr_status set_digits(struct jr_quantity *q, struct jr_str whole, struct jr_str frac)
{
    /* one is kept free for rounding, 19 for binary suffixes */
    if (whole.n + frac.n > JR_QUANTITY_DIGITS - 20)
        return JR_LIMIT;
    if (whole.n > 0)
        memcpy(q->digits, whole.p, whole.n);
    if (frac.n > 0)
        memcpy(q->digits + whole.n, frac.p, frac.n);
    q->n = (uint32_t)(whole.n + frac.n);
    q->exp = -(int32_t)frac.n;
    return JR_OK;
}

static void cap_binary(struct jr_quantity *q)
{
    struct jr_quantity max = { .n = sizeof(BINARY_MAX) - 1 };

    memcpy(max.digits, BINARY_MAX, sizeof(BINARY_MAX) - 1);
    if (cmp_abs(q, &max) <= 0)
        return;
    q->n = max.n;
    q->exp = 0;
    memcpy(q->digits, max.digits, max.n);
}

/** Applies the suffix to the digits. */
static enum jr_status scale(struct jr_quantity *q, const struct suffix *suffix)
{
    q->format = suffix->format;
    if (suffix->format != JR_QUANTITY_BINARY) {
        q->exp += suffix->exp;
        normalize(q);
        (void)jr_quantity_round_up(q, NANO);
        return JR_OK;
    }
    for (int32_t i = 0; i < suffix->exp; i += 10) {
        if (!multiply(q, 1024))
            return JR_LIMIT;
    }
    normalize(q);
    (void)jr_quantity_round_up(q, NANO);
    cap_binary(q);
    if (q->n > 0 && magnitude(q) <= 0) /* below one */
        q->format = JR_QUANTITY_DECIMAL;
    return JR_OK;
}

/** Upstream's fast path takes a text without digits for 0, its slow one refuses it. */
static bool may_lack_digits(struct jr_str text, const struct suffix *suffix)
{
    if (text.n == 0)
        return false;
    return suffix->format == JR_QUANTITY_BINARY ? suffix->exp < 50 : suffix->exp >= NANO;
}

enum jr_status jr_quantity_parse(struct jr_str text, struct jr_quantity *ret)
{
    struct jr_quantity q = { .n = 0 };
    struct jr_str rest = text, whole, frac = { NULL, 0 };
    struct suffix suffix;
    enum jr_status st;

    if (rest.n > 0 && (rest.p[0] == '-' || rest.p[0] == '+')) {
        q.negative = rest.p[0] == '-';
        rest = jr_str_from(rest, 1);
    }
    whole = jr_take_digits(&rest);
    if (rest.n > 0 && rest.p[0] == '.') {
        rest = jr_str_from(rest, 1);
        frac = jr_take_digits(&rest);
    }
    if (!parse_suffix(rest, &suffix))
        return JR_SYNTAX;
    if (whole.n == 0 && frac.n == 0 && !may_lack_digits(text, &suffix))
        return JR_SYNTAX;
    while (whole.n > 0 && whole.p[0] == '0')
        whole = jr_str_from(whole, 1);
    if (keeps_spelling(whole, frac, &suffix))
        q.verbatim = text;
    q.wide = is_wide(whole, frac, &suffix);
    q.scale = suffix.format == JR_QUANTITY_BINARY ? 0 : suffix.exp - (int32_t)frac.n;
    st = set_digits(&q, whole, frac);
    if (st == JR_OK)
        st = scale(&q, &suffix);
    if (st == JR_OK)
        *ret = q;
    return st;
}

enum jr_status jr_quantity_of(const struct jr_node *node, struct jr_quantity *ret)
{
    if (jr_unset(node)) {
        *ret = (struct jr_quantity){ .format = JR_QUANTITY_DECIMAL };
        return JR_OK;
    }
    if (jr_node_kind(node) == JR_STRING)
        return jr_quantity_parse(jr_str_trim(jr_node_str(node)), ret);
    if (jr_node_kind(node) == JR_NUMBER)
        return jr_quantity_parse(jr_node_number(node), ret);
    return JR_TYPE;
}

/* ---- printing ---- */

static void write_digits(const struct jr_quantity *q, uint32_t zeros, struct jr_buf *out)
{
    if (q->negative)
        (void)jr_buf_addc(out, '-');
    (void)jr_buf_add(out, (struct jr_str){ q->digits, q->n });
    while (zeros-- > 0)
        (void)jr_buf_addc(out, '0');
}

/** As many zeros as make the exponent a multiple of three, and the suffix for it. */
static void write_decimal(const struct jr_quantity *q, struct jr_buf *out)
{
    int32_t zeros = (q->exp % 3 + 3) % 3;
    int32_t exp = q->exp - zeros;

    write_digits(q, (uint32_t)zeros, out);
    if (q->format == JR_QUANTITY_EXPONENT) {
        if (exp != 0)
            (void)jr_buf_addf(out, "e%d", (int)exp);
        return;
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(suffixes); i++) {
        if (suffixes[i].format == JR_QUANTITY_DECIMAL && suffixes[i].exp == exp)
            (void)jr_buf_adds(out, suffixes[i].text);
    }
}

/** The value as a whole number, if it is one of 64 bits. */
static bool as_u64(const struct jr_quantity *q, uint64_t *ret)
{
    uint64_t v = 0;

    if (!jr_quantity_whole(q) || magnitude(q) > 19)
        return false;
    for (int64_t i = 0; i < magnitude(q); i++)
        v = v * 10 + (i < q->n ? (uint64_t)(q->digits[i] - '0') : 0);
    *ret = v;
    return true;
}

static void write_binary(const struct jr_quantity *q, uint64_t v, struct jr_buf *out)
{
    static const char *const names[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
    size_t i = 0;

    while (v % 1024 == 0 && i + 1 < JR_ARRAY_SIZE(names)) {
        v /= 1024;
        i++;
    }
    (void)jr_buf_addf(out, "%s%llu%s", q->negative ? "-" : "", (unsigned long long)v, names[i]);
}

enum jr_status jr_quantity_write(const struct jr_quantity *q, struct jr_buf *out)
{
    struct jr_quantity plain;
    uint64_t v;

    if (q->verbatim.n > 0)
        return jr_buf_add(out, q->verbatim);
    if (q->n == 0)
        return jr_buf_addc(out, '0');
    if (q->format != JR_QUANTITY_BINARY) {
        write_decimal(q, out);
    } else if (as_u64(q, &v) && v >= 1024) {
        write_binary(q, v, out);
    } else {
        plain = *q;
        plain.format = JR_QUANTITY_DECIMAL;
        write_decimal(&plain, out);
    }
    return out->failed;
}
