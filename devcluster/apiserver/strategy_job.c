/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and CronJobs: the rules are common/job's. */
#include "common/base/memory.h"
#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "devcluster/apiserver/strategy.h"

/* Members of the status that are left out when they are zero, as Go's omitempty does. */
static void drop_zero_status(struct jr_node *status)
{
    static const char *const counters[] = { "active", "succeeded", "failed" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(counters); i++) {
        if (jr_node_i64_or(jr_get(status, counters[i]), -1) == 0)
            jr_remove(status, jr_str(counters[i]), NULL);
    }
    if (jr_size(jr_get(status, "conditions")) == 0)
        jr_remove(status, JR_S("conditions"), NULL);
    if (jr_get_str(status, "completedIndexes").n == 0)
        jr_remove(status, JR_S("completedIndexes"), NULL);
}

/* A template always shows its metadata, which it has below `path`. */
static void show_metadata(struct jr_node *root, const char *path)
{
    struct jr_node *template = jr_path(root, path);

    if (jr_node_kind(template) == JR_OBJECT)
        jr_must(jr_ensure_object(template, "metadata", NULL));
}

static void job_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    struct jr_node *status;

    jr_must(jr_job_default(root, profile));
    show_metadata(root, "spec.template");
    jr_must(jr_ensure_object(root, "status", &status));
    jr_dev_null_times(root, "lastProbeTime,lastTransitionTime");
    drop_zero_status(status);
}

const struct jr_dev_strategy jr_dev_job_strategy = {
    .defaults = job_defaults,
    .kind = &jr_admission_job,
};

/* ---- CronJobs ---- */

static void cronjob_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    jr_must(jr_cron_job_default(root, profile));
    show_metadata(root, "spec.jobTemplate");
    show_metadata(root, "spec.jobTemplate.spec.template");
    jr_must(jr_ensure_object(root, "status", NULL));
}

const struct jr_dev_strategy jr_dev_cronjob_strategy = {
    .defaults = cronjob_defaults,
    .kind = &jr_admission_cron_job,
    .validates_update = true,
};
