/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of several versions, and gates where the version isn't known before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/schema/profiles.h"

static struct jr_flag_list list_of(const char *const *values)
{
    struct jr_flag_list l = { .n = 0 };

    for (; *values != NULL; values++)
        l.v[l.n++] = jr_str(*values);
    return l;
}

static struct jr_kube_range range_of(const struct jr_kube_server *servers, size_t n)
{
    struct jr_kube_range r = { .n = 0 };

    for (size_t i = 0; i < n; i++)
        assert_true(jr_kube_range_see(&r, &servers[i], (struct jr_mono){ 0 }));
    return r;
}

static void test_common(void **state)
{
    static const struct jr_kube_server servers[] = { { { 36, 3 }, 36 }, { { 33, 5 }, 33 } };
    const struct jr_kube_range range = range_of(servers, 2);
    const struct jr_flag_list none = { .n = 0 };
    struct jr_profiles ps;

    (void)state;
    jr_profiles_of_range(&range, &none, &ps, NULL);
    assert_int_equal(ps.n, 2);
    assert_int_equal(ps.v[0].version.minor, 33);
    assert_int_equal(ps.v[1].version.minor, 36);
    assert_int_equal(ps.common.version.minor, 33);
    assert_int_equal(ps.common.version.patch, 5);
    assert_true(ps.common.gates[JR_GATE_JobManagedBy]);           /* on in both */
    assert_false(ps.common.gates[JR_GATE_ContainerRestartRules]); /* of 1.36 alone */
    assert_true(ps.v[1].gates[JR_GATE_ContainerRestartRules]);
    assert_false(ps.common.gates[JR_GATE_StaleControllerConsistencyJob]);
}

static void test_all_versions(void **state)
{
    const struct jr_kube_range range = { .n = 0 };
    const struct jr_flag_list none = { .n = 0 };
    struct jr_profiles ps;

    (void)state;
    jr_profiles_of_range(&range, &none, &ps, NULL);
    assert_int_equal(ps.n, JR_KUBE_MINORS);
    assert_int_equal(ps.common.version.minor, JR_KUBE_OLDEST);
    assert_false(ps.common.gates[JR_GATE_JobManagedBy]); /* alpha in 1.31 */
    assert_true(ps.common.gates[JR_GATE_JobPodReplacementPolicy]);
}

static void test_emulation(void **state)
{
    const struct jr_profile p = jr_profile_emulating((struct jr_kube_version){ 36, 1 }, 34);

    (void)state;
    assert_int_equal(p.version.minor, 36);
    assert_int_equal(p.emulated, 34);
    assert_memory_equal(p.gates, jr_profile_of((struct jr_kube_version){ 34, 0 }).gates,
                        sizeof(p.gates));
}

static void test_version(void **state)
{
    const struct jr_flag_list gates =
        list_of((const char *const[]){ "GenericWorkload=true", "WorkloadWithJob=true", NULL });
    struct jr_error err = { .status = JR_OK };
    struct jr_profiles ps;

    (void)state;
    assert_int_equal(
        jr_profiles_of_version((struct jr_kube_version){ 36, 0 }, &gates, "--g", &ps, &err), JR_OK);
    assert_int_equal(ps.n, 1);
    assert_true(ps.common.gates[JR_GATE_WorkloadWithJob]);
    assert_int_equal(
        jr_profiles_of_version((struct jr_kube_version){ 33, 0 }, &gates, "--g", &ps, &err),
        JR_USAGE);
    assert_string_equal(err.path, "--g");
    assert_string_equal(
        err.msg, "Kubernetes 1.33 has no feature gate \"GenericWorkload\" that concerns Jobs");
}

static void test_passed_over(void **state)
{
    static const struct jr_kube_server servers[] = { { { 33, 5 }, 33 },
                                                     { { 36, 3 }, 36 },
                                                     { { 37, 1 }, 36 } };
    const struct jr_kube_range range = range_of(servers, 3);
    const struct jr_flag_list gates = list_of((const char *const[]){
        "GenericWorkload=true", "GangScheduling=true", "JobManagedBy=false", NULL });
    JR_BUF text = { 0 };
    struct jr_profiles ps;

    (void)state;
    jr_buf_init(&text, 4096);
    jr_profiles_of_range(&range, &gates, &ps, &text);
    assert_false(ps.v[0].gates[JR_GATE_JobManagedBy]);
    assert_false(ps.v[0].gates[JR_GATE_GenericWorkload]);
    assert_true(ps.v[1].gates[JR_GATE_JobManagedBy]);
    assert_true(ps.v[1].gates[JR_GATE_GenericWorkload]);
    assert_true(ps.v[2].gates[JR_GATE_GangScheduling]); /* it emulates 1.36, which has it */
    assert_false(ps.common.gates[JR_GATE_JobManagedBy]);
    assert_int_equal(text.failed, JR_OK);
    assert_true(jr_str_is(jr_buf_str(&text),
                          "Kubernetes 1.33 has no feature gate \"GenericWorkload\" that concerns "
                          "Jobs; Kubernetes 1.33 has no feature "
                          "gate \"GangScheduling\" that concerns Jobs; feature gate JobManagedBy "
                          "is locked to true in Kubernetes 1.36; "
                          "feature gate JobManagedBy is locked to true in Kubernetes 1.36"));
}

static void test_dependencies(void **state)
{
    const struct jr_flag_list gates =
        list_of((const char *const[]){ "MatchLabelKeysInPodTopologySpread=false", NULL });
    JR_BUF text = { 0 };
    struct jr_profile p = jr_profile_of((struct jr_kube_version){ 35, 0 });

    (void)state;
    jr_buf_init(&text, 4096);
    jr_profile_set_known_gates(&p, &gates, &text);
    assert_true(p.gates[JR_GATE_MatchLabelKeysInPodTopologySpread]);
    assert_true(
        jr_str_is(jr_buf_str(&text),
                  "in Kubernetes 1.35 MatchLabelKeysInPodTopologySpreadSelectorMerge is enabled, "
                  "but depends on MatchLabelKeysInPodTopologySpread, which is disabled: none of "
                  "these gates is "
                  "set"));
    p = jr_profile_of((struct jr_kube_version){ 34, 0 }); /* which knows no dependencies */
    jr_profile_set_known_gates(&p, &gates, NULL);
    assert_false(p.gates[JR_GATE_MatchLabelKeysInPodTopologySpread]);
}

static void test_check(void **state)
{
    static const struct {
        const char *values[4];
        const char *words; /* NULL: fine */
    } rows[] = {
        { { NULL }, NULL },
        { { "JobManagedBy=false", NULL }, NULL },
        { { "GenericWorkload=true", "WorkloadWithJob=true", NULL }, NULL },
        { { "WorkloadWithJob=true", "GenericWorkload=true", NULL }, NULL },
        { { "PodLifecycleSleepAction=false", NULL }, NULL }, /* 1.31 takes it */
        /* Of 1.36 and of 1.37: no version has both. */
        { { "GenericWorkload=true", "GangScheduling=true", "EmptyDirVolumeMode=true", NULL },
          NULL },
        { { "JobManagedBY=true", NULL },
          "no Kubernetes from 1.31 to 1.38 takes \"JobManagedBY=true\", as far as it concerns "
          "Jobs" },
        { { "JobPodFailurePolicy=false", NULL }, "takes \"JobPodFailurePolicy=false\"" },
        { { "JobManagedBy", NULL }, "expected Name=true or Name=false" },
        { { "JobManagedBy=yes", NULL }, "expected Name=true or Name=false" },
        { { "GangScheduling=true", NULL },
          "GangScheduling is enabled, but depends on GenericWorkload, which is disabled" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_flag_list gates = list_of(rows[i].values);
        struct jr_error err = { .status = JR_OK };
        const enum jr_status st = jr_profile_check_gates(&gates, "--g", &err);

        if (rows[i].words == NULL ? st != JR_OK
                                  : st != JR_USAGE || strstr(err.msg, rows[i].words) == NULL ||
                                        strcmp(err.path, "--g") != 0)
            fail_msg("row %zu: %d \"%s\"", i, st, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common),      cmocka_unit_test(test_all_versions),
        cmocka_unit_test(test_emulation),   cmocka_unit_test(test_version),
        cmocka_unit_test(test_passed_over), cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_check),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
