/* Who has which connections: by the peer's address and by how much a connection has shown. Says
 * which one gives way where there are too many. */
#ifndef JR_HTTP_PEERS_H
#define JR_HTTP_PEERS_H

#include <netinet/in.h>
#include <sys/queue.h>

#include "common/base/clock.h"

/** What a connection has shown so far; those of the first class give way first. */
enum jr_conn_class {
    JR_CONN_SILENT,   /* nothing has come that is worth a thread's time */
    JR_CONN_SHAKING,  /* its handshake is not over */
    JR_CONN_STRANGER, /* nothing good has come of it yet */
    JR_CONN_TRUSTED,  /* has carried a good request, or its client's certificate is a good one */
    JR_CONN_CLASSES
};

struct jr_peer;

/** A connection's place, a part of the owner's record of it; all zero at first. */
struct jr_place {
    TAILQ_ENTRY(jr_place) link; /* while it waits */
    struct jr_peer *peer;
    enum jr_conn_class class;
    struct jr_mono born;  /* its owner's, for his own use */
    struct jr_mono since; /* set before it waits; never before that of one that waits already */
    bool waits;           /* its client keeps us waiting: it may give way */
    bool shut;            /* it has given way, and is not closed yet */
};

struct jr_peer_class {
    TAILQ_HEAD(, jr_place) waiting; /* the oldest first */
    size_t n_waiting;
    size_t n;    /* waiting or not, but not shut */
    size_t rank; /* in the class' heap, while n_waiting > 0 */
};

/** An IPv4 address, or the first 64 bits of an IPv6 address: who has one of these has all. */
struct jr_peer {
    unsigned char key[sizeof(struct in6_addr)];
    size_t n;      /* connections, all of them */
    size_t n_shut; /* of these */
    struct jr_peer_class of[JR_CONN_CLASSES];
};

/** A heap: first the peer of which most wait; of equals the one whose oldest is the oldest. */
struct jr_ranks {
    struct jr_peer **v;
    size_t n;
};

struct jr_peers {
    void *tree; /* of tsearch(3) */
    size_t n, cap;
    struct jr_ranks ranks[JR_CONN_CLASSES];
    size_t n_of[JR_CONN_CLASSES]; /* connections that are not shut */
};

/** From all zero to all zero; jr_peers_done frees what connections are still there. */
void jr_peers_done(struct jr_peers *p);
/** Counts a connection of that address (NULL, or another family: all of these are one peer). It
 * doesn't wait. False: no memory. */
bool jr_peers_enter(struct jr_peers *p, struct jr_place *c, enum jr_conn_class class,
                    const struct sockaddr *from) JR_MUST_USE;
/** c->peer becomes NULL; NULL already: nothing happens. */
void jr_peers_leave(struct jr_peers *p, struct jr_place *c);
/** The record moves to another place in memory; from's peer becomes NULL. */
void jr_peers_move(struct jr_peers *p, struct jr_place *from, struct jr_place *to);
/** Its client keeps us waiting from `since` on, unless it was shut; where it did so already, it
 * begins anew. */
void jr_peers_wait(struct jr_peers *p, struct jr_place *c, struct jr_mono since);
/** It doesn't any more. */
void jr_peers_unwait(struct jr_peers *p, struct jr_place *c);
/** It was shut: of its class it is no longer one, of its peer it still is. */
void jr_peers_shut(struct jr_peers *p, struct jr_place *c);
/** Changes the class of one that is not shut; one that waits goes on doing so, as the last of its
 * new class. */
void jr_peers_promote(struct jr_peers *p, struct jr_place *c, enum jr_conn_class class);

/** Of those of a class that wait: the oldest one of the peer of which most do; NULL: none waits. */
struct jr_place *jr_peers_first(const struct jr_peers *p, enum jr_conn_class class);
/** Of one peer; NULL: none waits. */
struct jr_place *jr_peer_first(const struct jr_peer *peer, enum jr_conn_class class);
/** The peer of an address; NULL: it has no connection. */
const struct jr_peer *jr_peers_find(const struct jr_peers *p, const struct sockaddr *from);

#endif
