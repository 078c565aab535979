#include "cli/default.h"

#include "common/job/cron_job.h"
#include "common/job/defaults.h"
#include "common/job/validate.h"
#include "common/pod/prepare.h"
#include "common/pod/settle.h"

/* Defaulting passes over members of a wrong type; the API server refuses them. */

static enum jr_status check_job(const struct jr_node *job, struct jr_error *err)
{
    JR_CLEANUP(jr_judged_done) struct jr_judged judged = { 0 };
    struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_of(job, &doc);

    return st == JR_OK ? jr_judged_of(doc, false, &judged, err) : jr_fail(err, st, NULL, "Job");
}

static enum jr_status check_cron_job(const struct jr_node *cron_job, struct jr_error *err)
{
    JR_CLEANUP(jr_judged_cron_done) struct jr_judged_cron judged = { 0 };
    struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_of(cron_job, &doc);

    return st == JR_OK ? jr_judged_cron_of(doc, false, &judged, err)
                       : jr_fail(err, st, NULL, "CronJob");
}

static enum jr_status set_uid(struct jr_node *object, const char *uid)
{
    struct jr_node *meta;
    enum jr_status st;

    if (uid == NULL || uid[0] == '\0')
        return JR_OK;
    st = jr_ensure_object(object, "metadata", &meta);
    return st == JR_OK ? jr_set_str(meta, "uid", jr_str(uid)) : st;
}

/** The Pod template as it is stored. */
static enum jr_status settle(struct jr_node *template, const struct jr_default_options *options)
{
    jr_pod_template_prepare(template, NULL, &options->profile);
    return jr_pod_spec_settle(jr_get(template, "spec"));
}

/** Generated labels may be what metadata.labels takes over: defaults come before and after. */
static enum jr_status complete_job(const struct jr_default_options *options, struct jr_node *job,
                                   struct jr_error *err)
{
    enum jr_status st = check_job(job, err);

    if (st != JR_OK)
        return st;
    st = set_uid(job, options->uid);
    if (st == JR_OK)
        st = jr_job_complete(job, &options->profile, NULL);
    if (st == JR_OK)
        st = settle(jr_path(job, "spec.template"), options);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "defaulting");
}

/** A CronJob's Job has no labels of its own yet: nothing is generated. */
static enum jr_status complete_cron_job(const struct jr_default_options *options,
                                        struct jr_node *cron_job, struct jr_error *err)
{
    enum jr_status st = check_cron_job(cron_job, err);

    if (st != JR_OK)
        return st;
    st = set_uid(cron_job, options->uid);
    if (st == JR_OK)
        st = jr_cron_job_default(cron_job, &options->profile);
    if (st == JR_OK)
        st = settle(jr_path(cron_job, "spec.jobTemplate.spec.template"), options);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "defaulting");
}

/** What is completed, and how. */
static const struct {
    const char *api_version, *kind;
    enum jr_status (*complete)(const struct jr_default_options *options, struct jr_node *object,
                               struct jr_error *err);
} kinds[] = {
    { "batch/v1", "Job", complete_job },
    { "batch/v1", "CronJob", complete_cron_job },
};

enum jr_status jr_default_object(void *ctx, const struct jr_manifest *m, bool *ret,
                                 struct jr_error *err)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        if (jr_str_is(m->api_version, kinds[i].api_version) && jr_str_is(m->kind, kinds[i].kind)) {
            *ret = true;
            return kinds[i].complete(ctx, m->node, err);
        }
    }
    *ret = false;
    return JR_OK;
}
