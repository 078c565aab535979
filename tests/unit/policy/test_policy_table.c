/* SPDX-License-Identifier: Apache-2.0 */
/* What the table of test_policy_evaluate covers: all rules, all defaults. */
#include "common/policy/evaluate.h"

#include "tests/support/yaml_table.h"
#include "tests/unit/job/job_test.h"

#define TABLE "tests/vectors/policies.yaml"

/** The table has a finding of the rule with these words. */
static void want_found(const struct jr_doc *table, const char *rule, const char *words)
{
    const struct jr_str r = jr_str(rule);

    for (const struct jr_node *c = jr_first(jr_doc_root_const(table)); c != NULL; c = jr_next(c)) {
        for (const struct jr_node *e = jr_first(jr_get(c, "findings")); e != NULL; e = jr_next(e)) {
            const char *text = jr_node_str(e).p, *at = strstr(text, r.p);

            if (at != NULL && strstr(at + r.n, words) != NULL)
                return;
        }
    }
    fail_msg("no case finds \"%s\" by%s", words, rule);
}

static void every_rule_has_its_cases(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    const struct jr_node *spec;
    DOC *table = yaml_table(TABLE), *job = must_parse("small", SMALL_JOB);
    char rule[128];

    (void)state;
    assert_int_equal(jr_job_default(jr_doc_root(job), &profile), JR_OK);
    spec = jr_get(jr_doc_root(job), "spec");
    for (size_t i = 0; i < JR_LIMITED_FIELDS; i++) {
        const struct jr_limited_field_info *f = &jr_limited_fields[i];

        (void)snprintf(rule, sizeof(rule), " limits.%s |", f->name);
        if (f->kind == JR_LIMITED_FLAG)
            want_found(table, rule, "must not be true");
        if (f->kind == JR_LIMITED_TEXT)
            want_found(table, rule, "\", allowed: \"");
        if (f->kind == JR_LIMITED_INT) {
            want_found(table, rule, "at most ");
            want_found(table, rule, "at least ");
        }
        if (f->kind != JR_LIMITED_FLAG && jr_limited_node((enum jr_limited_field)i, spec) == NULL)
            want_found(table, rule, "must be set");
    }
    for (int kind = 0; kind <= JR_CEILING_RESOURCE_HOURS; kind++) {
        (void)snprintf(rule, sizeof(rule), " budget.%s",
                       jr_ceiling_name((enum jr_ceiling_kind)kind));
        want_found(table, rule, "up to ");
        want_found(table, rule, " unbounded, at most ");
    }
}

static void every_default_has_its_cases(void **state)
{
    DOC *table = yaml_table(TABLE);

    (void)state;
    for (size_t i = 0; i < JR_LIMITED_FIELDS; i++) {
        const struct jr_limited_field_info *f = &jr_limited_fields[i];
        const char *part = f->of_template ? "defaulted.pod" : "defaulted.spec";
        bool found = false;

        for (const struct jr_node *c = jr_first(jr_doc_root(table)); c != NULL; c = jr_next(c))
            found = found || jr_get(jr_path(c, part), f->leaf) != NULL;
        if (f->has_default != found)
            fail_msg("%s: %s", f->name, found ? "it has no default" : "no case defaults it");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_its_cases),
        cmocka_unit_test(every_default_has_its_cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
