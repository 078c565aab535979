/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies and JobPolicyTests as documents of their own. */
#include "tests/unit/cli/check_test.h"

#define OURS(version, kind) "apiVersion: policy.jobreeve.dev/" version "\nkind: " kind "\n"

static const struct {
    const char *name;
    const char *text;
    const char *want; /* findings as text */
    struct jr_check_options options;
} rows[] = {
    { "a JobPolicy itself",
      OURS("v1alpha1", "JobPolicy") "metadata: {name: p}\nspec:\n  limit: {}\n"
                                    "  limits: {paralelism: {max: 3}, parallelism: {max: -1}, "
                                    "completions: {max: 3}}\n"
                                    "  limits: {ttlSecondsAfterFinished: {max: 5}, paralelism: "
                                    "{max: 3}, parallelism: {max: -1}}\n",
      "f:5:10: spec.limit: unknown field \"spec.limit\" (did you mean \"limits\"?)\n"
      "f:7:59: spec.limits.paralelism: unknown field \"spec.limits.paralelism\" (did you mean "
      "\"parallelism\"?)\n"
      "f:7:11: spec.limits: duplicate field \"spec.limits\"\n"
      "f:7:88: spec.limits.parallelism.max: Invalid value: -1: must be between 0 and 2147483647, "
      "as "
      "the field itself\n"
      "f:7:37: warning: spec.limits.ttlSecondsAfterFinished: a Job that leaves the field out "
      "passes, and it is then without a bound: required: true refuses such a Job\n",
      { .strict = false } },
    { "a JobPolicy whose types are wrong",
      OURS("v1alpha1", "JobPolicy") "metadata: {name: p}\nspec: {budget: {podsEver: \"100\"}}\n",
      "f:4:27: spec.budget.podsEver: Invalid value: must be a whole number\n",
      { .strict = false } },
    { "an exception of a JobPolicy that has ended",
      OURS("v1alpha1", "JobPolicy") "metadata: {name: p}\nspec:\n  budget: {podsEver: 9}\n"
                                    "  exceptions:\n  - {namespaces: [a], budget: {podsEver: 99}, "
                                    "reason: r, until: "
                                    "\"2026-01-01T00:00:00Z\"}\n",
      "f:7:65: warning: spec.exceptions[0].until: the exception has ended\n",
      { .now = { 1790000000LL * 1000000000 } } },
    { "a JobPolicyTest itself, whose files aren't read",
      OURS("v1alpha1", "JobPolicyTest") "case: []\ncases:\n- name: a\n  file: none.yaml\n"
                                        "  expect: {outcome: Refused}\n- name: a\n  object: "
                                        "{apiVersion: batch/v1, kind: Job, "
                                        "spec: {paralelism: 3}}\n  expect: {outcome: Denied}\n",
      "f:3:7: unknown field \"case\" (did you mean \"cases\"?)\n"
      "f:7:21: cases[0].expect.outcome: expected Allowed, Warned or Denied\n"
      "f:8:9: cases[1].name: another case has this name\n"
      "f:9:64: unknown field \"spec.paralelism\" (did you mean \"parallelism\"?)\n",
      { .strict = false } },
    { "what is meant as ours",
      OURS("v1", "JobPolicy") "---\n" OURS(
          "v1alpha1", "Jobpolicy") "---\n"
                                   "apiVersion: policy.jobreeve.io/v1alpha1\nkind: JobPolicyTest\n",
      "f:1:13: apiVersion: no matches for kind \"JobPolicy\" in version "
      "\"policy.jobreeve.dev/v1\" (it is policy.jobreeve.dev/v1alpha1)\n"
      "f:5:7: kind: no matches for kind \"Jobpolicy\" in version "
      "\"policy.jobreeve.dev/v1alpha1\" (there are JobPolicy and JobPolicyTest)\n"
      "f:7:13: apiVersion: no matches for kind \"JobPolicyTest\" in version "
      "\"policy.jobreeve.io/v1alpha1\" (it is policy.jobreeve.dev/v1alpha1)\n",
      { .strict = false } },
};

static void test_findings(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        REPORT r = { .failed = JR_OK };
        JR_BUF out = { 0 };

        check_text(&r, rows[i].text, rows[i].options);
        out = written(&r, JR_OUTPUT_TEXT);
        if (!jr_str_is(jr_buf_str(&out), rows[i].want))
            fail_msg("%s: have\n%.*s\nwant\n%s", rows[i].name, JR_P(jr_buf_str(&out)),
                     rows[i].want);
        assert_int_equal(r.unreadable.n, 0);
        assert_int_equal(r.others, 0);
    }
}

/** A policy is of no namespace. */
static void test_object(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(&r,
               OURS("v1alpha1", "JobPolicy") "metadata: {name: p}\nspec: {budget: {podsEver: 9}}\n",
               (struct jr_check_options){ .strict = false });
    assert_int_equal(r.objects.n, 1);
    assert_int_equal(r.objects.v[0].n, 0);
    assert_true(jr_str_is(r.objects.v[0].name, "p"));
    assert_int_equal(r.objects.v[0].namespace.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
