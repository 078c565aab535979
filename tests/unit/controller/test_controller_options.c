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

/** Fails unless the arguments are refused, and the refusal names the flag. */
static void check_refused(const char *const *args, const char *flag)
{
    struct jr_controller_config c;
    struct jr_error err = { 0 };
    char row[256] = "";

    for (size_t i = 0; i < ARGS_MAX && args[i] != NULL; i++)
        (void)snprintf(row + strlen(row), sizeof(row) - strlen(row), "%s%s", i > 0 ? " " : "",
                       args[i]);
    check_int(row, parse(args, &c, &err), JR_USAGE);
    if (strcmp(err.path, flag) != 0)
        fail_msg("%s: blamed %s (%s), expected %s", row, err.path, err.msg, flag);
    check(row, err.msg[0] != '\0');
}

struct bad_values {
    const char *flag;
    const char *values[8]; /* the last is NULL */
};

/** Gives each value to its flag, after the command where there is one. */
static void check_values_refused(const char *command, const struct bad_values *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (const char *const *value = rows[i].values; *value != NULL; value++) {
            char text[128];
            const char *const args[ARGS_MAX] = { command == NULL ? text : command,
                                                 command == NULL ? NULL : text };

            (void)snprintf(text, sizeof(text), "%s=%s", rows[i].flag, *value);
            check_refused(args, rows[i].flag);
        }
    }
}

static void test_values_refused(void **state)
{
    static const struct bad_values rows[] = {
        { "--controller-name",
          { "nodomain", "/path", "example.com/", "Example.com/x", "example.com/a b",
            "kubernetes.io/job-controller",
            "example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" } },
        { "--deployment", { "d" } }, /* of decommission, as the next one */
        { "--timeout", { "1m" } },
        { "--namespace", { "No_Such" } },
        { "--concurrent-job-syncs", { "0" } },
        { "--max-inflight", { "0" } },
        { "--feature-gates",
          { "NoSuchGate=true", "StaleControllerConsistencyJob", "StaleControllerConsistencyJob=yes",
            "JobPodFailurePolicy=false", "WorkloadWithJob=true" } },
        { "--kubernetes-version", { "1.39" } },
        { "--leader-elect-lease-duration", { "15500ms" } },
        { "--leader-elect-resource-name", { "No" } },
        { "--leader-elect-resource-namespace", { "a.b" } },
        { "--leader-elect-resource-lock", { "leases" } },
        { "--health-probe-bind-address", { "8081" } },
        { "--metrics-bind-address", { ":99999" } },
        { "--metrics-tls-cert-file", { "c" } },
        { "--metrics-tls-private-key-file", { "k" } },
        { "--kube-api-qps", { "many", "1000001" } },
        { "--kube-api-burst", { "5" } },
        { "--log-level", { "loud" } },
    };
    static const struct bad_values of_decommission[] = {
        { "--deployment", { "a/b" } },
        { "--deployment-annotation", { "a" } },
        { "--deployment-namespace", { "a.b" } },
        { "--kube-api-burst", { "5" } },
        { "--timeout", { "0s" } },
        { "--leader-elect-lease-duration", { "15500ms" } },
    };

    (void)state;
    check_values_refused(NULL, rows, JR_ARRAY_SIZE(rows));
    check_values_refused("decommission", of_decommission, JR_ARRAY_SIZE(of_decommission));
}

/** Flags that are none, and values that are wrong beside others. */
static void test_refused(void **state)
{
    static const struct {
        const char *args[ARGS_MAX];
        const char *flag;
    } rows[] = {
        { { "--no-such-flag" }, "--no-such-flag" },
        { { "--decommission" }, "--decommission" },
        { { "decommission", "--replace-builtin" }, "--replace-builtin" },
        { { "--namespace=a,b", "--namespace=c,a" }, "--namespace" },
        { { "--kubernetes-version=1.35", "--feature-gates=WorkloadWithJob=true" },
          "--feature-gates" },
        { { "--metrics-tls-cert-file=c", "--metrics-tls-private-key-file=" },
          "--metrics-tls-cert-file" },
        { { "--leader-elect-lease-duration=10s" }, "--leader-elect-renew-deadline" },
        { { "--leader-elect-renew-deadline=2s" }, "--leader-elect-retry-period" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check_refused(rows[i].args, rows[i].flag);
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

/** Takes a version, and gates or NULL; ret is what they make, row what a failure is to be named by.
 */
static void must_take(const char *version, const char *gates, struct jr_controller_config *ret,
                      char (*row)[256])
{
    char args[2][128];
    const char *const list[ARGS_MAX] = { args[0], gates == NULL ? NULL : args[1] };
    struct jr_error err = { 0 };

    (void)snprintf(args[0], sizeof(args[0]), "--kubernetes-version=%s", version);
    (void)snprintf(args[1], sizeof(args[1]), "--feature-gates=%s", gates == NULL ? "" : gates);
    (void)snprintf(*row, sizeof(*row), "%s %s", version, gates == NULL ? "" : gates);
    if (parse(list, ret, &err) != JR_OK)
        fail_msg("%s: %s", *row, err.msg);
}

static void test_versions(void **state)
{
    static const struct {
        const char *version, *gates;
        bool consistent, directives, gangs;
    } rows[] = {
        { "1.34", NULL, true, false, false },
        { "1.36", "StaleControllerConsistencyJob=false", false, true, false },
        { "v1.36.1", NULL, true, true, false },
        { "1.36", "GenericWorkload=true,WorkloadWithJob=true", true, true, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_controller_config c;
        char row[256];

        must_take(rows[i].version, rows[i].gates, &c, &row);
        check(row, !c.version_auto);
        check_int(row, c.reconcile.stale_controller_consistency, rows[i].consistent);
        check_int(row, c.reconcile.mutable_scheduling_directives, rows[i].directives);
        check_int(row, c.reconcile.workload_with_job, rows[i].gangs);
    }
}

/** Gates of Jobs that can be off in old versions. */
static void test_gates_of_jobs(void **state)
{
    static const struct {
        const char *version, *gates;
        bool managed_by, replacement, success, per_index;
    } rows[] = {
        { "1.31", NULL, false, true, true, true },
        { "1.32", "JobSuccessPolicy=false,JobBackoffLimitPerIndex=false", true, true, false,
          false },
        { "1.33", "JobManagedBy=false,JobPodReplacementPolicy=false", false, false, true, true },
        { "1.36", NULL, true, true, true, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_controller_config c;
        char row[256];

        must_take(rows[i].version, rows[i].gates, &c, &row);
        check_int(row, c.reconcile.managed_by_others, rows[i].managed_by);
        check_int(row, c.reconcile.pod_replacement_policy, rows[i].replacement);
        check_int(row, c.reconcile.success_policy, rows[i].success);
        check_int(row, c.reconcile.backoff_limit_per_index, rows[i].per_index);
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
        cmocka_unit_test(test_values_refused), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_defaults),       cmocka_unit_test(test_decommission),
        cmocka_unit_test(test_modes),          cmocka_unit_test(test_gates_of_jobs),
        cmocka_unit_test(test_versions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
