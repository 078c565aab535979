/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and CronJobs: the rules are common/job's. */
#include "common/base/memory.h"
#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/schema/round_trip.h"
#include "devcluster/apiserver/strategy.h"

/* What Go's encoder makes of it; a status is always shown. */
static void encode(struct jr_node *root, const struct jr_schema_type *type,
                   const struct jr_profile *profile)
{
    jr_must(jr_schema_round_trip(type, root, profile->version.minor));
    jr_must(jr_ensure_object(root, "status", NULL));
}

static void job_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    jr_must(jr_job_default(root, profile));
    encode(root, &jr_schema_job, profile);
}

const struct jr_dev_strategy jr_dev_job_strategy = {
    .defaults = job_defaults,
    .kind = &jr_admission_job,
};

/* ---- CronJobs ---- */

static void cronjob_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    jr_must(jr_cron_job_default(root, profile));
    encode(root, &jr_schema_cron_job, profile);
}

const struct jr_dev_strategy jr_dev_cronjob_strategy = {
    .defaults = cronjob_defaults,
    .kind = &jr_admission_cron_job,
    .validates_update = true,
};
