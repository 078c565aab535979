/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the facts of the CronJob that is evaluated: each of the new and the old one once. */
#include "common/policy/evaluation.h"

#define MS 1000

static const struct jr_cron_facts *facts_of_cron_job(struct jr_evaluation *e, bool old)
{
    const struct jr_policy_job *job = old ? &e->r->old : &e->r->job;
    struct jr_known_cron_facts *k = &e->cron_facts[old];

    if (!k->asked)
        k->known = jr_cron_facts_init(&k->facts, jr_get(job->cron_job, "spec"));
    k->asked = true;
    return k->known ? &k->facts : NULL;
}

bool jr_evaluation_cron_fact(struct jr_evaluation *e, enum jr_limit_as as, bool old, int64_t *ret)
{
    const struct jr_cron_facts *f = facts_of_cron_job(e, old);
    const struct jr_job_facts *job;

    if (f == NULL)
        return false;
    if (as == JR_LIMIT_AS_JOBS_PER_DAY) {
        *ret = f->schedule.starts_per_day;
    } else if (as == JR_LIMIT_AS_SHORTEST_INTERVAL) {
        *ret = f->schedule.shortest_s > INT64_MAX / MS ? INT64_MAX : f->schedule.shortest_s * MS;
    } else {
        job = jr_evaluation_facts(e, old);
        *ret = job == NULL ? INT64_MAX : jr_cron_jobs_at_once(f, job);
    }
    return true;
}

void jr_evaluation_cron_fact_write(struct jr_evaluation *e, enum jr_limit_as as, struct jr_buf *out)
{
    const struct jr_cron_facts *f = facts_of_cron_job(e, false);
    const struct jr_job_facts *job;

    if (f == NULL)
        return;
    if (as == JR_LIMIT_AS_JOBS_PER_DAY) {
        jr_cron_jobs_per_day_write(f, out);
    } else if (as == JR_LIMIT_AS_SHORTEST_INTERVAL) {
        jr_cron_shortest_write(f, out);
    } else {
        job = jr_evaluation_facts(e, false);
        if (job != NULL)
            jr_cron_jobs_at_once_write(f, job, out);
    }
}
