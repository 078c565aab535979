/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side of the network: what it is asked, what it tells, and the network as a whole. */
#include "tests/sim/network_parts.h"

#include "common/base/memory.h"

#define TICK_MAX_NS (300 * JR_MSEC)

static void on_ask(void *ctx, struct jr_dev_call *call, struct jr_dev_request *request)
{
    struct sim_call *c = call->data;

    (void)ctx;
    request->as_of = c->about.verb == SIM_VERB_WATCH ? sim_state_of(c) : 0;
    request->path = sim_path_of(c);
    c->about.forsaken = c->about.hand.late = !call->waiting;
}

static void tell_arrival(const struct sim_call *c, int status)
{
    const struct sim_net *net = c->net;
    bool fault = c->fate.fault != SIM_FAULT_NONE;
    bool dull = !fault && (strstr(c->about.path, "/leases/") != NULL ||
                           (net->calm && c->about.verb == SIM_VERB_WATCH));
    void (*tell)(struct sim_report *, const char *, ...) JR_PRINTF(2, 3) =
        dull ? sim_trace_aside : sim_trace;

    tell(net->o.report, "api  %llu %s %s %s -> %d%s%s%s", (unsigned long long)c->about.number,
         c->about.client, c->about.method, c->about.path, status, fault ? " (" : "",
         fault ? sim_fault_words(c->fate.fault) : "", fault ? ")" : "");
}

static void on_carried_out(void *ctx, struct jr_dev_call *call, const struct jr_dev_answer *a)
{
    const struct sim_net *net = ctx;
    const struct sim_call *c = call->data;

    if (c->call == NULL)
        sim_trace(net->o.report, "api  %s %s %s -> %d", c->about.client, c->about.method,
                  c->about.path, a->status);
    else
        tell_arrival(c, a->status);
    if (call->streaming)
        net->o.hooks.answered(net->o.hooks.ctx, &c->about, a, false);
}

static void on_written(void *ctx, const struct jr_dev_event *e, struct jr_dev_call *by)
{
    struct sim_net *net = ctx;
    const struct sim_request *about = NULL;

    if (by != NULL)
        about = &((const struct sim_call *)by->data)->about;
    if (about != NULL && about->process < SIM_PROCESSES && e->object == NULL)
        net->gone[about->process] = e->revision;
    net->o.hooks.written(net->o.hooks.ctx, e, about);
}

static int64_t on_tick_delay(void *ctx, int64_t due_ns)
{
    struct sim_net *net = ctx;
    struct sim_dice d;

    if (due_ns > 0) /* events expire when something else is written */
        return INT64_MAX;
    d = sim_dice(net->o.climate->seed, SIM_DICE_TICK, net->n_ticks++);
    return sim_between(&d, 0, TICK_MAX_NS);
}

int sim_net_ask(struct sim_net *net, const char *user, const char *method, const char *path,
                const char *content_type, struct jr_str body, struct jr_buf *ret)
{
    const struct jr_dev_request req = {
        .method = method, .path = path, .content_type = content_type, .body = body, .user = user
    };
    struct sim_call c = { .net = net,
                          .about = { .client = user,
                                     .process = SIM_USER,
                                     .method = method,
                                     .path = path,
                                     .verb = sim_verb_of(method, path),
                                     .body = body,
                                     .hand = { .other = true } } };

    return jr_dev_network_ask(net->network, &req, &c, ret);
}

void sim_net_calm(struct sim_net *net)
{
    net->calm = true;
}

void sim_net_block(struct sim_net *net, bool on)
{
    net->blocked = on;
}

struct sim_net *sim_net_new(const struct sim_net_options *options)
{
    struct sim_net *net = jr_xcalloc(1, sizeof(*net));
    const struct jr_dev_network_hooks hooks = {
        .made = sim_on_made,
        .sent = sim_on_sent,
        .swallow = sim_on_swallow,
        .refuse = sim_on_refuse,
        .ask = on_ask,
        .carried_out = on_carried_out,
        .written = on_written,
        .respond = sim_on_respond,
        .stream_lag = sim_on_stream_lag,
        .stream_read = sim_on_stream_read,
        .stream_piece = sim_on_stream_piece,
        .stream_end = sim_on_stream_end,
        .received = sim_on_received,
        .given_up = sim_on_given_up,
        .ended = sim_on_ended,
        .tick_delay = on_tick_delay,
        .ctx = net,
    };

    net->o = *options;
    net->network = jr_dev_network_new(options->store, options->loop, &hooks);
    return net;
}

void sim_net_free(struct sim_net *net)
{
    if (net == NULL)
        return;
    jr_dev_network_free(net->network);
    free(net);
}
