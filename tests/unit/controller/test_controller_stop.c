/* SPDX-License-Identifier: Apache-2.0 */
/* How a controller ends, and what it says to who asks. */
#include "tests/unit/controller/whole_world.h"

/** Fails unless it has ended well, just now, with nothing left under way. */
static void check_ended(const char *name, struct world *w)
{
    check_int(name, w->ended, 1);
    check_int(name, w->code, 0);
    check_int(name, jr_scripted_open(w->api), 0);
}

/** A stop waits for what is under way, sends the events, gives the Lease back. */
static void test_stop(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    world_start(&w);
    pass(&w, 2);
    jr_controller_stop(w.c);
    jr_controller_stop(w.c);
    assert_false(jr_controller_ready(w.c, NULL));
    pass(&w, 2);
    check_ended("under way", &w);
    assert_string_equal(w.taken, ""); /* the Lease is free */
    world_done(&w);
}

/** Without work a stop waits for nothing, finished Jobs or not. */
static void test_stop_at_rest(void **state)
{
    struct world w;

    (void)state;
    world_init_by(&w, &(struct world_options){ .ttl = true });
    w.jobs = "";
    world_start(&w);
    pass(&w, 2);
    jr_controller_stop(w.c);
    pass(&w, 1);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 0);
    world_done(&w);
}

/** Whether the Job's state, as it is told to who asks, has this in it. */
static bool explains(struct world *w, const char *part)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, 64 << 10);
    jr_controller_explain(w->c, JR_S("ns/j"), &text);
    assert_int_equal(text.failed, JR_OK);
    return strstr(text.p, part) != NULL;
}

static void test_stop_in_the_middle(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.create = CREATE_HANGS;
    world_start(&w);
    pass(&w, 2);
    assert_int_equal(creates(&w), 1);
    assert_true(explains(&w, "\"sync\":{\"stage\":\"create\",\"requestsInFlight\":1,"
                             "\"requestsLeft\":2,\"milliseconds\":2000}"));
    assert_true(explains(&w, "\"a sync is under way for 2.0 s, in stage create with 1 requests in "
                             "flight\""));
    jr_controller_stop(w.c);
    pass(&w, 9);
    assert_int_equal(w.ended, 0); /* it may still come to its end */
    pass(&w, 2);
    check_ended("a sync that does not end", &w);
    world_done(&w);
}

static void test_stop_while_standing_by(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    w.holder = "another";
    world_start(&w);
    pass(&w, 2);
    jr_controller_stop(w.c);
    pass(&w, 1);
    check_ended("standing by", &w);
    assert_string_equal(w.holder, "another");
    world_done(&w);
}

/** Who asks why Jobs wait is told by the one that leads. */
static void test_dump_status(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    world_start(&w);
    pass(&w, 2);
    jr_controller_dump_status(w.c);
    pass(&w, 1);
    assert_int_equal(logged(&w, "that was why jobs wait"), 1);
    assert_int_equal(logged(&w, "no job waits here"), 0);
    world_done(&w);
    world_init(&w, true);
    w.holder = "another";
    world_start(&w);
    pass(&w, 2);
    jr_controller_dump_status(w.c);
    pass(&w, 1);
    assert_int_equal(logged(&w, "that was why jobs wait"), 0);
    assert_int_equal(logged(&w, "no job waits here"), 1);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_stop_at_rest),
        cmocka_unit_test(test_stop_in_the_middle),
        cmocka_unit_test(test_stop_while_standing_by),
        cmocka_unit_test(test_dump_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
