/* SPDX-License-Identifier: Apache-2.0 */
/* A controller that leaves: what has ended is counted, what runs is let go, and then it stops. */
#include "tests/support/failalloc.h"
#include "tests/support/without_memory.h"
#include "tests/unit/controller/whole_world.h"

/** The Job with a Pod that runs and one that has ended, both with their finalizer. */
static void leaving_init(struct world *w, bool elect)
{
    char running[2048], ended[2048];

    world_init_by(w, &(struct world_options){ .elect = elect, .decommission = true });
    (void)snprintf(w->pods, sizeof(w->pods), "%s,%s",
                   pod_text(running, sizeof(running), "p1", "Running", true, 7),
                   pod_text(ended, sizeof(ended), "p2", "Succeeded", true, 8));
    w->version = 200;
}

/** What is left, in the words for who gives up. */
static void expect_left(const struct world *w, const char *want)
{
    struct jr_error err = { 0 };

    jr_controller_decommission_left(w->c, &err);
    if (strcmp(err.msg, want) != 0)
        fail_msg("left: \"%s\", expected \"%s\"", err.msg, want);
}

/** The watch shows what the last sync has written and done. */
static void show_counted(struct world *w)
{
    char status[2048];

    push_pod(w, "MODIFIED", "p2", "Succeeded", false);
    push_status(w, last_status(w, status, sizeof(status)));
}

static void test_leaves(void **state)
{
    struct world w;

    (void)state;
    leaving_init(&w, false);
    expect_left(&w, "the Lease is another's, or the caches aren't complete");
    world_start(&w);
    pass(&w, 3);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p2"), 1);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p1"), 0); /* not before the other counts */
    expect_left(&w, "1 that have ended are not counted yet, the first is pod ns/p2");
    show_counted(&w);
    pass(&w, 3);
    assert_true(calls(&w, "PATCH", PODS_IN("ns") "/p1") > 0);
    expect_left(&w, "1 have the finalizer still, the first is pod ns/p1");
    assert_int_equal(w.ended, 0);
    push_pod(&w, "MODIFIED", "p1", "Running", false);
    pass(&w, 3);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 0);
    assert_int_equal(creates(&w), 0);
    assert_int_equal(calls(&w, "DELETE", PODS_IN("ns")), 0);
    world_done(&w);
}

/** A removal that fails is tried again, until it has gone well and the cache shows it. */
static void test_tries_again(void **state)
{
    struct world w;

    (void)state;
    leaving_init(&w, false);
    world_start(&w);
    pass(&w, 3);
    show_counted(&w);
    w.patches_fail = 3;
    pass(&w, 60);
    assert_int_equal(w.patches_fail, 0);
    assert_true(calls(&w, "PATCH", PODS_IN("ns") "/p1") >= 4);
    assert_int_equal(w.ended, 0);
    push_pod(&w, "MODIFIED", "p1", "Running", false);
    pass(&w, 3);
    assert_int_equal(w.ended, 1);
    world_done(&w);
}

/** A Pod that comes while it leaves is let go as well, and so is a Job's count that is begun. */
static void test_waits_for_late_ones(void **state)
{
    struct world w;

    (void)state;
    leaving_init(&w, false);
    world_start(&w);
    pass(&w, 3);
    push_pod(&w, "MODIFIED", "p2", "Succeeded", false);
    push_status(&w, "{\"uncountedTerminatedPods\":{\"succeeded\":[\"p2\"]}}");
    push_pod(&w, "MODIFIED", "p1", "Running", false);
    pass(&w, 0.5);
    expect_left(&w, "1 that have ended are not counted yet, the first is job ns/j");
    push_pod(&w, "ADDED", "p3", "Running", true);
    push_status(&w, "{\"succeeded\":1}");
    pass(&w, 3);
    assert_true(calls(&w, "PATCH", PODS_IN("ns") "/p3") > 0);
    assert_int_equal(w.ended, 0);
    push_pod(&w, "DELETED", "p3", "Running", true);
    pass(&w, 3);
    assert_int_equal(w.ended, 1);
    world_done(&w);
}

/** Nothing to do, whatever others have begun: it stops at once, and gives the Lease back. */
static void test_nothing_to_leave(void **state)
{
#define COUNTING(spec, conditions)                                                                 \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"k\",\"uid\":\"u2\",\"resourceVersion\":\"5\"}" \
    ","                                                                                            \
    "\"spec\":{" spec "},\"status\":{\"conditions\":[" conditions                                  \
    "],\"uncountedTerminatedPods\":{\"succeeded\":[\"x\"]}}}"
#define FAILED "{\"type\":\"Failed\",\"status\":\"True\"}"
    static const struct {
        const char *name, *jobs;
        bool stops;
    } rows[] = {
        { "no Job", "", true },
        { "another's", COUNTING("\"managedBy\":\"example.com/x\"", ""), true },
        { "another's, finished", COUNTING("\"managedBy\":\"example.com/x\"", FAILED), true },
        { "finished", COUNTING("", FAILED), true },
        { "to be counted", COUNTING("", ""), false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;

        world_init_by(&w, &(struct world_options){ .elect = true, .decommission = true });
        w.jobs = rows[i].jobs;
        world_start(&w);
        pass(&w, 5);
        check_int(rows[i].name, w.ended, rows[i].stops);
        if (rows[i].stops) {
            assert_int_equal(w.code, 0);
            assert_string_equal(w.taken, "");
        }
        world_done(&w);
    }
}

/** Stopped, or freed, at any moment of it: nothing is called from then on, nothing leaks. */
static void test_ends_at_any_moment(void **state)
{
    (void)state;
    for (int turns = 0; turns < 60; turns++) {
        for (int stop = 0; stop < 2; stop++) {
            struct world w;

            leaving_init(&w, true);
            world_start(&w);
            for (int i = 0; i < turns; i++)
                assert_int_equal(jr_loop_turn(w.loop, 10 * JR_MSEC, &(bool){ false }, NULL), JR_OK);
            if (stop) {
                jr_controller_stop(w.c);
                pass(&w, 30);
                assert_int_equal(w.ended, 1);
                assert_int_equal(w.code, 0);
            }
            world_done(&w);
        }
    }
}

/** The watch shows what was asked for. */
static void show_what_was_done(struct world *w)
{
    if (calls(w, "PATCH", PODS_IN("ns") "/p2") > 0) {
        push_pod(w, "MODIFIED", "p2", "Succeeded", false);
        push_status(w, "{\"succeeded\":1}");
    }
    if (calls(w, "PATCH", PODS_IN("ns") "/p1") > 0)
        push_pod(w, "MODIFIED", "p1", "Running", false);
}

static void run_leaving(void *ctx)
{
    struct world *w = ctx;
    int64_t next = w->clock.mono.ns;
    const int64_t until = next + 120 * JR_SEC;
    bool idle;

    jr_controller_start(w->c);
    while (w->ended == 0) {
        if (w->clock.mono.ns >= until)
            fail_msg("neither goes on nor ends");
        (void)!jr_loop_turn(w->loop, JR_SEC / 4, &idle, NULL);
        if (w->clock.mono.ns < next)
            continue;
        show_what_was_done(w); /* what is told makes turns of its own */
        next = w->clock.mono.ns + JR_SEC / 4;
    }
    assert_true(jr_failalloc_hit() || (w->ended == 1 && w->code == 0));
    if (w->ended == 1 && w->code == 0)
        assert_true(calls(w, "PATCH", PODS_IN("ns") "/p1") > 0);
}

/** Whatever allocation fails: it goes on and leaves, or the process ends. */
static void test_no_memory(void **state)
{
    struct world w;

    (void)state;
    leaving_init(&w, false);
    w.streams_break = true;
    assert_true(jr_each_without_memory(run_leaving, &w) > 200);
    run_leaving(&w);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_tries_again),
        cmocka_unit_test(test_waits_for_late_ones),
        cmocka_unit_test(test_nothing_to_leave),
        cmocka_unit_test(test_ends_at_any_moment),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
