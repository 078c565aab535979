/* SPDX-License-Identifier: Apache-2.0 */
/* A listener's connections: their deadlines, and who owns them. */
#include "tests/unit/http/conns_bench.h"

static void test_headers_deadline(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    assert_int_equal(add(&b, 0), JR_CONNS_ROOM);
    forward(&b, 9);
    assert_int_equal(add(&b, 1), JR_CONNS_ROOM);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    assert_true(ended(&b, 0));
    assert_false(ended(&b, 1));
    assert_int_equal(reap(&b), 0);                 /* only once */
    assert_int_equal(jr_conns_count(&b.conns), 2); /* until it is closed */
    jr_conns_remove(&b.conns, &b.conn[0]);
    jr_conns_remove(&b.conns, &b.conn[1]);
    assert_int_equal(jr_conns_count(&b.conns), 0);
    forward(&b, 1000);
    assert_int_equal(reap(&b), 0);
    assert_false(ended(&b, 1)); /* gone from the list: its descriptor is none of our business */
    teardown(&b);
}

/* The first request and the next one: each counts from its first byte, dripping or not. */
static void test_request_deadline(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    (void)add(&b, 0);
    shake(&b, 0);
    forward(&b, 9);
    jr_conns_open(&b.conns, &b.conn[0]);
    for (int i = 0; i < 2; i++) {
        forward(&b, 119);
        assert_int_equal(reap(&b), 0);
        jr_conns_heard(&b.conns, &b.conn[0]); /* until 10 s */
        forward(&b, 9);
        jr_conns_heard(&b.conns, &b.conn[0]);
        assert_int_equal(reap(&b), 0);
        jr_conns_request(&b.conns, &b.conn[0]); /* until 30 s */
        forward(&b, 20);
        jr_conns_heard(&b.conns, &b.conn[0]);
        assert_int_equal(reap(&b), 0);
        jr_conns_answer(&b.conns, &b.conn[0]);
        jr_conns_idle(&b.conns, &b.conn[0]);
    }
    jr_conns_request(&b.conns, &b.conn[0]); /* has come with the one before, in one go */
    forward(&b, 29);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    assert_true(ended(&b, 0));
    teardown(&b);
}

/* Where only numbers count: the first request's time counts from accept(2), handshake or not, the
 * next one's from its first byte, and an answer has a time of its own. */
static void test_fair_deadlines(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    b.conns.limits.fair = true;
    b.conns.limits.request_ms = 10000;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(add(&b, i), JR_CONNS_ROOM); /* the first one says nothing */
    for (size_t i = 1; i < 4; i++)
        shake(&b, i);
    forward(&b, 3);
    jr_conns_open(&b.conns, &b.conn[1]); /* shakes hands */
    for (size_t i = 2; i < 4; i++) {
        jr_conns_open(&b.conns, &b.conn[i]);
        jr_conns_heard(&b.conns, &b.conn[i]); /* drips */
        forward(&b, 3);
        jr_conns_heard(&b.conns, &b.conn[i]);
    }
    jr_conns_request(&b.conns, &b.conn[3]);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 4);

    assert_int_equal(add(&b, 4), JR_CONNS_ROOM);
    shake(&b, 4);
    for (int i = 0; i < 3; i++) {
        jr_conns_open(&b.conns, &b.conn[4]);
        jr_conns_heard(&b.conns, &b.conn[4]);
        forward(&b, 9);
        jr_conns_request(&b.conns, &b.conn[4]);
        jr_conns_send(&b.conns, &b.conn[4]);
        forward(&b, 119);
        assert_int_equal(reap(&b), 0);
        jr_conns_idle(&b.conns, &b.conn[4]);
        forward(&b, 119);
        assert_int_equal(reap(&b), 0);
    }
    jr_conns_heard(&b.conns, &b.conn[4]);
    jr_conns_request(&b.conns, &b.conn[4]);
    jr_conns_send(&b.conns, &b.conn[4]);
    forward(&b, 120);
    assert_int_equal(reap(&b), 1);
    teardown(&b);
}

static void test_hurry(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    (void)add(&b, 0);
    jr_conns_request(&b.conns, &b.conn[0]);
    jr_conns_hurry(&b.conns, &b.conn[0], (struct jr_mono){ 1003 * SECOND });
    jr_conns_hurry(&b.conns, &b.conn[0], (struct jr_mono){ 1009 * SECOND }); /* never later */
    forward(&b, 2);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    teardown(&b);
}

/* How long nothing more may come, by what has come last: to that stage, and 5 s later one thing
 * more. */
static void test_deadlines(void **state)
{
    static const struct {
        enum jr_conn_stage stage;
        void (*then)(struct jr_conns *c, struct jr_conn *conn);
        int64_t s; /* from the stage on */
    } rows[] = {
        { JR_CONN_NEW, NULL, 10 },
        { JR_CONN_OPEN, NULL, 120 },
        { JR_CONN_OPEN, jr_conns_heard, 15 },
        { JR_CONN_HEADERS, jr_conns_open, 10 }, /* a second handshake gains no time */
        { JR_CONN_IDLE, NULL, 120 },
        { JR_CONN_IDLE, jr_conns_heard, 15 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const int64_t then_s = rows[i].then == NULL ? 0 : 5;
        struct bench b;

        setup(&b, 10);
        bring(&b, 0, rows[i].stage);
        forward(&b, then_s);
        if (rows[i].then != NULL)
            rows[i].then(&b.conns, &b.conn[0]);
        forward(&b, rows[i].s - then_s - 1);
        if (reap(&b) != 0)
            fail_msg("row %zu: too early", i);
        forward(&b, 1);
        if (reap(&b) != 1)
            fail_msg("row %zu: not on time", i);
        teardown(&b);
    }
}

/* Who is transferred keeps its time and its place, and counts meanwhile; a descriptor that comes
 * anew does not inherit it. */
static void test_transferred(void **state)
{
    struct bench b;
    bool known;

    (void)state;
    setup(&b, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(add(&b, i), JR_CONNS_ROOM);
    forward(&b, 9);
    for (size_t i = 0; i < 3; i++)
        assert_true(jr_conns_transfer(&b.conns, &b.conn[i], &known));
    assert_int_equal(jr_conns_count(&b.conns), 3);
    jr_conns_transfer_finish(&b.conns, &b.conn[0], b.fd[0][0]);
    jr_conns_transfer_cancel(&b.conns, b.fd[2][0]);
    jr_conns_transfer_cancel(&b.conns, b.fd[2][0]); /* once is enough */
    assert_int_equal(jr_conns_count(&b.conns), 2);
    assert_int_equal(add(&b, 1), JR_CONNS_ROOM); /* the other owner never came */
    assert_int_equal(jr_conns_count(&b.conns), 2);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    assert_true(ended(&b, 0));
    assert_false(ended(&b, 1));
    teardown(&b);
}

static void end_by_deadline(struct bench *b)
{
    forward(b, 119);
    assert_int_equal(reap(b), 1);
}

static void close_first(struct bench *b)
{
    jr_conns_remove(&b->conns, &b->conn[0]);
}

static void distrust(struct bench *b)
{
    jr_conns_distrust_all(&b->conns);
}

static void close_second(struct bench *b)
{
    jr_conns_remove(&b->conns, &b->conn[1]);
}

/* An address is known for as long as it has a trusted connection. */
static void test_known(void **state)
{
    static const struct {
        const char *from;
        int trusted; /* of two connections of 10.0.0.1 */
        void (*then)(struct bench *b);
        bool known;
    } rows[] = {
        { "10.0.0.1", 0, NULL, false },        { "10.0.0.1", 1, NULL, true },
        { "10.0.0.2", 2, NULL, false },        { "10.0.0.1", 1, end_by_deadline, false },
        { "10.0.0.1", 1, close_first, false }, { "10.0.0.1", 2, close_first, true },
        { "10.0.0.1", 1, close_second, true }, { "10.0.0.1", 2, distrust, false },
        { "::ffff:10.0.0.1", 1, NULL, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct bench b;
        bool known;

        setup(&b, 4);
        for (size_t k = 0; k < 2; k++) {
            bring(&b, k, JR_CONN_IDLE);
            if ((int)k < rows[i].trusted)
                jr_conns_trust(&b.conns, &b.conn[k]);
        }
        if (rows[i].then != NULL)
            rows[i].then(&b);
        assert_int_equal(add_from(&b, 2, rows[i].from), JR_CONNS_ROOM);
        known = !rows[i].known;
        assert_true(jr_conns_transfer(&b.conns, &b.conn[2], &known));
        if (known != rows[i].known)
            fail_msg("row %zu: %d", i, known);
        teardown(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_deadline), cmocka_unit_test(test_request_deadline),
        cmocka_unit_test(test_deadlines),        cmocka_unit_test(test_hurry),
        cmocka_unit_test(test_transferred),      cmocka_unit_test(test_known),
        cmocka_unit_test(test_fair_deadlines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
