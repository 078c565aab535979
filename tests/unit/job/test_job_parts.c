/* SPDX-License-Identifier: Apache-2.0 */
/* The small parts: names, selectors, quantities, images, profiles. */
#include "common/pod/image.h"
#include "common/rules/names.h"
#include "common/rules/selector.h"
#include "common/schema/quantity.h"
#include "tests/support/failalloc.h"
#include "tests/unit/job/job_test.h"

#define L63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L253 L63 "." L63 "." L63 "." L63 ".a"

static void names(void **state)
{
    static const struct {
        const char *kind;
        struct jr_name_errors (*check)(struct jr_str s);
        const char *text;
        size_t faults;
        const char *first; /* how the first one begins */
    } rows[] = {
        { "subdomain", jr_name_subdomain, "a", 0, NULL },
        { "subdomain", jr_name_subdomain, "a-1.b--c", 0, NULL },
        { "subdomain", jr_name_subdomain, L63 L63 L63 L63 "a", 0, NULL },
        { "subdomain", jr_name_subdomain, L63 L63 L63 L63 "aa", 1, "must be no more than 253 ch" },
        { "subdomain", jr_name_subdomain, "", 1, "a lowercase RFC 1123 subdomain" },
        { "subdomain", jr_name_subdomain, ".a", 1, "a lowercase RFC 1123 subdomain" },
        { "subdomain", jr_name_subdomain, "a.", 1, "a lowercase RFC 1123 subdomain" },
        { "subdomain", jr_name_subdomain, "a..b", 1, "a lowercase RFC 1123 subdomain" },
        { "subdomain", jr_name_subdomain, "a-.b", 1, "a lowercase RFC 1123 subdomain" },
        { "subdomain", jr_name_subdomain, "a\n", 1, "a lowercase RFC 1123 subdomain" },
        { "label", jr_name_dns_label, L63, 0, NULL },
        { "label", jr_name_dns_label, L63 "a", 1, "must be no more than 63 characters" },
        { "label", jr_name_dns_label, "a.b", 1, "must not contain dots" },
        { "label", jr_name_dns_label, L63 ".a", 2, "must be no more than 63 characters" },
        { "label", jr_name_dns_label, "A", 1, "a lowercase RFC 1123 label" },
        { "value", jr_name_label_value, "", 0, NULL },
        { "value", jr_name_label_value, "a_B.c-1", 0, NULL },
        { "value", jr_name_label_value, "-a", 1, "a valid label must be" },
        { "value", jr_name_label_value, L63 "a", 1, "must be no more than 63 bytes" },
        { "value", jr_name_label_value, L63 "-", 2, "must be no more than 63 bytes" },
        { "key", jr_name_key, "a_B.c", 0, NULL },
        { "key", jr_name_key, "x.io/a_B.c", 0, NULL },
        { "key", jr_name_key, "/a", 1, "prefix part must be non-empty" },
        { "key", jr_name_key, "x_/a", 1, "prefix part a lowercase RFC 1123 subdomain" },
        { "key", jr_name_key, "x.io/", 2, "name part must be non-empty" },
        { "key", jr_name_key, "", 2, "name part must be non-empty" },
        { "key", jr_name_key, "/", 3, "prefix part must be non-empty" },
        { "key", jr_name_key, "a/b/c", 1, "a valid label key must consist of" },
        { "key", jr_name_key, L63 "a", 1, "name part must be no more than 63 bytes" },
        { "key", jr_name_key, L253 "a." L63 "/" L63 "a-", 3,
          "prefix part must be no more than 253 bytes" },
        { "port", jr_name_port, "http-2", 0, NULL },
        { "port", jr_name_port, "a123456789012345", 1, "must be no more than 15 characters" },
        { "port", jr_name_port, "80", 1, "must contain at least one letter" },
        { "port", jr_name_port, "-A--", 4, "must contain only alpha-numeric" },
        { "port", jr_name_port, "--_-------------", 5, "must be no more than 15 characters" },
        { "env", jr_name_env, "A b.c-$(X)", 0, NULL },
        { "env", jr_name_env, "A=b", 1, "a valid environment variable name" },
        { "env", jr_name_env, "\xc3\xa9", 1, "a valid environment variable name" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_name_errors f = rows[i].check(jr_str(rows[i].text));
        JR_BUF name = { 0 };

        jr_buf_init(&name, 4096);
        (void)jr_buf_addf(&name, "%s \"%s\"", rows[i].kind, rows[i].text);
        WANT_INT(name.p, f.n, rows[i].faults);
        if (f.n > 0 && !jr_str_starts(jr_str(f.v[0]), jr_str(rows[i].first)))
            fail_msg("%s: %s", name.p, f.v[0]);
    }
    assert_true(jr_name_is_http_path(JR_S("a/b%20;c=(d)")));
    assert_false(jr_name_is_http_path(JR_S("")));
    assert_false(jr_name_is_http_path(JR_S("a b")));
    assert_false(jr_name_is_http_path(((struct jr_str){ "a\0b", 3 })));
}

/* ---- selectors ---- */

static struct jr_label two_labels[] = { { { "app", 3 }, { "x", 1 } },
                                        { { "tier", 4 }, { "", 0 } } };

static void selectors(void **state)
{
    static const struct {
        const char *spec; /* of a Job */
        bool valid;
        bool matches;
    } rows[] = {
        { "{}", true, false },
        { "{\"selector\":null}", true, false },
        { "{\"selector\":{}}", true, true },
        { "{\"selector\":{\"matchLabels\":{}}}", true, true },
        { "{\"selector\":{\"matchLabels\":{\"app\":\"x\"}}}", true, true },
        { "{\"selector\":{\"matchLabels\":{\"app\":\"y\"}}}", true, false },
        { "{\"selector\":{\"matchLabels\":{\"tier\":\"\"}}}", true, true },
        { "{\"selector\":{\"matchLabels\":{\"zone\":\"\"}}}", true, false },
        { "{\"selector\":{\"matchLabels\":{\"a b\":\"\"}}}", false, false },
        { "{\"selector\":{\"matchLabels\":{\"app\":\"x \"}}}", false, false },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"In\",\"values\":["
          "\"w\",\"x\"]}]}}",
          true, true },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"NotIn\","
          "\"values\":[\"w\"]}]}}",
          true, true },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"NotIn\","
          "\"values\":[\"w\"]}]}}",
          true, true },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":["
          "\"w\"]}]}}",
          true, false },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Exists\"}]}}", true,
          true },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"DoesNotExist\"}]}}",
          true, false },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"in\"}]}}", false,
          false },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"In\"}]}}", false,
          false },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Exists\","
          "\"values\":[\"x\"]}]}}",
          false, false },
        { "{\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"In\",\"values\":["
          "\"x\",\"y z\"]}]}}",
          false, false },
    };
    const struct jr_labels labels = { two_labels, 2 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
        JR_BUF text = { 0 };

        jr_buf_init(&text, 4096);
        (void)jr_buf_addf(&text, "{\"spec\":%s}", rows[i].spec);
        assert_int_equal(jr_job_decode(jr_buf_str(&text), &job, NULL), JR_OK);
        WANT_INT(rows[i].spec, jr_selector_valid(&job->spec.selector), rows[i].valid);
        WANT_INT(rows[i].spec, jr_selector_matches(&job->spec.selector, &labels), rows[i].matches);
    }
}

/** Many labels against many terms: the other way of looking up gives the same, in good time. */
static void many_labels(void **state)
{
    enum { N = 50000 };
    struct jr_label *v = calloc(N, sizeof(*v)), *want = calloc(N, sizeof(*want));
    char(*keys)[16] = calloc(N, sizeof(*keys));
    struct jr_labels labels = { v, N };
    struct jr_selector s = { .set = true, .match_labels = { want, N } };

    (void)state;
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
        v[i] = (struct jr_label){ jr_str(keys[i]), JR_S("v") };
        want[N - 1 - i] = v[i];
    }
    assert_true(jr_selector_matches(&s, &labels));
    want[7].value = JR_S("w");
    assert_false(jr_selector_matches(&s, &labels));
    want[7].value = JR_S("v");
    v[N - 1].key = v[3].key; /* twice: the last one counts, and one is missing */
    assert_false(jr_selector_matches(&s, &labels));
    jr_failalloc_arm(1);
    s.match_labels.n = 100;
    assert_false(jr_selector_matches(&s, &labels));
    jr_failalloc_disarm();
    free(v);
    free(want);
    free(keys);
}

/* ---- quantities ---- */

static void quantities(void **state)
{
    static const struct {
        const char *text;
        const char *want; /* NULL: malformed */
    } rows[] = {
        { "0", "0" },
        { "1", "1" },
        { "-1", "-1" },
        { "+1", "+1" }, /* upstream keeps spellings that look canonical to it */
        { "00100", "00100" },
        { "1000", "1k" },
        { "1500", "1500" },
        { "0.5", "500m" },
        { ".5", "500m" },
        { "5.", "5." },
        { "1.5", "1500m" },
        { "1.500", "1.500" },
        { "1.5G", "1500M" },
        { "1.5Gi", "1536Mi" },
        { "1024Mi", "1Gi" },
        { "1025Mi", "1025Mi" },
        { "1Ki", "1Ki" },
        { "0.5Ki", "512" },
        { "0.5Mi", "512Ki" },
        { "0.3Ki", "307200m" },
        { "100m", "100m" },
        { "1000m", "1" },
        { "100500u", "100500u" },
        { "1n", "1n" },
        { "0.1n", "1n" },
        { "-0.1n", "-1n" },
        { "12e6", "12e6" },
        { "12E6", "12E6" },
        { "1e2", "100" },
        { "120e6", "120e6" },
        { "1e-1", "100e-3" },
        { "9223372036854775807", "9223372036854775807" },
        { "9223372036854775808", "9223372036854775808" },
        { "8Ei", "9223372036854775807" },
        { "-8Ei", "-9223372036854775807" },
        { "0.000", "0" },
        { "", NULL },
        { "-", "0" }, /* upstream's scanner needs no digits, unless it takes its slow path */
        { ".", "0" },
        { "Ki", "0" },
        { "Pi", NULL },
        { "e-10", NULL },
        { "1000.6e1", "1000.6e1" },
        { "-500.0e1", "-5e3" },
        { "1.2.3", NULL },
        { "1 ", NULL },
        { "12Xi", NULL },
        { "12ki", NULL },
        { "1e", NULL },
        { "e3", "0" },
        { "1e3.5", NULL },
        { "0x10", NULL },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_quantity q;
        enum jr_status st = jr_quantity_parse(jr_str(rows[i].text), &q);
        JR_BUF b = { 0 };

        jr_buf_init(&b, 4096);
        WANT_INT(rows[i].text, st, rows[i].want == NULL ? JR_SYNTAX : JR_OK);
        if (st != JR_OK)
            continue;
        assert_int_equal(jr_quantity_write(&q, &b), JR_OK);
        WANT_STR(rows[i].text, b.p, rows[i].want);
    }
}

static void quantities_compared(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        int want;
    } rows[] = {
        { "1", "1000m", 0 },
        { "1", "1001m", -1 },
        { "-1", "1", -1 },
        { "-2", "-1", -1 },
        { "0", "-0", 0 },
        { "1Gi", "1G", 1 },
        { "1e3", "1k", 0 },
        { "0.1", "100m", 0 },
        { "99999999999999999999", "1E", 1 },
        { "1e100", "1e99", 1 },
        { "0", "1n", -1 },
        { "0", "-1n", 1 },
        { "123456789", "123456788.999999999", 1 },
    };
    static const struct {
        const char *text;
        const char *want;
    } rounded[] = {
        { "100500u", "101m" }, { "100m", "100m" }, { "1n", "1m" },       { "-1n", "-1m" },
        { "0.9999", "1" },     { "1.0000", "1" },  { "999.9999", "1k" }, { "0", "0" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_quantity a, b;

        assert_int_equal(jr_quantity_parse(jr_str(rows[i].a), &a), JR_OK);
        assert_int_equal(jr_quantity_parse(jr_str(rows[i].b), &b), JR_OK);
        WANT_INT(rows[i].a, jr_quantity_cmp(&a, &b), rows[i].want);
        WANT_INT(rows[i].a, jr_quantity_cmp(&b, &a), -rows[i].want);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(rounded); i++) {
        struct jr_quantity q;
        JR_BUF b = { 0 };

        jr_buf_init(&b, 4096);
        assert_int_equal(jr_quantity_parse(jr_str(rounded[i].text), &q), JR_OK);
        (void)jr_quantity_round_up(&q, -3);
        assert_int_equal(jr_quantity_write(&q, &b), JR_OK);
        WANT_STR(rounded[i].text, b.p, rounded[i].want);
    }
}

/* ---- images, profiles ---- */

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void images(void **state)
{
    static const struct {
        const char *image;
        bool latest;
    } rows[] = {
        { "perl", true },
        { "perl:latest", true },
        { "perl:5.34.0", false },
        { "library/perl", true },
        { "h:5000/x", true },
        { "h:5000/x:1", false },
        { "localhost/x", true },
        { "[::1]:5000/x", true },
        { "[::1/x", false },
        { "a__b/c-d/e.f", true },
        { "a___b", false },
        { "a..b", false },
        { "-a", false },
        { "a-", false },
        { "UPPER", false },
        { "HOST/x", true },
        { "HOST/Upper", false },
        { "foo_bar.com/x", true }, /* no domain, but a path */
        { "x@sha256:" HEX64, false },
        { "x:latest@sha256:" HEX64, true },
        { "x:latest@sha256:abc", false },
        { "x:latest@md5:" HEX64, false },
        { HEX64, false },
        { "x:", false },
        { "x:-a", false },
        { "x@", false },
        { "", false },
        { "/", false },
        { "x/", false },
        { "h:port/x", false },
        { "a/b c", false },
        { "x:tag:tag", false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        WANT_INT(rows[i].image, jr_image_is_latest(jr_str(rows[i].image)), rows[i].latest);
}

static void profiles(void **state)
{
    struct jr_profile p = jr_profile_default();
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(p.version.minor, 36);
    assert_true(p.gates[JR_GATE_JobManagedBy]);
    assert_false(p.gates[JR_GATE_GenericWorkload]);
    assert_int_equal(jr_profile_set(&p, JR_S("GenericWorkload"), true, false, &err), JR_OK);
    assert_true(p.gates[JR_GATE_GenericWorkload]);
    assert_int_equal(jr_profile_set(&p, JR_S("JobManagedBy"), false, false, &err), JR_DENIED);
    assert_true(p.gates[JR_GATE_JobManagedBy]);
    assert_int_equal(jr_profile_set(&p, JR_S("JobManagedBy"), true, false, &err), JR_OK);
    assert_int_equal(jr_profile_set(&p, JR_S("JobManagedBy"), false, true, &err), JR_OK);
    assert_false(p.gates[JR_GATE_JobManagedBy]);
    assert_int_equal(jr_profile_set(&p, JR_S("jobManagedBy"), true, true, &err), JR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(selectors),
        cmocka_unit_test(many_labels),
        cmocka_unit_test(quantities),
        cmocka_unit_test(quantities_compared),
        cmocka_unit_test(images),
        cmocka_unit_test(profiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
