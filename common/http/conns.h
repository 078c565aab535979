/* The connections of a listener: bounded in number, each with a deadline at each stage, and an
 * order in which they give way. */
#ifndef JR_HTTP_CONNS_H
#define JR_HTTP_CONNS_H

#include <pthread.h>
#include <sys/queue.h>

#include "common/base/clock.h"
#include "common/http/peers.h"

enum jr_conn_stage {
    JR_CONN_NEW,         /* its handshake is not over */
    JR_CONN_TRANSFERRED, /* as NEW, on its way from one owner to the next */
    JR_CONN_OPEN,        /* nothing of its first request has come */
    JR_CONN_HEADERS,     /* a request's headers are on their way */
    JR_CONN_RECEIVING,   /* a request's body is on its way */
    JR_CONN_ANSWERING,   /* its answer is being made: it doesn't keep us waiting */
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
    size_t held; /* bytes, by a body that is not complete, or an answer that is not sent */
    bool shut;   /* shut down by us; its owner will close it */
};

struct jr_conns_limits {
    size_t max;         /* connections that are not shut */
    size_t silent_max;  /* of these, that are silent */
    size_t address_max; /* of these, of one peer address */
    bool trusted_stay;  /* a trusted one never gives way to a new one */
    size_t held_max;    /* bytes that may be held by all together */
    int64_t header_ms;  /* of a handshake, and of a request's headers */
    int64_t request_ms; /* of one request */
    int64_t idle_ms;    /* from the handshake, or an answer, to the next request */
};

/** All connections of a listener, from accept(2) to close(2), whoever owns them meanwhile.
 * libmicrohttpd's own timeout measures inactivity, and a client that drips bytes is never inactive;
 * so each connection has an absolute deadline, and at its end the socket is shut down
 * (shutdown(2)), which its owner sees as the client's going. Safe from several threads. A
 * descriptor is touched only between jr_conns_add and jr_conns_remove, under the lock: it can't be
 * another one's yet.
 *
 * Where there is no room, one gives way that keeps us waiting: a silent one before one whose
 * handshake is not over, that before a stranger, a stranger before a trusted one; of these the
 * oldest of the peer address that has most of them. Who has many connections loses one, whatever
 * the others do; and what has been of use goes last. A client has
 * half a second for each step (its hello, the rest of its handshake, its first request), what it
 * waits for us not counted, but before an address that has far fewer; where half of all places are
 * taken by such as haven't had it yet, new ones are refused. */
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

/** How many may be shut and not yet closed, on top of n that may be open. */
static inline size_t jr_conns_shut_max(size_t n)
{
    return n / 8 + 16;
}

void jr_conns_init(struct jr_conns *c, const struct jr_conns_limits *limits,
                   const struct jr_clock *clock);
void jr_conns_done(struct jr_conns *c);

enum jr_conns_full {
    JR_CONNS_ROOM,    /* there was room */
    JR_CONNS_EVICTED, /* another one gave way */
    JR_CONNS_REFUSED  /* none could: the new one was not taken in, and is to be closed */
};
/** Takes in a new connection from an address, silent as yet. Unless it was refused jr_conns_remove
 * or jr_conns_transfer must follow before its descriptor is closed. *ret_silent: the one that gave
 * way, where that was a silent one: it is to be removed and closed at once; else NULL. */
enum jr_conns_full jr_conns_add(struct jr_conns *c, struct jr_conn *conn, int fd,
                                const struct sockaddr *from,
                                struct jr_conn **ret_silent) JR_MUST_USE;
void jr_conns_remove(struct jr_conns *c, struct jr_conn *conn);
/** Removes a connection that another owner is about to take in with jr_conns_transfer_finish: its
 * time goes on, and its place is kept. False: no memory; it is still there. */
bool jr_conns_transfer(struct jr_conns *c, struct jr_conn *conn) JR_MUST_USE;
/** The other owner never came, and the descriptor is closed. (Where nobody says so, the next
 * jr_conns_add of that descriptor does.) */
void jr_conns_transfer_cancel(struct jr_conns *c, int fd);
void jr_conns_transfer_finish(struct jr_conns *c, struct jr_conn *conn, int fd);

/** We have said all that we can say in the handshake. */
void jr_conns_await_client(struct jr_conns *c, struct jr_conn *conn);
/** The handshake is over, the first one. Go's clients, API servers among them, open connections
 * ahead of need, and close them after 90 s without any: whoever ends one sooner ends some just as a
 * request is sent. */
void jr_conns_open(struct jr_conns *c, struct jr_conn *conn);
/** It is of use, or its client is known. */
void jr_conns_trust(struct jr_conns *c, struct jr_conn *conn);
/** What was known of clients no longer holds: all that are trusted are strangers again. */
void jr_conns_distrust_all(struct jr_conns *c);
/** Something has come from the client: where it has had nothing under way, a request begins. */
void jr_conns_heard(struct jr_conns *c, struct jr_conn *conn);
/** A request's headers are complete. The time for all of it counts from their beginning. */
void jr_conns_request(struct jr_conns *c, struct jr_conn *conn);
/** Moves the deadline of the request under way, never to a later time. */
void jr_conns_hurry(struct jr_conns *c, struct jr_conn *conn, struct jr_mono deadline);
/** The body on its way, or the answer, will take n bytes more. Where all of them hold too much by
 * that, others are shut, strangers first, and of these who has held most for longest; their memory
 * comes back when their owners see it. Returns how many. */
size_t jr_conns_hold(struct jr_conns *c, struct jr_conn *conn, size_t n);
/** The body was given up: it holds nothing any more. */
void jr_conns_let_go(struct jr_conns *c, struct jr_conn *conn);
/** The body is complete. */
void jr_conns_answer(struct jr_conns *c, struct jr_conn *conn);
/** The answer is there: from here on the client keeps us waiting again. */
void jr_conns_send(struct jr_conns *c, struct jr_conn *conn);
/** The request is over. */
void jr_conns_idle(struct jr_conns *c, struct jr_conn *conn);

/** Shuts the connections that are past their deadline. Returns how many; in *ret_wait_ns when to
 * call again. */
size_t jr_conns_reap(struct jr_conns *c, int64_t *ret_wait_ns);
/** Connections that are not closed yet. */
size_t jr_conns_count(struct jr_conns *c);

#endif
