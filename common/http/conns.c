/* SPDX-License-Identifier: Apache-2.0 */
/* One list of connections under one lock: which are accepted, evicted, or past their deadline. */
#include "common/http/conns.h"

#include <stdlib.h>
#include <sys/socket.h>

/* A client has this time for each step before it can be evicted for a new connection of a peer with
 * as many: otherwise a flood of new connections would let none finish a step. The time in which it
 * waits for us, while threads are busy, isn't counted. */
#define GRACE_NS (500 * JR_MSEC)
/* Deadlines are looked at this often at most: each look goes through all connections. */
#define LOOK_NS (20 * JR_MSEC)
/* The class of all connections, where only numbers count. */
#define FAIR_CLASS JR_CONN_STRANGER

void jr_conns_init(struct jr_conns *c, const struct jr_conns_limits *limits,
                   const struct jr_clock *clock)
{
    *c = (struct jr_conns){ .limits = *limits, .clock = clock };
    TAILQ_INIT(&c->list);
    (void)pthread_mutex_init(&c->lock, NULL);
}

static void drop_transferred(struct jr_conns *c, int fd);

void jr_conns_done(struct jr_conns *c)
{
    for (size_t fd = 0; fd < c->cap_transferred; fd++)
        drop_transferred(c, (int)fd);
    free(c->transferred);
    jr_peers_done(&c->peers);
    (void)pthread_mutex_destroy(&c->lock);
}

static struct jr_mono now(const struct jr_conns *c)
{
    return c->clock->mono(c->clock->self);
}

static struct jr_mono add_ms(struct jr_mono t, int64_t ms)
{
    return (struct jr_mono){ t.ns + ms * JR_MSEC };
}

static void lock(struct jr_conns *c)
{
    (void)pthread_mutex_lock(&c->lock);
}

static void unlock(struct jr_conns *c)
{
    (void)pthread_mutex_unlock(&c->lock);
}

static void let_go(struct jr_conns *c, struct jr_conn *conn)
{
    c->held -= conn->held;
    conn->held = 0;
}

static void shut_down(struct jr_conns *c, struct jr_conn *conn)
{
    let_go(c, conn);
    jr_peers_shut(&c->peers, &conn->place);
    conn->shut = true;
    c->n_shut++;
    if (conn->stage != JR_CONN_TRANSFERRED)  /* its descriptor may be closed already */
        (void)shutdown(conn->fd, SHUT_RDWR); /* fails only where the client has gone already */
}

/* ---- which one is evicted ---- */

static struct jr_conn *conn_of(struct jr_place *p)
{
    return p == NULL ? NULL : (struct jr_conn *)((char *)p - offsetof(struct jr_conn, place));
}

static size_t n_open(const struct jr_peer *p)
{
    return p == NULL ? 0 : p->n - p->n_shut;
}

/** Whether p's client is in its half second. */
static bool is_young(const struct jr_conns *c, const struct jr_place *p)
{
    return now(c).ns - p->born.ns < GRACE_NS;
}

/** Whether p can be evicted for a connection of the peer `to`. In its first half second of a step
 * only if that one has far fewer connections, or if there are too many silent ones. */
static bool may_evict(const struct jr_conns *c, const struct jr_place *p, const struct jr_peer *to)
{
    return p->class == JR_CONN_TRUSTED || !is_young(c, p) || 2 * n_open(to) < n_open(p->peer) ||
           (p->class == JR_CONN_SILENT &&
            2 * c->peers.n_of[JR_CONN_SILENT] >= c->limits.silent_max);
}

/** The connection that is evicted for a new one of the peer `to` (NULL: it has none yet): of any
 * peer, or only of its own. NULL: none. Connections in the first half second of a step may take at
 * most half of all places from higher classes. */
static struct jr_conn *find_victim(const struct jr_conns *c, const struct jr_peer *to, bool own)
{
    const size_t places = own ? c->limits.address_max : c->limits.max;
    size_t below = 0;

    for (unsigned k = 0; k < JR_CONN_CLASSES; k++) {
        const enum jr_conn_class class = (enum jr_conn_class)k;
        struct jr_place *p = own ? jr_peer_first(to, class) : jr_peers_first(&c->peers, class);

        if (class == JR_CONN_TRUSTED && (c->limits.trusted_stay || 2 * below > places))
            return NULL;
        if (p != NULL && may_evict(c, p, to))
            return conn_of(p);
        below += own ? to->of[class].n : c->peers.n_of[class];
        if (class == JR_CONN_SHAKING && 2 * below > places)
            return NULL;
    }
    return NULL;
}

/** Whether a peer has few connections. Then it is accepted even when all places are taken by
 * connections that wait for us, and half of the places beyond the limit are for such peers. */
static bool has_few(const struct jr_conns *c, const struct jr_peer *p)
{
    return p == NULL || p->n < c->limits.max / 16 + 4;
}

/** The silent connection that is evicted for one of the peer `to`; NULL: none. */
static struct jr_conn *silent_victim(const struct jr_conns *c, const struct jr_peer *to)
{
    struct jr_place *p = jr_peers_first(&c->peers, JR_CONN_SILENT);

    return p != NULL && may_evict(c, p, to) ? conn_of(p) : NULL;
}

/** Makes room as make_room does, where only numbers count. */
static bool make_fair_room(const struct jr_conns *c, const struct jr_peer *to,
                           struct jr_conn **ret_victim)
{
    const size_t least = n_open(to) > 1 ? n_open(to) : 1;
    struct jr_place *first = jr_peers_first(&c->peers, FAIR_CLASS);

    *ret_victim = NULL;
    if (c->n - c->n_shut < c->limits.max)
        return true;
    if (first == NULL || (is_young(c, first) && n_open(first->peer) <= least))
        return false;
    *ret_victim = conn_of(first);
    return true;
}

/** Makes room for a connection of the peer `to`. False: there is no room. */
static bool make_room(struct jr_conns *c, const struct jr_peer *to, struct jr_conn **ret_victim)
{
    const struct jr_conns_limits *l = &c->limits;

    if (l->fair)
        return make_fair_room(c, to, ret_victim);

    const bool own = to != NULL && n_open(to) >= l->address_max;
    const bool own_crowd = own && to->n >= l->address_max + jr_conns_shut_max(l->address_max);
    const bool full = c->n - c->n_shut >= l->max;
    const size_t shut_max = jr_conns_shut_max(l->max);
    const bool few = has_few(c, to);
    const bool crowd = c->n >= l->max + (few ? shut_max : shut_max / 2);

    *ret_victim = NULL;
    if (own_crowd) /* what is shut comes back later, but for silent ones */
        *ret_victim = conn_of(jr_peer_first(to, JR_CONN_SILENT));
    else if (!crowd && (own || full))
        *ret_victim = find_victim(c, to, own);
    else if (crowd || c->peers.n_of[JR_CONN_SILENT] >= l->silent_max)
        *ret_victim = silent_victim(c, to);
    else
        return true;
    return *ret_victim != NULL || (!own && !crowd && few);
}

/** The connection that is evicted for another one's body: a stranger before a trusted one; of these
 * the one with the most bytes times seconds, so not a large body that comes at once. NULL: no other
 * one holds anything. */
static struct jr_conn *greediest(struct jr_conns *c, const struct jr_conn *but)
{
    const int64_t t = now(c).ns;
    struct jr_conn *conn, *found = NULL;
    double most = -1;

    TAILQ_FOREACH(conn, &c->list, link)
    {
        double taken = (double)conn->held * (double)(t - conn->since.ns);

        if (conn == but || conn->held == 0 ||
            (found != NULL && conn->place.class > found->place.class))
            continue;
        if (found == NULL || conn->place.class < found->place.class || taken > most) {
            most = taken;
            found = conn;
        }
    }
    return found;
}

/* ---- added and removed ---- */

static void insert_conn(struct jr_conns *c, struct jr_conn *conn)
{
    TAILQ_INSERT_TAIL(&c->list, conn, link);
    c->n++;
}

static void remove_one(struct jr_conns *c, struct jr_conn *conn)
{
    TAILQ_REMOVE(&c->list, conn, link);
    c->n--;
    let_go(c, conn);
    if (conn->shut)
        c->n_shut--;
    jr_peers_leave(&c->peers, &conn->place);
}

/** The record goes to another place in memory. */
static void move_conn(struct jr_conns *c, struct jr_conn *from, struct jr_conn *to)
{
    TAILQ_INSERT_AFTER(&c->list, from, to, link);
    TAILQ_REMOVE(&c->list, from, link);
    to->fd = from->fd;
    to->stage = from->stage;
    to->since = from->since;
    to->deadline = from->deadline;
    to->held = from->held;
    to->shut = from->shut;
    to->pending = false;
    jr_peers_move(&c->peers, &from->place, &to->place);
}

static void begin_conn(struct jr_conns *c, struct jr_conn *conn, int fd)
{
    conn->fd = fd;
    conn->stage = JR_CONN_NEW;
    conn->since = now(c);
    conn->deadline = add_ms(conn->since, c->limits.header_ms);
    conn->held = 0;
    conn->shut = false;
    conn->pending = true;
}

enum jr_conns_full jr_conns_add(struct jr_conns *c, struct jr_conn *conn, int fd,
                                const struct sockaddr *from, struct jr_conn **ret_silent)
{
    const enum jr_conn_class class = c->limits.fair ? FAIR_CLASS : JR_CONN_SILENT;
    enum jr_conns_full full = JR_CONNS_REFUSED;
    struct jr_conn *gone = NULL;

    lock(c);
    drop_transferred(c, fd);
    if (make_room(c, jr_peers_find(&c->peers, from), &gone) &&
        jr_peers_enter(&c->peers, &conn->place, class, from)) {
        full = gone == NULL ? JR_CONNS_ROOM : JR_CONNS_EVICTED;
        begin_conn(c, conn, fd);
        conn->place.born = conn->since;
        insert_conn(c, conn);
        jr_peers_wait(&c->peers, &conn->place, conn->since);
    }
    if (full == JR_CONNS_REFUSED)
        gone = NULL;
    if (gone != NULL)
        shut_down(c, gone);
    *ret_silent = gone != NULL && gone->pending ? gone : NULL;
    unlock(c);
    return full;
}

void jr_conns_remove(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    remove_one(c, conn);
    unlock(c);
}

/* ---- from one owner to the next ---- */

static void drop_transferred(struct jr_conns *c, int fd)
{
    struct jr_conn *conn = (size_t)fd < c->cap_transferred ? c->transferred[fd] : NULL;

    if (conn == NULL)
        return;
    c->transferred[fd] = NULL;
    remove_one(c, conn);
    free(conn);
}

/** False: no memory. */
static bool room_for_transferred(struct jr_conns *c, int fd)
{
    size_t cap = c->cap_transferred == 0 ? 64 : c->cap_transferred;
    struct jr_conn **p;

    while (cap <= (size_t)fd)
        cap *= 2;
    if (cap == c->cap_transferred)
        return true;
    p = realloc(c->transferred, cap * sizeof(struct jr_conn *));
    if (p == NULL)
        return false;
    memset(p + c->cap_transferred, 0, (cap - c->cap_transferred) * sizeof(struct jr_conn *));
    c->transferred = p;
    c->cap_transferred = cap;
    return true;
}

bool jr_conns_transfer(struct jr_conns *c, struct jr_conn *conn, bool *ret_known)
{
    struct jr_conn *on_its_way = calloc(1, sizeof(*on_its_way));

    lock(c);
    if (on_its_way == NULL || !room_for_transferred(c, conn->fd)) {
        unlock(c);
        free(on_its_way);
        return false;
    }
    if (!c->limits.fair) { /* else it counts, busy or not */
        jr_peers_unwait(&c->peers, &conn->place);
        jr_peers_promote(&c->peers, &conn->place, JR_CONN_SHAKING);
    }
    conn->stage = JR_CONN_TRANSFERRED;
    move_conn(c, conn, on_its_way);
    c->transferred[conn->fd] = on_its_way;
    *ret_known = on_its_way->place.peer->of[JR_CONN_TRUSTED].n > 0;
    unlock(c);
    return true;
}

void jr_conns_transfer_cancel(struct jr_conns *c, int fd)
{
    lock(c);
    drop_transferred(c, fd);
    unlock(c);
}

void jr_conns_transfer_finish(struct jr_conns *c, struct jr_conn *conn, int fd)
{
    struct jr_conn *was;

    lock(c);
    was = (size_t)fd < c->cap_transferred ? c->transferred[fd] : NULL;
    if (was != NULL) {
        c->transferred[fd] = NULL;
        move_conn(c, was, conn);
        conn->stage = JR_CONN_NEW;
        if (conn->shut) /* on its way */
            (void)shutdown(fd, SHUT_RDWR);
    } else {
        begin_conn(c, conn, fd);
        conn->pending = false;
        insert_conn(c, conn);
        if (!jr_peers_enter(&c->peers, &conn->place, JR_CONN_SHAKING, NULL))
            shut_down(c, conn); /* no memory */
    }
    unlock(c);
    free(was);
}

/* ---- stages ---- */

/** From here on its client has time for the next step. */
static void begin_step(struct jr_conns *c, struct jr_conn *conn)
{
    conn->place.born = now(c);
    jr_peers_wait(&c->peers, &conn->place, conn->place.born);
}

void jr_conns_await_client(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    if (!conn->place.waits) /* sending a byte at a time gains no time */
        begin_step(c, conn);
    unlock(c);
}

void jr_conns_open(struct jr_conns *c, struct jr_conn *conn)
{
    if (conn->stage != JR_CONN_NEW)
        return;
    lock(c);
    conn->stage = JR_CONN_OPEN;
    if (!c->limits.fair)
        conn->deadline = add_ms(now(c), c->limits.idle_ms);
    if (conn->place.class < JR_CONN_STRANGER)
        jr_peers_promote(&c->peers, &conn->place, JR_CONN_STRANGER);
    begin_step(c, conn);
    unlock(c);
}

void jr_conns_trust(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    jr_peers_promote(&c->peers, &conn->place, JR_CONN_TRUSTED);
    unlock(c);
}

void jr_conns_distrust_all(struct jr_conns *c)
{
    struct jr_conn *conn;

    lock(c);
    TAILQ_FOREACH(conn, &c->list, link)
    {
        if (conn->place.class == JR_CONN_TRUSTED)
            jr_peers_promote(&c->peers, &conn->place, JR_CONN_STRANGER);
    }
    unlock(c);
}

void jr_conns_heard(struct jr_conns *c, struct jr_conn *conn)
{
    if (conn->stage != JR_CONN_OPEN && conn->stage != JR_CONN_IDLE)
        return;
    lock(c);
    if (conn->stage == JR_CONN_IDLE || !c->limits.fair) {
        conn->since = now(c);
        conn->deadline = add_ms(conn->since, c->limits.header_ms);
        jr_peers_wait(&c->peers, &conn->place, conn->since);
    }
    conn->stage = JR_CONN_HEADERS;
    unlock(c);
}

void jr_conns_request(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    /* Headers that came in one go with what was before them. */
    if (conn->stage != JR_CONN_HEADERS) {
        conn->since = now(c);
        jr_peers_wait(&c->peers, &conn->place, conn->since);
    }
    conn->stage = JR_CONN_RECEIVING;
    conn->deadline = add_ms(conn->since, c->limits.request_ms);
    unlock(c);
}

size_t jr_conns_hold(struct jr_conns *c, struct jr_conn *conn, size_t n)
{
    struct jr_conn *gone;
    size_t shut_n = 0;

    lock(c);
    if (!conn->shut) {
        conn->held += n;
        c->held += n;
    }
    while (c->held > c->limits.held_max && (gone = greediest(c, conn)) != NULL) {
        shut_down(c, gone);
        shut_n++;
    }
    unlock(c);
    return shut_n;
}

void jr_conns_let_go(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    let_go(c, conn);
    unlock(c);
}

void jr_conns_answer(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    let_go(c, conn);
    jr_peers_unwait(&c->peers, &conn->place);
    conn->stage = JR_CONN_ANSWERING;
    unlock(c);
}

void jr_conns_send(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    conn->stage = JR_CONN_SENDING;
    if (c->limits.fair)
        conn->deadline = add_ms(now(c), c->limits.idle_ms);
    jr_peers_wait(&c->peers, &conn->place, now(c));
    unlock(c);
}

void jr_conns_hurry(struct jr_conns *c, struct jr_conn *conn, struct jr_mono deadline)
{
    lock(c);
    if (deadline.ns < conn->deadline.ns)
        conn->deadline = deadline;
    unlock(c);
}

void jr_conns_idle(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    let_go(c, conn);
    conn->stage = JR_CONN_IDLE;
    conn->since = now(c);
    conn->deadline = add_ms(conn->since, c->limits.idle_ms);
    jr_peers_wait(&c->peers, &conn->place, conn->since);
    unlock(c);
}

/* ---- deadlines ---- */

/** The shortest time from a deadline's setting to its end; a second where clients may hurry us
 * (jr_conns_hurry). */
static int64_t shortest_ms(const struct jr_conns_limits *l)
{
    int64_t ms = l->header_ms < l->request_ms ? l->header_ms : l->request_ms;

    if (l->idle_ms < ms)
        ms = l->idle_ms;
    return ms < 1000 ? ms : 1000;
}

size_t jr_conns_reap(struct jr_conns *c, int64_t *ret_wait_ns)
{
    int64_t t = now(c).ns, wait = shortest_ms(&c->limits) * JR_MSEC;
    struct jr_conn *conn;
    size_t n = 0;

    lock(c);
    TAILQ_FOREACH(conn, &c->list, link)
    {
        if (conn->shut || conn->stage == JR_CONN_TRANSFERRED)
            continue;
        if (conn->deadline.ns <= t) {
            shut_down(c, conn);
            n++;
        } else if (conn->deadline.ns - t < wait) {
            wait = conn->deadline.ns - t;
        }
    }
    unlock(c);
    *ret_wait_ns = wait < LOOK_NS ? LOOK_NS : wait;
    return n;
}

size_t jr_conns_count(struct jr_conns *c)
{
    size_t n;

    lock(c);
    n = c->n;
    unlock(c);
    return n;
}
