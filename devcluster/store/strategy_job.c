/* Jobs and CronJobs: the rules are common/job's. */
#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/job/validate.h"
#include "devcluster/store/strategy.h"

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

struct judged {
    struct jr_judged job;
    struct jr_judged old;
};

static void judged_done(struct judged *j)
{
    jr_judged_done(&j->job);
    jr_judged_done(&j->old);
}

static enum jr_status job_validate(struct dev_proof *p)
{
    JR_CLEANUP(judged_done) struct judged j = { 0 };
    bool update = p->change == DEV_CHANGE_UPDATE;
    /* Types were checked at decode, so what fails here is memory. */
    enum jr_status st = jr_judged_open(p->text, NULL, &j.job, NULL);

    if (st == JR_OK && p->old != NULL)
        st = jr_judged_open(p->old->text, NULL, &j.old, NULL);
    if (st != JR_OK)
        return JR_NOMEM;
    switch (p->change) {
    case DEV_CHANGE_CREATE:
        jr_job_validate_create(&j.job, p->profile, p->errs);
        break;
    case DEV_CHANGE_UPDATE:
        jr_job_validate_update(&j.job, &j.old, p->profile, p->errs);
        break;
    case DEV_CHANGE_STATUS:
        jr_job_validate_status_update(&j.job, &j.old, p->profile, p->errs);
        break;
    }
    if (p->errs->n > 0 || p->change == DEV_CHANGE_STATUS)
        return JR_OK;
    return jr_job_warnings(&j.job, update ? &j.old : NULL, p->errs->arena, &p->warnings);
}

const struct dev_strategy jr_dev_job_strategy = {
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

static enum jr_status open_cronjob(struct jr_str text, struct jr_judged_cron *ret)
{
    struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_parse(text, &JR_GATE_LENIENT, &doc, NULL);

    return st == JR_OK ? jr_judged_cron_of(doc, false, ret, NULL) : st;
}

static enum jr_status cronjob_validate(struct dev_proof *p)
{
    JR_CLEANUP(jr_judged_cron_done) struct jr_judged_cron job = { NULL, NULL };
    JR_CLEANUP(jr_judged_cron_done) struct jr_judged_cron old = { NULL, NULL };
    bool update = p->change == DEV_CHANGE_UPDATE;
    enum jr_status st;

    if (p->change == DEV_CHANGE_STATUS) /* upstream has no rules for it */
        return JR_OK;
    st = open_cronjob(p->text, &job);
    if (st == JR_OK && update)
        st = open_cronjob(p->old->text, &old);
    if (st != JR_OK)
        return JR_NOMEM;
    if (update)
        jr_cron_job_validate_update(&job, &old, p->profile, p->errs);
    else
        jr_cron_job_validate_create(&job, p->profile, p->errs);
    if (p->errs->n > 0)
        return JR_OK;
    return jr_cron_job_warnings(&job, update ? &old : NULL, p->errs->arena, &p->warnings);
}

const struct dev_strategy jr_dev_cronjob_strategy = {
    .defaults = cronjob_defaults,
    .prepare_create = jr_cron_job_prepare_create,
    .prepare_update = jr_cron_job_prepare_update,
    .prepare_status = jr_cron_job_prepare_status_update,
    .validate = cronjob_validate,
    .validates_meta = true,
    .validates_update = true,
};
