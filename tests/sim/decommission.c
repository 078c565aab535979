/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/decommission.h"

void sim_release_sent(struct sim_report *r, const struct sim_request *q)
{
    static const char owners[] = "\"ownerReferences\"", delete[] = "\"$patch\"";
    const struct jr_str b = q->body;
    bool adopts = q->verb == SIM_VERB_PATCH &&
                  memmem(b.p, b.n, owners, sizeof(owners) - 1) != NULL &&
                  memmem(b.p, b.n, delete, sizeof(delete) - 1) == NULL;
    bool other = strstr(q->path, "/leases") != NULL || strstr(q->path, "/events") != NULL;

    if (adopts || (!other && (q->verb == SIM_VERB_POST || q->verb == SIM_VERB_DELETE)))
        sim_fail(r, "the release lets go", "%s %s", q->method, q->path);
}

/** Of a Job that is ours, of one that is gone, or nobody's. */
static bool is_ours(const struct sim_book *b, const struct jr_pod *p)
{
    const struct sim_seen_job *j;

    if (!p->controller.set)
        return true;
    if (!jr_pod_controller_is(p, "Job"))
        return false;
    j = sim_book_controller(b, p);
    return j == NULL || j->plan == NULL || !sim_is_external(j->plan->features);
}

void sim_release_over(struct sim_report *r, const struct sim_book *b, const struct sim_hand *knows)
{
    for (size_t i = 0; i < b->n_pods; i++) {
        const struct sim_seen_pod *p = b->pods[i];

        if (sim_thing_stands(&p->thing) && sim_bears(p->now) && is_ours(b, p->now) &&
            sim_rv(jr_pod_str(p->now, p->now->resource_version)) <= knows->pods)
            sim_fail(r, "the release is whole", "Pod %.*s has the finalizer still",
                     JR_P(p->thing.name));
    }
    for (size_t i = 0; i < b->n_jobs; i++) {
        const struct sim_seen_job *j = b->jobs[i];
        const struct jr_job_status *s = &j->now->status;

        if (sim_thing_stands(&j->thing) && j->plan != NULL && !jr_job_finished(s) &&
            s->uncounted.succeeded.n + s->uncounted.failed.n > 0 &&
            sim_rv(j->now->meta.resource_version) <= knows->jobs)
            sim_fail(r, "the release is whole", "%.*s: Pods are listed, and not counted",
                     JR_P(j->thing.name));
    }
}
