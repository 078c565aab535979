/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and formats RFC 3339 times. */
#include "common/base/time.h"

#define DAY_S INT64_C(86400)

/* Years start in March here, which puts the leap day last. */
int64_t jr_days_of_date(struct jr_date c)
{
    int64_t y = c.month <= 2 ? c.year - 1 : c.year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t yoe = y - era * 400;
    int64_t doy = (153 * (c.month > 2 ? c.month - 3 : c.month + 9) + 2) / 5 + c.day - 1;
    int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;

    return era * 146097 + doe - 719468;
}

struct jr_date jr_date_of_days(int64_t days)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    int month = (int)(mp < 10 ? mp + 3 : mp - 9);

    return (struct jr_date){ yoe + era * 400 + (month <= 2 ? 1 : 0), month,
                             (int)(doy - (153 * mp + 2) / 5 + 1) };
}

static int days_in(int64_t year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return month == 2 && leap ? 29 : days[month - 1];
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

struct jr_time jr_time_trunc_s(struct jr_time t)
{
    int64_t s = floor_div(t.ns, JR_SEC);

    /* Only the second that INT64_MIN falls into starts before 64 bits do. */
    return (struct jr_time){ s < INT64_MIN / JR_SEC ? INT64_MIN / JR_SEC * JR_SEC : s * JR_SEC };
}

/** Writes v with n digits and the character sep behind, returns where to go on. */
static char *put_digits(char *p, int64_t v, int n, char sep)
{
    for (int i = n - 1; i >= 0; i--) {
        p[i] = (char)('0' + (char)(v % 10));
        v /= 10;
    }
    p[n] = sep;
    return p + n + 1;
}

static char *put_seconds(char *p, int64_t s, char sep)
{
    int64_t day = floor_div(s, DAY_S);
    struct jr_date c = jr_date_of_days(day);

    s -= day * DAY_S;
    p = put_digits(p, c.year, 4, '-');
    p = put_digits(p, c.month, 2, '-');
    p = put_digits(p, c.day, 2, 'T');
    p = put_digits(p, s / 3600, 2, ':');
    p = put_digits(p, s / 60 % 60, 2, ':');
    return put_digits(p, s % 60, 2, sep);
}

const char *jr_time_format_s(int64_t unix_s, char out[JR_TIME_MAX])
{
    *put_seconds(out, unix_s, 'Z') = '\0';
    return out;
}

const char *jr_time_format_us(int64_t unix_s, int32_t us, char out[JR_TIME_MAX])
{
    *put_digits(put_seconds(out, unix_s, '.'), us, 6, 'Z') = '\0';
    return out;
}

const char *jr_time_format(struct jr_time t, char out[JR_TIME_MAX])
{
    return jr_time_format_s(floor_div(t.ns, JR_SEC), out);
}

const char *jr_time_format_micro(struct jr_time t, char out[JR_TIME_MAX])
{
    int64_t frac = t.ns % JR_SEC;

    if (frac < 0)
        frac += JR_SEC;
    return jr_time_format_us(floor_div(t.ns, JR_SEC), (int32_t)(frac / 1000), out);
}

static bool is_digit(struct jr_str s, size_t at)
{
    return at < s.n && s.p[at] >= '0' && s.p[at] <= '9';
}

/** Takes exactly n digits off the front of *s, and the character sep behind them ('\0': none). */
static bool take_digits(struct jr_str *s, size_t n, char sep, int *ret)
{
    size_t len = sep == '\0' ? n : n + 1;
    int v = 0;

    if (s->n < len || (sep != '\0' && s->p[n] != sep))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(*s, i))
            return false;
        v = v * 10 + (s->p[i] - '0');
    }
    *s = jr_str_from(*s, len);
    *ret = v;
    return true;
}

/** The time of day in seconds. Go takes an hour of one digit. */
static bool take_clock(struct jr_str *s, int *ret)
{
    int hour, min, sec;

    if (!take_digits(s, is_digit(*s, 1) ? 2 : 1, ':', &hour) || !take_digits(s, 2, ':', &min) ||
        !take_digits(s, 2, '\0', &sec))
        return false;
    if (hour > 23 || min > 59 || sec > 59)
        return false;
    *ret = (hour * 60 + min) * 60 + sec;
    return true;
}

/** A fraction behind '.' or, as in Go, ','; digits beyond nanoseconds are dropped. */
static int take_fraction(struct jr_str *s)
{
    size_t n = 1;
    int ns = 0;

    if (s->n == 0 || (s->p[0] != '.' && s->p[0] != ',') || !is_digit(*s, 1))
        return 0;
    for (int unit = 100000000; is_digit(*s, n); n++, unit /= 10)
        ns += (s->p[n] - '0') * unit;
    *s = jr_str_from(*s, n);
    return ns;
}

/** "Z" or "+05:30", in seconds. Go allows 24 hours and 60 minutes. */
static bool take_zone(struct jr_str *s, int *ret)
{
    char sign = '\0';
    int hour, min;

    if (s->n > 0)
        sign = s->p[0];
    *s = jr_str_from(*s, 1);
    if (sign == 'Z') {
        *ret = 0;
        return true;
    }
    if ((sign != '+' && sign != '-') || !take_digits(s, 2, ':', &hour) ||
        !take_digits(s, 2, '\0', &min) || hour > 24 || min > 60)
        return false;
    *ret = (hour * 60 + min) * 60 * (sign == '-' ? -1 : 1);
    return true;
}

/** What a text says: seconds since 1970 and nanoseconds on top of them. */
struct moment {
    int64_t s;
    int ns;
};

static bool parse(struct jr_str s, struct moment *ret)
{
    int year, month, day, clock, zone;

    if (!take_digits(&s, 4, '-', &year) || !take_digits(&s, 2, '-', &month) ||
        !take_digits(&s, 2, 'T', &day) || !take_clock(&s, &clock))
        return false;
    ret->ns = take_fraction(&s);
    if (!take_zone(&s, &zone) || s.n != 0)
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month))
        return false;
    ret->s = jr_days_of_date((struct jr_date){ year, month, day }) * DAY_S + clock - zone;
    return true;
}

static bool fits_time(struct moment m, struct jr_time *ret)
{
    int64_t s = m.s, ns = m.ns;

    if (s < 0 &&
        ns > 0) { /* towards zero, so that the product can't overflow before the sum fits */
        s++;
        ns -= JR_SEC;
    }
    if (__builtin_mul_overflow(s, JR_SEC, &s) || __builtin_add_overflow(s, ns, &ns))
        return false;
    ret->ns = ns;
    return true;
}

/* JR_SYNTAX is what time.Parse refuses, JR_RANGE what it takes and 64 bits of nanoseconds can't
 * hold. */
enum jr_status jr_time_parse(struct jr_str s, struct jr_time *ret)
{
    struct moment m;

    if (!parse(s, &m))
        return JR_SYNTAX;
    return fits_time(m, ret) ? JR_OK : JR_RANGE;
}

#define GO_ZERO_S INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define TEXT_MAX ((size_t)64)

/** A text whose year has a sign or more than four digits: checked with another, a leap year. */
static enum jr_status parse_far(struct jr_str s, struct jr_time *ret)
{
    char text[TEXT_MAX] = "2000";
    const bool before = s.n > 0 && s.p[0] == '-';
    size_t n = 0;
    struct moment m;

    s = jr_str_from(s, before ? 1 : 0);
    while (is_digit(s, n))
        n++;
    s = jr_str_from(s, n);
    if (n < 4 || s.n > sizeof(text) - 4)
        return JR_SYNTAX;
    memcpy(text + 4, s.p, s.n);
    if (!parse((struct jr_str){ text, 4 + s.n }, &m))
        return JR_SYNTAX;
    ret->ns = before ? JR_TIME_FIRST_NS : JR_TIME_LAST_NS;
    return JR_OK;
}

enum jr_status jr_time_parse_served(struct jr_str s, struct jr_time *ret)
{
    struct moment m;

    if (!parse(s, &m))
        return parse_far(s, ret);
    if (m.s == GO_ZERO_S && m.ns == 0)
        ret->ns = 0;
    else if (!fits_time(m, ret))
        ret->ns = m.s < 0 ? JR_TIME_FIRST_NS : JR_TIME_LAST_NS;
    else if (ret->ns == 0)
        ret->ns = 1;
    return JR_OK;
}
