/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/plan.h"

#include "tests/sim/dice.h"
#include "tests/sim/plan_draw.h"

#define JOBS_MAX 4
#define GANGS_PERCENT 12
#define GANGS_V1BETA1_PERCENT 8

uint64_t sim_draw(const struct sim_drawing *d, enum sim_purpose purpose, uint64_t ordinal,
                  uint64_t n)
{
    const uint64_t parts[] = { (uint64_t)purpose, ordinal };
    struct jr_rand_seeded s;
    struct jr_rand r = jr_rand_of_seed(&s, d->seed);

    for (size_t i = 0; i < JR_ARRAY_SIZE(parts); i++)
        r = jr_rand_of_seed(&s, r.next(r.self) ^ parts[i]);
    (void)r.next(r.self);
    return jr_rand_below(&r, n);
}

static enum jr_status draw_jobs(const struct sim_drawing *d, struct sim_shape *shapes,
                                struct sim_plan *p)
{
    enum jr_status st = JR_OK;

    p->jobs = jr_arena_calloc(d->arena, p->n_jobs, sizeof(*p->jobs));
    if (p->jobs == NULL)
        return JR_NOMEM;
    for (size_t i = 0; st == JR_OK && i < p->n_jobs; i++) {
        sim_shape_draw(d, i, &shapes[i]);
        st = sim_job_draw(d, &shapes[i], &p->jobs[i]);
    }
    return st;
}

static enum jr_scheduling_api draw_gang_api(const struct sim_drawing *d)
{
    struct sim_dice dice = sim_dice(d->seed, SIM_DICE_GANG, 1);

    if (sim_chance(&dice, GANGS_PERCENT))
        return JR_SCHEDULING_V1ALPHA2;
    return sim_percent(d, SIM_FOR_SCHEDULING, 0, GANGS_V1BETA1_PERCENT) ? JR_SCHEDULING_V1BETA1
                                                                        : JR_SCHEDULING_NONE;
}

enum jr_status sim_plan_draw(uint64_t seed, struct sim_plan *ret)
{
    /* Mostly one or two: what happens between Jobs is rare, and a seed is to be cheap. */
    static const size_t jobs[] = { 1, 1, 1, 1, 2, 2, 2, 3, 3, JOBS_MAX };
    struct sim_plan p = { 0 };
    struct sim_shape shapes[JOBS_MAX] = { 0 };
    struct sim_drawing d = { .seed = seed, .arena = &p.arena };

    jr_arena_init(&p.arena, 0);
    d.managed = p.managed = sim_percent(&d, SIM_FOR_MODE, 0, 20);
    d.narrow = p.narrow = sim_percent(&d, SIM_FOR_MODE, 1, 15);
    d.gang_api = p.gang_api = draw_gang_api(&d);
    p.n_jobs = jobs[sim_draw(&d, SIM_FOR_JOBS, 0, JR_ARRAY_SIZE(jobs))];
    enum jr_status st = draw_jobs(&d, shapes, &p);
    if (st == JR_OK)
        st = sim_actions_draw(&d, shapes, &p);
    if (st == JR_OK)
        *ret = p;
    else
        jr_arena_done(&p.arena);
    return st;
}

void sim_plan_done(struct sim_plan *p)
{
    jr_arena_done(&p->arena);
}

const char *sim_feature_words(enum sim_feature f)
{
    static const char *const words[] = {
#define X(name, words) words,
        SIM_FEATURE_MAP(X)
#undef X
    };

    return words[f];
}

const char *sim_action_words(enum sim_action_kind k)
{
    static const char *const words[] = {
#define X(name, words) words,
        SIM_ACTION_MAP(X)
#undef X
    };

    return words[k];
}
