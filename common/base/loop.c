/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: timers, epoll, signals. */
#include "common/base/loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/signalfd.h>

#include "common/base/heap.h"
#include "common/base/map.h"

#define EVENTS_PER_TURN 64
/* epoll's clock stops while the machine is suspended, the timers' clock doesn't: never sleep longer
 * than this, and a timer that fell due in suspension is late by no more. */
#define MAX_SLEEP_MS 30000

struct jr_timer {
    int64_t due;
    uint64_t seq; /* breaks ties in the order of starting */
    struct jr_heap_entry in_heap;
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

    struct jr_heap timers;
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

static bool is_due_before(struct jr_heap_entry *a, struct jr_heap_entry *b)
{
    const struct jr_timer *x = jr_of(a, struct jr_timer, in_heap);
    const struct jr_timer *y = jr_of(b, struct jr_timer, in_heap);

    return x->due != y->due ? x->due < y->due : x->seq < y->seq;
}

/** The timer that is due first; NULL: there is none. */
static struct jr_timer *first_timer(const struct jr_loop *loop)
{
    return loop->timers.n == 0 ? NULL : jr_of(loop->timers.v[0], struct jr_timer, in_heap);
}

/* ---- making and ending ---- */

static struct jr_loop *loop_alloc(void)
{
    struct jr_loop *loop = calloc(1, sizeof(*loop));

    if (loop == NULL)
        return NULL;
    loop->timers.before = is_due_before;
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
    for (size_t i = 0; i < loop->timers.n; i++)
        free(jr_of(loop->timers.v[i], struct jr_timer, in_heap));
    jr_heap_done(&loop->timers);
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

/* ---- timers ---- */

enum jr_status jr_loop_after(struct jr_loop *loop, int64_t delay_ns, void (*fn)(void *ctx),
                             void *ctx, struct jr_timer **ret)
{
    struct jr_timer *t;

#ifdef __SANITIZE_ADDRESS__
    /* A handle has one timer: a lost one would run, perhaps on what is freed. */
    if (ret != NULL && *ret != NULL)
        abort();
#endif
    if (jr_heap_room(&loop->timers, loop->timers.n) != JR_OK)
        return JR_NOMEM;
    t = malloc(sizeof(*t));
    if (t == NULL)
        return JR_NOMEM;
    *t = (struct jr_timer){ .seq = loop->seq++, .fn = fn, .ctx = ctx };
    if (__builtin_add_overflow(jr_loop_mono(loop).ns, delay_ns > 0 ? delay_ns : 0, &t->due))
        t->due = INT64_MAX;
    jr_heap_add(&loop->timers, &t->in_heap);
    if (ret != NULL)
        *ret = t;
    return JR_OK;
}

void jr_timer_cancel(struct jr_loop *loop, struct jr_timer **t)
{
    if (t == NULL || *t == NULL)
        return;
    jr_heap_remove(&loop->timers, &(*t)->in_heap);
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
    struct jr_timer *first;
    bool any = false;

    while ((first = first_timer(loop)) != NULL && first->due <= now && first->seq < end) {
        const struct jr_timer t = *first;

        jr_heap_remove(&loop->timers, &first->in_heap);
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
    const struct jr_timer *first = first_timer(loop);
    int64_t ns = max_wait_ns < 0 ? INT64_MAX : max_wait_ns;

    if (loop->stopped)
        return 0;
    if (first != NULL) {
        int64_t left;

        if (__builtin_sub_overflow(first->due, jr_loop_mono(loop).ns, &left))
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
    const struct jr_timer *first = first_timer(loop);
    int64_t ns = max_wait_ns;

    if (first != NULL) {
        int64_t left;

        if (__builtin_sub_overflow(first->due, loop->virt->mono.ns, &left))
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
    const struct jr_timer *first = first_timer(loop);

    return (struct jr_mono){ first != NULL ? first->due : INT64_MAX };
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
