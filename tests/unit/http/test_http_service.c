/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs share: signals end the loop, exit codes, listeners that are off. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/http/service.h"

static int on_nothing(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                      const char **ret_content_type)
{
    (void)path;
    (void)query;
    return jr_service_metrics(ctx, body, ret_content_type);
}

static void on_term(void *ctx, int signo)
{
    *(int *)ctx = signo;
}

static void terminate(void *ctx)
{
    (void)ctx;
    (void)kill(getpid(), SIGTERM);
}

/** Either by what is called then, or, where nothing is, at once. */
static void test_signals(void **state)
{
    struct jr_service s = { 0 };
    struct jr_error err = { .status = JR_OK };
    struct jr_timer *timer = NULL;
    bool idle;
    int got = 0;

    (void)state;
    assert_int_equal(jr_service_open(&s, NULL, on_term, &got, &err), JR_OK);
    assert_int_equal(jr_loop_after(s.loop, 0, terminate, NULL, &timer), JR_OK);
    while (got == 0)
        assert_int_equal(jr_loop_turn(s.loop, JR_SEC, &idle, NULL), JR_OK);
    assert_int_equal(got, SIGTERM);
    jr_service_done(&s);
    s = (struct jr_service){ 0 };
    assert_int_equal(jr_service_open(&s, NULL, NULL, NULL, &err), JR_OK);
    timer = NULL;
    assert_int_equal(jr_loop_after(s.loop, 0, terminate, NULL, &timer), JR_OK);
    assert_int_equal(jr_service_run(&s, JR_OK, &err), 0);
    jr_service_done(&s);
}

static void fail_later(void *ctx)
{
    jr_service_fail(ctx, JR_IO);
}

static void test_exit_codes(void **state)
{
    struct jr_service s = { 0 };
    struct jr_error err = { .status = JR_OK };
    struct jr_timer *timer = NULL;

    (void)state;
    assert_int_equal(jr_service_run(&s, JR_USAGE, &err), 2);
    assert_int_equal(jr_service_run(&s, JR_NOMEM, &err), 1);
    assert_int_equal(jr_service_open(&s, NULL, NULL, NULL, &err), JR_OK);
    assert_int_equal(jr_loop_after(s.loop, 0, fail_later, &s, &timer), JR_OK);
    assert_int_equal(jr_service_run(&s, JR_OK, &err), 1);
    jr_service_done(&s);
}

/** One that is off isn't there; of a bad one the error names the flag. */
static void test_listeners(void **state)
{
    const struct jr_flag_addr off = { .off = true }, bad = { .host = "256.1.1.1", .port = 1 };
    struct jr_service s = { 0 };
    struct jr_error err = { .status = JR_OK };
    const char *type = NULL;
    JR_BUF text = { .max = 1 << 16 };

    (void)state;
    assert_int_equal(jr_service_open(&s, NULL, NULL, NULL, &err), JR_OK);
    assert_int_equal(jr_service_listen(&s, &off, on_nothing, &off, on_nothing, &s, &err), JR_OK);
    assert_null(s.health);
    assert_null(s.metrics_listener);
    assert_int_not_equal(jr_service_listen(&s, &bad, on_nothing, &off, on_nothing, &s, &err),
                         JR_OK);
    assert_non_null(strstr(err.msg, "--health-probe-bind-address"));
    assert_int_not_equal(jr_service_listen(&s, &off, on_nothing, &bad, on_nothing, &s, &err),
                         JR_OK);
    assert_non_null(strstr(err.msg, "--metrics-bind-address"));
    jr_metrics_process(s.metrics);
    assert_int_equal(jr_service_metrics(&s, &text, &type), 200);
    assert_string_equal(type, "text/plain; version=0.0.4; charset=utf-8");
    assert_non_null(strstr(text.p, "jobreeve_build_info"));
    jr_service_done(&s);
}

/** What differs from the defaults, for the log. */
static void test_settings(void **state)
{
    struct {
        int64_t port;
    } config = { 7 };
    const struct jr_flag table[] = { { "port", JR_FLAG_INT, 0, .initial = "9", .max = 10 },
                                     { .name = NULL } };
    const struct jr_flags flags = { .program = "p", .table = table };
    JR_BUF text = { 0 };

    (void)state;
    jr_service_settings(&flags, &config, &text);
    assert_string_equal(text.p, "--port=7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_listeners),
        cmocka_unit_test(test_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
