/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to Jobs and Pods from outside, as incidents of one to three actions. */
#include <stdlib.h>

#include "tests/sim/plan_draw.h"

#define INCIDENTS_MAX 5
#define ACTIONS_MAX 5 /* of an incident */

struct incident {
    const struct sim_drawing *d;
    const struct sim_shape *shape;
    uint64_t ordinal; /* of_job(job, which) */
    int64_t at_ns;
    uint64_t steps;
    struct sim_plan *plan;
};

static void add(struct incident *in, enum sim_action_kind kind, uint64_t arg)
{
    in->plan->actions[in->plan->n_actions++] =
        (struct sim_action){ .at_ns = in->at_ns, .kind = kind, .job = in->shape->job, .arg = arg };
}

/* Later, by up to most_ms. */
static void pass(struct incident *in, uint64_t most_ms)
{
    uint64_t ordinal = in->ordinal + (in->steps++ << 32);

    in->at_ns += (int64_t)sim_draw(in->d, SIM_FOR_HOW_LONG, ordinal, most_ms) * JR_MSEC;
}

static uint64_t arg_below(struct incident *in, uint64_t n)
{
    return sim_draw(in->d, SIM_FOR_ARG, in->ordinal, n);
}

static bool stays(struct incident *in, unsigned percent)
{
    return sim_percent(in->d, SIM_FOR_END, in->ordinal, percent);
}

static void suspend(struct incident *in, bool edit)
{
    add(in, SIM_ACTION_SUSPEND, 0);
    if (edit) {
        pass(in, 20000);
        add(in, SIM_ACTION_TEMPLATE, arg_below(in, 1 << 16));
    }
    pass(in, 30000);
    if (!stays(in, 5))
        add(in, SIM_ACTION_RESUME, 0);
}

static void scale(struct incident *in)
{
    uint64_t to = arg_below(in, 8);

    add(in, SIM_ACTION_PARALLELISM, to);
    if (to == 0 && !stays(in, 10)) {
        pass(in, 20000);
        add(in, SIM_ACTION_PARALLELISM, 1 + sim_draw(in->d, SIM_FOR_HOW_SOON, in->ordinal, 6));
    }
}

static void remove_job(struct incident *in)
{
    add(in, SIM_ACTION_DELETE_JOB, arg_below(in, 3));
    if (stays(in, 40))
        return;
    /* Often at once: the same name, while the Pods of the first are still there. */
    pass(in, stays(in, 70) ? 300 : 15000);
    add(in, SIM_ACTION_REMAKE_JOB, 0);
    if (sim_has(in->shape, SIM_FEATURE_SUSPENDED)) {
        pass(in, 10000);
        add(in, SIM_ACTION_RESUME, 0);
    }
}

static void lose_node(struct incident *in)
{
    add(in, SIM_ACTION_NODE_DOWN, 0);
    pass(in, 15000);
    if (!stays(in, 40))
        add(in, SIM_ACTION_UNSCHEDULABLE, arg_below(in, 1 << 16));
    add(in, SIM_ACTION_EVICT_POD, arg_below(in, 1 << 16));
    pass(in, 30000);
    if (!stays(in, 40))
        add(in, SIM_ACTION_COLLECT_POD, arg_below(in, 1 << 16));
    pass(in, 20000);
    add(in, SIM_ACTION_NODE_UP, 0);
}

static void hold(struct incident *in)
{
    add(in, SIM_ACTION_HOLD, arg_below(in, 1 << 16));
    pass(in, 40000);
    add(in, SIM_ACTION_FREE, 0);
}

/* Pods that have been recorded, and can't be let go of, end otherwise: a deleted one exits with 0,
 * or a phase is written over, there and back. */
static void flip(struct incident *in)
{
    add(in, SIM_ACTION_BLOCK_PODS, 0);
    pass(in, 2000);
    if (stays(in, 60))
        add(in, SIM_ACTION_DELETE_POD, arg_below(in, 1 << 16));
    pass(in, 20000);
    add(in, SIM_ACTION_FLIP_POD, arg_below(in, 1 << 16));
    pass(in, 20000);
    if (stays(in, 30))
        add(in, SIM_ACTION_FLIP_POD, arg_below(in, 1 << 16));
    pass(in, 20000);
    add(in, SIM_ACTION_UNBLOCK_PODS, 0);
}

static void happen(struct incident *in)
{
    static const struct {
        enum sim_action_kind kind;
        unsigned weight;
    } kinds[] = {
        { SIM_ACTION_SUSPEND, 12 },     { SIM_ACTION_TEMPLATE, 6 },
        { SIM_ACTION_PARALLELISM, 10 }, { SIM_ACTION_COMPLETIONS, 8 },
        { SIM_ACTION_DELETE_JOB, 8 },   { SIM_ACTION_DELETE_POD, 14 },
        { SIM_ACTION_KILL_POD, 7 },     { SIM_ACTION_STEAL_POD, 6 },
        { SIM_ACTION_RELABEL_POD, 6 },  { SIM_ACTION_ORPHAN_POD, 7 },
        { SIM_ACTION_STRIP_POD, 5 },    { SIM_ACTION_TOUCH_JOB, 4 },
        { SIM_ACTION_NODE_LOSS, 14 },   { SIM_ACTION_WRITE_STATUS, 5 },
        { SIM_ACTION_HOLD, 5 },         { SIM_ACTION_DELETE_NAMESPACE, 3 },
        { SIM_ACTION_UNKNOWN, 4 },      { SIM_ACTION_NODE_DOWN, 5 },
    };
    unsigned all = 0;
    uint64_t at;
    size_t i = 0;

    for (size_t k = 0; k < JR_ARRAY_SIZE(kinds); k++)
        all += kinds[k].weight;
    for (at = sim_draw(in->d, SIM_FOR_INCIDENT, in->ordinal, all); at >= kinds[i].weight; i++)
        at -= kinds[i].weight;
    enum sim_action_kind kind = kinds[i].kind;
    if (kind == SIM_ACTION_SUSPEND || kind == SIM_ACTION_TEMPLATE)
        suspend(in, kind == SIM_ACTION_TEMPLATE);
    else if (kind == SIM_ACTION_PARALLELISM && !in->shape->elastic)
        scale(in);
    else if (kind == SIM_ACTION_DELETE_JOB)
        remove_job(in);
    else if (kind == SIM_ACTION_NODE_DOWN)
        lose_node(in);
    else if (kind == SIM_ACTION_HOLD)
        hold(in);
    else if (kind != SIM_ACTION_COMPLETIONS && kind != SIM_ACTION_PARALLELISM)
        add(in, kind, arg_below(in, UINT64_C(1) << 32));
    else if (in->shape->elastic)
        add(in, SIM_ACTION_COMPLETIONS, 1 + arg_below(in, 8));
}

/* Not later than a minute or so after the Job, and mostly soon: small Jobs are over quickly. */
static int64_t when(const struct sim_drawing *d, uint64_t ordinal)
{
    uint64_t most_ms = 1 + sim_draw(d, SIM_FOR_HOW_SOON, ordinal, 70000);

    return (int64_t)sim_draw(d, SIM_FOR_WHEN, ordinal, most_ms) * JR_MSEC;
}

static void draw_of_job(const struct sim_drawing *d, const struct sim_shape *shape,
                        struct sim_plan *p)
{
    static const size_t numbers[] = { 0, 0, 1, 1, 1, 2, 2, 3, 4, INCIDENTS_MAX };
    struct incident in = { .d = d, .shape = shape, .plan = p };
    size_t n = numbers[sim_draw(d, SIM_FOR_INCIDENTS, shape->job, JR_ARRAY_SIZE(numbers))];
    int64_t from = p->jobs[shape->job].at_ns;

    if (sim_has(shape, SIM_FEATURE_HUGE))
        n = 0;
    for (size_t i = 0; i < n; i++) {
        in.ordinal = of_job(shape->job, i);
        in.at_ns = from + when(d, in.ordinal);
        in.steps = 0;
        happen(&in);
    }
    if (sim_has(shape, SIM_FEATURE_HUGE)) { /* all end at one moment: when it comes back */
        in.at_ns = from + 15 * JR_SEC;
        add(&in, SIM_ACTION_NODE_DOWN, 0);
        in.at_ns = from + 60 * JR_SEC;
        add(&in, SIM_ACTION_NODE_UP, 0);
    }
    in.ordinal = of_job(shape->job, INCIDENTS_MAX + 1);
    in.at_ns = from + when(d, in.ordinal);
    in.steps = 0;
    if (!sim_has(shape, SIM_FEATURE_HUGE) && sim_percent(d, SIM_FOR_FLIP, shape->job, 8))
        flip(&in);
    in.ordinal = of_job(shape->job, INCIDENTS_MAX);
    in.at_ns = from + when(d, in.ordinal);
    if (sim_has(shape, SIM_FEATURE_SUSPENDED) && !stays(&in, 8))
        add(&in, SIM_ACTION_RESUME, 0);
}

static int by_time(const void *a, const void *b)
{
    const struct sim_action *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->arg > y->arg) - (x->arg < y->arg);
}

enum jr_status sim_actions_draw(const struct sim_drawing *d, const struct sim_shape *shapes,
                                struct sim_plan *p)
{
    int64_t last_ns = 0;

    p->actions = jr_arena_calloc(d->arena, p->n_jobs * ((INCIDENTS_MAX + 1) * ACTIONS_MAX + 3),
                                 sizeof(*p->actions));
    if (p->actions == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < p->n_jobs; i++) {
        draw_of_job(d, &shapes[i], p);
        if (p->jobs[i].at_ns > last_ns)
            last_ns = p->jobs[i].at_ns;
    }
    qsort(p->actions, p->n_actions, sizeof(*p->actions), by_time);
    if (p->n_actions > 0 && p->actions[p->n_actions - 1].at_ns > last_ns)
        last_ns = p->actions[p->n_actions - 1].at_ns;
    p->calm_ns = last_ns + (5000 + (int64_t)sim_draw(d, SIM_FOR_CALM, 0, 40000)) * JR_MSEC;
    return JR_OK;
}
