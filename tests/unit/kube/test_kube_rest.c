/* SPDX-License-Identifier: Apache-2.0 */
/* The REST client's metrics, and its limit of requests a second. */
#include "common/kube/request.h"
#include "common/kube/rest.h"
#include "tests/support/without_memory.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define HOST "127.0.0.1:6443"

struct world {
    struct fake f;
    struct jr_metrics *metrics;
    struct jr_rest *rest;
    struct jr_transport t;
    unsigned ended;
    struct jr_call *cancel_on_chunk;
};

static void world_init(struct world *w, double qps, int64_t burst)
{
    const struct jr_rest_options o = { .host = JR_S(HOST), .qps = qps, .burst = burst };

    *w = (struct world){ .ended = 0 };
    fake_init(&w->f);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    w->rest = jr_rest_new(w->f.loop, &w->f.env.transport, &o, w->metrics);
    w->t = jr_rest_transport(w->rest);
}

static void world_done(struct world *w)
{
    jr_rest_free(w->rest);
    jr_metrics_free(w->metrics);
    fake_done(&w->f);
}

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct world *w = ctx;

    (void)a;
    w->ended++;
}

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct world *w = ctx;

    (void)chunk;
    if (w->cancel_on_chunk != NULL)
        w->t.cancel(w->t.self, w->cancel_on_chunk);
    w->cancel_on_chunk = NULL;
    return JR_OK;
}

static struct jr_call *ask(struct world *w, const char *method, bool own, bool stream)
{
    /* What is lent is gone when send has returned. */
    char path[] = "/api/v1/pods", verb[8], body[] = "{}";
    struct jr_http_request req = {
        .method = verb, .path = path, .body = jr_str(body), .own_connection = own
    };
    const struct jr_http_handler h = { .on_chunk = stream ? on_chunk : NULL,
                                       .on_done = on_done,
                                       .ctx = w };
    struct jr_call *call;

    (void)snprintf(verb, sizeof(verb), "%s", method);
    call = w->t.send(w->t.self, &req, &h);
    memset(path, '#', sizeof(path) - 1);
    memset(verb, '#', sizeof(verb) - 1);
    memset(body, '#', sizeof(body) - 1);
    return call;
}

#define LABELS(...) ((const char *const[]){ __VA_ARGS__ })

static double requests(struct world *w, const char *code, const char *method)
{
    return jr_metrics_get(w->metrics, "rest_client_requests_total", LABELS(code, method, HOST));
}

static double samples(struct world *w, const char *name, const char *verb)
{
    return jr_metrics_get(w->metrics, name, LABELS(verb, HOST));
}

static void test_counts(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 0, 0);
    (void)ask(&w, "POST", false, false);
    fake_answer(fake_expect(&w.f, "POST", "/api/v1/pods"), 201, "{\"a\":1}");
    (void)ask(&w, "GET", false, false);
    fake_fail(fake_expect(&w.f, "GET", "/api/v1/pods"), JR_HTTP_AMBIGUOUS);
    fake_wait(&w.f, JR_SEC);
    assert_int_equal(w.ended, 2);
    assert_true(requests(&w, "201", "POST") == 1);
    assert_true(requests(&w, "<error>", "GET") == 1);
    assert_true(samples(&w, "rest_client_request_duration_seconds", "POST") == 1);
    assert_true(samples(&w, "rest_client_request_duration_seconds", "GET") == 1);
    assert_true(samples(&w, "rest_client_request_size_bytes", "POST") == 1);
    assert_true(samples(&w, "rest_client_response_size_bytes", "POST") == 1);
    assert_true(samples(&w, "rest_client_response_size_bytes", "GET") == 0);
    assert_true(samples(&w, "rest_client_rate_limiter_duration_seconds", "POST") == 0);
    world_done(&w);
}

/** A stream counts when it begins, and its length is no latency. */
static void test_stream(void **state)
{
    struct world w;
    struct jr_call *below, *call;

    (void)state;
    world_init(&w, 0, 0);
    (void)ask(&w, "GET", true, true);
    below = fake_expect(&w.f, "GET", "/api/v1/pods");
    assert_true(requests(&w, "200", "GET") == 0);
    assert_true(fake_chunk(below, JR_S("{}\n")));
    assert_true(requests(&w, "200", "GET") == 1);
    fake_close(below);
    fake_wait(&w.f, JR_SEC);
    assert_int_equal(w.ended, 1);
    assert_true(requests(&w, "200", "GET") == 1);
    assert_true(samples(&w, "rest_client_request_duration_seconds", "GET") == 0);
    (void)ask(&w, "GET", true, true);
    fake_answer(fake_expect(&w.f, "GET", "/api/v1/pods"), 410, "{}");
    fake_wait(&w.f, JR_SEC);
    assert_true(requests(&w, "410", "GET") == 1);
    /* The handler may cancel its own call. */
    call = ask(&w, "GET", true, true);
    w.cancel_on_chunk = call;
    below = fake_expect(&w.f, "GET", "/api/v1/pods");
    (void)fake_chunk(below, JR_S("{}\n"));
    assert_true(below->cancelled);
    assert_int_equal(w.ended, 2);
    world_done(&w);
}

static void on_result(void *ctx, const struct jr_kube_result *r)
{
    struct world *w = ctx;

    assert_int_equal(r->kind, JR_RESULT_OK);
    w->ended++;
}

static void test_retries(void **state)
{
    struct world w;
    const struct jr_kube_request req = { .http = { .method = "GET", .path = "/api" },
                                         .max_retries = 3 };
    struct jr_env env;

    (void)state;
    world_init(&w, 0, 0);
    env = w.f.env;
    env.transport = w.t;
    (void)jr_kube_send(&env, &req, on_result, &w);
    fake_answer_after(fake_expect(&w.f, "GET", "/api"), 429, 1, "{}");
    fake_fail(fake_expect(&w.f, "GET", "/api"), JR_HTTP_AMBIGUOUS);
    fake_answer(fake_expect(&w.f, "GET", "/api"), 200, "{}");
    fake_wait(&w.f, JR_SEC);
    assert_int_equal(w.ended, 1);
    assert_true(jr_metrics_get(w.metrics, "rest_client_request_retries_total",
                               LABELS("429", "GET", HOST)) == 1);
    assert_true(jr_metrics_get(w.metrics, "rest_client_request_retries_total",
                               LABELS("<error>", "GET", HOST)) == 1);
    assert_true(requests(&w, "429", "GET") == 1);
    world_done(&w);
}

/** Ten a second, three at once: the others go one by one, in their order. */
static void test_limit(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 10, 3);
    for (unsigned i = 0; i < 5; i++)
        (void)ask(&w, i % 2 == 0 ? "PUT" : "POST", false, false);
    assert_int_equal(w.f.n_sent, 3);
    fake_wait(&w.f, 50 * JR_MSEC);
    assert_int_equal(w.f.n_sent, 3);
    fake_wait(&w.f, 50 * JR_MSEC);
    assert_int_equal(w.f.n_sent, 4);
    fake_wait(&w.f, 100 * JR_MSEC);
    assert_int_equal(w.f.n_sent, 5);
    for (unsigned i = 0; i < 5; i++)
        fake_answer(fake_expect(&w.f, i % 2 == 0 ? "PUT" : "POST", "/api/v1/pods"), 200, "{}");
    fake_wait(&w.f, JR_MSEC);
    assert_int_equal(w.ended, 5);
    assert_true(samples(&w, "rest_client_rate_limiter_duration_seconds", "PUT") == 3);
    /* After a rest there is a burst again, no larger. */
    fake_wait(&w.f, 60 * JR_SEC);
    for (unsigned i = 0; i < 5; i++)
        (void)ask(&w, "GET", false, false);
    assert_int_equal(w.f.n_sent, 8);
    world_done(&w);
}

/** One in two seconds: also the first burst is of one. */
static void test_fraction(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 0.5, 0);
    for (unsigned i = 0; i < 3; i++)
        (void)ask(&w, "PUT", false, false);
    assert_int_equal(w.f.n_sent, 1);
    fake_wait(&w.f, 1900 * JR_MSEC);
    assert_int_equal(w.f.n_sent, 1);
    fake_wait(&w.f, 100 * JR_MSEC);
    assert_int_equal(w.f.n_sent, 2);
    fake_wait(&w.f, 2 * JR_SEC);
    assert_int_equal(w.f.n_sent, 3);
    world_done(&w);
    /* Of 2.5 a second three may go at once. */
    world_init(&w, 2.5, 0);
    for (unsigned i = 0; i < 5; i++)
        (void)ask(&w, "PUT", false, false);
    assert_int_equal(w.f.n_sent, 3);
    fake_wait(&w.f, 400 * JR_MSEC);
    assert_int_equal(w.f.n_sent, 4);
    world_done(&w);
}

/** A rate that is hardly one, with a large burst: no time overflows. */
static void test_hardly(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 1e-300, 1000000);
    for (unsigned i = 0; i < 20; i++)
        (void)ask(&w, "PUT", false, false);
    assert_int_equal(w.f.n_sent, 20);
    world_done(&w);
    world_init(&w, 1e-300, 1);
    (void)ask(&w, "PUT", false, false);
    (void)ask(&w, "PUT", false, false);
    assert_int_equal(w.f.n_sent, 1);
    fake_wait(&w.f, 3600 * JR_SEC);
    assert_int_equal(w.f.n_sent, 2);
    world_done(&w);
}

/** As client-go has it: a negative number is no limit. */
static void test_negative(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, -1, 1);
    for (unsigned i = 0; i < 20; i++)
        (void)ask(&w, "PUT", false, false);
    assert_int_equal(w.f.n_sent, 20);
    world_done(&w);
}

/** The Lease and watches do not wait behind the work. */
static void test_exempt(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 1, 1);
    for (unsigned i = 0; i < 3; i++)
        (void)ask(&w, "POST", false, false);
    assert_int_equal(w.f.n_sent, 1);
    (void)ask(&w, "PUT", true, false);
    assert_int_equal(w.f.n_sent, 2);
    world_done(&w);
}

/** What waits can be cancelled, and is not sent later. */
static void test_cancel(void **state)
{
    struct world w;
    struct jr_call *waiting;

    (void)state;
    world_init(&w, 1, 1);
    (void)ask(&w, "POST", false, false);
    waiting = ask(&w, "PUT", false, false);
    (void)ask(&w, "PATCH", false, false);
    w.t.cancel(w.t.self, waiting);
    fake_answer(fake_expect(&w.f, "POST", "/api"), 201, "{}");
    (void)fake_expect(&w.f, "PATCH", "/api");
    assert_int_equal(w.ended, 1);
    world_done(&w);
}

/** One that goes at once and one that waits. */
static void ask_twice(void *ctx)
{
    (void)ask(ctx, "POST", false, false);
    (void)ask(ctx, "PUT", false, false);
    fake_wait(&((struct world *)ctx)->f, 2 * JR_SEC);
}

static void test_without_memory(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, 1, 1);
    assert_true(jr_each_without_memory(ask_twice, &w) > 4);
    world_done(&w);
}

static void test_host(void **state)
{
    static const char *const rows[][2] = {
        { "https://127.0.0.1:6443", "127.0.0.1:6443" },
        { "https://api.example.com/clusters/1", "api.example.com" },
        { "http://[::1]:80/", "[::1]:80" },
        { "localhost:8080", "localhost:8080" },
        { "localhost/x", "localhost" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (!jr_str_is(jr_rest_host(jr_str(rows[i][0])), rows[i][1]))
            fail_msg("%s", rows[i][0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_stream),
        cmocka_unit_test(test_retries),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_fraction), cmocka_unit_test(test_hardly),
        cmocka_unit_test(test_negative), cmocka_unit_test(test_exempt),
        cmocka_unit_test(test_cancel),   cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
