/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of jobreeve-webhook remove and self-test: what is accepted, and what a wrong one is
 * told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webhook/app/flags.h"
#include "webhook/commands/remove_options.h"
#include "webhook/commands/self_test_options.h"

#define ARGS_MAX 8

/** Of whichever command the arguments name. */
struct options {
    const struct jr_flags *command;
    struct jr_webhook_remove_options remove;
    struct jr_webhook_self_test_options self_test;
};

static enum jr_status parse(const char *const *args, struct options *o, struct jr_error *err)
{
    char *line[ARGS_MAX + 2] = { (char *)(uintptr_t) "jobreeve-webhook" };
    char **argv = line;
    int argc = 1;
    enum jr_status st;

    for (; args[argc - 1] != NULL; argc++)
        line[argc] = (char *)(uintptr_t)args[argc - 1];
    o->command = jr_flags_command(&jr_webhook_flags, &argc, &argv);
    if (o->command == &jr_webhook_remove_flags) {
        st = jr_flags_parse(o->command, argc, argv, &o->remove, NULL, NULL, err);
        return st == JR_OK ? jr_webhook_remove_options_check(&o->remove, err) : st;
    }
    assert_ptr_equal(o->command, &jr_webhook_self_test_flags);
    st = jr_flags_parse(o->command, argc, argv, &o->self_test, NULL, NULL, err);
    return st == JR_OK ? jr_webhook_self_test_options_check(&o->self_test, err) : st;
}

/** The chart gives every flag, some of them empty. */
static void test_remove_defaults(void **state)
{
    static const char *const rows[][ARGS_MAX] = {
        { "remove", NULL },
        { "remove", "--deployment=", "--deployment-annotation=", "--keeper-deployment=",
          "--tls-secret=", "--namespace=", "--kubeconfig=", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct options o;
        struct jr_error err = { .status = JR_OK };

        assert_int_equal(parse(rows[i], &o, &err), JR_OK);
        assert_ptr_equal(o.command, &jr_webhook_remove_flags);
        assert_null(o.remove.deployment);
        assert_null(o.remove.deployment_annotation);
        assert_null(o.remove.keeper_deployment);
        assert_null(o.remove.tls_secret);
        assert_null(o.remove.api.namespace);
        assert_null(o.remove.api.kubeconfig);
        assert_null(o.remove.api.context);
        assert_string_equal(o.remove.webhook_configuration, "jobreeve");
        assert_int_equal(o.remove.timeout_ms, 120000);
    }
}

static void test_self_test_defaults(void **state)
{
    static const char *const rows[][ARGS_MAX] = {
        { "self-test", NULL },
        { "self-test", "--readyz-url=", "--metrics-url=", "--metrics-ca-file=",
          "--metrics-server-name=", "--kubeconfig=", "--context=", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct options o;
        struct jr_error err = { .status = JR_OK };

        assert_int_equal(parse(rows[i], &o, &err), JR_OK);
        assert_ptr_equal(o.command, &jr_webhook_self_test_flags);
        assert_string_equal(o.self_test.namespace, "default");
        assert_int_equal(o.self_test.sides.n, 2);
        assert_null(o.self_test.readyz_url);
        assert_null(o.self_test.metrics_url);
        assert_null(o.self_test.metrics_ca_file);
        assert_null(o.self_test.metrics_server_name);
        assert_null(o.self_test.api.kubeconfig);
        assert_null(o.self_test.api.context);
        assert_int_equal(o.self_test.timeout_ms, 60000);
    }
}

static void test_settings(void **state)
{
    static const char *const remove[] = { "remove",
                                          "--deployment=d",
                                          "--deployment-annotation=example.com/a",
                                          "--keeper-deployment=k",
                                          "--tls-secret=s",
                                          "--namespace=n",
                                          "--timeout=3s",
                                          NULL };
    static const char *const self_test[] = { "self-test",
                                             "--namespace=n",
                                             "--sides=validate",
                                             "--readyz-url=http://[::1]:8081/readyz",
                                             "--metrics-url=https://h:1/m",
                                             "--metrics-ca-file=ca.crt",
                                             "--metrics-server-name=h.example.com",
                                             "--timeout=3s",
                                             NULL };
    struct options o;
    struct jr_error err = { .status = JR_OK };

    (void)state;
    assert_int_equal(parse(remove, &o, &err), JR_OK);
    assert_string_equal(o.remove.deployment, "d");
    assert_string_equal(o.remove.deployment_annotation, "example.com/a");
    assert_string_equal(o.remove.keeper_deployment, "k");
    assert_string_equal(o.remove.tls_secret, "s");
    assert_string_equal(o.remove.api.namespace, "n");
    assert_int_equal(o.remove.timeout_ms, 3000);
    assert_int_equal(parse(self_test, &o, &err), JR_OK);
    assert_string_equal(o.self_test.namespace, "n");
    assert_int_equal(o.self_test.sides.n, 1);
    assert_string_equal(o.self_test.readyz_url, "http://[::1]:8081/readyz");
    assert_string_equal(o.self_test.metrics_url, "https://h:1/m");
    assert_int_equal(jr_self_test_path(o.self_test.metrics_url), strlen("https://h:1"));
    assert_int_equal(jr_self_test_path(o.self_test.readyz_url), strlen("http://[::1]:8081"));
    assert_string_equal(o.self_test.metrics_ca_file, "ca.crt");
    assert_string_equal(o.self_test.metrics_server_name, "h.example.com");
    assert_int_equal(o.self_test.timeout_ms, 3000);
}

static void test_refused(void **state)
{
    static const struct {
        const char *args[ARGS_MAX];
        const char *path, *words;
    } rows[] = {
        { { "remove", "--deployment=../d" }, "--deployment", "../d" },
        { { "remove", "--deployment-annotation=a" },
          "--deployment-annotation",
          "expected --deployment beside it: whose annotation?" },
        { { "remove", "--deployment=", "--deployment-annotation=a" },
          "--deployment-annotation",
          "expected --deployment beside it: whose annotation?" },
        { { "remove", "--keeper-deployment=D" }, "--keeper-deployment", "D" },
        { { "remove", "--webhook-configuration=" }, "--webhook-configuration", "" },
        { { "remove", "--tls-secret=S" }, "--tls-secret", "S" },
        { { "remove", "--namespace=a.b" }, "--namespace", "a.b" },
        { { "remove", "--timeout=0" }, "--timeout", "" },
        { { "remove", "--timeout=61m" }, "--timeout", "" },
        { { "remove", "--log-level=loud" }, "--log-level", "loud" },
        { { "remove", "--tls-secret-namespace=n" }, "--tls-secret-namespace", "no such flag" },
        { { "remove", "--keeper" }, "--keeper", "no such flag" },
        { { "remove", "--policies" }, "--policies", "no such flag" },
        { { "remove", "self-test" }, "", "takes flags only, not \"self-test\"" },
        { { "self-test", "--sides=convert" },
          "--sides",
          "expected mutate or validate, not \"convert\"" },
        { { "self-test", "--readyz-url=ready" },
          "--readyz-url",
          "expected http://HOST:PORT/PATH, not \"ready\"" },
        { { "self-test", "--readyz-url=https://h/readyz" },
          "--readyz-url",
          "expected http://HOST:PORT/PATH" },
        { { "self-test", "--readyz-url=http://h" }, "--readyz-url", "http://HOST:PORT/PATH" },
        { { "self-test", "--readyz-url=http://" }, "--readyz-url", "http://HOST:PORT/PATH" },
        { { "self-test", "--metrics-url=http:///metrics" },
          "--metrics-url",
          "expected http://HOST:PORT/PATH or https://HOST:PORT/PATH, not \"http:///metrics\"" },
        { { "self-test", "--metrics-url=https:///metrics", "--metrics-ca-file=ca" },
          "--metrics-url",
          "expected http://HOST:PORT/PATH or https://HOST:PORT/PATH, not \"https:///metrics\"" },
        { { "self-test", "--metrics-url=https://h/metrics" },
          "--metrics-url",
          "expected --metrics-ca-file beside https" },
        { { "self-test", "--metrics-url=http://h/metrics", "--metrics-ca-file=ca" },
          "--metrics-ca-file",
          "expected --metrics-url by https" },
        { { "self-test", "--metrics-ca-file=ca" },
          "--metrics-ca-file",
          "expected --metrics-url beside it" },
        { { "self-test", "--metrics-url=http://h/metrics", "--metrics-server-name=h" },
          "--metrics-server-name",
          "expected --metrics-ca-file beside it" },
        { { "self-test", "--namespace=a.b" }, "--namespace", "a.b" },
        { { "self-test", "--namespace=" }, "--namespace", "" },
        { { "self-test", "--timeout=0" }, "--timeout", "" },
        { { "self-test", "--logging-format=xml" }, "--logging-format", "xml" },
        { { "self-test", "--policy-file=p.yaml" }, "--policy-file", "no such flag" },
        { { "self-test", "--deployment=d" }, "--deployment", "no such flag" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct options o;
        struct jr_error err = { .status = JR_OK };

        if (parse(rows[i].args, &o, &err) != JR_USAGE || strcmp(err.path, rows[i].path) != 0 ||
            err.msg[0] == 0 || strstr(err.msg, rows[i].words) == NULL)
            fail_msg("row %zu: status %d, %s: %s", i, err.status, err.path, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remove_defaults),
        cmocka_unit_test(test_self_test_defaults),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
