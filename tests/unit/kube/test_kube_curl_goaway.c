/* SPDX-License-Identifier: Apache-2.0 */
/* An API server that is being upgraded, or that balances its connections, says GOAWAY: what it has
 * taken it answers, the rest belongs on another connection. */
#include "common/kube/request.h"
#include "tests/unit/kube/curl_world.h"
#include "tests/unit/kube/h2_server.h"

struct goaway {
    struct world w; /* without its own server */
    struct h2_server *server;
};

static void goaway_init(struct goaway *g, int at, int unprocessed)
{
    struct jr_error error = { 0 };

    *g = (struct goaway){ .w = { .clock = jr_clock_system } };
    g->server = h2_start(&(struct h2_plan){ .goaway_at = at, .unprocessed = unprocessed });
    assert_true(asprintf(&g->w.config.server, "https://127.0.0.1:%d", h2_port(g->server)) > 0);
    g->w.config.insecure = true;
    assert_ok(jr_loop_new(&g->w.clock, &g->w.loop, &error), &error);
    world_connect(&g->w);
}

static void goaway_done(struct goaway *g)
{
    jr_curl_free(g->w.curl);
    assert_int_equal(jr_loop_next(g->w.loop).ns, INT64_MAX); /* no timer is left */
    jr_kube_config_done(&g->w.config);
    jr_loop_free(g->w.loop);
    h2_stop(g->server);
}

/** Sends n requests on one connection, and waits for their ends. */
static void ask_all(struct goaway *g, const char *method, struct outcome *o, size_t n)
{
    for (size_t i = 0; i < n; i++)
        start(&g->w, &(struct jr_http_request){ .method = method, .path = "/x" }, &o[i]);
    for (size_t i = 0; i < n; i++)
        until(&g->w, &o[i].n, 1);
}

/** The connection is not used any more, though it is still open: not even a creation is ambiguous.
 */
static void test_an_idle_connection(void **state)
{
    struct goaway g;
    struct outcome o;

    (void)state;
    goaway_init(&g, 1, 0);
    o = ask(&g.w, "POST", "/x", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 200);
    o = ask(&g.w, "POST", "/x", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(h2_connections(g.server), 2);
    assert_int_equal(h2_answered(g.server), 2);
    assert_int_equal(h2_late(g.server), 0);
    goaway_done(&g);
}

/** What the server has taken is answered on the old connection, reads that it has not on a new one.
 */
static void test_reads_in_flight(void **state)
{
    struct outcome o[4] = { 0 };
    struct goaway g;

    (void)state;
    goaway_init(&g, 4, 2);
    ask_all(&g, "GET", o, JR_ARRAY_SIZE(o));
    for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++)
        assert_outcome(&o[i], JR_HTTP_DONE, 200);
    assert_true(h2_connections(g.server) >= 2);
    assert_int_equal(h2_answered(g.server), 4);
    goaway_done(&g);
}

/** libcurl keeps the buffer of a handle whose connection others still use: it is as good as new for
 * the next request. */
static void test_handles_used_again(void **state)
{
    struct outcome first[4] = { 0 }, second[4] = { 0 };
    struct goaway g;

    (void)state;
    goaway_init(&g, 4, 0);
    ask_all(&g, "GET", first, JR_ARRAY_SIZE(first));
    ask_all(&g, "GET", second, JR_ARRAY_SIZE(second));
    for (size_t i = 0; i < JR_ARRAY_SIZE(second); i++)
        assert_outcome(&second[i], JR_HTTP_DONE, 200);
    goaway_done(&g);
}

/** libcurl doesn't say that the server has not taken a request, so a write counts as ambiguous. It
 * is never sent twice behind the caller's back. */
static void test_writes_in_flight(void **state)
{
    struct outcome o[3] = { 0 };
    struct goaway g;
    int done = 0;

    (void)state;
    goaway_init(&g, 3, 1);
    ask_all(&g, "POST", o, JR_ARRAY_SIZE(o));
    for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++) {
        done += o[i].a.outcome == JR_HTTP_DONE;
        if (o[i].a.outcome != JR_HTTP_DONE)
            assert_outcome(&o[i], JR_HTTP_AMBIGUOUS, 0);
    }
    assert_int_equal(done, 2);
    assert_int_equal(h2_answered(g.server), 2);
    goaway_done(&g);
}

static void on_result(void *ctx, const struct jr_kube_result *r)
{
    int *n = ctx;

    *n = r->kind == JR_RESULT_OK ? 1 : 100;
}

/** Writes that name their object are tried again, and happen. */
static void test_a_write_that_is_repeated(void **state)
{
    const struct jr_kube_request req = {
        .http = { .method = "PUT", .path = "/x", .body = JR_S("{}") }, .max_retries = 3
    };
    struct jr_env env;
    struct goaway g;
    int result = 0;

    (void)state;
    goaway_init(&g, 1, 1);
    env = (struct jr_env){ g.w.loop, jr_rand_system, g.w.t };
    (void)jr_kube_send(&env, &req, on_result, &result);
    until(&g.w, &result, 1);
    assert_int_equal(result, 1);
    assert_int_equal(h2_connections(g.server), 2);
    goaway_done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_idle_connection),       cmocka_unit_test(test_reads_in_flight),
        cmocka_unit_test(test_handles_used_again),       cmocka_unit_test(test_writes_in_flight),
        cmocka_unit_test(test_a_write_that_is_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
