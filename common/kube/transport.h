/* SPDX-License-Identifier: Apache-2.0 */
/* The transport's seam: HTTP messages and chunks. In production libcurl over the event loop, in
 * simulation the devcluster's store called in process. Nothing above this header knows which. */
#ifndef JR_KUBE_TRANSPORT_H
#define JR_KUBE_TRANSPORT_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/loop.h"

/** One request. All borrowed until the call to send returns. */
struct jr_http_request {
    const char *method;       /* GET, POST, PUT, PATCH, DELETE */
    const char *path;         /* with query: /api/v1/pods?limit=500 */
    const char *accept;       /* NULL: application/json */
    const char *content_type; /* NULL: application/json, when there is a body */
    struct jr_str body;
    int64_t timeout_ms;      /* for the whole answer; 0: none (streams) */
    int64_t idle_timeout_ms; /* without a byte; 0: none */
    size_t body_max;         /* of the answer; a longer one is AMBIGUOUS, with JR_LIMIT; 0: the
                                transport's own limit */
    bool own_connection;     /* not to wait behind others: the Lease, watches */
    bool fresh_connection;   /* with own_connection: a new one, closed after the answer, as a kept
                                one shows one API server of several */
    /* Asked at the moment the request goes out; false fails it as not sent (a deposed leader).
     * NULL: always. */
    bool (*may_send)(void *ctx);
    void *may_send_ctx;
    bool again;       /* not the first attempt: for the metrics */
    int after_status; /* with `again`: what the one before was answered; 0: nothing */
};

/** Makes what the request borrows its own, in the arena. */
void jr_http_request_keep(struct jr_http_request *req, struct jr_arena *a);

/** How a call ended. */
enum jr_http_outcome {
    JR_HTTP_DONE,      /* a whole answer arrived, whatever its status */
    JR_HTTP_NOT_SENT,  /* certainly not carried out: connection refused, may_send said no, cancelled
                          before sending */
    JR_HTTP_AMBIGUOUS, /* sent, or perhaps, and no whole answer: it may have happened */
};

struct jr_http_answer {
    enum jr_http_outcome outcome;
    int status;            /* 0 unless an answer's head arrived */
    int retry_after_s;     /* 0 unless the server said so */
    struct jr_time date;   /* the server's, by its Date header, to the second; 0: none */
    struct jr_str body;    /* whole, unless chunks were asked for; borrowed for the call */
    struct jr_error error; /* of NOT_SENT and AMBIGUOUS; JR_DENIED: may_send said no */
};

/** Called from the loop, never from inside send(). */
struct jr_http_handler {
    /* With on_chunk, the body of a 200 answer is passed on as it comes; other answers' bodies are
     * collected as usual. A return other than JR_OK ends the call as AMBIGUOUS. */
    enum jr_status (*on_chunk)(void *ctx, struct jr_str chunk);
    /* Once, at the end; the call is gone when it returns. */
    void (*on_done)(void *ctx, const struct jr_http_answer *answer);
    void *ctx;
};

struct jr_call;

struct jr_transport {
    /** Starts a request: on_done will be called exactly once, unless the call is cancelled. */
    struct jr_call *(*send)(void *self, const struct jr_http_request *req,
                            const struct jr_http_handler *h);
    /** Forgets a call: no handler runs any more; whether it happened is unknown. */
    void (*cancel)(void *self, struct jr_call *call);
    void *self;
};

/** Clock, randomness, loop and transport: all that the shell needs of the world. */
struct jr_env {
    struct jr_loop *loop;
    struct jr_rand rand;
    struct jr_transport transport;
};

#endif
