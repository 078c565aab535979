/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/minimise.h"

#define RUNS_MAX 600
#define ADDED_MAX 60

struct search {
    uint64_t seed;
    const char *invariant;
    unsigned runs;
    struct sim_choice best;
    struct sim_choice next; /* to be tried */
};

/** Whether the seed fails in the same way with what is chosen in `next`; then that is the best. */
static bool still_fails(struct search *s)
{
    struct sim_report *r;
    bool same;

    if (s->runs++ >= RUNS_MAX)
        return false;
    r = calloc(1, sizeof(*r));
    if (r == NULL)
        return false;
    sim_world_run(s->seed, &s->next, r);
    same = r->failed && strcmp(r->invariant, s->invariant) == 0;
    sim_report_done(r);
    free(r);
    return same && sim_choice_copy(&s->next, &s->best) == JR_OK;
}

/** Leaves out parts of one kind: halves, quarters, single ones. */
static bool shrink(struct search *s, enum sim_item item)
{
    bool any = false;

    for (size_t part = (s->best.of[item].list.n + 1) / 2; part > 0; part /= 2) {
        for (size_t at = 0; at < s->best.of[item].list.n;) {
            struct sim_numbers *l = &s->next.of[item].list;

            if (sim_choice_copy(&s->best, &s->next) != JR_OK)
                return false;
            size_t end = at + part < l->n ? at + part : l->n;
            memmove(l->v + at, l->v + end, (l->n - end) * sizeof(*l->v));
            l->n -= end - at;
            if (still_fails(s))
                any = true;
            else
                at = end;
        }
    }
    return any;
}

/** Writes all of one kind that there may be down as what is kept. */
static enum jr_status list_all(struct sim_choice *c, enum sim_item item,
                               const struct sim_numbers *all)
{
    struct sim_numbers l = { 0 };

    for (size_t i = 0; i < all->n; i++) {
        if (!sim_chosen(c, item, all->v[i]) || sim_numbers_has(&l, all->v[i]))
            continue;
        if (sim_numbers_add(&l, all->v[i]) != JR_OK) {
            free(l.v);
            return JR_NOMEM;
        }
    }
    free(c->of[item].list.v);
    c->of[item].list = l;
    c->of[item].only = true;
    return JR_OK;
}

static enum jr_status list_first(struct sim_choice *c, enum sim_item item, size_t n)
{
    struct sim_numbers all = { 0 };
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < n && st == JR_OK; i++)
        st = sim_numbers_add(&all, i);
    if (st == JR_OK)
        st = list_all(c, item, &all);
    free(all.v);
    return st;
}

/** Those of the plan, and those from 1,000 on that the world adds. */
static enum jr_status list_actions(struct sim_choice *c, size_t n)
{
    struct sim_numbers all = { 0 };
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < n + ADDED_MAX && st == JR_OK; i++)
        st = sim_numbers_add(&all, i < n ? i : 1000 + i - n);
    if (st == JR_OK)
        st = list_all(c, SIM_ITEM_ACTION, &all);
    free(all.v);
    return st;
}

static enum jr_status list_everything(uint64_t seed, const struct sim_report *report,
                                      struct sim_choice *c)
{
    struct sim_plan plan;
    enum jr_status st = sim_plan_draw(seed, &plan);

    if (st != JR_OK)
        return st;
    st = list_first(c, SIM_ITEM_JOB, plan.n_jobs);
    if (st == JR_OK)
        st = list_actions(c, plan.n_actions);
    if (st == JR_OK)
        st = list_first(c, SIM_ITEM_SETUP, 6);
    if (st == JR_OK)
        st = list_all(c, SIM_ITEM_FAULT, &report->faults);
    if (st == JR_OK)
        st = list_all(c, SIM_ITEM_PROCESS_FAULT, &report->process_faults);
    sim_plan_done(&plan);
    return st;
}

enum jr_status sim_minimise(uint64_t seed, struct sim_choice *choice,
                            const struct sim_report *report)
{
    static const enum sim_item order[] = { SIM_ITEM_PROCESS_FAULT, SIM_ITEM_FAULT, SIM_ITEM_JOB,
                                           SIM_ITEM_ACTION, SIM_ITEM_SETUP };
    struct search s = { .seed = seed, .invariant = report->invariant };
    enum jr_status st = sim_choice_copy(choice, &s.next);
    bool any = true;

    if (st == JR_OK)
        st = list_everything(seed, report, &s.next);
    if (st == JR_OK && still_fails(&s)) {
        while (any) {
            any = false;
            for (size_t i = 0; i < JR_ARRAY_SIZE(order); i++)
                any |= shrink(&s, order[i]);
        }
        st = sim_choice_copy(&s.best, choice);
    }
    sim_choice_done(&s.best);
    sim_choice_done(&s.next);
    return st;
}
