/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/setup.h"

#define RELEASES_PERCENT 40 /* of managedBy mode */
#define SOON_NS (40 * JR_SEC)
#define AWAY_MAX_NS (30 * JR_SEC)

static struct sim_process_fault_plan draw(uint64_t seed, uint64_t i, unsigned n_controllers,
                                          int64_t calm_ns)
{
    static const enum sim_process_fault kinds[] = {
        SIM_PROCESS_FAULT_CRASH,  SIM_PROCESS_FAULT_CRASH,     SIM_PROCESS_FAULT_CRASH,
        SIM_PROCESS_FAULT_CRASH,  SIM_PROCESS_FAULT_TERM,      SIM_PROCESS_FAULT_STOP,
        SIM_PROCESS_FAULT_STOP,   SIM_PROCESS_FAULT_JUMP_BACK, SIM_PROCESS_FAULT_JUMP_AHEAD,
        SIM_PROCESS_FAULT_SWALLOW
    };
    struct sim_dice d = sim_dice(seed, SIM_DICE_PROCESS_FAULT, i + 1);
    struct sim_process_fault_plan t = { .number = i };

    t.kind = kinds[sim_below(&d, JR_ARRAY_SIZE(kinds))];
    t.who = (unsigned)sim_below(&d, n_controllers);
    t.after_write = 1 + sim_below(&d, sim_chance(&d, 70) ? 30 : 120);
    t.at_ns = sim_between(&d, 0, calm_ns);
    t.down_ns = sim_chance(&d, 50) ? sim_between(&d, 0, JR_SEC) : sim_between(&d, 0, 30 * JR_SEC);
    if (t.kind == SIM_PROCESS_FAULT_STOP && sim_chance(&d, 50)) {
        t.at_request = t.after_write;
        t.down_ns = sim_between(&d, 10 * JR_SEC, 40 * JR_SEC);
    }
    t.skew_ns = sim_between(&d, 1, 30) * JR_SEC;
    if (t.kind == SIM_PROCESS_FAULT_JUMP_BACK)
        t.skew_ns = -t.skew_ns;
    return t;
}

static void draw_options(struct sim_dice *d, struct sim_setup *s)
{
    static const struct {
        int64_t lease_ms, renew_ms, retry_ms;
    } leases[] = { { 15000, 10000, 2000 }, { 15000, 10000, 2000 }, { 60000, 40000, 8000 } };
    const size_t at = sim_below(d, JR_ARRAY_SIZE(leases));

    s->options = (struct jr_controller_options){
        .reconcile = jr_reconcile_options_default(),
        .leader_elect = s->n_controllers > 1 || sim_chance(d, 10),
        .election = { .namespace = "kube-system",
                      .name = "jobreeve-controller",
                      .lease_duration_ms = leases[at].lease_ms,
                      .renew_deadline_ms = leases[at].renew_ms,
                      .retry_period_ms = leases[at].retry_ms,
                      .release_on_stop = true },
        .max_inflight = sim_chance(d, 20) ? 2 : 0,
        .request_timeout_ms = 20000,
        .ttl_after_finished = true,
    };
    if (sim_chance(d, 30))
        s->options.request_timeout_ms = 0; /* the default: longer than a dead connection may last */
}

static void draw_mode(uint64_t seed, const struct sim_plan *plan, struct sim_setup *s)
{
    static const struct jr_str watched[] = { { "default", 7 } };
    struct sim_dice d = sim_dice(seed, SIM_DICE_SETUP, 2);

    if (plan->managed) {
        s->options.reconcile.replace_builtin = false;
        s->options.reconcile.managed_by = JR_S("jobreeve.dev/controller");
        s->options.reconcile.tracking_finalizer = JR_S("jobreeve.dev/job-tracking");
    }
    if (plan->narrow) {
        s->options.namespaces = watched;
        s->options.n_namespaces = JR_ARRAY_SIZE(watched);
    }
    if (sim_chance(&d, 8))
        s->qps = sim_between(&d, 2, 20);
}

/** So that templates are read again: always, or of some Jobs. */
static void draw_cache(uint64_t seed, struct sim_setup *s)
{
    struct sim_dice d = sim_dice(seed, SIM_DICE_SETUP, 3);

    if (sim_chance(&d, 30))
        s->options.job_cache_bytes = sim_chance(&d, 50) ? 1 : (size_t)sim_between(&d, 3000, 12000);
}

/** Only of what is managed by name: the built-in controller goes on with the others
 * (decommission). */
static struct sim_release_plan draw_release(uint64_t seed, const struct sim_plan *plan)
{
    struct sim_dice d = sim_dice(seed, SIM_DICE_RELEASE, 0);
    struct sim_release_plan r = { .is = plan->managed && sim_chance(&d, RELEASES_PERCENT) };

    r.at_ns = sim_between(&d, 0, sim_chance(&d, 80) ? SOON_NS : plan->calm_ns);
    if (r.at_ns > plan->calm_ns)
        r.at_ns = plan->calm_ns;
    r.away_ns = sim_between(&d, 0, AWAY_MAX_NS);
    return r;
}

struct sim_setup sim_setup_of(uint64_t seed, const struct sim_choice *choice,
                              const struct sim_plan *plan)
{
    static const size_t numbers[] = { 0, 0, 0, 1, 1, 2, 3, SIM_PROCESS_FAULTS_MAX };
    struct sim_dice d = sim_dice(seed, SIM_DICE_SETUP, 1);
    struct sim_setup s = { .n_controllers = sim_chance(&d, 25) ? 2 : 1 };
    size_t n = numbers[sim_below(&d, JR_ARRAY_SIZE(numbers))];

    if (!sim_chosen(choice, SIM_ITEM_SETUP, 0))
        s.n_controllers = 1;
    for (size_t i = 0; i < 2; i++)
        s.paged[i] = sim_chance(&d, 25) && sim_chosen(choice, SIM_ITEM_SETUP, 1);
    draw_options(&d, &s);
    if (sim_chosen(choice, SIM_ITEM_SETUP, 2))
        s.gang_api = plan->gang_api;
    s.options.reconcile.workload_with_job = s.gang_api != JR_SCHEDULING_NONE;
    draw_mode(seed, plan, &s);
    if (sim_chosen(choice, SIM_ITEM_SETUP, 5))
        draw_cache(seed, &s);
    s.release = draw_release(seed, plan);
    s.release.is = s.release.is && sim_chosen(choice, SIM_ITEM_SETUP, 3);
    for (uint64_t i = 0; i < n; i++) {
        if (sim_chosen(choice, SIM_ITEM_PROCESS_FAULT, i))
            s.process_faults[s.n_process_faults++] = draw(seed, i, s.n_controllers, plan->calm_ns);
    }
    return s;
}
