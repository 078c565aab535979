/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies are read, what reading and validation one may cost, and until when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/webhook/ask.h"

#define TEMPLATE                                                           \
    "\"template\":{\"metadata\":{},\"spec\":{\"restartPolicy\":\"Never\"," \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}"
#define MUTATE JR_ENDPOINT_MUTATE_JOB
#define VALIDATE JR_ENDPOINT_VALIDATE_JOB

static void test_wrong_bodies(void **state)
{
    static const struct {
        const char *body, *message;
    } bodies[] = {
        { "", "" },
        { "x", "line 1, column 1" },
        { "{\"kind\":\n \"AdmissionReview\",}", "line 2" },
        { "{} {}", "line 1" },
        { "{\"kind\":\"AdmissionReview\",\"kind\":\"Pod\"}", "kind" },
        { "{\"request\":{\"object\":{},\"object\":{}}}", "request.object: " },
        { "[]", "the body is no AdmissionReview" },
        { "null", "expected kind AdmissionReview, not \"\"" },
        { "{}", "expected kind AdmissionReview, not \"\"" },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}",
          "expected kind AdmissionReview, not \"Pod\"" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v2\",\"request\":{}}",
          "not \"admission.k8s.io/v2\"" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
          "has no request" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":null}",
          "has no request" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{}}",
          "has no uid" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
          "v1\",\"request\":{\"uid\":1}}",
          "request.uid" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
          "v1\",\"request\":{\"uid\":\"\xff\"}}",
          "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(bodies); i++) {
        char text[sizeof(struct jr_error)];
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

        ask(MUTATE, jr_str(bodies[i].body), &a);
        if (a.st == JR_OK || a.err.http != 400 ||
            strstr(jr_error_text(&a.err, text, sizeof(text)), bodies[i].message) == NULL)
            fail_msg("%s: status %d, http %d: %s", bodies[i].body, a.st, a.err.http, a.err.msg);
    }
}

/* A key with U+0000 is one as others are: API servers take it where nothing validates the key, and
 * say the same about it as we where something does. */
static void test_keys_with_nul(void **state)
{
    static const struct {
        const char *labels;
        const char *attributes;
        const char *message; /* NULL: it is admitted */
    } rows[] = {
        { "{\"a\":\"b\"}", "{\"a\":\"1\",\"a\\u0000\":\"2\",\"a\\u0000b\":\"3\"}", NULL },
        { "{\"a\":\"b\",\"a\\u0000\":\"b\"}", "{}",
          "spec.template.labels: Invalid value: \"a\\x00\": name part must consist of" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        for (unsigned e = MUTATE; e <= VALIDATE; e++) {
            JR_BUF object = { 0 };
            struct pieces p = { .operation = "CREATE" };
            JR_FREE char *body = NULL;
            JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

            jr_buf_init(&object, (size_t)1 << 20);
            (void)jr_buf_addf(
                &object,
                "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\","
                "\"namespace\":\"ns\",\"uid\":\"8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de\"},\"spec\":{"
                "\"manualSelector\":true,\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
                "\"template\":{\"metadata\":{\"labels\":%s},\"spec\":{\"restartPolicy\":\"Never\","
                "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}],\"volumes\":[{\"name\":\"v\","
                "\"csi\":{\"driver\":\"x.example.com\",\"volumeAttributes\":%s}}]}}}}",
                rows[i].labels, rows[i].attributes);
            p.object = object.p;
            body = review_of(&p);
            ask(e, jr_str(body), &a);
            assert_int_equal(a.st, JR_OK);
            if (e == MUTATE || rows[i].message == NULL) {
                if (!a.allowed)
                    fail_msg("row %zu is refused: %.*s", i, JR_P(a.message));
            } else if (a.allowed || memmem(a.message.p, a.message.n, rows[i].message,
                                           strlen(rows[i].message)) == NULL) {
                fail_msg("row %zu: %.*s", i, JR_P(a.message));
            }
        }
    }
}

/* Nesting is refused before it can hurt, wherever it is. */
static void test_deep(void **state)
{
    enum { DEPTH = 20000 };
    static const char head[] =
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
        "\"request\":{\"uid\":\"u\",\"object\":";
    JR_BUF b = { 0 };
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

    (void)state;
    jr_buf_init(&b, (size_t)1 << 20);
    (void)jr_buf_adds(&b, head);
    for (int i = 0; i < DEPTH; i++)
        (void)jr_buf_addc(&b, '[');
    for (int i = 0; i < DEPTH; i++)
        (void)jr_buf_addc(&b, ']');
    (void)jr_buf_adds(&b, "}}");
    assert_int_equal(b.failed, JR_OK);
    ask(VALIDATE, jr_buf_str(&b), &a);
    assert_int_not_equal(a.st, JR_OK);
    assert_int_equal(a.err.http, 400);
}

static size_t cost_of(const struct jr_buf *text)
{
    JR_FREE char *body = NULL;
    const struct pieces p = { .operation = "CREATE", .object = text->p };
    struct jr_admission_review r;
    JR_ARENA arena = { 0 };

    body = review_of(&p);
    assert_int_equal(jr_review_read(jr_str(body), &arena, &r, NULL), JR_OK);
    return jr_review_read_cost(r.bytes) + jr_review_cost(&r, NULL);
}

/* Small text that makes a large tree costs accordingly. */
static void test_cost(void **state)
{
    JR_BUF dense = { 0 }, plain = { 0 };

    (void)state;
    jr_buf_init(&dense, (size_t)1 << 20);
    jr_buf_init(&plain, (size_t)1 << 20);
    (void)jr_buf_addc(&dense, '[');
    (void)jr_buf_addc(&plain, '"');
    for (int i = 0; i < 50000; i++) {
        (void)jr_buf_adds(&dense, "0,");
        (void)jr_buf_adds(&plain, "xx");
    }
    (void)jr_buf_adds(&dense, "0]");
    (void)jr_buf_adds(&plain, "\"");
    assert_true(cost_of(&dense) > (size_t)50000 * 128);
    assert_true(cost_of(&plain) < (size_t)3 << 19);
    assert_true(jr_review_read_cost(8) < (size_t)1 << 19);
}

/** Time that is over from the n-th look on. */
struct looked {
    unsigned looks;
    unsigned patience;
};

static struct jr_mono look(void *self)
{
    struct looked *l = self;

    return (struct jr_mono){ ++l->looks < l->patience ? 0 : 1 };
}

/** Answers with a deadline; the number of looks at the clock. */
static unsigned ask_until(enum jr_endpoint e, struct jr_str body, unsigned patience,
                          enum jr_status *ret, int *ret_http)
{
    struct looked l = { .patience = patience };
    const struct jr_clock clock = { .mono = look, .self = &l };
    struct jr_deadline deadline = jr_deadline_at(&clock, (struct jr_mono){ 1 });
    const struct jr_profile described = jr_profile_default();
    const struct jr_profiles profiles = jr_profiles_of(&described);
    const struct jr_review_settings settings = { .profiles = &profiles, .deadline = &deadline };
    struct jr_error err = { .status = JR_OK };
    struct jr_admission_review review;
    JR_ARENA arena = { 0 };
    JR_BUF out = { 0 };

    assert_int_equal(jr_review_read(body, &arena, &review, &err), JR_OK);
    assert_int_equal(jr_review_answer_max(&review, NULL), ((size_t)4 << 20) + 8 * body.n);
    jr_buf_init(&out, jr_review_answer_max(&review, NULL));
    *ret = jr_review_answer_for(e, &review, &settings, &arena, &out, NULL, &err);
    *ret_http = err.http;
    return l.looks;
}

/** Validating ends with 504 at the deadline, wherever it stands then, and not at its own end. */
static void test_deadline(void **state)
{
    enum { LABELS_IN_ALL = 20000 };
    struct pieces p = { .operation = "CREATE" };
    JR_BUF object = { 0 };
    JR_FREE char *body = NULL;
    enum jr_status st;
    unsigned all;
    int http;

    (void)state;
    jr_buf_init(&object, (size_t)4 << 20);
    (void)jr_buf_adds(&object, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{"
                               "\"name\":\"pi\",\"namespace\":\"ns\",\"labels\":{\"a\":\"b\"");
    for (int i = 0; i < LABELS_IN_ALL; i++)
        (void)jr_buf_addf(&object, ",\"k%d\":\"v\"", i);
    (void)jr_buf_adds(&object, "}},\"spec\":{" TEMPLATE "}}");
    p.object = object.p;
    body = review_of(&p);
    for (unsigned e = MUTATE; e <= VALIDATE; e++) {
        all = ask_until(e, jr_str(body), UINT32_MAX, &st, &http);
        assert_int_equal(st, JR_OK);
        /* so many places at least look, and the loop over the labels does again and again */
        assert_in_range(all, e == VALIDATE ? LABELS_IN_ALL / JR_DEADLINE_STEPS : 3, UINT32_MAX);
        for (unsigned n = 1; n <= all; n += 1 + n / 8) {
            unsigned looks = ask_until(e, jr_str(body), n, &st, &http);

            assert_int_equal(st, JR_TIMEOUT);
            assert_int_equal(http, 504);
            assert_in_range(looks, n, n + 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_bodies), cmocka_unit_test(test_keys_with_nul),
        cmocka_unit_test(test_deep),         cmocka_unit_test(test_cost),
        cmocka_unit_test(test_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
