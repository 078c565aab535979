/* SPDX-License-Identifier: Apache-2.0 */
#include "common/rules/selector.h"
#include "tests/sim/model_parts.h"

#define OWN_FINALIZER "jobreeve.dev/job-tracking"
#define BACKOFF_LIMIT_DEFAULT 6

bool sim_wrong(struct jr_buf *why, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)jr_buf_vaddf(why, fmt, ap);
    va_end(ap);
    return false;
}

bool sim_tracked(const struct jr_pod *p)
{
    return jr_pod_has_finalizer(p, JR_S(JR_JOB_TRACKING_FINALIZER)) ||
           jr_pod_has_finalizer(p, JR_S(OWN_FINALIZER));
}

bool sim_owned(const struct jr_job *job, const struct jr_pod *p)
{
    return p->controller.set && jr_str_eq(jr_pod_str(p, p->controller.uid), job->meta.uid);
}

bool sim_claimed(const struct jr_job *job, const struct jr_pod *p)
{
    return sim_owned(job, p) && jr_selector_matches_pod(&job->spec.selector, p);
}

bool sim_claimable(const struct jr_job *job, const struct jr_pod *p)
{
    return jr_selector_matches_pod(&job->spec.selector, p) &&
           (!p->controller.set || sim_owned(job, p));
}

bool sim_indexed(const struct jr_job *job)
{
    return jr_str_is(job->spec.completion_mode, "Indexed");
}

bool sim_replace_failed_only(const struct jr_job *job)
{
    return job->spec.pod_failure_policy.set ||
           jr_str_is(job->spec.pod_replacement_policy, "Failed");
}

bool sim_failed(const struct jr_job *job, const struct jr_pod *p)
{
    if (p->phase == JR_POD_FAILED)
        return true;
    return !sim_replace_failed_only(job) && jr_time_set(p->deletion_timestamp) &&
           p->phase != JR_POD_SUCCEEDED;
}

static int64_t number_or(struct jr_str text, int64_t fallback)
{
    int64_t v;

    return jr_parse_go_int(text, &v) == JR_OK && v >= 0 && v <= INT32_MAX ? v : fallback;
}

int32_t sim_pod_index(const struct jr_pod *p)
{
    return (int32_t)number_or(jr_pod_str(p, p->completion_index), -1);
}

bool sim_index_counts(const struct jr_job *job, const struct jr_pod *p)
{
    int32_t i = sim_pod_index(p);

    return !sim_indexed(job) || (i >= 0 && i < jr_i32_or(job->spec.completions, 0));
}

int64_t sim_failure_count(const struct jr_pod *p)
{
    return number_or(jr_pod_str(p, p->index_failure_count), 0);
}

int64_t sim_ignored_count(const struct jr_pod *p)
{
    return number_or(jr_pod_str(p, p->index_ignored_failure_count), 0);
}

int64_t sim_all_failures(const struct jr_pod *p)
{
    return sim_failure_count(p) + sim_ignored_count(p);
}

int32_t sim_restarts(const struct jr_pod *p)
{
    int32_t sum = 0;

    for (size_t i = 0; i < p->containers.n; i++)
        sum += p->containers.v[i].restart_count;
    return sum;
}

struct jr_time sim_ended_at(const struct jr_pod *p)
{
    struct jr_time latest = { 0 };

    for (size_t i = 0; i < p->containers.n; i++) {
        const struct jr_container_status *c = &p->containers.v[i];

        if (c->init)
            continue;
        if (!c->terminated.set || !jr_time_set(c->terminated.finished_at))
            return (struct jr_time){ 0 };
        if (jr_time_cmp(c->terminated.finished_at, latest) > 0)
            latest = c->terminated.finished_at;
    }
    return latest;
}

bool sim_listed(const struct jr_job *job, struct jr_str uid)
{
    return jr_strs_has(&job->status.uncounted.succeeded, uid) ||
           jr_strs_has(&job->status.uncounted.failed, uid);
}

const struct jr_job_condition *sim_true(const struct jr_job *job, const char *type)
{
    const struct jr_job_condition *c = jr_job_condition_get(&job->status.conditions, type);

    return c != NULL && jr_str_is(c->status, "True") ? c : NULL;
}

bool sim_suspended(const struct jr_job *job)
{
    return jr_bool_or(job->spec.suspend, false);
}

bool sim_deleting(const struct jr_job *job)
{
    return jr_time_set(job->meta.deletion_timestamp);
}

bool sim_is_finishing(const struct jr_job *job)
{
    return sim_true(job, "FailureTarget") != NULL || sim_true(job, "SuccessCriteriaMet") != NULL;
}

int64_t sim_backoff_limit(const struct jr_job *job)
{
    return jr_i32_or(job->spec.backoff_limit, BACKOFF_LIMIT_DEFAULT);
}

bool sim_read_indexes(const struct jr_job *job, struct jr_str text, const char *field,
                      struct jr_indexes *ret, struct jr_buf *why)
{
    const int32_t completions = jr_i32_or(job->spec.completions, 0);
    JR_BUF again = { 0 }, fault = { 0 };

    if (text.n == 0)
        return true;
    jr_buf_init(&fault, 4 * text.n + 256); /* quoting makes at most four bytes of one */
    if (jr_indexes_check(text, completions, NULL, &fault) != JR_OK ||
        jr_indexes_read(text, completions, ret) != JR_OK)
        return sim_wrong(why, "status.%s \"%.*s\": %.*s", field, JR_P(text),
                         JR_P(jr_buf_str(&fault)));
    jr_buf_init(&again, text.n + 64);
    if (jr_indexes_write(ret, &again) != JR_OK || !jr_str_eq(jr_buf_str(&again), text))
        return sim_wrong(why, "status.%s \"%.*s\" is not written as \"%s\"", field, JR_P(text),
                         again.p == NULL ? "" : again.p);
    return true;
}

bool sim_index_is_over(const struct jr_job *job, int32_t index)
{
    SIM_INDEXES completed = { 0 };
    SIM_INDEXES failed = { 0 };

    return jr_indexes_read(job->status.completed_indexes, INT32_MAX, &completed) == JR_OK &&
           jr_indexes_read(job->status.failed_indexes, INT32_MAX, &failed) == JR_OK &&
           (jr_indexes_has(&completed, index) || jr_indexes_has(&failed, index));
}
