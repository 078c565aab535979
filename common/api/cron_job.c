/* CronJobs from a tree. */
#include "common/api/cron_job.h"

#include "common/schema/decode_tree.h"

enum jr_status jr_cron_job_decode_tree(const struct jr_node *node, bool served,
                                       struct jr_cron_job **ret, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct jr_cron_job *job;
    enum jr_status st;

    jr_arena_init(&arena, 0);
    job = jr_arena_alloc(&arena, sizeof(*job));
    if (job == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "CronJob");
    st = jr_schema_decode_tree_or_fail(&jr_schema_cron_job, node, served, &arena, job, err);
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
