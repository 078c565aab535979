/* SPDX-License-Identifier: Apache-2.0 */
/* Suspended connections, watched by an epoll descriptor on the loop. */
#include "common/http/suspended.h"

#include <errno.h>
#include <sys/epoll.h>

#define AT_ONCE 64

static void lock(struct jr_suspended *p)
{
    (void)pthread_mutex_lock(&p->lock);
}

static void unlock(struct jr_suspended *p)
{
    (void)pthread_mutex_unlock(&p->lock);
}

/** Under the lock: what is to be resumed after it. */
static struct MHD_Connection *take_out(struct jr_suspended_conn *c)
{
    LIST_REMOVE(c, link);
    c->waits = false;
    return c->connection;
}

/** Without the lock: libmicrohttpd takes one of its own for it, under which a thread of its may
 * wait for ours. Who is suspended can't be closed before it is resumed, so the connection is still
 * there; from here on it may go at any time. */
static void resume_all(const struct jr_suspended *p, struct MHD_Connection *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        MHD_resume_connection(v[i]);
    if (n > 0 && p->on_resumed != NULL)
        p->on_resumed(p->ctx);
}

static void take_out_all(struct jr_suspended *p)
{
    struct MHD_Connection *gone[AT_ONCE];
    size_t n;

    do {
        struct jr_suspended_conn *c;

        lock(p);
        for (n = 0; n < AT_ONCE && (c = LIST_FIRST(&p->list)) != NULL; n++)
            gone[n] = take_out(c);
        unlock(p);
        resume_all(p, gone, n);
    } while (n > 0);
}

static void on_ready(void *ctx, int fd, unsigned events)
{
    struct jr_suspended *p = ctx;
    struct epoll_event ready[AT_ONCE];
    struct MHD_Connection *gone[AT_ONCE];
    size_t n_gone = 0;
    int n;

    (void)events;
    lock(p);
    n = epoll_wait(fd, ready, AT_ONCE, 0);
    for (int i = 0; i < n; i++) {
        struct jr_suspended_conn *c = ready[i].data.ptr;

        if (c->waits)
            gone[n_gone++] = take_out(c);
    }
    unlock(p);
    resume_all(p, gone, n_gone);
}

static bool watch_read(const struct jr_suspended *p, struct jr_suspended_conn *c, int fd)
{
    struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = c };

    return epoll_ctl(p->epoll, c->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) == 0;
}

void jr_suspended_add(struct jr_suspended *p, struct jr_suspended_conn *c, int fd)
{
    lock(p);
    if (!p->closed && !c->waits && watch_read(p, c, fd)) {
        c->known = c->waits = true;
        LIST_INSERT_HEAD(&p->list, c, link);
        MHD_suspend_connection(c->connection);
    }
    unlock(p);
}

void jr_suspended_remove(struct jr_suspended *p, struct jr_suspended_conn *c, int fd)
{
    if (!c->known)
        return;
    lock(p); /* whoever holds it may have an event for c in hand */
    (void)epoll_ctl(p->epoll, EPOLL_CTL_DEL, fd, NULL);
    c->known = false;
    if (c->waits)
        LIST_REMOVE(c, link);
    unlock(p);
}

enum jr_status jr_suspended_init(struct jr_suspended *p, struct jr_loop *loop, struct jr_error *err)
{
    *p = (struct jr_suspended){ .loop = loop };
    LIST_INIT(&p->list);
    (void)pthread_mutex_init(&p->lock, NULL);
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (p->epoll < 0)
        return jr_fail_errno(err, errno, NULL, "epoll");
    return jr_loop_fd_add(loop, p->epoll, JR_LOOP_READ, on_ready, p, &p->watch, err);
}

void jr_suspended_close(struct jr_suspended *p)
{
    jr_loop_fd_cancel(p->loop, &p->watch);
    lock(p);
    p->closed = true;
    unlock(p);
    take_out_all(p);
}

void jr_suspended_done(struct jr_suspended *p)
{
    if (p->epoll >= 0)
        (void)close(p->epoll);
    (void)pthread_mutex_destroy(&p->lock);
}
