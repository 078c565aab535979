/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's sockets and timer on the event loop. */
#include <errno.h>

#include "common/curl/curl_parts.h"

/* A socket that was read from less than this ago is left alone until then: what comes in the
 * meantime is read in one go, and libcurl looks at every transfer of a connection each time. What
 * comes alone is read at once. */
#define PAUSE_NS (5 * JR_MSEC)

struct curl_sock {
    LIST_ENTRY(curl_sock) link;
    struct curl_pool *pool;
    struct jr_loop_fd *watch;
    struct jr_timer *pause; /* NULL: watched */
    struct jr_mono read_at;
    unsigned events; /* that libcurl waits for */
    int fd;
};

static void on_timer_due(void *ctx);

static void set_timer(struct curl_pool *pool, long ms)
{
    /* A timer that runs before libcurl thinks it is due would be lost: it is not set twice for the
     * same time. */
    int64_t ns = ms == 0 ? 0 : (int64_t)(ms + 1) * JR_MSEC;

    jr_timer_cancel(pool->owner->loop, &pool->timer);
    if (ms < 0)
        return;
    jr_xloop_after(pool->owner->loop, ns, on_timer_due, pool, &pool->timer);
}

static void on_timer_due(void *ctx)
{
    struct curl_pool *pool = ctx;
    int running;
    long ms = -1;

    pool->timer = NULL;
    (void)curl_multi_socket_action(pool->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    /* libcurl's clock stands still while the machine is suspended, the loop's doesn't: ask anew. */
    if (pool->timer == NULL && curl_multi_timeout(pool->multi, &ms) == CURLM_OK)
        set_timer(pool, ms);
    jr_curl_pump(pool->owner);
}

static int timer_function(CURLM *multi, long ms, void *ctx)
{
    (void)multi;
    set_timer(ctx, ms);
    return 0;
}

/** sock may be gone after this. */
static void act_on_events(struct curl_sock *sock, unsigned events)
{
    struct curl_pool *pool = sock->pool;
    int running;
    int mask = ((events & JR_LOOP_READ) != 0 ? CURL_CSELECT_IN : 0) |
               ((events & JR_LOOP_WRITE) != 0 ? CURL_CSELECT_OUT : 0);

    sock->read_at = jr_loop_mono(pool->owner->loop);
    if ((events & JR_LOOP_READ) != 0)
        pool->life.heard = sock->read_at;
    (void)curl_multi_socket_action(pool->multi, sock->fd, mask, &running);
    jr_curl_pump(pool->owner);
}

/** Nobody would be told what comes of a socket that can't be watched: libcurl has no word for it,
 * and what waits for an answer would wait on. */
static _Noreturn void end_unwatched(int errnum, int fd)
{
    struct jr_error err;

    (void)jr_fail_errno(&err, errnum, NULL, "watching descriptor %d", fd);
    jr_end_process(err.msg);
}

static void watch_again(struct curl_sock *sock)
{
    const unsigned events = sock->pause != NULL ? sock->events & ~JR_LOOP_READ : sock->events;

    if (jr_loop_fd_change(sock->pool->owner->loop, sock->watch, events) != JR_OK)
        end_unwatched(errno, sock->fd);
}

static void on_paused(void *ctx)
{
    struct curl_sock *sock = ctx;

    sock->pause = NULL;
    watch_again(sock);
    act_on_events(sock, JR_LOOP_READ);
}

/** False: there is no need to. */
static bool pause_reading(struct curl_sock *sock)
{
    struct jr_loop *loop = sock->pool->owner->loop;
    const int64_t left = sock->read_at.ns + PAUSE_NS - jr_loop_mono(loop).ns;

    if (left <= 0)
        return false;
    jr_xloop_after(loop, left, on_paused, sock, &sock->pause);
    watch_again(sock);
    return true;
}

static void on_ready(void *ctx, int fd, unsigned events)
{
    struct curl_sock *sock = ctx;

    (void)fd;
    if (events != JR_LOOP_READ || !pause_reading(sock))
        act_on_events(sock, events);
}

static void sock_free(struct curl_sock *sock)
{
    jr_timer_cancel(sock->pool->owner->loop, &sock->pause);
    jr_loop_fd_cancel(sock->pool->owner->loop, &sock->watch);
    LIST_REMOVE(sock, link);
    free(sock);
}

static void sock_new(struct curl_pool *pool, curl_socket_t fd, unsigned events)
{
    struct curl_sock *sock = jr_xcalloc(1, sizeof(*sock));
    struct jr_error err;

    sock->pool = pool;
    sock->fd = fd;
    sock->events = events;
    LIST_INSERT_HEAD(&pool->socks, sock, link);
    if (jr_need(jr_loop_fd_add(pool->owner->loop, fd, events, on_ready, sock, &sock->watch,
                               &err)) != JR_OK)
        jr_end_process(err.msg);
    jr_curl_must_multi(curl_multi_assign(pool->multi, fd, sock));
}

static int socket_function(CURL *easy, curl_socket_t fd, int what, void *ctx, void *sockp)
{
    struct curl_pool *pool = ctx;
    struct curl_sock *sock = sockp;
    unsigned events = ((what & CURL_POLL_IN) != 0 ? JR_LOOP_READ : 0) |
                      ((what & CURL_POLL_OUT) != 0 ? JR_LOOP_WRITE : 0);

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (sock != NULL)
            sock_free(sock);
    } else if (sock == NULL) {
        sock_new(pool, fd, events);
    } else {
        sock->events = events;
        watch_again(sock);
    }
    return 0;
}

void jr_curl_pool_free(struct curl_pool *pool)
{
    struct curl_sock *sock;

    if (pool == NULL)
        return;
    if (pool->multi != NULL)
        (void)curl_multi_cleanup(pool->multi);
    jr_timer_cancel(pool->owner->loop, &pool->timer);
    jr_timer_cancel(pool->owner->loop, &pool->liveness_timer);
    while ((sock = LIST_FIRST(&pool->socks)) != NULL)
        sock_free(sock);
    free(pool);
}

struct curl_pool *jr_curl_pool_new(struct jr_curl *owner, bool shared)
{
    struct curl_pool *pool = jr_xcalloc(1, sizeof(*pool));
    CURLM *m = jr_must_have(curl_multi_init());
    const long multiplex = shared ? (long)CURLPIPE_MULTIPLEX : (long)CURLPIPE_NOTHING;

    pool->owner = owner;
    pool->shared = shared;
    pool->multi = m;
    jr_liveness_open(&pool->life, jr_loop_mono(owner->loop));
    LIST_INIT(&pool->socks);
    /* Options that libcurl has had for longer than any that an easy handle is tried for. */
    jr_curl_must(curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, socket_function) == CURLM_OK &&
                 curl_multi_setopt(m, CURLMOPT_SOCKETDATA, pool) == CURLM_OK &&
                 curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, timer_function) == CURLM_OK &&
                 curl_multi_setopt(m, CURLMOPT_TIMERDATA, pool) == CURLM_OK &&
                 curl_multi_setopt(m, CURLMOPT_PIPELINING, multiplex) == CURLM_OK);
    /* By default all but four for each call of the moment are closed, and after a burst of requests
     * the next one would connect anew. */
    if (shared)
        jr_curl_must(curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, (long)JR_CURL_CONNECTIONS_MAX) ==
                     CURLM_OK);
    return pool;
}
