/* SPDX-License-Identifier: Apache-2.0 */
/* A CronJob's schedule and time zone, as the API server reads them (github.com/robfig/cron v3, the
 * standard parser; Go's time.LoadLocation). */
#ifndef JR_JOB_SCHEDULE_H
#define JR_JOB_SCHEDULE_H

#include "common/base/buf.h"

/** The bit of a field that is a star: of days and weekdays then both must match, else one. */
#define JR_SCHEDULE_STAR (UINT64_C(1) << 63)

/** A schedule: when its clock matches all fields, or again and again. */
struct jr_schedule {
    uint64_t minutes, hours, days, months, weekdays; /* a bit for each value that matches */
    int64_t every_s;                                 /* "@every": the delay; 0: by the fields */
    struct jr_str zone; /* TZ=NAME in the schedule itself, borrowed; n = 0: none */
};
/** Parses five fields or a descriptor ("@daily", "@every 1h30m"), either behind TZ=NAME or
 * CRON_TZ=NAME. Errors: JR_INVALID with the parser's words in why, those of the buffer. */
enum jr_status jr_schedule_parse(struct jr_str schedule, struct jr_schedule *ret,
                                 struct jr_buf *why) JR_MUST_USE;

/** Whether time.LoadLocation finds the zone in the IANA database. Errors: JR_INVALID with its words
 * in why, those of the buffer. */
enum jr_status jr_time_zone_check(struct jr_str name, struct jr_buf *why) JR_MUST_USE;

#endif
