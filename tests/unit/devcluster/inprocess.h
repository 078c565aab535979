/* SPDX-License-Identifier: Apache-2.0 */
/* A world of one virtual clock, a store, a network in process and one client, whose hooks do what a
 * test sets and write down what they see. */
#ifndef JR_TEST_INPROCESS_H
#define JR_TEST_INPROCESS_H

#include "tests/support/inprocess/network.h"
#include "tests/unit/devcluster/api.h"

#define WATCH_MAPS MAPS "?watch=1"

struct world {
    struct api api;
    struct jr_clock_virtual clock;
    struct jr_loop *loop;
    struct jr_dev_network *network;
    struct jr_dev_client *client;
    struct jr_transport transport;
    /* What the hooks do. */
    struct jr_dev_latency latency;
    bool refuse_connection;
    int64_t swallow_before_ns; /* connections that were opened before it swallow what is sent */
    const struct jr_dev_response *instead;  /* of carrying it out */
    const struct jr_dev_response *response; /* instead of the store's */
    const char *ask_path;
    int64_t lag_ns;
    bool cut_reads;
    const char *more_frames;
    size_t piece;
    int64_t pause_ns;
    const enum jr_dev_stream_end *stream_end;
    int64_t tick_delay_ns;
    bool free_client;  /* when it is carried out */
    struct jr_buf log; /* of the hooks, one word each */
};

/** A call and what came of it. */
struct called {
    struct world *world;
    struct jr_call *call;
    bool may_send;
    bool cancel_at_chunk;
    bool cancel_at_end;
    enum jr_status chunk_status;
    size_t n_chunks;
    struct jr_buf chunks;
    int64_t chunk_ns; /* when the last one came, since the beginning */
    bool done;
    int64_t done_ns;
    struct jr_http_answer answer;
    struct jr_buf body;
};

/** hooked: with the hooks, else the network is alone. */
void world_begin(struct world *w, bool hooked);
void world_end(struct world *w);
/** Sends; of options NULL is a GET's. chunks: they are asked for. */
void world_send(struct world *w, struct called *c, const struct jr_http_request *options,
                bool chunks);
/** The same of a method, a path and a body. */
void world_call(struct world *w, struct called *c, const char *method, const char *path,
                const char *body);
/** Lets so much time pass. */
void world_run(struct world *w, int64_t ns);
/** A map is made at once, by somebody else. */
void world_make_map(struct world *w, const char *name);
/** The status that a GET of the map has at once. */
int world_map_status(struct world *w, const char *name);
void called_done(struct called *c);
/** What the hooks have seen since the last time. */
void world_expect_log(struct world *w, const char *want);

#endif
