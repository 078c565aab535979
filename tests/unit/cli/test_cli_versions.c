/* SPDX-License-Identifier: Apache-2.0 */
/* Several versions of Kubernetes at once: what all of them say is said once, the rest with those
 * that say it. */
#include "common/json/doc.h"
#include "tests/support/without_memory.h"
#include "tests/unit/cli/check_test.h"

#define HEAD "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\nspec:\n"
#define POD(more) \
    "  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]" more "}}\n"
#define ALIAS POD(", hostAliases: [{ip: 10.0.0.01}]")
#define LONG "a123456789a123456789a123456789a123456789a123456789a123456789a123"

/* Bits of 1.31 to 1.37. */
#define ALL 0x7fU
#define V(minor) (1U << ((minor)-JR_KUBE_OLDEST))

static struct jr_cli_profiles profiles_of(unsigned which)
{
    struct jr_cli_profiles profiles = { .n = 0 };

    for (unsigned i = 0; i < JR_KUBE_MINORS; i++) {
        if ((which >> i & 1) != 0)
            profiles.v[profiles.n++] = jr_profile_of(jr_kube_newest_patch(JR_KUBE_OLDEST + i));
    }
    return profiles;
}

/* ---- their words ---- */

static void test_words(void **state)
{
    static const struct {
        unsigned asked, which;
        const char *want;
    } rows[] = {
        { ALL, 0, "" },
        { ALL, 0x01, "1.31" },
        { ALL, 0x03, "1.31, 1.32" },
        { ALL, 0x07, "1.31 to 1.33" },
        { ALL, 0x7f, "1.31 to 1.37" },
        { ALL, 0x6f, "1.31 to 1.34, 1.36, 1.37" },
        { ALL, 0x55, "1.31, 1.33, 1.35, 1.37" },
        { 0x55, 0x0f, "1.31, 1.33, 1.35, 1.37" }, /* no range: what is between was not asked */
        { 0x5d, 0x1f, "1.31, 1.33 to 1.35, 1.37" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_cli_profiles profiles = profiles_of(rows[i].asked);
        const struct jr_versions versions = jr_versions_of(&profiles);
        JR_BUF out = { 0 };

        jr_buf_init(&out, 100);
        jr_versions_write(&versions, rows[i].which, &out);
        if (!jr_str_is(jr_buf_str(&out), rows[i].want))
            fail_msg("row %zu: %.*s, want %s", i, JR_P(jr_buf_str(&out)), rows[i].want);
    }
}

/* ---- findings ---- */

static const struct {
    const char *name;
    unsigned asked;
    const char *text;
    const char *want;    /* findings as text */
    const char *summary; /* behind "1 object in 1 file, by Kubernetes 1.31 to 1.37: " */
    struct jr_check_options options;
} rows[] = {
    { "all take it", ALL, HEAD POD(""), "", "0 errors, 0 warnings", { .strict = true } },
    { "all refuse it",
      ALL,
      HEAD "  parallelism: -1\n" POD(""),
      "f:5:16: spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n",
      "1 error, 0 warnings; 1 refused by 1.31 to 1.37",
      { .strict = true } },
    { "only an old one refuses it",
      V(33) | V(34) | V(37),
      HEAD "  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, "
           "restartPolicy: Never}]}}\n",
      "f:5:91: would be refused by 1.33: spec.template.spec.containers[0].restartPolicy: "
      "Forbidden: may not be set for non-init containers\n"
      "f:5:91: note: in 1.34: spec.template.spec.containers[0].restartPolicy: is dropped: a "
      "feature "
      "gate is off\n",
      "1 error, 0 warnings; 1 refused by 1.33",
      { .strict = true } },
    { "only new ones refuse it, others warn",
      ALL,
      HEAD ALIAS,
      "f:5:97: warning: in 1.33 to 1.35: spec.template.spec.hostAliases[0].ip: non-standard IP "
      "address \"10.0.0.01\" will be considered invalid in a future Kubernetes release: use "
      "\"10.0.0.1\"\n"
      "f:5:97: would be refused by 1.36, 1.37: spec.template.spec.hostAliases[0].ip: Invalid "
      "value: \"10.0.0.01\": must not have leading 0s\n",
      "1 error, 1 warning; 1 refused by 1.36, 1.37",
      { .strict = true } },
    { "warnings as errors refuse nothing",
      V(34) | V(36),
      HEAD ALIAS,
      "f:5:97: in 1.34: spec.template.spec.hostAliases[0].ip: non-standard IP address "
      "\"10.0.0.01\" will be considered invalid in a future Kubernetes release: use "
      "\"10.0.0.1\"\n"
      "f:5:97: would be refused by 1.36: spec.template.spec.hostAliases[0].ip: Invalid value: "
      "\"10.0.0.01\": must not have leading 0s\n",
      "2 errors, 0 warnings; 1 refused by 1.36",
      { .warnings_as_errors = true } },
    { "two wordings",
      ALL,
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi, labels: {a: " LONG
      "}}\nspec:\n" POD(""),
      "f:3:34: would be refused by 1.31 to 1.34: metadata.labels: Invalid value: \"" LONG
      "\": must be no more than 63 characters\n"
      "f:3:34: would be refused by 1.35 to 1.37: metadata.labels: Invalid value: \"" LONG
      "\": must be no more than 63 bytes\n",
      "2 errors, 0 warnings; 1 refused by 1.31 to 1.37",
      { .strict = true } },
    { "a field that none knows, and one of 1.34",
      ALL,
      HEAD "  paralelism: 1\n" POD(", hostnameOverride: a"),
      "f:5:15: warning: spec.paralelism: unknown field \"spec.paralelism\" (did you mean "
      "\"parallelism\"?)\n"
      "f:6:96: warning: in 1.31 to 1.33: spec.template.spec.hostnameOverride: unknown field "
      "\"spec.template.spec.hostnameOverride\"\n"
      "f:6:96: note: in 1.34: spec.template.spec.hostnameOverride: is dropped: the feature gate "
      "HostnameOverride is off\n",
      "0 errors, 2 warnings",
      { .strict = false } },
    { "the same of strict servers",
      V(33) | V(34),
      HEAD POD(", hostnameOverride: a"),
      "f:5:96: would be refused by 1.33: spec.template.spec.hostnameOverride: unknown field "
      "\"spec.template.spec.hostnameOverride\"\n"
      "f:5:96: note: in 1.34: spec.template.spec.hostnameOverride: is dropped: the feature gate "
      "HostnameOverride is off\n",
      "1 error, 0 warnings; 1 refused by 1.33",
      { .strict = true } },
    { "what some versions find stands where they find it",
      V(33) | V(37),
      HEAD "  parallelism: -1\n  template: {spec: {restartPolicy: Never, hostnameOverride: a, "
           "containers: [{name: C, image: i, restartPolicy: Never}]}}\n",
      "f:6:61: warning: in 1.33: spec.template.spec.hostnameOverride: unknown field "
      "\"spec.template.spec.hostnameOverride\"\n"
      "f:5:16: spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n"
      "f:6:84: spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 "
      "label must consist of lower case alphanumeric characters or '-', and must start and end "
      "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation "
      "is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
      "f:6:112: would be refused by 1.33: spec.template.spec.containers[0].restartPolicy: "
      "Forbidden: may not be set for non-init containers\n",
      "3 errors, 1 warning; 1 refused by 1.33, 1.37",
      { .strict = false } },
    { "no version knows the kind",
      ALL,
      "apiVersion: batch/v1beta1\nkind: CronJob\n",
      "f:1:13: apiVersion: no matches for kind \"CronJob\" in version \"batch/v1beta1\" (it is "
      "batch/v1)\n",
      "1 error, 0 warnings; 1 refused by 1.31 to 1.37",
      { .strict = true } },
    { "a field's type, where the field is known",
      V(33) | V(34),
      HEAD POD(", hostnameOverride: 1"),
      "f:5:96: warning: in 1.33: spec.template.spec.hostnameOverride: unknown field "
      "\"spec.template.spec.hostnameOverride\"\n"
      "f:5:96: would be refused by 1.34: spec.template.spec.hostnameOverride: Job in version "
      "\"v1\" cannot be handled as a Job: json: cannot unmarshal number into Go struct field "
      "PodSpec.spec.template.spec.hostnameOverride of type string\n",
      "1 error, 1 warning; 1 refused by 1.34",
      { .strict = false } },
};

static void want(const char *name, struct jr_str have, const char *want)
{
    if (!jr_str_is(have, want))
        fail_msg("%s: have\n%.*s\nwant\n%s", name, JR_P(have), want);
}

static void test_findings(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_check_options options = rows[i].options;
        REPORT r = { .failed = JR_OK };
        JR_BUF summary = { 0 };
        struct jr_str rest;

        options.profiles = profiles_of(rows[i].asked);
        check_text(&r, rows[i].text, options);
        JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, JR_OUTPUT_TEXT);
        want(rows[i].name, jr_buf_str(&out), rows[i].want);
        jr_buf_init(&summary, 1000);
        jr_output_summary(&r, &summary);
        rest = jr_buf_str(&summary);
        assert_true(jr_str_starts(rest, JR_S("1 object in 1 file, by Kubernetes 1.3")));
        rest = jr_str_from(rest, (size_t)jr_str_find(rest, ':') + 2);
        want(rows[i].name, jr_str_head(rest, rest.n - 1), rows[i].summary);
        assert_int_equal(jr_report_exit_code(&r), r.errors > 0);
    }
}

/* Each version is asked with the manifest as it was written: what one has changed in its copy isn't
 * seen by the others, nor in what all come to. */
static void test_versions_are_as_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_cli_profiles profiles = profiles_of(rows[i].asked);
        struct jr_check_options options = rows[i].options;
        REPORT all = { .failed = JR_OK };

        options.profiles = profiles;
        check_text(&all, rows[i].text, options);
        for (size_t k = 0; k < profiles.n; k++) {
            const struct jr_checked *o = &all.objects.v[0];
            REPORT one = { .failed = JR_OK };
            size_t n = 0;

            options.profiles = jr_cli_profiles_of_one(profiles.v[k]);
            check_text(&one, rows[i].text, options);
            for (size_t f = 0; f < o->n; f++) {
                if ((o->v[f].versions >> k & 1) == 0)
                    continue;
                assert_true(n < one.objects.v[0].n);
                want(rows[i].name, o->v[f].message, one.objects.v[0].v[n++].message.p);
            }
            assert_int_equal(n, one.objects.v[0].n);
        }
    }
}

/* ---- other formats ---- */

static void check_alias(struct jr_report *r)
{
    check_text(r, HEAD ALIAS "---\n" HEAD "  parallelism: -1\n" POD(""),
               (struct jr_check_options){ .profiles = profiles_of(V(35) | V(36) | V(37)) });
}

static struct jr_doc *parsed(const struct jr_report *r, enum jr_output_format format)
{
    JR_CLEANUP(jr_buf_done) struct jr_buf out = written(r, format);
    struct jr_doc *doc = NULL;

    assert_int_equal(jr_doc_parse(jr_buf_str(&out), &JR_READER_STRICT, &doc, NULL), JR_OK);
    return doc;
}

/** n: an object with "kubernetesVersions", or without, as text. */
static void want_versions(const struct jr_node *n, const char *text)
{
    const struct jr_node *v = jr_get(n, "kubernetesVersions");
    JR_BUF have = { 0 };

    jr_buf_init(&have, 1000);
    assert_int_equal(v == NULL ? jr_buf_adds(&have, "none") : jr_node_print(v, &have), JR_OK);
    want("kubernetesVersions", jr_buf_str(&have), text);
}

static void test_json(void **state)
{
    REPORT r = { .failed = JR_OK };
    const struct jr_node *o, *f;

    (void)state;
    check_alias(&r);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_JSON);
    want_versions(jr_doc_root(doc), "[\"1.35\",\"1.36\",\"1.37\"]");
    o = jr_first(jr_get(jr_doc_root(doc), "objects"));
    assert_null(jr_get(o, "answer"));
    assert_int_equal(jr_size(jr_get(o, "answers")), 1);
    want_versions(jr_first(jr_get(o, "answers")), "[\"1.36\",\"1.37\"]");
    assert_int_equal(jr_node_i64_or(jr_get(jr_first(jr_get(o, "answers")), "code"), 0), 422);
    f = jr_first(jr_get(o, "findings"));
    want_versions(f, "[\"1.35\"]");
    want_versions(jr_next(f), "[\"1.36\",\"1.37\"]");
    want("message", jr_get_str(jr_next(f), "message"),
         "Invalid value: \"10.0.0.01\": must not have leading 0s");
    o = jr_next(o);
    assert_null(jr_get(o, "answers"));
    want_versions(jr_get(o, "answer"), "none");
    want_versions(jr_first(jr_get(o, "findings")), "none");
}

static void test_sarif(void **state)
{
    REPORT r = { .failed = JR_OK };
    const struct jr_node *run, *result;

    (void)state;
    check_alias(&r);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parsed(&r, JR_OUTPUT_SARIF);
    run = jr_first(jr_get(jr_doc_root(doc), "runs"));
    want_versions(jr_get(run, "properties"), "[\"1.35\",\"1.36\",\"1.37\"]");
    result = jr_first(jr_get(run, "results"));
    want_versions(jr_get(result, "properties"), "[\"1.35\"]");
    result = jr_next(result);
    want_versions(jr_get(result, "properties"), "[\"1.36\",\"1.37\"]");
    want("text", jr_node_str(jr_path(result, "message.text")),
         "would be refused by 1.36, 1.37: spec.template.spec.hostAliases[0].ip: Invalid value: "
         "\"10.0.0.01\": must not have leading 0s");
    assert_null(jr_get(jr_next(result), "properties"));
}

static void test_lines(void **state)
{
    static const struct {
        enum jr_output_format format;
        const char *warning, *error;
    } formats[] = {
        { JR_OUTPUT_GITHUB,
          "::warning file=f,line=5,col=97,title=Job pi::in 1.35: spec.template.spec.hostAliases",
          "::error file=f,line=5,col=97,title=Job pi::would be refused by 1.36, 1.37: spec." },
        { JR_OUTPUT_JUNIT, "f:5:97: warning: in 1.35: spec.template.spec.hostAliases",
          "f:5:97: would be refused by 1.36, 1.37: spec.template" },
    };
    REPORT r = { .failed = JR_OK };

    (void)state;
    check_alias(&r);
    for (size_t i = 0; i < JR_ARRAY_SIZE(formats); i++) {
        JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, formats[i].format);

        if (strstr(out.p, formats[i].warning) == NULL || strstr(out.p, formats[i].error) == NULL)
            fail_msg("%s", out.p);
        assert_non_null(strstr(out.p, "spec.parallelism: Invalid value: -1: must be"));
    }
}

/* ---- what is told once ---- */

static void count_taken(void *ctx, const struct jr_checked *o, const struct jr_admission_request *r)
{
    unsigned *minors = ctx;

    (void)o;
    *minors = *minors * 100 + r->profile->version.minor;
}

static void test_the_newest_is_taken(void **state)
{
    unsigned minors = 0;
    const struct jr_check_options options = { .profiles = profiles_of(ALL),
                                              .taken = count_taken,
                                              .taken_ctx = &minors };
    REPORT r = { .failed = JR_OK };
    REPORT refused = { .failed = JR_OK };

    (void)state;
    check_text(&r, HEAD POD(""), options);
    assert_int_equal(minors, 37);
    check_text(&refused, HEAD ALIAS, options);
    assert_int_equal(minors, 37);
}

/* An old object that can't be one is told of once. */
static void test_unreadable_once(void **state)
{
    JR_CLEANUP(jr_existing_done) struct jr_existing existing = { .v = NULL };
    REPORT r = { .failed = JR_OK };

    (void)state;
    assert_int_equal(jr_existing_read(&existing, JR_S(HEAD "  suspend: x\n"), NULL), JR_OK);
    check_text(&r, HEAD POD(""),
               (struct jr_check_options){ .profiles = profiles_of(ALL), .existing = &existing });
    assert_int_equal(r.unreadable.n, 1);
}

/* ---- bounds ---- */

/* The list of findings is joined without comparing each with each. */
static void test_many_findings(void **state)
{
    REPORT r = { .failed = JR_OK };
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, 1 << 24);
    (void)jr_buf_adds(&text, "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\n  labels:\n");
    for (int i = 0; i < 5000; i++)
        (void)jr_buf_addf(&text, "    a%d: " LONG "\n", i);
    (void)jr_buf_adds(&text, "spec:\n" POD(""));
    check_text(&r, text.p, (struct jr_check_options){ .profiles = profiles_of(V(34) | V(35)) });
    assert_int_equal(r.objects.v[0].n, 10000);
    assert_int_equal(r.errors, 10000);
}

static void check_one_row(void *ctx)
{
    const size_t *errors = ctx;
    REPORT r = { .failed = JR_OK };

    check_text(&r, rows[3].text,
               (struct jr_check_options){ .profiles = profiles_of(V(35) | V(36)) });
    for (int i = 0; i < JR_OUTPUT_COUNT; i++) {
        JR_CLEANUP(jr_buf_done) struct jr_buf out = written(&r, (enum jr_output_format)i);

        assert_true(out.n > 0);
    }
    assert_int_equal(r.errors, *errors);
}

static void test_memory(void **state)
{
    size_t errors = 1;

    (void)state;
    assert_true(jr_each_without_memory(check_one_row, &errors) > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_versions_are_as_alone),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_sarif),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_the_newest_is_taken),
        cmocka_unit_test(test_unreadable_once),
        cmocka_unit_test(test_many_findings),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
