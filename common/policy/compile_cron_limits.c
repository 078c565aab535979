/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.limits.cronJob: fields of the CronJob itself, and facts of its schedule. */
#include "common/policy/compile.h"

static const struct cron_limit {
    const char *name; /* below spec.limits.cronJob */
    const char *path; /* in the CronJob's spec */
    enum jr_limit_as as;
    unsigned says;
} cron_limits[] = {
    { "concurrencyPolicy", "concurrencyPolicy", JR_LIMIT_AS_IS, JR_SAYS_REQUIRED | JR_SAYS_VALUES },
    { "startingDeadlineSeconds", "startingDeadlineSeconds", JR_LIMIT_AS_IS,
      JR_SAYS_REQUIRED | JR_SAYS_RANGE },
    { "successfulJobsHistoryLimit", "successfulJobsHistoryLimit", JR_LIMIT_AS_IS,
      JR_SAYS_REQUIRED | JR_SAYS_RANGE },
    { "failedJobsHistoryLimit", "failedJobsHistoryLimit", JR_LIMIT_AS_IS,
      JR_SAYS_REQUIRED | JR_SAYS_RANGE },
    { "timeZone", "timeZone", JR_LIMIT_AS_IS, JR_SAYS_REQUIRED | JR_SAYS_VALUES },
    { "shortestInterval", "schedule", JR_LIMIT_AS_SHORTEST_INTERVAL, JR_SAYS_RANGE },
    { "jobsPerDay", "schedule", JR_LIMIT_AS_JOBS_PER_DAY, JR_SAYS_RANGE },
    { "jobsAtOnce", "schedule", JR_LIMIT_AS_JOBS_AT_ONCE, JR_SAYS_RANGE },
};

static void compile_cron_limit(struct jr_policy_compiler *c, const struct cron_limit *row,
                               const struct jr_node *node, const struct jr_field_path *path,
                               struct jr_policy_rules *ret)
{
    struct jr_limit *l = jr_policy_add_limit(
        c, ret, jr_arena_printf(&c->policy->arena, "limits.cronJob.%s", row->name), path,
        JR_LIMIT_OF_CRON_JOB, row->path);

    if (l == NULL)
        return;
    l->as = row->as;
    if (row->as == JR_LIMIT_AS_JOBS_PER_DAY || row->as == JR_LIMIT_AS_JOBS_AT_ONCE)
        l->of.kind = JR_SCHEMA_INT64;
    jr_policy_compile_constraint(c, node, path, row->says, l);
    if (row->as == JR_LIMIT_AS_SHORTEST_INTERVAL &&
        (l->min.kind == JR_BOUND_QUANTITY || l->max.kind == JR_BOUND_QUANTITY))
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node),
                        "must be durations, as \"15m\"");
    if (l->max.kind == JR_BOUND_NUMBER && l->max.v < 0)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "max"), jr_errlist_int(c->errs, l->max.v),
                        "must not be less than 0");
}

void jr_policy_compile_cron_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                                   const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(cron_limits); i++) {
        const struct jr_node *node = jr_get(limits, cron_limits[i].name);

        if (!jr_unset(node))
            compile_cron_limit(c, &cron_limits[i], node, &JR_FIELD(path, cron_limits[i].name), ret);
    }
}
