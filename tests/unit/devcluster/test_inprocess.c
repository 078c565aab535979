/* SPDX-License-Identifier: Apache-2.0 */
/* The network in process: perfect alone, and with each of its hooks. */
#include "tests/unit/devcluster/inprocess.h"

#define MAP_BODY "{\"metadata\":{\"name\":\"m\"}}"

/* ---- alone ---- */

static void test_a_perfect_network(void **state)
{
    struct called stream = { 0 }, post = { 0 }, get = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, false);
    world_call(&w, &stream, "GET", WATCH_MAPS "&timeoutSeconds=60", "");
    world_run(&w, 0);
    assert_int_equal(stream.n_chunks, 0);
    world_call(&w, &post, "POST", MAPS, MAP_BODY);
    world_run(&w, 0);
    assert_true(post.done);
    assert_int_equal(post.done_ns, 0);
    assert_int_equal(post.answer.outcome, JR_HTTP_DONE);
    assert_int_equal(post.answer.status, 201);
    assert_int_equal(post.answer.date.ns, w.clock.wall.ns);
    assert_non_null(strstr(post.body.p, "\"name\":\"m\""));
    assert_int_equal(stream.n_chunks, 1);
    assert_int_equal(stream.chunk_ns, 0);
    assert_non_null(strstr(stream.chunks.p, "{\"type\":\"ADDED\""));
    world_call(&w, &get, "GET", MAPS "/none", "");
    world_run(&w, 0);
    assert_int_equal(get.answer.status, 404);
    assert_false(stream.done);
    world_run(&w, 70 * JR_SEC); /* streams are looked after every 10 s */
    assert_true(stream.done);
    assert_int_equal(stream.answer.outcome, JR_HTTP_DONE);
    assert_int_equal(stream.answer.status, 200);
    assert_int_equal(stream.done_ns, 60 * JR_SEC);
    called_done(&stream);
    called_done(&post);
    called_done(&get);
    world_end(&w);
}

static void test_answers_with_and_without_chunks(void **state)
{
    const struct jr_http_request watch = { .path = WATCH_MAPS "&timeoutSeconds=10" };
    const struct jr_http_request list = { .path = MAPS };
    struct called whole = { .may_send = true }, chunked = { .may_send = true };
    struct world w;

    (void)state;
    world_begin(&w, false);
    world_make_map(&w, "a");
    world_send(&w, &whole, &watch, false);
    world_send(&w, &chunked, &list, true);
    world_run(&w, 20 * JR_SEC);
    assert_int_equal(whole.n_chunks, 0);
    assert_non_null(strstr(whole.body.p, "{\"type\":\"ADDED\""));
    assert_int_equal(chunked.n_chunks, 1);
    assert_int_equal(chunked.body.n, 0);
    assert_non_null(strstr(chunked.chunks.p, "\"items\":["));
    called_done(&whole);
    called_done(&chunked);
    world_end(&w);
}

static void test_limits_of_a_call(void **state)
{
    static const struct {
        const char *name;
        struct jr_http_request request;
        struct jr_dev_latency latency;
        bool may_not_send;
        enum jr_http_outcome outcome;
        enum jr_status status;
        int64_t done_ns;
    } rows[] = {
        { "deadline before it goes out",
          { .path = MAPS, .timeout_ms = 500 },
          { .send_ns = JR_SEC, .stream_ns = INT64_MAX },
          false,
          JR_HTTP_NOT_SENT,
          JR_TIMEOUT,
          JR_SEC / 2 },
        { "deadline on the way",
          { .path = MAPS, .timeout_ms = 500 },
          { .request_ns = JR_SEC, .stream_ns = INT64_MAX },
          false,
          JR_HTTP_AMBIGUOUS,
          JR_TIMEOUT,
          JR_SEC / 2 },
        { "deadline on the way back",
          { .path = MAPS, .timeout_ms = 500 },
          { .response_ns = JR_SEC, .stream_ns = INT64_MAX },
          false,
          JR_HTTP_AMBIGUOUS,
          JR_TIMEOUT,
          JR_SEC / 2 },
        { "an idle stream",
          { .path = WATCH_MAPS, .idle_timeout_ms = 3000 },
          { .stream_ns = INT64_MAX },
          false,
          JR_HTTP_AMBIGUOUS,
          JR_TIMEOUT,
          4 * JR_SEC /* a piece came after 1 s */ },
        { "may_send says no",
          { .path = MAPS },
          { .send_ns = JR_SEC, .stream_ns = INT64_MAX },
          true,
          JR_HTTP_NOT_SENT,
          JR_DENIED,
          JR_SEC },
        { "too long an answer",
          { .path = MAPS, .body_max = 20 },
          { .stream_ns = INT64_MAX },
          false,
          JR_HTTP_AMBIGUOUS,
          JR_LIMIT,
          0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct called c = { .may_send = !rows[i].may_not_send };
        struct world w;

        world_begin(&w, true);
        w.latency = rows[i].latency;
        world_send(&w, &c, &rows[i].request, rows[i].request.body_max == 0);
        world_run(&w, JR_SEC);
        world_make_map(&w, "m");
        world_run(&w, 20 * JR_SEC);
        if (!c.done || c.answer.outcome != rows[i].outcome ||
            c.answer.error.status != rows[i].status || c.done_ns != rows[i].done_ns)
            fail_msg("%s: outcome %d, %s, after %lld ns", rows[i].name, (int)c.answer.outcome,
                     c.answer.error.msg, (long long)c.done_ns);
        called_done(&c);
        world_end(&w);
    }
}

static void test_cancelling(void **state)
{
    struct called chunk = { .cancel_at_chunk = true }, done = { .cancel_at_end = true };
    struct called early = { 0 }, bad = { .chunk_status = JR_INVALID };
    struct world w;

    (void)state;
    world_begin(&w, true);
    world_call(&w, &chunk, "GET", WATCH_MAPS, "");
    world_call(&w, &bad, "GET", WATCH_MAPS, "");
    world_call(&w, &early, "GET", MAPS, "");
    w.transport.cancel(w.transport.self, early.call);
    world_run(&w, 0);
    world_make_map(&w, "a");
    world_run(&w, 0);
    world_make_map(&w, "b");
    world_run(&w, 100 * JR_SEC);
    assert_int_equal(chunk.n_chunks, 1);
    assert_false(chunk.done);
    assert_false(early.done);
    assert_int_equal(bad.n_chunks, 1);
    assert_int_equal(bad.answer.outcome, JR_HTTP_AMBIGUOUS);
    assert_int_equal(bad.answer.error.status, JR_INVALID);
    jr_buf_reset(&w.log);
    world_call(&w, &done, "GET", MAPS, "");
    world_run(&w, 0);
    assert_true(done.done);
    world_expect_log(&w, "made sent arrived ask 200 respond ended");
    called_done(&chunk);
    called_done(&bad);
    called_done(&early);
    called_done(&done);
    world_end(&w);
}

static void test_what_is_sent_is_carried_out(void **state)
{
    struct called post = { 0 }, held = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, true);
    w.latency.request_ns = JR_SEC;
    world_call(&w, &post, "POST", MAPS, MAP_BODY);
    world_run(&w, 0);
    w.latency.send_ns = 1;
    world_call(&w, &held, "POST", MAPS, "{\"metadata\":{\"name\":\"held\"}}");
    jr_dev_client_free(w.client);
    w.client = NULL;
    world_run(&w, 2 * JR_SEC);
    assert_false(post.done || held.done);
    world_expect_log(&w, "made sent made cancelled cancelled arrived ask 201 wrote respond-write");
    assert_int_equal(world_map_status(&w, "m"), 200);
    assert_int_equal(world_map_status(&w, "held"), 404);
    called_done(&post);
    called_done(&held);
    world_end(&w);
}

static void test_a_client_that_is_freed_in_a_hook(void **state)
{
    struct called post = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, true);
    w.free_client = true;
    world_call(&w, &post, "POST", MAPS, MAP_BODY);
    world_run(&w, 0);
    w.free_client = false;
    assert_false(post.done);
    world_expect_log(&w, "made sent arrived ask 201 cancelled wrote respond-write");
    called_done(&post);
    world_end(&w);
}

static void test_webhooks_fail(void **state)
{
    static const char hook[] =
        "{\"metadata\":{\"name\":\"h\"},\"webhooks\":[{\"name\":\"h.test.io\","
        "\"admissionReviewVersions\":[\"v1\"],\"sideEffects\":\"None\",\"clientConfig\":{"
        "\"url\":\"https://127.0.0.1:9443/h\"},\"rules\":[{\"operations\":[\"*\"],"
        "\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"configmaps\"]}]}]}";
    struct called post = { 0 }, map = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, false);
    world_call(&w, &post, "POST",
               "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", hook);
    world_run(&w, 0);
    assert_int_equal(post.answer.status, 201);
    world_call(&w, &map, "POST", MAPS, MAP_BODY);
    world_run(&w, 0);
    assert_int_equal(map.answer.status, 500);
    assert_non_null(strstr(map.body.p, "webhooks can't be called in process"));
    called_done(&post);
    called_done(&map);
    world_end(&w);
}

/* ---- hooks of requests ---- */

static void test_latency(void **state)
{
    struct called post = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, true);
    w.latency = (struct jr_dev_latency){ JR_SEC, 2 * JR_SEC, 4 * JR_SEC, INT64_MAX };
    world_call(&w, &post, "POST", MAPS, MAP_BODY);
    world_run(&w, JR_SEC - 1);
    world_expect_log(&w, "made");
    world_run(&w, 1);
    world_expect_log(&w, "sent");
    world_run(&w, 2 * JR_SEC);
    world_expect_log(&w, "arrived ask 201 wrote respond-write");
    world_run(&w, 4 * JR_SEC);
    world_expect_log(&w, "ended");
    assert_int_equal(post.done_ns, 7 * JR_SEC);
    called_done(&post);
    world_end(&w);
}

static void test_faults_of_requests(void **state)
{
    static const struct jr_dev_response busy = { .status = 429,
                                                 .retry_after_s = 3,
                                                 .body = { "busy", 4 } },
                                        half = { .kind = JR_DEV_RESPONSE_LOST,
                                                 .status = 201,
                                                 .body = { "ha", 2 } },
                                        lost = { .kind = JR_DEV_RESPONSE_LOST },
                                        never = { .kind = JR_DEV_RESPONSE_NEVER };
    static const struct {
        const char *name;
        bool refuse_connection;
        const struct jr_dev_response *instead, *response;
        const char *ask_path;
        enum jr_http_outcome outcome;
        int status;
        const char *body; /* NULL: any */
        bool carried_out;
        const char *log;
    } rows[] = {
        { "connection refused", true, NULL, NULL, NULL, JR_HTTP_NOT_SENT, 0, "", false,
          "made sent given-up ended" },
        { "429 instead", false, &busy, NULL, NULL, JR_HTTP_DONE, 429, "busy", false,
          "made sent arrived ended" },
        { "lost before", false, &lost, NULL, NULL, JR_HTTP_AMBIGUOUS, 0, "", false,
          "made sent arrived ended" },
        { "lost after", false, NULL, &lost, NULL, JR_HTTP_AMBIGUOUS, 0, "", true,
          "made sent arrived ask 201 wrote respond-write ended" },
        { "half an answer", false, NULL, &half, NULL, JR_HTTP_AMBIGUOUS, 201, "ha", true,
          "made sent arrived ask 201 wrote respond-write ended" },
        { "another answer", false, NULL, &busy, NULL, JR_HTTP_DONE, 429, "busy", true,
          "made sent arrived ask 201 wrote respond-write ended" },
        { "never an answer", false, NULL, &never, NULL, JR_HTTP_AMBIGUOUS, 0, "", true,
          "made sent arrived ask 201 wrote respond-write given-up ended" },
        { "another path", false, NULL, NULL, "/api/v1/namespaces/none/configmaps", JR_HTTP_DONE,
          404, NULL, false, "made sent arrived ask 404 respond ended" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_http_request req = {
            .method = "POST", .path = MAPS, .body = JR_S(MAP_BODY), .timeout_ms = 1000
        };
        struct called c = { .may_send = true };
        struct world w;

        world_begin(&w, true);
        w.refuse_connection = rows[i].refuse_connection;
        w.instead = rows[i].instead;
        w.response = rows[i].response;
        w.ask_path = rows[i].ask_path;
        world_send(&w, &c, &req, false);
        world_run(&w, 2 * JR_SEC);
        if (!c.done || c.answer.outcome != rows[i].outcome || c.answer.status != rows[i].status ||
            (rows[i].body != NULL && !jr_str_is(jr_buf_str(&c.body), rows[i].body)) ||
            c.answer.retry_after_s != (rows[i].status == 429 ? 3 : 0))
            fail_msg("%s: outcome %d, status %d", rows[i].name, (int)c.answer.outcome,
                     c.answer.status);
        world_expect_log(&w, rows[i].log);
        assert_int_equal(world_map_status(&w, "m"), rows[i].carried_out ? 200 : 404);
        called_done(&c);
        world_end(&w);
    }
}

/* ---- hooks of streams ---- */

static void test_a_stream_that_lags(void **state)
{
    struct called stream = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, true);
    w.lag_ns = 5 * JR_SEC;
    world_call(&w, &stream, "GET", WATCH_MAPS, "");
    world_run(&w, 0);
    world_expect_log(&w, "made sent arrived ask stream-200 read-0-6");
    world_make_map(&w, "a");
    world_run(&w, 4 * JR_SEC);
    world_make_map(&w, "b"); /* is read after that */
    world_expect_log(&w, "201 other-wrote lag 201 other-wrote");
    world_run(&w, JR_SEC);
    world_expect_log(&w, "read-6-7 piece lag received-7");
    world_run(&w, 5 * JR_SEC);
    world_expect_log(&w, "read-7-8 piece received-8");
    assert_int_equal(stream.chunk_ns, 10 * JR_SEC);
    called_done(&stream);
    world_end(&w);
}

static void test_a_stream_in_pieces(void **state)
{
    struct called stream = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, true);
    world_call(&w, &stream, "GET", WATCH_MAPS, "");
    world_run(&w, 0);
    world_make_map(&w, "a");
    world_run(&w, 0);
    w.more_frames = "more\n";
    w.piece = stream.chunks.n;
    w.pause_ns = JR_SEC;
    jr_buf_reset(&w.log);
    jr_buf_reset(&stream.chunks);
    world_make_map(&w, "b");
    world_run(&w, 0);
    world_expect_log(&w, "201 other-wrote lag read-7-8 piece piece received-0");
    world_run(&w, JR_SEC);
    world_expect_log(&w, "received-8");
    assert_int_equal(stream.n_chunks, 3);
    assert_int_equal(stream.chunk_ns, JR_SEC);
    assert_non_null(strstr(stream.chunks.p, "}\nmore\n"));
    called_done(&stream);
    world_end(&w);
}

static void test_ends_of_streams(void **state)
{
    static const enum jr_dev_stream_end end = JR_DEV_STREAM_END, cut = JR_DEV_STREAM_CUT,
                                        silent = JR_DEV_STREAM_SILENT;
    static const struct {
        const char *name;
        const char *path;
        int64_t life_ns;
        bool cut_reads;
        const enum jr_dev_stream_end *instead;
        enum jr_http_outcome outcome;
        enum jr_status status;
        int64_t done_ns;
    } rows[] = {
        { "life", WATCH_MAPS, 3 * JR_SEC, false, NULL, JR_HTTP_AMBIGUOUS, JR_IO, 3 * JR_SEC },
        { "no life", WATCH_MAPS, 0, false, NULL, JR_HTTP_AMBIGUOUS, JR_IO, 0 },
        { "life, and a proper end", WATCH_MAPS, 3 * JR_SEC, false, &end, JR_HTTP_DONE, JR_OK,
          3 * JR_SEC },
        { "silence", WATCH_MAPS, 3 * JR_SEC, false, &silent, JR_HTTP_AMBIGUOUS, JR_TIMEOUT,
          31 * JR_SEC },
        { "by the server", WATCH_MAPS "&timeoutSeconds=10", INT64_MAX, false, NULL, JR_HTTP_DONE,
          JR_OK, 10 * JR_SEC },
        { "by the server, but cut", WATCH_MAPS "&timeoutSeconds=10", INT64_MAX, false, &cut,
          JR_HTTP_AMBIGUOUS, JR_IO, 10 * JR_SEC },
        { "cut behind what is read", WATCH_MAPS, INT64_MAX, true, NULL, JR_HTTP_AMBIGUOUS, JR_IO,
          0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_http_request req = { .path = rows[i].path, .idle_timeout_ms = 30000 };
        struct called c = { .may_send = true };
        struct world w;

        world_begin(&w, true);
        w.latency.stream_ns = rows[i].life_ns;
        w.cut_reads = rows[i].cut_reads;
        w.stream_end = rows[i].instead;
        world_send(&w, &c, &req, true);
        world_run(&w, JR_SEC);
        world_make_map(&w, "m"); /* what it tells goes before the end */
        world_run(&w, 100 * JR_SEC);
        if (!c.done || c.answer.outcome != rows[i].outcome || c.done_ns != rows[i].done_ns ||
            (c.answer.outcome != JR_HTTP_DONE && c.answer.error.status != rows[i].status) ||
            c.n_chunks != (rows[i].done_ns > JR_SEC ? 1 : 0))
            fail_msg("%s: outcome %d, %s, after %lld ns, %zu chunks", rows[i].name,
                     (int)c.answer.outcome, c.answer.error.msg, (long long)c.done_ns, c.n_chunks);
        called_done(&c);
        world_end(&w);
    }
}

/** All connections swallow what is sent from a moment on. What is sent on the one that requests
 * share has no answer; the probe finds out, and takes the stream of the same age with it. */
static void test_connections_that_swallow(void **state)
{
    const struct jr_http_request watch = { .path = WATCH_MAPS, .own_connection = true };
    const struct jr_http_request get = { .path = MAPS, .timeout_ms = 60000 };
    struct called before = { .may_send = true }, stream = { .may_send = true },
                  lost = { .may_send = true }, after = { .may_send = true };
    struct world w;

    (void)state;
    world_begin(&w, true);
    world_send(&w, &stream, &watch, true);
    world_send(&w, &before, &get, false);
    world_run(&w, JR_SEC);
    assert_true(before.done && before.answer.outcome == JR_HTTP_DONE);
    w.swallow_before_ns = jr_loop_mono(w.loop).ns;
    world_make_map(&w, "m");
    world_send(&w, &lost, &get, false);
    world_run(&w, 20 * JR_SEC);
    assert_false(stream.done || lost.done);
    world_run(&w, 10 * JR_SEC);
    assert_true(stream.done && lost.done);
    assert_int_equal(stream.n_chunks, 0);
    assert_int_equal(lost.answer.outcome, JR_HTTP_AMBIGUOUS);
    assert_int_equal(stream.answer.error.status, JR_TIMEOUT);
    world_send(&w, &after, &get, false);
    world_run(&w, JR_SEC);
    assert_true(after.done && after.answer.outcome == JR_HTTP_DONE);
    called_done(&before);
    called_done(&stream);
    called_done(&lost);
    called_done(&after);
    world_end(&w);
}

/** A request that was sent at the moment its connection was opened speaks against that one, too. */
static void test_a_first_request_that_is_swallowed(void **state)
{
    const struct jr_http_request get = { .path = MAPS, .own_connection = true, .timeout_ms = 5000 };
    struct called lost = { .may_send = true }, after = { .may_send = true };
    struct world w;

    (void)state;
    world_begin(&w, true);
    w.swallow_before_ns = jr_loop_mono(w.loop).ns + 1;
    world_send(&w, &lost, &get, false);
    world_run(&w, 6 * JR_SEC);
    assert_true(lost.done);
    assert_int_equal(lost.answer.error.status, JR_TIMEOUT);
    world_send(&w, &after, &get, false);
    world_run(&w, JR_SEC);
    assert_true(after.done && after.answer.outcome == JR_HTTP_DONE);
    called_done(&lost);
    called_done(&after);
    world_end(&w);
}

/* ---- the server's own work ---- */

static void test_the_collector(void **state)
{
    static const char pod[] =
        "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\","
        "\"kind\":\"Job\",\"name\":\"none\",\"uid\":\"7\"}]}," POD_SPEC "}";
    static const struct {
        bool hooked;
        int64_t delay_ns;
        int after_a_second, after_an_hour;
    } rows[] = {
        { false, 0, 404, 404 },
        { true, JR_SEC * 60, 200, 404 },
        { true, INT64_MAX, 200, 200 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_dev_request get = { .method = "GET", .path = PODS "/p", .user = "other" };
        struct called post = { 0 };
        struct world w;

        world_begin(&w, rows[i].hooked);
        w.tick_delay_ns = rows[i].delay_ns;
        world_call(&w, &post, "POST", PODS, pod);
        world_run(&w, JR_SEC);
        assert_int_equal(post.answer.status, 201);
        assert_int_equal(jr_dev_network_ask(w.network, &get, NULL, NULL), rows[i].after_a_second);
        world_run(&w, 3600 * JR_SEC);
        assert_int_equal(jr_dev_network_ask(w.network, &get, NULL, NULL), rows[i].after_an_hour);
        called_done(&post);
        world_end(&w);
    }
}

static void test_events_expire(void **state)
{
    struct called post = { 0 }, get = { 0 };
    struct world w;

    (void)state;
    world_begin(&w, false);
    world_call(&w, &post, "POST", "/api/v1/namespaces/default/events",
               "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"namespace\":\"default\"}}");
    world_run(&w, 7200 * JR_SEC); /* nothing else is written */
    assert_int_equal(post.answer.status, 201);
    world_call(&w, &get, "GET", "/api/v1/namespaces/default/events/e", "");
    world_run(&w, 0);
    assert_int_equal(get.answer.status, 404);
    called_done(&post);
    called_done(&get);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_perfect_network),
        cmocka_unit_test(test_answers_with_and_without_chunks),
        cmocka_unit_test(test_limits_of_a_call),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_what_is_sent_is_carried_out),
        cmocka_unit_test(test_a_client_that_is_freed_in_a_hook),
        cmocka_unit_test(test_webhooks_fail),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_faults_of_requests),
        cmocka_unit_test(test_a_stream_that_lags),
        cmocka_unit_test(test_a_stream_in_pieces),
        cmocka_unit_test(test_ends_of_streams),
        cmocka_unit_test(test_connections_that_swallow),
        cmocka_unit_test(test_a_first_request_that_is_swallowed),
        cmocka_unit_test(test_the_collector),
        cmocka_unit_test(test_events_expire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
