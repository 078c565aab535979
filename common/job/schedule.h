/* SPDX-License-Identifier: Apache-2.0 */
/* A CronJob's schedule and time zone, as the API server reads them (github.com/robfig/cron v3, the
 * standard parser; Go's time.LoadLocation). */
#ifndef JR_JOB_SCHEDULE_H
#define JR_JOB_SCHEDULE_H

#include "common/base/buf.h"

/** Whether the schedule can be parsed: five fields, a descriptor ("@daily", "@every 1h30m"), either
 * behind TZ=NAME or CRON_TZ=NAME. Errors: JR_INVALID with the parser's words in why, those of the
 * buffer. */
enum jr_status jr_schedule_check(struct jr_str schedule, struct jr_buf *why) JR_MUST_USE;

/** Whether time.LoadLocation finds the zone in the IANA database. Errors: JR_INVALID with its words
 * in why, those of the buffer. */
enum jr_status jr_time_zone_check(struct jr_str name, struct jr_buf *why) JR_MUST_USE;

#endif
