/* batch/v1 CronJob as a struct, as far as its rules read it. */
#ifndef JR_API_CRON_JOB_H
#define JR_API_CRON_JOB_H

#include "common/api/job.h"

struct jr_cron_job_spec {
    struct jr_str schedule;
    struct jr_str time_zone; /* {NULL, 0} = absent; "" is a value */
    struct jr_opt_i64 starting_deadline_s;
    struct jr_str concurrency_policy; /* {NULL, 0} = absent */
    struct jr_opt_bool suspend;
    struct {
        struct jr_meta meta;
        struct jr_job_spec spec;
    } job_template;
    struct jr_opt_i32 successful_history_limit;
    struct jr_opt_i32 failed_history_limit;
};

/** A CronJob; all of it lives in one arena with it. */
struct jr_cron_job {
    struct jr_arena arena;
    struct jr_meta meta;
    struct jr_cron_job_spec spec;
    struct {
        struct jr_time last_schedule_time;
        struct jr_time last_successful_time;
    } status;
};

/** Decodes one object. text may go away afterwards. Errors: JR_SYNTAX, JR_TYPE and JR_RANGE with
 * the field path, JR_NOMEM. The caller frees. */
enum jr_status jr_cron_job_decode(struct jr_str text, struct jr_cron_job **ret,
                                  struct jr_error *err) JR_MUST_USE;
void jr_cron_job_free(struct jr_cron_job *job);
static inline void jr_cron_job_freep(struct jr_cron_job **job)
{
    jr_cron_job_free(*job);
}

#endif
