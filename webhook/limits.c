#include "webhook/limits.h"

#include <stdatomic.h>
#include <sys/socket.h>

/* ---- memory ---- */

bool jr_budget_take(struct jr_budget *b, size_t n)
{
    size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

    do {
        if (n > b->limit - used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&b->used, &used, used + n, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

void jr_budget_give(struct jr_budget *b, size_t n)
{
    (void)atomic_fetch_sub_explicit(&b->used, n, memory_order_relaxed);
}

size_t jr_budget_used(const struct jr_budget *b)
{
    return atomic_load_explicit(&b->used, memory_order_relaxed);
}

/* ---- time ---- */

void jr_conns_init(struct jr_conns *c, const struct jr_conns_limits *limits,
                   const struct jr_clock *clock)
{
    c->limits = *limits;
    c->clock = clock;
    c->n = c->held = 0;
    c->handed = NULL;
    c->n_handed = c->cap_handed = 0;
    TAILQ_INIT(&c->list);
    (void)pthread_mutex_init(&c->lock, NULL);
}

void jr_conns_done(struct jr_conns *c)
{
    free(c->handed);
    (void)pthread_mutex_destroy(&c->lock);
}

static struct jr_mono now(const struct jr_conns *c)
{
    return c->clock->mono(c->clock->self);
}

static struct jr_mono later(struct jr_mono t, int64_t ms)
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

static void shut(struct jr_conns *c, struct jr_conn *conn)
{
    let_go(c, conn);
    conn->shut = true;
    c->n--;
    (void)shutdown(conn->fd, SHUT_RDWR); /* fails only where the client has gone already */
}

static bool is_older(const struct jr_conn *a, const struct jr_conn *b)
{
    return b == NULL || a->since.ns < b->since.ns;
}

/** Who gives way to a new connection; NULL: all are being answered. */
static struct jr_conn *most_overdue(struct jr_conns *c)
{
    struct jr_conn *conn, *waiting = NULL, *idle = NULL;

    TAILQ_FOREACH(conn, &c->list, link)
    {
        if (conn->shut || conn->stage == JR_CONN_ANSWERING)
            continue;
        if (conn->stage == JR_CONN_IDLE)
            idle = is_older(conn, idle) ? conn : idle;
        else
            waiting = is_older(conn, waiting) ? conn : waiting;
    }
    return waiting != NULL ? waiting : idle;
}

/** Who gives way to another's body: who has held most for longest, bytes times time; NULL: nobody
 * else holds anything. A great body that comes in one go is not that. */
static struct jr_conn *greediest(struct jr_conns *c, const struct jr_conn *but)
{
    const int64_t t = now(c).ns;
    struct jr_conn *conn, *found = NULL;
    double most = -1;

    TAILQ_FOREACH(conn, &c->list, link)
    {
        double taken = (double)conn->held * (double)(t - conn->since.ns);

        if (conn != but && conn->held > 0 && taken > most) {
            most = taken;
            found = conn;
        }
    }
    return found;
}

/* ---- coming and going ---- */

/** Forgets that fd was handed over; false: it was not. */
static bool take_handed(struct jr_conns *c, int fd, struct jr_mono *ret_since)
{
    for (size_t i = 0; i < c->n_handed; i++) {
        if (c->handed[i].fd == fd) {
            *ret_since = c->handed[i].since;
            c->handed[i] = c->handed[--c->n_handed];
            return true;
        }
    }
    return false;
}

static void insert(struct jr_conns *c, struct jr_conn *conn, int fd, struct jr_mono since)
{
    *conn = (struct jr_conn){ .fd = fd, .stage = JR_CONN_NEW, .since = since };
    conn->deadline = later(since, c->limits.header_ms);
    TAILQ_INSERT_TAIL(&c->list, conn, link);
    c->n++;
}

enum jr_conns_full jr_conns_add(struct jr_conns *c, struct jr_conn *conn, int fd)
{
    enum jr_conns_full full = JR_CONNS_ROOM;
    struct jr_conn *victim;
    struct jr_mono old;

    lock(c);
    (void)take_handed(c, fd, &old);
    if (c->n >= c->limits.max) {
        victim = most_overdue(c);
        full = victim == NULL ? JR_CONNS_REFUSED : JR_CONNS_EVICTED;
        if (victim != NULL)
            shut(c, victim);
    }
    insert(c, conn, fd, now(c));
    if (full == JR_CONNS_REFUSED)
        shut(c, conn);
    unlock(c);
    return full;
}

void jr_conns_take_over(struct jr_conns *c, struct jr_conn *conn, int fd)
{
    struct jr_mono since = now(c);

    lock(c);
    (void)take_handed(c, fd, &since);
    insert(c, conn, fd, since);
    unlock(c);
}

static void remove_one(struct jr_conns *c, struct jr_conn *conn)
{
    TAILQ_REMOVE(&c->list, conn, link);
    let_go(c, conn);
    if (!conn->shut)
        c->n--;
}

void jr_conns_remove(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    remove_one(c, conn);
    unlock(c);
}

/** False: no memory. */
static bool room_for_handed(struct jr_conns *c)
{
    size_t cap = c->cap_handed == 0 ? 16 : 2 * c->cap_handed;
    struct jr_conn_handed *p;

    if (c->n_handed < c->cap_handed)
        return true;
    p = realloc(c->handed, cap * sizeof(*p));
    if (p == NULL)
        return false;
    c->handed = p;
    c->cap_handed = cap;
    return true;
}

void jr_conns_hand_over(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    remove_one(c, conn);
    /* Without memory for it, its time begins anew. */
    if (room_for_handed(c))
        c->handed[c->n_handed++] = (struct jr_conn_handed){ conn->fd, conn->since };
    unlock(c);
}

void jr_conns_open(struct jr_conns *c, struct jr_conn *conn)
{
    if (conn->stage != JR_CONN_NEW)
        return;
    lock(c);
    conn->stage = JR_CONN_OPEN;
    conn->deadline = later(now(c), c->limits.idle_ms);
    unlock(c);
}

void jr_conns_heard(struct jr_conns *c, struct jr_conn *conn)
{
    if (conn->stage != JR_CONN_OPEN && conn->stage != JR_CONN_IDLE)
        return;
    lock(c);
    conn->stage = JR_CONN_HEADERS;
    conn->since = now(c);
    conn->deadline = later(conn->since, c->limits.header_ms);
    unlock(c);
}

void jr_conns_request(struct jr_conns *c, struct jr_conn *conn)
{
    lock(c);
    /* Headers that came in one go with what was before them. */
    if (conn->stage != JR_CONN_HEADERS)
        conn->since = now(c);
    conn->stage = JR_CONN_RECEIVING;
    conn->deadline = later(conn->since, c->limits.request_ms);
    unlock(c);
}

size_t jr_conns_hold(struct jr_conns *c, struct jr_conn *conn, size_t n)
{
    struct jr_conn *victim;
    size_t shut_n = 0;

    lock(c);
    if (!conn->shut) {
        conn->held += n;
        c->held += n;
    }
    while (c->held > c->limits.held_max && (victim = greediest(c, conn)) != NULL) {
        shut(c, victim);
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
    conn->stage = JR_CONN_ANSWERING;
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
    conn->deadline = later(conn->since, c->limits.idle_ms);
    unlock(c);
}

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
        if (conn->shut)
            continue;
        if (conn->deadline.ns <= t) {
            shut(c, conn);
            n++;
        } else if (conn->deadline.ns - t < wait) {
            wait = conn->deadline.ns - t;
        }
    }
    unlock(c);
    *ret_wait_ns = wait;
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
