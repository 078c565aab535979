/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/job/convert.h"

/* The table of the old pair: in, out, and back again. */
static void test_the_table_of_the_old_pair(void **state)
{
    static const struct {
        const char *name;
        struct jr_opt_bool in, out, back;
    } rows[] = {
        { "unset", { false, false }, { true, true }, { false, false } },
        { "false", { true, false }, { true, true }, { false, false } },
        { "true", { true, true }, { false, false }, { true, true } },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_opt_bool out = jr_convert_selection(rows[i].in);
        struct jr_opt_bool back = jr_convert_selection(out);

        if (out.set != rows[i].out.set || out.v != rows[i].out.v)
            fail_msg("%s: %d %d", rows[i].name, out.set, out.v);
        if (back.set != rows[i].back.set || back.v != rows[i].back.v)
            fail_msg("%s, back: %d %d", rows[i].name, back.set, back.v);
    }
}

static struct jr_doc *parse(const char *text)
{
    const struct jr_reader_opts opts = JR_READER_STRICT;
    struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };

    if (jr_doc_parse(jr_str(text), &opts, &doc, &err) != JR_OK)
        fail_msg("%s: %s", text, err.msg);
    return doc;
}

static void same(const char *name, struct jr_doc *got, const char *want)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, 65536);
    assert_int_equal(jr_node_print(jr_doc_root(got), &text), JR_OK);
    if (!jr_str_is(jr_buf_str(&text), want))
        fail_msg("%s:\n got %s\nwant %s", name, text.p, want);
}

#define OLD(kind) "\"apiVersion\":\"extensions/v1beta1\",\"kind\":\"" kind "\""
#define V1(kind) "\"apiVersion\":\"batch/v1\",\"kind\":\"" kind "\""
#define BETA(kind) "\"apiVersion\":\"batch/v1beta1\",\"kind\":\"" kind "\""
#define ALPHA(kind) "\"apiVersion\":\"batch/v2alpha1\",\"kind\":\"" kind "\""
#define LABELS "\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}}}"
#define BY_APP "\"selector\":{\"matchLabels\":{\"app\":\"x\"}}"

static void test_objects(void **state)
{
    static const struct {
        const char *name, *in;
        const char *out; /* NULL: left alone */
    } rows[] = {
        { "automatic", "{" OLD("Job") ",\"spec\":{\"autoSelector\":true," LABELS "}}",
          "{" V1("Job") ",\"spec\":{" LABELS "}}" },
        { "manual by default", "{" OLD("Job") ",\"spec\":{" BY_APP "," LABELS "}}",
          "{" V1("Job") ",\"spec\":{" BY_APP "," LABELS ",\"manualSelector\":true}}" },
        { "null is unset", "{" OLD("Job") ",\"spec\":{\"autoSelector\":null," BY_APP "}}",
          "{" V1("Job") ",\"spec\":{" BY_APP ",\"manualSelector\":true}}" },
        { "manual", "{" OLD("Job") ",\"spec\":{\"autoSelector\":false," BY_APP "}}",
          "{" V1("Job") ",\"spec\":{" BY_APP ",\"manualSelector\":true}}" },
        { "the template's labels select", "{" OLD("Job") ",\"spec\":{" LABELS "}}",
          "{" V1("Job") ",\"spec\":{" LABELS "," BY_APP ",\"manualSelector\":true}}" },
        { "a null selector too", "{" OLD("Job") ",\"spec\":{\"selector\":null," LABELS "}}",
          "{" V1("Job") ",\"spec\":{" BY_APP "," LABELS ",\"manualSelector\":true}}" },
        { "the pair agrees, automatic",
          "{" OLD("Job") ",\"spec\":{\"autoSelector\":true,\"manualSelector\":false}}",
          "{" V1("Job") ",\"spec\":{\"manualSelector\":false}}" },
        { "the pair agrees, manual",
          "{" OLD("Job") ",\"spec\":{\"manualSelector\":true," BY_APP "}}",
          "{" V1("Job") ",\"spec\":{\"manualSelector\":true," BY_APP "}}" },
        { "unknown members survive",
          "{" OLD("Job") ",\"x\":1,\"spec\":{\"autoSelector\":true,\"y\":[1.0]},\"status\":{}}",
          "{" V1("Job") ",\"x\":1,\"spec\":{\"y\":[1.0]},\"status\":{}}" },
        { "a Job of batch/v1beta1, where none was served",
          "{" BETA("Job") ",\"spec\":{" LABELS "}}", "{" V1("Job") ",\"spec\":{" LABELS "}}" },
        { "with autoSelector it is meant",
          "{" BETA("Job") ",\"spec\":{\"autoSelector\":false," LABELS "}}",
          "{" V1("Job") ",\"spec\":{" LABELS "," BY_APP ",\"manualSelector\":true}}" },
        { "a Job of batch/v2alpha1 had manualSelector",
          "{" ALPHA("Job") ",\"spec\":{\"manualSelector\":true," BY_APP "}}",
          "{" V1("Job") ",\"spec\":{\"manualSelector\":true," BY_APP "}}" },
        { "CronJob", "{" BETA("CronJob") ",\"spec\":{\"schedule\":\"@daily\"}}",
          "{" V1("CronJob") ",\"spec\":{\"schedule\":\"@daily\"}}" },
        { "an autoSelector was never known there",
          "{" ALPHA("CronJob") ",\"spec\":{\"jobTemplate\":{\"spec\":{\"autoSelector\":true}}}}",
          "{" V1("CronJob") ",\"spec\":{\"jobTemplate\":{\"spec\":{\"autoSelector\":true}}}}" },
        { "ScheduledJob", "{" ALPHA("ScheduledJob") "}", "{" V1("CronJob") "}" },
        { "JobList", "{" OLD("JobList") ",\"items\":[]}", "{" V1("JobList") ",\"items\":[]}" },
        { "ScheduledJobList", "{" ALPHA("ScheduledJobList") ",\"items\":[]}",
          "{" V1("CronJobList") ",\"items\":[]}" },
        { "new already", "{" V1("Job") ",\"spec\":{\"autoSelector\":true}}", NULL },
        { "another kind", "{" OLD("Deployment") ",\"spec\":{}}", NULL },
        { "another list", "{" OLD("DeploymentList") "}", NULL },
        { "List", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}", NULL },
        { "another group", "{\"apiVersion\":\"acme.io/v1beta1\",\"kind\":\"Job\"}", NULL },
        { "no object", "[1]", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(rows[i].in);
        struct jr_node *root = jr_doc_root(doc);
        struct jr_error err = { .status = JR_OK };
        bool was = false;

        if (jr_convert_to_v1(root, jr_get_str(root, "apiVersion"), jr_get_str(root, "kind"), &was,
                             NULL, &err) != JR_OK)
            fail_msg("%s: %s: %s", rows[i].name, err.path, err.msg);
        if (was != (rows[i].out != NULL))
            fail_msg("%s: %d", rows[i].name, was);
        same(rows[i].name, doc, was ? rows[i].out : rows[i].in);
        /* What is new is left alone. */
        assert_int_equal(jr_convert_to_v1(root, jr_get_str(root, "apiVersion"),
                                          jr_get_str(root, "kind"), &was, NULL, &err),
                         JR_OK);
        assert_false(was);
    }
}

static void test_items_take_version_and_kind_of_their_list(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse("{\"spec\":{\"autoSelector\":true}}");
    struct jr_error err = { .status = JR_OK };
    bool was = false;

    (void)state;
    assert_int_equal(jr_convert_to_v1(jr_doc_root(doc), JR_S("extensions/v1beta1"), JR_S("Job"),
                                      &was, NULL, &err),
                     JR_OK);
    assert_true(was);
    same("item", doc, "{\"spec\":{}}");
}

static void test_what_cannot_be_converted(void **state)
{
    static const struct {
        const char *in, *path, *part;
        enum jr_status status;
    } rows[] = {
        { "{" OLD("Job") "}", "spec.selector", "expected a selector", JR_NOTFOUND },
        { "{" OLD("Job") ",\"spec\":{\"template\":{\"metadata\":{\"labels\":{}}}}}",
          "spec.selector", "labels of the template", JR_NOTFOUND },
        { "{" BETA("Job") ",\"spec\":{\"autoSelector\":false}}", "spec.selector",
          "expected a selector", JR_NOTFOUND },
        { "{" OLD("Job") ",\"spec\":{\"manualSelector\":false," BY_APP "}}", "spec.manualSelector",
          "contradicts autoSelector, which is unset", JR_INVALID },
        { "{" OLD("Job") ",\"spec\":{\"manualSelector\":true,\"autoSelector\":true}}",
          "spec.manualSelector", "contradicts autoSelector, which is true", JR_INVALID },
        { "{" OLD("Job") ",\"spec\":{\"autoSelector\":\"true\"}}", "spec.autoSelector",
          "expected true or false", JR_TYPE },
        { "{" OLD("Job") ",\"spec\":{\"manualSelector\":1}}", "spec.manualSelector",
          "expected true or false", JR_TYPE },
        { "{" OLD("Job") ",\"spec\":[]}", "spec", "expected an object", JR_TYPE },
        { "{" OLD("Job") ",\"spec\":{\"selector\":\"app=x\"}}", "spec.selector",
          "expected an object", JR_TYPE },
        { "{" OLD("Job") ",\"spec\":{" BY_APP ",\"template\":[]}}", "spec.template",
          "expected an object", JR_TYPE },
        { "{" OLD("Job") ",\"spec\":{" BY_APP ",\"template\":{\"metadata\":1}}}",
          "spec.template.metadata", "expected an object", JR_TYPE },
        { "{" OLD("Job") ",\"spec\":{\"template\":{\"metadata\":{\"labels\":1}}}}",
          "spec.template.metadata.labels", "expected an object", JR_TYPE },
        { "{" ALPHA("JobTemplate") "}", "kind", "has no JobTemplate", JR_UNSUPPORTED },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(rows[i].in);
        struct jr_node *root = jr_doc_root(doc);
        struct jr_error err = { .status = JR_OK };
        bool was = false;
        const struct jr_field_path *at = NULL;
        enum jr_status st = jr_convert_to_v1(root, jr_get_str(root, "apiVersion"),
                                             jr_get_str(root, "kind"), &was, &at, &err);
        JR_BUF shown = { 0 };

        jr_buf_init(&shown, 4096);
        assert_int_equal(jr_field_path_write(at, &shown), JR_OK);
        assert_string_equal(shown.p, rows[i].path);
        if (st != rows[i].status || strcmp(err.path, rows[i].path) != 0 ||
            strstr(err.msg, rows[i].part) == NULL)
            fail_msg("%s: %d, %s: %s", rows[i].in, st, err.path, err.msg);
        same(rows[i].in, doc, rows[i].in);
    }
}

static void add_path(void *ctx, const struct jr_field_path *path)
{
    struct jr_buf *out = ctx;
    JR_BUF shown = { 0 };

    jr_buf_init(&shown, 4096);
    assert_int_equal(jr_field_path_write(path, &shown), JR_OK);
    assert_int_equal(jr_buf_addf(out, "%s\n", shown.p), JR_OK);
}

static void test_members_that_v1_does_not_know(void **state)
{
    static const struct {
        const char *kind, *in, *want;
    } rows[] = {
        { "Job", "{\"metadata\":{\"x\":1},\"spec\":{\"template\":{\"x\":1},\"suspend\":true}}",
          "" },
        { "Job", "{\"Spec\":1,\"spec\":{\"Suspend\":true,\"schedule\":\"\"}}",
          "Spec\nspec.Suspend\nspec.schedule\n" },
        { "CronJob",
          "{\"spec\":{\"schedule\":\"\",\"backoffLimit\":1,\"jobTemplate\":{\"status\":{},"
          "\"spec\":{\"backoffLimit\":1,\"autoSelector\":true}}}}",
          "spec.backoffLimit\nspec.jobTemplate.status\nspec.jobTemplate.spec.autoSelector\n" },
        { "ScheduledJob", "{\"spec\":{\"runPolicy\":1}}", "spec.runPolicy\n" },
        { "Job", "{\"spec\":[{\"x\":1}]}", "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(rows[i].in);
        JR_BUF got = { 0 };

        jr_buf_init(&got, 4096);
        jr_convert_unknown(jr_doc_root(doc), jr_str(rows[i].kind), add_path, &got);
        if (!jr_str_is(jr_buf_str(&got), rows[i].want))
            fail_msg("%s: got\n%.*s", rows[i].in, JR_P(jr_buf_str(&got)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_of_the_old_pair),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_items_take_version_and_kind_of_their_list),
        cmocka_unit_test(test_what_cannot_be_converted),
        cmocka_unit_test(test_members_that_v1_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
