/* SPDX-License-Identifier: Apache-2.0 */
/* The whole controller without memory: whichever allocation fails, the process ends, or goes on
 * where it can go without. */
#include "tests/support/failalloc.h"
#include "tests/support/without_memory.h"
#include "tests/unit/controller/whole_world.h"

/** Runs until the Job has its Pods, or the controller has ended; whichever, within so many seconds.
 */
static void run_to_the_pods(struct world *w, int seconds)
{
    const int64_t until = w->clock.mono.ns + seconds * JR_SEC;
    bool idle;

    while (w->ended == 0 && !(jr_controller_working(w->c) && creates(w) >= 2)) {
        if (w->clock.mono.ns >= until)
            fail_msg("neither goes on nor ends");
        (void)!jr_loop_turn(w->loop, JR_SEC / 4, &idle, NULL);
    }
}

static void run_whole(void *ctx)
{
    struct world *w = ctx;
    bool idle;

    jr_controller_start(w->c);
    run_to_the_pods(w, 400); /* an expectation's five minutes are the longest wait */
    jr_controller_stop(w->c);
    for (int turn = 0; turn < 60 && w->ended == 0; turn++)
        (void)!jr_loop_turn(w->loop, JR_SEC / 4, &idle, NULL);
    assert_true(jr_failalloc_hit() || (w->ended == 1 && w->code == 0));
}

/** Each allocation fails once; as many as that end the process, and more. */
static void without_memory(const char *holder, unsigned lists_fail, size_t at_least)
{
    struct world w;

    world_init(&w, true);
    w.holder = holder;
    w.lists_fail = lists_fail;
    w.create = CREATE_LOST;
    w.happens = true;
    assert_true(jr_each_without_memory(run_whole, &w) > at_least);
    run_whole(&w);
    world_done(&w);
}

/** Whatever allocation fails: the controller goes on, or the process ends and says so. */
static void test_no_memory(void **state)
{
    (void)state;
    without_memory(NULL, 0, 200);
}

/** And while lists have to be tried again. (Finding: an informer without memory for the pause
 * before its next list stood still for ever.) */
static void test_no_memory_for_a_pause(void **state)
{
    (void)state;
    without_memory(NULL, 12, 900);
}

/** And while another leads, who is gone without a word. (Finding: a standby without memory for its
 * next attempt stood by for ever.) */
static void test_no_memory_on_standby(void **state)
{
    (void)state;
    without_memory("another", 0, 280);
}

static void run_orphan(void *ctx)
{
    struct world *w = ctx;
    const int64_t until = w->clock.mono.ns + 400 * JR_SEC;
    bool idle;

    jr_controller_start(w->c);
    while (w->ended == 0 && calls(w, "PATCH", PODS_IN("ns") "/p1") < 3) {
        if (w->clock.mono.ns >= until)
            fail_msg("neither goes on nor ends");
        (void)!jr_loop_turn(w->loop, JR_SEC, &idle, NULL);
    }
    assert_int_equal(w->ended, 0);
}

/** And with an orphan whose finalizer doesn't go at once: it is tried again. */
static void test_no_memory_for_an_orphan(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.jobs = "";
    w.patches_fail = 2;
    (void)snprintf(w.pods, sizeof(w.pods),
                   "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p1\",\"uid\":\"p1\","
                   "\"resourceVersion\":\"5\",\"finalizers\":["
                   "\"batch.kubernetes.io/job-tracking\"]}}");
    assert_true(jr_each_without_memory(run_orphan, &w) > 70);
    run_orphan(&w);
    world_done(&w);
}

static void make_controller(void *ctx)
{
    const struct jr_controller_options o = { .reconcile = jr_reconcile_options_default() };
    const struct jr_controller_handler h = { world_on_end, NULL };
    struct world *w = ctx;
    const struct jr_env env = { w->loop, jr_rand_of_seed(&w->seed, 1),
                                jr_scripted_transport(w->api) };
    struct jr_controller *c = NULL;

    assert_int_equal(jr_controller_new(&env, &o, &h, NULL, NULL, &c, NULL), JR_OK);
    jr_controller_free(c);
}

static void test_no_memory_to_begin(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    assert_true(jr_each_without_memory(make_controller, &w) > 20);
    make_controller(&w);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_for_a_pause),
        cmocka_unit_test(test_no_memory_on_standby),
        cmocka_unit_test(test_no_memory_for_an_orphan),
        cmocka_unit_test(test_no_memory_to_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
