/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: what an answer means, and what is tried again. */
#include "common/kube/request.h"
#include "tests/support/without_memory.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

struct outcome {
    int n;
    enum jr_result_kind kind;
    int http, retry_after_s, causes;
    struct jr_error error;
    char body[64], reason[64];
};

static void on_done(void *ctx, const struct jr_kube_result *r)
{
    struct outcome *o = ctx;

    o->n++;
    o->kind = r->kind;
    o->http = r->http;
    o->retry_after_s = r->retry_after_s;
    o->causes = (int)r->status.details.causes.n;
    o->error = r->error;
    (void)snprintf(o->body, sizeof(o->body), "%.*s", JR_P(r->body));
    (void)snprintf(o->reason, sizeof(o->reason), "%.*s", JR_P(r->status.reason));
}

static void send(struct fake *f, const char *method, unsigned retries, struct outcome *o)
{
    char path[] = "/api/v1/pods", body[] = "{\"a\":1}", text[16];
    struct jr_kube_request req = { .http = { .path = path, .timeout_ms = 5000 },
                                   .max_retries = retries };

    (void)snprintf(text, sizeof(text), "%s", method);
    req.http.method = text;
    if (strcmp(method, "GET") != 0)
        req.http.body = jr_str(body);
    *o = (struct outcome){ 0 };
    (void)jr_kube_send(&f->env, &req, on_done, o);
    assert_int_equal(o->n, 0); /* never from inside */
    memset(path, 'x', sizeof(path) - 1);
    memset(body, 'x', sizeof(body) - 1);
    memset(text, 'x', sizeof(text) - 1);
}

static const char *vector(const char *name, struct jr_buf *b)
{
    read_vector(name, b);
    return b->p;
}

static void test_what_answers_mean(void **state)
{
    static const char timeout[] = "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":"
                                  "\"Timeout\",\"message\":\"it took too long\",\"code\":504}";
    static const char server_timeout[] =
        "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"ServerTimeout\",\"message\":"
        "\"try again\",\"details\":{\"retryAfterSeconds\":3},\"code\":500}";
    static const char etcd[] = "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":"
                               "\"etcdserver: request timed out\",\"code\":500}";
    static const char webhook[] =
        "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"InternalError\",\"message\":"
        "\"Internal error occurred: failed calling webhook \\\"a\\\": context deadline "
        "exceeded\",\"code\":500}";
    static const char shutting_down[] =
        "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"ServiceUnavailable\",\"message\":"
        "\"apiserver is shutting down\",\"code\":503}";
    static const struct {
        const char *name, *method;
        int status;
        const char *body;
        enum jr_result_kind kind;
        enum jr_status error;
        const char *words;
    } rows[] = {
        { "ok", "POST", 201, "{\"x\":1}", JR_RESULT_OK, JR_OK, "" },
        { "bad gateway, write", "POST", 502, "<html>", JR_RESULT_AMBIGUOUS, JR_REMOTE,
          "the server answered 502" },
        { "bad gateway, read", "GET", 502, "<html>", JR_RESULT_REFUSED, JR_REMOTE,
          "the server answered 502" },
        { "503 without Status", "PUT", 503, "no healthy upstream", JR_RESULT_AMBIGUOUS, JR_REMOTE,
          "the server answered 503" },
        { "503 of the server", "POST", 503, shutting_down, JR_RESULT_REFUSED, JR_REMOTE,
          "apiserver is shutting down" },
        { "504", "POST", 504, timeout, JR_RESULT_AMBIGUOUS, JR_TIMEOUT, "it took too long" },
        { "500 ServerTimeout", "POST", 500, server_timeout, JR_RESULT_AMBIGUOUS, JR_REMOTE,
          "try again" },
        { "500 etcd", "PATCH", 500, etcd, JR_RESULT_AMBIGUOUS, JR_REMOTE,
          "etcdserver: request timed out" },
        { "500 webhook", "POST", 500, webhook, JR_RESULT_REFUSED, JR_REMOTE, "Internal error" },
        { "500 without Status", "POST", 500, "oops", JR_RESULT_REFUSED, JR_REMOTE, "answered 500" },
        { "redirect", "GET", 302, "", JR_RESULT_REFUSED, JR_REMOTE, "answered 302" },
        { "JSON, no Status", "GET", 404, "{\"status\":\"Success\"}", JR_RESULT_REFUSED, JR_NOTFOUND,
          "answered 404" },
        { "401", "GET", 401, "", JR_RESULT_REFUSED, JR_DENIED, "answered 401" },
        { "410", "GET", 410, "", JR_RESULT_REFUSED, JR_EXPIRED, "answered 410" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct outcome o;
        struct fake f;

        fake_init(&f);
        send(&f, rows[i].method, 0, &o);
        fake_answer(fake_next(&f), rows[i].status, rows[i].body);
        if (o.n != 1 || o.kind != rows[i].kind || o.http != rows[i].status ||
            o.error.status != rows[i].error || strstr(o.error.msg, rows[i].words) == NULL)
            fail_msg("%s: %d calls, kind %d, http %d, %s, %s", rows[i].name, o.n, (int)o.kind,
                     o.http, jr_status_text(o.error.status), o.error.msg);
        fake_done(&f);
    }
}

static void test_refusals_on_the_wire(void **state)
{
    static const struct {
        const char *file;
        int http;
        enum jr_status st;
        const char *reason;
        int causes;
    } rows[] = {
        { "error-400-decode.json", 400, JR_INVALID, "BadRequest", 0 },
        { "error-403-forbidden.json", 403, JR_DENIED, "Forbidden", 0 },
        { "error-403-namespace-terminating.json", 403, JR_DENIED, "Forbidden", 1 },
        { "error-403-quota.json", 403, JR_DENIED, "Forbidden", 0 },
        { "error-404.json", 404, JR_NOTFOUND, "NotFound", 0 },
        { "error-409-conflict.json", 409, JR_CONFLICT, "Conflict", 0 },
        { "error-409-exists.json", 409, JR_EXISTS, "AlreadyExists", 0 },
        { "error-422-invalid.json", 422, JR_INVALID, "Invalid", 2 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct outcome o;
        struct fake f;
        JR_BUF body = { 0 };

        fake_init(&f);
        send(&f, "POST", 3, &o);
        fake_answer(fake_next(&f), rows[i].http, vector(rows[i].file, &body));
        if (o.n != 1 || o.kind != JR_RESULT_REFUSED || o.error.status != rows[i].st ||
            o.error.http != rows[i].http || strcmp(o.reason, rows[i].reason) != 0 ||
            o.causes != rows[i].causes)
            fail_msg("%s: %d calls, kind %d, %s, http %d, reason %s, %d causes", rows[i].file, o.n,
                     (int)o.kind, jr_status_text(o.error.status), o.error.http, o.reason, o.causes);
        fake_done(&f);
    }
}

/* What is tried again. An answer below 100 is: 1 not sent, 2 ambiguous. */
static void test_retries(void **state)
{
    static const struct {
        const char *name, *method;
        unsigned retries;
        int answers[6];
        int requests;
        enum jr_result_kind kind;
    } rows[] = {
        { "none asked for", "GET", 0, { 429 }, 1, JR_RESULT_REFUSED },
        { "429 of a create", "POST", 3, { 429, 429, 201 }, 3, JR_RESULT_OK },
        { "429 for ever", "POST", 2, { 429, 429, 429 }, 3, JR_RESULT_REFUSED },
        { "create not sent", "POST", 3, { 1, 1, 201 }, 3, JR_RESULT_OK },
        { "create without an answer", "POST", 3, { 2 }, 1, JR_RESULT_AMBIGUOUS },
        { "create refused", "POST", 3, { 503 }, 1, JR_RESULT_AMBIGUOUS },
        { "get without an answer", "GET", 3, { 2, 1, 200 }, 3, JR_RESULT_OK },
        { "get 500, 502, 503", "GET", 3, { 500, 502, 503, 200 }, 4, JR_RESULT_OK },
        { "get 404", "GET", 3, { 404 }, 1, JR_RESULT_REFUSED },
        { "put without an answer", "PUT", 3, { 2, 200 }, 2, JR_RESULT_OK },
        { "patch without an answer", "PATCH", 1, { 2, 2 }, 2, JR_RESULT_AMBIGUOUS },
        { "put without an answer, then not sent", "PUT", 1, { 2, 1 }, 2, JR_RESULT_AMBIGUOUS },
        { "delete not sent", "DELETE", 1, { 1, 1 }, 2, JR_RESULT_NOT_SENT },
        { "put 500", "PUT", 3, { 500 }, 1, JR_RESULT_REFUSED },
        { "put 409", "PUT", 3, { 409 }, 1, JR_RESULT_REFUSED },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct outcome o;
        struct fake f;

        fake_init(&f);
        send(&f, rows[i].method, rows[i].retries, &o);
        for (int k = 0; k < rows[i].requests; k++) {
            struct jr_call *c = fake_expect(&f, rows[i].method, "/api/v1/pods");

            assert_str(jr_buf_str(&c->body), strcmp(c->method, "GET") == 0 ? "" : "{\"a\":1}");
            assert_int_equal(o.n, 0);
            if (rows[i].answers[k] < 100)
                fake_fail(c, rows[i].answers[k] == 1 ? JR_HTTP_NOT_SENT : JR_HTTP_AMBIGUOUS);
            else
                fake_answer(c, rows[i].answers[k], "");
        }
        fake_wait(&f, 120 * JR_SEC);
        if (o.n != 1 || o.kind != rows[i].kind || (int)f.n_sent != rows[i].requests)
            fail_msg("%s: %d calls, kind %d, %u requests", rows[i].name, o.n, (int)o.kind,
                     f.n_sent);
        fake_done(&f);
    }
}

static void test_retry_after_is_obeyed(void **state)
{
    static const struct {
        int said_s;
        int64_t min_s, max_s;
    } rows[] = { { 7, 7, 9 }, { 3600, 60, 75 }, { 0, 0, 1 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct outcome o;
        struct fake f;
        int64_t began;

        fake_init(&f);
        send(&f, "POST", 1, &o);
        fake_answer_after(fake_next(&f), 429, rows[i].said_s, "");
        began = f.clock.mono.ns;
        fake_answer(fake_next(&f), 201, "");
        assert_in_range((f.clock.mono.ns - began) / JR_SEC, rows[i].min_s, rows[i].max_s);
        fake_done(&f);
    }
}

static bool may_send(void *ctx)
{
    return *(const bool *)ctx;
}

static void test_a_deposed_leader_tries_no_more(void **state)
{
    struct jr_kube_request req = { .http = { .method = "POST", .path = "/x" }, .max_retries = 5 };
    struct outcome o = { 0 };
    bool may = true;
    struct fake f;

    (void)state;
    fake_init(&f);
    req.http.may_send = may_send;
    req.http.may_send_ctx = &may;
    (void)jr_kube_send(&f.env, &req, on_done, &o);
    fake_answer(fake_next(&f), 429, "");
    may = false;
    fake_wait(&f, 60 * JR_SEC);
    assert_int_equal(f.n_sent, 2); /* the transport was asked once more, and said no */
    assert_int_equal(fake_untaken(&f), 1);
    may = false;
    {
        struct jr_call *c = TAILQ_LAST(&f.calls, fake_calls);

        fake_fail(c, JR_HTTP_NOT_SENT);
    }
    fake_wait(&f, 60 * JR_SEC);
    assert_int_equal(o.n, 1);
    assert_int_equal(o.kind, JR_RESULT_NOT_SENT);
    assert_int_equal(f.n_sent, 2);
    fake_done(&f);
}

static void test_cancel(void **state)
{
    const struct jr_kube_request req = { .http = { .method = "GET", .path = "/x" },
                                         .max_retries = 5 };
    struct jr_kube_call *call = NULL;
    struct outcome o = { 0 };
    struct fake f;

    (void)state;
    fake_init(&f);
    call = jr_kube_send(&f.env, &req, on_done, &o);
    jr_kube_cancel(&call); /* while it is out */
    assert_null(call);
    jr_kube_cancel(&call);
    assert_true(TAILQ_FIRST(&f.calls)->cancelled);
    call = jr_kube_send(&f.env, &req, on_done, &o);
    fake_answer(fake_next(&f), 500, "");
    jr_kube_cancel(&call); /* while it waits for another attempt */
    fake_wait(&f, 60 * JR_SEC);
    assert_int_equal(o.n, 0);
    assert_int_equal(f.n_sent, 2);
    fake_done(&f);
}

struct own_cancel {
    struct jr_kube_call *call;
    int n;
};

static void cancel_oneself(void *ctx, const struct jr_kube_result *r)
{
    struct own_cancel *o = ctx;

    (void)r;
    o->n++;
    jr_kube_cancel(&o->call);
}

static void test_cancel_from_inside_is_harmless(void **state)
{
    const struct jr_kube_request req = { .http = { .method = "GET", .path = "/x" } };
    struct own_cancel o = { 0 };
    struct fake f;

    (void)state;
    fake_init(&f);
    o.call = jr_kube_send(&f.env, &req, cancel_oneself, &o);
    fake_answer(fake_next(&f), 200, "");
    assert_int_equal(o.n, 1);
    fake_done(&f);
}

static void test_escaping(void **state)
{
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 100);
    assert_int_equal(jr_url_escape(JR_S("aZ09-._~ /=&%\xc3\xa4+"), &out), JR_OK);
    assert_str(jr_buf_str(&out), "aZ09-._~%20%2F%3D%26%25%C3%A4%2B");
    jr_buf_reset(&out);
    out.max = 3;
    assert_int_equal(jr_url_escape(JR_S("ab/"), &out), JR_LIMIT);
}

static void test_backoff(void **state)
{
    struct jr_rand_seeded seed;
    struct jr_rand r = jr_rand_of_seed(&seed, 1);

    (void)state;
    assert_int_equal(jr_backoff_ns(0, 800, 30000, 0, NULL), 800);
    assert_int_equal(jr_backoff_ns(1, 800, 30000, 0, NULL), 1600);
    assert_int_equal(jr_backoff_ns(5, 800, 30000, 0, NULL), 25600);
    assert_int_equal(jr_backoff_ns(6, 800, 30000, 0, NULL), 30000);
    assert_int_equal(jr_backoff_ns(4000000000u, 800, 30000, 0, NULL), 30000);
    assert_int_equal(jr_backoff_ns(0, 800, 100, 0, NULL), 100);
    assert_int_equal(jr_backoff_ns(70, INT64_MAX / 2, INT64_MAX, 0, NULL), INT64_MAX);
    for (int i = 0; i < 1000; i++)
        assert_in_range(jr_backoff_ns(2, 800, 30000, 1.0, &r), 3200, 6400);
}

/** A request that is tried twice. */
static void send_twice(void *ctx)
{
    const struct jr_kube_request req = { .http = { .method = "GET", .path = "/x" },
                                         .max_retries = 1 };
    struct outcome o = { 0 };
    struct fake *f = ctx;

    (void)jr_kube_send(&f->env, &req, on_done, &o);
    fake_answer(fake_next(f), 500, "{}");
    fake_answer(fake_next(f), 200, "");
    assert_int_equal(o.n, 1);
}

static void test_without_memory(void **state)
{
    struct fake f;

    (void)state;
    fake_init(&f);
    assert_true(jr_each_without_memory(send_twice, &f) > 0);
    fake_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_answers_mean),
        cmocka_unit_test(test_refusals_on_the_wire),
        cmocka_unit_test(test_retries),
        cmocka_unit_test(test_retry_after_is_obeyed),
        cmocka_unit_test(test_a_deposed_leader_tries_no_more),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_cancel_from_inside_is_harmless),
        cmocka_unit_test(test_escaping),
        cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
