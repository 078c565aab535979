/* SPDX-License-Identifier: Apache-2.0 */
/* Policies from files: where each fault stands, and what is read all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/policy/load.h"
#include "tests/support/failalloc.h"

#define TEXT_MAX ((size_t)1 << 20)
#define HEAD_OF(version, kind) "apiVersion: policy.jobreeve.dev/" version "\nkind: " kind "\n"
#define HEAD HEAD_OF("v1alpha1", "JobPolicy")
#define VAP(name)                                                                    \
    "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n" \
    "metadata: {name: " name "}\n"
#define FINE(name) HEAD "metadata: {name: " name "}\nspec:\n  limits:\n    parallelism: {max: 5}\n"

static void loading_donep(struct jr_policy_loading *l)
{
    jr_policy_loading_done(l);
}
#define LOADING JR_CLEANUP(loading_donep) struct jr_policy_loading

static void loading_init(struct jr_policy_loading *l)
{
    struct jr_time now;

    assert_int_equal(jr_time_parse(JR_S("2026-12-01T00:00:00Z"), &now), JR_OK);
    jr_policy_loading_init(l, now);
}

struct row {
    const char *name;
    const char *text;
    const char *policies; /* "a b" */
    const char *problems;
    size_t errors;
};

static const struct row rows[] = {
    { "nothing", "", "", "", 0 },
    { "one", FINE("a"), "a", "", 0 },
    { "by name, not as they come", FINE("b") "---\n" FINE("a"), "a b", "", 0 },
    { "JSON",
      "{\"apiVersion\":\"policy.jobreeve.dev/v1alpha1\",\"kind\":\"JobPolicy\",\"metadata\":{"
      "\"name\":\"a\"},\"spec\":{\"limits\":{\"parallelism\":{\"max\":5}}}}",
      "a", "", 0 },
    { "a list",
      "apiVersion: v1\nkind: List\nitems:\n"
      "- {apiVersion: policy.jobreeve.dev/v1alpha1, kind: JobPolicy, metadata: {name: a}, "
      "spec: {limits: {parallelism: {max: 5}}}}\n"
      "- {apiVersion: policy.jobreeve.dev/v1alpha1, kind: JobPolicy, metadata: {name: b},\n"
      "   spec: {limits: {parallelism: {max: -5}}}}\n",
      "a b",
      "f:6:39: policy \"b\": spec.limits.parallelism.max: Invalid value: -5: must be between 0 and "
      "2147483647, as the field itself\n",
      1 },
    { "a fault, and one that is fine behind it",
      HEAD
      "metadata: {name: a}\nspec:\n  limits:\n    parallelism: {min: 3, max: 2}\n---\n" FINE("b"),
      "a b",
      "f:6:32: policy \"a\": spec.limits.parallelism.max: Invalid value: 2: must not be less than "
      "min, 3\n",
      1 },
    { "an unknown field",
      HEAD "metadata: {name: a}\nspec:\n  limits:\n    parallelism: {max: 5, most: 3}\n", "a",
      "f:6:33: policy \"a\": unknown field \"spec.limits.parallelism.most\"\n", 1 },
    { "a field that comes twice",
      HEAD "metadata: {name: a}\nspec:\n  limits:\n    parallelism: {max: 5, max: 3}\n", "a",
      "f:6:32: duplicate field \"spec.limits.parallelism.max\"\n", 1 },
    { "a name that comes twice", FINE("a") "---\n" FINE("a"), "a",
      "f:10:18: policy \"a\": metadata.name: another policy has this name\n", 1 },
    { "something else", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n---\n" FINE("b"),
      "b",
      "f:1:1: is no JobPolicy of policy.jobreeve.dev/v1alpha1: apiVersion batch/v1, kind Job\n",
      1 },
    { "another version",
      "apiVersion: policy.jobreeve.dev/v1\nkind: JobPolicy\nmetadata: {name: a}\n", "",
      "f:1:1: is no JobPolicy of policy.jobreeve.dev/v1alpha1: apiVersion policy.jobreeve.dev/v1, "
      "kind JobPolicy\n",
      1 },
    { "no YAML", FINE("a") "---\n{", "a",
      "f: line 9, column 1: did not find expected node content while parsing a flow node\n", 1 },
    { "a warning", HEAD "metadata: {name: a}\nspec:\n  defaults: {ttlSecondsAfterFinished: 5}\n",
      "a",
      "f:5:39: policy \"a\": spec.defaults.ttlSecondsAfterFinished: a default without a limit on "
      "the "
      "same field is not enforced: what sets it may be down, and the field can be changed\n",
      0 },
    { "a label that another selects on",
      HEAD "metadata: {name: a}\nspec:\n  defaults:\n    labels: {pool: x}\n---\n" HEAD
           "metadata: {name: b}\nspec:\n  match: {objectSelector: {matchLabels: {pool: z}}}\n"
           "  limits: {parallelism: {max: 5}}\n",
      "a b",
      "f:6:20: policy \"a\": spec.defaults.labels[pool]: Forbidden: policy \"b\" selects Jobs by "
      "this "
      "label\n",
      1 },
};

/* Beside other manifests. */
static const struct row beside[] = {
    { "something else", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n---\n" FINE("b"),
      "b", "", 0 },
    { "a suite", HEAD_OF("v1alpha1", "JobPolicyTest") "cases: []\n---\n" FINE("b"), "b", "", 0 },
    { "another version", HEAD_OF("v1alpha2", "JobPolicy") "---\n" FINE("b"), "b",
      "f:1:1: is no JobPolicy of policy.jobreeve.dev/v1alpha1: apiVersion "
      "policy.jobreeve.dev/v1alpha2, kind JobPolicy\n",
      1 },
    { "another version of a suite", HEAD_OF("v1", "JobPolicyTest"), "",
      "f:1:1: is no JobPolicy of policy.jobreeve.dev/v1alpha1: apiVersion policy.jobreeve.dev/v1, "
      "kind JobPolicyTest\n",
      1 },
    { "another kind", HEAD_OF("v1alpha1", "Jobpolicy"), "",
      "f:1:1: is no JobPolicy of policy.jobreeve.dev/v1alpha1: apiVersion "
      "policy.jobreeve.dev/v1alpha1, kind Jobpolicy\n",
      1 },
    { "another group", "apiVersion: policy.jobreeve.io/v1alpha1\nkind: JobPolicy\n", "",
      "f:1:1: is no JobPolicy of policy.jobreeve.dev/v1alpha1: apiVersion "
      "policy.jobreeve.io/v1alpha1, kind JobPolicy\n",
      1 },
    { "policies that are not evaluated",
      VAP("v") "---\n" FINE("b") "---\napiVersion: admissionregistration.k8s.io/v1\n"
                                 "kind: ValidatingAdmissionPolicyBinding\nmetadata: {name: v}\n",
      "b", "f:1:1: ValidatingAdmissionPolicy \"v\" is not evaluated\n", 0 },
};
/* The same, strictly. */
static const struct row strictly[] = {
    { "a policy that is not evaluated", VAP("v") "---\n" FINE("b"), "b",
      "f:1:1: ValidatingAdmissionPolicy \"v\" is not evaluated\n", 1 },
};

static enum jr_status load(struct jr_policy_loading *l, const char *text, struct jr_policy_set *set)
{
    enum jr_status st = jr_policy_load(l, JR_S("f"), jr_str(text));

    return st == JR_OK ? jr_policy_loaded(l, set) : st;
}

/** are_beside: among other manifests; strict: what isn't evaluated is an error. */
static void check_row(const struct row *row, bool are_beside, bool strict)
{
    struct jr_policy_set set;
    JR_BUF names = { 0 }, problems = { 0 };
    LOADING l;

    loading_init(&l);
    l.passes_over = are_beside;
    l.strict = strict;
    jr_buf_init(&names, TEXT_MAX);
    jr_buf_init(&problems, TEXT_MAX);
    assert_int_equal(load(&l, row->text, &set), JR_OK);
    for (size_t i = 0; i < set.n; i++)
        (void)jr_buf_addf(&names, "%s%.*s", i > 0 ? " " : "", JR_P(set.v[i]->name));
    for (size_t i = 0; i < l.n_problems; i++) {
        jr_policy_problem_write(&l.problems[i], &problems);
        (void)jr_buf_addc(&problems, '\n');
    }
    if (!jr_str_is(jr_buf_str(&names), row->policies))
        fail_msg("%s: policies %s", row->name, names.p);
    if (!jr_str_is(jr_buf_str(&problems), row->problems))
        fail_msg("%s: problems\n%s", row->name, problems.p);
    assert_int_equal(l.errors, row->errors);
}

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check_row(&rows[i], false, false);
    for (size_t i = 0; i < JR_ARRAY_SIZE(beside); i++)
        check_row(&beside[i], true, false);
    for (size_t i = 0; i < JR_ARRAY_SIZE(strictly); i++)
        check_row(&strictly[i], true, true);
}

/** A long value is quoted in part, and what was expected is told behind it. */
static void long_value(void **state)
{
    struct jr_policy_set set;
    JR_BUF text = { 0 };
    LOADING l;

    (void)state;
    loading_init(&l);
    jr_buf_init(&text, (size_t)1 << 20);
    (void)jr_buf_adds(&text, HEAD "metadata: {name: a}\nspec: {failurePolicy: ");
    for (size_t i = 0; i < ((size_t)64 << 10) + 64; i++)
        (void)jr_buf_addc(&text, 'x');
    assert_int_equal(jr_buf_adds(&text, "}\n"), JR_OK);
    assert_int_equal(load(&l, text.p, &set), JR_OK);
    assert_int_equal(l.errors, 1);
    assert_true(l.problems[0].message.n > 8000 && l.problems[0].message.n < 9000);
    assert_true(jr_str_ends(l.problems[0].message, JR_S("supported values: \"Fail\", \"Ignore\"")));
}

/** Names are taken over all files, and each fault says which file it is of. */
static void several_files(void **state)
{
    struct jr_policy_set set;
    JR_BUF text = { 0 };
    LOADING l;

    (void)state;
    loading_init(&l);
    assert_int_equal(jr_policy_load(&l, JR_S("one"), JR_S(FINE("a"))), JR_OK);
    assert_int_equal(jr_policy_load(&l, JR_S("two"), JR_S(FINE("b") "---\n" FINE("a"))), JR_OK);
    assert_int_equal(jr_policy_loaded(&l, &set), JR_OK);
    assert_int_equal(set.n, 2);
    assert_int_equal(l.n_problems, 1);
    jr_buf_init(&text, TEXT_MAX);
    jr_policy_problem_write(&l.problems[0], &text);
    assert_string_equal(text.p,
                        "two:10:18: policy \"a\": metadata.name: another policy has this name");
}

static void without_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        for (long n = 1;; n++) {
            struct jr_policy_set set;
            enum jr_status st;
            LOADING l;

            loading_init(&l);
            jr_failalloc_arm(n);
            st = load(&l, rows[i].text, &set);
            if (jr_failalloc_over(st))
                break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(long_value),
        cmocka_unit_test(several_files),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
