/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate of the Secret that is fit by OpenSSL, which reads it, and not by GnuTLS, which is
 * to serve with it: its curve is secp256k1. What is served stays, and the log says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/base64.h"
#include "common/base/file.h"
#include "tests/support/scripted_api.h"
#include "tests/unit/webhook/pki.h"
#include "webhook/net/own_certs.h"

#define LOG_MAX 4096

struct world {
    struct jr_loop *loop;
    struct jr_buf secret;
    unsigned creds, failures, skews;
};

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    const struct world *w = ctx;

    (void)n;
    assert_true(jr_str_is(call->path, "/api/v1/namespaces/ns/secrets/own"));
    return (struct jr_scripted_answer){ .outcome = JR_HTTP_DONE,
                                        .status = 200,
                                        .body = jr_buf_str(&w->secret) };
}

static void add_file(struct jr_buf *out, const char *path)
{
    JR_BUF pem = { 0 };

    jr_buf_init(&pem, 65536);
    assert_int_equal(jr_file_read(path, &pem, NULL), JR_OK);
    assert_int_equal(jr_base64_encode(jr_buf_str(&pem), out), JR_OK);
}

static void on_cred(void *ctx, struct jr_tls_cred *cred)
{
    struct world *w = ctx;

    jr_tls_cred_unref(cred);
    w->creds++;
}

static void on_failure(void *ctx)
{
    struct world *w = ctx;

    w->failures++;
    jr_loop_stop(w->loop);
}

static void on_skew(void *ctx, int64_t skew_ns)
{
    struct world *w = ctx;

    (void)skew_ns;
    w->skews++;
}

/** Serves a Secret with these of its parts until the first failure, and reads the log into text. */
static void serve(struct world *w, enum pki_kind kind, bool cert, bool key, char text[LOG_MAX])
{
    const struct jr_own_certs_handler h = { on_cred, on_failure, on_skew, w };
    const struct jr_webhook_options options = { .tls_secret = "own", .tls_poll_ms = 1000 };
    struct jr_clock_virtual clock = { .wall = jr_time_s(1798761600), .mono = { 1000 * JR_SEC } };
    struct jr_rand_seeded seed;
    struct jr_webhook_api api = { .namespace = (char *)(uintptr_t) "ns" };
    struct jr_scripted_api *server;
    struct jr_own_certs *o;
    struct jr_log *log;
    struct pki pki;
    FILE *file = tmpfile();

    assert_non_null(file);
    pki_begin(&pki);
    pki_make(&pki, kind, 3600, NULL);
    jr_buf_init(&w->secret, 65536);
    (void)jr_buf_adds(&w->secret, "{\"data\":{\"tls.crt\":\"");
    if (cert)
        add_file(&w->secret, pki.cert);
    (void)jr_buf_adds(&w->secret, "\",\"tls.key\":\"");
    if (key)
        add_file(&w->secret, pki.key);
    assert_int_equal(jr_buf_adds(&w->secret, "\"}}"), JR_OK);
    pki_end(&pki);
    assert_int_equal(
        jr_log_new(fileno(file), JR_LOG_INFO, JR_LOG_JSON, "test", &jr_clock_system, &log), JR_OK);
    assert_int_equal(jr_loop_new_virtual(&clock, &w->loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(w->loop, answer, w, &server), JR_OK);
    api.env = (struct jr_env){ w->loop, jr_rand_of_seed(&seed, 3), jr_scripted_transport(server) };
    o = jr_own_certs_start(&api, &options, &h, log);
    assert_int_equal(jr_loop_run(w->loop, NULL), JR_OK);
    jr_own_certs_free(o);
    jr_own_certs_free(NULL);
    jr_scripted_api_free(server);
    jr_loop_free(w->loop);
    jr_log_free(log);
    jr_buf_done(&w->secret);
    rewind(file);
    text[fread(text, 1, LOG_MAX - 1, file)] = '\0';
    (void)fclose(file);
}

static void fit_for_one_of_two(void **state)
{
    struct world w = { .creds = 0 };
    char text[LOG_MAX];

    (void)state;
    serve(&w, PKI_EC_K1, true, true, text);
    assert_int_equal(w.creds, 0);
    assert_int_equal(w.failures, 1);
    assert_non_null(strstr(text, "the Secret's certificate can't be served, the old one stays"));
}

/** Half of what is needed is a fault, and said; nothing at all is not: a keeper makes it. */
static void half_a_secret(void **state)
{
    static const char *const missing[] = { "tls.crt: is missing", "tls.key: is missing" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct world w = { .creds = 0 };
        char text[LOG_MAX];

        serve(&w, PKI_EC, i == 1, i == 0, text);
        assert_int_equal(w.creds, 0);
        assert_int_equal(w.failures, 1);
        assert_non_null(strstr(text, missing[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_for_one_of_two),
        cmocka_unit_test(half_a_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
