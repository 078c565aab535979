/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: a heap of timers, epoll, signals. */
#include "common/base/loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/signalfd.h>

#include "common/base/vec.h"

#define EVENTS_PER_TURN 64
/* epoll's clock stops while the machine is suspended, the timers' clock doesn't: never sleep longer
 * than this, and a timer that fell due in suspension is late by no more. */
#define MAX_SLEEP_MS 30000

struct jr_timer {
    int64_t due;
    uint64_t seq; /* breaks ties in the order of starting */
    size_t at;    /* index in the heap */
    void (*fn)(void *ctx);
    void *ctx;
};

struct jr_loop_fd {
    LIST_ENTRY(jr_loop_fd) link;
    void (*fn)(void *ctx, int fd, unsigned events);
    void *ctx;
    int fd;
    unsigned events;
    bool cancelled;
};
LIST_HEAD(watch_list, jr_loop_fd);

struct on_signal {
    struct on_signal *next;
    void (*fn)(void *ctx, int signo);
    void *ctx;
    int signo;
};

struct jr_loop {
    struct jr_clock clock;
    struct jr_clock_virtual *virt; /* NULL: a loop over real descriptors */
    bool stopped;

    struct jr_turn turn;

    struct jr_timer **heap;
    size_t n_timers, cap_timers;
    uint64_t seq;

    int epfd;
    bool dispatching;          /* cancelled watches may still be named by events in hand */
    struct watch_list watches; /* live ones */
    struct watch_list dead;    /* freed when the dispatch ends */
    int sigfd;
    sigset_t sigmask;
    struct on_signal *signals;
    struct jr_loop_fd *sigwatch;
};

/* ---- making and ending ---- */

static struct jr_loop *loop_alloc(void)
{
    struct jr_loop *loop = calloc(1, sizeof(*loop));

    if (loop == NULL)
        return NULL;
    loop->epfd = -1;
    loop->sigfd = -1;
    LIST_INIT(&loop->watches);
    LIST_INIT(&loop->dead);
    (void)sigemptyset(&loop->sigmask);
    return loop;
}

enum jr_status jr_loop_new(const struct jr_clock *clock, struct jr_loop **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_loop_freep) struct jr_loop *loop = loop_alloc();

    if (loop == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "event loop");
    loop->clock = *clock;
    loop->epfd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epfd < 0)
        return jr_fail_errno(err, errno, NULL, "creating the event loop");
    *ret = jr_steal(&loop);
    return JR_OK;
}

enum jr_status jr_loop_new_virtual(struct jr_clock_virtual *v, struct jr_loop **ret,
                                   struct jr_error *err)
{
    struct jr_loop *loop = loop_alloc();

    if (loop == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "event loop");
    loop->clock = jr_clock_of_virtual(v);
    loop->virt = v;
    *ret = loop;
    return JR_OK;
}

static void free_watches(struct watch_list *list)
{
    struct jr_loop_fd *w;

    while ((w = LIST_FIRST(list)) != NULL) {
        LIST_REMOVE(w, link);
        free(w);
    }
}

void jr_loop_free(struct jr_loop *loop)
{
    if (loop == NULL)
        return;
    for (size_t i = 0; i < loop->n_timers; i++)
        free(loop->heap[i]);
    free(loop->heap);
    free_watches(&loop->watches);
    free_watches(&loop->dead);
    while (loop->signals != NULL) {
        struct on_signal *s = loop->signals;

        loop->signals = s->next;
        free(s);
    }
    jr_closep(&loop->sigfd);
    jr_closep(&loop->epfd);
    free(loop);
}

const struct jr_clock *jr_loop_clock(const struct jr_loop *loop)
{
    return &loop->clock;
}

struct jr_mono jr_loop_mono(const struct jr_loop *loop)
{
    return loop->clock.mono(loop->clock.self);
}

struct jr_time jr_loop_wall(const struct jr_loop *loop)
{
    return loop->clock.wall(loop->clock.self);
}

/* ---- timers: a binary heap, each timer knows its place ---- */

static bool is_due_before(const struct jr_timer *a, const struct jr_timer *b)
{
    return a->due != b->due ? a->due < b->due : a->seq < b->seq;
}

static void heap_put(struct jr_loop *loop, size_t at, struct jr_timer *t)
{
    loop->heap[at] = t;
    t->at = at;
}

/** Puts t at `at` or, while its parents are later, above. */
static void heap_up(struct jr_loop *loop, size_t at, struct jr_timer *t)
{
    while (at > 0 && is_due_before(t, loop->heap[(at - 1) / 2])) {
        heap_put(loop, at, loop->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(loop, at, t);
}

static void heap_down(struct jr_loop *loop, size_t at, struct jr_timer *t)
{
    size_t kid;

    while ((kid = at * 2 + 1) < loop->n_timers) {
        if (kid + 1 < loop->n_timers && is_due_before(loop->heap[kid + 1], loop->heap[kid]))
            kid++;
        if (!is_due_before(loop->heap[kid], t))
            break;
        heap_put(loop, at, loop->heap[kid]);
        at = kid;
    }
    heap_put(loop, at, t);
}

static void heap_remove(struct jr_loop *loop, const struct jr_timer *t)
{
    struct jr_timer *last = loop->heap[--loop->n_timers];
    size_t at = t->at;

    if (last == t)
        return;
    if (at > 0 && is_due_before(last, loop->heap[(at - 1) / 2]))
        heap_up(loop, at, last);
    else
        heap_down(loop, at, last);
}

static bool heap_reserve(struct jr_loop *loop)
{
    struct jr_timer **heap =
        jr_vec_room(loop->heap, loop->n_timers, &loop->cap_timers, sizeof(struct jr_timer *));

    if (heap != NULL)
        loop->heap = heap;
    return heap != NULL;
}

enum jr_status jr_loop_after(struct jr_loop *loop, int64_t delay_ns, void (*fn)(void *ctx),
                             void *ctx, struct jr_timer **ret)
{
    struct jr_timer *t;

    if (!heap_reserve(loop))
        return JR_NOMEM;
    t = malloc(sizeof(*t));
    if (t == NULL)
        return JR_NOMEM;
    *t = (struct jr_timer){ .seq = loop->seq++, .fn = fn, .ctx = ctx };
    if (__builtin_add_overflow(jr_loop_mono(loop).ns, delay_ns > 0 ? delay_ns : 0, &t->due))
        t->due = INT64_MAX;
    heap_up(loop, loop->n_timers++, t);
    if (ret != NULL)
        *ret = t;
    return JR_OK;
}

void jr_timer_cancel(struct jr_loop *loop, struct jr_timer **t)
{
    if (t == NULL || *t == NULL)
        return;
    heap_remove(loop, *t);
    free(*t);
    *t = NULL;
}

struct jr_mono jr_timer_due(const struct jr_timer *t)
{
    return (struct jr_mono){ t->due };
}

/** Runs what is due, but nothing with a sequence number from `end` on: timers that were set in this
 * turn wait for the next, so that one which sets itself anew can't hold the loop. */
static bool run_timers(struct jr_loop *loop, uint64_t end)
{
    int64_t now = jr_loop_mono(loop).ns;
    bool any = false;

    while (loop->n_timers > 0 && loop->heap[0]->due <= now && loop->heap[0]->seq < end) {
        struct jr_timer *first = loop->heap[0], t = *first;

        heap_remove(loop, first);
        free(first);
        t.fn(t.ctx);
        any = true;
    }
    return any;
}

/* ---- descriptors ---- */

static enum jr_status watch_ctl(const struct jr_loop *loop, int op, struct jr_loop_fd *w,
                                unsigned events)
{
    struct epoll_event ev = { .data.ptr = w };

    if ((events & JR_LOOP_READ) != 0)
        ev.events |= EPOLLIN;
    if ((events & JR_LOOP_WRITE) != 0)
        ev.events |= EPOLLOUT;
    return epoll_ctl(loop->epfd, op, w->fd, &ev) == 0 ? JR_OK : JR_IO;
}

/** Tells epoll about a change. A watch for nothing is taken out of it altogether: epoll reports
 * hang-ups always, and would make the loop spin. */
static enum jr_status watch_set(const struct jr_loop *loop, struct jr_loop_fd *w, unsigned events)
{
    enum jr_status st = JR_OK;

    if (w->events == events)
        return JR_OK;
    if (w->events == 0)
        st = watch_ctl(loop, EPOLL_CTL_ADD, w, events);
    else if (events == 0)
        st = watch_ctl(loop, EPOLL_CTL_DEL, w, events);
    else
        st = watch_ctl(loop, EPOLL_CTL_MOD, w, events);
    if (st == JR_OK)
        w->events = events;
    return st;
}

enum jr_status jr_loop_fd_add(struct jr_loop *loop, int fd, unsigned events,
                              void (*fn)(void *ctx, int fd, unsigned events), void *ctx,
                              struct jr_loop_fd **ret, struct jr_error *err)
{
    struct jr_loop_fd *w;

    if (loop->virt != NULL)
        return jr_fail(err, JR_UNSUPPORTED, NULL, "a virtual loop has no descriptors");
    w = calloc(1, sizeof(*w));
    if (w == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "watch");
    w->fd = fd;
    w->fn = fn;
    w->ctx = ctx;
    if (watch_set(loop, w, events) != JR_OK) {
        int errnum = errno;

        free(w);
        return jr_fail_errno(err, errnum, NULL, "watching descriptor %d", fd);
    }
    LIST_INSERT_HEAD(&loop->watches, w, link);
    if (ret != NULL)
        *ret = w;
    return JR_OK;
}

enum jr_status jr_loop_fd_change(struct jr_loop *loop, struct jr_loop_fd *w, unsigned events)
{
    return watch_set(loop, w, events);
}

void jr_loop_fd_cancel(struct jr_loop *loop, struct jr_loop_fd **w)
{
    struct jr_loop_fd *dead;

    if (w == NULL || *w == NULL)
        return;
    dead = *w;
    *w = NULL;
    (void)watch_set(loop, dead,
                    0); /* fails only for a descriptor that is closed, and so forgotten, already */
    LIST_REMOVE(dead, link);
    if (loop->dispatching) {
        dead->cancelled = true;
        LIST_INSERT_HEAD(&loop->dead, dead, link);
    } else {
        free(dead);
    }
}

/** The reported events as the watch wants them now; an earlier callback may have changed it. */
static unsigned events_for(const struct jr_loop_fd *w, uint32_t got)
{
    unsigned events = 0;

    if (w->cancelled || w->events == 0)
        return 0;
    if ((got & (EPOLLERR | EPOLLHUP)) != 0)
        return JR_LOOP_READ | JR_LOOP_WRITE;
    if ((got & EPOLLIN) != 0)
        events |= JR_LOOP_READ;
    if ((got & EPOLLOUT) != 0)
        events |= JR_LOOP_WRITE;
    return events & w->events;
}

/** How long epoll may wait, in milliseconds rounded up (a timer never runs early); -1 for ever. */
static int wait_ms(const struct jr_loop *loop, int64_t max_wait_ns)
{
    int64_t ns = max_wait_ns < 0 ? INT64_MAX : max_wait_ns;

    if (loop->stopped)
        return 0;
    if (loop->n_timers > 0) {
        int64_t left;

        if (__builtin_sub_overflow(loop->heap[0]->due, jr_loop_mono(loop).ns, &left))
            left = INT64_MAX;
        if (left < ns)
            ns = left < 0 ? 0 : left;
    } else if (max_wait_ns < 0) {
        return -1;
    }
    if (ns > MAX_SLEEP_MS * JR_MSEC)
        return MAX_SLEEP_MS;
    return (int)((ns + JR_MSEC - 1) / JR_MSEC);
}

static enum jr_status dispatch(struct jr_loop *loop, int64_t max_wait_ns, bool *any,
                               struct jr_error *err)
{
    struct epoll_event evs[EVENTS_PER_TURN];
    int n = epoll_wait(loop->epfd, evs, EVENTS_PER_TURN, wait_ms(loop, max_wait_ns));

    jr_turn_begin(&loop->turn, jr_loop_mono(loop));
    if (n < 0 && errno != EINTR)
        return jr_fail_errno(err, errno, NULL, "waiting for events");
    loop->dispatching = true;
    for (int i = 0; i < n; i++) {
        struct jr_loop_fd *w = evs[i].data.ptr;
        unsigned events = events_for(w, evs[i].events);

        if (events != 0) {
            w->fn(w->ctx, w->fd, events);
            *any = true;
        }
    }
    loop->dispatching = false;
    free_watches(&loop->dead);
    return JR_OK;
}

/* ---- signals ---- */

static void on_sigfd(void *ctx, int fd, unsigned events)
{
    const struct jr_loop *loop = ctx;
    struct signalfd_siginfo info;

    (void)events;
    while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        for (const struct on_signal *s = loop->signals; s != NULL; s = s->next) {
            if ((uint32_t)s->signo == info.ssi_signo) {
                s->fn(s->ctx, s->signo);
                break;
            }
        }
    }
}

/** Makes the mask and the descriptor know signo. */
static enum jr_status add_signo(struct jr_loop *loop, int signo, struct jr_error *err)
{
    sigset_t mask = loop->sigmask, one;
    int fd, e;

    (void)sigemptyset(&one);
    if (sigaddset(&one, signo) != 0 || sigaddset(&mask, signo) != 0)
        return jr_fail_errno(err, errno, NULL, "signal %d", signo);
    e = pthread_sigmask(SIG_BLOCK, &one, NULL);
    if (e != 0)
        return jr_fail_errno(err, e, NULL, "blocking signal %d", signo);
    fd = signalfd(loop->sigfd, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0)
        return jr_fail_errno(err, errno, NULL, "receiving signal %d", signo);
    loop->sigfd = fd;
    loop->sigmask = mask;
    if (loop->sigwatch != NULL)
        return JR_OK;
    return jr_loop_fd_add(loop, fd, JR_LOOP_READ, on_sigfd, loop, &loop->sigwatch, err);
}

enum jr_status jr_loop_signal(struct jr_loop *loop, int signo, void (*fn)(void *ctx, int signo),
                              void *ctx, struct jr_error *err)
{
    JR_FREE struct on_signal *s = NULL;
    enum jr_status st;

    if (loop->virt != NULL)
        return jr_fail(err, JR_UNSUPPORTED, NULL, "a virtual loop has no signals");
    for (const struct on_signal *o = loop->signals; o != NULL; o = o->next) {
        if (o->signo == signo)
            return jr_fail(err, JR_EXISTS, NULL, "signal %d is taken", signo);
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "signal %d", signo);
    st = add_signo(loop, signo, err);
    if (st != JR_OK)
        return st;
    *s = (struct on_signal){ .next = loop->signals, .fn = fn, .ctx = ctx, .signo = signo };
    loop->signals = jr_steal(&s);
    return JR_OK;
}

/* ---- turning ---- */

/** Moves virtual time to the next timer, at most max_wait_ns (< 0: no bound). With no timer at all
 * it moves by max_wait_ns, as waiting would. */
static void jump(struct jr_loop *loop, int64_t max_wait_ns)
{
    int64_t ns = max_wait_ns;

    if (loop->n_timers > 0) {
        int64_t left;

        if (__builtin_sub_overflow(loop->heap[0]->due, loop->virt->mono.ns, &left))
            left = INT64_MAX;
        if (ns < 0 || left < ns)
            ns = left;
    }
    if (ns > 0)
        jr_clock_virtual_advance(loop->virt, ns);
}

enum jr_status jr_loop_turn(struct jr_loop *loop, int64_t max_wait_ns, bool *ret_idle,
                            struct jr_error *err)
{
    uint64_t end = loop->seq;
    bool any = false;
    enum jr_status st = JR_OK;

    if (loop->virt == NULL)
        st = dispatch(loop, max_wait_ns, &any, err);
    if (st != JR_OK)
        return st;
    any = run_timers(loop, end) || any;
    if (loop->virt != NULL && !any) {
        jump(loop, max_wait_ns);
        any = run_timers(loop, end);
    }
    if (loop->virt == NULL)
        jr_turn_end(&loop->turn, jr_loop_mono(loop));
    if (ret_idle != NULL)
        *ret_idle = !any;
    return JR_OK;
}

struct jr_mono jr_loop_next(const struct jr_loop *loop)
{
    return (struct jr_mono){ loop->n_timers > 0 ? loop->heap[0]->due : INT64_MAX };
}

struct jr_deadline jr_loop_deadline(const struct jr_loop *loop)
{
    const struct jr_mono end = { loop->turn.began.ns + JR_LOOP_TURN_NS };

    return loop->virt != NULL ? (struct jr_deadline){ 0 } : jr_deadline_at(&loop->clock, end);
}

struct jr_turn_longest jr_loop_longest(const struct jr_loop *loop)
{
    return loop->turn.longest;
}

/* Stopping is sticky: a stop before the run, from an early signal, is not lost. */
enum jr_status jr_loop_run(struct jr_loop *loop, struct jr_error *err)
{
    while (!loop->stopped) {
        bool idle;
        enum jr_status st = jr_loop_turn(loop, -1, &idle, err);

        if (st != JR_OK)
            return st;
        if (idle && loop->virt != NULL)
            break;
    }
    return JR_OK;
}

void jr_loop_stop(struct jr_loop *loop)
{
    loop->stopped = true;
}
