#include "common/api/cron_job.h"

#include "common/api/parts.h"

#define AT(member) offsetof(struct jr_cron_job, member)
#define SPEC(member) offsetof(struct jr_cron_job_spec, member)

static const struct jr_field template_fields[] = {
    { "metadata", SPEC(job_template.meta), jr_decode_object, &jr_meta_desc },
    { "spec", SPEC(job_template.spec), jr_decode_object, &jr_job_spec_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc template_desc = { template_fields };

static const struct jr_field spec_fields[] = {
    { "schedule", SPEC(schedule), jr_decode_str, NULL },
    { "timeZone", SPEC(time_zone), jr_decode_str, NULL },
    { "startingDeadlineSeconds", SPEC(starting_deadline_s), jr_decode_opt_i64, NULL },
    { "concurrencyPolicy", SPEC(concurrency_policy), jr_decode_str, NULL },
    { "suspend", SPEC(suspend), jr_decode_opt_bool, NULL },
    { "jobTemplate", 0, jr_decode_object, &template_desc },
    { "successfulJobsHistoryLimit", SPEC(successful_history_limit), jr_decode_opt_i32, NULL },
    { "failedJobsHistoryLimit", SPEC(failed_history_limit), jr_decode_opt_i32, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc spec_desc = { spec_fields };

static const struct jr_field status_fields[] = {
    { "lastScheduleTime", AT(status.last_schedule_time), jr_decode_time, NULL },
    { "lastSuccessfulTime", AT(status.last_successful_time), jr_decode_time, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc status_desc = { status_fields };

static const struct jr_field cron_job_fields[] = {
    { "metadata", AT(meta), jr_decode_object, &jr_meta_desc },
    { "spec", AT(spec), jr_decode_object, &spec_desc },
    { "status", 0, jr_decode_object, &status_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc cron_job_desc = { cron_job_fields };

enum jr_status jr_cron_job_decode(struct jr_str text, struct jr_cron_job **ret,
                                  struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct jr_cron_job *job;
    enum jr_status st;

    jr_arena_init(&arena, 0);
    job = jr_arena_alloc(&arena, sizeof(*job));
    if (job == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "CronJob");
    st = jr_decode(text, &arena, true, jr_decode_object, &cron_job_desc, job, err);
    if (st != JR_OK)
        return st;
    job->arena = arena; /* the CronJob lies in its own arena */
    arena = (struct jr_arena){ 0 };
    *ret = job;
    return JR_OK;
}

void jr_cron_job_free(struct jr_cron_job *job)
{
    struct jr_arena arena;

    if (job == NULL)
        return;
    arena = job->arena;
    jr_arena_done(&arena);
}
