/* SPDX-License-Identifier: Apache-2.0 */
/* The warnings for Jobs and CronJobs. */
#include "common/job/cron_job.h"
#include "common/job/validate.h"
#include "common/pod/warnings.h"
#include "common/rules/names.h"

#define MANY_COMPLETIONS 100000
#define MANY_PARALLELISM 10000

static void warn_name(struct jr_warnings *w, struct jr_str name)
{
    const struct jr_field_path meta = JR_FIELD(NULL, "metadata");
    const struct jr_name_errors f = jr_name_dns_label(name);

    if (f.n == 0)
        return;
    jr_warnings_add(w, JR_WARNING_NAME_NOT_DNS_LABEL, &JR_FIELD(&meta, "name"),
                    "this is used in Pod names and hostnames, which can result in surprising "
                    "behavior; a DNS label is recommended: [%s%s%s]",
                    f.v[0], f.n > 1 ? " " : "", f.n > 1 ? f.v[1] : "");
}

static void warn_counts(struct jr_warnings *w, const struct jr_job_spec *s,
                        const struct jr_field_path *path)
{
    if (jr_str_is(s->completion_mode, "Indexed") &&
        jr_i32_or(s->completions, 0) > MANY_COMPLETIONS &&
        jr_i32_or(s->parallelism, 0) > MANY_PARALLELISM)
        jr_warnings_add(
            w, JR_WARNING_MANY_INDEXES, path,
            "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
            "higher than 10^4, Kubernetes might not be able to track completedIndexes when a "
            "big number of indexes fail");
}

void jr_job_warnings(const struct jr_object *job, const struct jr_object *old,
                     const struct jr_profile *profile, struct jr_warnings *w)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");

    if (old != NULL && job->job->meta.generation == old->job->meta.generation)
        return;
    if (old == NULL)
        warn_name(w, job->job->meta.name);
    warn_counts(w, &job->job->spec, &spec);
    jr_pod_template_warnings(jr_path(job->root, "spec.template"), &JR_FIELD(&spec, "template"),
                             profile, w);
}

/** The path is upstream's, a "spec" too many. */
static void warn_zone(struct jr_warnings *w, struct jr_str schedule)
{
    if (schedule.n > 1 && memmem(schedule.p, schedule.n, "TZ", 2) != NULL)
        jr_warnings_add(
            w, JR_WARNING_SCHEDULE_ZONE, NULL,
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
            "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more "
            "details");
}

void jr_cron_job_warnings(const struct jr_object *cron_job, const struct jr_object *old,
                          const struct jr_profile *profile, struct jr_warnings *w)
{
    const struct jr_cron_job *now = cron_job->cron_job;
    const struct jr_field_path top = JR_FIELD(NULL, "spec");
    const struct jr_field_path job = JR_FIELD(&top, "jobTemplate");
    const struct jr_field_path spec = JR_FIELD(&job, "spec");

    if (old == NULL)
        warn_name(w, now->meta.name);
    if (old == NULL || now->meta.generation != old->cron_job->meta.generation) {
        warn_counts(w, &now->spec.job_template.spec, &spec);
        jr_pod_template_warnings(jr_path(cron_job->root, "spec.jobTemplate.spec.template"),
                                 &JR_FIELD(&spec, "template"), profile, w);
    }
    if (old != NULL)
        warn_zone(w, now->spec.schedule);
}
