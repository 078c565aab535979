/* SPDX-License-Identifier: Apache-2.0 */
/* Writes as lines of the trace. */
#include "tests/sim/history.h"
#include "tests/sim/report.h"

static void add_conditions(const struct jr_job_status *st, struct jr_buf *out)
{
    for (size_t i = 0; i < st->conditions.n; i++) {
        const struct jr_job_condition *c = &st->conditions.v[i];

        (void)jr_buf_addf(out, " %.*s=%.*s(%.*s)", JR_P(c->type), JR_P(c->status), JR_P(c->reason));
    }
}

void sim_trace_job(struct sim_report *r, const struct sim_seen_job *j)
{
    const struct jr_job_status *st = &j->now->status;
    JR_BUF more = { 0 };

    if (!sim_thing_stands(&j->thing)) {
        sim_trace(r, "     job %.*s is gone", JR_P(j->thing.name));
        return;
    }
    jr_buf_init(&more, 4096);
    if (j->now->spec.completion_mode.n > 7) /* NonIndexed */
        (void)jr_buf_addf(&more, " lists %zu+%zu", st->uncounted.succeeded.n,
                          st->uncounted.failed.n);
    else
        (void)jr_buf_addf(&more, " lists %zu+%zu indexes [%.*s] [%.*s]", st->uncounted.succeeded.n,
                          st->uncounted.failed.n, JR_P(st->completed_indexes),
                          JR_P(st->failed_indexes));
    add_conditions(st, &more);
    sim_trace(r, "     job %.*s p%d%s%s active %d ready %d terminating %d ok %d bad %d%.*s",
              JR_P(j->thing.name), jr_i32_or(j->now->spec.parallelism, 1),
              jr_bool_or(j->now->spec.suspend, false) ? " suspended" : "",
              jr_time_set(j->now->meta.deletion_timestamp) ? " deleted" : "", st->active,
              jr_i32_or(st->ready, 0), jr_i32_or(st->terminating, 0), st->succeeded, st->failed,
              JR_P(jr_buf_str(&more)));
}

void sim_trace_pod(struct sim_report *r, const struct sim_seen_pod *p)
{
    static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed", "Unknown" };
    const struct jr_pod *pod = p->now;

    if (!sim_thing_stands(&p->thing)) {
        sim_trace(r, "     pod %.*s is gone", JR_P(p->thing.name));
        return;
    }
    if (p->before == NULL)
        sim_trace(r, "     pod %.*s is made, %.*s", JR_P(p->thing.name), JR_P(p->thing.life.uid));
    sim_trace(r, "     pod %.*s %s%s%s%s%s%.*s", JR_P(p->thing.name), phases[pod->phase],
              jr_pod_ready(pod) ? " ready" : "",
              jr_time_set(pod->deletion_timestamp) ? " deleted" : "",
              sim_bears(pod) ? "" : " unbound", sim_index_text(pod).n > 0 ? " index " : "",
              JR_P(sim_index_text(pod)));
}
