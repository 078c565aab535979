/* SPDX-License-Identifier: Apache-2.0 */
/* The list of suspended requests, which the event loop resumes. */
#include "webhook/net/namespace_wait.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

/** From here on the owner's record may go at any time. */
static void resume(struct jr_namespace_waiters *list, struct jr_namespace_waiter *r)
{
    TAILQ_REMOVE(list, r, link);
    MHD_resume_connection(r->connection);
}

static void on_read(void *ctx)
{
    struct jr_namespace_waiter *r = ctx;

    resume(&r->wait->waiting, r);
}

/** Reads the Namespaces of those that have come. */
static void on_wake(void *ctx, int fd, unsigned events)
{
    struct jr_namespace_wait *w = ctx;
    struct jr_namespace_waiter *r;
    struct jr_namespace_waiters fresh;
    eventfd_t n;

    (void)events;
    (void)eventfd_read(fd, &n);
    TAILQ_INIT(&fresh);
    (void)pthread_mutex_lock(&w->lock);
    TAILQ_CONCAT(&fresh, &w->fresh, link);
    (void)pthread_mutex_unlock(&w->lock);
    while ((r = TAILQ_FIRST(&fresh)) != NULL) {
        TAILQ_REMOVE(&fresh, r, link);
        TAILQ_INSERT_TAIL(&w->waiting, r, link);
        if (!jr_namespace_lookup(w->lookups, r->name, on_read, r))
            resume(&w->waiting, r);
    }
}

bool jr_namespace_wait_add(struct jr_namespace_wait *w, struct jr_namespace_waiter *r,
                           struct MHD_Connection *connection, struct jr_str name)
{
    bool waits;

    if (w->lookups == NULL)
        return false;
    r->wait = w;
    r->connection = connection;
    r->name = name;
    (void)pthread_mutex_lock(&w->lock);
    waits = !w->closed;
    if (waits) {
        TAILQ_INSERT_TAIL(&w->fresh, r, link);
        MHD_suspend_connection(connection);
        (void)eventfd_write(w->wake, 1);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return waits;
}

enum jr_status jr_namespace_wait_init(struct jr_namespace_wait *w, struct jr_loop *loop,
                                      struct jr_namespace_lookups *lookups, struct jr_error *err)
{
    *w = (struct jr_namespace_wait){ .loop = loop, .lookups = lookups, .wake = -1 };
    TAILQ_INIT(&w->fresh);
    TAILQ_INIT(&w->waiting);
    (void)pthread_mutex_init(&w->lock, NULL);
    if (lookups == NULL)
        return JR_OK;
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->wake < 0)
        return jr_fail_errno(err, errno, NULL, "eventfd");
    return jr_loop_fd_add(loop, w->wake, JR_LOOP_READ, on_wake, w, &w->watch, err);
}

void jr_namespace_wait_close(struct jr_namespace_wait *w)
{
    struct jr_namespace_waiter *r;

    if (w->loop == NULL)
        return;
    jr_loop_fd_cancel(w->loop, &w->watch);
    (void)pthread_mutex_lock(&w->lock);
    w->closed = true;
    (void)pthread_mutex_unlock(&w->lock);
    while ((r = TAILQ_FIRST(&w->fresh)) != NULL)
        resume(&w->fresh, r);
    while ((r = TAILQ_FIRST(&w->waiting)) != NULL)
        resume(&w->waiting, r);
}

void jr_namespace_wait_done(struct jr_namespace_wait *w)
{
    if (w->loop == NULL)
        return;
    if (w->wake >= 0)
        (void)close(w->wake);
    (void)pthread_mutex_destroy(&w->lock);
}
