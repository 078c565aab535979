/* SPDX-License-Identifier: Apache-2.0 */
/* How often a schedule starts Jobs. Pure. */
#ifndef JR_JOB_SCHEDULE_FACTS_H
#define JR_JOB_SCHEDULE_FACTS_H

#include "common/job/schedule.h"
#include "common/job/time_zones.h"

/** The facts of a schedule over some years: of all moments the worst one. */
struct jr_schedule_facts {
    int64_t starts_per_day; /* the most in 24 hours, from any moment on; 0: it never starts */
    int64_t shortest_s;     /* the least between two starts; INT64_MAX: there are no two */
};
/** The years that answers go by: from the one in which the program was built, so that an answer
 * doesn't change from day to day. */
extern const int64_t jr_schedule_year;
#define JR_SCHEDULE_YEARS 5
/** Works them out for `years` years from the 1 January of `year`, UTC. A start counts at the time
 * that the schedule has, as github.com/robfig/cron v3 has it, with the zone's changes of clocks. */
struct jr_schedule_facts jr_schedule_facts(const struct jr_schedule *s, const struct jr_zone *z,
                                           int64_t year, int years);

#endif
