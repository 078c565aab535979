/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/invariants.h"

#include <stdio.h>

#include "common/api/lease.h"
#include "tests/sim/client_rules.h"
#include "tests/sim/counting.h"
#include "tests/sim/coverage.h"
#include "tests/sim/creation_limit.h"
#include "tests/sim/decommission.h"
#include "tests/sim/gang.h"
#include "tests/sim/known.h"
#include "tests/sim/timing.h"

struct sim_invariants {
    struct sim_invariants_options o;
    struct sim_lister lister;
    struct sim_counting account;
};

struct sim_invariants *sim_invariants_new(const struct sim_invariants_options *options)
{
    struct sim_invariants *v = calloc(1, sizeof(*v));

    if (v == NULL)
        abort();
    v->o = *options;
    v->account = (struct sim_counting){ .report = options->report,
                                        .book = options->book,
                                        .slow = options->slow };
    return v;
}

void sim_invariants_free(struct sim_invariants *v)
{
    free(v);
}

static int64_t now_ns(const struct sim_invariants *v)
{
    return v->o.clock->mono.ns - v->o.start.mono.ns;
}

static bool is_controller(const struct sim_request *by)
{
    return by != NULL && by->process != 0 && by->process != SIM_USER;
}

/* ---- Jobs ---- */

static void check_job(struct sim_invariants *v, const struct sim_seen_job *j)
{
    JR_BUF why = { 0 };
    struct jr_str prev = { NULL, 0 };
    const struct sim_life *l = &j->thing.life;

    jr_buf_init(&why, 4096);
    if (j->before != NULL) {
        prev = l->versions[l->n - 2].text;
    }
    if (j->plan != NULL && !sim_model_step(j->plan, prev, l->versions[l->n - 1].text,
                                           sim_book_pods(v->o.book, j), j->n_pods, &why))
        sim_fail(v->o.report, "each step", "%.*s: %.*s", JR_P(j->thing.name),
                 JR_P(jr_buf_str(&why)));
}

/* ---- Pods ---- */

/** An adoption sent by a process that is dead by now puts the finalizer of a Pod back that was
 * counted since: the patch ("Adopt and release patches") names no version. It is counted once more;
 * upstream's is, too. */
static bool is_late_adoption(const struct sim_invariants *v, const struct sim_seen_pod *p,
                             const struct sim_request *by)
{
    return is_controller(by) && (by->process != v->lister.process || by->life != v->lister.life) &&
           p->before != NULL && !sim_bears(p->before) && sim_bears(p->now);
}

static void check_pod(struct sim_invariants *v, struct sim_seen_pod *p,
                      const struct sim_request *by)
{
    struct sim_seen_job *j = sim_book_controller(v->o.book, p->now);
    struct sim_life *l = &p->thing.life;
    JR_BUF why = { 0 };

    if (j == NULL || j->plan == NULL)
        return;
    if (is_late_adoption(v, p, by)) {
        sim_excuse(v->o.report, SIM_EXCUSE_LATE_ADOPTION);
        l->adopted_late = true;
        return;
    }
    jr_buf_init(&why, 4096);
    if (!sim_model_step(j->plan, l->n > 1 ? l->versions[l->n - 2].text : (struct jr_str){ NULL, 0 },
                        l->versions[l->n - 1].text, sim_book_pods(v->o.book, j), j->n_pods, &why))
        sim_fail(v->o.report, "each step", "%.*s: %.*s", JR_P(p->thing.name),
                 JR_P(jr_buf_str(&why)));
}

static struct sim_gangs gangs_of(const struct sim_invariants *v)
{
    return (struct sim_gangs){
        .report = v->o.report, .book = v->o.book, .store = v->o.store, .api = v->o.gang_api
    };
}

static void check_created(struct sim_invariants *v, struct sim_seen_pod *p,
                          const struct sim_request *by)
{
    const struct sim_seen_job *j = sim_book_controller(v->o.book, p->now);
    const struct sim_gangs gangs = gangs_of(v);

    sim_creation_check(v->o.report, v->o.book, &v->lister, p, by, now_ns(v));
    if (v->o.gang_api != JR_SCHEDULING_NONE && j != NULL)
        sim_gang_pod(&gangs, j, p, sim_knows(&v->lister, by), &by->hand);
    if (j != NULL && sim_knows(&v->lister, by))
        sim_timing_known(v->o.report, j, by, v->o.clock->wall);
    if (v->o.quiet && j != NULL)
        sim_timing_check(v->o.report, j, p, now_ns(v));
}

static void note_deleted(struct sim_invariants *v, const struct sim_seen_pod *p)
{
    struct sim_seen_job *j = sim_book_controller(v->o.book, p->now);

    if (j != NULL)
        sim_timing_deleted(j, p);
}

static void check_removed(struct sim_invariants *v, const struct sim_seen_pod *p)
{
    const struct sim_seen_job *j = sim_book_controller(v->o.book, p->now);

    if (j != NULL && jr_pod_active(p->now) && sim_bears(p->before) && !sim_bears(p->now))
        sim_timing_removed(v->o.report, j, p, now_ns(v));
}

/** Only what has finished, and not before its time ("TTL after finished"), by the clock of who
 * deletes it. */
static void check_expired(struct sim_invariants *v, const struct sim_seen_job *j, bool gone,
                          const struct sim_request *by)
{
    const struct jr_job *job = gone || j->before == NULL ? j->now : j->before;
    const struct jr_job_conditions *all = &job->status.conditions;
    const struct jr_job_condition *c = jr_job_condition_true(all, "Complete")
                                           ? jr_job_condition_get(all, "Complete")
                                           : jr_job_condition_get(all, "Failed");
    int64_t now = v->o.clock->wall.ns + by->skew_ns, due;

    if (!jr_job_finished(&job->status) || !job->spec.ttl_after_finished_s.set) {
        sim_fail(v->o.report, "only what has expired", "%.*s was deleted, and %s",
                 JR_P(j->thing.name),
                 jr_job_finished(&job->status) ? "stays for ever" : "hasn't finished");
        return;
    }
    due = c->last_transition_time.ns + (int64_t)job->spec.ttl_after_finished_s.v * JR_SEC;
    if (now < due)
        sim_fail(v->o.report, "only what has expired", "%.*s was deleted %lld ms too early",
                 JR_P(j->thing.name), (long long)((due - now) / JR_MSEC));
}

static void stir(struct sim_invariants *v, const struct sim_seen_pod *p)
{
    for (size_t i = 0; i < v->o.book->n_jobs; i++) {
        struct sim_seen_job *j = v->o.book->jobs[i];

        if (sim_had(j, p))
            sim_timing_stir(j, now_ns(v));
    }
}

/** What goes without a terminal phase is replaced when it has gone, where failures alone are. pod
 * may be NULL. */
static void stir_by_going(struct sim_invariants *v, const struct sim_seen_pod *pod)
{
    if (pod != NULL && !jr_pod_terminal(pod->now))
        stir(v, pod);
}

void sim_invariants_written(struct sim_invariants *v, const struct jr_dev_event *e,
                            const struct sim_request *by, struct sim_seen_job *job,
                            struct sim_seen_pod *pod)
{
    const struct sim_gangs gangs = gangs_of(v);
    struct sim_report *r = v->o.report;
    const struct jr_dev_object *o = e->object != NULL ? e->object : e->before;

    if (o->res->id == JR_DEV_EVENTS)
        sim_coverage_event(r, e);
    if (o->res->id == JR_DEV_EVENTS && e->object != NULL)
        sim_client_rules_event(v->o.book, e->object->text);
    if (o->res->id == JR_DEV_LEASES)
        sim_coverage_lease(r, e);
    if (pod != NULL)
        sim_counting_pod(&v->account, pod, e->object == NULL);
    if (job != NULL && is_controller(by) && by->verb == SIM_VERB_DELETE)
        check_expired(v, job, e->object == NULL, by);
    if (job != NULL && e->object != NULL)
        sim_counting_job(&v->account, job, by);
    if (e->object == NULL) {
        stir_by_going(v, pod);
        return;
    }
    if (e->before == NULL)
        sim_gang_made(&gangs, o, sim_knows(&v->lister, by));
    if (job != NULL) {
        sim_coverage_job(r, job, by);
        if (by == NULL || by->process != SIM_USER)
            check_job(v, job);
        sim_timing_stir(job, now_ns(v));
        if (v->o.quiet && is_controller(by))
            sim_timing_status(r, job);
    }
    if (pod != NULL) {
        pod->extra |= pod->before == NULL && by != NULL && by->process == SIM_USER;
        sim_coverage_pod(r, v->o.book, pod, by);
        check_pod(v, pod, by);
        if (is_controller(by) && pod->before == NULL)
            check_created(v, pod, by);
        else if (v->o.quiet && by != NULL && is_controller(by) && by->verb == SIM_VERB_DELETE)
            note_deleted(v, pod);
        else if (v->o.quiet && is_controller(by))
            check_removed(v, pod);
        stir(v, pod);
    }
}

/* ---- requests and answers ---- */

/** The patch of "Adopt and release patches" that takes the finalizer off, and that its sender can
 * take for done: it is carried out, or has no answer. */
static bool lets_go(const struct sim_request *r)
{
    static const char patch[] = "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":";

    return r->verb == SIM_VERB_PATCH && jr_str_starts(r->body, jr_str(patch)) &&
           (sim_arrives(r->fault) || r->fault == SIM_FAULT_LOST_UNDONE);
}

static void note_let_go(const struct sim_invariants *v, const struct sim_request *r)
{
    struct sim_seen_pod *p = lets_go(r) ? sim_book_pod_at(v->o.book, r->path) : NULL;

    if (p != NULL && p->thing.life.let_go == 0)
        p->thing.life.let_go = sim_rv(jr_pod_str(p->now, p->now->resource_version));
}

/** Whoever has the Lease writes, and nobody else does. */
void sim_invariants_sent(struct sim_invariants *v, const struct jr_dev_store *store,
                         const struct sim_request *r)
{
    const struct jr_dev_object *o;
    struct jr_lease l = { 0 };
    char identity[64];
    JR_ARENA arena = { 0 };

    if (is_controller(r)) {
        sim_client_rules_sent(v->o.report, v->o.book, r);
        note_let_go(v, r);
    }
    if (r->hand.decommissioning)
        sim_release_sent(v->o.report, r);
    if (!is_controller(r) || r->verb < SIM_VERB_POST || strstr(r->path, "/leases") != NULL)
        return;
    o = jr_dev_find(store, &jr_dev_resources[JR_DEV_LEASES], JR_S("kube-system"),
                    JR_S("jobreeve-controller"));
    if (o == NULL)
        return;
    jr_arena_init(&arena, 0);
    if (jr_lease_decode(o->text, &arena, &l, NULL) != JR_OK)
        abort();
    (void)snprintf(identity, sizeof(identity), "%s_%u", r->client, r->life);
    if (l.holder_identity.n > 0 && !jr_str_is(l.holder_identity, identity))
        sim_fail(v->o.report, "only the leader writes", "%s sends %s %s, and %.*s leads", identity,
                 r->method, r->path, JR_P(l.holder_identity));
}

void sim_invariants_answered(struct sim_invariants *v, const struct sim_request *q,
                             const struct jr_dev_answer *a)
{
    if (!is_controller(q))
        return;
    sim_coverage_answer(v->o.report, v->o.book, q, a);
    sim_client_rules_answered(v->o.book, q, a->status, jr_buf_str(&a->body));
    sim_creation_answered(v->o.book, q, a->status);
    sim_timing_answered(v->o.book, q, a->status);
    if (q->verb == SIM_VERB_PUT && strstr(q->path, "/jobs/") != NULL && a->status == 422)
        sim_fail(v->o.report, "a valid status", "PUT %s: %.*s", q->path,
                 JR_P(jr_str_head(jr_buf_str(&a->body), 600)));
    if ((q->verb == SIM_VERB_LIST || q->verb == SIM_VERB_WATCH) &&
        sim_told_by(q->path) == SIM_TOLD_PODS)
        v->lister = (struct sim_lister){ q->process, q->life };
}

void sim_invariants_over(struct sim_invariants *v, const struct sim_process *p)
{
    sim_coverage_metrics(v->o.report, p->metrics);
}

/* ---- the end ---- */

static bool is_at_rest(struct sim_invariants *v, const struct sim_seen_job *j, struct jr_buf *why)
{
    struct sim_history h = sim_counting_history(&v->account, j);

    return sim_model_agrees(&h, why);
}

bool sim_invariants_at_rest(struct sim_invariants *v, bool last)
{
    const struct sim_gangs gangs = gangs_of(v);
    JR_BUF outlives = { 0 };

    jr_buf_init(&outlives, 4096);
    if (!sim_gang_at_rest(&gangs, &outlives)) {
        if (last)
            sim_fail(v->o.report, "the end", "%.*s", JR_P(jr_buf_str(&outlives)));
        return false;
    }
    for (size_t i = 0; i < v->o.book->n_jobs; i++) {
        const struct sim_seen_job *j = v->o.book->jobs[i];
        JR_BUF why = { 0 };

        jr_buf_init(&why, 4096);
        if (j->plan == NULL || is_at_rest(v, j, &why))
            continue;
        if (last)
            sim_fail(v->o.report, "the end", "%.*s/%.*s (%.*s): %.*s", JR_P(j->thing.namespace),
                     JR_P(j->thing.name), JR_P(j->thing.life.uid), JR_P(jr_buf_str(&why)));
        return false;
    }
    return true;
}

void sim_invariants_end(struct sim_invariants *v)
{
    if (!v->o.slow && v->o.report->faults.n + v->o.report->process_faults.n == 0)
        sim_client_rules_at_rest(v->o.report, v->o.book);
    sim_trace(v->o.report, "at rest after %lld s", (long long)(now_ns(v) / JR_SEC));
}
