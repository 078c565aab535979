/* SPDX-License-Identifier: Apache-2.0 */
/* The loop in virtual time: timers, turns. */
#include "common/base/buf.h"
#include "common/base/loop.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

/* What the callbacks of a test share: each leaves its letter in `trace`. */
struct world {
    struct jr_clock_virtual v;
    struct jr_loop *loop;
    struct jr_buf trace;
    struct jr_timer *victim;
    int again;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return -1;
    w->v.mono.ns = 1000;
    jr_buf_init(&w->trace, 10000);
    *state = w;
    return jr_loop_new_virtual(&w->v, &w->loop, NULL) == JR_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;

    jr_loop_free(w->loop);
    jr_buf_done(&w->trace);
    free(w);
    return 0;
}

#define LETTER(l)                                             \
    static void letter_##l(void *ctx)                         \
    {                                                         \
        (void)jr_buf_adds(&((struct world *)ctx)->trace, #l); \
    }
LETTER(a)
LETTER(b)
LETTER(c)
LETTER(d)

static void after(struct world *w, int64_t ns, void (*fn)(void *ctx))
{
    assert_int_equal(jr_loop_after(w->loop, ns, fn, w, NULL), JR_OK);
}

static bool turn(struct world *w, int64_t max_wait_ns)
{
    bool idle;

    assert_int_equal(jr_loop_turn(w->loop, max_wait_ns, &idle, NULL), JR_OK);
    return idle;
}

static void run(struct world *w)
{
    assert_int_equal(jr_loop_run(w->loop, NULL), JR_OK);
}

static void assert_trace(struct world *w, const char *want)
{
    WANT_STR("trace", w->trace.p == NULL ? "" : w->trace.p, want);
}

static void timers_run_by_time_then_start(void **state)
{
    struct world *w = *state;

    after(w, 20, letter_c);
    after(w, 10, letter_a);
    after(w, 20, letter_d);
    after(w, 10, letter_b);
    run(w);
    assert_trace(w, "abcd");
    assert_int_equal(jr_loop_mono(w->loop).ns, 1020);
    assert_int_equal(jr_loop_wall(w->loop).ns, 20);
}

static void run_ends_when_nothing_is_left(void **state)
{
    struct world *w = *state;

    run(w);
    after(w, 5, letter_a);
    run(w);
    assert_trace(w, "a");
}

static void due_time_clamps(void **state)
{
    struct world *w = *state;
    struct jr_timer *t = NULL, *past = NULL;

    assert_int_equal(jr_loop_after(w->loop, INT64_MAX, letter_a, w, &t), JR_OK);
    assert_int_equal(jr_timer_due(t).ns, INT64_MAX);
    assert_int_equal(jr_loop_after(w->loop, INT64_MIN, letter_b, w, &past), JR_OK);
    assert_int_equal(jr_timer_due(past).ns, 1000);
    run(w);
    assert_trace(w, "ba");
    assert_int_equal(jr_loop_mono(w->loop).ns, INT64_MAX);
}

static void next_is_the_first_thing_due(void **state)
{
    struct world *w = *state;

    assert_int_equal(jr_loop_next(w->loop).ns, INT64_MAX);
    after(w, 20, letter_b);
    after(w, 10, letter_a);
    assert_int_equal(jr_loop_next(w->loop).ns, 1010);
    assert_true(turn(w, 0)); /* no wait, no time */
    assert_int_equal(jr_loop_mono(w->loop).ns, 1000);
    run(w);
    assert_trace(w, "ab");
}

static void cancel_is_null_safe_and_clears(void **state)
{
    struct world *w = *state;
    struct jr_timer *t = NULL;

    jr_timer_cancel(w->loop, NULL);
    jr_timer_cancel(w->loop, &t);
    assert_int_equal(jr_loop_after(w->loop, 1, letter_a, w, &t), JR_OK);
    jr_timer_cancel(w->loop, &t);
    assert_null(t);
    run(w);
    assert_trace(w, "");
}

static void cancel_victim(void *ctx)
{
    struct world *w = ctx;

    jr_timer_cancel(w->loop, &w->victim);
}

static void cancel_of_a_timer_that_is_due_too(void **state)
{
    struct world *w = *state;

    after(w, 10, cancel_victim);
    assert_int_equal(jr_loop_after(w->loop, 10, letter_a, w, &w->victim), JR_OK);
    after(w, 10, letter_b);
    run(w);
    assert_trace(w, "b");
    assert_null(w->victim);
}

static void rearm(void *ctx)
{
    struct world *w = ctx;

    letter_a(w);
    if (w->again-- > 0)
        after(w, 0, rearm);
}

static void a_timer_set_in_a_turn_waits_for_the_next(void **state)
{
    struct world *w = *state;

    w->again = 2;
    after(w, -5, rearm);
    after(w, 0, letter_b);
    assert_false(turn(w, 0));
    assert_trace(w, "ab");
    assert_false(turn(w, 0));
    assert_trace(w, "aba");
    assert_false(turn(w, 0));
    assert_true(turn(w, 0));
    assert_trace(w, "abaa");
    assert_int_equal(jr_loop_mono(w->loop).ns, 1000);
}

static void waiting_is_bounded(void **state)
{
    struct world *w = *state;

    after(w, 100, letter_a);
    assert_true(turn(w, 30));
    assert_int_equal(jr_loop_mono(w->loop).ns, 1030);
    assert_true(turn(w, 0));
    assert_int_equal(jr_loop_mono(w->loop).ns, 1030);
    assert_false(turn(w, 1000));
    assert_int_equal(jr_loop_mono(w->loop).ns, 1100);
    assert_trace(w, "a");
    assert_true(turn(w, 50)); /* no timer: time passes all the same */
    assert_int_equal(jr_loop_mono(w->loop).ns, 1150);
    assert_true(turn(w, -1));
    assert_int_equal(jr_loop_mono(w->loop).ns, 1150);
}

static void time_stands_while_there_is_work(void **state)
{
    struct world *w = *state;

    after(w, 100, letter_b);
    after(w, 0, letter_a);
    assert_false(turn(w, -1));
    assert_int_equal(jr_loop_mono(w->loop).ns, 1000);
    assert_trace(w, "a");
}

static void stop_it(void *ctx)
{
    jr_loop_stop(((struct world *)ctx)->loop);
}

static void stop_ends_the_run(void **state)
{
    struct world *w = *state;

    after(w, 10, stop_it);
    after(w, 20, letter_a);
    run(w);
    assert_trace(w, "");
    run(w); /* stopping is sticky */
    assert_trace(w, "");
}

static void on_fd(void *ctx, int fd, unsigned events)
{
    (void)ctx;
    (void)fd;
    (void)events;
}

static void on_signo(void *ctx, int signo)
{
    (void)ctx;
    (void)signo;
}

static void no_descriptors_no_signals(void **state)
{
    struct world *w = *state;
    struct jr_loop_fd *watch = NULL;
    struct jr_error err;

    assert_int_equal(jr_loop_fd_add(w->loop, 0, JR_LOOP_READ, on_fd, w, &watch, &err),
                     JR_UNSUPPORTED);
    assert_null(watch);
    assert_int_equal(jr_loop_signal(w->loop, 15, on_signo, w, &err), JR_UNSUPPORTED);
}

static void free_with_things_left(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < 50; i++)
        after(w, i, letter_a);
    jr_loop_free(w->loop);
    w->loop = NULL;
    assert_trace(w, "");
}

/* The heap against a model: timers that are set and cancelled at random run in the order of (due,
 * start). */
#define RANDOM_TIMERS 400

struct entry {
    struct random_heap *all;
    struct jr_timer *t;
    int64_t due;
};
struct random_heap {
    struct world *w;
    struct entry e[RANDOM_TIMERS];
    size_t live;
    int64_t last_due;
    size_t last_index;
};

static void on_entry(void *ctx)
{
    struct entry *e = ctx;
    struct random_heap *h = e->all;
    size_t index = (size_t)(e - h->e);

    e->t = NULL;
    if (jr_loop_mono(h->w->loop).ns != e->due)
        h->w->again++;
    if (e->due < h->last_due || (e->due == h->last_due && index < h->last_index))
        h->w->again++;
    h->last_due = e->due;
    h->last_index = index;
    h->live--;
}

static void random_timers(void **state)
{
    struct world *w = *state;

    for (uint64_t seed = 0; seed < 30; seed++) {
        struct random_heap h = { .w = w };
        struct jr_rand_seeded s;
        struct jr_rand r = jr_rand_of_seed(&s, seed);

        for (size_t i = 0; i < RANDOM_TIMERS; i++) {
            struct entry *e = &h.e[i], *victim = &h.e[jr_rand_below(&r, i + 1)];
            int64_t delay = (int64_t)jr_rand_below(&r, 50) + 1;

            e->all = &h;
            e->due = jr_loop_mono(w->loop).ns + delay;
            assert_int_equal(jr_loop_after(w->loop, delay, on_entry, e, &e->t), JR_OK);
            h.live++;
            if (jr_rand_below(&r, 3) == 0 && victim->t != NULL) {
                assert_int_equal(jr_timer_due(victim->t).ns, victim->due);
                jr_timer_cancel(w->loop, &victim->t);
                h.live--;
            }
        }
        run(w);
        WANT_INT("random timers", w->again, 0);
        WANT_INT("random timers", h.live, 0);
    }
}

static void no_memory(void **state)
{
    struct world *w = *state;

    for (long nth = 1; nth < 50; nth++) {
        struct jr_clock_virtual v = { .mono = { 0 } };
        struct jr_loop *loop = NULL;
        enum jr_status st;
        int started = 0;

        jr_buf_reset(&w->trace);
        assert_int_equal(jr_buf_reserve(&w->trace, 100), JR_OK);
        jr_failalloc_arm(nth);
        st = jr_loop_new_virtual(&v, &loop, NULL);
        for (int i = 0; i < 20 && st == JR_OK; i++) {
            st = jr_loop_after(loop, i, letter_a, w, NULL);
            started += st == JR_OK ? 1 : 0;
        }
        jr_failalloc_disarm();
        assert_int_equal(st, jr_failalloc_hit() ? JR_NOMEM : JR_OK);
        if (loop != NULL)
            assert_int_equal(jr_loop_run(loop, NULL), JR_OK);
        assert_int_equal(w->trace.n, started);
        jr_loop_free(loop);
        if (!jr_failalloc_hit())
            return;
    }
    fail_msg("allocations without end");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(timers_run_by_time_then_start),
        T(run_ends_when_nothing_is_left),
        T(due_time_clamps),
        T(next_is_the_first_thing_due),
        T(cancel_is_null_safe_and_clears),
        T(cancel_of_a_timer_that_is_due_too),
        T(a_timer_set_in_a_turn_waits_for_the_next),
        T(waiting_is_bounded),
        T(time_stands_while_there_is_work),
        T(stop_ends_the_run),
        T(no_descriptors_no_signals),
        T(free_with_things_left),
        T(random_timers),
        T(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
