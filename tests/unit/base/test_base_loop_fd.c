/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over real descriptors. Its clock is virtual where timers matter; nothing here measures
 * time. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>

#include "common/base/loop.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

struct world {
    struct jr_clock_virtual v;
    struct jr_loop *loop;
    int a[2], b[2]; /* socket pairs; the loop watches [0] */
    struct jr_loop_fd *wa, *wb;
    int calls_a, calls_b, ticks;
    unsigned events; /* of the last call */
    bool cancel_both, change;
    int signo;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct jr_clock clock;

    if (w == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, w->a) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, w->b) != 0)
        return -1;
    clock = jr_clock_of_virtual(&w->v);
    *state = w;
    return jr_loop_new(&clock, &w->loop, NULL) == JR_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;

    jr_loop_free(w->loop);
    for (int i = 0; i < 2; i++) {
        jr_closep(&w->a[i]);
        jr_closep(&w->b[i]);
    }
    free(w);
    return 0;
}

static void on_event(void *ctx, int fd, unsigned events)
{
    struct world *w = ctx;

    w->events = events;
    if (fd == w->a[0])
        w->calls_a++;
    else
        w->calls_b++;
    if (w->cancel_both) {
        jr_loop_fd_cancel(w->loop, &w->wa);
        jr_loop_fd_cancel(w->loop, &w->wb);
    }
    if (w->change && (jr_loop_fd_change(w->loop, w->wa, 0) != JR_OK ||
                      jr_loop_fd_change(w->loop, w->wb, JR_LOOP_WRITE) != JR_OK))
        w->signo = -1;
}

static void watch(struct world *w, const int fd[2], unsigned events, struct jr_loop_fd **ret)
{
    assert_int_equal(jr_loop_fd_add(w->loop, fd[0], events, on_event, w, ret, NULL), JR_OK);
}

static void put(const int fd[2])
{
    assert_int_equal(write(fd[1], "x", 1), 1);
}

static bool turn(struct world *w)
{
    bool idle;

    assert_int_equal(jr_loop_turn(w->loop, 0, &idle, NULL), JR_OK);
    return idle;
}

static void reports_level(void **state)
{
    struct world *w = *state;
    char c;

    watch(w, w->a, JR_LOOP_READ, &w->wa);
    assert_true(turn(w));
    put(w->a);
    assert_false(turn(w));
    assert_int_equal(w->events, JR_LOOP_READ);
    assert_false(turn(w)); /* nothing was read: it is reported again */
    assert_int_equal(w->calls_a, 2);
    assert_int_equal(read(w->a[0], &c, 1), 1);
    assert_true(turn(w));
}

static void changes(void **state)
{
    struct world *w = *state;

    watch(w, w->a, JR_LOOP_READ, &w->wa);
    put(w->a);
    assert_int_equal(jr_loop_fd_change(w->loop, w->wa, JR_LOOP_READ | JR_LOOP_WRITE), JR_OK);
    (void)turn(w);
    assert_int_equal(w->events, JR_LOOP_READ | JR_LOOP_WRITE);
    assert_int_equal(jr_loop_fd_change(w->loop, w->wa, JR_LOOP_WRITE), JR_OK);
    (void)turn(w);
    assert_int_equal(w->events, JR_LOOP_WRITE);
    assert_int_equal(jr_loop_fd_change(w->loop, w->wa, 0), JR_OK);
    assert_true(turn(w));
    assert_int_equal(jr_loop_fd_change(w->loop, w->wa, JR_LOOP_READ), JR_OK);
    assert_false(turn(w));
    assert_int_equal(w->events, JR_LOOP_READ);
}

static void hang_up_is_both_events(void **state)
{
    struct world *w = *state;

    watch(w, w->a, JR_LOOP_WRITE, &w->wa);
    (void)close(w->a[1]);
    w->a[1] = -1;
    assert_false(turn(w));
    assert_int_equal(w->events, JR_LOOP_READ | JR_LOOP_WRITE);
    assert_int_equal(jr_loop_fd_change(w->loop, w->wa, 0), JR_OK);
    assert_true(turn(w)); /* watched for nothing: not even that */
}

static void cancel_drops_what_is_pending(void **state)
{
    struct world *w = *state;

    watch(w, w->a, JR_LOOP_READ, &w->wa);
    watch(w, w->b, JR_LOOP_READ, &w->wb);
    put(w->a);
    put(w->b);
    w->cancel_both = true;
    assert_false(turn(w));
    assert_int_equal(w->calls_a + w->calls_b, 1);
    assert_null(w->wa);
    assert_null(w->wb);
    assert_true(turn(w));
    jr_loop_fd_cancel(w->loop, &w->wa); /* NULL-safe */
    jr_loop_fd_cancel(w->loop, NULL);
}

static void change_drops_what_is_pending(void **state)
{
    struct world *w = *state;

    watch(w, w->a, JR_LOOP_READ, &w->wa);
    watch(w, w->b, JR_LOOP_READ, &w->wb);
    put(w->a);
    put(w->b);
    w->change = true;
    assert_false(turn(w));
    assert_int_equal(w->calls_a + w->calls_b, 1);
    assert_int_equal(w->signo, 0);
}

static void many_descriptors_in_one_go(void **state)
{
    struct world *w = *state;
    struct jr_loop_fd *watches[100];
    int fds[100];

    put(w->b);
    for (size_t i = 0; i < JR_ARRAY_SIZE(fds); i++) {
        fds[i] = fcntl(w->b[0], F_DUPFD_CLOEXEC, 3);
        assert_true(fds[i] >= 0);
        assert_int_equal(
            jr_loop_fd_add(w->loop, fds[i], JR_LOOP_READ, on_event, w, &watches[i], NULL), JR_OK);
    }
    for (int i = 0; i < 4; i++)
        assert_false(turn(w));
    assert_true(w->calls_b >= 100);
    for (size_t i = 0; i < JR_ARRAY_SIZE(fds); i++) {
        jr_loop_fd_cancel(w->loop, &watches[i]);
        (void)close(fds[i]);
    }
    assert_true(turn(w));
}

static void bad_descriptors(void **state)
{
    struct world *w = *state;
    struct jr_error err;

    assert_int_equal(jr_loop_fd_add(w->loop, -1, JR_LOOP_READ, on_event, w, &w->wa, &err), JR_IO);
    assert_null(w->wa);
    assert_string_equal(err.msg, "watching descriptor -1: Bad file descriptor");
    watch(w, w->a, JR_LOOP_READ, &w->wa);
    assert_int_equal(jr_loop_fd_add(w->loop, w->a[0], JR_LOOP_READ, on_event, w, &w->wb, &err),
                     JR_IO);
    assert_null(w->wb);
}

static void tick(void *ctx)
{
    ((struct world *)ctx)->ticks++;
}

static void timers_follow_the_clock(void **state)
{
    struct world *w = *state;

    assert_int_equal(jr_loop_after(w->loop, 100, tick, w, NULL), JR_OK);
    assert_true(turn(w));
    jr_clock_virtual_advance(&w->v, 99);
    assert_true(turn(w));
    jr_clock_virtual_advance(&w->v, 1);
    assert_false(turn(w));
    assert_int_equal(w->ticks, 1);
    assert_true(turn(w));
}

static void stop_and_count(void *ctx)
{
    struct world *w = ctx;

    w->ticks++;
    jr_loop_stop(w->loop);
}

static void runs_until_stopped_by_a_real_timer(void **state)
{
    struct world *w = *state;
    jr_loop_free(w->loop);
    w->loop = NULL;
    assert_int_equal(jr_loop_new(&jr_clock_system, &w->loop, NULL), JR_OK);
    assert_int_equal(jr_loop_after(w->loop, JR_MSEC, tick, w, NULL), JR_OK);
    assert_int_equal(jr_loop_after(w->loop, 2 * JR_MSEC, stop_and_count, w, NULL), JR_OK);
    assert_int_equal(jr_loop_run(w->loop, NULL), JR_OK);
    assert_int_equal(w->ticks, 2);
    assert_true(jr_loop_clock(w->loop)->mono == jr_clock_system.mono);
}

static void on_signo(void *ctx, int signo)
{
    struct world *w = ctx;

    w->signo = signo;
    w->ticks++;
}

static void signals(void **state)
{
    struct world *w = *state;
    struct jr_error err;

    assert_int_equal(jr_loop_signal(w->loop, SIGUSR1, on_signo, w, &err), JR_OK);
    assert_int_equal(jr_loop_signal(w->loop, SIGUSR2, on_signo, w, &err), JR_OK);
    assert_int_equal(jr_loop_signal(w->loop, SIGUSR1, on_signo, w, &err), JR_EXISTS);
    assert_int_equal(jr_loop_signal(w->loop, 4000, on_signo, w, &err), JR_IO);
    assert_true(turn(w));
    assert_int_equal(raise(SIGUSR2), 0);
    assert_false(turn(w));
    assert_int_equal(w->signo, SIGUSR2);
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(raise(SIGUSR2), 0);
    assert_false(turn(w));
    assert_int_equal(w->ticks, 3);
    assert_true(turn(w));
}

static void no_memory(void **state)
{
    struct world *w = *state;

    for (long nth = 1; nth < 50; nth++) {
        struct jr_loop_fd *watched = NULL;
        struct jr_loop *loop = NULL;
        struct jr_error err;
        enum jr_status st;

        jr_failalloc_arm(nth);
        st = jr_loop_new(&jr_clock_system, &loop, &err);
        if (st == JR_OK)
            st = jr_loop_fd_add(loop, w->a[0], JR_LOOP_READ, on_event, w, &watched, &err);
        if (st == JR_OK)
            st = jr_loop_signal(loop, SIGUSR1, on_signo, w, &err);
        jr_failalloc_disarm();
        assert_int_equal(st, jr_failalloc_hit() ? JR_NOMEM : JR_OK);
        if (jr_failalloc_hit())
            assert_int_equal(err.status, JR_NOMEM);
        jr_loop_free(loop);
        if (!jr_failalloc_hit())
            return;
    }
    fail_msg("allocations without end");
}

static void take_30_ms(void *ctx)
{
    struct world *w = ctx;

    jr_clock_virtual_advance(&w->v, 30 * JR_MSEC);
}

static void take_10_ms(void *ctx)
{
    struct world *w = ctx;

    jr_clock_virtual_advance(&w->v, 10 * JR_MSEC);
}

static void the_longest_turn(void **state)
{
    struct world *w = *state;

    assert_int_equal(jr_loop_longest(w->loop).ns, 0);
    assert_int_equal(jr_loop_after(w->loop, 0, take_30_ms, w, NULL), JR_OK);
    assert_int_equal(jr_loop_turn(w->loop, 0, NULL, NULL), JR_OK);
    assert_int_equal(jr_loop_after(w->loop, 0, take_10_ms, w, NULL), JR_OK);
    assert_int_equal(jr_loop_turn(w->loop, 0, NULL, NULL), JR_OK);
    assert_int_equal(jr_loop_longest(w->loop).ns, 30 * JR_MSEC);
    assert_true(jr_loop_longest(w->loop).cpu_ns > 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(reports_level),
        T(changes),
        T(hang_up_is_both_events),
        T(cancel_drops_what_is_pending),
        T(change_drops_what_is_pending),
        T(many_descriptors_in_one_go),
        T(bad_descriptors),
        T(timers_follow_the_clock),
        T(runs_until_stopped_by_a_real_timer),
        T(signals),
        T(the_longest_turn),
        T(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
