/* SPDX-License-Identifier: Apache-2.0 */
/* Counts a schedule's starts by days: those of a day without a change of clocks are the same on
 * each that matches. About a change each start is looked for as robfig/cron does. */
#include "common/job/schedule_facts.h"

#include <stdlib.h>

#include "common/job/schedule_search.h"

#define DAY_MINUTES 1440
/* In 24 hours and what clocks are set back by. */
#define STARTS_MAX (DAY_MINUTES + 1)

const int64_t jr_schedule_year = JR_BUILD_YEAR;

struct counting {
    const struct jr_schedule *s;
    const struct jr_zone *z;
    struct jr_schedule_search search;
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
        if (!jr_schedule_has(c->s->hours, m / 60) || !jr_schedule_has(c->s->minutes, m % 60))
            continue;
        if (c->n > 0 && (m - c->minutes[c->n - 1]) * JR_MINUTE_S < c->least_gap_s)
            c->least_gap_s = (m - c->minutes[c->n - 1]) * JR_MINUTE_S;
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
    while (c->n_recent > 0 && at - c->recent[c->first] >= JR_DAY_S) {
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
    const int64_t end = jr_zone_moment(c->z, day + 1, 0);

    for (;;) {
        if (c->next == 0)
            c->next = c->has_last ? jr_schedule_first_from(&c->search, c->last + JR_MINUTE_S, true)
                                  : jr_schedule_first_from(&c->search, c->from, false);
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
    if (c->n == 0 || !jr_schedule_has(c->s->months, jr_date_of_days(day).month) ||
        !jr_schedule_matches_day(c->s, day, jr_date_of_days(day)))
        return;
    midnight = jr_zone_moment(c->z, day, 0);
    note_count(c, (int64_t)c->n);
    if (c->n > 1)
        note_gap(c, c->least_gap_s);
    note_last(c, midnight + c->minutes[0] * JR_MINUTE_S,
              midnight + c->minutes[c->n - 1] * JR_MINUTE_S);
}

/** Whether the clocks change on the day or beside it; *at: the first change that may be. */
static bool is_near_change(const struct jr_zone *z, int64_t day, size_t *at)
{
    const int64_t noon = jr_zone_moment(z, day, JR_DAY_S / 2),
                  near = JR_DAY_S + JR_DAY_S / 2 + 2 * JR_HOUR_S;

    while (*at < z->n && z->v[*at].at < noon - near)
        ++*at;
    return *at < z->n && z->v[*at].at < noon + near;
}

struct jr_schedule_facts jr_schedule_facts(const struct jr_schedule *s, const struct jr_zone *z,
                                           int64_t year, int years)
{
    struct counting c = { .s = s, .z = z, .search = { .s = s, .z = z }, .facts = { 0, INT64_MAX } };
    struct jr_zone_clock clock = { .at = 0 };
    int64_t first, last;
    size_t change = 0;

    if (s->every_s > 0)
        return (struct jr_schedule_facts){ (JR_DAY_S + s->every_s - 1) / s->every_s, s->every_s };
    c.from = jr_days_of_date((struct jr_date){ year, 1, 1 }) * JR_DAY_S;
    c.to = jr_days_of_date((struct jr_date){ year + years, 1, 1 }) * JR_DAY_S;
    gather_minutes(&c);
    jr_zone_clock_set(&clock, z, c.from);
    first = clock.day;
    jr_zone_clock_set(&clock, z, c.to - 1);
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
