/* SPDX-License-Identifier: Apache-2.0 */
/* Wall time as data. Monotonic time has another type, so that they can't mix. */
#ifndef JR_BASE_TIME_H
#define JR_BASE_TIME_H

#include <stdint.h>

#include "common/base/error.h"

/** Wall clock time in nanoseconds since 1970-01-01T00:00:00Z. The zero value means "unset"
 * (metav1.Time's zero). */
struct jr_time {
    int64_t ns;
};
/** Monotonic time that goes on through suspend (CLOCK_BOOTTIME), nanoseconds from an arbitrary
 * start. */
struct jr_mono {
    int64_t ns;
};

/** A day of the proleptic Gregorian calendar. */
struct jr_date {
    int64_t year;
    int month, day; /* from 1; a day beyond the month's end is one of a later month */
};
/** Days since 1970-01-01. Month 13 is the next year's January. */
int64_t jr_days_of_date(struct jr_date c);
struct jr_date jr_date_of_days(int64_t days);
/** Returns the day of the week, Sunday being 0. days: from 1970 on. */
static inline int jr_weekday_of_days(int64_t days)
{
    return (int)((days + 4) % 7); /* 1970-01-01 was a Thursday */
}

#define JR_SEC INT64_C(1000000000)
#define JR_MSEC INT64_C(1000000)

static inline bool jr_time_set(struct jr_time t)
{
    return t.ns != 0;
}
/** -1, 0, 1. */
static inline int jr_time_cmp(struct jr_time a, struct jr_time b)
{
    return (a.ns > b.ns) - (a.ns < b.ns);
}
/** a - b in nanoseconds; the nearest that 64 bits hold where they don't hold it. */
static inline int64_t jr_time_diff(struct jr_time a, struct jr_time b)
{
    int64_t d;

    if (__builtin_sub_overflow(a.ns, b.ns, &d))
        return a.ns < b.ns ? INT64_MIN : INT64_MAX;
    return d;
}
/** ns later (earlier, if negative), at most as far as 64 bits reach. */
static inline struct jr_time jr_time_later(struct jr_time t, int64_t ns)
{
    if (__builtin_add_overflow(t.ns, ns, &t.ns))
        t.ns = ns < 0 ? INT64_MIN : INT64_MAX;
    return t;
}
/** s seconds later, likewise. */
static inline struct jr_time jr_time_later_s(struct jr_time t, int64_t s)
{
    int64_t ns;

    if (__builtin_mul_overflow(s, JR_SEC, &ns))
        ns = s < 0 ? INT64_MIN : INT64_MAX;
    return jr_time_later(t, ns);
}
/** unix_s seconds after 1970, likewise: the year 9999 comes out as that of 2262. */
static inline struct jr_time jr_time_s(int64_t unix_s)
{
    return jr_time_later_s((struct jr_time){ 0 }, unix_s);
}
/** Whole seconds only, rounded down: what metav1.Time keeps on the wire. */
struct jr_time jr_time_trunc_s(struct jr_time t);

#define JR_TIME_MAX 40
/** RFC 3339 in UTC with whole seconds, "2026-03-01T12:00:00Z" (metav1.Time). Returns out. */
const char *jr_time_format(struct jr_time t, char out[JR_TIME_MAX]);
/** With exactly six decimals, "2026-03-01T12:00:00.000000Z" (metav1.MicroTime). Returns out. */
const char *jr_time_format_micro(struct jr_time t, char out[JR_TIME_MAX]);
/* The first and the last second with a year of four digits, which is what these two can write. */
#define JR_TIME_FIRST_S INT64_C(-62135596800)
#define JR_TIME_LAST_S INT64_C(253402300799)
/** Likewise, of seconds since 1970, and of these and microseconds (0 to 999,999): beyond what 64
 * bits of nanoseconds hold. Return out. */
const char *jr_time_format_s(int64_t unix_s, char out[JR_TIME_MAX]);
const char *jr_time_format_us(int64_t unix_s, int32_t us, char out[JR_TIME_MAX]);
/** RFC 3339 as Go's time.Parse(time.RFC3339) takes it: fractions and offsets allowed, years 0001 to
 * 9999 as far as 64 bits of nanoseconds reach. Errors: JR_SYNTAX, JR_RANGE. */
enum jr_status jr_time_parse(struct jr_str s, struct jr_time *ret) JR_MUST_USE;

/* The first and the last whole second that 64 bits of nanoseconds hold: of 1677 and of 2262. */
#define JR_TIME_FIRST_NS (INT64_MIN / JR_SEC * JR_SEC)
#define JR_TIME_LAST_NS (INT64_MAX / JR_SEC * JR_SEC)
/** The same for what an API server serves, where a time that 64 bits don't hold is no reason to do
 * without the object: it comes out as JR_TIME_FIRST_NS or JR_TIME_LAST_NS. So do years of more than
 * four digits and those before Christ, which Go prints (and doesn't read) once a client has written
 * them as protobuf. Go's zero time, 0001-01-01T00:00:00Z, is unset, and no other time is: the start
 * of 1970 comes out a nanosecond late. Errors: JR_SYNTAX. */
enum jr_status jr_time_parse_served(struct jr_str s, struct jr_time *ret) JR_MUST_USE;

#endif
