/* SPDX-License-Identifier: Apache-2.0 */
/* Checks durations as Go's time.ParseDuration does. */
#include "common/job/duration.h"

#define DURATION_MAX (UINT64_C(1) << 63) /* ns; that much only below zero */

/* ---- words ---- */

/** Go's own quoting in package time: what is not plain ASCII in bytes. */
static void quote(struct jr_str s, struct jr_buf *out)
{
    (void)jr_buf_addc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c >= 0x80 || c < ' ')
            (void)jr_buf_addf(out, "\\x%02x", c);
        else
            (void)jr_buf_addf(out, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    (void)jr_buf_addc(out, '"');
}

static enum jr_status invalid(struct jr_str whole, struct jr_buf *why)
{
    (void)jr_buf_adds(why, "time: invalid duration ");
    quote(whole, why);
    return why->failed == JR_OK ? JR_INVALID : why->failed;
}

static enum jr_status no_unit(struct jr_str unit, struct jr_str whole, struct jr_buf *why)
{
    if (unit.n == 0) {
        (void)jr_buf_adds(why, "time: missing unit in duration ");
    } else {
        (void)jr_buf_adds(why, "time: unknown unit ");
        quote(unit, why);
        (void)jr_buf_adds(why, " in duration ");
    }
    quote(whole, why);
    return why->failed == JR_OK ? JR_INVALID : why->failed;
}

/* ---- numbers ---- */

static bool is_digit(struct jr_str s)
{
    return s.n > 0 && s.p[0] >= '0' && s.p[0] <= '9';
}

/** Takes the digits before the point; false where they are too many. */
static bool take_integer(struct jr_str *s, uint64_t *ret)
{
    uint64_t v = 0;

    for (; is_digit(*s); *s = jr_str_from(*s, 1)) {
        if (v > DURATION_MAX / 10)
            return false;
        v = v * 10 + (uint64_t)(s->p[0] - '0');
        if (v > DURATION_MAX)
            return false;
    }
    *ret = v;
    return true;
}

/** Takes the digits after the point; those that no longer fit are passed over. */
static uint64_t take_fraction(struct jr_str *s, double *ret_scale)
{
    uint64_t v = 0;
    bool full = false;

    *ret_scale = 1;
    for (; is_digit(*s); *s = jr_str_from(*s, 1)) {
        uint64_t next = v * 10 + (uint64_t)(s->p[0] - '0');

        full = full || v > (DURATION_MAX - 1) / 10 || next > DURATION_MAX;
        if (full)
            continue;
        v = next;
        *ret_scale *= 10;
    }
    return v;
}

static uint64_t unit_ns(struct jr_str unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        { "ns", 1 },
        { "us", 1000 },
        { "\xc2\xb5s", 1000 }, /* U+00B5, the micro sign */
        { "\xce\xbcs", 1000 }, /* U+03BC, Greek mu */
        { "ms", 1000000 },
        { "s", 1000000000 },
        { "m", 60 * UINT64_C(1000000000) },
        { "h", 3600 * UINT64_C(1000000000) },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(units); i++) {
        if (jr_str_is(unit, units[i].name))
            return units[i].ns;
    }
    return 0;
}

static struct jr_str take_unit(struct jr_str *s)
{
    struct jr_str unit;
    size_t n = 0;

    while (n < s->n && s->p[n] != '.' && !is_digit(jr_str_from(*s, n)))
        n++;
    unit = jr_str_head(*s, n);
    *s = jr_str_from(*s, n);
    return unit;
}

/** Takes one number with its unit, and adds it to *total. */
static enum jr_status take_part(struct jr_str *s, struct jr_str whole, uint64_t *total,
                                struct jr_buf *why)
{
    bool digits = is_digit(*s);
    uint64_t v, fraction = 0, unit;
    struct jr_str name;
    double scale = 1;

    if ((!digits && s->p[0] != '.') || !take_integer(s, &v))
        return invalid(whole, why);
    if (s->n > 0 && s->p[0] == '.') {
        *s = jr_str_from(*s, 1);
        digits = digits || is_digit(*s);
        fraction = take_fraction(s, &scale);
    }
    if (!digits)
        return invalid(whole, why);
    name = take_unit(s);
    unit = unit_ns(name);
    if (unit == 0)
        return no_unit(name, whole, why);
    if (v > DURATION_MAX / unit)
        return invalid(whole, why);
    v = v * unit + (uint64_t)((double)fraction * ((double)unit / scale));
    if (v > DURATION_MAX)
        return invalid(whole, why);
    *total += v; /* may come out at 0, as it does in Go */
    return *total > DURATION_MAX ? invalid(whole, why) : JR_OK;
}

enum jr_status jr_duration_check(struct jr_str s, struct jr_buf *why)
{
    const struct jr_str whole = s;
    bool negative = s.n > 0 && s.p[0] == '-';
    enum jr_status st = JR_OK;
    uint64_t total = 0;

    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = jr_str_from(s, 1);
    if (jr_str_is(s, "0"))
        return JR_OK;
    if (s.n == 0)
        return invalid(whole, why);
    while (s.n > 0 && st == JR_OK)
        st = take_part(&s, whole, &total, why);
    if (st == JR_OK && total == DURATION_MAX && !negative)
        return invalid(whole, why);
    return st;
}
