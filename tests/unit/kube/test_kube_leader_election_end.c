/* SPDX-License-Identifier: Apache-2.0 */
/* Leader election: gaps, giving the Lease up, and settings that are refused. */
#include "tests/unit/kube/lease_world.h"

/* ---- gaps ---- */

static void test_a_gap(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    lead(&w);
    c = fake_expect(&w.f, "PUT", PATH);
    jr_elector_gap(w.e);
    assert_true(c->cancelled);
    assert_false(jr_elector_may_write(w.e));
    c = fake_expect(&w.f, "GET", PATH);
    assert_false(jr_elector_may_write(w.e));
    answer_lease(c, 200, "me", 2, 0, 15);
    assert_true(jr_elector_may_write(w.e));
    renew(&w, 3);
    assert_true(jr_elector_may_write(w.e));
    jr_elector_gap(w.e);
    held_by(fake_expect(&w.f, "GET", PATH), "you", 4); /* it had been too long */
    assert_false(jr_elector_may_write(w.e));
    assert_int_equal(w.stopped, 1);
    jr_elector_gap(w.e);
    world_done(&w);
}

static void test_a_gap_while_waiting(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    held_by(fake_expect(&w.f, "GET", PATH), "", 9);
    c = fake_expect(&w.f, "PUT", PATH);
    jr_elector_gap(w.e);
    assert_true(c->cancelled);
    held_by(fake_expect(&w.f, "GET", PATH), "you", 10);
    assert_int_equal(w.started, 0);
    world_done(&w);
}

/* ---- stopping ---- */

static void test_release(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    lead(&w);
    renew(&w, 2);
    w.free_when_stopped = true;
    jr_elector_stop(w.e);
    assert_false(jr_elector_may_write(w.e));
    assert_int_equal(w.stopped, 0);
    c = fake_expect(&w.f, "PUT", PATH "/jobs");
    assert_write(c, "", "2", 0, 1);
    assert_has(c->body.p, "\"holderIdentity\":\"\"");
    answer_lease(c, 200, "", 3, 0, 1);
    assert_int_equal(w.stopped, 1);
    world_done(&w);
}

static void test_release_with_a_renewal_in_flight(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    lead(&w);
    c = fake_expect(&w.f, "PUT", PATH);
    jr_elector_stop(w.e);
    jr_elector_stop(w.e);
    assert_true(c->cancelled);
    answer_lease(fake_expect(&w.f, "GET", PATH), 200, "me", 2, 3, 15); /* it had happened */
    c = fake_expect(&w.f, "PUT", PATH);
    assert_write(c, "", "2", 3, 1);
    answer_lease(c, 200, "", 3, 3, 1);
    assert_int_equal(w.stopped, 1);
    world_done(&w);
}

static void test_releases_that_fail(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct world w;
        struct jr_call *c;
        int64_t began;

        world_init(&w);
        lead(&w);
        jr_elector_stop(w.e);
        began = w.f.clock.mono.ns;
        c = fake_expect(&w.f, "PUT", PATH);
        if (way == 0) {
            fake_fail(c, JR_HTTP_AMBIGUOUS);
        } else if (way == 1) {
            fake_wait(&w.f, 6 * JR_SEC);
            assert_true(c->cancelled);
        } else if (way == 2) { /* another has it: not ours to give up */
            fake_answer(c, 409, "");
            held_by(fake_expect(&w.f, "GET", PATH), "you", 5);
        } else {
            fake_answer(c, 404, "");
            fake_answer(fake_expect(&w.f, "GET", PATH), 404, "");
        }
        assert_int_equal(w.stopped, 1);
        assert_true(w.f.clock.mono.ns - began <= 6 * JR_SEC);
        fake_wait(&w.f, 60 * JR_SEC);
        assert_int_equal(fake_untaken(&w.f), 0);
        world_done(&w);
    }
}

static void test_stop_without_the_lease(void **state)
{
    struct jr_elector_options o = usual;
    struct world w;

    (void)state;
    world_init(&w);
    held_by(fake_expect(&w.f, "GET", PATH), "you", 5);
    jr_elector_stop(w.e);
    assert_int_equal(w.stopped, 0);
    fake_wait(&w.f, JR_SEC);
    assert_int_equal(w.stopped, 1);
    assert_int_equal(fake_untaken(&w.f), 0);
    world_done(&w);

    o.release_on_stop = false;
    world_with(&w, &o);
    lead(&w);
    jr_elector_stop(w.e);
    fake_wait(&w.f, JR_SEC);
    assert_int_equal(w.stopped, 1);
    assert_int_equal(fake_untaken(&w.f), 0);
    world_done(&w);
}

static void test_stop_from_inside(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    w.stop_when_started = true;
    fake_answer(fake_expect(&w.f, "GET", PATH), 404, "");
    answer_lease(fake_expect(&w.f, "POST", PATH), 201, "me", 1, 0, 15);
    assert_int_equal(w.stopped, 0);
    answer_lease(fake_expect(&w.f, "PUT", PATH), 200, "", 2, 0, 1);
    assert_int_equal(w.stopped, 1);
    world_done(&w);
}

static void test_options(void **state)
{
    static const struct {
        const char *name;
        struct jr_elector_options o;
        const char *flag;
    } rows[] = {
        { "no namespace",
          { "", "n", "i", 15000, 10000, 2000, true },
          "--leader-elect-resource-name" },
        { "no name",
          { "ns", NULL, "i", 15000, 10000, 2000, true },
          "--leader-elect-resource-name" },
        { "no identity", { "ns", "n", "", 15000, 10000, 2000, true }, "identity" },
        { "half seconds",
          { "ns", "n", "i", 15500, 10000, 2000, true },
          "--leader-elect-lease-duration" },
        { "no lease", { "ns", "n", "i", 0, 10000, 2000, true }, "--leader-elect-lease-duration" },
        { "deadline too long",
          { "ns", "n", "i", 15000, 15000, 2000, true },
          "--leader-elect-renew-deadline" },
        { "no deadline",
          { "ns", "n", "i", 15000, 0, 2000, true },
          "--leader-elect-renew-deadline" },
        { "retry too long",
          { "ns", "n", "i", 15000, 10000, 9000, true },
          "--leader-elect-retry-period" },
        { "no retry", { "ns", "n", "i", 15000, 10000, 0, true }, "--leader-elect-retry-period" },
    };
    const struct jr_elector_handler h = { 0 };
    struct fake f;

    (void)state;
    fake_init(&f);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_elector *e = NULL;
        struct jr_error error = { 0 };
        enum jr_status st = jr_elector_new(&f.env, &rows[i].o, &h, NULL, NULL, &e, &error);

        if (st != JR_INVALID || strcmp(error.path, rows[i].flag) != 0)
            fail_msg("%s: %s, %s: %s", rows[i].name, jr_status_text(st), error.path, error.msg);
    }
    fake_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_gap),
        cmocka_unit_test(test_a_gap_while_waiting),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_release_with_a_renewal_in_flight),
        cmocka_unit_test(test_releases_that_fail),
        cmocka_unit_test(test_stop_without_the_lease),
        cmocka_unit_test(test_stop_from_inside),
        cmocka_unit_test(test_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
