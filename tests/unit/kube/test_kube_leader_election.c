/* SPDX-License-Identifier: Apache-2.0 */
/* Leader election: who leads, until when, and what is written. */
#include "tests/unit/kube/lease_world.h"

static void test_a_new_lease(void **state)
{
    struct world w;
    struct jr_call *c;
    int64_t began;
    JR_ARENA arena = { 0 };
    struct jr_time acquired;

    (void)state;
    jr_arena_init(&arena, 0);
    world_init(&w);
    lead(&w);
    began = w.f.clock.mono.ns;
    acquired = w.f.clock.wall;
    for (int rv = 2; rv < 10; rv++) {
        char was[8];

        c = fake_expect(&w.f, "PUT", PATH "/jobs");
        assert_true(c->own_connection);
        assert_int_equal(c->timeout_ms, 5000);
        (void)snprintf(was, sizeof(was), "%d", rv - 1);
        assert_write(c, "me", was, 0, 15);
        assert_int_equal(written(c, &arena).acquire_time.ns, acquired.ns);
        assert_int_equal(written(c, &arena).renew_time.ns, w.f.clock.wall.ns);
        answer_lease(c, 200, "me", rv, 0, 15);
        assert_int_equal(w.f.clock.mono.ns - began, (rv - 1) * (2 * JR_SEC));
    }
    assert_int_equal(w.started, 1);
    assert_int_equal(w.stopped, 0);
    world_done(&w);
}

static void test_waiting_for_another(void **state)
{
    struct world w;
    struct jr_call *c;
    int64_t renewed;

    (void)state;
    world_init(&w);
    for (int rv = 5; rv < 9; rv++) { /* it renews */
        int64_t began;

        held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "you", rv);
        began = w.f.clock.mono.ns;
        c = fake_next(&w.f);
        assert_in_range(w.f.clock.mono.ns - began, 2 * JR_SEC, MS(4400));
        c->taken = false;
    }
    held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "you", 9);
    renewed = w.f.clock.mono.ns;
    for (;;) { /* then no more; its clock, which is an hour behind, counts for nothing */
        c = fake_next(&w.f);
        if (strcmp(c->method, "PUT") == 0)
            break;
        assert_true(w.f.clock.mono.ns - renewed < 20 * JR_SEC);
        held_by(c, "you", 9);
    }
    assert_true(w.f.clock.mono.ns - renewed >= 15 * JR_SEC);
    assert_write(c, "me", "9", 5, 15); /* a new holder: one transition more */
    assert_int_equal(w.started, 0);
    answer_lease(c, 200, "me", 10, 5, 15);
    assert_int_equal(w.started, 1);
    world_done(&w);
}

static void test_a_released_lease_is_taken_at_once(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "", 9);
    c = fake_expect(&w.f, "PUT", PATH "/jobs");
    assert_write(c, "me", "9", 5, 15);
    fake_answer(c, 409, ""); /* another was faster */
    assert_int_equal(w.started, 0);
    held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "you", 10);
    (void)fake_expect(&w.f, "GET", PATH "/jobs");
    world_done(&w);
}

/** What others have put on the Lease stays there. (Finding: the PUT erases labels, annotations and
 * spec fields that it doesn't know.) */
static void test_what_others_put_there(void **state)
{
    static const char text[] =
        "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/"
        "v1\",\"metadata\":{\"name\":\"jobs\","
        "\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":\"%d\",\"labels\":{\"team\":\"x\"},"
        "\"annotations\":{\"note\":\"kept "
        "\\u00e4\"},\"managedFields\":[{\"manager\":\"m\"}]},\"spec\":{"
        "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":15,\"acquireTime\":\"2026-01-01T00:00:"
        "00."
        "000000Z\",\"renewTime\":\"2026-01-01T00:00:0%d.000000Z\",\"leaseTransitions\":4,"
        "\"strategy\":\"OldestEmulationVersion\",\"preferredHolder\":\"p\"}}";
    struct world w;
    char body[1024];

    (void)state;
    world_init(&w);
    (void)snprintf(body, sizeof(body), text, 7, "", 1);
    fake_answer(fake_expect(&w.f, "GET", PATH "/jobs"), 200, body);
    for (int rv = 7; rv < 10; rv++) { /* taken, and renewed */
        struct jr_call *c = fake_expect(&w.f, "PUT", PATH "/jobs");
        char was[8];

        (void)snprintf(was, sizeof(was), "%d", rv);
        assert_write(c, "me", was, 5, 15);
        assert_has(c->body.p, "\"labels\":{\"team\":\"x\"}");
        assert_has(c->body.p, "\"annotations\":{\"note\":\"kept \\u00e4\"}");
        assert_has(c->body.p, "\"strategy\":\"OldestEmulationVersion\",\"preferredHolder\":\"p\"");
        assert_null(strstr(c->body.p, "managedFields"));
        (void)snprintf(body, sizeof(body), text, rv + 1, "me", rv - 6);
        fake_answer(c, 200, body);
    }
    assert_int_equal(w.started, 1);
    world_done(&w);
}

/** A standby that has not seen the Lease for as long as it lasts would not take over. */
static void test_blind(void **state)
{
    struct jr_error why = { 0 };
    struct world w;

    (void)state;
    world_init(&w);
    for (int i = 0; i < 4; i++) {
        held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "you", 5 + i);
        fake_wait(&w.f, JR_SEC);
        assert_false(jr_elector_blind(w.e, &why));
    }
    for (int64_t began = w.f.clock.mono.ns; w.f.clock.mono.ns - began < 15 * JR_SEC;) {
        assert_false(jr_elector_blind(w.e, NULL));
        fake_fail(fake_expect(&w.f, "GET", PATH "/jobs"), JR_HTTP_NOT_SENT);
    }
    assert_true(jr_elector_blind(w.e, &why));
    assert_has(why.msg, "the test cut the connection"); /* and says by what */
    held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "you", 12);
    assert_false(jr_elector_blind(w.e, &why));
    world_done(&w);
}

/** Nor would one that may not make it. */
static void test_blind_where_it_may_not_be_made(void **state)
{
    struct jr_error why = { 0 };
    struct world w;

    (void)state;
    world_init(&w);
    for (int64_t began = w.f.clock.mono.ns; w.f.clock.mono.ns - began < 16 * JR_SEC;) {
        struct jr_call *c = fake_next(&w.f);

        fake_answer(c, strcmp(c->method, "GET") == 0 ? 404 : 403, "");
    }
    assert_true(jr_elector_blind(w.e, &why));
    assert_has(why.msg, "403");
    world_done(&w);
}

static void test_a_foreign_duration_counts(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w);
    answer_lease(fake_expect(&w.f, "GET", PATH), 200, "you", 9, 0, 60);
    began = w.f.clock.mono.ns;
    for (;;) {
        struct jr_call *c = fake_next(&w.f);

        if (strcmp(c->method, "PUT") == 0)
            break;
        answer_lease(c, 200, "you", 9, 0, 60);
    }
    assert_in_range(w.f.clock.mono.ns - began, 60 * JR_SEC, 65 * JR_SEC);
    world_done(&w);
}

static void test_an_acquisition_without_an_answer(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "", 9);
    fake_fail(fake_expect(&w.f, "PUT", PATH "/jobs"), JR_HTTP_AMBIGUOUS);
    answer_lease(fake_expect(&w.f, "GET", PATH "/jobs"), 200, "me", 10, 5,
                 15); /* it had happened */
    assert_int_equal(w.started, 0);
    assert_false(jr_elector_may_write(w.e));
    c = fake_expect(&w.f, "PUT", PATH "/jobs");
    assert_write(c, "me", "10", 5, 15); /* no further transition */
    answer_lease(c, 200, "me", 11, 5, 15);
    assert_int_equal(w.started, 1);
    world_done(&w);
}

static void test_an_answer_that_comes_too_late(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    held_by(fake_expect(&w.f, "GET", PATH "/jobs"), "", 9);
    c = fake_expect(&w.f, "PUT", PATH "/jobs");
    fake_wait(&w.f, 11 * JR_SEC);
    answer_lease(c, 200, "me", 10, 5, 15);
    assert_int_equal(w.started, 0);
    answer_lease(fake_expect(&w.f, "GET", PATH "/jobs"), 200, "me", 10, 5, 15);
    answer_lease(fake_expect(&w.f, "PUT", PATH "/jobs"), 200, "me", 11, 5, 15);
    assert_int_equal(w.started, 1);
    world_done(&w);
}

/* ---- losing it ---- */

static void test_the_right_ends_before_the_lease(void **state)
{
    static const struct {
        int64_t lease_ms, right_ms;
    } rows[] = { { 15000, 13500 }, { 3000, 2500 }, { 60000, 54000 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_elector_options o = usual;
        struct world w;
        struct jr_call *c;

        o.lease_duration_ms = rows[i].lease_ms;
        o.renew_deadline_ms = rows[i].lease_ms - 1;
        o.retry_period_ms = 1000;
        world_with(&w, &o);
        fake_answer(fake_expect(&w.f, "GET", PATH), 404, "");
        c = fake_expect(&w.f, "POST", PATH);
        fake_wait(&w.f, MS(400)); /* counted from the sending, not from the answer */
        answer_lease(c, 201, "me", 1, 0, 15);
        (void)fake_expect(&w.f, "PUT", PATH);
        fake_wait(&w.f, MS(rows[i].right_ms - 1400 - 1));
        assert_true(jr_elector_may_write(w.e));
        fake_wait(&w.f, MS(1));
        assert_false(jr_elector_may_write(w.e));
        assert_int_equal(w.stopped, 0);
        world_done(&w);
    }
}

static void test_not_renewed_in_time(void **state)
{
    struct world w;
    int64_t began;
    int n = 0;

    (void)state;
    world_init(&w);
    w.free_when_stopped = true;
    lead(&w);
    began = w.f.clock.mono.ns;
    while (w.stopped == 0) {
        if (fake_untaken(&w.f) > 0) {
            struct jr_call *c = fake_next(&w.f);

            n++;
            fake_fail(c, n % 2 == 0 ? JR_HTTP_NOT_SENT : JR_HTTP_AMBIGUOUS);
        } else {
            bool idle;

            assert_int_equal(jr_loop_turn(w.f.loop, -1, &idle, NULL), JR_OK);
            assert_false(idle);
        }
    }
    assert_int_equal(w.f.clock.mono.ns - began, 10 * JR_SEC);
    assert_in_range(n, 4, 5);
    assert_int_equal(w.stopped, 1);
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(fake_untaken(&w.f), 0);
    world_done(&w);
}

static void test_a_hanging_renewal(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    lead(&w);
    c = fake_expect(&w.f, "PUT", PATH); /* never answered */
    fake_wait(&w.f, 8 * JR_SEC);
    assert_int_equal(w.stopped, 1);
    assert_true(c->cancelled);
    assert_false(jr_elector_may_write(w.e));
    world_done(&w);
}

static void test_another_took_it(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    lead(&w);
    fake_answer(fake_expect(&w.f, "PUT", PATH), 409, "");
    held_by(fake_expect(&w.f, "GET", PATH), "you", 7); /* looked at at once */
    assert_int_equal(w.stopped, 1);
    assert_false(jr_elector_may_write(w.e));
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(fake_untaken(&w.f), 0);
    jr_elector_stop(w.e);
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(w.stopped, 1); /* told once */
    world_done(&w);
}

static void test_a_conflict_with_ourselves(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    lead(&w);
    fake_fail(fake_expect(&w.f, "PUT", PATH), JR_HTTP_AMBIGUOUS);
    answer_lease(fake_expect(&w.f, "GET", PATH), 200, "me", 2, 0, 15);
    c = fake_expect(&w.f, "PUT", PATH);
    assert_write(c, "me", "2", 0, 15);
    answer_lease(c, 200, "me", 3, 0, 15);
    renew(&w, 4);
    assert_int_equal(w.stopped, 0);
    world_done(&w);
}

static void test_a_lease_that_is_deleted(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w);
    lead(&w);
    fake_answer(fake_expect(&w.f, "PUT", PATH), 404, "");
    fake_answer(fake_expect(&w.f, "GET", PATH), 404, "");
    assert_false(jr_elector_may_write(w.e)); /* it may be anyone's by now */
    c = fake_expect(&w.f, "POST", PATH);
    answer_lease(c, 201, "me", 5, 0, 15);
    assert_true(jr_elector_may_write(w.e));
    assert_int_equal(w.stopped, 0);
    world_done(&w);
}

/** All that a Lease may say as a number: servers refuse what is negative, so the count of holders
 * stays at the greatest one, and somebody leads. */
static void test_numbers_at_their_ends(void **state)
{
    static const struct {
        int transitions, duration_s, want;
    } rows[] = {
        { INT32_MAX, 15, INT32_MAX }, { INT32_MAX - 1, 15, INT32_MAX },    { 4, INT32_MAX, 5 },
        { 4, INT32_MIN, 5 },          { INT32_MAX, INT32_MIN, INT32_MAX },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        struct jr_call *c;

        world_init(&w);
        answer_lease(fake_expect(&w.f, "GET", PATH "/jobs"), 200,
                     rows[i].duration_s > 0 ? "" : "you", 9, rows[i].transitions,
                     rows[i].duration_s);
        c = fake_expect(&w.f, "PUT", PATH "/jobs");
        assert_write(c, "me", "9", rows[i].want, 15);
        answer_lease(c, 200, "me", 10, rows[i].want, 15);
        assert_int_equal(w.started, 1);
        assert_write(fake_expect(&w.f, "PUT", PATH "/jobs"), "me", "10", rows[i].want, 15);
        world_done(&w);
    }
}

static void test_answers_that_make_no_sense(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    fake_answer(fake_expect(&w.f, "GET", PATH), 200, "<html>");
    fake_answer(fake_expect(&w.f, "GET", PATH), 403, "");
    fake_answer(fake_expect(&w.f, "GET", PATH), 404, "");
    fake_answer(fake_expect(&w.f, "POST", PATH), 201, "[]"); /* done, but as which version? */
    assert_int_equal(w.started, 0);
    answer_lease(fake_expect(&w.f, "GET", PATH), 200, "me", 5, 0, 15);
    answer_lease(fake_expect(&w.f, "PUT", PATH), 200, "me", 6, 0, 15);
    assert_int_equal(w.started, 1);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_lease),
        cmocka_unit_test(test_waiting_for_another),
        cmocka_unit_test(test_a_released_lease_is_taken_at_once),
        cmocka_unit_test(test_what_others_put_there),
        cmocka_unit_test(test_blind),
        cmocka_unit_test(test_blind_where_it_may_not_be_made),
        cmocka_unit_test(test_a_foreign_duration_counts),
        cmocka_unit_test(test_an_acquisition_without_an_answer),
        cmocka_unit_test(test_an_answer_that_comes_too_late),
        cmocka_unit_test(test_the_right_ends_before_the_lease),
        cmocka_unit_test(test_not_renewed_in_time),
        cmocka_unit_test(test_a_hanging_renewal),
        cmocka_unit_test(test_another_took_it),
        cmocka_unit_test(test_a_conflict_with_ourselves),
        cmocka_unit_test(test_a_lease_that_is_deleted),
        cmocka_unit_test(test_numbers_at_their_ends),
        cmocka_unit_test(test_answers_that_make_no_sense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
