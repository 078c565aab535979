/* SPDX-License-Identifier: Apache-2.0 */
/* Counts a schedule's starts by days: those of a day without a change of clocks are the same on
 * each that matches. About a change each start is looked for as robfig/cron does. */
#include "common/job/schedule_facts.h"

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/time.h"

#define MINUTE_S INT64_C(60)
#define HOUR_S INT64_C(3600)
#define DAY_S INT64_C(86400)
#define DAY_MINUTES 1440
/* In 24 hours and what clocks are set back by. */
#define STARTS_MAX (DAY_MINUTES + 1)
/* A schedule without a match for so many years has none. */
#define YEARS_SEARCHED 5

const int64_t jr_schedule_year = JR_BUILD_YEAR;

/* ---- clocks ---- */

/** A moment, and what a clock in the zone shows then. */
struct clock_time {
    int64_t at;
    int64_t day; /* since 1970-01-01 */
    struct jr_date date;
    int hour, minute, second;
    int64_t start, end; /* between which the zone has this offset */
    int32_t offset;
};

/** Sets a clock, which is zeroed at first. at: after 1970. */
static void set_clock(struct clock_time *t, const struct jr_zone *z, int64_t at)
{
    int64_t day;
    int s;

    if (at < t->start || at >= t->end)
        t->offset = jr_zone_offset(z, at, &t->start, &t->end);
    day = (at + t->offset) / DAY_S;
    s = (int)((at + t->offset) % DAY_S);
    if (day != t->day)
        t->date = jr_date_of_days(day);
    t->at = at;
    t->day = day;
    t->hour = (int)(s / HOUR_S);
    t->minute = (int)(s / MINUTE_S % 60);
    t->second = (int)(s % MINUTE_S);
}

/** Returns the moment at which a clock shows that, as Go's time.Date has it where there are two or
 * none. */
static int64_t moment_of(const struct jr_zone *z, int64_t day, int64_t clock_s)
{
    const int64_t local = day * DAY_S + clock_s;
    int64_t start, end;
    int32_t offset = jr_zone_offset(z, local, &start, &end);

    if (offset != 0 && (local - offset < start || local - offset >= end))
        offset = jr_zone_offset(z, local - offset, &start, &end);
    return local - offset;
}

/* ---- the next start, as robfig/cron's SpecSchedule.Next ---- */

static bool has(uint64_t bits, int v)
{
    return (bits >> v & 1) != 0;
}

static bool matches_day(const struct jr_schedule *s, int64_t day, struct jr_date date)
{
    const bool of_month = has(s->days, date.day);
    const bool of_week = has(s->weekdays, jr_weekday_of_days(day));

    return ((s->days | s->weekdays) & JR_SCHEDULE_STAR) != 0 ? of_month && of_week
                                                             : of_month || of_week;
}

/** A search as it goes on. */
struct search {
    const struct jr_schedule *s;
    const struct jr_zone *z;
    struct clock_time t;
    bool has_moved; /* smaller units have been set to their least */
};

static void move_to(struct search *q, int64_t at)
{
    set_clock(&q->t, q->z, at);
}

static int64_t clock_s(const struct clock_time *t)
{
    return t->hour * HOUR_S + t->minute * MINUTE_S + t->second;
}

/* Each goes to a match of its unit. False: the one above has changed. */

static bool find_month(struct search *q)
{
    while (!has(q->s->months, q->t.date.month)) {
        struct jr_date next;

        if (!q->has_moved)
            move_to(q, moment_of(q->z, q->t.day - q->t.date.day + 1, 0));
        q->has_moved = true;
        next = q->t.date;
        next.month++;
        move_to(q, moment_of(q->z, jr_days_of_date(next), clock_s(&q->t)));
        if (q->t.date.month == 1)
            return false;
    }
    return true;
}

static bool find_day(struct search *q)
{
    while (!matches_day(q->s, q->t.day, q->t.date)) {
        if (!q->has_moved)
            move_to(q, moment_of(q->z, q->t.day, 0));
        q->has_moved = true;
        move_to(q, moment_of(q->z, q->t.day + 1, clock_s(&q->t)));
        if (q->t.hour != 0) /* there is no midnight, or it was left before */
            move_to(q, q->t.at + HOUR_S * (q->t.hour > 12 ? 24 - q->t.hour : -q->t.hour));
        if (q->t.date.day == 1)
            return false;
    }
    return true;
}

static bool find_hour(struct search *q)
{
    while (!has(q->s->hours, q->t.hour)) {
        if (!q->has_moved)
            move_to(q, moment_of(q->z, q->t.day, q->t.hour * HOUR_S));
        q->has_moved = true;
        move_to(q, q->t.at + HOUR_S);
        if (q->t.hour == 0)
            return false;
    }
    return true;
}

static bool find_minute(struct search *q)
{
    while (!has(q->s->minutes, q->t.minute)) {
        if (!q->has_moved)
            move_to(q, q->t.at - q->t.second);
        q->has_moved = true;
        move_to(q, q->t.at + MINUTE_S);
        if (q->t.minute == 0)
            return false;
    }
    return true;
}

/** Returns the first start from that moment on, which is at a full minute; INT64_MAX: there is none
 * for years. moved: it comes after a start. */
static int64_t first_from(struct search *q, int64_t at, bool moved)
{
    int64_t last_year;

    q->has_moved = moved;
    move_to(q, at);
    last_year = q->t.date.year + YEARS_SEARCHED;
    while (q->t.date.year <= last_year) {
        if (find_month(q) && find_day(q) && find_hour(q) && find_minute(q))
            return q->t.at;
    }
    return INT64_MAX;
}

/* ---- the facts ---- */

struct counting {
    const struct jr_schedule *s;
    const struct jr_zone *z;
    struct search search;
    int64_t from, to;
    int minutes[DAY_MINUTES]; /* of a day, that match */
    size_t n;
    int64_t least_gap_s;        /* between two of them */
    int64_t recent[STARTS_MAX]; /* starts of the last 24 hours, in a ring */
    size_t first, n_recent;
    bool has_last;
    int64_t last;
    int64_t next; /* the start behind it; 0: not looked for */
    struct jr_schedule_facts facts;
};

static void gather_minutes(struct counting *c)
{
    c->least_gap_s = INT64_MAX;
    for (int m = 0; m < DAY_MINUTES; m++) {
        if (!has(c->s->hours, m / 60) || !has(c->s->minutes, m % 60))
            continue;
        if (c->n > 0 && (m - c->minutes[c->n - 1]) * MINUTE_S < c->least_gap_s)
            c->least_gap_s = (m - c->minutes[c->n - 1]) * MINUTE_S;
        c->minutes[c->n++] = m;
    }
}

static void note_gap(struct counting *c, int64_t gap_s)
{
    if (gap_s < c->facts.shortest_s)
        c->facts.shortest_s = gap_s;
}

static void note_count(struct counting *c, int64_t n)
{
    if (n > c->facts.starts_per_day)
        c->facts.starts_per_day = n;
}

static void note_last(struct counting *c, int64_t first, int64_t last)
{
    if (c->has_last)
        note_gap(c, first - c->last);
    c->has_last = true;
    c->last = last;
    c->next = 0;
}

/** Adds a start, and counts those of the 24 hours that end with it. */
static void add_start(struct counting *c, int64_t at)
{
    while (c->n_recent > 0 && at - c->recent[c->first] >= DAY_S) {
        c->first = (c->first + 1) % STARTS_MAX;
        c->n_recent--;
    }
    c->recent[(c->first + c->n_recent) % STARTS_MAX] = at;
    c->n_recent++;
    note_count(c, (int64_t)c->n_recent);
    note_last(c, at, at);
}

/** Looks for each start of a day. */
static void count_day_by_starts(struct counting *c, int64_t day)
{
    const int64_t end = moment_of(c->z, day + 1, 0);

    for (;;) {
        if (c->next == 0)
            c->next = c->has_last ? first_from(&c->search, c->last + MINUTE_S, true)
                                  : first_from(&c->search, c->from, false);
        if (c->next >= end || c->next >= c->to)
            return;
        add_start(c, c->next);
    }
}

/** Counts a day without a change of clocks. */
static void count_day(struct counting *c, int64_t day)
{
    int64_t midnight;

    c->n_recent = 0; /* what is counted start by start begins a day before the change */
    if (c->n == 0 || !has(c->s->months, jr_date_of_days(day).month) ||
        !matches_day(c->s, day, jr_date_of_days(day)))
        return;
    midnight = moment_of(c->z, day, 0);
    note_count(c, (int64_t)c->n);
    if (c->n > 1)
        note_gap(c, c->least_gap_s);
    note_last(c, midnight + c->minutes[0] * MINUTE_S, midnight + c->minutes[c->n - 1] * MINUTE_S);
}

/** Whether the clocks change on the day or beside it; *at: the first change that may be. */
static bool is_near_change(const struct jr_zone *z, int64_t day, size_t *at)
{
    const int64_t noon = moment_of(z, day, DAY_S / 2), near = DAY_S + DAY_S / 2 + 2 * HOUR_S;

    while (*at < z->n && z->v[*at].at < noon - near)
        ++*at;
    return *at < z->n && z->v[*at].at < noon + near;
}

struct jr_schedule_facts jr_schedule_facts(const struct jr_schedule *s, const struct jr_zone *z,
                                           int64_t year, int years)
{
    struct counting c = { .s = s, .z = z, .search = { .s = s, .z = z }, .facts = { 0, INT64_MAX } };
    struct clock_time clock = { .at = 0 };
    int64_t first, last;
    size_t change = 0;

    if (s->every_s > 0)
        return (struct jr_schedule_facts){ (DAY_S + s->every_s - 1) / s->every_s, s->every_s };
    c.from = jr_days_of_date((struct jr_date){ year, 1, 1 }) * DAY_S;
    c.to = jr_days_of_date((struct jr_date){ year + years, 1, 1 }) * DAY_S;
    gather_minutes(&c);
    set_clock(&clock, z, c.from);
    first = clock.day;
    set_clock(&clock, z, c.to - 1);
    last = clock.day;
    for (int64_t day = first; day <= last; day++) {
        /* Days that the years begin or end in count in part. */
        if (day <= first + 1 || day >= last - 1 || is_near_change(z, day, &change))
            count_day_by_starts(&c, day);
        else
            count_day(&c, day);
    }
    return c.facts;
}
