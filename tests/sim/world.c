#include "tests/sim/world.h"

#include "tests/sim/invariants.h"
#include "tests/sim/process.h"
#include "tests/sim/trouble.h"
#include "tests/sim/users.h"

#define CONTROLLERS 2
#define START_S 1772366400 /* 2026-03-01T12:00:00Z */
#define START_MONO_NS (1000 * JR_SEC)
#define RETRY_NS JR_SEC
#define SPIN_MAX 20000  /* turns without time passing */
#define REST_MAX_S 3600 /* after calm: the world has come to rest by then, or never does */
#define WRITES_MAX 5000
#define SNATCHES_FROM 1000 /* numbers of actions that no plan knows */
#define QUIET_NS (15 * JR_SEC)

struct sim_world {
    uint64_t seed;
    const struct sim_choice *choice;
    struct sim_report *report;
    struct sim_plan plan;
    struct sim_climate climate;
    struct sim_setup setup;
    struct jr_clock_virtual clock;
    struct jr_loop *loop; /* the server's, and the world's */
    struct jr_rand_seeded store_rand;
    struct jr_api_store *store;
    struct sim_net *net;
    struct sim_book book;
    struct sim_users users;
    struct sim_invariants *invariants;
    struct jr_arena errands;
    struct sim_process kubelet;
    struct sim_process controllers[CONTROLLERS];
    uint64_t n_writes;    /* of the controllers */
    uint64_t n_requests;  /* that are writes, made by the controllers */
    int64_t last_work_ns; /* when a Job or a Pod was last written */
    int64_t look_ns;      /* when to see whether all is at rest */
    int64_t settled_ns;   /* since when it is; 0: it isn't */
    bool calm;
    bool both; /* two have led at a time */
};

/** Something that is to happen once. */
struct errand {
    struct sim_world *w;
    const struct sim_job *job;
    const struct sim_action *action;
    const struct sim_trouble_plan *trouble;
    struct sim_process *process;
    struct sim_seen_pod *pod;
};

static int64_t now_ns(const struct sim_world *w)
{
    return w->clock.mono.ns - START_MONO_NS;
}

static void at(struct sim_world *w, int64_t ns, void (*fn)(void *ctx), struct errand e)
{
    struct errand *p = jr_arena_alloc(&w->errands, sizeof(*p));

    if (p == NULL)
        abort();
    *p = e;
    p->w = w;
    if (jr_loop_after(w->loop, ns - now_ns(w), fn, p, NULL) != JR_OK)
        abort();
}

/* ---- processes ---- */

static void on_begin(void *ctx)
{
    struct errand e = *(struct errand *)ctx;

    sim_process_begin(e.process, e.w->seed, &e.w->clock);
}

static void begin_later(struct sim_world *w, struct sim_process *p, int64_t ns)
{
    at(w, now_ns(w) + ns, on_begin, (struct errand){ .process = p });
}

static void kill_process(struct sim_world *w, struct sim_process *p, int64_t down_ns)
{
    sim_invariants_over(w->invariants, p);
    sim_process_kill(p);
    begin_later(w, p, down_ns);
}

static void note_trouble(struct sim_world *w, const struct sim_trouble_plan *t)
{
    w->report->counts.troubles[t->kind]++;
    if (sim_numbers_add(&w->report->troubles, t->number) != JR_OK)
        abort();
}

static struct sim_process *leader(struct sim_world *w, unsigned dflt)
{
    for (unsigned i = 0; i < w->setup.n_controllers; i++) {
        struct sim_process *p = &w->controllers[i];

        if (p->up && !p->ended && jr_controller_working(p->controller))
            return p;
    }
    return &w->controllers[dflt];
}

static void on_continue(void *ctx)
{
    struct errand e = *(struct errand *)ctx;

    if (!e.process->stopped)
        return;
    e.process->stopped = false;
    sim_tell(e.w->report, "%s goes on", e.process->name);
}

static void stop(struct sim_world *w, struct sim_process *p, const struct sim_trouble_plan *t)
{
    note_trouble(w, t);
    sim_tell(w->report, "%s is stopped", p->name);
    p->stopped = true;
    at(w, now_ns(w) + t->down_ns * 2, on_continue, (struct errand){ .process = p });
}

/** Kills are no errands: they come right after a write. */
static void on_trouble(void *ctx)
{
    struct errand e = *(struct errand *)ctx;
    struct sim_world *w = e.w;
    struct sim_process *p = leader(w, e.trouble->who);

    if (!p->up || p->stopped || p->ended)
        return;
    if (e.trouble->kind == SIM_TROUBLE_STOP) {
        stop(w, p, e.trouble);
        return;
    }
    note_trouble(w, e.trouble);
    if (e.trouble->kind == SIM_TROUBLE_TERM) {
        sim_tell(w->report, "%s is told to end", p->name);
        jr_controller_stop(p->controller);
    } else {
        p->skew_ns += e.trouble->skew_ns;
        sim_tell(w->report, "%s has its clock set by %lld s", p->name,
                 (long long)(e.trouble->skew_ns / JR_SEC));
    }
}

/** Processes that have to go, and those that have gone by themselves. */
static void look_after(struct sim_world *w, struct sim_process *p)
{
    struct sim_dice d;

    if (!p->up || !p->ended)
        return;
    sim_tell(w->report, "%s has ended: %d", p->name, p->code);
    if (p->code != 0)
        w->report->counts.troubles[SIM_TROUBLE_END]++;
    d = sim_dice(w->seed, SIM_DICE_PROCESS, (uint64_t)p->life * 2 + p->ordinal);
    kill_process(w, p, sim_between(&d, 0, 5 * JR_SEC));
}

/* ---- what the network tells ---- */

static void crash_if_due(struct sim_world *w, const struct sim_request *by)
{
    for (size_t i = 0; i < w->setup.n_troubles; i++) {
        const struct sim_trouble_plan *t = &w->setup.troubles[i];
        struct sim_process *p = &w->controllers[by->process - 1];

        if (t->kind != SIM_TROUBLE_CRASH || t->after_write != w->n_writes || !p->up || w->calm ||
            by->life != p->life)
            continue;
        note_trouble(w, t);
        sim_tell(w->report, "%s is killed", p->name);
        kill_process(w, p, t->down_ns);
    }
}

static void on_snatch(void *ctx)
{
    struct errand e = *(struct errand *)ctx;

    sim_users_snatch(&e.w->users, e.pod);
}

/** Where creations are in doubt, some Pods are taken before a list shows them. */
static void snatch_some(struct sim_world *w, struct sim_seen_pod *pod, const struct sim_request *by)
{
    uint64_t n = SNATCHES_FROM + w->book.n_pods;
    struct sim_dice d = sim_dice(w->seed, SIM_DICE_USER, n);

    if (w->calm || w->climate.doubt == 0 || pod == NULL || pod->before != NULL || by == NULL ||
        by->process == 0 || by->process == SIM_USER || !sim_chance(&d, 6) ||
        !sim_chosen(w->choice, SIM_ITEM_ACTION, n))
        return;
    at(w, now_ns(w) + sim_between(&d, 0, JR_SEC), on_snatch, (struct errand){ .pod = pod });
}

static void on_written(void *ctx, const struct dev_event *e, const struct sim_request *by)
{
    struct sim_world *w = ctx;
    const struct dev_object *o = e->object != NULL ? e->object : e->before;
    const struct sim_hand hand = by != NULL ? by->hand : (struct sim_hand){ 0 };
    struct sim_seen_job *job;
    struct sim_seen_pod *pod;

    if (o->res->id == DEV_JOBS || o->res->id == DEV_PODS)
        w->last_work_ns = now_ns(w);
    sim_book_take(&w->book, e, now_ns(w), &hand, &job, &pod);
    if (job != NULL)
        sim_tell_job(w->report, job);
    if (pod != NULL)
        sim_tell_pod(w->report, pod);
    sim_invariants_written(w->invariants, e, by, job, pod);
    if (e->object != NULL)
        snatch_some(w, pod, by);
}

/** A process that is stopped now sends what it has made when it goes on, unless it asks. */
static void on_handed(void *ctx, const struct sim_request *r)
{
    struct sim_world *w = ctx;

    if (r->process == 0 || r->verb < SIM_VERB_POST || strstr(r->path, "/leases") != NULL)
        return;
    w->n_requests++;
    for (size_t i = 0; i < w->setup.n_troubles && !w->calm; i++) {
        const struct sim_trouble_plan *t = &w->setup.troubles[i];
        struct sim_process *p = &w->controllers[r->process - 1];

        if (t->at_request == w->n_requests && !p->stopped)
            stop(w, p, t);
    }
}

static void on_sent(void *ctx, const struct sim_request *r)
{
    const struct sim_world *w = ctx;

    sim_invariants_sent(w->invariants, w->store, r);
}

static void on_answered(void *ctx, const struct sim_request *r, const struct jr_api_answer *a,
                        bool wrote)
{
    struct sim_world *w = ctx;

    sim_invariants_answered(w->invariants, r, a);
    if (!wrote || r->process == 0 || r->process > w->setup.n_controllers)
        return;
    w->n_writes++;
    crash_if_due(w, r);
}

/* ---- the plan ---- */

static void on_post(void *ctx)
{
    struct errand e = *(struct errand *)ctx;

    if (!sim_users_post(&e.w->users, e.job))
        sim_fail(e.w->report, "the plan", "a Job's name is taken");
}

static void on_action(void *ctx)
{
    struct errand e = *(struct errand *)ctx;

    sim_tell(e.w->report, "user %s", sim_action_words(e.action->kind));
    if (!sim_users_act(&e.w->users, e.action) && now_ns(e.w) < e.w->plan.calm_ns)
        at(e.w, now_ns(e.w) + RETRY_NS, on_action, e);
}

static void on_calm(void *ctx)
{
    struct errand e = *(struct errand *)ctx;
    struct sim_world *w = e.w;

    sim_tell(w->report, "calm");
    w->calm = true;
    sim_net_calm(w->net);
    sim_users_free(&w->users);
    w->kubelet.stopped = false;
    for (unsigned i = 0; i < CONTROLLERS; i++)
        w->controllers[i].stopped = false;
}

static void schedule(struct sim_world *w)
{
    for (size_t i = 0; i < w->plan.n_jobs; i++) {
        const struct sim_job *j = &w->plan.jobs[i];

        if (!sim_chosen(w->choice, SIM_ITEM_JOB, i))
            continue;
        at(w, j->at_ns, on_post, (struct errand){ .job = j });
        for (uint32_t f = 0; f < SIM_N_FEATURES; f++)
            w->report->counts.features[f] += (j->features & 1u << f) != 0;
    }
    for (size_t i = 0; i < w->plan.n_actions; i++) {
        const struct sim_action *a = &w->plan.actions[i];

        if (sim_chosen(w->choice, SIM_ITEM_ACTION, i) &&
            sim_chosen(w->choice, SIM_ITEM_JOB, a->job))
            at(w, a->at_ns, on_action, (struct errand){ .action = a });
    }
    for (size_t i = 0; i < w->setup.n_troubles; i++) {
        const struct sim_trouble_plan *t = &w->setup.troubles[i];

        if (t->kind != SIM_TROUBLE_CRASH && t->at_request == 0)
            at(w, t->at_ns, on_trouble, (struct errand){ .trouble = t });
    }
    at(w, w->plan.calm_ns, on_calm, (struct errand){ .job = NULL });
}

/* ---- making and ending ---- */

static enum jr_status make_server(struct sim_world *w)
{
    struct sim_dice d = sim_dice(w->seed, SIM_DICE_STORE, 0);
    struct jr_store_options o = {
        .rand = jr_rand_of_seed(&w->store_rand, sim_below(&d, UINT64_MAX)),
        .profile = jr_profile_default(),
    };
    struct sim_net_options n = { .climate = &w->climate,
                                 .choice = w->choice,
                                 .report = w->report,
                                 .hooks = { on_handed, on_sent, on_written, on_answered, w } };
    enum jr_status st = jr_loop_new_virtual(&w->clock, &w->loop, NULL);

    o.profile.gates[JR_GATE_GenericWorkload] = w->setup.gangs;
    if (st == JR_OK)
        st = jr_api_store_new(&o, w->clock.wall, &w->store);
    n.store = w->store;
    n.loop = w->loop;
    if (st == JR_OK)
        st = sim_net_new(&n, &w->net);
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
            w->report->counts.troubles[SIM_TROUBLE_PAGED]++;
        sim_process_begin(p, w->seed, &w->clock);
    }
    if (w->setup.qps > 0)
        w->report->counts.troubles[SIM_TROUBLE_QPS]++;
    if (w->setup.n_controllers > 1)
        w->report->counts.troubles[SIM_TROUBLE_SECOND]++;
    if (w->setup.gangs)
        w->report->counts.troubles[SIM_TROUBLE_GANGS]++;
}

static bool has_huge(const struct sim_plan *p)
{
    for (size_t i = 0; i < p->n_jobs; i++) {
        if ((p->jobs[i].features & 1u << SIM_FEATURE_HUGE) != 0)
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
    sim_book_init(&w->book, &w->plan);
    o.slow = w->setup.qps > 0 || has_huge(&w->plan);
    o.quiet = !o.slow && w->climate.percent == 0 && w->setup.n_troubles == 0 &&
              w->setup.n_controllers == 1 && w->climate.lag_ns <= 100 * JR_MSEC &&
              w->climate.latency_ns <= 20 * JR_MSEC;
    o.gangs = w->setup.gangs;
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
    schedule(w);
}

static void done(struct sim_world *w)
{
    for (unsigned i = 0; i < w->setup.n_controllers; i++) {
        if (!w->controllers[i].up)
            continue;
        sim_invariants_over(w->invariants, &w->controllers[i]);
        sim_process_kill(&w->controllers[i]);
    }
    sim_process_kill(&w->kubelet);
    jr_arena_done(&w->errands);
    sim_invariants_free(w->invariants);
    sim_net_free(w->net);
    jr_loop_free(w->loop);
    jr_api_store_free(w->store);
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

    for (unsigned i = 0; i <= w->setup.n_controllers; i++) {
        int64_t d = sim_process_due(process_at(w, i));

        due = d < due ? d : due;
    }
    if (due == INT64_MAX)
        return false;
    *spins = due > w->clock.mono.ns ? 0 : *spins + 1;
    if (due > w->clock.mono.ns)
        jr_clock_virtual_advance(&w->clock, due - w->clock.mono.ns);
    w->report->now_ns = now_ns(w);
    if (jr_loop_next(w->loop).ns <= w->clock.mono.ns &&
        jr_loop_turn(w->loop, 0, NULL, &err) != JR_OK)
        abort();
    for (unsigned i = 0; i <= w->setup.n_controllers; i++) {
        struct sim_process *p = process_at(w, i);

        if (sim_process_due(p) <= w->clock.mono.ns) {
            sim_process_turn(p, &w->clock);
            look_after(w, p);
        }
    }
    return true;
}

/** Whether the world has come to rest, and as it should, and stays so. Says what is wrong once
 * there is no time left. */
static bool at_rest(struct sim_world *w)
{
    int64_t now = now_ns(w);
    bool late = now - w->plan.calm_ns > REST_MAX_S * JR_SEC;

    if (!late && (!w->calm || now < w->look_ns))
        return false;
    if (late || now - w->last_work_ns >= QUIET_NS) {
        if (w->settled_ns > w->last_work_ns)
            return true;
        if (sim_invariants_settled(w->invariants, late))
            w->settled_ns = now;
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
    w->report->counts.troubles[SIM_TROUBLE_BOTH_LEAD]++;
    sim_tell(w->report, "both lead");
}

void sim_world_run(uint64_t seed, const struct sim_choice *choice, struct sim_report *report)
{
    struct sim_world w = { .seed = seed, .choice = choice, .report = report };
    unsigned spins = 0;

    w.clock = (struct jr_clock_virtual){ .wall = jr_time_s(START_S), .mono = { START_MONO_NS } };
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
