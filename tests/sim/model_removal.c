/* SPDX-License-Identifier: Apache-2.0 */
/* No Pod is lost (6): what a finalizer may be taken off for. A Pod that has ended has been counted
 * by then, unless who took it off couldn't know of its end and was right to let go of what he knew.
 */
#include "common/rules/selector.h"
#include "tests/sim/model_parts.h"

/* A finalizer goes. */
struct removal {
    const struct sim_view *v;
    const struct sim_pod_view *p;
    size_t at;   /* the Pod's first version without it; p->n: it went with it */
    size_t from; /* the oldest version of the Pod that may have been gone by */
    struct sim_hand hand;
    size_t job_from; /* as from, of the Job */
    size_t job_to;   /* the Job's last version that may have stood then */
    int64_t at_ns;
    uint64_t rv; /* nothing that was written later had been written yet */
};

/* The newest version of a Pod that had been written at that moment. */
static uint64_t newest_at(const struct sim_view *v, int64_t at_ns)
{
    uint64_t rv = 0;

    for (size_t i = 0; i < v->n_pods; i++) {
        for (size_t k = 0; k < v->pods[i].n; k++)
            if (v->pods[i].life->versions[k].at_ns <= at_ns && v->pods[i].rv[k] > rv)
                rv = v->pods[i].rv[k];
    }
    return rv;
}

static struct removal removal_at(const struct sim_view *v, const struct sim_pod_view *p, size_t at)
{
    struct removal r = { .v = v, .p = p, .at = at };
    const struct sim_version *job = v->h->job.versions;

    r.hand = at < p->n ? p->life->versions[at].hand : p->life->gone_by;
    r.at_ns = at < p->n ? p->life->versions[at].at_ns : p->life->gone_ns;
    r.rv = at < p->n ? p->rv[at] : newest_at(v, r.at_ns);
    r.from = sim_newest_until(p, r.hand.pods, at - 1);
    r.job_from = sim_job_at(v, r.hand.jobs);
    r.job_to = v->n - 1;
    if (at < p->n)
        r.job_to = sim_job_at(v, p->rv[at]);
    else /* only the moment is known */
        while (r.job_to > 0 && job[r.job_to].at_ns > r.at_ns)
            r.job_to--;
    return r;
}

/* ---- counted ---- */

static bool index_is_completed(const struct jr_job *job, const struct jr_pod *p)
{
    SIM_INDEXES completed = { 0 };

    return jr_indexes_read(job->status.completed_indexes, jr_i32_or(job->spec.completions, 0),
                           &completed) == JR_OK &&
           jr_indexes_has(&completed, sim_pod_index(p));
}

static bool is_counted(const struct removal *r)
{
    const struct jr_pod *last = r->p->v[r->at - 1];
    bool succeeded = false; /* whatever it has become since */

    for (size_t i = 0; i < r->at; i++)
        succeeded = succeeded || r->p->v[i]->phase == JR_POD_SUCCEEDED;

    for (size_t i = 0; i <= r->job_to; i++) {
        const struct jr_job *job = r->v->jobs[i];

        if (sim_listed(job, r->p->life->uid))
            return true;
        if (i >= r->job_from && sim_indexed(job) && succeeded && index_is_completed(job, last))
            return true;
    }
    return false;
}

/* ---- surplus ---- */

/* Whether it was active in a version that may have been gone by. */
static bool may_have_run(const struct removal *r, const struct sim_pod_view *o)
{
    const struct jr_job *job = sim_last(r->v);

    for (size_t i = sim_newest_until(o, r->hand.pods, o->n - 1); i < o->n; i++) {
        if (o->rv[i] <= r->rv && sim_claimable(job, o->v[i]) && jr_pod_active(o->v[i]))
            return true;
    }
    return false;
}

/* More run than are wanted, or another one of its index does (5). */
static bool is_surplus(const struct removal *r, const struct jr_job *job, const struct jr_pod *p)
{
    int64_t running = 1, succeeded = 0, want = jr_i32_or(job->spec.parallelism, 1);

    for (size_t i = 0; i < r->v->n_pods; i++) {
        const struct sim_pod_view *o = &r->v->pods[i];

        if (o == r->p)
            continue;
        succeeded += sim_ever(r->v, o, r->rv, sim_has_succeeded);
        if (!may_have_run(r, o))
            continue;
        running++;
        if (sim_indexed(job) && sim_pod_index(o->v[0]) == sim_pod_index(p))
            return true;
    }
    if (job->spec.completions.set && job->spec.completions.v - succeeded < want)
        want = job->spec.completions.v - succeeded;
    return running > want;
}

/* ---- let go ---- */

/* Who ended the Job had made it himself, and had no answer yet: he had to wait for one, or for a
 * list ("Finish the Job or manage its Pods", "Upstream defects"). */
static bool was_ambiguous(const struct removal *r, size_t end)
{
    const struct sim_hand *made = &r->p->life->versions[0].hand;

    return made->life != 0 && !made->late && made->life == r->v->h->job.versions[end].hand.life &&
           r->p->rv[0] < r->v->rv[end];
}

/* Nobody knew of it when the Job finished. */
static bool came_after_the_end(const struct removal *r)
{
    for (size_t i = 0; i <= r->job_to; i++) {
        if (!jr_job_finished(&r->v->jobs[i]->status))
            continue;
        if (was_ambiguous(r, i))
            return false;
        for (size_t k = 0; k < r->p->n; k++) {
            if (sim_claimed(r->v->jobs[i], r->p->v[k]) && sim_tracked(r->p->v[k]))
                return r->p->rv[k] > r->v->h->job.versions[i].hand.pods;
        }
    }
    return false;
}

static bool is_ignored(const struct jr_job *job, const struct jr_pod *p)
{
    return (sim_failed(job, p) || sim_true(job, "FailureTarget") != NULL) &&
           sim_match_rules(job, p, NULL) == SIM_IGNORED;
}

/* Whether who knows these versions takes the finalizer off without counting it. */
static bool is_let_go(const struct removal *r, const struct jr_job *job, const struct jr_pod *p)
{
    if (!sim_owned(job, p) && !sim_claimable(job, p))
        return false;
    if (r->hand.decommissioning && !jr_pod_terminal(p)) /* it goes on without anybody */
        return true;
    if (!sim_claimable(job, p)) /* released, or let go of by a Job that has ended */
        return r->at == r->p->n || !sim_owned(job, r->p->v[r->at]) ||
               jr_job_finished(&job->status) || sim_deleting(job);
    if (!sim_index_counts(job, p) || is_ignored(job, p))
        return true;
    if (jr_pod_terminal(p) || sim_failed(job, p))
        return jr_job_finished(&job->status) && came_after_the_end(r);
    if (sim_deleting(job) || jr_job_finished(&job->status) ||
        sim_true(job, "SuccessCriteriaMet") != NULL)
        return true;
    return jr_pod_active(p) && (sim_suspended(job) || is_surplus(r, job, p));
}

/* By the newest version of the Pod that lets go of it; r->at: none does. */
static size_t let_go_by(const struct removal *r)
{
    for (size_t i = r->at; i-- > r->from;) {
        for (size_t k = r->job_to + 1; k-- > r->job_from;)
            if (is_let_go(r, r->v->jobs[k], r->p->v[i]))
                return i;
    }
    return r->at;
}

static bool is_lost(const struct removal *r)
{
    const struct jr_job *job = r->v->jobs[r->job_to];
    const struct jr_pod *last = r->p->v[r->at - 1];
    bool released = r->at < r->p->n && !sim_owned(job, r->p->v[r->at]);

    if (!sim_claimed(job, last))
        return sim_wrong(r->v->why,
                         "Pod %.*s, which doesn't match, lost its finalizer, not its owner",
                         JR_P(r->p->life->uid));
    if (released)
        return sim_wrong(r->v->why, "Pod %.*s was released though it matches",
                         JR_P(r->p->life->uid));
    return sim_wrong(r->v->why,
                     "Pod %.*s %s, and was lost: its finalizer went before it was counted",
                     JR_P(r->p->life->uid),
                     jr_pod_terminal(last)      ? "finished"
                     : sim_failed(job, last)    ? "failed by being deleted"
                     : jr_pod_terminating(last) ? "was terminating"
                                                : "was active");
}

static bool check(const struct removal *r, enum sim_excuse *ret)
{
    const struct jr_pod *last = r->p->v[r->at - 1];
    size_t by;

    *ret = SIM_N_EXCUSES;
    if (r->hand.other) {
        *ret = SIM_EXCUSE_OTHERS;
        return true;
    }
    if ((r->v->h->job.gone_ns >= 0 && r->v->h->job.gone_ns <= r->at_ns) || is_counted(r))
        return true;
    by = let_go_by(r);
    if (by == r->at)
        return is_lost(r);
    if (by < r->at - 1 && jr_pod_terminal(last))
        *ret = SIM_EXCUSE_ENDED_UNSEEN;
    else if (jr_pod_terminal(last) && jr_job_finished(&r->v->jobs[r->job_to]->status))
        *ret = SIM_EXCUSE_AFTER_THE_END;
    return true;
}

/* ---- the whole ---- */

/* Whether the version before was tracked, and the Job's, and this one isn't. */
static bool is_removal(const struct sim_view *v, const struct sim_pod_view *p, size_t at)
{
    bool lost = at < p->n ? !sim_tracked(p->v[at]) : p->life->gone_ns >= 0;

    return lost && sim_owned(sim_last(v), p->v[at - 1]) && sim_tracked(p->v[at - 1]);
}

bool sim_check_removals(struct sim_view *v)
{
    for (size_t i = 0; i < v->n_pods; i++) {
        for (size_t at = 1; at <= v->pods[i].n; at++) {
            struct removal r = { .v = v };
            enum sim_excuse excuse;

            if (!is_removal(v, &v->pods[i], at))
                continue;
            r = removal_at(v, &v->pods[i], at);
            if (!check(&r, &excuse))
                return false;
        }
    }
    return true;
}

bool sim_model_removal(const struct sim_history *h, size_t pod, enum sim_excuse *ret,
                       struct jr_buf *why)
{
    struct sim_view v;
    bool right = sim_view_init(&v, h, why);

    *ret = SIM_N_EXCUSES;
    if (right) {
        const struct sim_pod_view *p = &v.pods[pod];
        size_t at = p->life->gone_ns >= 0 ? p->n : p->n - 1;
        struct removal r = { .v = &v };

        if (at > 0 && is_removal(&v, p, at)) {
            r = removal_at(&v, p, at);
            right = check(&r, ret);
        }
    }
    sim_view_done(&v);
    return right;
}
