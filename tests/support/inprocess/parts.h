/* SPDX-License-Identifier: Apache-2.0 */
/* What the two sides of the network share. Internal to the library. */
#ifndef JR_TEST_INPROCESS_PARTS_H
#define JR_TEST_INPROCESS_PARTS_H

#include <sys/queue.h>

#include "common/kube/liveness.h"
#include "tests/support/inprocess/network.h"

/** A connection of a client. */
struct jr_dev_connection {
    unsigned refs;
    struct jr_liveness life; /* by the client's clock */
    int64_t opened_ns;       /* by the server's */
};

/** On its way to the client: a piece of a stream, or the end of the response. */
struct jr_dev_piece {
    TAILQ_ENTRY(jr_dev_piece) in_call;
    struct jr_call *call;
    struct jr_timer *timer;
    bool end;
    enum jr_http_outcome outcome;
    int status;
    int retry_after_s;
    uint64_t revision; /* of the last piece of what a stream has read; else 0 */
    struct jr_time date;
    struct jr_buf body;
};

struct jr_call {
    struct jr_dev_call seen;
    struct jr_dev_network *network;
    struct jr_arena arena;
    struct jr_dev_latency latency;
    /* The client's side, while seen.waiting. */
    LIST_ENTRY(jr_call) in_client;
    struct jr_dev_client *client; /* NULL: it was freed */
    struct jr_http_handler handler;
    bool (*may_send)(void *ctx);
    void *may_send_ctx;
    size_t body_max;
    int64_t idle_ns;
    struct jr_timer *send_timer, *deadline, *idle;
    struct jr_dev_connection *connection; /* once it is sent */
    struct jr_mono sent_at, last_byte;
    bool retired; /* its connection was given up */
    TAILQ_HEAD(, jr_dev_piece) pieces;
    int64_t last_due_ns; /* of the newest piece, in the server's time */
    struct jr_buf body;  /* collected, where no chunks are asked for */
    bool handling;       /* a piece is being taken in */
    /* The server's side. */
    LIST_ENTRY(jr_call) in_network;
    bool at_server;         /* on the way to it, or a stream that is open there */
    struct jr_timer *timer; /* arrival; a stream's next read */
    struct jr_dev_op *op;   /* of a stream */
    uint64_t target;        /* the next read goes up to here; 0: nothing new was seen */
    uint64_t read;          /* up to here */
    struct jr_mono end_at;
    bool silent;
};
LIST_HEAD(jr_dev_calls, jr_call);

struct jr_dev_network {
    struct jr_dev_store *store;
    struct jr_loop *loop; /* the server's */
    struct jr_dev_network_hooks hooks;
    struct jr_dev_calls calls; /* at the server */
    struct jr_timer *tick;
    bool tick_after_write; /* it is for a write, and not for a later time */
    uint64_t told;         /* writes up to this revision were told */
};

/* server.c */
/** Sends a request on its way to the server. */
void jr_dev_server_take(struct jr_call *c);
/** Forgets what the server has of a call. */
void jr_dev_server_drop(struct jr_call *c);

/* client.c */
/** Sends a piece back, with the call's latency and after what was sent before. body is copied. */
void jr_dev_client_deliver(struct jr_call *c, const struct jr_dev_piece *what, struct jr_str body);
/** Frees a call that neither side needs any more. */
void jr_dev_call_release(struct jr_call *c);

#endif
