/* SPDX-License-Identifier: Apache-2.0 */
#include "common/api/admission_review.h"
#include "common/base/base64.h"

#include "tests/support/failalloc.h"
#include "tests/unit/api/api_test.h"

static void decode(const char *name, struct jr_str body, struct jr_arena *arena,
                   struct jr_admission_review *ret)
{
    struct jr_error err = { 0 };

    if (jr_admission_review_decode(body, arena, ret, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.path, err.msg);
}

static void real_reviews(void **state)
{
    static const struct {
        const char *file;
        const char *operation;
        const char *sub;
        const char *name;
        bool object;
        bool old;
    } rows[] = {
        { "001-mutate-CREATE-jobs.json", "CREATE", "", "pi", true, false },
        { "003-mutate-UPDATE-jobs-status.json", "UPDATE", "status", NULL, true, true },
        { "056-mutate-DELETE-jobs.json", "DELETE", "", NULL, false, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char path[256];
        JR_ARENA arena = { 0 };
        JR_BUF body = { 0 };
        struct jr_admission_review r;

        (void)snprintf(path, sizeof(path), WIRE "reviews/%s", rows[i].file);
        jr_arena_init(&arena, 0);
        must_read(path, &body);
        decode(path, jr_buf_str(&body), &arena, &r);
        assert_true(r.request.set);
        WANT_VIEW(path, r.api_version, JR_S("admission.k8s.io/v1"));
        WANT_VIEW(path, r.kind, JR_S("AdmissionReview"));
        WANT_INT(path, r.request.uid.n, 36);
        WANT_VIEW(path, r.request.kind.kind, JR_S("Job"));
        WANT_VIEW(path, r.request.resource.resource, JR_S("jobs"));
        WANT_VIEW(path, r.request.operation, jr_str(rows[i].operation));
        WANT_VIEW(path, r.request.sub_resource, jr_str(rows[i].sub));
        if (rows[i].name != NULL)
            WANT_VIEW(path, r.request.name, jr_str(rows[i].name));
        WANT_INT(path, r.request.object.text.p != NULL, rows[i].object);
        WANT_INT(path, r.request.old_object.text.p != NULL, rows[i].old);
        assert_true(r.request.username.n > 0);
        assert_false(r.request.dry_run);
    }
}

static void odd_reviews(void **state)
{
    static const struct {
        const char *body;
        enum jr_status st;
        const char *path;
    } rows[] = {
        { "{}", JR_OK, "" },
        { "{\"request\":null}", JR_OK, "" },
        { "{\"request\":{\"dryRun\":null,\"object\":null}}", JR_OK, "" },
        { "[]", JR_TYPE, "" },
        { "{\"request\":[]}", JR_TYPE, "request" },
        { "{\"request\":{\"uid\":5}}", JR_TYPE, "request.uid" },
        { "{\"request\":{\"kind\":\"Job\"}}", JR_TYPE, "request.kind" },
        { "{\"request\":{\"userInfo\":{\"username\":[]}}}", JR_TYPE, "request.userInfo.username" },
        { "{\"request\":{\"dryRun\":\"no\"}}", JR_TYPE, "request.dryRun" },
        { "{\"request\":", JR_SYNTAX, "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA arena = { 0 };
        struct jr_error err = { 0 };
        struct jr_admission_review r = { 0 };
        enum jr_status st;

        jr_arena_init(&arena, 0);
        st = jr_admission_review_decode(jr_str(rows[i].body), &arena, &r, &err);
        if (rows[i].st == JR_SYNTAX)
            WANT_INT(rows[i].body, st, JR_SYNTAX);
        else
            want_error(rows[i].body, st, &err, rows[i].st, rows[i].path);
        if (st == JR_OK)
            WANT_INT(rows[i].body, r.request.set, strchr(rows[i].body, 'd') != NULL);
    }
}

static void answers(void **state)
{
    static const struct jr_api_status denial = {
        .code = 422,
        .status = { "Failure", 7 },
        .reason = { "Invalid", 7 },
        .message = { "no", 2 },
    };
    struct jr_str warning = JR_S("careful");
    struct jr_label annotation = { JR_S("k"), JR_S("v") };
    struct jr_admission_review_response a = { .api_version = JR_S("admission.k8s.io/v1"),
                                              .uid = JR_S("u"),
                                              .allowed = true };
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, (size_t)1 << 16);
    assert_int_equal(jr_admission_review_write(&a, &out), JR_OK);
    WANT_STR("plain", out.p,
             "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"response\":{"
             "\"uid\":\"u\",\"allowed\":true}}");
    jr_buf_reset(&out);
    a.patch = JR_S("[{\"op\":\"remove\",\"path\":\"/a\"}]");
    a.warnings = (struct jr_strs){ &warning, 1 };
    a.audit_annotations = (struct jr_labels){ &annotation, 1 };
    assert_int_equal(jr_admission_review_write(&a, &out), JR_OK);
    WANT_STR("patch", out.p,
             "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"response\":{"
             "\"uid\":\"u\",\"allowed\":true,\"patch\":\"W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2EifV0=\""
             ",\"patchType\":\"JSONPatch\",\"auditAnnotations\":{\"k\":\"v\"},\"warnings\":["
             "\"careful\"]}}");
    jr_buf_reset(&out);
    a = (struct jr_admission_review_response){ .api_version = JR_S("admission.k8s.io/v1beta1"),
                                               .uid = JR_S("u"),
                                               .status = &denial };
    assert_int_equal(jr_admission_review_write(&a, &out), JR_OK);
    WANT_STR("denial", out.p,
             "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\","
             "\"response\":{\"uid\":\"u\",\"allowed\":false,\"status\":{\"metadata\":{},\"status\":"
             "\"Failure\",\"message\":\"no\",\"reason\":\"Invalid\",\"code\":422}}}");
    jr_buf_done(&out);
    jr_buf_init(&out, 20);
    assert_int_equal(jr_admission_review_write(&a, &out), JR_LIMIT);
}

static void base64(void **state)
{
    static const struct {
        const char *plain;
        const char *coded;
    } rows[] = {
        { "", "" },
        { "f", "Zg==" },
        { "fo", "Zm8=" },
        { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" },
        { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" },
        { "\xff\xfe\xfd?>", "//79Pz4=" },
    };
    static const char *const bad[] = { "Z",    "Zg",   "Zg=",  "Zg===", "Zh==", "Zm9=",    "Z=g=",
                                       "====", "Zm 8", "Zm8-", "Zm8\n", "=Zg=", "Zg==Zg==" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, 1024);
        assert_int_equal(jr_base64_encode(jr_str(rows[i].plain), &out), JR_OK);
        WANT_VIEW(rows[i].plain, jr_buf_str(&out), jr_str(rows[i].coded));
        jr_buf_reset(&out);
        assert_int_equal(jr_base64_decode(jr_str(rows[i].coded), &out), JR_OK);
        WANT_VIEW(rows[i].coded, jr_buf_str(&out), jr_str(rows[i].plain));
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, 1024);
        (void)jr_buf_adds(&out, "kept");
        WANT_INT(bad[i], jr_base64_decode(jr_str(bad[i]), &out), JR_SYNTAX);
        WANT_STR(bad[i], out.p, "kept");
    }
}

/** Every length, there and back. */
static void base64_lengths(void **state)
{
    char bytes[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7);
    for (size_t n = 0; n <= sizeof(bytes); n++) {
        JR_BUF coded = { 0 }, back = { 0 };

        jr_buf_init(&coded, 1024);
        jr_buf_init(&back, 1024);
        assert_int_equal(jr_base64_encode((struct jr_str){ bytes, n }, &coded), JR_OK);
        assert_int_equal(jr_base64_decode(jr_buf_str(&coded), &back), JR_OK);
        WANT_VIEW("bytes", jr_buf_str(&back), ((struct jr_str){ bytes, n }));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_reviews), cmocka_unit_test(odd_reviews),    cmocka_unit_test(answers),
        cmocka_unit_test(base64),       cmocka_unit_test(base64_lengths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
