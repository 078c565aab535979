/* SPDX-License-Identifier: Apache-2.0 */
/* Starts as robfig/cron's SpecSchedule.Next finds them. */
#include "common/job/schedule_search.h"

/* A schedule without a match for so many years has none. */
#define YEARS_SEARCHED 5

/* ---- clocks ---- */

void jr_zone_clock_set(struct jr_zone_clock *t, const struct jr_zone *z, int64_t at)
{
    int64_t day;
    int s;

    if (at < t->start || at >= t->end)
        t->offset = jr_zone_offset(z, at, &t->start, &t->end);
    day = (at + t->offset) / JR_DAY_S;
    s = (int)((at + t->offset) % JR_DAY_S);
    if (day != t->day)
        t->date = jr_date_of_days(day);
    t->at = at;
    t->day = day;
    t->hour = (int)(s / JR_HOUR_S);
    t->minute = (int)(s / JR_MINUTE_S % 60);
    t->second = (int)(s % JR_MINUTE_S);
}

int64_t jr_zone_moment(const struct jr_zone *z, int64_t day, int64_t clock_s)
{
    const int64_t local = day * JR_DAY_S + clock_s;
    int64_t start, end;
    int32_t offset = jr_zone_offset(z, local, &start, &end);

    if (offset != 0 && (local - offset < start || local - offset >= end))
        offset = jr_zone_offset(z, local - offset, &start, &end);
    return local - offset;
}

/* ---- the next start, as robfig/cron's SpecSchedule.Next ---- */

bool jr_schedule_matches_day(const struct jr_schedule *s, int64_t day, struct jr_date date)
{
    const bool of_month = jr_schedule_has(s->days, date.day);
    const bool of_week = jr_schedule_has(s->weekdays, jr_weekday_of_days(day));

    return ((s->days | s->weekdays) & JR_SCHEDULE_STAR) != 0 ? of_month && of_week
                                                             : of_month || of_week;
}

static void move_to(struct jr_schedule_search *q, int64_t at)
{
    jr_zone_clock_set(&q->t, q->z, at);
}

static int64_t clock_s(const struct jr_zone_clock *t)
{
    return t->hour * JR_HOUR_S + t->minute * JR_MINUTE_S + t->second;
}

/* Each goes to a match of its unit. False: the one above has changed. */

static bool find_month(struct jr_schedule_search *q)
{
    while (!jr_schedule_has(q->s->months, q->t.date.month)) {
        struct jr_date next;

        if (!q->has_moved)
            move_to(q, jr_zone_moment(q->z, q->t.day - q->t.date.day + 1, 0));
        q->has_moved = true;
        next = q->t.date;
        next.month++;
        move_to(q, jr_zone_moment(q->z, jr_days_of_date(next), clock_s(&q->t)));
        if (q->t.date.month == 1)
            return false;
    }
    return true;
}

static bool find_day(struct jr_schedule_search *q)
{
    while (!jr_schedule_matches_day(q->s, q->t.day, q->t.date)) {
        if (!q->has_moved)
            move_to(q, jr_zone_moment(q->z, q->t.day, 0));
        q->has_moved = true;
        move_to(q, jr_zone_moment(q->z, q->t.day + 1, clock_s(&q->t)));
        if (q->t.hour != 0) /* there is no midnight, or it was left before */
            move_to(q, q->t.at + JR_HOUR_S * (q->t.hour > 12 ? 24 - q->t.hour : -q->t.hour));
        if (q->t.date.day == 1)
            return false;
    }
    return true;
}

static bool find_hour(struct jr_schedule_search *q)
{
    while (!jr_schedule_has(q->s->hours, q->t.hour)) {
        if (!q->has_moved)
            move_to(q, jr_zone_moment(q->z, q->t.day, q->t.hour * JR_HOUR_S));
        q->has_moved = true;
        move_to(q, q->t.at + JR_HOUR_S);
        if (q->t.hour == 0)
            return false;
    }
    return true;
}

static bool find_minute(struct jr_schedule_search *q)
{
    while (!jr_schedule_has(q->s->minutes, q->t.minute)) {
        if (!q->has_moved)
            move_to(q, q->t.at - q->t.second);
        q->has_moved = true;
        move_to(q, q->t.at + JR_MINUTE_S);
        if (q->t.minute == 0)
            return false;
    }
    return true;
}

int64_t jr_schedule_first_from(struct jr_schedule_search *q, int64_t at, bool moved)
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

int64_t jr_schedule_next(const struct jr_schedule *s, const struct jr_zone *z, int64_t after)
{
    struct jr_schedule_search q = { .s = s, .z = z };

    if (s->every_s > 0)
        return after + s->every_s;
    return jr_schedule_first_from(&q, after - after % JR_MINUTE_S + JR_MINUTE_S, false);
}

bool jr_schedule_matches(const struct jr_schedule *s, int64_t clock_s)
{
    const int64_t day = clock_s / JR_DAY_S, rest = clock_s % JR_DAY_S;
    const struct jr_date date = jr_date_of_days(day);

    return s->every_s == 0 && rest % JR_MINUTE_S == 0 && jr_schedule_has(s->months, date.month) &&
           jr_schedule_matches_day(s, day, date) &&
           jr_schedule_has(s->hours, (int)(rest / JR_HOUR_S)) &&
           jr_schedule_has(s->minutes, (int)(rest / JR_MINUTE_S % 60));
}
