/* SPDX-License-Identifier: Apache-2.0 */
/* The API server in process: a transport whose requests go to the store, without sockets, over the
 * event loops of the clients and of the server. Time is that of the loops; where they are virtual,
 * equal input gives an equal run. Alone this is a perfect network: a request arrives at once and is
 * carried out, the answer is back at once, streams tell of each write as it happens. Latency,
 * faults and observation are the user's, as hooks. As in a real cluster, a request that went out is
 * carried out even if its client waits no more. Connections are modelled as far as they can go
 * dead: clients give them up by the rules of common/kube/liveness.h, as the one over libcurl does.
 * Admission webhooks can't be called: each call fails, and its failurePolicy decides. */
#ifndef JR_TEST_INPROCESS_NETWORK_H
#define JR_TEST_INPROCESS_NETWORK_H

#include "common/kube/transport.h"
#include "devcluster/apiserver/state.h"

/** A call, as hooks see it: from the moment it is made until the client and the server are both
 * done with it. */
struct jr_dev_call {
    void *client; /* what jr_dev_client_new was given; valid while waiting, and in `ended` */
    struct jr_dev_request request;
    bool own_connection; /* as in struct jr_http_request, as the next three */
    bool fresh_connection;
    bool again;
    int after_status;
    bool sent;              /* the request went out */
    int64_t opened_ns;      /* when its connection was opened, by the server's clock */
    bool waiting;           /* the client waits for the answer, or reads the stream */
    bool streaming;         /* a watch was accepted */
    bool served;            /* the server has done its part: what is left is on its way back */
    struct jr_arena *arena; /* the call's: for what the user keeps with it */
    void *data;             /* the user's */
};

/** How long a call's steps take. */
struct jr_dev_latency {
    int64_t send_ns;     /* until the request goes out, and may_send is asked */
    int64_t request_ns;  /* from then on until the server has it */
    int64_t response_ns; /* from the server to the client, for each piece of the response */
    int64_t stream_ns;   /* how long a stream lives; INT64_MAX: as long as both want it */
};

/** What is sent back. */
struct jr_dev_response {
    enum {
        JR_DEV_RESPONSE_WHOLE,
        JR_DEV_RESPONSE_LOST, /* the connection breaks; body is what arrived before */
        JR_DEV_RESPONSE_NEVER /* nothing comes, and the connection stands */
    } kind;
    int status;
    int retry_after_s;
    struct jr_str body; /* borrowed until the hook's caller has copied it */
};

/** How a stream ends. */
enum jr_dev_stream_end {
    JR_DEV_STREAM_END,   /* the response is complete */
    JR_DEV_STREAM_CUT,   /* the connection breaks */
    JR_DEV_STREAM_SILENT /* nothing comes any more, and the connection stands */
};

/** All optional. They are called from the loops. Those of requests may free clients; none may free
 * the network. */
struct jr_dev_network_hooks {
    /* A request, in the order of its life. */

    /** A client makes it. *latency is zero, and may be changed. */
    void (*made)(void *ctx, struct jr_dev_call *c, struct jr_dev_latency *latency);
    /** It goes out. False: the connection is refused. */
    bool (*sent)(void *ctx, struct jr_dev_call *c);
    /** Something goes over its connection. True: it never comes out at the other end, and neither
     * side learns of it. */
    bool (*swallow)(void *ctx, const struct jr_dev_call *c);
    /** It arrives. True: it isn't carried out, and *instead, a lost connection, is sent back. */
    bool (*refuse)(void *ctx, struct jr_dev_call *c, struct jr_dev_response *instead);
    /** The store is about to be asked. What it is asked may be changed: another path, an older
     * state. */
    void (*ask)(void *ctx, struct jr_dev_call *c, struct jr_dev_request *request);
    /** The store has carried it out, or refused it for its own sake. */
    void (*carried_out)(void *ctx, struct jr_dev_call *c, const struct jr_dev_answer *a);
    /** An object was written. by NULL: by the server itself. */
    void (*written)(void *ctx, const struct jr_dev_event *e, struct jr_dev_call *by);
    /** All that it wrote was told, and it is answered. *response is the store's answer, and may be
     * changed. Not of streams. */
    void (*respond)(void *ctx, struct jr_dev_call *c, const struct jr_dev_answer *a, bool wrote,
                    struct jr_dev_response *response);

    /* Streams. */

    /** There is something new to read. How much later the stream reads it. */
    int64_t (*stream_lag)(void *ctx, struct jr_dev_call *c);
    /** It has read what happened after version `from`, up to `to`; ended: and ends by that. The
     * frames, perhaps none, may be changed. True: the connection breaks behind them. */
    bool (*stream_read)(void *ctx, struct jr_dev_call *c, uint64_t from, uint64_t to, bool ended,
                        struct jr_buf *frames);
    /** How many bytes of what is left to send come in one piece: 1 to rest.n. If not all:
     * *pause_ns, 0, is how much later the next piece arrives, at least. */
    size_t (*stream_piece)(void *ctx, struct jr_dev_call *c, struct jr_str rest, int64_t *pause_ns);
    /** It ends: by the server (END), or because its life is over or stream_read said so (CUT). How
     * it ends instead. */
    enum jr_dev_stream_end (*stream_end)(void *ctx, struct jr_dev_call *c,
                                         enum jr_dev_stream_end how);

    /* What becomes of the call. */

    /** The client has taken in a chunk. Of a stream: with it all writes up to this revision are
     * told; 0: nothing can be said, more follows. */
    void (*received)(void *ctx, struct jr_dev_call *c, uint64_t revision);
    /** The client gives up: time is over, may_send said no, the connection was refused, or it did
     * not understand the stream. `ended` follows. */
    void (*given_up)(void *ctx, struct jr_dev_call *c, const char *why);
    /** The call ends, and its on_done is about to be called. NULL: it was cancelled. */
    void (*ended)(void *ctx, struct jr_dev_call *c, const struct jr_http_answer *a);

    /** The server has work of its own (jr_dev_tick), due in so long, 0 after a write. How long it
     * takes until it is done; INT64_MAX: it isn't. */
    int64_t (*tick_delay)(void *ctx, int64_t due_ns);
    void *ctx;
};

struct jr_dev_network;
/** All borrowed; hooks (may be NULL) are copied. */
struct jr_dev_network *jr_dev_network_new(struct jr_dev_store *store, struct jr_loop *loop,
                                          const struct jr_dev_network_hooks *hooks);
/** After its clients. NULL-safe. */
void jr_dev_network_free(struct jr_dev_network *n);
/** Carries out a request that takes no time; of the hooks only carried_out and written see it, with
 * this data. Gives the status, and appends the answer's body to ret (may be NULL). */
int jr_dev_network_ask(struct jr_dev_network *n, const struct jr_dev_request *request, void *data,
                       struct jr_buf *ret);

/** A client: what one process sends, on a loop of its own or on the server's. */
struct jr_dev_client;
/** user is what the store is told, and copied; data comes back in struct jr_dev_call. */
struct jr_dev_client *jr_dev_client_new(struct jr_dev_network *n, struct jr_loop *loop,
                                        const char *user, void *data);
/** As the end of a process: no handler runs any more, what went out goes on. NULL-safe. */
void jr_dev_client_free(struct jr_dev_client *c);
struct jr_transport jr_dev_client_transport(struct jr_dev_client *c);

#endif
