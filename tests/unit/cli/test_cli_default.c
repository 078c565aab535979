/* SPDX-License-Identifier: Apache-2.0 */
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

/* As the API server stores them: one map, which generation writes to. */
static void test_labels_of_the_template_are_the_jobs(void **state)
{
    static const char template[] =
        "spec: {template: {metadata: {labels: {app: x}}, spec: {restartPolicy: Never, containers: "
        "[{name: c, image: i}]}}}\n";
#define NAMED "  labels:\n    app: x\n    job-name: pi\n    batch.kubernetes.io/job-name: pi\n"
    static const char named[] = "  name: pi\n" NAMED "spec:\n";
    static const char both[] =
        NAMED "    controller-uid: u-1\n    batch.kubernetes.io/controller-uid: u-1\n";
#undef NAMED
    JR_BUF text = { 0 };
    OUTCOME o, own, unknown;

    (void)state;
    jr_buf_init(&text, 1 << 20);
    (void)jr_buf_addf(&text, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\n%s", template);
    run(&o, text.p, "u-1", (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    if (!has(&o.out, both))
        fail_msg("%s", o.out.p);
    run(&unknown, text.p, NULL, (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    if (!has(&unknown.out, named))
        fail_msg("%s", unknown.out.p);
    jr_buf_reset(&text);
    (void)jr_buf_addf(&text,
                      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi, labels: {a: b}}\n%s",
                      template);
    run(&own, text.p, "u-1", (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_true(has(&own.out, "  labels:\n    a: b\n  uid: u-1\nspec:"));
}

/* Labels and selector of a stored Job are by its own uid. */
static void test_another_uid_is_refused(void **state)
{
    OUTCOME o, same;

    (void)state;
    run(&o, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi, uid: u-1}\n", "u-2",
        (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.status, JR_DENIED);
    assert_true(has(&o.remarks, "3:27: metadata.uid: another uid than --uid says"));
    run(&same, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi, uid: u-1}\n", "u-1",
        (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(same.status, JR_OK);
}

static void test_what_is_no_object_is_refused(void **state)
{
    OUTCOME o;

    (void)state;
    run(&o, "- a\n---\nx\n---\nkind: List\nitems: [5]\n", NULL,
        (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.status, JR_DENIED);
    assert_string_equal(o.err.msg, "3 of 3 objects refused: nothing is printed");
    assert_true(has(&o.remarks, "1:1: : expected an object"));
    assert_true(has(&o.remarks, "3:1: : expected an object"));
    assert_true(has(&o.remarks, "6:9: items[0]: expected an object"));
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

/* What is dropped is said, with its place; of nulls there is nothing to say. */
static void test_what_is_dropped_is_said(void **state)
{
    OUTCOME o;

    (void)state;
    run(&o,
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: zeros, creationTimestamp: null}\nspec:\n"
        "  paralellism: 0\n  scheduling: {}\n  parallelism: 0\n  template:\n    spec:\n"
        "      schedulingGroup: {}\n"
        "      hostNetwork: false\n      restartPolicy: Never\n      containers:\n"
        "      - {name: c, image: x, privileged: true, args: []}\n",
        NULL, (struct jr_rewrite){ .format = JR_FORMAT_SAME });
    assert_int_equal(o.status, JR_OK);
    if (!jr_str_is(
            jr_buf_str(&o.remarks),
            "5:16: warning: spec.paralellism: unknown field, which the API server drops\n"
            "6:15: warning: spec.scheduling: unknown field, which the API server drops\n"
            "10:24: warning: spec.template.spec.schedulingGroup: dropped: its feature gate is off\n"
            "11:20: warning: spec.template.spec.hostNetwork: dropped: the same as no value\n"
            "14:41: warning: spec.template.spec.containers[0].privileged: unknown field, "
            "which the API "
            "server drops\n"
            "14:53: warning: spec.template.spec.containers[0].args: dropped: the same as no "
            "value\n"))
        fail_msg("%.*s", JR_P(jr_buf_str(&o.remarks)));
    assert_true(has(&o.out, "  parallelism: 0\n"));
    assert_false(has(&o.out, "paralellism"));
    assert_false(has(&o.out, "hostNetwork"));
    assert_false(has(&o.out, "creationTimestamp"));
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
        cmocka_unit_test(test_another_uid_is_refused),
        cmocka_unit_test(test_labels_of_the_template_are_the_jobs),
        cmocka_unit_test(test_what_is_no_object_is_refused),
        cmocka_unit_test(test_its_own_output_is_left_alone),
        cmocka_unit_test(test_what_is_dropped_is_said),
        cmocka_unit_test(test_items_of_lists),
        cmocka_unit_test(test_all_that_is_refused_is_remarked_upon),
        cmocka_unit_test(test_bad_text_is_refused_with_its_line),
        cmocka_unit_test(test_documents_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
