/* Jobs and CronJobs: the rules are common/job's. */
#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "devcluster/apiserver/strategy.h"

/* Members of the status that are left out when they are zero, as Go's omitempty does. */
static enum jr_status drop_zero_status(struct jr_node *root)
{
    static const char *const counters[] = { "active", "succeeded", "failed" };
    struct jr_node *status = jr_get(root, "status");

    for (size_t i = 0; i < JR_ARRAY_SIZE(counters); i++) {
        if (jr_node_i64_or(jr_get(status, counters[i]), -1) == 0)
            jr_remove(status, jr_str(counters[i]), NULL);
    }
    if (jr_node_kind(jr_get(status, "conditions")) == JR_ARRAY &&
        jr_size(jr_get(status, "conditions")) == 0)
        jr_remove(status, JR_S("conditions"), NULL);
    if (jr_node_kind(jr_get(status, "completedIndexes")) == JR_STRING &&
        jr_get_str(status, "completedIndexes").n == 0)
        jr_remove(status, JR_S("completedIndexes"), NULL);
    return JR_OK;
}

/* A template always shows its metadata. */
static enum jr_status template_metadata(struct jr_node *spec)
{
    struct jr_node *template = jr_get(spec, "template");

    if (jr_node_kind(template) != JR_OBJECT)
        return JR_OK;
    return jr_ensure_object(template, "metadata", NULL);
}

static enum jr_status job_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    static const char *const times[] = { "lastProbeTime", "lastTransitionTime" };
    enum jr_status st = jr_job_default(root, profile);

    if (st == JR_OK)
        st = template_metadata(jr_get(root, "spec"));
    if (st == JR_OK && jr_unset(jr_get(root, "status")))
        st = jr_set_object(root, "status", NULL);
    if (st == JR_OK)
        st = jr_dev_null_times(root, times, JR_ARRAY_SIZE(times));
    return st == JR_OK ? drop_zero_status(root) : st;
}

const struct jr_dev_strategy jr_dev_job_strategy = {
    .defaults = job_defaults,
    .kind = &jr_admission_job,
};

/* ---- CronJobs ---- */

static enum jr_status cronjob_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    enum jr_status st = jr_cron_job_default(root, profile);
    struct jr_node *template = jr_path(root, "spec.jobTemplate");

    if (st == JR_OK && jr_node_kind(template) == JR_OBJECT)
        st = jr_ensure_object(template, "metadata", NULL);
    if (st == JR_OK)
        st = template_metadata(jr_get(template, "spec"));
    if (st == JR_OK && jr_unset(jr_get(root, "status")))
        st = jr_set_object(root, "status", NULL);
    return st;
}

const struct jr_dev_strategy jr_dev_cronjob_strategy = {
    .defaults = cronjob_defaults,
    .kind = &jr_admission_cron_job,
    .validates_update = true,
};
