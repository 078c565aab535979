/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon runs when its descriptor is ready, and when it has asked for it. */
#include "common/http/pump.h"

#include <microhttpd.h>

struct jr_pump {
    struct jr_loop *loop;
    struct MHD_Daemon *daemon;
    struct jr_loop_fd *watch;
    struct jr_timer *timer;
};

static void on_timer(void *ctx);

/* One run of the daemon, then a timer for when it wants the next. */
static void run_daemon(struct jr_pump *p)
{
    MHD_UNSIGNED_LONG_LONG ms = 0;

    (void)MHD_run(p->daemon);
    jr_timer_cancel(p->loop, &p->timer);
    if (MHD_get_timeout(p->daemon, &ms) != MHD_YES)
        return;
    int64_t ns = ms > INT64_MAX / JR_MSEC ? INT64_MAX : (int64_t)ms * JR_MSEC;
    /* Without memory for the timer the daemon waits for the next event. */
    (void)!jr_loop_after(p->loop, ns, on_timer, p, &p->timer);
}

static void on_timer(void *ctx)
{
    struct jr_pump *p = ctx;

    p->timer = NULL;
    run_daemon(p);
}

static void on_ready(void *ctx, int fd, unsigned events)
{
    (void)fd;
    (void)events;
    run_daemon(ctx);
}

void jr_pump_kick(struct jr_pump *p)
{
    jr_timer_cancel(p->loop, &p->timer);
    (void)!jr_loop_after(p->loop, 0, on_timer, p, &p->timer);
}

enum jr_status jr_pump_new(struct jr_loop *loop, struct MHD_Daemon *daemon, struct jr_pump **ret,
                           struct jr_error *err)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    JR_CLEANUP(jr_pump_freep) struct jr_pump *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "listener");
    if (info == NULL || info->epoll_fd < 0)
        return jr_fail(err, JR_UNSUPPORTED, NULL, "libmicrohttpd has no epoll descriptor");
    p->loop = loop;
    p->daemon = daemon;
    enum jr_status st =
        jr_loop_fd_add(loop, info->epoll_fd, JR_LOOP_READ, on_ready, p, &p->watch, err);
    if (st == JR_OK)
        *ret = jr_steal(&p);
    return st;
}

void jr_pump_free(struct jr_pump *p)
{
    if (p == NULL)
        return;
    jr_timer_cancel(p->loop, &p->timer);
    jr_loop_fd_cancel(p->loop, &p->watch);
    free(p);
}
