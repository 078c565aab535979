/* What bounds the clients: memory for all requests in flight, and a deadline for each connection at
 * each stage. */
#ifndef JR_WEBHOOK_LIMITS_H
#define JR_WEBHOOK_LIMITS_H

#include <pthread.h>
#include <sys/queue.h>

#include "common/base/clock.h"

/** Bytes that may be taken by all together. */
struct jr_budget {
    _Atomic size_t used;
    size_t limit;
};
/** Takes n bytes, or none and false. */
bool jr_budget_take(struct jr_budget *b, size_t n) JR_MUST_USE;
void jr_budget_give(struct jr_budget *b, size_t n);
size_t jr_budget_used(const struct jr_budget *b);

enum jr_conn_stage {
    JR_CONN_NEW,       /* its handshake is not over */
    JR_CONN_OPEN,      /* nothing of its first request has come */
    JR_CONN_HEADERS,   /* a request's headers are on their way */
    JR_CONN_RECEIVING, /* a request's body is on its way */
    JR_CONN_ANSWERING,
    JR_CONN_IDLE,
};

/** A connection, a part of the owner's record of it. */
struct jr_conn {
    TAILQ_ENTRY(jr_conn) link;
    int fd;
    enum jr_conn_stage stage;
    struct jr_mono since; /* of the connection, the request under way, or the last answer's end */
    struct jr_mono deadline;
    size_t held; /* bytes, by a body that is not complete */
    bool shut;   /* shut down by us; its owner will close it */
};

struct jr_conns_limits {
    size_t max;
    size_t held_max;    /* bytes that bodies which are not complete may hold together */
    int64_t header_ms;  /* of a handshake, and of a request's headers */
    int64_t request_ms; /* of one request */
    int64_t idle_ms;    /* from the handshake, or an answer, to the next request */
};

struct jr_conn_handed {
    int fd;
    struct jr_mono since;
};

/** All connections of a listener. libmicrohttpd's own timeout measures inactivity, and a client
 * that drips bytes is never inactive; so each connection has an absolute deadline, and at its end
 * the socket is shut down (shutdown(2)), which its owner sees as the client's going. Safe from
 * several threads. A descriptor is touched only between jr_conns_add and jr_conns_remove, under the
 * lock: it can't be another one's yet.
 *
 * Where there is no room, the one that has kept us waiting for longest gives way. An API server
 * sends a request in one go, so its connections are hardly ever that one, however many others there
 * are. */
struct jr_conns {
    pthread_mutex_t lock;
    struct jr_conns_limits limits;
    const struct jr_clock *clock;
    TAILQ_HEAD(, jr_conn) list;    /* in the order of acceptance */
    size_t n;                      /* that are not shut */
    size_t held;                   /* by all of these */
    struct jr_conn_handed *handed; /* on their way from one owner to the next */
    size_t n_handed, cap_handed;
};
void jr_conns_init(struct jr_conns *c, const struct jr_conns_limits *limits,
                   const struct jr_clock *clock);
void jr_conns_done(struct jr_conns *c);

enum jr_conns_full {
    JR_CONNS_ROOM,    /* there was room */
    JR_CONNS_EVICTED, /* another one was shut for it: the one whose headers or body have been due
                         for longest, else the one that has been idle for longest */
    JR_CONNS_REFUSED  /* all are being answered: the new one was shut */
};
/** Takes in a new connection. jr_conns_remove must follow in any case, before its descriptor is
 * closed. */
enum jr_conns_full jr_conns_add(struct jr_conns *c, struct jr_conn *conn, int fd);
void jr_conns_remove(struct jr_conns *c, struct jr_conn *conn);
/** Removes a connection that another owner is about to take in with jr_conns_take_over: its time
 * goes on, and its place is kept. If that one never does, the next jr_conns_add of the descriptor
 * forgets it. */
void jr_conns_hand_over(struct jr_conns *c, struct jr_conn *conn);
void jr_conns_take_over(struct jr_conns *c, struct jr_conn *conn, int fd);

/** The handshake is over, the first one. Go's clients, API servers among them, open connections
 * ahead of need, and close them after 90 s without any: whoever ends one sooner ends some just as a
 * request is sent. */
void jr_conns_open(struct jr_conns *c, struct jr_conn *conn);
/** Something has come from the client: where it has had nothing under way, a request begins. */
void jr_conns_heard(struct jr_conns *c, struct jr_conn *conn);
/** A request's headers are complete. The time for all of it counts from their beginning. */
void jr_conns_request(struct jr_conns *c, struct jr_conn *conn);
/** Moves the deadline of the request under way, never to a later time. */
void jr_conns_hurry(struct jr_conns *c, struct jr_conn *conn, struct jr_mono deadline);
/** The body on its way will take n bytes more. Where all such bodies hold too much by that, others
 * are shut, first who has held most for longest; their memory comes back when their owners see it.
 * Returns how many. */
size_t jr_conns_hold(struct jr_conns *c, struct jr_conn *conn, size_t n);
/** The body was given up: it holds nothing any more. */
void jr_conns_let_go(struct jr_conns *c, struct jr_conn *conn);
/** The body is complete. */
void jr_conns_answer(struct jr_conns *c, struct jr_conn *conn);
/** The request is over. */
void jr_conns_idle(struct jr_conns *c, struct jr_conn *conn);

/** Shuts the connections that are past their deadline. Returns how many; in *ret_wait_ns when to
 * call again. */
size_t jr_conns_reap(struct jr_conns *c, int64_t *ret_wait_ns);
size_t jr_conns_count(struct jr_conns *c);

#endif
