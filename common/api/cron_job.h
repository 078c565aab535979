/* batch/v1 CronJob. */
#ifndef JR_API_CRON_JOB_H
#define JR_API_CRON_JOB_H

#include "common/api/job.h"

/** Decodes a tree, as jr_job_decode_tree does. The caller frees. */
enum jr_status jr_cron_job_decode_tree(const struct jr_node *node, bool served,
                                       struct jr_cron_job **ret, struct jr_error *err) JR_MUST_USE;
void jr_cron_job_free(struct jr_cron_job *job);
static inline void jr_cron_job_freep(struct jr_cron_job **job)
{
    jr_cron_job_free(*job);
}

#endif
