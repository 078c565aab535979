/* SPDX-License-Identifier: Apache-2.0 */
/* The admission vectors, as they reach a webhook: what the API server does around it is done here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/job/defaults.h"
#include "common/job/prepare.h"
#include "tests/unit/webhook/ask.h"
#include "tests/unit/webhook/idempotent.h"

#define VECTORS "tests/vectors/admission-vectors.json"

struct vector {
    const char *name;
    struct jr_str op;
    const struct jr_node *job, *old, *errors;
    struct jr_profile profile;
};

static void each_vector(void (*fn)(const struct vector *v))
{
    JR_FREE char *text = slurp(VECTORS);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    size_t n = 0;

    if (text == NULL)
        fail_msg("no %s", VECTORS);
    doc = doc_of(jr_str(text));
    for (const struct jr_node *row = jr_first(jr_doc_root(doc)); row != NULL; row = jr_next(row)) {
        JR_FREE char *name = jr_str_dup(jr_get_str(row, "name"));
        struct vector v = { .name = name,
                            .op = jr_get_str(row, "op"),
                            .job = jr_get(row, "job"),
                            .old = jr_get(row, "old"),
                            .errors = jr_path(row, "expect.errors"),
                            .profile = jr_profile_default() };

        for (const struct jr_node *g = jr_first(jr_get(row, "gates")); g != NULL; g = jr_next(g))
            assert_int_equal(
                jr_profile_set(&v.profile, jr_key(g), jr_node_bool_or(g, true), true, NULL), JR_OK);
        fn(&v);
        n++;
    }
    assert_true(n > 50);
}

static struct jr_doc *defaulted(const struct jr_node *job, const struct jr_profile *profile)
{
    struct jr_doc *doc = NULL;

    assert_int_equal(jr_doc_of(job, &doc), JR_OK);
    assert_int_equal(jr_job_default(jr_doc_root(doc), profile), JR_OK);
    return doc;
}

static bool is_metadata(const struct jr_node *error)
{
    return jr_str_starts(jr_get_str(error, "field"), JR_S("metadata"));
}

/** Whether the answer has this error among its causes. */
static bool has_cause(const struct answer *a, const struct jr_node *error)
{
    const struct jr_node *causes = jr_path(a->response, "status.details.causes");
    struct jr_str field = jr_get_str(error, "field"), detail = jr_get_str(error, "detail");

    for (const struct jr_node *c = jr_first(causes); c != NULL; c = jr_next(c)) {
        if (jr_str_eq(jr_get_str(c, "field"), field) &&
            jr_str_ends(jr_get_str(c, "reason"), jr_get_str(error, "type")) &&
            jr_str_ends(jr_get_str(c, "message"), detail))
            return true;
    }
    return false;
}

/** Whether the cause is among the expected errors. */
static bool is_expected(const struct jr_node *cause, const struct jr_node *errors)
{
    for (const struct jr_node *e = jr_first(errors); e != NULL; e = jr_next(e)) {
        if (jr_str_eq(jr_get_str(e, "field"), jr_get_str(cause, "field")))
            return true;
    }
    return false;
}

/** Compares the result with the vector's. Where the spec did not change only the metadata's errors
 * count. */
static void compare(const struct vector *v, const struct answer *a, bool metadata_only)
{
    const struct jr_node *causes = jr_path(a->response, "status.details.causes");
    size_t want = 0;

    if (a->st != JR_OK)
        fail_msg("%s: no result: %s", v->name, a->err.msg);
    for (const struct jr_node *e = jr_first(v->errors); e != NULL; e = jr_next(e)) {
        if (metadata_only && !is_metadata(e))
            continue;
        want++;
        if (!has_cause(a, e))
            fail_msg("%s: missing %.*s: %.*s in: %.*s", v->name, JR_P(jr_get_str(e, "field")),
                     JR_P(jr_get_str(e, "detail")), JR_P(a->message));
    }
    for (const struct jr_node *c = jr_first(causes); c != NULL; c = jr_next(c)) {
        if (!is_expected(c, v->errors))
            fail_msg("%s: unexpected %.*s", v->name, JR_P(jr_get_str(c, "message")));
    }
    if (a->allowed != (want == 0))
        fail_msg("%s: allowed %d, %zu errors expected: %.*s", v->name, a->allowed, want,
                 JR_P(a->message));
}

static void ask_about(const struct vector *v, const char *operation, const char *sub,
                      const struct jr_node *job, const struct jr_node *old, struct answer *ret)
{
    JR_FREE char *object = text_of(job);
    JR_FREE char *old_object = old == NULL ? NULL : text_of(old);
    const struct pieces p = {
        .operation = operation, .sub_resource = sub, .object = object, .old_object = old_object
    };
    JR_FREE char *body = review_of(&p);

    ask_with(JR_ENDPOINT_VALIDATE_JOB, jr_str(body), &v->profile, ret);
}

/* ---- each operation, as the validating side sees it ---- */

static void validates(const struct vector *v)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = defaulted(v->job, &v->profile);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    struct jr_node *root = jr_doc_root(job), *old_root;

    if (jr_str_is(v->op, "create")) {
        assert_int_equal(jr_job_prepare_create(root, &v->profile), JR_OK);
        ask_about(v, "CREATE", NULL, root, NULL, &a);
        compare(v, &a, false);
        return;
    }
    old = defaulted(v->old, &v->profile);
    old_root = jr_doc_root(old);
    if (jr_str_is(v->op, "update")) {
        assert_int_equal(jr_job_prepare_update(root, old_root, &v->profile), JR_OK);
        ask_about(v, "UPDATE", NULL, root, old_root, &a);
        compare(v, &a, jr_node_equal(jr_get(root, "spec"), jr_get(old_root, "spec")));
        return;
    }
    assert_true(jr_str_is(v->op, "updateStatus"));
    assert_int_equal(jr_job_prepare_status_update(root, old_root), JR_OK);
    ask_about(v, "UPDATE", "status", root, old_root, &a);
    compare(v, &a, false);
}

static void test_validates(void **state)
{
    (void)state;
    each_vector(validates);
}

/* ---- a create that both sides see ---- */

/* The API server hides the uid from the mutating side, applies its patch, and goes on with
 * generation and validation. What the mutating side adds never leads to a refusal, nor hides one,
 * nor is there an error more. */
static void both_sides(const struct vector *v)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *sent = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *mutated = NULL;
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    struct jr_str uid = jr_get_str(jr_get(v->job, "metadata"), "uid");
    struct jr_node *meta;

    if (!jr_str_is(v->op, "create"))
        return;
    sent = defaulted(v->job, &v->profile);
    meta = jr_get(jr_doc_root(sent), "metadata");
    jr_remove(meta, JR_S("uid"), NULL);
    mutated = mutate_idempotently(JR_ENDPOINT_MUTATE_JOB, v->name, jr_doc_root(sent));
    if (mutated == NULL) { /* the input that makes API servers panic */
        if (jr_size(v->errors) == 0)
            fail_msg("%s: refused by the mutating side", v->name);
        return;
    }
    meta = jr_get(jr_doc_root(mutated), "metadata");
    if (uid.p != NULL)
        assert_int_equal(jr_set_str(meta, "uid", uid), JR_OK);
    assert_int_equal(jr_job_default(jr_doc_root(mutated), &v->profile), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(mutated), &v->profile), JR_OK);
    ask_about(v, "CREATE", NULL, jr_doc_root(mutated), NULL, &a);
    compare(v, &a, false);
}

static void test_both_sides(void **state)
{
    (void)state;
    each_vector(both_sides);
}

/* ---- as the user wrote it: no defaults yet, uid or not ---- */

static void mutates(const struct vector *v)
{
    JR_CLEANUP(jr_doc_freep)
    struct jr_doc *after = mutate_idempotently(JR_ENDPOINT_MUTATE_JOB, v->name, v->job);

    if (after == NULL && jr_size(v->errors) == 0)
        fail_msg("%s: refused", v->name);
}

static void test_mutates(void **state)
{
    (void)state;
    each_vector(mutates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validates),
        cmocka_unit_test(test_both_sides),
        cmocka_unit_test(test_mutates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
