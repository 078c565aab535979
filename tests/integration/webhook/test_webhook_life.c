/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending: settings that are refused, certificates that change, requests that are
 * finished. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <cmocka.h>

#include "tests/integration/webhook/process.h"
#include "tests/unit/webhook/ask.h"
#include "webhook/app/flags.h"

#define VALIDATE "/validate-batch-v1-job"

static char *some_review(void)
{
    static const struct pieces p = { .operation = "DELETE", .old_object = "{}" };

    return review_of(&p);
}

static void logged(const struct process *p, const char *a, const char *b)
{
    char *log = slurp(p->log);
    bool found = process_logged(p, (const char *[]){ a, b, NULL });

    if (!found)
        print_error("log:\n%s\n", log);
    free(log);
    assert_true(found);
}

/* ---- settings ---- */

static void test_wrong_settings(void **state)
{
    static const struct {
        const char *args[6];
        const char *flag, *words;
    } rows[] = {
        { { NULL }, "--tls-cert-file", "required" },
        { { "--tls-cert-file=/nowhere/c", "--tls-private-key-file=/nowhere/k" },
          "--tls-cert-file",
          "No such file or directory" },
        { { "--port=http" }, "--port", "expected a whole number" },
        { { "--tls-cert" }, "--tls-cert", "no such flag" },
        { { "--feature-gates=Nonsense=true", "--tls-cert-file=c", "--tls-private-key-file=k" },
          "--feature-gates",
          "Nonsense" },
        { { "run" }, "run", "no command" },
        { { "remove", "--deployment-annotation=a" },
          "jobreeve-webhook remove: --deployment-annotation",
          "expected --deployment" },
        { { "remove", "--port=1" }, "jobreeve-webhook remove: --port", "no such flag" },
        { { "remove", "--port=1" }, "See ", "jobreeve-webhook remove --help" },
        { { "self-test", "--readyz-url=ready" },
          "jobreeve-webhook self-test: --readyz-url",
          "expected http://HOST:PORT/PATH" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct process p;

        assert_int_equal(process_try(&p, rows[i].args), 2);
        logged(&p, rows[i].flag, rows[i].words);
        process_end(&p);
    }
}

/* Help names every flag of the table, with its default. */
static void test_help(void **state)
{
    struct process p;
    char *out;

    (void)state;
    assert_int_equal(process_try(&p, (const char *[]){ "--help", NULL }), 0);
    out = slurp(p.out);
    for (const struct jr_flag *f = jr_webhook_flags.table; f->name != NULL; f++) {
        char want[64];

        (void)snprintf(want, sizeof(want), "\n  --%s", f->name);
        if (strstr(out, want) == NULL)
            fail_msg("no%s in %s", want, out);
    }
    assert_non_null(strstr(out, "(default 9443)"));
    free(out);
    process_end(&p);
    assert_int_equal(process_try(&p, (const char *[]){ "--version", NULL }), 0);
    out = slurp(p.out);
    assert_true(jr_str_starts(jr_str(out), JR_S("jobreeve-webhook " JR_VERSION "\n")));
    free(out);
    process_end(&p);
}

static void test_mismatch(void **state)
{
    struct pki a, b;
    struct process p;

    (void)state;
    pki_begin(&a);
    pki_begin(&b);
    pki_make(&a, PKI_EC, 3600, NULL);
    pki_make(&b, PKI_EC, 3600, NULL);
    assert_int_equal(process_try(&p, (const char *[]){ "--tls-cert-file", a.cert,
                                                       "--tls-private-key-file", b.key, NULL }),
                     2);
    logged(&p, "--tls-private-key-file", "is not the private key of the certificate");
    process_end(&p);
    pki_end(&a);
    pki_end(&b);
}

/* A port that is taken is said at start, too, for each of the three. */
static void test_port_taken(void **state)
{
    struct process p, q;
    char port[32], health[64], metrics[64];

    (void)state;
    process_start(&p, NULL);
    (void)snprintf(port, sizeof(port), "--port=%d", p.port);
    (void)snprintf(health, sizeof(health), "--health-probe-bind-address=127.0.0.1:%d",
                   p.health_port);
    (void)snprintf(metrics, sizeof(metrics), "--metrics-bind-address=127.0.0.1:%d", p.metrics_port);
    for (int i = 0; i < 3; i++) {
        const char *args[] = { "--bind-address=127.0.0.1",
                               "--tls-cert-file",
                               p.pki.cert,
                               "--tls-private-key-file",
                               p.pki.key,
                               i == 0 ? port : "--port=0",
                               i == 1 ? health : "--health-probe-bind-address=0",
                               i == 2 ? metrics : "--metrics-bind-address=0",
                               NULL };
        static const char *const flags[] = { "--port", "--health-probe-bind-address",
                                             "--metrics-bind-address" };

        assert_int_equal(process_try(&q, args), 2);
        logged(&q, flags[i], "Address already in use");
        process_end(&q);
    }
    process_stop(&p);
}

/* Connections need descriptors, and so do threads: too few are said at start. */
static void test_open_files(void **state)
{
    static const struct {
        const char *threads, *connections, *flag, *words;
    } rows[] = {
        { "--threads=2", "--max-connections=600", "--max-connections",
          "expected 526 or less: this process may open 1000 files" },
        { "--threads=64", "--max-connections=400", "--max-connections", "expected 305 or less" },
        /* enough: the next step fails, by an address that nobody has (RFC 5737) */
        { "--threads=64", "--max-connections=305", "--bind-address", "192.0.2.1" },
    };
    struct pki pki;

    (void)state;
    pki_begin(&pki);
    pki_make(&pki, PKI_EC, 3600, NULL);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct process p;

        assert_int_equal(
            process_try_within(&p, 1000,
                               (const char *[]){ "--bind-address=192.0.2.1", "--tls-cert-file",
                                                 pki.cert, "--tls-private-key-file", pki.key,
                                                 rows[i].threads, rows[i].connections, NULL }),
            2);
        logged(&p, rows[i].flag, rows[i].words);
        process_end(&p);
    }
    pki_end(&pki);
}

/* Two on one port: of the one that is killed nothing is missed but what it was about. */
static void test_standby(void **state)
{
    JR_FREE char *review = some_review();
    struct process p, q;
    char port[32];

    (void)state;
    process_start(&p, (const char *[]){ "--reuse-port", NULL });
    (void)snprintf(port, sizeof(port), "--port=%d", p.port);
    process_start(&q, (const char *[]){ port, "--reuse-port", "--tls-cert-file", p.pki.cert,
                                        "--tls-private-key-file", p.pki.key, NULL });
    assert_int_equal(p.port, q.port);
    process_signal(&q, SIGKILL);
    assert_int_equal(process_wait(&q), -SIGKILL);
    for (int i = 0; i < 12; i++) {
        struct reply r;

        http_ask(&p, &(struct ask_http){ .path = VALIDATE, .body = review }, &r);
        assert_int_equal(r.status, 200);
        reply_done(&r);
    }
    process_end(&q);
    process_stop(&p);
}

/* ---- ending ---- */

#define IN_FLIGHT "controller_runtime_webhook_requests_in_flight{webhook=\"" VALIDATE "\"}"

/* A request that was begun before the signal is finished after it. */
static void test_finishes_requests(void **state)
{
    JR_FREE char *review = some_review();
    size_t half = strlen(review) / 2, n;
    char text[1024], answer[4096];
    struct process p;
    struct wire w;

    (void)state;
    process_start(&p, NULL);
    wire_open(&p, &w);
    assert_true(wire_handshake(&w, 0));
    n = wire_head(text, sizeof(text), VALIDATE, "", strlen(review));
    assert_true(wire_send(&w, text, n));
    assert_true(wire_send(&w, review, half));
    await_metric(&p, IN_FLIGHT, 1);
    process_signal(&p, SIGTERM);
    process_await_log(&p, (const char *[]){ "no longer accepting", "\"inFlight\":1", NULL });
    assert_true(wire_send(&w, review + half, strlen(review) - half));
    (void)wire_read_all(&w, answer, sizeof(answer));
    assert_non_null(strstr(answer, "200 OK"));
    assert_non_null(strcasestr(answer, "connection: close"));
    assert_non_null(strstr(answer, "\"allowed\":true"));
    wire_done(&w);
    assert_int_equal(process_wait(&p), 0);
    process_end(&p);
}

/** Looks for a second. */
static bool is_in_flight(const struct process *p)
{
    const struct timespec pause = { .tv_nsec = 20000000 };

    for (int i = 0; i < 50 && metric(p, IN_FLIGHT) < 1; i++)
        (void)nanosleep(&pause, NULL);
    return metric(p, IN_FLIGHT) >= 1;
}

/* One that never ends is given up at its deadline. */
static void test_gives_up(void **state)
{
    JR_FREE char *review = some_review();
    char text[1024];
    size_t n = wire_head(text, sizeof(text), VALIDATE, "", strlen(review));
    time_t until = process_seconds() + PATIENCE_S;
    struct process p;
    struct wire w;

    (void)state;
    process_start(&p, (const char *[]){ "--header-timeout=2s", "--request-timeout=3s", NULL });
    wire_open(&p, &w);
    /* again where a slow machine would see it only after its deadline */
    while (!wire_handshake(&w, 0) || !wire_send(&w, text, n) || !is_in_flight(&p)) {
        assert_true(process_seconds() <= until);
        wire_done(&w);
        wire_open(&p, &w);
    }
    process_signal(&p, SIGTERM);
    wire_await_end(&w);
    wire_done(&w);
    assert_int_equal(process_wait(&p), 0);
    process_end(&p);
}

/* During the delay: not ready, but serving; a second signal ends it. */
static void test_delay(void **state)
{
    JR_FREE char *review = some_review();
    struct process p;
    struct reply r;
    time_t until = process_seconds() + PATIENCE_S;

    (void)state;
    process_start(&p, (const char *[]){ "--shutdown-delay-duration=1h", NULL });
    process_signal(&p, SIGTERM);
    do {
        http_get(p.health_port, "/readyz", &r);
        reply_done(&r);
    } while (r.status == 200 && process_seconds() <= until);
    assert_int_equal(r.status, 503);
    http_get(p.health_port, "/livez", &r);
    assert_int_equal(r.status, 200);
    reply_done(&r);
    http_ask(&p, &(struct ask_http){ .path = VALIDATE, .body = review }, &r);
    assert_int_equal(r.status, 200);
    assert_true(r.closed);
    reply_done(&r);
    process_stop(&p); /* the second signal */
}

static void test_interrupt(void **state)
{
    struct process p;

    (void)state;
    process_start(&p, NULL);
    process_signal(&p, SIGINT);
    assert_int_equal(process_wait(&p), 0);
    process_end(&p);
}

/* ---- certificates ---- */

static void test_certificate_changes(void **state)
{
    static const char reloads[] = "jobreeve_webhook_certificate_reloads_total{result=\"success\"}";
    static const char failures[] = "jobreeve_webhook_certificate_reloads_total{result=\"error\"}";
    JR_FREE char *review = some_review();
    char text[2048], answer[4096];
    struct process p, trusts_next;
    struct pki next;
    struct wire old;
    struct reply r;
    double failed;
    size_t n;

    (void)state;
    process_start(&p, NULL);
    wire_open(&p, &old);
    assert_true(wire_handshake(&old, 0));
    pki_begin(&next);
    pki_make(&next, PKI_RSA, 7200, NULL);
    trusts_next = p;
    trusts_next.pki = next;
    http_ask(&trusts_next, &(struct ask_http){ .path = VALIDATE, .body = review }, &r);
    assert_int_equal(r.status, 0); /* still the old one, which the next does not vouch for */
    reply_done(&r);
    assert_int_equal(rename(next.key, p.pki.key), 0);
    assert_int_equal(rename(next.cert, p.pki.cert), 0);
    pki_end(&next);
    process_signal(&p, SIGHUP);
    await_metric(&p, reloads, 1);
    http_ask(&p, &(struct ask_http){ .path = VALIDATE, .body = review }, &r);
    assert_int_equal(r.status, 200);
    reply_done(&r);

    n = wire_head(text, sizeof(text), VALIDATE, "",
                  strlen(review)); /* the connection from before goes on */
    assert_true(wire_send(&old, text, n));
    assert_true(wire_send(&old, review, strlen(review)));
    assert_true(wire_read(&old, answer, sizeof(answer)) > 0);
    assert_non_null(strstr(answer, "200 OK"));
    wire_done(&old);

    {
        char good[PKI_PATH_MAX], bad[PKI_PATH_MAX];

        pki_path(&p.pki, "good.crt", good);
        pki_path(&p.pki, "bad.crt", bad);
        pki_write(bad, "nonsense");
        failed = metric(&p, failures);
        assert_int_equal(link(p.pki.cert, good), 0);
        assert_int_equal(rename(bad, p.pki.cert), 0);
        process_signal(&p, SIGHUP);
        await_metric(&p, failures, failed + 1);
        assert_int_equal(rename(good, p.pki.cert), 0);
    }
    http_ask(&p, &(struct ask_http){ .path = VALIDATE, .body = review }, &r);
    assert_int_equal(r.status, 200); /* the last good one */
    reply_done(&r);
    process_stop(&p);
}

static void test_expired_is_not_ready(void **state)
{
    struct process p;
    struct reply r;

    (void)state;
    process_start(&p, NULL);
    pki_make(&p.pki, PKI_EC, -10, NULL);
    process_signal(&p, SIGHUP);
    await_metric(&p, "jobreeve_webhook_certificate_reloads_total{result=\"success\"}", 1);
    http_get(p.health_port, "/readyz", &r);
    assert_int_equal(r.status, 503);
    assert_non_null(strstr(r.body, "expired"));
    reply_done(&r);
    process_stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_settings),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_port_taken),
        cmocka_unit_test(test_open_files),
        cmocka_unit_test(test_standby),
        cmocka_unit_test(test_finishes_requests),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_certificate_changes),
        cmocka_unit_test(test_expired_is_not_ready),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
