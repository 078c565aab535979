/* SPDX-License-Identifier: Apache-2.0 */
/* When a Job has finished, and for how long it is kept. */
#include "controller/work/ttl.h"

bool jr_ttl_applies(const struct jr_job *job)
{
    return job->spec.ttl_after_finished_s.set && jr_job_finished(&job->status) &&
           !jr_time_set(job->meta.deletion_timestamp);
}

static struct jr_time finished_at(const struct jr_job *job)
{
    for (size_t i = 0; i < job->status.conditions.n; i++) {
        const struct jr_job_condition *c = &job->status.conditions.v[i];

        if ((jr_str_is(c->type, "Complete") || jr_str_is(c->type, "Failed")) &&
            jr_str_is(c->status, "True"))
            return c->last_transition_time;
    }
    return (struct jr_time){ 0 };
}

enum jr_status jr_ttl_left(const struct jr_job *job, struct jr_time now, int64_t *ret_ns,
                           struct jr_error *err)
{
    const struct jr_time at = finished_at(job);
    int64_t ttl_ns = job->spec.ttl_after_finished_s.v * JR_SEC; /* 32 bits of seconds */

    if (!jr_time_set(at))
        return jr_fail(err, JR_INVALID, NULL,
                       "unable to find the time when the Job %.*s/%.*s finished",
                       JR_P(job->meta.namespace), JR_P(job->meta.name));
    *ret_ns = jr_time_diff(jr_time_later(at, ttl_ns), now);
    return JR_OK;
}
