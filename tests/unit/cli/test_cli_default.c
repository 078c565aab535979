#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/default.h"
#include "rewrite_test.h"

#define JOB                                                                                   \
    "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\nspec:\n  template:\n    spec:\n" \
    "      restartPolicy: Never\n      containers:\n      - name: pi\n        image: "        \
    "perl:5.34.0\n"

static void run(struct outcome *o, const char *text, const char *uid, struct jr_rewrite rw)
{
    struct jr_default_options options = { .profile = jr_profile_default(), .uid = uid };

    rw.object = jr_default_object;
    rw.ctx = &options;
    rewrite(o, rw, text, NULL);
}

static void test_jobs_are_completed_and_others_pass(void **state)
{
    OUTCOME o;

    (void)state;
    run(&o, "kind: ConfigMap\napiVersion: v1\ndata: {a: b}\n---\n" JOB, NULL,
        (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.status, JR_OK);
    assert_int_equal(o.counts.taken, 1);
    assert_int_equal(o.counts.others, 1);
    assert_false(o.counts.json);
    assert_true(has(&o.out, "---\n"));
    assert_true(has(&o.out, "backoffLimit: 6"));
    assert_true(has(&o.out, "job-name: pi"));
    assert_false(has(&o.out, "controller-uid"));
    assert_int_equal(o.remarks.n, 0);
}

static void test_a_uid_completes_the_selector(void **state)
{
    OUTCOME o;

    (void)state;
    run(&o, JOB, "u-1", (struct jr_rewrite){ .format = JR_FORMAT_JSON });
    assert_true(has(&o.out, "\"batch.kubernetes.io/controller-uid\": \"u-1\""));
    assert_true(has(&o.out, "\"matchLabels\""));
}

static void test_its_own_output_is_left_alone(void **state)
{
    OUTCOME once, diff;

    (void)state;
    run(&once, JOB, "u-1", (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    run(&diff, once.out.p, "u-1", (struct jr_rewrite){ .diff_name = "f" });
    assert_int_equal(diff.out.n, 0);
    assert_int_equal(diff.status, JR_OK);
}

static void test_items_of_lists(void **state)
{
    OUTCOME o, typed;

    (void)state;
    run(&o,
        "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"batch/v1\","
        "\"kind\":\"Job\",\"metadata\":{\"name\":\"a\"},\"spec\":{}},"
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}]}",
        NULL, (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.counts.taken, 1);
    assert_int_equal(o.counts.others, 1);
    assert_true(has(&o.out, "\"backoffLimit\": 6"));
    /* As an API server gives a list of one kind. */
    run(&typed, "apiVersion: batch/v1\nkind: JobList\nitems:\n- metadata: {name: a}\n  spec: {}\n",
        NULL, (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(typed.counts.taken, 1);
    assert_int_equal(typed.counts.others, 0);
    assert_true(has(&typed.out, "  backoffLimit: 6"));
}

static void test_all_that_is_refused_is_remarked_upon(void **state)
{
    OUTCOME o;

    (void)state;
    run(&o,
        "apiVersion: batch/v1\nkind: Job\nspec:\n  parallelism: many\n---\n" JOB
        "---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: Job\n"
        "  spec:\n    suspend: 1\n",
        NULL, (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.status, JR_DENIED);
    assert_string_equal(o.err.msg, "2 of 3 objects refused: nothing is printed");
    assert_int_equal(o.out.n, 0);
    assert_true(has(&o.remarks, "4:16: spec.parallelism: "));
    assert_true(has(&o.remarks, "24:14: items[0].spec.suspend: "));
}

static void test_bad_text_is_refused_with_its_line(void **state)
{
    OUTCOME o;

    (void)state;
    run(&o, "a: 1\nb: [1,\n", NULL, (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.status, JR_SYNTAX);
    assert_true(strstr(o.err.msg, "line ") != NULL);
}

/* Outputs of several files are one stream. */
static void test_documents_are_kept_apart(void **state)
{
    static const struct {
        const char *name, *text;
        bool json_before;
        const char *want;
    } rows[] = {
        { "YAML after YAML", "a: 1\n", false, "---\na: 1\n" },
        { "YAML after JSON", "a: 1\n", true, "---\na: 1\n" },
        { "JSON after YAML", "{\"a\":1}", false, "---\n{\n  \"a\": 1\n}\n" },
        { "JSON after JSON", "{\"a\":1}", true, "{\n  \"a\": 1\n}\n" },
        { "JSON twice", "{\"a\":1}{}", false, "---\n{\n  \"a\": 1\n}\n{}\n" },
    };
    struct jr_default_options options = { .profile = jr_profile_default() };
    const struct jr_rewrite rw = { .object = jr_default_object, .ctx = &options };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_rewritten before = { .json = rows[i].json_before };
        OUTCOME o;

        rewrite(&o, rw, rows[i].text, &before);
        if (!jr_str_is(jr_buf_str(&o.out), rows[i].want))
            fail_msg("%s: got\n%.*s", rows[i].name, JR_P(jr_buf_str(&o.out)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_are_completed_and_others_pass),
        cmocka_unit_test(test_a_uid_completes_the_selector),
        cmocka_unit_test(test_its_own_output_is_left_alone),
        cmocka_unit_test(test_items_of_lists),
        cmocka_unit_test(test_all_that_is_refused_is_remarked_upon),
        cmocka_unit_test(test_bad_text_is_refused_with_its_line),
        cmocka_unit_test(test_documents_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
