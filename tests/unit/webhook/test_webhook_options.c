/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: what is accepted, and what a wrong one is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webhook/app/flags.h"

#define FILES "--tls-cert-file=c", "--tls-private-key-file=k"

static enum jr_status options_of(const char *const *args, struct jr_webhook_options *o,
                                 struct jr_error *err)
{
    char *argv[16] = { (char *)(uintptr_t) "jobreeve-webhook" };
    int argc = 1;
    enum jr_status st;

    for (; args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)args[argc - 1];
    st = jr_flags_parse(&jr_webhook_flags, argc, argv, o, NULL, NULL, err);
    return st == JR_OK ? jr_webhook_options_check(o, err) : st;
}

static void test_defaults(void **state)
{
    struct jr_webhook_options o;
    struct jr_error err;

    (void)state;
    assert_int_equal(options_of((const char *[]){ FILES, NULL }, &o, &err), JR_OK);
    assert_string_equal(o.bind_address, "");
    assert_int_equal(o.port, 9443);
    assert_int_equal(o.health.port, 8081);
    assert_int_equal(o.metrics.port, 8080);
    assert_int_equal(o.max_body_bytes, 7 << 20);
    assert_int_equal(o.max_request_memory_bytes, 256 << 20);
    assert_int_equal(o.address_share, 50);
    assert_int_equal(o.header_timeout_ms, 10000);
    assert_int_equal(o.request_timeout_ms, 30000);
    assert_int_equal(o.shutdown_delay_ms, 5000);
    assert_in_range(o.threads, 2, 16);
    assert_true(o.version_auto);
    assert_int_equal(o.profiles.n, JR_KUBE_MINORS); /* until the API server has said its own */
    assert_true(o.profiles.v[1].gates[JR_GATE_JobManagedBy]);
    assert_string_equal(o.review.controller_name, "jobreeve.dev/controller");
}

static void test_settings(void **state)
{
    const char *const args[] = { FILES,
                                 "--bind-address=::1",
                                 "--port=0",
                                 "--health-probe-bind-address=0",
                                 "--metrics-bind-address=127.0.0.1:0",
                                 "--threads=3",
                                 "--shutdown-delay-duration=0",
                                 "--kubernetes-version=1.36.1",
                                 "--feature-gates=GenericWorkload=true,GangScheduling=true",
                                 "--feature-gates=MutablePodResourcesForSuspendedJobs=false",
                                 NULL };
    struct jr_webhook_options o;
    struct jr_error err = { .status = JR_OK };

    (void)state;
    if (options_of(args, &o, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
    assert_true(o.health.off);
    assert_int_equal(o.metrics.port, 0);
    assert_int_equal(o.threads, 3);
    assert_false(o.version_auto);
    assert_int_equal(o.profiles.n, 1);
    assert_int_equal(o.profiles.common.version.minor, 36);
    assert_int_equal(o.profiles.common.version.patch, 1);
    assert_true(o.profiles.common.gates[JR_GATE_GangScheduling]);
    assert_false(o.profiles.common.gates[JR_GATE_MutablePodResourcesForSuspendedJobs]);
}

static void test_faults(void **state)
{
    static const struct {
        const char *args[5];
        const char *path; /* of the flag that is blamed */
    } rows[] = {
        { { NULL }, "--tls-cert-file" },
        { { FILES, "--deployment=d" }, "--deployment" },
        { { "--tls-secret=s", "--tls-ca-file=f" }, "--tls-ca-file" },
        { { FILES, "--tls-ca-file=f" }, "--tls-ca-file" },
        { { "--keeper", "--tls-secret=s", "--tls-ca-file=f" }, "--tls-ca-file" },
        { { "--keeper", "--tls-secret=s", "--tls-cert-file=c" }, "--tls-cert-file" },
        { { FILES, "--remove" }, "--remove" }, /* commands, and what is theirs */
        { { FILES, "--self-test" }, "--self-test" },
        { { "--tls-secret=s", "--keeper-deployment=d" }, "--keeper-deployment" },
        { { FILES, "--timeout=1m" }, "--timeout" },
        { { FILES, "--sides=mutate" }, "--sides" },
        { { "--tls-secret=S" }, "--tls-secret" },
        { { "--keeper", "--tls-propagation-time=10s" }, "--tls-propagation-time" },
        { { "--tls-secret=s", "--tls-secret-namespace=a.b" }, "--tls-secret-namespace" },
        { { FILES, "--webhook-configuration=" }, "--webhook-configuration" },
        { { FILES, "--controller-name=jobs" }, "--controller-name" },
        { { FILES, "--controller-name=kubernetes.io/job-controller" }, "--controller-name" },
        { { "--tls-cert-file=c" }, "--tls-private-key-file" },
        { { "--tls-cert-file=", "--tls-private-key-file=k" }, "--tls-cert-file" },
        { { FILES, "--tls-secret=own" }, "--tls-secret" },
        { { FILES, "--client-names=apiserver" }, "--client-names" },
        { { "--keeper", "--policies" }, "--policies" },
        { { "--keeper", "--tls-secret=s", "--metrics-secure" }, "--metrics-secure" },
        { { "--keeper", "--policy-file=p.yaml" }, "--policy-file" },
        { { FILES, "--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_RC4_128_SHA" },
          "--tls-cipher-suites" },
        { { FILES, "--tls-min-version=VersionTLS11" }, "--tls-min-version" },
        { { "--tls-secret=own", "--tls-private-key-file=k" }, "--tls-secret" },
        { { "--keeper", "--tls-secret=own", "--tls-ca-days=269" }, "--tls-cert-days" },
        { { FILES, "--bind-address=localhost" }, "--bind-address" },
        { { FILES, "--bind-address=[::1]" }, "--bind-address" },
        { { FILES, "--port=65536" }, "--port" },
        { { FILES, "--port=-1" }, "--port" },
        { { FILES, "--health-probe-bind-address=8081" }, "--health-probe-bind-address" },
        { { FILES, "--metrics-bind-address=:http" }, "--metrics-bind-address" },
        { { FILES, "--log-level=loud" }, "--log-level" },
        { { FILES, "--logging-format=xml" }, "--logging-format" },
        { { FILES, "--max-body-bytes=1" }, "--max-body-bytes" },
        { { FILES, "--max-header-bytes=1" }, "--max-header-bytes" },
        { { FILES, "--max-request-memory=1Mi" }, "--max-request-memory" },
        { { FILES, "--max-connections=0" }, "--max-connections" },
        { { FILES, "--address-share=0" }, "--address-share" },
        { { FILES, "--address-share=101" }, "--address-share" },
        { { FILES, "--header-timeout=0" }, "--header-timeout" },
        { { FILES, "--header-timeout=1" }, "--header-timeout" },
        { { FILES, "--request-timeout=5s" }, "--request-timeout" },
        { { FILES, "--idle-timeout=0" }, "--idle-timeout" },
        { { FILES, "--shutdown-delay-duration=-1s" }, "--shutdown-delay-duration" },
        { { FILES, "--threads=1000" }, "--threads" },
        { { FILES, "--feature-gates=NoSuchGate=true" }, "--feature-gates" },
        { { FILES, "--feature-gates=JobPodFailurePolicy=false" }, "--feature-gates" },
        { { FILES, "--kubernetes-version=1.36", "--feature-gates=JobManagedBy=false" },
          "--feature-gates" },
        { { FILES, "--kubernetes-version=1.30" }, "--kubernetes-version" },
        { { FILES, "--kubernetes-version=" }, "--kubernetes-version" },
        { { FILES, "--kubernetes-version=automatic" }, "--kubernetes-version" },
        { { FILES, "--feature-gates=GangScheduling" }, "--feature-gates" },
        { { FILES, "--feature-gates=GangScheduling=yes" }, "--feature-gates" },
        { { FILES, "--feature-gates==true" }, "--feature-gates" },
        { { FILES, "--policy=x" }, "--policy" },
        { { FILES, "serve" }, "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_webhook_options o;
        struct jr_error err = { .status = JR_OK };

        if (options_of(rows[i].args, &o, &err) != JR_USAGE || strcmp(err.path, rows[i].path) != 0 ||
            err.msg[0] == 0)
            fail_msg("row %zu: status %d, %s: %s", i, err.status, err.path, err.msg);
    }
}

/** What is no command is named, wherever it stands. */
static void test_no_command(void **state)
{
    static const char *const rows[][4] = {
        { "nonsense", NULL },
        { "nonsense", FILES, NULL },
        { FILES, "nonsense", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_webhook_options o;
        struct jr_error err = { .status = JR_OK };

        assert_int_equal(options_of(rows[i], &o, &err), JR_USAGE);
        assert_string_equal(err.msg, "no command \"nonsense\"");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_no_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
