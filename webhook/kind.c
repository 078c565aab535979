#include "webhook/kind.h"

void jr_subject_done(struct jr_subject *s)
{
    if (s->job.doc != NULL)
        jr_judged_done(&s->job);
    if (s->cron_job.doc != NULL)
        jr_judged_cron_done(&s->cron_job);
    s->root = NULL;
}

/* ---- Jobs ---- */

static enum jr_status job_check_types(const struct jr_node *object, struct jr_error *why)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;

    return jr_job_decode_tree(object, true, &job, why);
}

static enum jr_status job_open(struct jr_doc *doc, struct jr_subject *ret, struct jr_error *why)
{
    enum jr_status st = jr_judged_of(doc, true, &ret->job, why);

    if (st == JR_OK)
        ret->root = jr_doc_root_const(ret->job.doc);
    return st;
}

static void job_create(const struct jr_subject *s, const struct jr_profile *profile,
                       struct jr_errlist *errs)
{
    jr_job_validate_create(&s->job, profile, errs);
}

static void job_update(const struct jr_subject *s, const struct jr_subject *old,
                       const struct jr_profile *profile, struct jr_errlist *errs)
{
    jr_job_validate_update(&s->job, &old->job, profile, errs);
}

static void job_status(const struct jr_subject *s, const struct jr_subject *old,
                       const struct jr_profile *profile, struct jr_errlist *errs)
{
    jr_job_validate_status_update(&s->job, &old->job, profile, errs);
}

static enum jr_status job_warnings(const struct jr_subject *s, const struct jr_subject *old,
                                   struct jr_arena *arena, struct jr_strs *ret)
{
    return jr_job_warnings(&s->job, old == NULL ? NULL : &old->job, arena, ret);
}

const struct jr_review_kind jr_review_kind_job = {
    .kind = "Job",
    .resource = "jobs",
    .job_spec = "spec",
    .check_types = job_check_types,
    .complete = jr_job_complete,
    .default_sent = jr_job_default_sent,
    .open = job_open,
    .validate_create = job_create,
    .validate_update = job_update,
    .validate_status = job_status,
    .warnings = job_warnings,
};

/* ---- CronJobs ---- */

static enum jr_status cron_check_types(const struct jr_node *object, struct jr_error *why)
{
    JR_CLEANUP(jr_cron_job_freep) struct jr_cron_job *job = NULL;

    return jr_cron_job_decode_tree(object, true, &job, why);
}

static enum jr_status cron_open(struct jr_doc *doc, struct jr_subject *ret, struct jr_error *why)
{
    enum jr_status st = jr_judged_cron_of(doc, true, &ret->cron_job, why);

    if (st == JR_OK)
        ret->root = jr_doc_root_const(ret->cron_job.doc);
    return st;
}

static void cron_create(const struct jr_subject *s, const struct jr_profile *profile,
                        struct jr_errlist *errs)
{
    jr_cron_job_validate_create(&s->cron_job, profile, errs);
}

static void cron_update(const struct jr_subject *s, const struct jr_subject *old,
                        const struct jr_profile *profile, struct jr_errlist *errs)
{
    jr_cron_job_validate_update(&s->cron_job, &old->cron_job, profile, errs);
}

static enum jr_status cron_warnings(const struct jr_subject *s, const struct jr_subject *old,
                                    struct jr_arena *arena, struct jr_strs *ret)
{
    return jr_cron_job_warnings(&s->cron_job, old == NULL ? NULL : &old->cron_job, arena, ret);
}

const struct jr_review_kind jr_review_kind_cron_job = {
    .kind = "CronJob",
    .resource = "cronjobs",
    .job_spec = "spec.jobTemplate.spec",
    .check_types = cron_check_types,
    .complete = jr_cron_job_complete,
    .default_sent = jr_cron_job_default,
    .open = cron_open,
    .validate_create = cron_create,
    .validate_update = cron_update,
    .warnings = cron_warnings,
};
