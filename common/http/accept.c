/* SPDX-License-Identifier: Apache-2.0 */
/* Connections from accept(2) to a daemon, or to their end. */
#include "common/http/accept.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/socket.h>

/* So many in one turn of the loop: others want theirs. */
#define AT_ONCE 128
/* A daemon on this thread is given so many of them, and those that go first. */
#define GIVEN_AT_ONCE 8
/* Descriptors and memory come back as other connections go. */
#define AGAIN_NS (50 * JR_MSEC)

struct jr_acceptor {
    struct jr_acceptor_deps d;
    struct jr_loop_fd *watch;
    struct jr_timer *again;
    struct jr_mono turn;
    unsigned given; /* in that turn */
    int fd;
    LIST_HEAD(, pending_conn) pending;
};

/* A connection whose first words have not come yet. */
struct pending_conn {
    struct jr_conn conn; /* must be the first */
    LIST_ENTRY(pending_conn) link;
    struct jr_acceptor *a;
    struct jr_loop_fd *watch;
    struct sockaddr_storage from;
    socklen_t from_n;
    int fd;
    size_t mark; /* bytes that it is woken at */
};

static void note_closed(const struct jr_acceptor *a, const char *reason)
{
    if (a->d.on_closed != NULL)
        a->d.on_closed(a->d.ctx, reason);
}

/* ---- a pending connection ---- */

static void on_pending(void *ctx, int fd, unsigned events);

static void forget_conn(struct pending_conn *g)
{
    LIST_REMOVE(g, link);
    jr_loop_fd_cancel(g->a->d.loop, &g->watch);
    free(g);
}

static void reject(struct pending_conn *g)
{
    int fd = g->fd;

    jr_conns_remove(g->a->d.conns, &g->conn);
    forget_conn(g);
    (void)close(fd);
}

/** Is woken again when so many bytes are there. */
static bool wake_at(struct pending_conn *g, size_t n)
{
    const int mark = (int)n;

    g->mark = n;
    return setsockopt(g->fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)) == 0;
}

static bool is_watched(struct pending_conn *g)
{
    struct jr_error err = { .status = JR_OK };

    return g->watch != NULL || jr_loop_fd_add(g->a->d.loop, g->fd, JR_LOOP_READ, on_pending, g,
                                              &g->watch, &err) == JR_OK;
}

/** Whether it has to wait for the next turn: a daemon on this thread spends its next run on all
 * that it was given, and everybody waits for that. Whose address has no other connection goes
 * first. */
static bool is_deferred(struct pending_conn *g)
{
    struct jr_acceptor *a = g->a;
    const struct jr_mono turn = jr_loop_deadline(a->d.loop).at;

    if (turn.ns != a->turn.ns)
        a->given = 0;
    a->turn = turn;
    return a->d.descriptors_max > 0 && g->conn.place.peer->n > 1 && a->given++ >= GIVEN_AT_ONCE;
}

static void accept_pending(struct pending_conn *g)
{
    const struct jr_acceptor_deps *d = &g->a->d;
    const struct sockaddr_storage from = g->from;
    const socklen_t n = g->from_n;
    const int fd = g->fd;
    bool known;

    if (is_deferred(g)) { /* what is there wakes it again */
        if (!is_watched(g))
            reject(g);
        return;
    }
    if ((g->mark > 1 && !wake_at(g, 1)) || !jr_conns_transfer(d->conns, &g->conn, &known)) {
        reject(g);
        return;
    }
    forget_conn(g);
    if (MHD_add_connection(known ? d->known_daemon : d->daemon, fd, (const struct sockaddr *)&from,
                           n) != MHD_YES)
        jr_conns_transfer_cancel(d->conns, fd); /* it has been closed */
    else if (d->on_given != NULL)
        d->on_given(d->ctx);
}

/** Nothing more will come. */
static bool is_over(const struct pending_conn *g)
{
    struct pollfd p = { .fd = g->fd, .events = POLLRDHUP };

    return poll(&p, 1, 0) != 0;
}

static enum jr_hello check_hello(const struct pending_conn *g, size_t *ret_need)
{
    unsigned char head[JR_HELLO_HEAD];
    ssize_t n = recv(g->fd, head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);
    int there = 0;

    if (n < 0 && errno != EAGAIN)
        return JR_HELLO_NONE;
    if (n > 0 && ioctl(g->fd, FIONREAD, &there) != 0)
        return JR_HELLO_NONE;
    if (g->a->d.look != NULL)
        return g->a->d.look(head, n < 0 ? 0 : (size_t)n, (size_t)there, ret_need);
    *ret_need = 1;
    return n > 0 ? JR_HELLO_WHOLE : JR_HELLO_PART;
}

/** Waits for what is missing. `woken`: for what is there. */
static void wait_on(struct pending_conn *g, size_t need, bool woken)
{
    const size_t mark = g->mark;

    if (is_over(g) || (need != mark && !wake_at(g, need)) || !is_watched(g))
        reject(g);
    else if (woken && need == mark)
        accept_pending(g); /* a system short of memory wakes too early, again and again */
}

static void check_pending(struct pending_conn *g, bool woken)
{
    size_t need = 0;

    switch (check_hello(g, &need)) {
    case JR_HELLO_WHOLE:
        accept_pending(g);
        break;
    case JR_HELLO_PART:
        wait_on(g, need, woken);
        break;
    case JR_HELLO_NONE:
        note_closed(g->a, "not-tls");
        reject(g);
        break;
    }
}

static void on_pending(void *ctx, int fd, unsigned events)
{
    (void)fd;
    (void)events;
    check_pending(ctx, true);
}

/* ---- coming ---- */

/** False: it was not taken in. */
static bool make_room(struct jr_acceptor *a, struct pending_conn *g)
{
    struct jr_conn *silent = NULL;

    switch (jr_conns_add(a->d.conns, &g->conn, g->fd, (const struct sockaddr *)&g->from, &silent)) {
    case JR_CONNS_ROOM:
        break;
    case JR_CONNS_EVICTED:
        note_closed(a, "evicted");
        if (silent != NULL)
            reject((struct pending_conn *)silent);
        break;
    case JR_CONNS_REFUSED:
        note_closed(a, "refused");
        if (a->d.log != NULL)
            jr_warn(a->d.log, "connection refused", JR_INT("connections", a->d.conns->limits.max));
        return false;
    }
    return true;
}

/** Takes in a new connection; its descriptor is closed where that fails. */
static void add_pending(struct jr_acceptor *a, int fd, const struct sockaddr_storage *from,
                        socklen_t n)
{
    struct pending_conn *g = calloc(1, sizeof(*g));

    if (g == NULL) {
        (void)close(fd);
        return;
    }
    g->a = a;
    g->fd = fd;
    g->from = *from;
    g->from_n = n;
    g->mark = 1;
    if (!make_room(a, g)) {
        free(g);
        (void)close(fd);
        return;
    }
    LIST_INSERT_HEAD(&a->pending, g, link);
    check_pending(g, false);
}

static void on_again(void *ctx);

/** What stands in the way may be gone after a while; asking again at once would keep the loop busy.
 */
static void pause_for(struct jr_acceptor *a, int errnum)
{
    struct jr_error err = { .status = JR_OK };

    (void)jr_fail_errno(&err, errnum, NULL, "accepting a connection");
    if (a->d.log != NULL)
        jr_warn(a->d.log, "no room for connections", JR_ERR(&err));
    if (jr_loop_fd_change(a->d.loop, a->watch, 0) == JR_OK &&
        jr_loop_after(a->d.loop, AGAIN_NS, on_again, a, &a->again) != JR_OK)
        on_again(a);
}

static void on_again(void *ctx)
{
    struct jr_acceptor *a = ctx;
    struct jr_error err;

    a->again = NULL;
    if (jr_loop_fd_change(a->d.loop, a->watch, JR_LOOP_READ) == JR_OK || a->d.log == NULL)
        return;
    (void)jr_fail_errno(&err, errno, NULL, "watching the listening socket");
    jr_err(a->d.log, "no longer accepting connections", JR_ERR(&err));
}

/** False: there is none, or no room for it. */
static bool take_one(struct jr_acceptor *a)
{
    struct sockaddr_storage from;
    socklen_t n = sizeof(from);
    int fd = accept4(a->fd, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0) {
        add_pending(a, fd, &from, n);
        return true;
    }
    switch (errno) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
        return true; /* that one went away again */
    case EAGAIN:
        return false;
    default:
        pause_for(a, errno);
        return false;
    }
}

/** Tells whether evicted connections still wait for the daemon's next run, which closes them. Until
 * then all who come wait in the queue, where a refusal would hit newcomers, too. */
static bool is_crowded(const struct jr_acceptor *a)
{
    return a->d.descriptors_max > 0 && jr_conns_count(a->d.conns) >= a->d.descriptors_max;
}

static void on_listening(void *ctx, int fd, unsigned events)
{
    struct jr_acceptor *a = ctx;
    int n = 0;

    (void)fd;
    (void)events;
    while (n < AT_ONCE && !is_crowded(a) && take_one(a))
        n++;
}

/* ---- making and ending ---- */

enum jr_status jr_acceptor_new(const struct jr_acceptor_deps *deps, int fd,
                               struct jr_acceptor **ret, struct jr_error *err)
{
    struct jr_acceptor *a = calloc(1, sizeof(*a));
    enum jr_status st;

    if (a == NULL) {
        (void)close(fd);
        return jr_fail(err, JR_NOMEM, NULL, "acceptor");
    }
    a->d = *deps;
    a->fd = fd;
    LIST_INIT(&a->pending);
    st = jr_loop_fd_add(deps->loop, fd, JR_LOOP_READ, on_listening, a, &a->watch, err);
    if (st == JR_OK)
        *ret = a;
    else
        jr_acceptor_free(a);
    return st;
}

void jr_acceptor_free(struct jr_acceptor *a)
{
    struct pending_conn *g, *next;

    if (a == NULL)
        return;
    for (g = LIST_FIRST(&a->pending); g != NULL; g = next) {
        next = LIST_NEXT(g, link);
        reject(g);
    }
    jr_timer_cancel(a->d.loop, &a->again);
    jr_loop_fd_cancel(a->d.loop, &a->watch);
    (void)close(a->fd);
    free(a);
}

/* ---- records ---- */

void *jr_record_new(struct MHD_Connection *connection, size_t size, int *ret_fd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    void *record = info == NULL ? NULL : calloc(1, size);

    if (info != NULL)
        *ret_fd = info->connect_fd;
    if (info != NULL && record == NULL)
        (void)shutdown(info->connect_fd, SHUT_RDWR);
    return record;
}

void *jr_record_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info == NULL ? NULL : info->socket_context;
}
