/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a CronJob: how often it starts Jobs, and how many of them run at a time. Pure. */
#ifndef JR_JOB_CRON_FACTS_H
#define JR_JOB_CRON_FACTS_H

#include "common/job/facts.h"
#include "common/job/schedule_facts.h"
#include "common/json/doc.h"

/** The facts of a CronJob's schedule, over JR_SCHEDULE_YEARS years from jr_schedule_year. */
struct jr_cron_facts {
    struct jr_schedule_facts schedule;
    bool by_default; /* the clock is UTC, since neither timeZone nor the schedule names a zone */
    bool forbids;    /* concurrencyPolicy lets one Job run at a time */
};
/** Works them out from a CronJob's spec. False: the schedule or its zone can't be read, which
 * validation refuses. */
bool jr_cron_facts_init(struct jr_cron_facts *f, const struct jr_node *spec);
/** Returns how many Jobs run beside each other at most. job: of each of them. INT64_MAX: there is
 * no bound, since a Job may run for ever. */
int64_t jr_cron_jobs_at_once(const struct jr_cron_facts *f, const struct jr_job_facts *job);

/** Append what is said of a fact: "up to 48 Jobs a day", "starts of Jobs as little as 10m apart",
 * "up to 3 of its Jobs at once". */
void jr_cron_jobs_per_day_write(const struct jr_cron_facts *f, struct jr_buf *out);
void jr_cron_shortest_write(const struct jr_cron_facts *f, struct jr_buf *out);
void jr_cron_jobs_at_once_write(const struct jr_cron_facts *f, const struct jr_job_facts *job,
                                struct jr_buf *out);

#endif
