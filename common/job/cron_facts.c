/* SPDX-License-Identifier: Apache-2.0 */
/* Works out what a CronJob comes to, and says it. */
#include "common/job/cron_facts.h"

bool jr_cron_facts_init(struct jr_cron_facts *f, const struct jr_node *spec)
{
    const struct jr_str policy = jr_get_str(spec, "concurrencyPolicy");
    struct jr_str zone_name = jr_get_str(spec, "timeZone");
    struct jr_schedule schedule;
    struct jr_zone zone;
    JR_BUF why = { 0 };

    jr_buf_init(&why, JR_BUF_BY_INPUT);
    if (jr_schedule_parse(jr_get_str(spec, "schedule"), &schedule, &why) != JR_OK)
        return false;
    if (schedule.zone.n > 0)
        zone_name = schedule.zone;
    f->by_default = zone_name.n == 0;
    f->forbids = jr_str_is(policy, "Forbid") || jr_str_is(policy, "Replace");
    if (jr_str_is(zone_name, "Local")) /* the controller's: nobody knows it here, most are in UTC */
        zone_name = JR_S("");
    if (!jr_zone_open(zone_name, jr_schedule_year, JR_SCHEDULE_YEARS, &zone))
        return false;
    f->schedule = jr_schedule_facts(&schedule, &zone, jr_schedule_year, JR_SCHEDULE_YEARS);
    return true;
}

int64_t jr_cron_jobs_at_once(const struct jr_cron_facts *f, const struct jr_job_facts *job)
{
    const int64_t gap = f->schedule.shortest_s;

    if (f->schedule.starts_per_day == 0)
        return 0;
    if (f->forbids || gap == INT64_MAX)
        return 1;
    if (job->runtime_s.reasons != 0)
        return INT64_MAX;
    return job->runtime_s.v / gap + (job->runtime_s.v % gap > 0);
}

/* ---- words ---- */

static void add_clock(const struct jr_cron_facts *f, struct jr_buf *out)
{
    if (f->by_default)
        (void)jr_buf_adds(out, " (by UTC, as timeZone is not set)");
}

void jr_cron_jobs_per_day_write(const struct jr_cron_facts *f, struct jr_buf *out)
{
    const int64_t n = f->schedule.starts_per_day;

    (void)jr_buf_addf(out, "up to %lld Job%s a day", (long long)n, n == 1 ? "" : "s");
    add_clock(f, out);
}

void jr_cron_shortest_write(const struct jr_cron_facts *f, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "starts of Jobs as little as ");
    jr_seconds_write(f->schedule.shortest_s, out);
    (void)jr_buf_adds(out, " apart");
    add_clock(f, out);
}

void jr_cron_jobs_at_once_write(const struct jr_cron_facts *f, const struct jr_job_facts *job,
                                struct jr_buf *out)
{
    const int64_t n = jr_cron_jobs_at_once(f, job);

    if (n < INT64_MAX) {
        (void)jr_buf_addf(out, "up to %lld of its Jobs at once", (long long)n);
        return;
    }
    (void)jr_buf_adds(out, "the number of its Jobs at once is unbounded (");
    jr_fact_explain(job, &job->runtime_s, out);
    (void)jr_buf_addc(out, ')');
}
