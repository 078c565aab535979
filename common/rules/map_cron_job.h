/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of CronJobs, in the order of upstream's checks. X(ID, "id", TYPE, "detail"): rules
 * whose words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_CRON_JOB_H
#define JR_RULES_MAP_CRON_JOB_H

#include "common/rules/words.h"

#define JR_RULE_MAP_CRON_JOB(X)                                                                \
    X(CRON_SCHEDULE_REQUIRED, "cron-schedule-required", REQUIRED, "")                          \
    X(CRON_SCHEDULE, "cron-schedule", INVALID, "")                                             \
    X(CRON_SCHEDULE_TWO_ZONES, "cron-schedule-two-zones", INVALID,                             \
      "cannot use both timeZone field and TZ or CRON_TZ in schedule")                          \
    X(CRON_SCHEDULE_ZONE, "cron-schedule-zone", INVALID,                                       \
      "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")                      \
    X(CRON_STARTING_DEADLINE, "cron-starting-deadline-negative", INVALID, JR_WORDS_NEGATIVE)   \
    X(CRON_TIME_ZONE_EMPTY, "cron-time-zone-empty", INVALID,                                   \
      "timeZone must be nil or non-empty string")                                              \
    X(CRON_TIME_ZONE_LOCAL, "cron-time-zone-local", INVALID,                                   \
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")  \
    X(CRON_TIME_ZONE, "cron-time-zone", INVALID, "")                                           \
    X(CRON_CONCURRENCY_REQUIRED, "cron-concurrency-policy-required", REQUIRED, "")             \
    X(CRON_CONCURRENCY, "cron-concurrency-policy", NOT_SUPPORTED,                              \
      "supported values: \"Allow\", \"Forbid\", \"Replace\"")                                  \
    X(CRON_SELECTOR, "cron-selector", INVALID, "`selector` will be auto-generated")            \
    X(CRON_MANUAL_SELECTOR, "cron-manual-selector", NOT_SUPPORTED,                             \
      "supported values: \"nil\", \"false\"")                                                  \
    X(CRON_SUCCESSFUL_HISTORY, "cron-successful-history-negative", INVALID, JR_WORDS_NEGATIVE) \
    X(CRON_FAILED_HISTORY, "cron-failed-history-negative", INVALID, JR_WORDS_NEGATIVE)         \
    X(CRON_NAME_LENGTH, "cron-name-length", INVALID, "must be no more than 52 characters")

#endif
