/* SPDX-License-Identifier: Apache-2.0 */
/* The connections of a listener: bounded in number, with a deadline at each stage, and an order in
 * which they are evicted. */
#ifndef JR_HTTP_CONNS_H
#define JR_HTTP_CONNS_H

#include <pthread.h>
#include <sys/queue.h>

#include "common/base/clock.h"
#include "common/http/peers.h"

enum jr_conn_stage {
    JR_CONN_NEW,         /* its handshake is not over */
    JR_CONN_TRANSFERRED, /* as NEW, between two owners */
    JR_CONN_OPEN,        /* nothing of its first request has come */
    JR_CONN_HEADERS,     /* a request's headers are on their way */
    JR_CONN_RECEIVING,   /* a request's body is on its way */
    JR_CONN_ANSWERING,   /* its answer is being made: we don't wait for the client */
    JR_CONN_SENDING,     /* the answer is on its way */
    JR_CONN_IDLE,
};

/** A connection, a part of the owner's record of it. */
struct jr_conn {
    TAILQ_ENTRY(jr_conn) link;
    struct jr_place place;
    int fd;
    enum jr_conn_stage stage;
    struct jr_mono since; /* of the connection, the request under way, or the last answer's end */
    struct jr_mono deadline;
    size_t held;  /* bytes, by a body that is not complete, or an answer that is not sent */
    bool shut;    /* shut down by us; its owner will close it */
    bool pending; /* its owner is who accepted it: nothing of it has been transferred */
};

struct jr_conns_limits {
    size_t max;         /* connections that are not shut */
    bool fair;          /* only an address' number of connections counts; see below */
    size_t silent_max;  /* of these, that are silent */
    size_t address_max; /* of these, of one peer address */
    bool trusted_stay;  /* a trusted one is never evicted for a new one */
    size_t held_max;    /* bytes that all of them may hold */
    int64_t header_ms;  /* of a handshake, and of a request's headers */
    int64_t request_ms; /* of one request */
    int64_t idle_ms;    /* from the handshake, or an answer, to the next request */
};

/** All connections of a listener, from accept(2) to close(2), whoever owns them. Safe from several
 * threads.
 *
 * Each connection has an absolute deadline: libmicrohttpd's own timeout measures inactivity, and a
 * client that sends a byte at a time is never inactive. At the deadline the socket is shut down
 * (shutdown(2)); its owner sees a client that has gone. A descriptor is used only between
 * jr_conns_add and jr_conns_remove, under the lock, so it can't be another connection's yet.
 *
 * When all places are taken, a connection whose client we wait for is evicted: first by class
 * (enum jr_conn_class), then the oldest one of the peer address that has the most. So the client
 * with many connections loses one, and connections that have carried valid requests go last.
 *
 * A client can't be evicted for half a second at each step (its hello, the rest of its handshake,
 * its first request), not counting the time that it waits for us, unless the new connection's
 * address has far fewer. When half of all places are taken by connections in that half second, new
 * ones are refused.
 *
 * With limits.fair there are no classes, and silent_max, address_max and trusted_stay don't count:
 * the address with the most connections loses its oldest one, within that half second only to an
 * address with fewer, and only if it keeps one. So a connection of an address that has no other one
 * is accepted, and stays, as long as any address has two. There header_ms counts from accept(2) to
 * the end of the first request's headers, request_ms from accept(2) to that request's end, and an
 * answer may take idle_ms.
 */
struct jr_conns {
    pthread_mutex_t lock;
    struct jr_conns_limits limits;
    const struct jr_clock *clock;
    TAILQ_HEAD(, jr_conn) list;
    struct jr_peers peers;
    size_t n;                     /* all of them: descriptors */
    size_t n_shut;                /* of these, not closed yet by their owners */
    size_t held;                  /* bytes, by all of these */
    struct jr_conn **transferred; /* by descriptor; ours while they are TRANSFERRED */
    size_t cap_transferred;
};

/** How many may be shut and not yet closed, in addition to n open ones. */
static inline size_t jr_conns_shut_max(size_t n)
{
    return n / 8 + 16;
}

void jr_conns_init(struct jr_conns *c, const struct jr_conns_limits *limits,
                   const struct jr_clock *clock);
void jr_conns_done(struct jr_conns *c);

enum jr_conns_full {
    JR_CONNS_ROOM,    /* there was room */
    JR_CONNS_EVICTED, /* another connection was evicted */
    JR_CONNS_REFUSED  /* none could be: the new one wasn't added; the caller closes it */
};
/** Adds a new, silent connection from an address. Unless it was refused, call jr_conns_remove or
 * jr_conns_transfer before its descriptor is closed. *ret_silent: the evicted connection if it was
 * a silent one, which the caller removes and closes at once; else NULL. */
enum jr_conns_full jr_conns_add(struct jr_conns *c, struct jr_conn *conn, int fd,
                                const struct sockaddr *from,
                                struct jr_conn **ret_silent) JR_MUST_USE;
void jr_conns_remove(struct jr_conns *c, struct jr_conn *conn);
/** Removes a connection that another owner will add with jr_conns_transfer_finish: it keeps its
 * deadline and its place. *ret_known: its address has a trusted connection. False: no memory; it is
 * still there. */
bool jr_conns_transfer(struct jr_conns *c, struct jr_conn *conn, bool *ret_known) JR_MUST_USE;
/** The other owner never came, and the descriptor is closed. (The next jr_conns_add of that
 * descriptor implies it.) */
void jr_conns_transfer_cancel(struct jr_conns *c, int fd);
void jr_conns_transfer_finish(struct jr_conns *c, struct jr_conn *conn, int fd);

/** The next message of the handshake is the client's. */
void jr_conns_await_client(struct jr_conns *c, struct jr_conn *conn);
/** The first handshake is over. Go's clients, API servers among them, open connections ahead of
 * need and close them after 90 s without use: a shorter idle time here would close some just as a
 * request is sent. */
void jr_conns_open(struct jr_conns *c, struct jr_conn *conn);
/** It has carried a valid request, or its client's certificate is valid. */
void jr_conns_trust(struct jr_conns *c, struct jr_conn *conn);
/** Trusted connections become strangers again, for example when the client CA has changed. */
void jr_conns_distrust_all(struct jr_conns *c);
/** Bytes have come from the client. If no request is under way, one begins. */
void jr_conns_heard(struct jr_conns *c, struct jr_conn *conn);
/** A request's headers are complete. Its time counts from their first byte. */
void jr_conns_request(struct jr_conns *c, struct jr_conn *conn);
/** Moves the deadline of the request under way, never to a later time. */
void jr_conns_hurry(struct jr_conns *c, struct jr_conn *conn, struct jr_mono deadline);
/** The body on its way, or the answer, will take n bytes more. If all connections then hold more
 * than held_max, others are shut: strangers first, of these the one with the most bytes times
 * seconds. Their memory is free once their owners have seen it. Returns how many. */
size_t jr_conns_hold(struct jr_conns *c, struct jr_conn *conn, size_t n);
/** The body was dropped: it holds nothing any more. */
void jr_conns_let_go(struct jr_conns *c, struct jr_conn *conn);
/** The body is complete. */
void jr_conns_answer(struct jr_conns *c, struct jr_conn *conn);
/** The answer is complete and is sent: we wait for the client again. */
void jr_conns_send(struct jr_conns *c, struct jr_conn *conn);
/** The request is over. */
void jr_conns_idle(struct jr_conns *c, struct jr_conn *conn);

/** Shuts the connections that are past their deadline. Returns how many; in *ret_wait_ns when to
 * call again. */
size_t jr_conns_reap(struct jr_conns *c, int64_t *ret_wait_ns);
/** Connections that are not closed yet. */
size_t jr_conns_count(struct jr_conns *c);

#endif
