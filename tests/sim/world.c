/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/world.h"

#include "tests/sim/client_rules.h"
#include "tests/sim/world_parts.h"

#define START_S 1772366400 /* 2026-03-01T12:00:00Z */
#define RETRY_NS JR_SEC
#define SPIN_MAX 20000  /* turns without time passing */
#define REST_MAX_S 3600 /* after calm and the last count: at rest by then, or never */
#define WRITES_MAX 5000
#define SNATCHES_FROM 1000 /* numbers of actions that no plan knows */
#define QUIET_NS (15 * JR_SEC)

void sim_at(struct sim_world *w, int64_t ns, void (*fn)(void *ctx), struct sim_timer e)
{
    struct sim_timer *p = jr_arena_alloc(&w->timers, sizeof(*p));

    if (p == NULL)
        abort();
    *p = e;
    p->w = w;
    if (jr_loop_after(w->loop, ns - sim_now_ns(w), fn, p, NULL) != JR_OK)
        abort();
}

/* ---- what the network tells ---- */

static void crash_if_due(struct sim_world *w, const struct sim_request *by)
{
    for (size_t i = 0; i < w->setup.n_process_faults; i++) {
        const struct sim_process_fault_plan *t = &w->setup.process_faults[i];
        struct sim_process *p = &w->controllers[by->process - 1];

        if (t->kind != SIM_PROCESS_FAULT_CRASH || t->after_write != w->n_writes || !p->up ||
            w->calm || by->life != p->life)
            continue;
        sim_note_process_fault(w, t);
        sim_trace(w->report, "%s is killed", p->name);
        sim_kill(w, p, t->down_ns);
    }
}

static void on_snatch(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;

    sim_users_snatch(&e.w->users, e.pod);
}

/** Where creations are ambiguous, some Pods are taken before a list shows them. */
static void snatch_some(struct sim_world *w, struct sim_seen_pod *pod, const struct sim_request *by)
{
    uint64_t n = SNATCHES_FROM + w->book.n_pods;
    struct sim_dice d = sim_dice(w->seed, SIM_DICE_USER, n);

    if (w->calm || w->climate.ambiguous == 0 || pod == NULL || pod->before != NULL || by == NULL ||
        by->process == 0 || by->process == SIM_USER || !sim_chance(&d, 6) ||
        !sim_chosen(w->choice, SIM_ITEM_ACTION, n))
        return;
    sim_at(w, sim_now_ns(w) + sim_between(&d, 0, JR_SEC), on_snatch,
           (struct sim_timer){ .pod = pod });
}

/** Each failure is waited for up to ten minutes, and of those that a policy ignores there are few
 * in a row. Beyond the limit none counts: a controller that doesn't heed it shall not go on. */
static bool counts_more(const struct sim_seen_job *j)
{
    const struct jr_job_status *was = &j->before->status, *is = &j->now->status;

    return is->succeeded > was->succeeded ||
           (is->failed > was->failed && !j->now->spec.backoff_limit_per_index.set &&
            is->failed <= sim_backoff_limit(j->now));
}

static void on_written(void *ctx, const struct jr_dev_event *e, const struct sim_request *by)
{
    struct sim_world *w = ctx;
    const struct jr_dev_object *o = e->object != NULL ? e->object : e->before;
    const struct sim_hand hand = by != NULL ? by->hand : (struct sim_hand){ 0 };
    struct sim_seen_job *job;
    struct sim_seen_pod *pod;

    if (o->res->id == JR_DEV_JOBS || o->res->id == JR_DEV_PODS)
        w->last_work_ns = sim_now_ns(w);
    sim_book_take(&w->book, e, sim_now_ns(w), &hand, &job, &pod);
    if (job != NULL && job->before != NULL && counts_more(job))
        w->last_count_ns = sim_now_ns(w);
    if (job != NULL)
        sim_trace_job(w->report, job);
    if (pod != NULL)
        sim_trace_pod(w->report, pod);
    sim_invariants_written(w->invariants, e, by, job, pod);
    if (e->object != NULL)
        snatch_some(w, pod, by);
}

/** A process that is stopped now sends what it has made when it goes on, unless it asks. */
static void on_sent_down(void *ctx, const struct sim_request *r)
{
    struct sim_world *w = ctx;

    if (r->process == 0 || r->verb < SIM_VERB_POST || strstr(r->path, "/leases") != NULL)
        return;
    w->n_requests++;
    for (size_t i = 0; i < w->setup.n_process_faults && !w->calm; i++) {
        const struct sim_process_fault_plan *t = &w->setup.process_faults[i];
        struct sim_process *p = &w->controllers[r->process - 1];

        if (t->at_request == w->n_requests && !p->stopped)
            sim_stop(w, p, t);
    }
}

static void on_sent(void *ctx, const struct sim_request *r)
{
    const struct sim_world *w = ctx;

    sim_invariants_sent(w->invariants, w->store, r);
}

static void on_given_up(void *ctx, const struct sim_request *r)
{
    const struct sim_world *w = ctx;

    sim_client_rules_given_up(&w->book, r);
}

static void on_answered(void *ctx, const struct sim_request *r, const struct jr_dev_answer *a,
                        bool wrote)
{
    struct sim_world *w = ctx;

    sim_invariants_answered(w->invariants, r, a);
    if (!wrote || r->process == 0 || r->process > SIM_CONTROLLERS)
        return;
    w->n_writes++;
    crash_if_due(w, r);
}

/* ---- the plan ---- */

static void on_post(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;

    if (!sim_users_post(&e.w->users, e.job))
        sim_fail(e.w->report, "the plan", "a Job's name is taken");
}

static void on_action(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;

    sim_trace(e.w->report, "user %s", sim_action_words(e.action->kind));
    if (!sim_users_act(&e.w->users, e.action) && sim_now_ns(e.w) < e.w->plan.calm_ns)
        sim_at(e.w, sim_now_ns(e.w) + RETRY_NS, on_action, e);
}

static void on_calm(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;
    struct sim_world *w = e.w;

    sim_trace(w->report, "calm");
    w->calm = true;
    sim_net_calm(w->net);
    sim_users_free(&w->users);
    w->kubelet.stopped = false;
    for (unsigned i = 0; i < SIM_CONTROLLERS; i++)
        w->controllers[i].stopped = false;
}

static void schedule(struct sim_world *w)
{
    for (size_t i = 0; i < w->plan.n_jobs; i++) {
        const struct sim_job *j = &w->plan.jobs[i];

        if (!sim_chosen(w->choice, SIM_ITEM_JOB, i))
            continue;
        sim_at(w, j->at_ns, on_post, (struct sim_timer){ .job = j });
        for (uint32_t f = 0; f < SIM_N_FEATURES; f++)
            w->report->counts.features[f] += (j->features & 1u << f) != 0;
    }
    for (size_t i = 0; i < w->plan.n_actions; i++) {
        const struct sim_action *a = &w->plan.actions[i];

        if (sim_chosen(w->choice, SIM_ITEM_ACTION, i) &&
            sim_chosen(w->choice, SIM_ITEM_JOB, a->job))
            sim_at(w, a->at_ns, on_action, (struct sim_timer){ .action = a });
    }
    for (size_t i = 0; i < w->setup.n_process_faults; i++) {
        const struct sim_process_fault_plan *t = &w->setup.process_faults[i];

        if (t->kind != SIM_PROCESS_FAULT_CRASH && t->at_request == 0)
            sim_at(w, t->at_ns, sim_on_process_fault, (struct sim_timer){ .process_fault = t });
    }
    if (w->setup.release.is)
        sim_at(w, w->setup.release.at_ns, sim_on_release, (struct sim_timer){ .job = NULL });
    sim_at(w, w->plan.calm_ns, on_calm, (struct sim_timer){ .job = NULL });
}

/* ---- making and ending ---- */

/** The API server's: 1.36 but where there are the gangs of 1.37. */
static struct jr_profile profile_of(enum jr_scheduling_api gang_api)
{
    struct jr_profile p = jr_profile_default();

    if (gang_api == JR_SCHEDULING_V1BETA1)
        p = jr_profile_of((struct jr_kube_version){ .minor = 37 });
    p.gates[JR_GATE_GenericWorkload] = gang_api != JR_SCHEDULING_NONE;
    p.gates[JR_GATE_WorkloadWithJob] = gang_api == JR_SCHEDULING_V1BETA1;
    return p;
}

static enum jr_status make_server(struct sim_world *w)
{
    struct sim_dice d = sim_dice(w->seed, SIM_DICE_STORE, 0);
    struct jr_dev_store_options o = {
        .rand = jr_rand_of_seed(&w->store_rand, sim_below(&d, UINT64_MAX)),
        .profile = profile_of(w->setup.gang_api),
    };
    struct sim_net_options n = { .climate = &w->climate,
                                 .choice = w->choice,
                                 .report = w->report,
                                 .hooks = { on_sent_down, on_sent, on_given_up, on_written,
                                            on_answered, w } };
    enum jr_status st = jr_loop_new_virtual(&w->clock, &w->loop, NULL);

    w->store = jr_dev_store_new(&o, w->clock.wall);
    n.store = w->store;
    n.loop = w->loop;
    if (st == JR_OK)
        w->net = sim_net_new(&n);
    return st;
}

static void make_processes(struct sim_world *w)
{
    static const char *const names[] = { "ctl-a", "ctl-b" };

    w->kubelet = (struct sim_process){
        .name = "kubelet", .is_kubelet = true, .net = w->net, .report = w->report
    };
    sim_process_begin(&w->kubelet, w->seed, &w->clock);
    for (unsigned i = 0; i < w->setup.n_controllers; i++) {
        struct sim_process *p = &w->controllers[i];

        *p = (struct sim_process){ .name = names[i],
                                   .ordinal = i + 1,
                                   .options = w->setup.options,
                                   .qps = w->setup.qps,
                                   .net = w->net,
                                   .report = w->report };
        p->options.paged_lists = w->setup.paged[i];
        if (p->options.paged_lists)
            w->report->counts.process_faults[SIM_PROCESS_FAULT_PAGED]++;
        sim_process_begin(p, w->seed, &w->clock);
    }
    if (w->setup.qps > 0)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_QPS]++;
    if (w->setup.n_controllers > 1)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_SECOND]++;
    if (w->setup.gang_api == JR_SCHEDULING_V1ALPHA2)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_GANGS]++;
    if (w->setup.gang_api == JR_SCHEDULING_V1BETA1)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_GANGS_V1BETA1]++;
    if (w->setup.options.job_cache_bytes > 0)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_SMALL_CACHE]++;
    if (w->climate.poisoned)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_POISONED]++;
}

static bool has_huge(const struct sim_plan *p)
{
    for (size_t i = 0; i < p->n_jobs; i++) {
        if ((p->jobs[i].features & 1u << SIM_FEATURE_HUGE) != 0)
            return true;
    }
    return false;
}

/** While patches of Pods are refused nothing is on time. */
static bool has_blocks(const struct sim_plan *p)
{
    for (size_t i = 0; i < p->n_actions; i++) {
        if (p->actions[i].kind == SIM_ACTION_BLOCK_PODS)
            return true;
    }
    return false;
}

static void make(struct sim_world *w)
{
    struct sim_invariants_options o = {
        .report = w->report, .book = &w->book, .clock = &w->clock, .start = w->clock
    };

    if (sim_plan_draw(w->seed, &w->plan) != JR_OK)
        abort();
    w->climate = sim_climate_of(w->seed);
    w->setup = sim_setup_of(w->seed, w->choice, &w->plan);
    if (has_huge(&w->plan))
        w->climate.page = 0;
    w->climate.poisoned = w->climate.poisoned && sim_chosen(w->choice, SIM_ITEM_SETUP, 4);
    sim_book_init(&w->book, &w->plan);
    o.slow = w->setup.qps > 0 || has_huge(&w->plan) || w->setup.release.is;
    o.quiet = !o.slow && !has_blocks(&w->plan) && w->climate.percent == 0 &&
              w->setup.n_process_faults == 0 && w->setup.n_controllers == 1 &&
              w->climate.lag_ns <= 100 * JR_MSEC && w->climate.latency_ns <= 20 * JR_MSEC;
    o.gang_api = w->setup.gang_api;
    if (make_server(w) != JR_OK)
        abort();
    o.store = w->store;
    w->invariants = sim_invariants_new(&o);
    w->users = (struct sim_users){
        .net = w->net, .book = &w->book, .report = w->report, .node_is_down = &w->kubelet.stopped
    };
    if (sim_net_ask(w->net, "user", "POST", "/api/v1/namespaces", NULL,
                    JR_S("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":"
                         "\"team\"}}"),
                    NULL) != 201)
        abort();
    make_processes(w);
    sim_make_releaser(w);
    schedule(w);
}

static void done(struct sim_world *w)
{
    for (unsigned i = 0; i < SIM_CONTROLLERS; i++) {
        if (!w->controllers[i].up)
            continue;
        sim_invariants_over(w->invariants, &w->controllers[i]);
        sim_process_kill(&w->controllers[i]);
    }
    sim_process_kill(&w->kubelet);
    jr_arena_done(&w->timers);
    sim_invariants_free(w->invariants);
    sim_net_free(w->net);
    jr_loop_free(w->loop);
    jr_dev_store_free(w->store);
    sim_book_done(&w->book);
    sim_plan_done(&w->plan);
}

/* ---- time ---- */

static struct sim_process *process_at(struct sim_world *w, unsigned i)
{
    return i == 0 ? &w->kubelet : &w->controllers[i - 1];
}

/** Moves to the next thing that is due, and lets it happen. False: there is nothing any more. */
static bool step(struct sim_world *w, unsigned *spins)
{
    int64_t due = jr_loop_next(w->loop).ns;
    struct jr_error err;

    for (unsigned i = 0; i <= SIM_CONTROLLERS; i++) {
        int64_t d = sim_process_due(process_at(w, i));

        due = d < due ? d : due;
    }
    if (due == INT64_MAX)
        return false;
    *spins = due > w->clock.mono.ns ? 0 : *spins + 1;
    if (due > w->clock.mono.ns)
        jr_clock_virtual_advance(&w->clock, due - w->clock.mono.ns);
    w->report->now_ns = sim_now_ns(w);
    if (jr_loop_next(w->loop).ns <= w->clock.mono.ns &&
        jr_loop_turn(w->loop, 0, NULL, &err) != JR_OK)
        abort();
    for (unsigned i = 0; i <= SIM_CONTROLLERS; i++) {
        struct sim_process *p = process_at(w, i);

        if (sim_process_due(p) <= w->clock.mono.ns) {
            sim_process_turn(p, &w->clock);
            sim_look_after(w, p);
        }
    }
    return true;
}

/** Whether the world has come to rest, and as it should, and stays so. Says what is wrong once
 * there is no time left. */
static bool at_rest(struct sim_world *w)
{
    int64_t now = sim_now_ns(w);
    int64_t from = w->plan.calm_ns > w->last_count_ns ? w->plan.calm_ns : w->last_count_ns;
    bool late = now - from > REST_MAX_S * JR_SEC;

    if (!late && (!w->calm || now < w->look_ns || (w->setup.release.is && w->leaving != SIM_LEFT)))
        return false;
    if (late && w->setup.release.is && w->leaving != SIM_LEFT)
        sim_fail(w->report, "the release is whole", "it never ends");
    if (late || now - w->last_work_ns >= QUIET_NS) {
        if (w->quiet_ns > w->last_work_ns)
            return true;
        if (sim_invariants_at_rest(w->invariants, late))
            w->quiet_ns = now;
        w->look_ns = now + QUIET_NS;
        return late;
    }
    w->look_ns = w->last_work_ns + QUIET_NS;
    return false;
}

/** Each is told of the other's doings only by the API server. */
static void see_both_lead(struct sim_world *w)
{
    const struct sim_process *a = &w->controllers[0], *b = &w->controllers[1];

    if (w->both || !a->up || !b->up || a->ended || b->ended ||
        !jr_controller_working(a->controller) || !jr_controller_working(b->controller))
        return;
    w->both = true;
    w->report->counts.process_faults[SIM_PROCESS_FAULT_BOTH_LEAD]++;
    sim_trace(w->report, "both lead");
}

void sim_world_run(uint64_t seed, const struct sim_choice *choice, struct sim_report *report)
{
    struct sim_world w = { .seed = seed, .choice = choice, .report = report };
    unsigned spins = 0;

    w.clock =
        (struct jr_clock_virtual){ .wall = jr_time_s(START_S), .mono = { SIM_START_MONO_NS } };
    report->counts.seeds++;
    make(&w);
    while (!report->failed && !at_rest(&w) && step(&w, &spins)) {
        see_both_lead(&w);
        if (spins > SPIN_MAX)
            sim_fail(report, "time passes", "%u turns without any", spins);
        if (w.n_writes > WRITES_MAX)
            sim_fail(report, "rest", "%llu writes and no end", (unsigned long long)w.n_writes);
    }
    if (!report->failed)
        sim_invariants_end(w.invariants);
    done(&w);
    report->counts.backoff_seeds += report->counts.rules[SIM_RULE_BACKOFF_KNOWN] > 0;
    report->counts.failed += report->failed;
}
