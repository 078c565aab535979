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
        .max = max, .header_ms = 10000, .request_ms = 30000, .idle_ms = 120000
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

/* The first request counts from the connection on, the later ones from their headers. */
static void test_request_deadline(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    (void)add(&b, 0);
    forward(&b, 9);
    assert_int_equal(jr_conns_request(&b.conns, &b.conn[0]).ns, 1000 * SECOND);
    forward(&b, 20);
    assert_int_equal(reap(&b), 0);
    jr_conns_idle(&b.conns, &b.conn[0]); /* answered at 29 s */
    forward(&b, 119);
    assert_int_equal(reap(&b), 0);
    assert_int_equal(jr_conns_request(&b.conns, &b.conn[0]).ns, 1148 * SECOND);
    forward(&b, 29);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    assert_true(ended(&b, 0));
    teardown(&b);
}

static void test_idle_deadline(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    (void)add(&b, 0);
    (void)jr_conns_request(&b.conns, &b.conn[0]);
    jr_conns_idle(&b.conns, &b.conn[0]);
    forward(&b, 119);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    teardown(&b);
}

static void test_hurry(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 10);
    (void)add(&b, 0);
    (void)jr_conns_request(&b.conns, &b.conn[0]);
    jr_conns_hurry(&b.conns, &b.conn[0], (struct jr_mono){ 1003 * SECOND });
    jr_conns_hurry(&b.conns, &b.conn[0], (struct jr_mono){ 1009 * SECOND }); /* never later */
    forward(&b, 2);
    assert_int_equal(reap(&b), 0);
    forward(&b, 1);
    assert_int_equal(reap(&b), 1);
    teardown(&b);
}

/* A new connection takes the place of the oldest that has never sent a request; those that have are
 * safe. */
static void test_full(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 2);
    assert_int_equal(add(&b, 0), JR_CONNS_ROOM);
    (void)jr_conns_request(&b.conns, &b.conn[0]);
    assert_int_equal(add(&b, 1), JR_CONNS_ROOM);
    assert_int_equal(add(&b, 2), JR_CONNS_EVICTED);
    assert_true(ended(&b, 1));
    assert_false(ended(&b, 0));
    assert_false(ended(&b, 2));
    assert_int_equal(jr_conns_count(&b.conns), 2);
    (void)jr_conns_request(&b.conns, &b.conn[2]);
    assert_int_equal(add(&b, 3), JR_CONNS_REFUSED);
    assert_true(ended(&b, 3));
    assert_int_equal(jr_conns_count(&b.conns), 2);
    for (size_t i = 0; i < N_PAIRS; i++)
        jr_conns_remove(&b.conns, &b.conn[i]);
    assert_int_equal(jr_conns_count(&b.conns), 0);
    teardown(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_headers_deadline),
        cmocka_unit_test(test_request_deadline),
        cmocka_unit_test(test_idle_deadline),
        cmocka_unit_test(test_hurry),
        cmocka_unit_test(test_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
