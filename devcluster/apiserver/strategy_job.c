/* Jobs and CronJobs: the rules are common/job's. */
#include "common/admission/admission.h"
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

/** Types were checked at decode, so what fails here is memory. */
static enum jr_status validate(struct jr_dev_proof *p, const struct jr_admission_kind *kind)
{
    static const enum jr_admission_operation operations[] = {
        [JR_DEV_CHANGE_CREATE] = JR_ADMISSION_CREATE,
        [JR_DEV_CHANGE_UPDATE] = JR_ADMISSION_UPDATE,
        [JR_DEV_CHANGE_STATUS] = JR_ADMISSION_STATUS,
    };
    const enum jr_admission_operation operation = operations[p->change];
    JR_OBJECT_OPEN object = { .root = NULL };
    JR_OBJECT_OPEN old = { .root = NULL };
    enum jr_status st = jr_object_open(kind->schema, p->root, 0, &object, NULL);

    if (st == JR_OK && p->old_root != NULL)
        st = jr_object_open(kind->schema, p->old_root, 0, &old, NULL);
    if (st != JR_OK)
        return JR_NOMEM;
    jr_admission_validate(kind, operation, &object, &old, p->profile, p->errs);
    if (p->errs->n > 0)
        return JR_OK;
    return jr_admission_warnings(kind, operation, &object, &old, p->errs->arena, &p->warnings);
}

static enum jr_status job_validate(struct jr_dev_proof *p)
{
    return validate(p, &jr_admission_job);
}

const struct jr_dev_strategy jr_dev_job_strategy = {
    .defaults = job_defaults,
    .prepare_create = jr_job_prepare_create,
    .prepare_update = jr_job_prepare_update,
    .prepare_status = jr_job_prepare_status_update,
    .validate = job_validate,
    .validates_meta = true,
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

static enum jr_status cronjob_validate(struct jr_dev_proof *p)
{
    return validate(p, &jr_admission_cron_job);
}

const struct jr_dev_strategy jr_dev_cronjob_strategy = {
    .defaults = cronjob_defaults,
    .prepare_create = jr_cron_job_prepare_create,
    .prepare_update = jr_cron_job_prepare_update,
    .prepare_status = jr_cron_job_prepare_status_update,
    .validate = cronjob_validate,
    .validates_meta = true,
    .validates_update = true,
};
