/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the Job that a CronJob would create. */
#include "common/policy/cron_job.h"

#include "common/job/defaults.h"

#define NAME_MAX_BYTES 512

static enum jr_status copy(struct jr_node *to, const char *key, const struct jr_node *from)
{
    return jr_unset(from) ? JR_OK : jr_set_copy(to, jr_str(key), from, NULL);
}

static enum jr_status set_meta(struct jr_node *meta, const struct jr_node *cron_job,
                               const struct jr_node *template)
{
    const struct jr_node *from = jr_get(cron_job, "metadata");
    const struct jr_node *own = jr_get(template, "metadata");
    JR_BUF name = { 0 };
    enum jr_status st;

    jr_buf_init(&name, NAME_MAX_BYTES);
    /* The controller appends minutes since 1970, which have eight digits until 2160. */
    st = jr_buf_addf(&name, "%.*s-00000000", JR_P(jr_str_head(jr_get_str(from, "name"), 253)));
    if (st == JR_OK)
        st = jr_set_str(meta, "name", jr_buf_str(&name));
    if (st == JR_OK)
        st = copy(meta, "namespace", jr_get(from, "namespace"));
    if (st == JR_OK)
        st = copy(meta, "labels", jr_get(own, "labels"));
    return st == JR_OK ? copy(meta, "annotations", jr_get(own, "annotations")) : st;
}

enum jr_status jr_policy_job_of_cron_job(const struct jr_node *cron_job,
                                         const struct jr_profile *profile, struct jr_doc **ret)
{
    const struct jr_node *template = jr_path(cron_job, "spec.jobTemplate");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *job, *meta;
    enum jr_status st = jr_doc_new(&doc);

    if (st != JR_OK)
        return st;
    job = jr_doc_root(doc);
    st = jr_set_str(job, "apiVersion", JR_S("batch/v1"));
    if (st == JR_OK)
        st = jr_set_str(job, "kind", JR_S("Job"));
    if (st == JR_OK)
        st = jr_set_object(job, "metadata", &meta);
    if (st == JR_OK)
        st = set_meta(meta, cron_job, template);
    if (st == JR_OK)
        st = copy(job, "spec", jr_get(template, "spec"));
    if (st == JR_OK)
        st = jr_job_default(job, profile);
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}
