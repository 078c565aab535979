/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the faults of processes: kills, stops, clocks that are set; and the Jobs handed
 * back (decommission) and taken over again. */
#include "tests/sim/decommission.h"
#include "tests/sim/world_parts.h"

#define GRACE_NS (30 * JR_SEC)  /* of a Pod that is to end */
#define LOOK_NS (500 * JR_MSEC) /* whether it has */

/* ---- processes ---- */

static struct sim_process *orphan_worker(struct sim_world *w)
{
    return &w->controllers[SIM_CONTROLLERS - 1];
}

/** While the Jobs are handed back there is nobody else. */
static void on_begin(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;
    const struct sim_world *w = e.w;
    bool leaves = w->leaving == SIM_SCALED_DOWN || w->leaving == SIM_LEAVES;

    if (!e.process->up && (e.process->is_kubelet || leaves == (e.process == orphan_worker(e.w))))
        sim_process_begin(e.process, w->seed, &w->clock);
}

void sim_process_later(struct sim_world *w, struct sim_process *p, int64_t ns)
{
    sim_at(w, sim_now_ns(w) + ns, on_begin, (struct sim_timer){ .process = p });
}

void sim_kill(struct sim_world *w, struct sim_process *p, int64_t down_ns)
{
    sim_invariants_over(w->invariants, p);
    sim_process_kill(p);
    sim_process_later(w, p, down_ns);
}

void sim_note_process_fault(struct sim_world *w, const struct sim_process_fault_plan *t)
{
    w->report->counts.process_faults[t->kind]++;
    if (sim_numbers_add(&w->report->process_faults, t->number) != JR_OK)
        abort();
}

static struct sim_process *leader(struct sim_world *w, unsigned fallback)
{
    for (unsigned i = 0; i < SIM_CONTROLLERS; i++) {
        struct sim_process *p = &w->controllers[i];

        if (p->up && !p->ended && jr_controller_working(p->controller))
            return p;
    }
    return &w->controllers[fallback];
}

static void on_continue(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;

    if (!e.process->stopped)
        return;
    e.process->stopped = false;
    sim_trace(e.w->report, "%s goes on", e.process->name);
}

void sim_stop(struct sim_world *w, struct sim_process *p, const struct sim_process_fault_plan *t)
{
    sim_note_process_fault(w, t);
    sim_trace(w->report, "%s is stopped", p->name);
    p->stopped = true;
    p->stopped_ns = sim_now_ns(w);
    sim_at(w, sim_now_ns(w) + t->down_ns * 2, on_continue, (struct sim_timer){ .process = p });
}

/** Kills are no timers: they come right after a write. */
void sim_on_process_fault(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;
    struct sim_world *w = e.w;
    struct sim_process *p = leader(w, e.process_fault->who);

    if (!p->up || p->stopped || p->ended)
        return;
    if (e.process_fault->kind == SIM_PROCESS_FAULT_STOP) {
        sim_stop(w, p, e.process_fault);
        return;
    }
    sim_note_process_fault(w, e.process_fault);
    if (e.process_fault->kind == SIM_PROCESS_FAULT_SWALLOW) {
        sim_trace(w->report, "the connections of %s swallow what is sent", p->name);
        sim_client_swallow(p->client);
    } else if (e.process_fault->kind == SIM_PROCESS_FAULT_TERM) {
        sim_trace(w->report, "%s is told to end", p->name);
        p->told = true;
        jr_controller_stop(p->controller);
    } else {
        p->skew_ns += e.process_fault->skew_ns;
        sim_trace(w->report, "%s has its clock set by %lld s", p->name,
                  (long long)(e.process_fault->skew_ns / JR_SEC));
    }
}

/* ---- handing back ---- */

void sim_make_releaser(struct sim_world *w)
{
    struct sim_process *p = orphan_worker(w);

    *p = (struct sim_process){ .name = "release",
                               .ordinal = SIM_CONTROLLERS,
                               .options = w->setup.options,
                               .qps = w->setup.qps,
                               .net = w->net,
                               .report = w->report };
    p->options.paged_lists = w->setup.paged[0];
    p->options.ttl_after_finished = false;
    p->options.decommission = true;
    p->options.reconcile.account_only = true;
    p->options.reconcile.workload_with_job = false;
}

static bool stands_down(struct sim_world *w, bool now)
{
    bool all = true;

    for (unsigned i = 0; i < w->setup.n_controllers; i++) {
        struct sim_process *p = &w->controllers[i];

        if (p->up && now)
            sim_kill(w, p, 0);
        all = all && !p->up;
    }
    return all;
}

/** The Deployment's Pods are waited for, and killed after their grace. */
static void on_scaled_down(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;
    struct sim_world *w = e.w;

    if (!stands_down(w, sim_now_ns(w) - w->leaving_ns >= GRACE_NS)) {
        sim_at(w, sim_now_ns(w) + LOOK_NS, on_scaled_down, e);
        return;
    }
    w->leaving = SIM_LEAVES;
    sim_process_later(w, orphan_worker(w), 0);
}

void sim_on_release(void *ctx)
{
    struct sim_timer e = *(struct sim_timer *)ctx;
    struct sim_world *w = e.w;

    sim_trace(w->report, "the Jobs are handed back");
    w->report->counts.process_faults[SIM_PROCESS_FAULT_RELEASE]++;
    w->leaving = SIM_SCALED_DOWN;
    w->leaving_ns = sim_now_ns(w);
    for (unsigned i = 0; i < w->setup.n_controllers; i++) {
        if (w->controllers[i].up && !w->controllers[i].ended)
            jr_controller_stop(w->controllers[i].controller);
    }
    on_scaled_down(ctx);
}

/** It stops by itself once nothing is left. Some time later the Jobs are taken over again. */
static void see_left(struct sim_world *w, const struct sim_process *p)
{
    struct sim_hand knows;

    if (w->leaving != SIM_LEAVES || p != orphan_worker(w) || !p->up || p->ended || p->told ||
        !p->worked || jr_controller_working(p->controller))
        return;
    w->leaving = SIM_LEFT;
    w->report->counts.process_faults[SIM_PROCESS_FAULT_RELEASED]++;
    knows = sim_client_knows(p->client);
    sim_trace(w->report, "nothing is left");
    sim_release_over(w->report, &w->book, &knows);
    for (unsigned i = 0; i < w->setup.n_controllers; i++)
        sim_process_later(w, &w->controllers[i], w->setup.release.away_ns);
}

/** Processes that have to go, and those that have gone by themselves. */
void sim_look_after(struct sim_world *w, struct sim_process *p)
{
    struct sim_dice d;

    see_left(w, p);
    if (!p->up || !p->ended)
        return;
    sim_trace(w->report, "%s has ended: %d", p->name, p->code);
    if (p->code != 0)
        w->report->counts.process_faults[SIM_PROCESS_FAULT_END]++;
    if (p == orphan_worker(w) && w->leaving == SIM_LEFT) {
        sim_process_kill(p);
        return;
    }
    d = sim_dice(w->seed, SIM_DICE_PROCESS, (uint64_t)p->life * 2 + p->ordinal);
    sim_kill(w, p, sim_between(&d, 0, 5 * JR_SEC));
}
