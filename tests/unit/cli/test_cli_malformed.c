/* SPDX-License-Identifier: Apache-2.0 */
/* docs/examples/broken.yaml: each mistake at its line and column, in text and in SARIF. */
#include "cli/manifest_file.h"
#include "common/json/doc.h"
#include "tests/unit/cli/check_test.h"

static const struct {
    unsigned line, column;
    const char *rule;
    const char *field;
} mistakes[] = {
    { 8, 16, "unknown-field", "spec.paralellism" },
    { 13, 17, "duplicate-field", "spec.backoffLimit" },
    { 6, 18, "meta-label-value", "metadata.labels" },
    { 9, 16, "completions-negative", "spec.completions" },
    { 22, 18, "env-name", "spec.template.spec.containers[0].env[0].name" },
    { 20, 18, "mount-name", "spec.template.spec.containers[0].volumeMounts[0].name" },
    { 23, 22, "restart-policy-required", "spec.template.spec.restartPolicy" },
    { 28, 15, "no-kind-match", "apiVersion" },
    { 40, 49, "exit-codes-zero", "spec.podFailurePolicy.rules[0].onExitCodes.values[1]" },
    { 40, 45, "exit-codes-order", "spec.podFailurePolicy.rules[0].onExitCodes.values" },
    { 45, 17, "container-name", "spec.template.spec.containers[0].name" },
    { 48, 29, "request-above-limit", "spec.template.spec.containers[0].resources.requests" },
    { 43, 24, "restart-policy-with-failure-policy", "spec.template.spec.restartPolicy" },
    { 55, 39, "wrong-type", "spec.ttlSecondsAfterFinished" },
};

static void check_violations(struct jr_report *r)
{
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_default()),
                                              .strict = true };
    JR_BUF text = { 0 };

    jr_buf_init(&text, 1 << 20);
    assert_int_equal(jr_input_read("docs/examples/broken.yaml", &text, NULL), JR_OK);
    jr_report_init(r, 1 << 24);
    jr_check_text(r, JR_S("docs/examples/broken.yaml"), jr_buf_str(&text), &options);
    assert_int_equal(r->unreadable.n, 0);
}

static void test_each_mistake_is_found_in_its_place(void **state)
{
    REPORT r = { .failed = JR_OK };
    size_t n = 0;

    (void)state;
    check_violations(&r);
    assert_int_equal(r.errors, JR_ARRAY_SIZE(mistakes));
    for (size_t i = 0; i < r.objects.n; i++) {
        const struct jr_checked *o = &r.objects.v[i];

        for (size_t k = 0; k < o->n; k++, n++) {
            const struct jr_finding *f = &o->v[k];

            if (f->line != mistakes[n].line || f->column != mistakes[n].column ||
                !jr_str_is(f->rule, mistakes[n].rule) || !jr_str_is(f->field, mistakes[n].field))
                fail_msg("%zu: %u:%u %.*s %.*s", n, f->line, f->column, JR_P(f->rule),
                         JR_P(f->field));
        }
    }
    assert_int_equal(r.objects.v[r.objects.n - 1].document, 3);
}

static void test_sarif_says_the_same(void **state)
{
    REPORT r = { .failed = JR_OK };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *result;
    size_t n = 0;

    (void)state;
    check_violations(&r);
    JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_SARIF);
    assert_int_equal(jr_doc_parse(jr_buf_str(&out), &JR_READER_STRICT, &doc, NULL), JR_OK);
    result = jr_first(jr_get(jr_first(jr_get(jr_doc_root(doc), "runs")), "results"));
    for (; result != NULL; result = jr_next(result), n++) {
        const struct jr_node *region =
            jr_path(jr_first(jr_get(result, "locations")), "physicalLocation.region");

        assert_int_equal(jr_node_i64_or(jr_get(region, "startLine"), 0), mistakes[n].line);
        assert_int_equal(jr_node_i64_or(jr_get(region, "startColumn"), 0), mistakes[n].column);
    }
    assert_int_equal(n, JR_ARRAY_SIZE(mistakes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_mistake_is_found_in_its_place),
        cmocka_unit_test(test_sarif_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
