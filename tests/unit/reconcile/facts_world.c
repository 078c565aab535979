/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/reconcile/facts_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WILD_ROUNDS 150u
#define CALM_ROUNDS 200u
#define SYNCS_UNTIL_IDLE 12u
#define MANY 1000
#define RAISED_TO 9

const char *facts_broken_words(enum facts_broken b)
{
    static const char *const words[] = {
#define X(name, words) words,
        FACTS_BROKEN_MAP(X)
#undef X
    };

    return words[b];
}

/* What is done to the Job, drawn from the seed: a strategy. */
struct adversary {
    const struct facts_run *run;
    unsigned end_percent;     /* of running Pods that end in a round */
    unsigned fail_percent;    /* of those, while failures are left */
    unsigned evict_percent;   /* of Pods that are deleted in a round */
    unsigned disrupt_percent; /* of failures that are disruptions */
    unsigned suspend_percent;
    int64_t failures;    /* that it still makes */
    int64_t fails_below; /* only Pods whose index has failed less often fail; -1: any */
    int64_t made;        /* failures, so far */
    int64_t suspensions;
    int64_t suspend_after; /* so many failures */
    int64_t suspend_count; /* ... and only when the indexes of all active Pods have failed so often,
                              for which those wait that have */
    bool suspend_full;     /* only with as many Pods active as ever */
    bool calm;
    size_t before;           /* Pods of earlier runs */
    struct facts_seen worst; /* of earlier runs */
    struct facts_seen seen;
};

static struct adversary *adversary(const struct world *w)
{
    return w->owner;
}

static void draw(struct world *w, struct adversary *a)
{
    static const unsigned percents[] = { 0, 10, 50, 100 };

    a->end_percent = 20 + 40 * (unsigned)world_below(w, 3);
    a->fail_percent = world_chance(w, 60) ? 100 : percents[world_below(w, 4)];
    a->evict_percent = world_chance(w, 30) ? 5 : 0;
    a->disrupt_percent = percents[world_below(w, 4)];
    a->suspend_percent = 10 + 30 * (unsigned)world_below(w, 3);
    a->failures = world_chance(w, 60) ? (int64_t)world_below(w, 8) : MANY;
    a->fails_below = world_chance(w, 30) ? 1 + (int64_t)world_below(w, 3) : -1;
    a->suspend_after = world_chance(w, 50) ? 0 : (int64_t)world_below(w, 12);
    a->suspend_count = world_chance(w, 50) ? 0 : (int64_t)world_below(w, 4);
    a->suspend_full = world_chance(w, 80);
    if (a->run->broken == FACTS_BROKEN_SUSPENDED)
        a->suspensions = 3;
}

/* ---- what is seen ---- */

static bool is_over(const struct mpod *p)
{
    return p->phase == JR_POD_SUCCEEDED || p->phase == JR_POD_FAILED;
}

static bool is_active(const struct mpod *p)
{
    return !is_over(p) && !p->deleting;
}

static bool is_held(const struct mpod *p)
{
    return !is_over(p);
}

static void raise_to(int64_t *most, size_t n)
{
    if ((int64_t)n > *most)
        *most = (int64_t)n;
}

static void look(struct world *w)
{
    struct facts_seen *seen = &adversary(w)->seen;

    seen->ever = (int64_t)(w->n_pods - adversary(w)->before);
    raise_to(&seen->at_once, world_count(w, is_active));
    raise_to(&seen->held, world_count(w, is_held));
}

/** Takes in what was seen of a run. */
static void keep_worst(struct adversary *a)
{
    raise_to(&a->worst.ever, (size_t)a->seen.ever);
    raise_to(&a->worst.at_once, (size_t)a->seen.at_once);
    raise_to(&a->worst.held, (size_t)a->seen.held);
    raise_to(&a->worst.runtime_s, (size_t)a->seen.runtime_s);
    raise_to(&a->worst.pod_seconds, (size_t)a->seen.pod_seconds);
}

void facts_world_new_run(struct world *w)
{
    struct adversary *a = adversary(w);

    keep_worst(a);
    a->seen = (struct facts_seen){ .finished = false };
    a->before = w->n_pods;
}

bool facts_world_is_idle(const struct world *w)
{
    return world_count(w, is_held) == 0;
}

/* ---- what happens to Pods ---- */

static void fail_pod(struct world *w, size_t at)
{
    static const int32_t codes[] = { 1, 2, 3, 42 };
    struct adversary *a = adversary(w);

    w->pods[at].exit_code = codes[world_below(w, JR_ARRAY_SIZE(codes))];
    w->pods[at].disrupted = world_chance(w, a->disrupt_percent);
    a->failures--;
    a->made++;
    world_end_pod(w, at, JR_POD_FAILED);
}

/** Whether it goes on until the Job is suspended. */
static bool waits(const struct adversary *a, const struct mpod *p)
{
    return !a->calm && a->suspensions > 0 && a->suspend_count > 0 &&
           p->failures >= a->suspend_count;
}

static void live_pod(struct world *w, size_t at)
{
    struct adversary *a = adversary(w);
    struct mpod *p = &w->pods[at];

    if (is_over(p))
        return;
    if (p->deleting) {
        if (world_chance(w, 30))
            world_end_pod(w, at,
                          p->phase == JR_POD_PENDING || world_chance(w, 70) ? JR_POD_FAILED
                                                                            : JR_POD_SUCCEEDED);
    } else if (p->phase == JR_POD_PENDING) {
        if (world_chance(w, 60)) {
            p->phase = JR_POD_RUNNING;
            world_changed(w, at);
        }
    } else if (!a->calm && a->failures > 0 && world_chance(w, a->evict_percent)) {
        a->failures--;
        a->made++;
        p->disrupted = world_chance(w, a->disrupt_percent);
        world_delete_pod(w, at);
    } else if (!waits(a, p) && world_chance(w, a->end_percent)) {
        if (!a->calm && a->failures > 0 && (a->fails_below < 0 || p->failures < a->fails_below) &&
            world_chance(w, a->fail_percent))
            fail_pod(w, at);
        else
            world_end_pod(w, at, JR_POD_SUCCEEDED);
    }
}

static void live(struct world *w)
{
    look(w);
    for (size_t i = 0; i < w->n_pods; i++) {
        if (!w->pods[i].exists)
            continue;
        live_pod(w, i);
        (void)world_reap(w, i);
    }
}

/** Takes a Pod away, finalizer and all, before anybody has counted it. */
static void strip(struct world *w)
{
    for (size_t i = 0; i < w->n_pods; i++) {
        struct mpod *p = &w->pods[i];

        if (!p->exists || !p->finalizer || !is_active(p) || !world_chance(w, 30))
            continue;
        w->truth[i].let_go = true;
        p->finalizer = false;
        world_end_pod(w, i, JR_POD_FAILED);
        world_delete_pod(w, i);
    }
}

/* ---- time ---- */

static bool is_finished(const struct world *w)
{
    return jr_job_finished(&world_job(w)->status);
}

static bool is_suspended(const struct world *w)
{
    return jr_bool_or(world_job(w)->spec.suspend, false);
}

/** The controller does all that there is to do. */
static void sync_until_idle(struct world *w)
{
    for (unsigned i = 0; i < SYNCS_UNTIL_IDLE; i++) {
        world_observe(w, true);
        (void)world_sync(w);
        look(w);
    }
}

/** When the Job's time is up; INT64_MAX: never. */
static int64_t due_ns(const struct world *w)
{
    const struct jr_job *job = world_job(w);

    if (!job->spec.active_deadline_s.set || !jr_time_set(job->status.start_time) ||
        is_suspended(w) || is_finished(w))
        return INT64_MAX;
    return job->status.start_time.ns + job->spec.active_deadline_s.v * JR_SEC;
}

/** When a kubelet has to have ended the Pod; INT64_MAX: whenever it wants to. */
static int64_t end_ns(const struct world *w, const struct mpod *p)
{
    const struct facts_run *run = adversary(w)->run;

    if (!p->exists || is_over(p))
        return INT64_MAX;
    if (p->deleting)
        return run->broken == FACTS_BROKEN_KUBELET ? INT64_MAX : p->deleted.ns;
    return run->pod_deadline > 0 ? p->born.ns + run->pod_deadline * JR_SEC : INT64_MAX;
}

static int64_t next_ns(const struct world *w, int64_t to)
{
    int64_t due = due_ns(w);

    if (due > w->now.ns && due < to)
        to = due;
    for (size_t i = 0; i < w->n_pods; i++) {
        int64_t end = end_ns(w, &w->pods[i]);

        if (end > w->now.ns && end < to)
            to = end;
    }
    return to;
}

static void pass(struct world *w, int64_t to)
{
    struct facts_seen *seen = &adversary(w)->seen;
    const int64_t s = (to - w->now.ns) / JR_SEC;

    if (jr_time_set(world_job(w)->status.start_time) && !is_suspended(w) && !is_finished(w))
        seen->runtime_s += s;
    seen->pod_seconds += s * (int64_t)world_count(w, is_held);
    w->now.ns = to;
}

/** Kubelets end what has to end by now. */
static bool end_pods(struct world *w)
{
    bool any = false;

    for (size_t i = 0; i < w->n_pods; i++) {
        if (end_ns(w, &w->pods[i]) > w->now.ns)
            continue;
        world_end_pod(w, i, JR_POD_FAILED);
        (void)world_reap(w, i);
        any = true;
    }
    return any;
}

/** Whether the Job has Pods and no start: its status met a change of others, and is written again
 * before time passes. */
static bool is_start_missing(const struct world *w)
{
    return adversary(w)->run->meddle != NULL && !jr_time_set(world_job(w)->status.start_time) &&
           !facts_world_is_idle(w);
}

/** All that is to happen at this time does: without grace Pods end as their deletion begins. */
static void act(struct world *w)
{
    bool ended = end_pods(w);

    if (adversary(w)->run->broken == FACTS_BROKEN_CONTROLLER)
        return;
    while (ended || is_suspended(w) || is_start_missing(w) || due_ns(w) <= w->now.ns) {
        sync_until_idle(w);
        ended = end_pods(w);
        if (!ended)
            return;
    }
}

static void advance(struct world *w, int64_t seconds)
{
    const int64_t to = w->now.ns + seconds * JR_SEC;

    act(w);
    while (w->now.ns < to) {
        pass(w, next_ns(w, to));
        act(w);
    }
}

/* ---- a run ---- */

static bool is_time_to_suspend(struct world *w)
{
    const struct adversary *a = adversary(w);

    if (a->calm || a->suspensions <= 0 || a->made < a->suspend_after ||
        (a->suspend_full && (int64_t)world_count(w, is_active) < a->seen.at_once))
        return false;
    for (size_t i = 0; i < w->n_pods; i++) {
        const struct mpod *p = &w->pods[i];

        if (p->exists && is_active(p) && p->failures < a->suspend_count)
            return false;
    }
    return world_chance(w, a->suspend_percent);
}

static void suspend_or_resume(struct world *w)
{
    struct adversary *a = adversary(w);

    if (is_finished(w))
        return;
    if (is_suspended(w)) {
        if (a->calm || world_chance(w, 40))
            world_suspend(w, false);
        return;
    }
    if (!is_time_to_suspend(w))
        return;
    a->suspensions--;
    world_suspend(w, true);
}

static void change_job(struct world *w)
{
    const struct facts_run *run = adversary(w)->run;

    if (run->meddle == NULL)
        suspend_or_resume(w);
    else if (!is_finished(w))
        run->meddle(w, run->ctx);
}

static void wild_round(struct world *w, unsigned round)
{
    static const int64_t steps[] = { 0, 0, 1, 1, 5, 20, 120, 700 };
    const enum facts_broken broken = adversary(w)->run->broken;

    live(w);
    change_job(w);
    if (broken == FACTS_BROKEN_STRIPPED && world_chance(w, 10))
        strip(w);
    if (broken == FACTS_BROKEN_SCALED && round == 6 && !is_finished(w))
        world_scale(w, RAISED_TO);
    advance(w, steps[world_below(w, JR_ARRAY_SIZE(steps))]);
    world_observe(w, world_chance(w, 30));
    if (world_chance(w, 70))
        (void)world_sync(w);
    look(w);
}

struct facts_seen facts_world_run(uint64_t seed, const struct facts_run *run)
{
    struct adversary a = { .run = run };
    struct world *w;
    struct world_plan plan = { .reliable = run->broken != FACTS_BROKEN_ANSWERS,
                               .ignores = run->ignores,
                               .grace_s = run->grace_s,
                               .spec = run->spec };

    w = world_new_planned(seed, &plan, live);
    w->owner = &a;
    w->plan.indexed = jr_str_is(world_job(w)->spec.completion_mode, "Indexed");
    w->plan.completions = jr_i32_or(world_job(w)->spec.completions, 0);
    w->plan.replace_failed = jr_str_is(world_job(w)->spec.pod_replacement_policy, "Failed");
    draw(w, &a);
    for (unsigned i = 0; i < WILD_ROUNDS && !is_finished(w); i++)
        wild_round(w, i);
    a.calm = true;
    a.end_percent = 100;
    w->calm = true;
    for (unsigned i = 0; i < CALM_ROUNDS && !is_finished(w); i++) {
        live(w);
        change_job(w);
        advance(w, 60);
        world_relist(w);
        (void)world_sync(w);
        look(w);
    }
    keep_worst(&a);
    a.worst.finished = is_finished(w);
    world_free(w);
    return a.worst;
}
