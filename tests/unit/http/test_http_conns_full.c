/* SPDX-License-Identifier: Apache-2.0 */
/* A listener's connections: which are evicted where there are too many, or where they hold too
 * much. */
#include "tests/unit/http/conns_bench.h"

#include <arpa/inet.h>

/* Which is evicted for a new connection when two are the limit: 2 is neither. */
static void test_full(void **state)
{
    enum { SILENT, QUEUED, SHAKING, OPEN, HEADERS, RECEIVING, ANSWERING, SENDING, IDLE, GOOD };
    static const enum jr_conn_stage stages[] = {
        JR_CONN_NEW,       JR_CONN_TRANSFERRED, JR_CONN_TRANSFERRED, JR_CONN_OPEN, JR_CONN_HEADERS,
        JR_CONN_RECEIVING, JR_CONN_ANSWERING,   JR_CONN_SENDING,     JR_CONN_IDLE, JR_CONN_IDLE,
    };
    static const struct {
        int was[2];
        size_t ended;
    } rows[] = {
        { { SILENT, SILENT }, 0 },     { { IDLE, SILENT }, 1 },         { { SHAKING, SILENT }, 1 },
        { { QUEUED, SILENT }, 1 },     { { SHAKING, SHAKING }, 0 },     { { QUEUED, SHAKING }, 1 },
        { { IDLE, SHAKING }, 1 },      { { SHAKING, IDLE }, 0 },        { { OPEN, IDLE }, 0 },
        { { IDLE, OPEN }, 0 },         { { RECEIVING, OPEN }, 0 },      { { HEADERS, IDLE }, 0 },
        { { GOOD, IDLE }, 1 },         { { GOOD, OPEN }, 1 },           { { GOOD, RECEIVING }, 1 },
        { { GOOD, GOOD }, 0 },         { { IDLE, GOOD }, 0 },           { { ANSWERING, GOOD }, 1 },
        { { ANSWERING, SENDING }, 1 }, { { ANSWERING, IDLE }, 1 },      { { QUEUED, IDLE }, 1 },
        { { QUEUED, QUEUED }, 2 },     { { ANSWERING, ANSWERING }, 2 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const enum jr_conns_full want = rows[i].ended == 2 ? JR_CONNS_ROOM : JR_CONNS_EVICTED;
        enum jr_conns_full full;
        struct bench b;
        size_t gone;

        setup(&b, 2);
        for (size_t k = 0; k < 2; k++) {
            bring(&b, k, stages[rows[i].was[k]]);
            if (rows[i].was[k] == SHAKING)
                jr_conns_await_client(&b.conns, &b.conn[k]);
            if (rows[i].was[k] == GOOD)
                jr_conns_trust(&b.conns, &b.conn[k]);
        }
        forward(&b, 1);
        full = add_from(&b, 2, "10.0.0.2");
        gone = first_ended(&b, 2);
        if (full != want || gone != rows[i].ended)
            fail_msg("row %zu: %d, connection %zu", i, (int)full, gone);
        teardown(&b);
    }
}

/* Of several addresses: who has most loses the oldest of its own. */
static void test_addresses(void **state)
{
    static const struct {
        const char *from[5]; /* the last one is new */
        size_t address_max;
        size_t ended; /* 4: none */
    } rows[] = {
        { { "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2", "10.0.0.3" }, 4, 1 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2", "10.0.0.1" }, 4, 1 },
        { { "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3" }, 4, 0 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.2" }, 2, 1 },
        { { "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.1", "10.0.0.1" }, 1, 3 },
        /* a network of IPv6 is one peer, and IPv4 is what it is */
        { { "2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8::2", "2001:db8:0:1::9" },
          2,
          1 },
        { { "10.0.0.1", "10.0.0.2", "::ffff:10.0.0.2", "10.0.0.3", "10.0.0.4" }, 4, 1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct bench b;
        size_t gone;

        setup(&b, 4);
        b.conns.limits.address_max = rows[i].address_max;
        for (size_t k = 0; k < 4; k++)
            bring_from(&b, k, JR_CONN_IDLE, rows[i].from[k]);
        forward(&b, 1);
        (void)add_from(&b, 4, rows[i].from[4]);
        gone = first_ended(&b, 4);
        if (gone != rows[i].ended)
            fail_msg("row %zu: connection %zu", i, gone);
        teardown(&b);
    }
}

/* The silent have a limit of their own, and lose to nobody but the silent. */
static void test_silent(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 8);
    b.conns.limits.silent_max = 2;
    bring(&b, 0, JR_CONN_IDLE);
    bring(&b, 1, JR_CONN_NEW);
    bring(&b, 2, JR_CONN_NEW);
    assert_int_equal(add(&b, 3), JR_CONNS_EVICTED);
    assert_int_equal(first_ended(&b, 4), 1);
    assert_int_equal(jr_conns_count(&b.conns), 3);
    teardown(&b);
}

/* A handshake has half a second before it is evicted for a peer with as many, and no time before
 * others. */
static void test_grace(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 4);
    for (size_t i = 0; i < 4; i++) {
        bring(&b, i, JR_CONN_TRANSFERRED);
        jr_conns_await_client(&b.conns, &b.conn[i]);
        b.v.mono.ns -= SECOND; /* all at once */
    }
    assert_int_equal(add(&b, 4), JR_CONNS_REFUSED);
    assert_int_equal(first_ended(&b, 4), 4);
    assert_int_equal(add_from(&b, 4, "10.0.0.2"), JR_CONNS_EVICTED);
    assert_true(ended(&b, 0));
    forward(&b, 1);
    assert_int_equal(add(&b, 5), JR_CONNS_EVICTED);
    teardown(&b);
}

/* Finding: a handshake lost its half second by waiting for busy threads. The time for a step begins
 * when it is the client's turn. */
static void test_grace_is_the_clients(void **state)
{
    static void (*const steps[])(struct jr_conns *, struct jr_conn *) = { jr_conns_await_client,
                                                                          jr_conns_open };
    struct bench b;

    (void)state;
    for (size_t k = 0; k < JR_ARRAY_SIZE(steps); k++) {
        setup(&b, 4);
        for (size_t i = 0; i < 4; i++)
            bring(&b, i, JR_CONN_TRANSFERRED);
        forward(&b, 1);
        for (size_t i = 0; i < 4; i++)
            steps[k](&b.conns, &b.conn[i]);
        if (add(&b, 4) != JR_CONNS_REFUSED || first_ended(&b, 4) != 4)
            fail_msg("step %zu: no time", k);
        forward(&b, 1);
        steps[k](&b.conns, &b.conn[0]); /* once more gains none */
        if (add(&b, 4) != JR_CONNS_EVICTED || first_ended(&b, 4) != 0)
            fail_msg("step %zu: time without end", k);
        teardown(&b);
    }
}

/** A second later, a connection of that address whose handshake is over. False: it was refused. */
static bool opened(struct bench *b, struct jr_conn *conn, uint32_t address)
{
    const struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
    struct jr_conn *silent;
    bool known;

    forward(b, 1);
    if (jr_conns_add(&b->conns, conn, b->fd[0][0], (const struct sockaddr *)&from, &silent) ==
        JR_CONNS_REFUSED)
        return false;
    assert_null(silent);
    assert_true(jr_conns_transfer(&b->conns, conn, &known));
    jr_conns_transfer_finish(&b->conns, conn, b->fd[0][0]);
    jr_conns_open(&b->conns, conn);
    return true;
}

/* Finding: where descriptors ran short a crowd took the place of one that had just come. */
static void test_crowd(void **state)
{
    enum { MAX = 2, N = MAX + 8 }; /* half of the places beyond */
    struct jr_conn crowd[N];
    struct bench b;

    (void)state;
    setup(&b, MAX);
    b.conns.limits.silent_max = N; /* that they are too many is another matter */
    memset(crowd, 0, sizeof(crowd));
    for (size_t i = 0; i < N; i++)
        assert_true(opened(&b, &crowd[i], 0x0a000001));              /* 10.0.0.1 */
    assert_int_equal(add_from(&b, 1, "10.0.0.2"), JR_CONNS_EVICTED); /* half of them is for such */
    assert_true(add(&b, 2) == JR_CONNS_REFUSED && !ended(&b, 1));
    forward(&b, 1); /* it has had its time */
    assert_int_equal(add(&b, 2), JR_CONNS_EVICTED);
    assert_true(ended(&b, 1));
    teardown(&b);
}

/* Where clients show certificates nobody takes a place from one that is good. */
static void test_trusted_stay(void **state)
{
    struct bench b;

    (void)state;
    setup(&b, 4);
    b.conns.limits.trusted_stay = true;
    for (size_t i = 0; i < 4; i++) {
        bring(&b, i, JR_CONN_IDLE);
        jr_conns_trust(&b.conns, &b.conn[i]);
    }
    assert_int_equal(add(&b, 4), JR_CONNS_REFUSED);
    assert_int_equal(first_ended(&b, 4), 4);
    jr_conns_distrust_all(&b.conns);
    assert_int_equal(add(&b, 4), JR_CONNS_EVICTED);
    assert_int_equal(first_ended(&b, 4), 0);
    teardown(&b);
}

/* What was shut and is not closed yet is a descriptor all the same: only so many on top. */
static void test_shut_counts(void **state)
{
    enum { MAX = 2 };
    struct jr_conn shut[MAX + 64];
    struct bench b;
    size_t n = 0;

    (void)state;
    setup(&b, MAX);
    memset(shut, 0, sizeof(shut));
    while (n < JR_ARRAY_SIZE(shut) && opened(&b, &shut[n], (uint32_t)n))
        n++;
    assert_int_equal(n, MAX + jr_conns_shut_max(MAX));
    assert_int_equal(jr_conns_count(&b.conns), n);
    for (size_t i = 0; i < n; i++)
        jr_conns_remove(&b.conns, &shut[i]);
    assert_int_equal(jr_conns_count(&b.conns), 0);
    teardown(&b);
}

/* Where only numbers count, whoever has fewer connections goes before whoever has the most, and the
 * stage says nothing. */
static void test_fair(void **state)
{
    static const struct {
        const char *from[5]; /* the last one is new */
        bool young;          /* the others are in their half second */
        enum jr_conns_full full;
        size_t ended; /* 4: none */
    } rows[] = {
        { { "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2", "10.0.0.3" },
          true,
          JR_CONNS_EVICTED,
          1 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2", "10.0.0.1" },
          true,
          JR_CONNS_EVICTED,
          1 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.3", "10.0.0.4" },
          true,
          JR_CONNS_EVICTED,
          2 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.3", "10.0.0.1" },
          true,
          JR_CONNS_EVICTED,
          2 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.3", "10.0.0.3" },
          true,
          JR_CONNS_REFUSED,
          4 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.3", "10.0.0.3" },
          false,
          JR_CONNS_EVICTED,
          2 },
        { { "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1" },
          true,
          JR_CONNS_REFUSED,
          4 },
        { { "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.1" },
          false,
          JR_CONNS_EVICTED,
          0 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5" },
          true,
          JR_CONNS_REFUSED,
          4 },
        { { "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5" },
          false,
          JR_CONNS_EVICTED,
          0 },
    };
    static const enum jr_conn_stage stages[] = {
        JR_CONN_NEW,       JR_CONN_TRANSFERRED, JR_CONN_OPEN, JR_CONN_HEADERS,
        JR_CONN_RECEIVING, JR_CONN_SENDING,     JR_CONN_IDLE,
    };
    enum { N_STAGES = JR_ARRAY_SIZE(stages) };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows) * N_STAGES; i++) {
        const size_t row = i / N_STAGES;
        enum jr_conns_full full;
        struct bench b;
        size_t gone;

        setup(&b, 4);
        b.conns.limits.fair = true;
        b.conns.limits.address_max = b.conns.limits.silent_max = 1; /* don't count */
        for (size_t k = 0; k < 4; k++) {
            bring_from(&b, k, stages[(i + k) % N_STAGES], rows[row].from[k]);
            if (rows[row].young)
                b.v.mono.ns -= SECOND - JR_MSEC;
        }
        forward(&b, rows[row].young ? 0 : 1);
        full = add_from(&b, 4, rows[row].from[4]);
        gone = first_ended(&b, 4);
        if (full != rows[row].full || gone != rows[row].ended)
            fail_msg("row %zu, stage %zu: %d, connection %zu", row, i % N_STAGES, (int)full, gone);
        teardown(&b);
    }
}

/* One that is evicted on its way from one owner to the next is shut down when it has come: before,
 * its descriptor may be another's. */
static void test_fair_on_its_way(void **state)
{
    struct bench b;
    bool known;

    (void)state;
    setup(&b, 1);
    b.conns.limits.fair = true;
    assert_int_equal(add(&b, 0), JR_CONNS_ROOM);
    assert_true(jr_conns_transfer(&b.conns, &b.conn[0], &known));
    assert_int_equal(add_from(&b, 1, "10.0.0.2"), JR_CONNS_REFUSED);
    forward(&b, 1);
    assert_int_equal(add_from(&b, 1, "10.0.0.2"), JR_CONNS_EVICTED);
    assert_false(ended(&b, 0));
    jr_conns_transfer_finish(&b.conns, &b.conn[0], b.fd[0][0]);
    assert_true(ended(&b, 0));
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
    assert_int_equal(jr_conns_hold(&b.conns, &b.conn[2], 1), 1); /* the first is evicted */
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
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_silent),
        cmocka_unit_test(test_grace),
        cmocka_unit_test(test_grace_is_the_clients),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_trusted_stay),
        cmocka_unit_test(test_shut_counts),
        cmocka_unit_test(test_fair),
        cmocka_unit_test(test_fair_on_its_way),
        cmocka_unit_test(test_greed),
        cmocka_unit_test(test_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
