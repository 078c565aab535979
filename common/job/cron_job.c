/* SPDX-License-Identifier: Apache-2.0 */
/* Defaulting of CronJobs, and their preparation for validation. */
#include "common/job/cron_job.h"

#include "common/job/defaults.h"
#include "common/job/prepare.h"
#include "common/pod/canonical.h"
#include "common/pod/defaults.h"
#include "common/pod/prepare.h"
#include "common/rules/default_table.h"
#include "common/schema/drop_disabled.h"
#include "common/schema/equal.h"

/* ---- defaults ---- */

static const struct jr_default_row cron_spec[] = {
    { "concurrencyPolicy", JR_DEFAULT_TEXT, .text = "Allow", .id = "default-concurrency-policy" },
    { "suspend", .how = JR_DEFAULT_FALSE, .id = "default-cron-suspend" },
    { "successfulJobsHistoryLimit", JR_DEFAULT_INT_UNSET, .number = 3,
      .id = "default-successful-history-limit" },
    { "failedJobsHistoryLimit", JR_DEFAULT_INT_UNSET, .number = 1,
      .id = "default-failed-history-limit" },
    JR_DEFAULT_END,
};

enum jr_status jr_cron_job_complete(struct jr_node *cron_job, const struct jr_profile *profile,
                                    struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    struct jr_node *spec, *at;
    enum jr_status st;

    if (jr_node_kind(cron_job) != JR_OBJECT)
        return JR_OK;
    st = jr_ensure_object(cron_job, "spec", &spec);
    if (st == JR_OK)
        st = jr_defaults_apply(cron_spec, spec, profile, &path, log);
    if (st == JR_OK)
        st = jr_ensure_object(spec, "jobTemplate", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "spec", &at);
    if (st == JR_OK)
        st = jr_job_spec_default(
            at, jr_kube_has(profile->version, JR_CHANGE_CRON_JOB_CONDITIONS_DEFAULTED), profile,
            &JR_FIELD(&JR_FIELD(&path, "jobTemplate"), "spec"), log);
    return st == JR_TYPE ? JR_OK : st; /* the decoder reports wrong types */
}

enum jr_status jr_cron_job_default(struct jr_node *cron_job, const struct jr_profile *profile)
{
    return jr_cron_job_complete(cron_job, profile, NULL);
}

/* ---- preparation ---- */

static struct jr_node *job_spec(const struct jr_node *cron_job)
{
    return jr_path(cron_job, "spec.jobTemplate.spec");
}

void jr_cron_job_drop_gated(struct jr_node *cron_job, const struct jr_node *old,
                            const struct jr_profile *profile)
{
    struct jr_node *spec = job_spec(cron_job);

    if (jr_node_kind(spec) == JR_OBJECT && jr_kube_has(profile->version, JR_CHANGE_CRON_JOB_GATES))
        jr_schema_drop_gated_members(&jr_schema_job_spec, spec, job_spec(old), profile);
}

enum jr_status jr_cron_job_prepare_create(struct jr_node *cron_job,
                                          const struct jr_profile *profile)
{
    enum jr_status st;

    if (jr_node_kind(cron_job) != JR_OBJECT)
        return JR_OK;
    st = jr_set_object(cron_job, "status", NULL);
    if (st == JR_OK)
        st = jr_prepare_generation(cron_job, 1);
    jr_cron_job_drop_gated(cron_job, NULL, profile);
    if (st == JR_OK)
        st = jr_pod_template_prepare(jr_get(job_spec(cron_job), "template"), NULL, profile);
    return st == JR_OK ? jr_pod_spec_canonicalize(jr_path(job_spec(cron_job), "template.spec"))
                       : st;
}

enum jr_status jr_cron_job_prepare_update(struct jr_node *cron_job, const struct jr_node *old,
                                          const struct jr_profile *profile)
{
    int64_t generation = jr_node_i64_or(jr_path(old, "metadata.generation"), 0);
    enum jr_status st;

    if (jr_node_kind(cron_job) != JR_OBJECT)
        return JR_OK;
    st = jr_prepare_take_over(cron_job, old, "status");
    jr_cron_job_drop_gated(cron_job, old, profile);
    if (st == JR_OK)
        st = jr_pod_template_prepare(jr_get(job_spec(cron_job), "template"),
                                     jr_get(job_spec(old), "template"), profile);
    if (st == JR_OK)
        st = jr_pod_spec_canonicalize(jr_path(job_spec(cron_job), "template.spec"));
    if (st == JR_OK && !jr_schema_equal(&jr_schema_cron_job, "spec", jr_get(cron_job, "spec"),
                                        jr_get(old, "spec")))
        generation += generation < INT64_MAX;
    return st == JR_OK ? jr_prepare_meta(cron_job, old, generation) : st;
}

enum jr_status jr_cron_job_prepare_status_update(struct jr_node *cron_job,
                                                 const struct jr_node *old)
{
    enum jr_status st;

    if (jr_node_kind(cron_job) != JR_OBJECT)
        return JR_OK;
    st = jr_prepare_take_over(cron_job, old, "spec");
    if (st != JR_OK)
        return st;
    return jr_prepare_meta(cron_job, old, jr_node_i64_or(jr_path(old, "metadata.generation"), 0));
}
