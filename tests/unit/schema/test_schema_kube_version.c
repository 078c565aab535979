/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of Kubernetes, what changed between them, and their gates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/schema/profile.h"

static void test_what_is_a_version(void **state)
{
    static const struct {
        const char *text;
        unsigned minor, patch;
    } rows[] = {
        { "1.31", 31, 14 },   { "v1.31", 31, 14 },   { "1.36", 36, 3 },       { "1.36.0", 36, 0 },
        { "v1.36.2", 36, 2 }, { "1.37.99", 37, 99 }, { "1.37.998", 37, 998 }, { "1.37", 37, 2 },
        { "1.30", 0, 0 },     { "1.38", 38, 0 },     { "1.39", 0, 0 },        { "1.36.999", 0, 0 },
        { "1.36.", 0, 0 },    { "1.", 0, 0 },        { "1", 0, 0 },           { "", 0, 0 },
        { "2.36", 0, 0 },     { "1.36.1.1", 0, 0 },  { "1.36.x", 0, 0 },      { "1.036", 0, 0 },
        { "1.36.01", 0, 0 },  { " 1.36", 0, 0 },     { "1.36 ", 0, 0 },       { "vv1.36", 0, 0 },
        { "1..36", 0, 0 },    { "1.36.-1", 0, 0 },   { "1.36+", 0, 0 },       { "11.36", 0, 0 },
        { "auto", 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_kube_version v = { 7, 7 };
        struct jr_error err = { .status = JR_OK };
        const enum jr_status st = jr_kube_version_parse(jr_str(rows[i].text), &v, &err);

        if (rows[i].minor == 0) {
            if (st != JR_INVALID || strstr(err.msg, "expected a version of Kubernetes") == NULL)
                fail_msg("\"%s\": %d, %s", rows[i].text, st, err.msg);
        } else if (st != JR_OK || v.minor != rows[i].minor || v.patch != rows[i].patch) {
            fail_msg("\"%s\": %d, 1.%u.%u", rows[i].text, st, v.minor, v.patch);
        }
    }
}

static void test_order_and_text(void **state)
{
    char text[JR_KUBE_TEXT_MAX];

    (void)state;
    assert_true(jr_kube_version_cmp((struct jr_kube_version){ 36, 9 },
                                    (struct jr_kube_version){ 37, 0 }) < 0);
    assert_true(jr_kube_version_cmp((struct jr_kube_version){ 36, 10 },
                                    (struct jr_kube_version){ 36, 9 }) > 0);
    assert_int_equal(jr_kube_version_cmp(JR_KUBE_DESCRIBED, (struct jr_kube_version){ 36, 0 }), 0);
    assert_string_equal(jr_kube_version_text((struct jr_kube_version){ 32, 13 }, text), "1.32.13");
}

static void test_changes(void **state)
{
    static const struct {
        enum jr_kube_change change;
        struct jr_kube_version version;
        bool has;
    } rows[] = {
        { JR_CHANGE_NEVER_STARTED_IS_MUTABLE, { 35, 99 }, false },
        { JR_CHANGE_NEVER_STARTED_IS_MUTABLE, { 36, 1 }, false },
        { JR_CHANGE_NEVER_STARTED_IS_MUTABLE, { 36, 2 }, true },
        { JR_CHANGE_NEVER_STARTED_IS_MUTABLE, { 37, 0 }, true },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 31, 14 }, false },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 32, 9 }, false },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 32, 10 }, true },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 33, 5 }, false },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 34, 1 }, false },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 34, 2 }, true },
        { JR_CHANGE_UPDATE_VALIDATED_ONCE, { 36, 998 }, false },
        { JR_CHANGE_UPDATE_VALIDATED_ONCE, { 37, 0 }, true },
        /* as the newest and the oldest that are known */
        { JR_CHANGE_UPDATE_VALIDATED_ONCE, { 40, 0 }, true },
        { JR_CHANGE_RESUME_REPLACES_START_TIME, { 20, 50 }, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (jr_kube_has(rows[i].version, rows[i].change) != rows[i].has)
            fail_msg("row %zu: 1.%u.%u", i, rows[i].version.minor, rows[i].version.patch);
    }
}

/* What a flag may say of a gate in a version. */
static void test_gates(void **state)
{
    enum { FREE, LOCKED, UNKNOWN };
    static const struct {
        unsigned minor;
        const char *gate;
        bool on; /* by default */
        int may;
    } rows[] = {
        { 31, "JobManagedBy", false, FREE },
        { 32, "JobManagedBy", true, FREE },
        { 35, "JobManagedBy", true, LOCKED },
        { 36, "JobPodFailurePolicy", true, UNKNOWN },
        { 32, "JobPodFailurePolicy", true, LOCKED },
        { 34, "MutablePodResourcesForSuspendedJobs", false, UNKNOWN },
        { 35, "MutablePodResourcesForSuspendedJobs", false, FREE },
        { 36, "MutablePodResourcesForSuspendedJobs", true, FREE },
        { 36, "GangScheduling", false, FREE },
        { 37, "GangScheduling", false, UNKNOWN },
        { 36, "SELinuxMount", false, FREE },
        { 37, "SELinuxMount", true, FREE },
        { 37, "Jobs", false, UNKNOWN },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_kube_version v = jr_kube_newest_patch(rows[i].minor);
        struct jr_profile p = jr_profile_of(v);
        struct jr_error err = { .status = JR_OK };
        const enum jr_status want = rows[i].may == FREE     ? JR_OK
                                    : rows[i].may == LOCKED ? JR_DENIED
                                                            : JR_NOTFOUND;

        if (jr_profile_set(&p, jr_str(rows[i].gate), !rows[i].on, false, &err) != want &&
            rows[i].may != UNKNOWN)
            fail_msg("1.%u: %s: %s", rows[i].minor, rows[i].gate, err.msg);
        if (rows[i].may == LOCKED)
            assert_int_equal(jr_profile_set(&p, jr_str(rows[i].gate), true, false, NULL), JR_OK);
        if (rows[i].may == UNKNOWN)
            assert_int_equal(jr_profile_set(&p, jr_str(rows[i].gate), true, false, &err),
                             JR_NOTFOUND);
    }
    assert_true(jr_profile_of((struct jr_kube_version){ 41, 0 }).gates[JR_GATE_SELinuxMount]);
    assert_false(jr_profile_of((struct jr_kube_version){ 30, 0 }).gates[JR_GATE_JobManagedBy]);
}

static void test_dependencies(void **state)
{
    static const struct {
        const char *values[2];
        const char *msg; /* NULL: it is taken */
    } rows[] = {
        { { "GenericWorkload=true", "WorkloadWithJob=true" }, NULL },
        { { "WorkloadWithJob=true", "GenericWorkload=true" }, NULL },
        { { "WorkloadWithJob=true", "GangScheduling=false" },
          "WorkloadWithJob is enabled, but depends on GenericWorkload, which is disabled" },
        { { "ContainerRestartRules=false", "GenericWorkload=true" },
          "RestartAllContainersOnContainerExits is enabled, but depends on ContainerRestartRules, "
          "which is disabled" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_flag_list list = { .n = 2 };
        struct jr_profile p = jr_profile_default();
        const struct jr_profile before = p;
        struct jr_error err = { .status = JR_OK };
        enum jr_status st;

        for (size_t k = 0; k < list.n; k++)
            list.v[k] = jr_str(rows[i].values[k]);
        st = jr_profile_set_gates(&p, &list, "--gates", &err);
        if (rows[i].msg == NULL) {
            assert_int_equal(st, JR_OK);
            continue;
        }
        assert_int_equal(st, JR_USAGE);
        assert_string_equal(err.path, "--gates");
        assert_string_equal(err.msg, rows[i].msg);
        assert_memory_equal(before.gates, p.gates, sizeof(p.gates));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_a_version), cmocka_unit_test(test_order_and_text),
        cmocka_unit_test(test_changes),           cmocka_unit_test(test_gates),
        cmocka_unit_test(test_dependencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
