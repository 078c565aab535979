/* SPDX-License-Identifier: Apache-2.0 */
/* The curl transport: streams. */
#include "tests/unit/kube/curl_world.h"

static struct jr_http_request stream_of(const char *path)
{
    return (struct jr_http_request){ .method = "GET", .path = path, .own_connection = true };
}

static void test_a_stream(void **state)
{
    const struct jr_http_request req = stream_of("/stream");
    struct world w;
    struct outcome o = { 0 }, other;

    (void)state;
    world_init(&w);
    send_with(&w, &req, &o, true);
    until_chunks(&w, &o, "one\n");
    other = ask(&w, "GET", "/ok", NULL); /* nobody waits for it */
    assert_outcome(&other, JR_HTTP_DONE, 200);
    assert_int_equal(server_connections(w.server), 2);
    server_go(w.server);
    until_chunks(&w, &o, "one\ntwo\n");
    assert_int_equal(o.n, 0);
    server_go(w.server);
    until(&w, &o.n, 1);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(o.body_n, 0);
    world_done(&w);
}

static void test_a_stream_is_always_on_a_new_connection(void **state)
{
    const struct jr_http_request lease = {
        .method = "PUT", .path = "/ok", .body = JR_S("{}"), .own_connection = true
    };
    const struct jr_http_request watch = stream_of("/stream");
    struct world w;
    struct outcome a = { 0 }, b = { 0 }, c = { 0 };

    (void)state;
    world_init(&w);
    start(&w, &lease, &a);
    until(&w, &a.n, 1);
    start(&w, &lease, &b);
    until(&w, &b.n, 1);
    assert_int_equal(server_connections(w.server), 1); /* the Lease keeps its own */
    send_with(&w, &watch, &c, true);
    until_chunks(&w, &c, "one\n");
    assert_int_equal(server_connections(w.server), 2);
    world_done(&w);
}

static void test_a_refused_stream(void **state)
{
    const struct jr_http_request req = stream_of("/code/410");
    struct world w;
    struct outcome o = { 0 };

    (void)state;
    world_init(&w);
    send_with(&w, &req, &o, true);
    until(&w, &o.n, 1);
    assert_outcome(&o, JR_HTTP_DONE, 410);
    assert_string_equal(o.chunks, ""); /* its body is whole */
    assert_has(o.body, "\"status\":\"Failure\"");
    world_done(&w);
}

static void test_a_stream_that_is_not_understood(void **state)
{
    const struct jr_http_request req = stream_of("/stream");
    struct world w;
    struct outcome o = { .refuse = JR_SYNTAX };

    (void)state;
    world_init(&w);
    send_with(&w, &req, &o, true);
    until(&w, &o.n, 1);
    assert_outcome(&o, JR_HTTP_AMBIGUOUS, 200);
    assert_int_equal(o.a.error.status, JR_SYNTAX);
    assert_string_equal(o.chunks, "one\n");
    world_done(&w);
}

static void test_cancelling_a_stream(void **state)
{
    const struct jr_http_request req = stream_of("/stream");
    struct world w;
    struct outcome inside = { .cancel_on_chunk = true }, outside = { 0 }, other;

    (void)state;
    world_init(&w);
    send_with(&w, &req, &inside, true);
    until_chunks(&w, &inside, "one\n");
    send_with(&w, &req, &outside, true);
    until_chunks(&w, &outside, "one\n");
    w.t.cancel(w.t.self, outside.call);
    server_go(w.server);
    server_go(w.server);
    other = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&other, JR_HTTP_DONE, 200);
    assert_int_equal(inside.n, 0);
    assert_int_equal(outside.n, 0);
    assert_string_equal(outside.chunks, "one\n");
    world_done(&w);
}

static void test_a_silent_stream(void **state)
{
    const struct jr_http_request req = {
        .method = "GET", .path = "/hang", .own_connection = true, .idle_timeout_ms = 90000
    };
    struct world w;
    struct outcome o = { 0 };

    (void)state;
    world_init(&w);
    w.ahead_ns += 1000 * JR_SEC; /* before it began: counts for nothing */
    send_with(&w, &req, &o, true);
    until_chunks(&w, &o, "one\n");
    w.ahead_ns += 90 * JR_SEC;
    until(&w, &o.n, 1);
    assert_outcome(&o, JR_HTTP_AMBIGUOUS, 200);
    assert_int_equal(o.a.error.status, JR_TIMEOUT);
    assert_string_equal(o.chunks, "one\n");
    world_done(&w);
}

/** A head that never ends is silence, too: no byte of the body comes. */
static void test_a_head_without_end(void **state)
{
    const struct jr_http_request req = {
        .method = "GET", .path = "/head", .own_connection = true, .idle_timeout_ms = 90000
    };
    struct world w;
    struct outcome o = { 0 };

    (void)state;
    world_init(&w);
    send_with(&w, &req, &o, true);
    until_requests(&w, 1);
    w.ahead_ns += 90 * JR_SEC;
    until(&w, &o.n, 1);
    assert_int_equal(o.a.outcome, JR_HTTP_AMBIGUOUS);
    assert_has(o.a.error.msg, "nothing came");
    world_done(&w);
}

/* What comes in quick succession is read in few goes, 5 ms apart, and none of it is left behind. */
static void test_a_trickling_stream(void **state)
{
    const struct jr_http_request req = stream_of("/trickle");
    struct world w;
    struct outcome o = { 0 };
    struct jr_mono began;
    int64_t ms;

    (void)state;
    world_init(&w);
    began = jr_loop_mono(w.loop);
    send_with(&w, &req, &o, true);
    until(&w, &o.n, 1);
    ms = (jr_loop_mono(w.loop).ns - began.ns) / JR_MSEC;
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(strlen(o.chunks), 120);
    assert_true(o.n_chunks <= ms / 5 + 3); /* the first, and one or two by the end's own event */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream),
        cmocka_unit_test(test_a_stream_is_always_on_a_new_connection),
        cmocka_unit_test(test_a_refused_stream),
        cmocka_unit_test(test_a_stream_that_is_not_understood),
        cmocka_unit_test(test_cancelling_a_stream),
        cmocka_unit_test(test_a_silent_stream),
        cmocka_unit_test(test_a_head_without_end),
        cmocka_unit_test(test_a_trickling_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
