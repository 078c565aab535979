/* SPDX-License-Identifier: Apache-2.0 */
/* A connection whose peer acknowledges bytes and answers nothing is left, and what waits on it is
 * given up. (Findings: a stalled connection is used for ever; one that swallows stalls all Jobs for
 * two minutes.) */
#include "tests/unit/kube/curl_world.h"
#include "tests/unit/kube/h2_server.h"

struct stall {
    struct world w; /* without its own server */
    struct h2_server *server;
};

static struct jr_mono clock_mono(void *self)
{
    const struct stall *s = self;
    struct jr_mono m = jr_clock_system.mono(jr_clock_system.self);

    m.ns += s->w.ahead_ns;
    return m;
}

static struct jr_time clock_wall(void *self)
{
    (void)self;
    return jr_clock_system.wall(jr_clock_system.self);
}

/** The connection is there, has answered one request, and answers none from the next one on. */
static void stall_init_by(struct stall *s, const struct h2_plan *plan)
{
    struct jr_error error = { 0 };
    struct outcome o;

    *s = (struct stall){ 0 };
    s->w.clock = (struct jr_clock){ clock_wall, clock_mono, s };
    s->server = h2_start(plan);
    assert_true(asprintf(&s->w.config.server, "https://127.0.0.1:%d", h2_port(s->server)) > 0);
    s->w.config.insecure = true;
    assert_ok(jr_loop_new(&s->w.clock, &s->w.loop, &error), &error);
    world_connect(&s->w);
    o = ask(&s->w, "POST", "/x", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 200);
}

static void stall_init(struct stall *s)
{
    stall_init_by(s, &(struct h2_plan){ .stall_at = 2 });
}

static void stall_done(struct stall *s)
{
    jr_curl_free(s->w.curl);
    /* A timer that outlives what it is about runs on freed memory. */
    assert_int_equal(jr_loop_next(s->w.loop).ns, INT64_MAX);
    jr_kube_config_done(&s->w.config);
    jr_loop_free(s->w.loop);
    h2_stop(s->server);
}

/** Turns the loop until the server's count is as wanted. */
static void until_count(struct stall *s, int (*count)(struct h2_server *), int want)
{
    for (int i = 0; count(s->server) != want; i++) {
        assert_int_equal(jr_loop_turn(s->w.loop, 20 * JR_MSEC, NULL, NULL), JR_OK);
        if (i > 3000)
            fail_msg("got %d, want %d", count(s->server), want);
    }
}

/** Turns the loop until what was sent on loopback has been read. */
static void read_what_was_sent(struct stall *s)
{
    for (int i = 0; i < 50; i++)
        assert_int_equal(jr_loop_turn(s->w.loop, 20 * JR_MSEC, NULL, NULL), JR_OK);
}

static void begin(struct stall *s, int64_t timeout_ms, struct outcome *o)
{
    const struct jr_http_request req = {
        .method = "POST", .path = "/x", .body = JR_S("{}"), .timeout_ms = timeout_ms
    };

    start(&s->w, &req, o);
}

/** After a deadline, whoever is next. */
static void test_after_a_deadline(void **state)
{
    struct outcome lost = { 0 }, next[3] = { 0 };
    struct stall s;

    (void)state;
    stall_init(&s);
    begin(&s, 12000, &lost);
    until_count(&s, h2_stalled, 1);
    s.w.ahead_ns += 12 * JR_SEC; /* less than silence takes */
    until(&s.w, &lost.n, 1);
    assert_outcome(&lost, JR_HTTP_AMBIGUOUS, 0);
    assert_int_equal(lost.a.error.status, JR_TIMEOUT);
    for (size_t i = 0; i < JR_ARRAY_SIZE(next); i++)
        begin(&s, 60000, &next[i]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(next); i++) {
        until(&s.w, &next[i].n, 1);
        assert_outcome(&next[i], JR_HTTP_DONE, 200);
    }
    assert_int_equal(h2_connections(s.server), 2);
    stall_done(&s);
}

/** A request waits on a connection that says nothing for 16 s, and another one is sent. */
static void fall_silent(struct stall *s, struct outcome *waits, struct outcome *next)
{
    begin(s, 60000, waits);
    until_count(s, h2_stalled, 1);
    s->w.ahead_ns += 16 * JR_SEC;
    begin(s, 60000, next);
}

/** Silence while something waits is enough: long before its deadline. */
static void test_after_silence(void **state)
{
    struct outcome waits = { 0 }, next = { 0 };
    struct stall s;

    (void)state;
    stall_init(&s);
    fall_silent(&s, &waits, &next);
    until(&s.w, &next.n, 1);
    assert_outcome(&next, JR_HTTP_DONE, 200);
    assert_int_equal(waits.n, 0);
    h2_go(s.server); /* it was only slow: its answer still counts */
    until(&s.w, &waits.n, 1);
    assert_outcome(&waits, JR_HTTP_DONE, 200);
    until_count(&s, h2_open, 1); /* and then the connection goes */
    assert_int_equal(h2_connections(s.server), 2);
    stall_done(&s);
}

/** One that answers is kept, but for a request that comes long after the last byte: nobody knows
 * what has become of it in between. */
static void test_a_good_connection_is_kept(void **state)
{
    struct outcome o;
    struct stall s;

    (void)state;
    stall_init(&s);
    h2_go(s.server);
    for (int i = 0; i < 8; i++) {
        s.w.ahead_ns += i < 7 ? 8 * JR_SEC : 11 * JR_SEC;
        o = ask(&s.w, "POST", "/x", "{}");
        assert_outcome(&o, JR_HTTP_DONE, 200);
        assert_int_equal(h2_connections(s.server), i < 7 ? 1 : 2);
    }
    stall_done(&s);
}

/** The only request that there is waits: the server is asked, and what it doesn't answer in time is
 * over, long before the request's own deadline. */
static void test_a_probe_without_an_answer(void **state)
{
    struct outcome lost = { 0 }, next = { 0 };
    struct stall s;

    (void)state;
    stall_init(&s);
    begin(&s, 60000, &lost);
    until_count(&s, h2_stalled, 1);
    s.w.ahead_ns += 11 * JR_SEC;
    read_what_was_sent(&s); /* the probe goes out */
    assert_int_equal(lost.n, 0);
    s.w.ahead_ns += 16 * JR_SEC;
    until(&s.w, &lost.n, 1);
    assert_outcome(&lost, JR_HTTP_AMBIGUOUS, 0);
    assert_int_equal(lost.a.error.status, JR_TIMEOUT);
    assert_int_equal(h2_connections(s.server), 1);
    begin(&s, 60000, &next);
    until(&s.w, &next.n, 1);
    assert_outcome(&next, JR_HTTP_DONE, 200);
    assert_int_equal(h2_connections(s.server), 2);
    stall_done(&s);
}

/** A request that is only slow goes on to its own end, where its connection answers the probes. */
static void test_probes_with_answers(void **state)
{
    struct outcome slow = { 0 };
    struct stall s;

    (void)state;
    stall_init_by(&s, &(struct h2_plan){ .slow_at = 2 });
    begin(&s, 60000, &slow);
    until_count(&s, h2_stalled, 1);
    for (int probes = 1; probes <= 3; probes++) {
        s.w.ahead_ns += 16 * JR_SEC;
        until_count(&s, h2_answered, 1 + probes);
        read_what_was_sent(&s);
        assert_int_equal(slow.n, 0);
    }
    s.w.ahead_ns += 16 * JR_SEC;
    until(&s.w, &slow.n, 1);
    assert_outcome(&slow, JR_HTTP_AMBIGUOUS, 0);
    assert_string_equal(strrchr(slow.a.error.msg, ':'), ": no answer in time");
    assert_int_equal(h2_connections(s.server), 1);
    stall_done(&s);
}

static const struct jr_http_request stream = { .method = "GET",
                                               .path = "/stream",
                                               .own_connection = true };

/** A deadline ends what is older, streams too, over HTTP/1.1. */
static void test_streams_of_the_same_age(void **state)
{
    const struct jr_http_request silent = { .method = "GET",
                                            .path = "/silent",
                                            .timeout_ms = 5000 };
    struct outcome old = { 0 }, lively = { 0 }, young = { 0 }, late = { 0 };
    struct world w;

    (void)state;
    world_init(&w);
    send_with(&w, &stream, &old, true);
    until_chunks(&w, &old, "one\n");
    send_with(&w, &stream, &lively, true);
    until_chunks(&w, &lively, "one\n");
    w.ahead_ns += JR_SEC;
    start(&w, &silent, &late);
    until_requests(&w, 3);
    w.ahead_ns += JR_SEC;
    server_go(w.server);
    while (old.n_chunks + lively.n_chunks < 3) /* one of the two has shown that it lives */
        assert_int_equal(jr_loop_turn(w.loop, 20 * JR_MSEC, NULL, NULL), JR_OK);
    send_with(&w, &stream, &young, true);
    until_chunks(&w, &young, "one\n");
    w.ahead_ns += 4 * JR_SEC;
    until(&w, &late.n, 1);
    while (old.n + lively.n == 0)
        assert_int_equal(jr_loop_turn(w.loop, 20 * JR_MSEC, NULL, NULL), JR_OK);
    assert_int_equal(old.n + (old.n_chunks == 2), 1);
    assert_int_equal(lively.n + (lively.n_chunks == 2), 1);
    assert_int_equal((old.n != 0 ? old : lively).a.error.status, JR_TIMEOUT);
    assert_int_equal(young.n, 0);
    world_done(&w);
}

/** A connection that takes one request at a time can't be asked: time decides. */
static void test_http_1_1(void **state)
{
    const struct jr_http_request silent = { .method = "GET",
                                            .path = "/silent",
                                            .timeout_ms = 60000 };
    struct outcome lost = { 0 }, o;
    struct world w;

    (void)state;
    world_init(&w);
    start(&w, &silent, &lost);
    until_requests(&w, 1);
    w.ahead_ns += 25 * JR_SEC;
    o = ask(&w, "GET", "/ok", NULL); /* what others are answered says nothing of it */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(lost.n, 0);
    w.ahead_ns += 6 * JR_SEC;
    until(&w, &lost.n, 1);
    assert_outcome(&lost, JR_HTTP_AMBIGUOUS, 0);
    assert_int_equal(lost.a.error.status, JR_TIMEOUT);
    world_done(&w);
}

/** As many as may go at once are lost: those behind them don't wait for their places. */
static void test_those_that_wait_for_a_turn(void **state)
{
    struct outcome lost[120] = { 0 };
    struct stall s;
    int done = 0;

    (void)state;
    stall_init(&s);
    for (size_t i = 0; i < JR_ARRAY_SIZE(lost); i++)
        begin(&s, i == 0 ? 12000 : 60000, &lost[i]);
    until_count(&s, h2_stalled, 1);
    s.w.ahead_ns += 12 * JR_SEC;
    until(&s.w, &lost[0].n, 1);
    for (size_t i = 96; i < JR_ARRAY_SIZE(lost); i++) {
        until(&s.w, &lost[i].n, 1);
        assert_outcome(&lost[i], JR_HTTP_DONE, 200);
    }
    for (size_t i = 0; i < 96; i++) { /* the same connection has lost them */
        until(&s.w, &lost[i].n, 1);
        done += lost[i].a.outcome == JR_HTTP_AMBIGUOUS;
    }
    assert_int_equal(done, 96);
    stall_done(&s);
}

/** The transport goes while requests wait on connections of both kinds. */
static void test_the_end_in_the_middle(void **state)
{
    struct outcome waits = { 0 }, next = { 0 };
    struct stall s;

    (void)state;
    stall_init(&s);
    fall_silent(&s, &waits, &next);
    stall_done(&s);
    assert_int_equal(waits.n + next.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_a_deadline),
        cmocka_unit_test(test_after_silence),
        cmocka_unit_test(test_a_good_connection_is_kept),
        cmocka_unit_test(test_a_probe_without_an_answer),
        cmocka_unit_test(test_probes_with_answers),
        cmocka_unit_test(test_streams_of_the_same_age),
        cmocka_unit_test(test_http_1_1),
        cmocka_unit_test(test_those_that_wait_for_a_turn),
        cmocka_unit_test(test_the_end_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
