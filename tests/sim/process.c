/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/process.h"

#include <stdio.h>

#define LIVES_MAX 1000
#define READS_MAX 20000 /* of the clock, in one turn of a process */

static void on_end(void *ctx, int code)
{
    struct sim_process *p = ctx;

    p->ended = true;
    p->code = code;
}

void sim_process_sync(struct sim_process *p, const struct jr_clock_virtual *now)
{
    p->clock.mono = now->mono;
    p->clock.wall.ns = now->wall.ns + p->skew_ns;
    p->clock.patience = READS_MAX;
    p->clock.reads = 0;
}

static enum jr_status begin_controller(struct sim_process *p, struct jr_error *err)
{
    const struct jr_controller_handler h = { .on_end = on_end, .ctx = p };
    enum jr_status st;

    (void)snprintf(p->identity, sizeof(p->identity), "%s_%u", p->name, p->life);
    p->options.election.identity = p->identity;
    st = jr_controller_new(&p->env, &p->options, &h, p->log, p->metrics, &p->controller, err);
    if (st == JR_OK)
        jr_controller_start(p->controller);
    return st;
}

static enum jr_status begin_kubelet(struct sim_process *p)
{
    /* Its Lease is of no interest here, and would cost a write every ten seconds. */
    const struct jr_dev_kubelet_options o = { .node = "sim-node",
                                              .default_run_ms = 1000,
                                              .lease_ms = INT64_C(86400000) };

    p->kubelet = jr_dev_kubelet_new(&p->env, &o, p->log);
    jr_dev_kubelet_start(p->kubelet);
    return JR_OK;
}

void sim_process_begin(struct sim_process *p, uint64_t seed, const struct jr_clock_virtual *now)
{
    struct sim_dice d = sim_dice(seed, SIM_DICE_PROCESS, p->ordinal * LIVES_MAX + ++p->life);
    struct jr_error err = { 0 };
    struct sim_client_options client = { .name = p->name,
                                         .process = p->ordinal,
                                         .life = p->life,
                                         .n_requests = &p->n_requests,
                                         .skew_ns = &p->skew_ns,
                                         .queued = p->qps > 0,
                                         .decommissioning = p->options.decommission,
                                         .mild = p->is_kubelet };
    enum jr_status st;

    sim_process_sync(p, now);
    p->ended = p->told = p->worked = p->stopped = false;
    p->stopped_ns = 0;
    st = jr_loop_new_virtual(&p->clock, &p->loop, &err);
    client.loop = p->loop;
    if (st == JR_OK)
        st = jr_metrics_new(&p->metrics);
    if (st == JR_OK && p->report->print)
        st = jr_log_new(STDOUT_FILENO, JR_LOG_DEBUG, JR_LOG_TEXT, p->name, jr_loop_clock(p->loop),
                        &p->log);
    if (st == JR_OK) {
        p->client = sim_client_new(p->net, &client);
        p->below = sim_client_transport(p->client);
        p->rest =
            jr_rest_new(p->loop, &p->below,
                        &(struct jr_rest_options){ JR_S("sim"), (double)p->qps, 0 }, p->metrics);
    }
    if (st == JR_OK) {
        p->env = (struct jr_env){ .loop = p->loop,
                                  .rand = jr_rand_of_seed(&p->rand, sim_below(&d, UINT64_MAX)),
                                  .transport = jr_rest_transport(p->rest) };
        st = p->is_kubelet ? begin_kubelet(p) : begin_controller(p, &err);
    }
    if (st != JR_OK) {
        (void)fprintf(stderr, "sim: %s does not start: %s\n", p->name, err.msg);
        abort();
    }
    p->up = true;
    sim_trace(p->report, "%s begins, life %u", p->name, p->life);
}

void sim_process_kill(struct sim_process *p)
{
    jr_controller_free(p->controller);
    jr_dev_kubelet_free(p->kubelet);
    p->controller = NULL;
    p->kubelet = NULL;
    jr_rest_free(p->rest);
    p->rest = NULL;
    sim_client_free(p->client);
    p->client = NULL;
    jr_loop_free(p->loop);
    p->loop = NULL;
    jr_metrics_free(p->metrics);
    p->metrics = NULL;
    jr_log_free(p->log);
    p->log = NULL;
    p->up = false;
}

int64_t sim_process_due(const struct sim_process *p)
{
    if (!p->up || p->stopped || p->ended)
        return INT64_MAX;
    return jr_loop_next(p->loop).ns;
}

void sim_process_turn(struct sim_process *p, const struct jr_clock_virtual *now)
{
    struct jr_error err;

    if (p->stopped_ns > 0)
        sim_client_stood(p->client, p->stopped_ns, now->mono.ns);
    p->stopped_ns = 0;
    sim_process_sync(p, now);
    p->worked = p->controller != NULL && jr_controller_working(p->controller);
    if (jr_loop_turn(p->loop, 0, NULL, &err) != JR_OK)
        abort();
    if (p->clock.reads > READS_MAX)
        sim_fail(p->report, "time passes", "%s never comes to the end of a turn", p->name);
}
