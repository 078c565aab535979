/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/show.h"
#include "common/base/utf8.h"
#include "common/json/doc.h"
#include "tests/unit/cli/check_test.h"

#define HEAD "apiVersion: batch/v1\nkind: Job\n"
#define TEMPLATE "  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}\n"

/* An error, a warning, something fine, something of another kind, something unreadable. */
static const char text[] = HEAD "metadata: {name: \"a.b\", namespace: n}\nspec:\n\tx";
static const char mixed[] = HEAD
    "metadata: {name: pi, labels: {a: \"<&%,:\"}}\nspec:\n  parallelism: -1\n  zz: 1\n" TEMPLATE
    "---\n" HEAD "metadata: {generateName: x-}\nspec:\n" TEMPLATE "---\nkind: Pod\n---\n"
    "{apiVersion: v1, kind: List, items: [{apiVersion: batch/v1beta1, kind: Job}]}\n---\n[\n";

static struct jr_doc *parsed(const struct jr_report *r, enum jr_output_format format)
{
    JR_CLEANUP(jr_buf_done) struct jr_buf out = written(r, format);
    struct jr_doc *doc = NULL;

    assert_int_equal(jr_doc_parse(jr_buf_str(&out), &JR_READER_STRICT, &doc, NULL), JR_OK);
    return doc;
}

static void want_str(const struct jr_node *n, const char *path, const char *want)
{
    struct jr_str have = jr_node_str(jr_path(n, path));

    if (!jr_str_is(have, want))
        fail_msg("%s: %.*s, want %s", path, JR_P(have), want);
}

static void want_int(const struct jr_node *n, const char *path, int64_t want)
{
    int64_t have = jr_node_i64_or(jr_path(n, path), -1);

    if (have != want)
        fail_msg("%s: %lld, want %lld", path, (long long)have, (long long)want);
}

static void test_json(void **state)
{
    REPORT r = { .failed = JR_OK };
    const struct jr_node *o, *f;

    (void)state;
    check_text(&r, mixed, (struct jr_check_options){ .strict = false });
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_JSON);
    const struct jr_node *root = jr_doc_root(doc);

    want_int(root, "version", 1);
    want_int(root, "summary.files", 1);
    want_int(root, "summary.objects", 3);
    want_int(root, "summary.others", 1);
    want_int(root, "summary.errors", 3);
    want_int(root, "summary.warnings", 1);
    want_int(root, "summary.unreadable", 1);
    o = jr_first(jr_get(root, "objects"));
    want_str(o, "file", "f");
    want_int(o, "document", 1);
    want_int(o, "line", 1);
    want_int(o, "column", 1);
    want_str(o, "apiVersion", "batch/v1");
    want_str(o, "kind", "Job");
    want_str(o, "namespace", "default");
    want_str(o, "name", "pi");
    want_str(o, "operation", "create");
    want_int(o, "answer.code", 422);
    want_str(o, "answer.reason", "Invalid");
    assert_true(jr_str_starts(jr_node_str(jr_path(o, "answer.message")),
                              JR_S("Job.batch \"pi\" is invalid: [metadata.labels: ")));
    assert_int_equal(jr_size(jr_get(o, "findings")), 3);
    f = jr_first(jr_get(o, "findings"));
    want_str(f, "level", "warning");
    want_str(f, "type", "UnknownField");
    f = jr_next(jr_next(f));
    want_str(f, "level", "error");
    want_int(f, "line", 5);
    want_int(f, "column", 16);
    want_str(f, "type", "FieldValueInvalid");
    want_str(f, "field", "spec.parallelism");
    want_str(f, "value", "-1");
    want_str(f, "detail", "must be greater than or equal to 0");
    want_str(f, "message", "Invalid value: -1: must be greater than or equal to 0");
    want_str(f, "rule", "parallelism-negative");
    o = jr_next(o);
    want_str(o, "generateName", "x-");
    assert_null(jr_get(o, "answer"));
    assert_int_equal(jr_size(jr_get(o, "findings")), 0);
    o = jr_next(o);
    want_str(o, "path", "items[0]");
    want_int(o, "document", 4);
    f = jr_first(jr_get(root, "unreadable"));
    want_str(f, "file", "f");
    assert_true(jr_node_i64_or(jr_get(f, "line"), 0) > 0);
}

static void test_json_of_a_warning(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(&r, HEAD "metadata: {name: a.b}\nspec:\n" TEMPLATE,
               (struct jr_check_options){ .strict = false });
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_JSON);
    const struct jr_node *f =
        jr_first(jr_get(jr_first(jr_get(jr_doc_root(doc), "objects")), "findings"));

    want_str(f, "level", "warning");
    want_str(f, "type", "Warning");
    want_str(f, "field", "metadata.name");
    assert_true(jr_str_starts(jr_get_str(f, "message"), JR_S("metadata.name: this is used in")));
    assert_true(jr_str_starts(jr_get_str(f, "detail"), JR_S("this is used in")));
}

static void test_json_of_a_wrong_type(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(&r, HEAD "metadata: {name: x}\nspec: []\n",
               (struct jr_check_options){ .strict = false });
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_JSON);
    const struct jr_node *o = jr_first(jr_get(jr_doc_root(doc), "objects"));

    want_int(o, "answer.code", 400);
    want_str(o, "answer.reason", "BadRequest");
    want_str(jr_first(jr_get(o, "findings")), "type", "BadRequest");
    want_str(jr_first(jr_get(o, "findings")), "field", "spec");
    want_str(jr_first(jr_get(o, "findings")), "detail",
             "json: cannot unmarshal array into Go struct field Job.spec of type v1.JobSpec");
}

static void test_a_strict_server_answers_400(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(
        &r, HEAD "metadata: {name: x}\nspec:\n  a: 1\n  suspend: true\n  suspend: true\n" TEMPLATE,
        (struct jr_check_options){ .strict = true });
    assert_int_equal(r.objects.v[0].answers.v[0].code, 400);
    assert_string_equal(r.objects.v[0].answers.v[0].message.p,
                        "Job in version \"v1\" cannot be handled as a Job: strict decoding error: "
                        "unknown field \"spec.a\", duplicate field \"spec.suspend\"");
}

static void test_sarif(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(&r, mixed, (struct jr_check_options){ .strict = false });
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_SARIF);
    const struct jr_node *root = jr_doc_root(doc), *run = jr_first(jr_get(root, "runs"));
    const struct jr_node *rules = jr_path(run, "tool.driver.rules");
    const struct jr_node *result = jr_first(jr_get(run, "results"));

    want_str(root, "version", "2.1.0");
    want_str(run, "columnKind", "unicodeCodePoints");
    assert_true(jr_size(rules) > 190);
    for (const struct jr_node *rule = jr_first(rules); rule != NULL; rule = jr_next(rule)) {
        assert_true(jr_get_str(rule, "id").n > 0);
        assert_true(jr_node_str(jr_path(rule, "shortDescription.text")).n > 0);
    }
    assert_int_equal(jr_size(jr_get(run, "results")), 4);
    for (; result != NULL; result = jr_next(result)) {
        int64_t index = jr_node_i64_or(jr_get(result, "ruleIndex"), -1);
        const struct jr_node *rule = jr_at(rules, (size_t)index);

        assert_true(index >= 0);
        assert_true(jr_str_eq(jr_get_str(rule, "id"), jr_get_str(result, "ruleId")));
    }
    result = jr_next(jr_next(jr_first(jr_get(run, "results"))));
    want_str(result, "ruleId", "parallelism-negative");
    want_str(result, "level", "error");
    want_str(result, "message.text",
             "spec.parallelism: Invalid value: -1: must be greater than or equal to 0");
    result = jr_first(jr_get(result, "locations"));
    want_str(result, "physicalLocation.artifactLocation.uri", "f");
    want_int(result, "physicalLocation.region.startLine", 5);
    want_int(result, "physicalLocation.region.startColumn", 16);
    want_str(jr_first(jr_get(result, "logicalLocations")), "fullyQualifiedName",
             "spec.parallelism");
    run = jr_first(jr_get(run, "invocations"));
    assert_int_equal(jr_node_kind(jr_get(run, "executionSuccessful")), JR_FALSE);
    assert_int_equal(jr_size(jr_get(run, "toolExecutionNotifications")), 1);
}

static void test_sarif_uris(void **state)
{
    static const struct {
        const char *file;
        const char *uri;
    } rows[] = {
        { "a/b-1.yaml", "a/b-1.yaml" },
        { "/a b/\xc3\xa9%", "file:///a%20b/%C3%A9%25" },
        { "c:x?#", "c%3Ax%3F%23" },
        { "-", "-" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_check_options options = { .profiles = jr_cli_profiles_of_one(
                                                      jr_profile_default()) };
        REPORT r = { .failed = JR_OK };

        jr_report_init(&r, 1 << 20);
        jr_check_text(&r, jr_str(rows[i].file), JR_S(HEAD), &options);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_SARIF);
        const struct jr_node *run = jr_first(jr_get(jr_doc_root(doc), "runs"));
        const struct jr_node *result = jr_first(jr_get(run, "results"));

        want_str(jr_first(jr_get(result, "locations")), "physicalLocation.artifactLocation.uri",
                 rows[i].uri);
    }
}

#define VALUE                                                                                   \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or " \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "          \
    "'my_value',  or '12345', regex used for validation is "                                    \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

static void test_junit(void **state)
{
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_text(&r, mixed, (struct jr_check_options){ .strict = false });
    JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_JUNIT);
    const char *want =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"jobreeve check\" tests=\"4\" failures=\"2\" errors=\"1\">\n"
        "  <testsuite name=\"f\" tests=\"3\" failures=\"2\" errors=\"0\">\n"
        "    <testcase classname=\"f\" name=\"Job default/pi\">\n"
        "      <failure type=\"invalid\" message=\"2 errors\">f:3:34: metadata.labels: Invalid "
        "value: &quot;&lt;&amp;%,:&quot;: " VALUE "\n"
        "f:5:16: spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n"
        "</failure>\n"
        "      <system-out>f:6:7: warning: spec.zz: unknown field &quot;spec.zz&quot;\n"
        "</system-out>\n"
        "    </testcase>\n"
        "    <testcase classname=\"f\" name=\"Job default/x-* (document 2)\"/>\n"
        "    <testcase classname=\"f\" name=\"Job default/ (document 4, items[0])\">\n"
        "      <failure type=\"invalid\" message=\"1 error\">f:17:51: apiVersion: no matches for "
        "kind &quot;Job&quot; in version &quot;batch/v1beta1&quot; (it is batch/v1)\n"
        "</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"unreadable\" tests=\"1\" failures=\"0\" errors=\"1\">\n";

    if (!jr_str_starts(jr_buf_str(&out), jr_str(want)))
        fail_msg("have\n%s\nwant\n%s", out.p, want);
    assert_true(jr_str_ends(jr_buf_str(&out), JR_S("</testsuites>\n")));
}

static void test_github(void **state)
{
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_default()) };
    REPORT r = { .failed = JR_OK };

    (void)state;
    jr_report_init(&r, 1 << 20);
    jr_check_text(&r, JR_S("a,b:c\n%"), jr_str(mixed), &options);
    JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_GITHUB);
    const char *want =
        "::warning file=a%2Cb%3Ac%0A%25,line=6,col=7,title=Job pi::spec.zz: unknown field "
        "\"spec.zz\"\n"
        "::error file=a%2Cb%3Ac%0A%25,line=3,col=34,title=Job pi::metadata.labels: Invalid value: "
        "\"<&%25,:\": " VALUE "\n"
        "::error file=a%2Cb%3Ac%0A%25,line=5,col=16,title=Job pi::spec.parallelism: Invalid value: "
        "-1: must be greater than or equal to 0\n"
        "::error file=a%2Cb%3Ac%0A%25,line=17,col=51,title=Job::apiVersion: no matches for kind "
        "\"Job\" in version \"batch/v1beta1\" (it is batch/v1)\n"
        "::error file=a%2Cb%3Ac%0A%25,line=20,col=1::";

    if (!jr_str_starts(jr_buf_str(&out), jr_str(want)))
        fail_msg("have\n%s\nwant\n%s", out.p, want);
}

/* No output has a hidden character as it is, wherever it came from: the name of the file, names,
 * keys, values. A manifest in JSON may have all but the C0 controls literally. */
static void test_nothing_hidden(void **state)
{
#define EVIL "\x7f\xc2\x9b\u061c\u2060\u202e\U000e0041"
    static const char evil[] =
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"n\\u001b[2J" EVIL
        "\",\"namespace\":\"" EVIL "\"},\"spec\":{\"k\\u001b" EVIL "\":1,\"template\":{\"spec\":"
        "{\"restartPolicy\":\"\\u001b" EVIL
        "\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"
        "\n{\"apiVersion\":\"batch/v0" EVIL "\",\"kind\":\"Job" EVIL "\"}\n";
    const struct jr_check_options options = { .profiles =
                                                  jr_cli_profiles_of_one(jr_profile_default()) };

    (void)state;
    for (int format = 0; format < JR_OUTPUT_COUNT; format++) {
        REPORT r = { .failed = JR_OK };

        jr_report_init(&r, 1 << 20);
        jr_check_text(&r, JR_S("f\x1b" EVIL), jr_str(evil), &options);
        JR_CLEANUP(jr_buf_done)
        struct jr_buf out = written(&r, (enum jr_output_format)format);
        struct jr_str s = jr_buf_str(&out);

        assert_true(s.n > 500); /* there is something to look at */
        while (s.n > 0) {
            uint32_t c;
            bool bad;
            size_t n = jr_utf8_next(s, &c, &bad);

            if (bad || (c != '\n' && jr_is_hidden(c)))
                fail_msg("%s: U+%04X: %s", jr_output_name((enum jr_output_format)format),
                         (unsigned)c, out.p);
            s = jr_str_from(s, n);
        }
    }
}

static void test_sources_and_colors(void **state)
{
    static const struct {
        const char *text;
        const char *want;
        struct jr_output_style style;
    } rows[] = {
        { HEAD "metadata: {name: pi}\nspec:\n  zz: 1\r\n" TEMPLATE,
          "f:5:7: warning: spec.zz: unknown field \"spec.zz\"\n    5 |   zz: 1\n      |       ^\n",
          { .source = true } },
        { "{\"apiVersion\":\"batch/"
          "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\"},\"spec\":{\n"
          "\t\"\u00e9\":\t1,\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{"
          "\"name\":\"c\",\"image\":\"i\"}]}}}}",
          "f:2:7: warning: spec.\u00e9: unknown field \"spec.\u00e9\"\n    2 | \t\"\u00e9\":\t1,"
          "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
          "\"image\":\"i\"}]}}}}\n      | \t    \t^\n",
          { .source = true } },
        { HEAD "metadata: {name: pi}\nspec:\n  zz: 1\n" TEMPLATE,
          "\x1b[1mf:5:7:\x1b[0m \x1b[1;33mwarning:\x1b[0m \x1b[36mspec.zz:\x1b[0m unknown field "
          "\"spec.zz\"\n    5 |   zz: 1\n      |       \x1b[1;31m^\x1b[0m\n",
          { .source = true, .color = true } },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        REPORT r = { .failed = JR_OK };
        JR_BUF out = { 0 };

        jr_buf_init(&out, 10000);
        check_text(&r, rows[i].text, (struct jr_check_options){ .strict = false });
        jr_output_text(&r, &rows[i].style, &out);
        if (!jr_str_is(jr_buf_str(&out), rows[i].want))
            fail_msg("have\n%s\nwant\n%s", out.p, rows[i].want);
    }
}

/* Of a line of a megabyte only what is around the column is kept. */
static void test_a_long_line(void **state)
{
    REPORT r = { .failed = JR_OK };
    JR_BUF in = { 0 };
    int shown = 0;

    (void)state;
    jr_buf_init(&in, 1 << 21);
    (void)jr_buf_adds(
        &in, "{\"yy\":1,\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":"
             "\"x\",\"annotations\":{\"a\":\"");
    for (int i = 0; i < 200000; i++)
        (void)jr_buf_adds(&in, "\xc3\xa9");
    (void)jr_buf_adds(&in, "\"}},\"zz\":1}");
    check_text(&r, in.p, (struct jr_check_options){ .strict = false });
    for (size_t i = 0; i < r.objects.v[0].n; i++) {
        const struct jr_finding *f = &r.objects.v[0].v[i];
        const bool last = jr_str_is(f->field, "zz");

        shown += last || jr_str_is(f->field, "yy");
        assert_true(f->source.n < 400);
        assert_int_equal(f->caret, f->column > 80 ? 80 : f->column - 1);
        if (last)
            assert_true(jr_str_ends(f->source, JR_S("\xc3\xa9\"}},\"zz\":1}")));
    }
    assert_int_equal(shown, 2);
    assert_true(r.arena.used < 100000);
}

static void test_names_and_the_summary(void **state)
{
    REPORT r = { .failed = JR_OK };
    JR_BUF out = { 0 };

    (void)state;
    for (int i = 0; i < JR_OUTPUT_COUNT; i++)
        assert_int_equal(jr_output_find(jr_str(jr_output_name((enum jr_output_format)i))), i);
    assert_int_equal(jr_output_find(JR_S("xml")), JR_OUTPUT_COUNT);
    jr_buf_init(&out, 1000);
    check_text(&r, text, (struct jr_check_options){ .strict = false });
    jr_output_summary(&r, &out);
    assert_string_equal(out.p, "0 objects in 1 file: 0 errors, 0 warnings; 1 unreadable\n");
    jr_buf_reset(&out);
    jr_output_unreadable(&r.unreadable.v[0], &out);
    assert_true(jr_str_starts(jr_buf_str(&out), JR_S("f:5:1: found character")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_of_a_warning),
        cmocka_unit_test(test_json_of_a_wrong_type),
        cmocka_unit_test(test_a_strict_server_answers_400),
        cmocka_unit_test(test_sarif),
        cmocka_unit_test(test_sarif_uris),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_github),
        cmocka_unit_test(test_nothing_hidden),
        cmocka_unit_test(test_sources_and_colors),
        cmocka_unit_test(test_a_long_line),
        cmocka_unit_test(test_names_and_the_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
