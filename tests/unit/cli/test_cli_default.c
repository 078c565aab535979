#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/default.h"

#define JOB                                                                                   \
    "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\nspec:\n  template:\n    spec:\n" \
    "      restartPolicy: Never\n      containers:\n      - name: pi\n        image: "        \
    "perl:5.34.0\n"

static struct jr_buf run(const char *text, struct jr_default_options options, size_t *jobs,
                         size_t *others)
{
    struct jr_buf out;
    struct jr_error err = { 0 };

    options.profile = jr_profile_default();
    jr_buf_init(&out, 1 << 20);
    if (jr_default_text(jr_str(text), &options, &out, jobs, others, &err) != JR_OK)
        fail_msg("%s", err.msg);
    return out;
}

static bool has(const struct jr_buf *b, const char *part)
{
    return b->p != NULL && strstr(b->p, part) != NULL;
}

static void test_jobs_are_completed_and_others_pass(void **state)
{
    size_t jobs, others;
    JR_CLEANUP(jr_buf_done)
    struct jr_buf out = run("kind: ConfigMap\napiVersion: v1\ndata: {a: b}\n---\n" JOB,
                            (struct jr_default_options){ .uid = NULL }, &jobs, &others);

    (void)state;
    assert_int_equal(jobs, 1);
    assert_int_equal(others, 1);
    assert_true(has(&out, "---\n"));
    assert_true(has(&out, "backoffLimit: 6"));
    assert_true(has(&out, "job-name: pi"));
    assert_false(has(&out, "controller-uid"));
}

static void test_a_uid_completes_the_selector(void **state)
{
    size_t jobs, others;
    JR_CLEANUP(jr_buf_done)
    struct jr_buf out = run(
        JOB, (struct jr_default_options){ .uid = "u-1", .format = JR_FORMAT_JSON }, &jobs, &others);

    (void)state;
    assert_true(has(&out, "\"batch.kubernetes.io/controller-uid\": \"u-1\""));
    assert_true(has(&out, "\"matchLabels\""));
}

static void test_its_own_output_is_left_alone(void **state)
{
    size_t jobs, others;
    JR_CLEANUP(jr_buf_done)
    struct jr_buf once = run(JOB, (struct jr_default_options){ .uid = "u-1" }, &jobs, &others);
    JR_CLEANUP(jr_buf_done)
    struct jr_buf diff =
        run(once.p, (struct jr_default_options){ .uid = "u-1", .diff_name = "f" }, &jobs, &others);

    (void)state;
    assert_int_equal(diff.n, 0);
}

static void test_items_of_a_list(void **state)
{
    size_t jobs, others;
    JR_CLEANUP(jr_buf_done)
    struct jr_buf out = run("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":"
                            "\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"a\"},\"spec\":{"
                            "}},{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}]}",
                            (struct jr_default_options){ .uid = NULL }, &jobs, &others);

    (void)state;
    assert_int_equal(jobs, 1);
    assert_int_equal(others, 1);
    assert_true(has(&out, "\"backoffLimit\": 6"));
}

static void test_bad_text_is_refused_with_its_line(void **state)
{
    const struct jr_default_options options = { .profile = jr_profile_default() };
    struct jr_error err = { 0 };
    size_t jobs, others;
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 4096);
    assert_int_not_equal(
        jr_default_text(JR_S("a: 1\nb: [1,\n"), &options, &out, &jobs, &others, &err), JR_OK);
    assert_non_null(strstr(err.msg, "line "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_are_completed_and_others_pass),
        cmocka_unit_test(test_a_uid_completes_the_selector),
        cmocka_unit_test(test_its_own_output_is_left_alone),
        cmocka_unit_test(test_items_of_a_list),
        cmocka_unit_test(test_bad_text_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
