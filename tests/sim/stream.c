/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of streams: how far they lag, in what pieces they come, what they say twice or wrong, and
 * how they end. */
#include "tests/sim/network_parts.h"

int64_t sim_on_stream_lag(void *ctx, struct jr_dev_call *call)
{
    const struct sim_net *net = ctx;
    struct sim_call *c = call->data;
    int64_t lag_ns = net->calm ? c->fate.lag_ns % JR_MSEC : c->fate.lag_ns;

    return lag_ns <= 0 ? 0 : sim_between(&c->dice, 0, lag_ns);
}

bool sim_on_stream_read(void *ctx, struct jr_dev_call *call, uint64_t from, uint64_t to, bool ended,
                        struct jr_buf *frames)
{
    const struct sim_net *net = ctx;
    struct sim_call *c = call->data;

    if (sim_is_poisoned(c, from == 0) && !ended)
        sim_poison_stream(c, from, to, frames);
    if (c->fate.fault == SIM_FAULT_BODY_CUT && frames->n > 1 && !net->calm) {
        frames->n = (size_t)sim_between(&c->dice, 1, (int64_t)frames->n - 1);
        frames->p[frames->n] = '\0';
        return true;
    }
    if (c->fate.fault == SIM_FAULT_STREAM_TWICE && !net->calm)
        sim_body_repeat(frames);
    return false;
}

/** In one piece or in several, cut anywhere. */
size_t sim_on_stream_piece(void *ctx, struct jr_dev_call *call, struct jr_str rest,
                           int64_t *pause_ns)
{
    const struct sim_climate *climate = ((const struct sim_net *)ctx)->o.climate;
    struct sim_call *c = call->data;
    size_t n = rest.n;

    if (climate->chunks && c->fate.fault != SIM_FAULT_OLD_STATE && sim_chance(&c->dice, 60))
        n = (size_t)sim_between(&c->dice, 1, (int64_t)rest.n);
    if (n < rest.n)
        *pause_ns = sim_between(&c->dice, 0, climate->latency_ns);
    return n;
}

enum jr_dev_stream_end sim_on_stream_end(void *ctx, struct jr_dev_call *call,
                                         enum jr_dev_stream_end how)
{
    const struct sim_net *net = ctx;
    struct sim_call *c = call->data;

    if (how == JR_DEV_STREAM_CUT && c->fate.fault == SIM_FAULT_STREAM_SILENT)
        return JR_DEV_STREAM_SILENT;
    if (how == JR_DEV_STREAM_CUT &&
        (c->fate.fault == SIM_FAULT_STREAM_END ||
         (c->fate.fault == SIM_FAULT_BODY_CUT && sim_chance(&c->dice, 50))))
        how = JR_DEV_STREAM_END;
    (net->calm ? sim_trace_aside : sim_trace)(net->o.report, "%s<  %llu the stream %s",
                                              c->about.client, (unsigned long long)c->about.number,
                                              how == JR_DEV_STREAM_END ? "ends" : "is cut");
    return how;
}
