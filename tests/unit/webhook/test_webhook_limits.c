/* The memory budget and the connections' deadlines, with a clock that is moved by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/socket.h>

#include "webhook/limits.h"

#define SECOND JR_SEC

static void test_budget(void **state)
{
    struct jr_budget b = { .limit = 100 };

    (void)state;
    assert_true(jr_budget_take(&b, 60));
    assert_false(jr_budget_take(&b, 41));
    assert_true(jr_budget_take(&b, 40));
    assert_int_equal(jr_budget_used(&b), 100);
    assert_true(jr_budget_take(&b, 0));
    assert_false(jr_budget_take(&b, 1));
    assert_false(jr_budget_take(&b, SIZE_MAX));
    jr_budget_give(&b, 100);
    assert_int_equal(jr_budget_used(&b), 0);
}

#define N_PAIRS 4
struct bench {
    struct jr_clock_virtual v;
    struct jr_clock clock;
    struct jr_conns conns;
    struct jr_conn conn[N_PAIRS];
    int fd[N_PAIRS][2]; /* ours, the client's */
};

static void setup(struct bench *b, size_t max)
{
    const struct jr_conns_limits limits = {
        .max = max, .held_max = 100, .header_ms = 10000, .request_ms = 30000, .idle_ms = 120000
    };

    memset(b, 0, sizeof(*b));
    b->v.mono.ns = 1000 * SECOND;
    b->clock = jr_clock_of_virtual(&b->v);
    jr_conns_init(&b->conns, &limits, &b->clock);
    for (size_t i = 0; i < N_PAIRS; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, b->fd[i]), 0);
}

static void teardown(struct bench *b)
{
    jr_conns_done(&b->conns);
    for (size_t i = 0; i < N_PAIRS; i++) {
        (void)close(b->fd[i][0]);
        (void)close(b->fd[i][1]);
    }
}

static enum jr_conns_full add(struct bench *b, size_t i)
{
    return jr_conns_add(&b->conns, &b->conn[i], b->fd[i][0]);
}

static void forward(struct bench *b, int64_t s)
{
    jr_clock_virtual_advance(&b->v, s * SECOND);
}

/* Whether the client sees the end. */
static bool ended(const struct bench *b, size_t i)
{
    char c;

    return read(b->fd[i][1], &c, 1) == 0;
}

static size_t reap(struct bench *b)
{
    int64_t wait_ns = 0;
    size_t n = jr_conns_reap(&b->conns, &wait_ns);

    assert_true(wait_ns > 0 && wait_ns <= SECOND);
    return n;
}

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
    assert_int_equal(reap(&b), 0); /* only once */
    assert_int_equal(jr_conns_count(&b.conns), 1);
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

/* Brings a connection to a stage, a second after what was before. */
static void bring(struct bench *b, size_t i, enum jr_conn_stage stage)
{
    forward(b, 1);
    assert_int_equal(add(b, i), JR_CONNS_ROOM);
    if (stage == JR_CONN_NEW)
        return;
    jr_conns_open(&b->conns, &b->conn[i]);
    if (stage == JR_CONN_OPEN)
        return;
    jr_conns_heard(&b->conns, &b->conn[i]);
    if (stage != JR_CONN_HEADERS)
        jr_conns_request(&b->conns, &b->conn[i]);
    if (stage == JR_CONN_ANSWERING || stage == JR_CONN_IDLE)
        jr_conns_answer(&b->conns, &b->conn[i]);
    if (stage == JR_CONN_IDLE)
        jr_conns_idle(&b->conns, &b->conn[i]);
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

/* Who gives way to a new connection where two are the limit. */
static void test_full(void **state)
{
    static const struct {
        enum jr_conn_stage stages[2];
        enum jr_conns_full want;
        size_t ended; /* 2: the new one */
    } rows[] = {
        { { JR_CONN_NEW, JR_CONN_NEW }, JR_CONNS_EVICTED, 0 },
        { { JR_CONN_RECEIVING, JR_CONN_NEW }, JR_CONNS_EVICTED, 0 },
        { { JR_CONN_NEW, JR_CONN_RECEIVING }, JR_CONNS_EVICTED, 0 },
        { { JR_CONN_ANSWERING, JR_CONN_RECEIVING }, JR_CONNS_EVICTED, 1 },
        { { JR_CONN_IDLE, JR_CONN_RECEIVING }, JR_CONNS_EVICTED, 1 },
        { { JR_CONN_IDLE, JR_CONN_NEW }, JR_CONNS_EVICTED, 1 },
        { { JR_CONN_IDLE, JR_CONN_OPEN }, JR_CONNS_EVICTED, 1 },
        { { JR_CONN_IDLE, JR_CONN_HEADERS }, JR_CONNS_EVICTED, 1 },
        { { JR_CONN_OPEN, JR_CONN_NEW }, JR_CONNS_EVICTED, 0 },
        { { JR_CONN_IDLE, JR_CONN_IDLE }, JR_CONNS_EVICTED, 0 },
        { { JR_CONN_ANSWERING, JR_CONN_IDLE }, JR_CONNS_EVICTED, 1 },
        { { JR_CONN_ANSWERING, JR_CONN_ANSWERING }, JR_CONNS_REFUSED, 2 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct bench b;

        setup(&b, 2);
        bring(&b, 0, rows[i].stages[0]);
        bring(&b, 1, rows[i].stages[1]);
        forward(&b, 1);
        assert_int_equal(add(&b, 2), rows[i].want);
        for (size_t k = 0; k < 3; k++) {
            if (ended(&b, k) != (k == rows[i].ended))
                fail_msg("row %zu: connection %zu", i, k);
        }
        assert_int_equal(jr_conns_count(&b.conns), 2);
        for (size_t k = 0; k < 3; k++)
            jr_conns_remove(&b.conns, &b.conn[k]);
        assert_int_equal(jr_conns_count(&b.conns), 0);
        teardown(&b);
    }
}

/* A connection is as old as its request: one that was there before the others is not overdue for
 * that. */
static void test_full_by_request(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 2);
    bring(&b, 0, JR_CONN_IDLE);
    bring(&b, 1, JR_CONN_RECEIVING);
    forward(&b, 1);
    jr_conns_request(&b.conns, &b.conn[0]);
    assert_int_equal(add(&b, 2), JR_CONNS_EVICTED);
    assert_true(ended(&b, 1));
    assert_false(ended(&b, 0));
    teardown(&b);
}

/* Who is handed over keeps its time and its place; a descriptor that comes anew does not inherit
 * it. */
static void test_handed_over(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 2);
    assert_int_equal(add(&b, 0), JR_CONNS_ROOM);
    assert_int_equal(add(&b, 1), JR_CONNS_ROOM);
    forward(&b, 9);
    jr_conns_hand_over(&b.conns, &b.conn[0]);
    jr_conns_hand_over(&b.conns, &b.conn[1]);
    jr_conns_take_over(&b.conns, &b.conn[0], b.fd[0][0]);
    assert_int_equal(add(&b, 1), JR_CONNS_ROOM); /* the other owner never came */
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    assert_true(ended(&b, 0));
    assert_false(ended(&b, 1));
    teardown(&b);
}

/* Bytes times time: neither the oldest nor the greatest as such. */
static void test_greed(void **state)
{
    static const struct {
        size_t held[3]; /* for 3, 2, 1 s */
        size_t ended;
    } rows[] = {
        { { 10, 10, 10 }, 0 },
        { { 10, 20, 10 }, 1 },
        { { 10, 10, 40 }, 2 },
        { { 30, 20, 40 }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct bench b;

        setup(&b, 10);
        for (size_t k = 0; k < 3; k++) {
            bring(&b, k, JR_CONN_RECEIVING);
            assert_int_equal(jr_conns_hold(&b.conns, &b.conn[k], rows[i].held[k]), 0);
        }
        bring(&b, 3, JR_CONN_RECEIVING);
        assert_int_equal(jr_conns_hold(&b.conns, &b.conn[3],
                                       101 - rows[i].held[0] - rows[i].held[1] - rows[i].held[2]),
                         1);
        for (size_t k = 0; k < 4; k++) {
            if (ended(&b, k) != (k == rows[i].ended))
                fail_msg("row %zu: connection %zu", i, k);
        }
        teardown(&b);
    }
}

/* Bodies that are not complete may hold 100 bytes together. */
static void test_held(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    for (size_t i = 0; i < 4; i++)
        bring(&b, i, JR_CONN_RECEIVING);
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[0], 60), 0);
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[1], 40), 0);
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[2], 1), 1); /* the first gives way */
    assert_true(ended(&b, 0));
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[0], 100),
                     0); /* it is gone, and holds nothing */
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[2], 100), 1); /* and the next one */
    assert_true(ended(&b, 1));
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[2], 1000), 0); /* but never oneself */
    assert_false(ended(&b, 2));
    jr_conns_answer(&b.conns, &b.conn[2]); /* complete: it is no longer counted */
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[3], 100), 0);
    jr_conns_let_go(&b.conns, &b.conn[3]);
    jr_conns_request(&b.conns, &b.conn[2]);
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[2], 100), 0);
    jr_conns_remove(&b.conns, &b.conn[2]);
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[3], 100), 0);
    teardown(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_headers_deadline),
        cmocka_unit_test(test_request_deadline),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_hurry),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_full_by_request),
        cmocka_unit_test(test_handed_over),
        cmocka_unit_test(test_greed),
        cmocka_unit_test(test_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
