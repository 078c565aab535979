/* SPDX-License-Identifier: Apache-2.0 */
/* Connections by the peer's address and by class. Says which one is evicted when there are too
 * many. */
#ifndef JR_HTTP_PEERS_H
#define JR_HTTP_PEERS_H

#include <netinet/in.h>
#include <sys/queue.h>

#include "common/base/clock.h"
#include "common/base/heap.h"

/** What a connection has done so far. The first class is evicted first. */
enum jr_conn_class {
    JR_CONN_SILENT,   /* its client has not sent a complete hello */
    JR_CONN_SHAKING,  /* its handshake is not over */
    JR_CONN_STRANGER, /* no valid request yet */
    JR_CONN_TRUSTED,  /* it has carried a valid request, or its client's certificate is valid */
    JR_CONN_CLASSES
};

struct jr_peer;

/** A connection's place, a part of the owner's record of it; all zero at first. */
struct jr_place {
    TAILQ_ENTRY(jr_place) link; /* while it waits */
    struct jr_peer *peer;
    enum jr_conn_class class;
    struct jr_mono born; /* for the owner's use */
    struct jr_mono
        since;  /* it waits from here on; not earlier than that of one that waits already */
    bool waits; /* for its client: it may be evicted */
    bool shut;  /* evicted, and not closed yet */
};

struct jr_peer_class {
    TAILQ_HEAD(, jr_place) waiting; /* the oldest first */
    size_t n_waiting;
    size_t n;                  /* waiting or not, but not shut */
    struct jr_heap_entry rank; /* while n_waiting > 0 */
};

/** An IPv4 address, or the first 64 bits of an IPv6 address: often all of one client. */
struct jr_peer {
    unsigned char key[sizeof(struct in6_addr)];
    size_t n;      /* connections, all of them */
    size_t n_shut; /* of these */
    struct jr_peer_class of[JR_CONN_CLASSES];
};

struct jr_peers {
    void *tree; /* of tsearch(3) */
    size_t n;
    /* The peers' classes that have waiting connections: the one with the most comes first, among
     * equals the one with the oldest. */
    struct jr_heap ranks[JR_CONN_CLASSES];
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
/** It waits for its client from `since` on, unless it was shut. If it waited already, it begins
 * anew. */
void jr_peers_wait(struct jr_peers *p, struct jr_place *c, struct jr_mono since);
/** It doesn't wait any more. */
void jr_peers_unwait(struct jr_peers *p, struct jr_place *c);
/** It was shut: it is no longer counted in its class, but still in its peer. */
void jr_peers_shut(struct jr_peers *p, struct jr_place *c);
/** Changes the class of one that is not shut; one that waits goes on doing so, as the last of its
 * new class. */
void jr_peers_promote(struct jr_peers *p, struct jr_place *c, enum jr_conn_class class);

/** The oldest waiting connection of a class, of the peer with the most; NULL: none waits. */
struct jr_place *jr_peers_first(const struct jr_peers *p, enum jr_conn_class class);
/** The same of one peer; NULL: none waits. */
struct jr_place *jr_peer_first(const struct jr_peer *peer, enum jr_conn_class class);
/** The peer of an address; NULL: it has no connection. */
const struct jr_peer *jr_peers_find(const struct jr_peers *p, const struct sockaddr *from);

#endif
