/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the simulation's network share. Not for others. */
#ifndef JR_TESTS_SIM_NETWORK_PARTS_H
#define JR_TESTS_SIM_NETWORK_PARTS_H

#include "tests/sim/known.h"
#include "tests/sim/network.h"

struct sim_net {
    struct sim_net_options o;
    struct jr_dev_network *network;
    uint64_t n_ticks;
    uint64_t
        gone[SIM_PROCESSES]; /* the newest version at which an object went by a process' write */
    bool calm;
    bool blocked; /* sim_net_block */
};

/** What the simulation keeps with a call. */
struct sim_call {
    struct sim_net *net;
    struct jr_dev_call *call; /* NULL: a user's */
    struct sim_request about;
    struct sim_fate fate;
    const char *text;     /* what it asks, for Retry-After */
    bool of_sync;         /* known.h */
    struct sim_dice dice; /* a stream's */
    uint64_t
        oldest; /* its sender may be told of this version, and of none before; 0: of the newest */
};

/* client.c: hooks of struct jr_dev_network_hooks, as all that take a ctx. */
void sim_on_made(void *ctx, struct jr_dev_call *call, struct jr_dev_latency *latency);
bool sim_on_sent(void *ctx, struct jr_dev_call *call);
void sim_on_received(void *ctx, struct jr_dev_call *call, uint64_t revision);
void sim_on_given_up(void *ctx, struct jr_dev_call *call, const char *why);
void sim_on_ended(void *ctx, struct jr_dev_call *call, const struct jr_http_answer *a);

bool sim_on_swallow(void *ctx, const struct jr_dev_call *call);

/* response.c */
bool sim_on_refuse(void *ctx, struct jr_dev_call *call, struct jr_dev_response *instead);
void sim_on_respond(void *ctx, struct jr_dev_call *call, const struct jr_dev_answer *a, bool wrote,
                    struct jr_dev_response *r);

/* stream.c */
int64_t sim_on_stream_lag(void *ctx, struct jr_dev_call *call);
bool sim_on_stream_read(void *ctx, struct jr_dev_call *call, uint64_t from, uint64_t to, bool ended,
                        struct jr_buf *frames);
size_t sim_on_stream_piece(void *ctx, struct jr_dev_call *call, struct jr_str rest,
                           int64_t *pause_ns);
enum jr_dev_stream_end sim_on_stream_end(void *ctx, struct jr_dev_call *call,
                                         enum jr_dev_stream_end how);

/* old_state.c */
/** The number after key, 0: there is none. */
uint64_t sim_number_at(const char *path, const char *key);
/** The version that a stream asks for; 0: none. */
uint64_t sim_version_asked(const struct sim_call *c);
/** The address as the server takes it: of a list that may be old, an older one. */
const char *sim_path_of(struct sim_call *c);
/** Up to which version a watch tells at first, and its initial events do; 0: to the newest. */
uint64_t sim_state_of(struct sim_call *c);

/* poison.c */
/** Whether an object that can hardly be read is among what is told now, `first` of a stream: one
 * that stands is in each list, and in the initial events; another comes and goes. */
bool sim_is_poisoned(const struct sim_call *c, bool first);
/** Puts it among the initial events, or behind all as the write of this version, unless that was
 * another's. from: what was read before. */
void sim_poison_stream(const struct sim_call *c, uint64_t from, uint64_t version,
                       struct jr_buf *out);
/** Puts it before the items of a page. */
void sim_poison_list(const struct sim_call *c, struct jr_buf *out);
/** Each event once more, right after itself. */
void sim_body_repeat(struct jr_buf *out);

#endif
