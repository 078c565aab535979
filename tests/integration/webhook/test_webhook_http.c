/* SPDX-License-Identifier: Apache-2.0 */
/* The real process over HTTPS: each wrong thing gets its status, each right one its answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#include <cmocka.h>

#include "tests/integration/webhook/process.h"
#include "tests/unit/webhook/ask.h"

#define MUTATE "/mutate-batch-v1-job"
#define VALIDATE "/validate-batch-v1-job"
#define MAX_BODY 100000

static struct process proc;

static int group_setup(void **state)
{
    (void)state;
    process_start(&proc, (const char *[]){ "--max-body-bytes=100000", "--max-header-bytes=8Ki",
                                           "--max-request-memory=4Mi", NULL });
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    process_stop(&proc);
    return 0;
}

/* A review that is answered: a delete. */
static char *some_review(void)
{
    static const struct pieces p = { .operation = "DELETE", .old_object = "{}" };

    return review_of(&p);
}

static void test_wrong_requests(void **state)
{
    static const struct {
        const char *name;
        struct ask_http ask;
        long status;
        const char *text; /* a part of the answer */
    } rows[] = {
        { "root", { .path = "/", .body = "{}" }, 404, "nothing is served at /" },
        { "root by GET", { .path = "/" }, 404, "" },
        { "another path", { .path = "/mutate", .body = "{}" }, 404, "/mutate" },
        { "a slash too many", { .path = MUTATE "/", .body = "{}" }, 404, "" },
        { "the health path", { .path = "/healthz" }, 404, "" },
        { "GET", { .path = MUTATE }, 405, "expected POST, not GET" },
        { "HEAD", { .path = MUTATE, .method = "HEAD" }, 405, "" },
        { "PUT", { .path = VALIDATE, .method = "PUT", .body = "{}" }, 405, "not PUT" },
        { "DELETE", { .path = VALIDATE, .method = "DELETE" }, 405, "" },
        { "OPTIONS", { .path = VALIDATE, .method = "OPTIONS" }, 405, "" },
        { "YAML",
          { .path = MUTATE, .content_type = "application/yaml", .body = "{}" },
          415,
          "application/yaml" },
        { "nearly JSON",
          { .path = MUTATE, .content_type = "application/jsonx", .body = "{}" },
          415,
          "" },
        { "a form",
          { .path = MUTATE, .content_type = "application/x-www-form-urlencoded", .body = "a=b" },
          415,
          "" },
        { "no type",
          { .path = MUTATE, .content_type = "", .body = "{}" },
          415,
          "expected Content-Type" },
        { "empty", { .path = MUTATE, .body = "" }, 400, "empty" },
        { "empty, chunked", { .path = MUTATE, .body = "", .chunked = true }, 400, "empty" },
        { "no JSON", { .path = MUTATE, .body = "{\"kind\":\n x" }, 400, "line 2, column 2" },
        { "no review", { .path = MUTATE, .body = "{}" }, 400, "expected kind AdmissionReview" },
        { "no request",
          { .path = VALIDATE,
            .body = "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}" },
          400,
          "has no request" },
        { "a timeout that is none",
          { .path = MUTATE "?timeout=soon", .body = "{}" },
          400,
          "timeout" },
        { "a negative timeout", { .path = MUTATE "?timeout=-1s", .body = "{}" }, 400, "timeout" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct reply r;

        http_ask(&proc, &rows[i].ask, &r);
        if (r.status != rows[i].status || strstr(r.body, rows[i].text) == NULL)
            fail_msg("%s: %ld, %s", rows[i].name, r.status, r.body);
        if (rows[i].status == 405 && strcasestr(r.headers, "\nallow: post") == NULL)
            fail_msg("%s: no Allow in %s", rows[i].name, r.headers);
        reply_done(&r);
    }
}

static void test_right_requests(void **state)
{
    static const struct ask_http rows[] = {
        { .path = MUTATE },
        { .path = VALIDATE "?timeout=10s" },
        { .path = MUTATE "?timeout=10s&x=y", .chunked = true },
        { .path = VALIDATE, .content_type = "application/json; charset=utf-8" },
        { .path = VALIDATE, .content_type = "Application/JSON" },
        { .path = VALIDATE, .header = "Expect: 100-continue" },
    };
    JR_FREE char *review = some_review();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct ask_http a = rows[i];
        struct reply r;

        a.body = review;
        http_ask(&proc, &a, &r);
        if (r.status != 200 || strstr(r.body, "\"allowed\":true") == NULL ||
            strcasestr(r.headers, "\ncontent-type: application/json") == NULL)
            fail_msg("row %zu: %ld, %s%s", i, r.status, r.headers, r.body);
        assert_false(r.closed);
        reply_done(&r);
    }
}

/* What kube-apiserver sent for `kubectl apply` of the pi Job, and the same without a default. */
static void test_pi(void **state)
{
    static const struct {
        const char *path, *review;
        bool patch;
    } rows[] = {
        { MUTATE "?timeout=10s", "tests/vectors/wire/reviews/001-mutate-CREATE-jobs.json", false },
        { MUTATE "?timeout=10s", "tests/bench/webhook/undefaulted.json", true },
        { VALIDATE "?timeout=10s", "tests/vectors/wire/reviews/002-validate-CREATE-jobs.json",
          false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_FREE char *review = slurp(rows[i].review);
        const struct ask_http a = { .path = rows[i].path, .body = review };
        struct reply r;

        http_ask(&proc, &a, &r);
        assert_int_equal(r.status, 200);
        assert_non_null(strstr(r.body, "\"allowed\":true"));
        assert_true(i == 2 ||
                    strstr(r.body, "\"uid\":\"cd387f7e-9046-436a-ad88-96dfab54a910\"") != NULL);
        assert_int_equal(strstr(r.body, "\"patchType\":\"JSONPatch\"") != NULL, rows[i].patch);
        reply_done(&r);
    }
}

static char *blanks(size_t n)
{
    char *p = malloc(n + 1);

    assert_non_null(p);
    memset(p, ' ', n);
    p[n] = 0;
    return p;
}

static void test_too_long(void **state)
{
    JR_FREE char *fits = blanks(MAX_BODY);
    JR_FREE char *over = blanks(MAX_BODY + 1);
    JR_FREE char *far_over = blanks((size_t)MAX_BODY * 20);
    const struct {
        const char *name;
        struct ask_http ask;
        long status;
    } rows[] = {
        { "as long as may be", { .path = MUTATE, .body = fits }, 400 },
        { "the same in chunks", { .path = MUTATE, .body = fits, .chunked = true }, 400 },
        { "one too many", { .path = MUTATE, .body = over }, 413 },
        { "the same in chunks", { .path = MUTATE, .body = over, .chunked = true }, 413 },
        { "announced, not sent",
          { .path = MUTATE, .body = far_over, .header = "Expect: 100-continue" },
          413 },
    };
    struct reply r;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        http_ask(&proc, &rows[i].ask, &r);
        if (r.status != rows[i].status)
            fail_msg("%s: %ld, %s", rows[i].name, r.status, r.body);
        reply_done(&r);
    }
    /* In chunks and far beyond the bound: it is cut off, with or without an answer, and the server
     * lives. */
    http_ask(&proc, &(struct ask_http){ .path = MUTATE, .body = far_over, .chunked = true }, &r);
    assert_true(r.status == 0 || r.status == 413);
    reply_done(&r);
    test_right_requests(state);
}

/** Overwrites what stands there; what follows stays. */
static void put(char *p, const char *text)
{
    while (*text != 0)
        *p++ = *text++;
}

/* Little text, many values: the tree would be far larger than the body. */
static void test_too_many_values(void **state)
{
    static const char head[] = "{\"kind\":\"AdmissionReview\",\"apiVersion\":"
                               "\"admission.k8s.io/v1\",\"request\":{\"uid\":\"u\",\"object\":[0";
    static const char tail[] = "]}}";
    char *p = blanks(MAX_BODY);
    struct ask_http a = { .path = VALIDATE, .body = p };
    struct reply r;
    size_t n = sizeof(head) - 1;

    (void)state;
    put(p, head);
    for (; n + sizeof(tail) < MAX_BODY; n += 2)
        put(p + n, ",0");
    put(p + n, tail);
    http_ask(&proc, &a, &r);
    assert_int_equal(r.status, 413);
    assert_non_null(strstr(r.body, "the body has too many values: validating it takes "));
    reply_done(&r);
    free(p);
}

static void test_long_headers(void **state)
{
    char header[10000];
    JR_FREE char *review = some_review();
    struct ask_http a = { .path = VALIDATE, .body = review, .header = header };
    struct reply r;

    (void)state;
    (void)snprintf(header, sizeof(header), "X-Long: ");
    memset(header + 8, 'x', 9000);
    header[9008] = 0;
    http_ask(&proc, &a, &r);
    assert_true(r.status == 431 || r.status == 413);
    reply_done(&r);
    header[4000] = 0;
    http_ask(&proc, &a, &r);
    assert_int_equal(r.status, 200);
    reply_done(&r);
}

/* ---- by hand ---- */

/** Reads one answer of a connection that stays open. */
static void read_answer(struct wire *w, char *buf, size_t cap)
{
    size_t n = 0, got;

    do {
        got = wire_read(w, buf + n, cap - 1 - n);
        n += got;
        buf[n] = 0;
    } while (got > 0 && strstr(buf, "}}") == NULL);
}

static void test_one_connection_many_requests(void **state)
{
    JR_FREE char *review = some_review();
    char text[4096], answer[4096];
    size_t n = wire_request(text, sizeof(text), VALIDATE, "", review);
    struct wire w;

    (void)state;
    wire_open(&proc, &w);
    assert_true(wire_handshake(&w, 0));
    for (int i = 0; i < 20; i++) {
        assert_true(wire_send(&w, text, n));
        read_answer(&w, answer, sizeof(answer));
        assert_non_null(strstr(answer, "200 OK"));
    }
    /* A refusal whose body was read leaves the connection usable, too. */
    {
        static const char bad[] =
            "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{}}}";

        assert_true(wire_send(&w, bad, sizeof(bad) - 1));
        assert_true(wire_read(&w, answer, sizeof(answer)) > 0);
        assert_non_null(strstr(answer, "404"));
        assert_true(wire_send(&w, text, n));
        read_answer(&w, answer, sizeof(answer));
        assert_non_null(strstr(answer, "200 OK"));
    }
    wire_done(&w);
}

/* A body that comes after the time that the API server gives is not validated any more. */
static void test_time_is_over(void **state)
{
    char head[256];
    size_t n = wire_head(head, sizeof(head), VALIDATE "?timeout=50ms", "", 2);
    time_t until = process_seconds() + PATIENCE_S;
    bool over = false;

    (void)state;
    /* On a slow machine the headers may be seen late, or the connection be gone when the body
     * comes: again, with more time between them. */
    for (long ms = 100; process_seconds() <= until && !over; ms = ms < 800 ? ms * 2 : ms) {
        const struct timespec pause = { .tv_nsec = ms * 1000000 };
        char answer[4096] = "";
        struct wire w;

        wire_open(&proc, &w);
        assert_true(wire_handshake(&w, 0));
        assert_true(wire_send(&w, head, n) && wire_send(&w, "{", 1));
        (void)nanosleep(&pause, NULL);
        over = !wire_send(&w, "}", 1) || wire_read(&w, answer, sizeof(answer) - 1) <= 0 ||
               strstr(answer, " 504 ") != NULL;
        wire_done(&w);
    }
    assert_true(over);
}

/* A connection that was opened ahead, as Go's clients do: its first request has all of its time. */
static void test_opened_ahead(void **state)
{
    JR_FREE char *review = some_review();
    const struct timespec pause = { .tv_nsec = 700000000 };
    char text[4096], answer[4096] = "";
    size_t n = wire_request(text, sizeof(text), VALIDATE "?timeout=600ms", "", review);

    (void)state;
    /* Again where a slow machine takes that long for the request itself. */
    for (int i = 0; i < 10 && strstr(answer, "200 OK") == NULL; i++) {
        struct wire w;

        wire_open(&proc, &w);
        assert_true(wire_handshake(&w, 0));
        (void)nanosleep(&pause, NULL);
        assert_true(wire_send(&w, text, n));
        memset(answer, 0, sizeof(answer));
        (void)wire_read(&w, answer, sizeof(answer) - 1);
        wire_done(&w);
    }
    assert_non_null(strstr(answer, "200 OK"));
}

/* Nonsense below HTTP: none of it may hurt the next one. */
static void test_noise(void **state)
{
    static const char *const noise[] = {
        "GET / HTTP/1.1\r\n\r\n", /* no Host */
        "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST " VALIDATE " HTTP/9.9\r\nHost: x\r\n\r\n",
        "\r\n\r\n\r\n\r\n",
        "\x16\x03\x01\x02",
        "POST",
    };
    char answer[4096];
    struct wire w;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(noise); i++) {
        wire_open(&proc, &w);
        assert_true(wire_handshake(&w, 0));
        assert_true(wire_send(&w, noise[i], strlen(noise[i])));
        (void)SSL_shutdown(w.ssl);
        (void)wire_read_all(&w, answer, sizeof(answer));
        if (strstr(answer, " 200 ") != NULL)
            fail_msg("noise %zu: %s", i, answer);
        wire_done(&w);
    }
    /* Plain HTTP where TLS is spoken. */
    wire_open(&proc, &w);
    assert_true(send(w.fd, noise[0], strlen(noise[0]), MSG_NOSIGNAL) > 0);
    wire_await_end(&w);
    wire_done(&w);
    test_right_requests(state);
}

static void test_tls_versions(void **state)
{
    static const struct {
        int version;
        bool ok;
    } rows[] = {
        { TLS1_VERSION, false },
        { TLS1_1_VERSION, false },
        { TLS1_2_VERSION, true },
        { TLS1_3_VERSION, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct wire w;

        wire_open(&proc, &w);
        if (wire_handshake(&w, rows[i].version) != rows[i].ok)
            fail_msg("version %#x", (unsigned)rows[i].version);
        wire_done(&w);
    }
}

/* ---- probes and metrics ---- */

static void test_probes(void **state)
{
    static const char *const paths[] = { "/healthz", "/livez", "/readyz" };
    struct reply r;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(paths); i++) {
        http_get(proc.health_port, paths[i], &r);
        assert_int_equal(r.status, 200);
        assert_string_equal(r.body, "ok\n");
        reply_done(&r);
    }
    http_get(proc.health_port, "/metrics", &r);
    assert_int_equal(r.status, 404);
    reply_done(&r);
    http_get(proc.metrics_port, "/healthz", &r);
    assert_int_equal(r.status, 404);
    reply_done(&r);
}

static void test_metrics(void **state)
{
    static const char requests[] =
        "controller_runtime_webhook_requests_total{code=\"200\",webhook=\"" VALIDATE "\"}";
    static const char refused[] =
        "controller_runtime_webhook_requests_total{code=\"415\",webhook=\"" VALIDATE "\"}";
    JR_FREE char *review = some_review();
    const struct ask_http good = { .path = VALIDATE, .body = review };
    const struct ask_http bad = { .path = VALIDATE, .body = review, .content_type = "x/y" };
    double before = metric(&proc, requests);
    struct reply r;

    (void)state;
    http_ask(&proc, &good, &r);
    reply_done(&r);
    http_ask(&proc, &bad, &r);
    reply_done(&r);
    await_metric(&proc, requests,
                 before + 1); /* counted when the answer is sent, so a little later */
    await_metric(&proc, refused, 1);
    await_metric(&proc,
                 "controller_runtime_webhook_latency_seconds_count{webhook=\"" VALIDATE "\"}",
                 before + 1);
    assert_true(metric(&proc, "controller_runtime_webhook_requests_in_flight{webhook=\"" VALIDATE
                              "\"}") >= 0);
    assert_true(metric(&proc, "jobreeve_webhook_admission_total{allowed=\"true\",operation="
                              "\"DELETE\",reason=\"\",webhook=\"" VALIDATE "\"}") >= 1);
    assert_true(metric(&proc, "jobreeve_webhook_patches_total{webhook=\"" VALIDATE "\"}") <= 0);
    assert_true(metric(&proc, "jobreeve_webhook_certificate_not_after_timestamp_seconds") > 1e9);
    assert_true(metric(&proc, "process_resident_memory_bytes") > 1e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_requests),
        cmocka_unit_test(test_right_requests),
        cmocka_unit_test(test_pi),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_too_many_values),
        cmocka_unit_test(test_long_headers),
        cmocka_unit_test(test_one_connection_many_requests),
        cmocka_unit_test(test_time_is_over),
        cmocka_unit_test(test_opened_ahead),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_tls_versions),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_metrics),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
