/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the Jobs' status, in words. */
#include "cli/wait/progress.h"

#include <math.h>

#include "common/job/facts.h"

#define LEAST_ENDED 3

struct jr_wait_range jr_wait_rest(int64_t done, int64_t n, int64_t seconds)
{
    const double rest = (double)(n - done) * (double)seconds, spread = sqrt((double)done);

    if (done < LEAST_ENDED || seconds <= 0 || done >= n)
        return (struct jr_wait_range){ .known = false };
    return (struct jr_wait_range){ true, (int64_t)floor(rest / ((double)done + spread)),
                                   (int64_t)ceil(rest / ((double)done - spread)) };
}

static void add_rate(int64_t done, int64_t seconds, struct jr_buf *out)
{
    const double a_minute = (double)done * 60 / (double)seconds;

    if (a_minute >= 120)
        (void)jr_buf_addf(out, "; %.0f/s", a_minute / 60);
    else
        (void)jr_buf_addf(out, "; %.*f/min", a_minute < 10 ? 1 : 0, a_minute);
}

/** Appends the rate, and the rest where its number is known. */
static void add_pace(int64_t done, int64_t n, int64_t seconds, struct jr_buf *out)
{
    const struct jr_wait_range rest = jr_wait_rest(done, n, seconds);

    if (done < LEAST_ENDED || seconds <= 0)
        return;
    add_rate(done, seconds, out);
    if (!rest.known)
        return;
    (void)jr_buf_adds(out, ", ");
    jr_seconds_write(rest.least, out);
    (void)jr_buf_adds(out, " to ");
    jr_seconds_write(rest.most, out);
    (void)jr_buf_adds(out, " left");
}

static void add_one(const struct jr_wait_job *j, struct jr_time now, struct jr_buf *out)
{
    const struct jr_job_status *s = &j->job->status;
    const struct jr_job_spec *spec = &j->job->spec;
    const bool indexed = jr_str_is(spec->completion_mode, "Indexed");
    const int64_t seconds =
        jr_time_set(s->start_time) ? jr_time_diff(now, s->start_time) / JR_SEC : 0;

    (void)jr_buf_addf(out, "%d", s->succeeded);
    if (spec->completions.set)
        (void)jr_buf_addf(out, " of %d", spec->completions.v);
    (void)jr_buf_addf(out, " %s done, %d active", indexed ? "indexes" : "Pods", s->active);
    if (s->failed > 0)
        (void)jr_buf_addf(out, ", %d failed", s->failed);
    if (jr_bool_or(spec->suspend, false))
        (void)jr_buf_adds(out, "; suspended");
    else
        add_pace(s->succeeded, spec->completions.set ? spec->completions.v : 0, seconds, out);
}

static void add_all(const struct jr_wait_jobs *jobs, struct jr_buf *out)
{
    int64_t over = 0, stuck = 0, active = 0, failed = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        const struct jr_wait_job *j = jobs->v[i];

        over += jr_wait_is_over(j);
        stuck += j->end == JR_WAIT_STUCK;
        failed += j->end == JR_WAIT_FAILED;
        if (!jr_wait_is_over(j) && j->job != NULL)
            active += j->job->status.active;
    }
    (void)jr_buf_addf(out, "%lld of %zu Jobs over, %lld Pods active", (long long)over, jobs->n,
                      (long long)active);
    if (failed > 0)
        (void)jr_buf_addf(out, ", %lld Jobs failed", (long long)failed);
    if (stuck > 0)
        (void)jr_buf_addf(out, ", %lld Jobs stuck", (long long)stuck);
}

void jr_wait_progress(const struct jr_wait_jobs *jobs, struct jr_time now, struct jr_buf *out)
{
    const struct jr_wait_job *j = jobs->n == 1 ? jobs->v[0] : NULL;

    if (j == NULL) {
        add_all(jobs, out);
        return;
    }
    jr_wait_job_name(jobs, j, out);
    (void)jr_buf_adds(out, ": ");
    if (j->job == NULL)
        (void)jr_buf_adds(out, j->listed ? "doesn't exist yet" : "isn't known yet");
    else
        add_one(j, now, out);
    if (j->why.n > 0)
        (void)jr_buf_addf(out, "; %.*s", JR_P(jr_buf_str(&j->why)));
}
