/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: what is taken, and what is refused by name. */
#include "controller/app/options.h"
#include "tests/unit/controller/controller_test.h"

#define ARGS_MAX 8

static enum jr_status parse(const char *const *args, struct jr_controller_config *c,
                            struct jr_error *err)
{
    char *argv[ARGS_MAX + 2] = { NULL };
    char text[ARGS_MAX + 1][128] = { "jobreeve-controller" };
    char **args_left = argv;
    const struct jr_flags *command;
    int argc = 1;
    enum jr_flags_asked asked;
    int rest;
    enum jr_status st;

    argv[0] = text[0];
    for (; argc <= ARGS_MAX && args[argc - 1] != NULL; argc++) {
        (void)snprintf(text[argc], sizeof(text[argc]), "%s", args[argc - 1]);
        argv[argc] = text[argc];
    }
    command = jr_flags_command(&jr_controller_flags, &argc, &args_left);
    *c = (struct jr_controller_config){ .decommission = command != &jr_controller_flags };
    st = jr_flags_parse(command, argc, args_left, c, &asked, &rest, err);
    return st == JR_OK ? jr_controller_config_check(c, err) : st;
}

static void test_refused(void **state)
{
    static const struct {
        const char *args[ARGS_MAX];
        const char *flag;
    } rows[] = {
        { { "--controller-name=nodomain" }, "--controller-name" },
        { { "--deployment=d" }, "--deployment" }, /* of decommission */
        { { "--timeout=1m" }, "--timeout" },
        { { "--decommission" }, "--decommission" },
        { { "decommission", "--replace-builtin" }, "--replace-builtin" },
        { { "decommission", "--deployment=a/b" }, "--deployment" },
        { { "decommission", "--deployment-annotation=a" }, "--deployment-annotation" },
        { { "decommission", "--deployment-namespace=a.b" }, "--deployment-namespace" },
        { { "decommission", "--kube-api-burst=5" }, "--kube-api-burst" },
        { { "decommission", "--timeout=0s" }, "--timeout" },
        { { "decommission", "--leader-elect-lease-duration=15500ms" },
          "--leader-elect-lease-duration" },
        { { "--controller-name=/path" }, "--controller-name" },
        { { "--controller-name=example.com/" }, "--controller-name" },
        { { "--controller-name=Example.com/x" }, "--controller-name" },
        { { "--controller-name=example.com/a b" }, "--controller-name" },
        { { "--controller-name=kubernetes.io/job-controller" }, "--controller-name" },
        { { "--controller-name=example.com/"
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
          "--controller-name" },
        { { "--namespace=No_Such" }, "--namespace" },
        { { "--namespace=a,b", "--namespace=c,a" }, "--namespace" },
        { { "--concurrent-job-syncs=0" }, "--concurrent-job-syncs" },
        { { "--max-inflight=0" }, "--max-inflight" },
        { { "--feature-gates=NoSuchGate=true" }, "--feature-gates" },
        { { "--feature-gates=StaleControllerConsistencyJob" }, "--feature-gates" },
        { { "--feature-gates=StaleControllerConsistencyJob=yes" }, "--feature-gates" },
        { { "--feature-gates=JobPodFailurePolicy=false" }, "--feature-gates" },
        { { "--feature-gates=WorkloadWithJob=true" }, "--feature-gates" },
        { { "--kubernetes-version=1.39" }, "--kubernetes-version" },
        { { "--kubernetes-version=1.35", "--feature-gates=WorkloadWithJob=true" },
          "--feature-gates" },
        { { "--leader-elect-lease-duration=15500ms" }, "--leader-elect-lease-duration" },
        { { "--leader-elect-lease-duration=10s" }, "--leader-elect-renew-deadline" },
        { { "--leader-elect-renew-deadline=2s" }, "--leader-elect-retry-period" },
        { { "--leader-elect-resource-name=No" }, "--leader-elect-resource-name" },
        { { "--leader-elect-resource-namespace=a.b" }, "--leader-elect-resource-namespace" },
        { { "--health-probe-bind-address=8081" }, "--health-probe-bind-address" },
        { { "--metrics-bind-address=:99999" }, "--metrics-bind-address" },
        { { "--metrics-tls-cert-file=c" }, "--metrics-tls-cert-file" },
        { { "--metrics-tls-private-key-file=k" }, "--metrics-tls-private-key-file" },
        { { "--metrics-tls-cert-file=c", "--metrics-tls-private-key-file=" },
          "--metrics-tls-cert-file" },
        { { "--kube-api-qps=many" }, "--kube-api-qps" },
        { { "--kube-api-qps=1000001" }, "--kube-api-qps" },
        { { "--kube-api-burst=5" }, "--kube-api-burst" },
        { { "--leader-elect-resource-lock=leases" }, "--leader-elect-resource-lock" },
        { { "--log-level=loud" }, "--log-level" },
        { { "--no-such-flag" }, "--no-such-flag" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_controller_config c;
        struct jr_error err = { 0 };

        check_int(rows[i].args[0], parse(rows[i].args, &c, &err), JR_USAGE);
        if (strcmp(err.path, rows[i].flag) != 0)
            fail_msg("%s: blamed %s (%s), expected %s", rows[i].args[0], err.path, err.msg,
                     rows[i].flag);
        check(rows[i].args[0], err.msg[0] != '\0');
    }
}

static void test_defaults(void **state)
{
    static const char *const none[] = { NULL };
    struct jr_controller_config c;
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(parse(none, &c, &err), JR_OK);
    assert_true(c.leader_elect);
    assert_int_equal(c.namespaces.n, 0);
    assert_null(c.lease_namespace);
    assert_string_equal(c.lease_name, "jobreeve-controller");
    assert_int_equal(c.lease_duration_ms, 15000);
    assert_int_equal(c.renew_deadline_ms, 10000);
    assert_int_equal(c.retry_period_ms, 2000);
    assert_int_equal(c.concurrent_syncs, 5);
    assert_int_equal(c.health.port, 8081);
    assert_int_equal(c.metrics.port, 8080);
    assert_false(c.reconcile.replace_builtin);
    assert_true(jr_str_is(c.reconcile.managed_by, "jobreeve.dev/controller"));
    assert_true(jr_str_is(c.reconcile.tracking_finalizer, "jobreeve.dev/job-tracking"));
    assert_true(c.version_auto);
    assert_int_equal(c.profiles.n, JR_KUBE_MINORS); /* the lowest counts until one is known */
    assert_true(c.reconcile.stale_controller_consistency);
    assert_true(c.reconcile.managed_by_others); /* though the lowest runs every Job */
}

static void test_versions(void **state)
{
    static const struct {
        const char *args[4];
        bool consistent, directives, gangs;
    } rows[] = {
        { { "--kubernetes-version=1.34", NULL }, true, false, false },
        { { "--kubernetes-version=1.36", "--feature-gates=StaleControllerConsistencyJob=false",
            NULL },
          false,
          true,
          false },
        { { "--kubernetes-version=v1.36.1", NULL }, true, true, false },
        { { "--kubernetes-version=1.36",
            "--feature-gates=GenericWorkload=true,WorkloadWithJob=true", NULL },
          true,
          true,
          true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_controller_config c;
        struct jr_error err = { 0 };

        if (parse(rows[i].args, &c, &err) != JR_OK)
            fail_msg("row %zu: %s", i, err.msg);
        assert_false(c.version_auto);
        assert_int_equal(c.reconcile.stale_controller_consistency, rows[i].consistent);
        assert_int_equal(c.reconcile.mutable_scheduling_directives, rows[i].directives);
        assert_int_equal(c.reconcile.workload_with_job, rows[i].gangs);
    }
}

/** Gates of Jobs that can be off in old versions. */
static void test_gates_of_jobs(void **state)
{
    static const struct {
        const char *args[3];
        bool managed_by, replacement, success, per_index;
    } rows[] = {
        { { "--kubernetes-version=1.31", NULL }, false, true, true, true },
        { { "--kubernetes-version=1.32",
            "--feature-gates=JobSuccessPolicy=false,JobBackoffLimitPerIndex=false", NULL },
          true,
          true,
          false,
          false },
        { { "--kubernetes-version=1.33",
            "--feature-gates=JobManagedBy=false,JobPodReplacementPolicy=false", NULL },
          false,
          false,
          true,
          true },
        { { "--kubernetes-version=1.36", NULL }, true, true, true, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_controller_config c;
        struct jr_error err = { 0 };

        if (parse(rows[i].args, &c, &err) != JR_OK)
            fail_msg("row %zu: %s", i, err.msg);
        assert_int_equal(c.reconcile.managed_by_others, rows[i].managed_by);
        assert_int_equal(c.reconcile.pod_replacement_policy, rows[i].replacement);
        assert_int_equal(c.reconcile.success_policy, rows[i].success);
        assert_int_equal(c.reconcile.backoff_limit_per_index, rows[i].per_index);
    }
    assert_true(jr_reconcile_has_gate(JR_GATE_JobManagedBy));
    assert_false(jr_reconcile_has_gate(JR_GATE_PodLevelResources));
}

static void test_modes(void **state)
{
    static const char *const named[] = { "--controller-name=batch.example.com/a/b", NULL };
    static const char *const replacing[] = { "--replace-builtin", "--leader-elect=false",
                                             "--metrics-bind-address=0", NULL };
    struct jr_controller_config c;
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(parse(named, &c, &err), JR_OK);
    assert_true(jr_str_is(c.reconcile.managed_by, "batch.example.com/a/b"));
    assert_true(jr_str_is(c.reconcile.tracking_finalizer, "batch.example.com/job-tracking"));
    assert_int_equal(parse(replacing, &c, &err), JR_OK);
    assert_true(c.reconcile.replace_builtin);
    assert_true(jr_str_is(c.reconcile.tracking_finalizer, JR_JOB_TRACKING_FINALIZER));
    assert_true(c.metrics.off);
}

/** It takes what the service was given. */
static void test_decommission(void **state)
{
    static const char *const args[] = { "decommission", "--deployment=d", "--policies",
                                        "--controller-name=example.com/a", NULL };
    struct jr_controller_config c;
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(parse(args, &c, &err), JR_OK);
    assert_true(c.decommission);
    assert_true(c.reconcile.account_only);
    assert_true(jr_str_is(c.reconcile.managed_by, "example.com/a"));
    assert_string_equal(c.deployment, "d");
    assert_null(c.deployment_namespace);
    assert_int_equal(c.decommission_timeout_ms, 300000);
    assert_ptr_equal(jr_controller_flags_of(&c), &jr_controller_decommission_flags);
    assert_int_equal(parse(args + 4, &c, &err), JR_OK);
    assert_false(c.decommission);
    assert_ptr_equal(jr_controller_flags_of(&c), &jr_controller_flags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_decommission),  cmocka_unit_test(test_modes),
        cmocka_unit_test(test_gates_of_jobs), cmocka_unit_test(test_versions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
