/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies with faults: each is told with its field, and the policy can't be used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/policy/policy.h"
#include "tests/support/doc.h"
#include "tests/support/failalloc.h"
#include "tests/support/yaml_table.h"

#define TABLE "tests/vectors/policies-wrong.yaml"
#define ROWS 176
#define TEXT_MAX ((size_t)1 << 20)

/* ---- a row ---- */

struct compiled {
    struct jr_arena arena;
    struct jr_errlist errs;
    struct jr_warnings warnings;
    struct jr_job_policy *policy;
};

static void compiled_done(struct compiled *c)
{
    jr_job_policy_free(c->policy);
    jr_arena_done(&c->arena);
}

static enum jr_status compile(const struct jr_node *object, struct compiled *c)
{
    struct jr_time now;

    assert_int_equal(jr_time_parse(JR_S("2026-12-01T00:00:00Z"), &now), JR_OK);
    *c = (struct compiled){ .policy = NULL };
    jr_arena_init(&c->arena, 0);
    jr_errlist_init(&c->errs, &c->arena);
    c->warnings.arena = &c->arena;
    return jr_job_policy_compile(object, now, &c->errs, &c->warnings, &c->policy);
}

static struct jr_doc *document(const struct jr_node *row)
{
    struct jr_doc *doc = doc_of(JR_S("{\"metadata\":{\"name\":\"wrong\"}}"));
    const struct jr_node *meta = jr_get(row, "metadata");

    if (meta != NULL)
        assert_int_equal(jr_set_copy(jr_doc_root(doc), JR_S("metadata"), meta, NULL), JR_OK);
    assert_int_equal(jr_set_copy(jr_doc_root(doc), JR_S("spec"), jr_get(row, "spec"), NULL), JR_OK);
    return doc;
}

/** What is found, a line each. */
static void write_found(const struct compiled *c, bool warnings, struct jr_buf *out)
{
    for (size_t i = 0; !warnings && i < c->errs.n; i++) {
        (void)jr_buf_add(out, c->errs.v[i].field);
        (void)jr_buf_adds(out, ": ");
        assert_int_equal(jr_field_error_write(&c->errs.v[i], out), JR_OK);
        (void)jr_buf_addc(out, '\n');
    }
    for (size_t i = 0; warnings && i < c->warnings.list.n; i++) {
        (void)jr_buf_add(out, c->warnings.list.v[i]);
        (void)jr_buf_addc(out, '\n');
    }
}

static void write_wanted(const struct jr_node *list, struct jr_buf *out)
{
    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n)) {
        (void)jr_buf_add(out, jr_node_str(n));
        (void)jr_buf_addc(out, '\n');
    }
}

static void want(const struct jr_node *row, const struct compiled *c, const char *key)
{
    JR_BUF have = { 0 }, wanted = { 0 }, text = { 0 };

    jr_buf_init(&have, TEXT_MAX);
    jr_buf_init(&wanted, TEXT_MAX);
    jr_buf_init(&text, TEXT_MAX);
    write_found(c, key[0] == 'w', &have);
    write_wanted(jr_get(row, key), &wanted);
    if (jr_str_eq(jr_buf_str(&have), jr_buf_str(&wanted)))
        return;
    assert_int_equal(jr_node_print(jr_get(row, "spec"), &text), JR_OK);
    fail_msg("%s: %s:\n%swanted:\n%s", text.p, key, have.p == NULL ? "" : have.p,
             wanted.p == NULL ? "" : wanted.p);
}

static void check_row(const struct jr_node *row)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = document(row);
    JR_CLEANUP(compiled_done) struct compiled c;
    const bool fine = jr_get(row, "faults") == NULL;

    assert_int_equal(compile(jr_doc_root(doc), &c), JR_OK);
    want(row, &c, "faults");
    if (fine)
        want(row, &c, "warnings");
    assert_int_equal(c.policy->unusable.n == 0, fine);
    if (!fine) /* nobody knows what it was to refuse */
        assert_true((c.policy->actions & (JR_ACTION_DENY | JR_ACTION_WARN | JR_ACTION_AUDIT)) != 0);
}

/* ---- the table ---- */

static void faults(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *table = yaml_table(TABLE);

    (void)state;
    assert_int_equal(jr_size(jr_doc_root(table)), ROWS);
    for (const struct jr_node *r = jr_first(jr_doc_root(table)); r != NULL; r = jr_next(r))
        check_row(r);
}

static void without_memory(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *table = yaml_table(TABLE);

    (void)state;
    for (const struct jr_node *r = jr_first(jr_doc_root(table)); r != NULL; r = jr_next(r)) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = document(r);

        for (long n = 1;; n++) {
            JR_CLEANUP(compiled_done) struct compiled c;
            enum jr_status st;

            jr_failalloc_arm(n);
            st = compile(jr_doc_root(doc), &c);
            if (jr_failalloc_over(st))
                break;
        }
    }
}

/* ---- others of the set ---- */

static void others(void **state)
{
    JR_CLEANUP(jr_doc_freep)
    struct jr_doc *a = doc_of(JR_S(
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"defaults\":{\"labels\":{\"pool\":\"x\"}}}}"));
    JR_CLEANUP(jr_doc_freep)
    struct jr_doc *b = doc_of(
        JR_S("{\"metadata\":{\"name\":\"b\"},\"spec\":{\"match\":{\"objectSelector\":{"
             "\"matchLabels\":{\"pool\":\"y\"}}},\"limits\":{\"parallelism\":{\"max\":1}}}}"));
    JR_CLEANUP(compiled_done) struct compiled ca, cb;
    struct jr_job_policy *both[2];
    struct jr_policy_set set = { both, 2 };

    (void)state;
    assert_int_equal(compile(jr_doc_root(a), &ca), JR_OK);
    assert_int_equal(compile(jr_doc_root(b), &cb), JR_OK);
    both[0] = cb.policy;
    both[1] = ca.policy;
    jr_policy_set_sort(&set);
    assert_ptr_equal(set.v[0], ca.policy);
    jr_job_policy_check_others(cb.policy, &set, &cb.errs);
    assert_int_equal(cb.errs.n, 0);
    jr_job_policy_check_others(ca.policy, &set, &ca.errs);
    assert_int_equal(ca.errs.n, 1);
    assert_true(jr_str_is(ca.errs.v[0].field, "spec.defaults.labels[pool]"));
    assert_true(jr_str_is(ca.errs.v[0].detail, "policy \"b\" selects Jobs by this label"));
}

/* ---- globs ---- */

static void globs(void **state)
{
    static const struct {
        const char *glob, *s;
        bool matches;
    } rows[] = {
        { "", "", true },
        { "", "a", false },
        { "a", "a", true },
        { "a", "b", false },
        { "*", "", true },
        { "*", "abc", true },
        { "a*", "abc", true },
        { "a*", "ba", false },
        { "*c", "abc", true },
        { "*c", "abcd", false },
        { "a*c", "abcbc", true },
        { "a*bc", "abcb", false },
        { "?", "", false },
        { "?", "a", true },
        { "a?c", "abc", true },
        { "*a*b*", "xaxbx", true },
        { "*a*b*", "xbxax", false },
        { "**", "x", true },
        { "team-*", "team-", true },
        { "team-?*", "team-", false },
    };
    char many[4096];

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (jr_glob_matches(jr_str(rows[i].glob), jr_str(rows[i].s)) != rows[i].matches)
            fail_msg("%s: %s", rows[i].glob, rows[i].s);
    }
    /* A part of a text ends where it ends, whatever is behind it. */
    assert_false(jr_glob_matches(jr_str_head(JR_S("a*"), 1), JR_S("ab")));
    assert_true(jr_glob_matches(jr_str_head(JR_S("*a*"), 2), JR_S("aba")));
    assert_false(jr_glob_matches(jr_str_head(JR_S("a?"), 1), JR_S("ab")));
    /* Not exponential in the stars. */
    memset(many, 'a', sizeof(many));
    assert_false(
        jr_glob_matches(JR_S("*a*a*a*a*a*a*a*a*a*a*a*a*b"), (struct jr_str){ many, sizeof(many) }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(others),
        cmocka_unit_test(globs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
