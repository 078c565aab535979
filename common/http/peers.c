/* SPDX-License-Identifier: Apache-2.0 */
/* Peers in a tree by address, and for each class a heap of those that have waiting connections. */
#include "common/http/peers.h"

#include <search.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/str.h"

#define PREFIX_BYTES 8 /* of an IPv6 address: the network */

/* ---- addresses ---- */

static void key_of(const struct sockaddr *from, unsigned char key[sizeof(struct in6_addr)])
{
    struct sockaddr_in6 six;
    struct sockaddr_in four;

    memset(key, 0, sizeof(struct in6_addr));
    if (from != NULL && from->sa_family == AF_INET) {
        memcpy(&four, from, sizeof(four));
        key[10] = key[11] = 0xff; /* as IPv6 spells it */
        memcpy(key + 12, &four.sin_addr, sizeof(four.sin_addr));
    } else if (from != NULL && from->sa_family == AF_INET6) {
        memcpy(&six, from, sizeof(six));
        memcpy(key, &six.sin6_addr,
               IN6_IS_ADDR_V4MAPPED(&six.sin6_addr) ? sizeof(six.sin6_addr) : PREFIX_BYTES);
    }
}

/** A tree, since addresses are the clients' choice and a table's chains would be, too. */
static int compare_keys(const void *a, const void *b)
{
    const struct jr_peer *x = a, *y = b;

    return memcmp(x->key, y->key, sizeof(x->key));
}

static bool is_before(struct jr_heap_entry *a, struct jr_heap_entry *b)
{
    const struct jr_peer_class *x = jr_of(a, struct jr_peer_class, rank);
    const struct jr_peer_class *y = jr_of(b, struct jr_peer_class, rank);

    if (x->n_waiting != y->n_waiting)
        return x->n_waiting > y->n_waiting;
    return TAILQ_FIRST(&x->waiting)->since.ns < TAILQ_FIRST(&y->waiting)->since.ns;
}

/** Room in all ranks for one peer more, so that ranking can't fail. */
static bool reserve_ranks(struct jr_peers *p)
{
    for (size_t i = 0; i < JR_CONN_CLASSES; i++) {
        p->ranks[i].before = is_before;
        if (jr_heap_room(&p->ranks[i], p->n) != JR_OK)
            return false;
    }
    return true;
}

const struct jr_peer *jr_peers_find(const struct jr_peers *p, const struct sockaddr *from)
{
    struct jr_peer wanted = { 0 };
    void *found;

    key_of(from, wanted.key);
    found = tfind(&wanted, &p->tree, compare_keys);
    return found == NULL ? NULL : *(struct jr_peer *const *)found;
}

static struct jr_peer *find_or_make(struct jr_peers *p, const struct sockaddr *from)
{
    struct jr_peer *peer = calloc(1, sizeof(*peer)), *found;
    void *node;

    if (peer == NULL || !reserve_ranks(p)) {
        free(peer);
        return NULL;
    }
    key_of(from, peer->key);
    node = tsearch(peer, &p->tree, compare_keys);
    found = node == NULL ? NULL : *(struct jr_peer **)node;
    if (found != peer) {
        free(peer);
        return found;
    }
    for (size_t i = 0; i < JR_CONN_CLASSES; i++)
        TAILQ_INIT(&peer->of[i].waiting);
    p->n++;
    return peer;
}

static void drop_peer(struct jr_peers *p, struct jr_peer *peer)
{
    (void)tdelete(peer, &p->tree, compare_keys);
    p->n--;
    free(peer);
}

void jr_peers_done(struct jr_peers *p)
{
    while (p->tree != NULL)
        drop_peer(p, *(struct jr_peer **)p->tree);
    for (size_t i = 0; i < JR_CONN_CLASSES; i++)
        jr_heap_done(&p->ranks[i]);
    *p = (struct jr_peers){ 0 };
}

/* ---- ranks ---- */

void jr_peers_wait(struct jr_peers *p, struct jr_place *c, struct jr_mono since)
{
    struct jr_heap *ranks = &p->ranks[c->class];
    struct jr_peer_class *of;

    if (c->peer == NULL || c->shut)
        return;
    jr_peers_unwait(p, c);
    of = &c->peer->of[c->class];
    c->since = since;
    c->waits = true;
    TAILQ_INSERT_TAIL(&of->waiting, c, link);
    if (of->n_waiting++ == 0)
        jr_heap_add(ranks, &of->rank);
    else
        jr_heap_move(ranks, &of->rank);
}

void jr_peers_unwait(struct jr_peers *p, struct jr_place *c)
{
    struct jr_heap *ranks = &p->ranks[c->class];
    struct jr_peer_class *of;

    if (!c->waits)
        return;
    of = &c->peer->of[c->class];
    c->waits = false;
    TAILQ_REMOVE(&of->waiting, c, link);
    if (--of->n_waiting == 0)
        jr_heap_remove(ranks, &of->rank);
    else
        jr_heap_move(ranks, &of->rank);
}

/* ---- coming, changing, going ---- */

bool jr_peers_enter(struct jr_peers *p, struct jr_place *c, enum jr_conn_class class,
                    const struct sockaddr *from)
{
    *c = (struct jr_place){ .class = class };
    c->peer = find_or_make(p, from);
    if (c->peer == NULL)
        return false;
    c->peer->n++;
    c->peer->of[class].n++;
    p->n_of[class]++;
    return true;
}

/** Takes it out of its class. */
static void uncount(struct jr_peers *p, struct jr_place *c)
{
    jr_peers_unwait(p, c);
    p->n_of[c->class]--;
    c->peer->of[c->class].n--;
}

void jr_peers_shut(struct jr_peers *p, struct jr_place *c)
{
    if (c->peer == NULL || c->shut)
        return;
    uncount(p, c);
    c->shut = true;
    c->peer->n_shut++;
}

void jr_peers_leave(struct jr_peers *p, struct jr_place *c)
{
    struct jr_peer *peer = c->peer;

    if (peer == NULL)
        return;
    if (c->shut)
        peer->n_shut--;
    else
        uncount(p, c);
    if (--peer->n == 0)
        drop_peer(p, peer);
    c->peer = NULL;
}

void jr_peers_move(struct jr_peers *p, struct jr_place *from, struct jr_place *to)
{
    const bool waits = from->waits;

    jr_peers_unwait(p, from);
    *to = *from;
    from->peer = NULL;
    if (waits)
        jr_peers_wait(p, to, to->since);
}

void jr_peers_promote(struct jr_peers *p, struct jr_place *c, enum jr_conn_class class)
{
    const bool waits = c->waits;

    if (c->peer == NULL || c->shut || c->class == class)
        return;
    uncount(p, c);
    c->class = class;
    c->peer->of[class].n++;
    p->n_of[class]++;
    if (waits)
        jr_peers_wait(p, c, c->since);
}

/* ---- which one is evicted ---- */

struct jr_place *jr_peers_first(const struct jr_peers *p, enum jr_conn_class class)
{
    const struct jr_heap *r = &p->ranks[class];

    return r->n == 0 ? NULL : TAILQ_FIRST(&jr_of(r->v[0], struct jr_peer_class, rank)->waiting);
}

struct jr_place *jr_peer_first(const struct jr_peer *peer, enum jr_conn_class class)
{
    return TAILQ_FIRST(&peer->of[class].waiting);
}
