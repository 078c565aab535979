/* SPDX-License-Identifier: Apache-2.0 */
/* The starts of a schedule, one after the other, as github.com/robfig/cron v3 finds them: with the
 * zone's changes of clocks. Pure. */
#ifndef JR_JOB_SCHEDULE_SEARCH_H
#define JR_JOB_SCHEDULE_SEARCH_H

#include "common/base/time.h"
#include "common/job/schedule.h"
#include "common/job/time_zones.h"

#define JR_MINUTE_S INT64_C(60)
#define JR_HOUR_S INT64_C(3600)
#define JR_DAY_S INT64_C(86400)

/** Returns the first start after a moment, in seconds since 1970; INT64_MAX: there is none for
 * years. Of "@every" it is that much later. after: from 1970 on. */
int64_t jr_schedule_next(const struct jr_schedule *s, const struct jr_zone *z, int64_t after);
/** Whether a clock that shows these seconds since 1970 matches all fields. */
bool jr_schedule_matches(const struct jr_schedule *s, int64_t clock_s);

/* ---- parts, for what counts starts ---- */

/** Whether a field of a schedule has that value. */
static inline bool jr_schedule_has(uint64_t bits, int v)
{
    return (bits >> v & 1) != 0;
}

/** A moment, and what a clock in the zone shows then. */
struct jr_zone_clock {
    int64_t at;
    int64_t day; /* since 1970-01-01 */
    struct jr_date date;
    int hour, minute, second;
    int64_t start, end; /* between which the zone has this offset */
    int32_t offset;
};

/** Sets a clock, which is zeroed at first. at: after 1970. */
void jr_zone_clock_set(struct jr_zone_clock *t, const struct jr_zone *z, int64_t at);
/** Returns the moment at which a clock shows that, as Go's time.Date has it where there are two or
 * none. */
int64_t jr_zone_moment(const struct jr_zone *z, int64_t day, int64_t clock_s);
bool jr_schedule_matches_day(const struct jr_schedule *s, int64_t day, struct jr_date date);

/** A search as it goes on. */
struct jr_schedule_search {
    const struct jr_schedule *s;
    const struct jr_zone *z;
    struct jr_zone_clock t;
    bool has_moved; /* smaller units have been set to their least */
};

/** Returns the first start from that moment on, which is at a full minute; INT64_MAX: there is none
 * for years. moved: it comes after a start. */
int64_t jr_schedule_first_from(struct jr_schedule_search *q, int64_t at, bool moved);

#endif
