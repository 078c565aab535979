/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Jobs and CronJobs. */
#include "common/admission/kind.h"

#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/job/generate.h"
#include "common/job/prepare.h"
#include "common/job/validate.h"

#define SEGMENT(parent_, name_)                                   \
    {                                                             \
        .parent = (parent_), .name = { name_, sizeof(name_) - 1 } \
    }

static const struct jr_field_path spec = SEGMENT(NULL, "spec");
static const struct jr_field_path template = SEGMENT(&spec, "template");
static const struct jr_field_path job_template = SEGMENT(&spec, "jobTemplate");
static const struct jr_field_path inner_spec = SEGMENT(&job_template, "spec");
static const struct jr_field_path inner_template = SEGMENT(&inner_spec, "template");

const struct jr_admission_kind jr_admission_job = {
    .api_version = "batch/v1",
    .kind = "Job",
    .resource = "jobs",
    .job_spec = &spec,
    .template = &template,
    .schema = &jr_schema_job,
    .set_defaults = jr_job_default,
    .default_sent = jr_job_default_sent,
    .complete = jr_job_complete,
    .complete_sent = jr_job_complete_sent,
    .generate = jr_job_generate,
    .drop_gated = jr_job_drop_gated,
    .prepare_create = jr_job_prepare_create,
    .prepare_update = jr_job_prepare_update,
    .prepare_status = jr_job_prepare_status_update,
    .validate_create = jr_job_validate_create,
    .validate_update = jr_job_validate_update,
    .validate_status = jr_job_validate_status_update,
    .warnings = jr_job_warnings,
};

const struct jr_admission_kind jr_admission_cron_job = {
    .api_version = "batch/v1",
    .kind = "CronJob",
    .resource = "cronjobs",
    .job_spec = &inner_spec,
    .template = &inner_template,
    .schema = &jr_schema_cron_job,
    .set_defaults = jr_cron_job_default,
    .default_sent = jr_cron_job_default,
    .complete = jr_cron_job_complete,
    .complete_sent = jr_cron_job_complete,
    .drop_gated = jr_cron_job_drop_gated,
    .prepare_create = jr_cron_job_prepare_create,
    .prepare_update = jr_cron_job_prepare_update,
    .prepare_status = jr_cron_job_prepare_status_update,
    .validate_create = jr_cron_job_validate_create,
    .validate_update = jr_cron_job_validate_update,
    .warnings = jr_cron_job_warnings,
};

const struct jr_admission_kind *jr_admission_kind_find(struct jr_str api_version,
                                                       struct jr_str kind)
{
    static const struct jr_admission_kind *const kinds[] = { &jr_admission_job,
                                                             &jr_admission_cron_job };

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        if (jr_str_is(kind, kinds[i]->kind) && jr_str_is(api_version, kinds[i]->api_version))
            return kinds[i];
    }
    return NULL;
}
