/* SPDX-License-Identifier: Apache-2.0 */
/* The executor's requests, and what their answers become. */
#include "controller/work/op_request.h"
#include "tests/unit/controller/controller_test.h"

#define META "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
#define SMP "application/strategic-merge-patch+json"

static void test_requests(void **state)
{
    static const struct {
        enum jr_op_kind kind;
        bool pod;
        const char *method, *path, *accept, *content_type;
    } reqs[] = {
        { JR_OP_GET_JOB, false, "GET", "/apis/batch/v1/namespaces/n%2Fs/jobs/j%20b", NULL, NULL },
        { JR_OP_PUT_STATUS, false, "PUT", "/apis/batch/v1/namespaces/n%2Fs/jobs/j%20b/status", NULL,
          NULL },
        { JR_OP_ADOPT_POD, true, "PATCH", "/api/v1/namespaces/ns/pods/p%2F1", META, SMP },
        { JR_OP_RELEASE_POD, true, "PATCH", "/api/v1/namespaces/ns/pods/p%2F1", META, SMP },
        { JR_OP_UNFINALIZE_POD, true, "PATCH", "/api/v1/namespaces/ns/pods/p%2F1", META, SMP },
        { JR_OP_DELETE_POD, true, "DELETE", "/api/v1/namespaces/ns/pods/p%2F1", NULL, NULL },
        { JR_OP_CREATE_POD, false, "POST", "/api/v1/namespaces/n%2Fs/pods", META, NULL },
        { JR_OP_CREATE_WORKLOAD, false, "POST",
          "/apis/scheduling.k8s.io/v1alpha2/namespaces/n%2Fs/workloads", NULL, NULL },
        { JR_OP_CREATE_POD_GROUP, false, "POST",
          "/apis/scheduling.k8s.io/v1alpha2/namespaces/n%2Fs/podgroups", NULL, NULL },
        { JR_OP_PATCH_WORKLOAD, false, "PATCH",
          "/apis/scheduling.k8s.io/v1alpha2/namespaces/n%2Fs/workloads/g%2F1", NULL, SMP },
        { JR_OP_PATCH_POD_GROUP, false, "PATCH",
          "/apis/scheduling.k8s.io/v1alpha2/namespaces/n%2Fs/podgroups/g%2F1", NULL, SMP },
    };
    struct jr_pod *pod = make_pod(&(struct pod_made){ .name = "p/1" });

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(reqs); i++) {
        struct jr_op op = { .kind = reqs[i].kind,
                            .pod = reqs[i].pod ? pod : NULL,
                            .body = JR_S("{}"),
                            .name = JR_S("g/1"),
                            .api = JR_SCHEDULING_V1ALPHA2,
                            .after = -1 };
        struct jr_http_request q;
        JR_BUF path = { 0 };

        jr_buf_init(&path, 1024);
        assert_int_equal(jr_op_request(&op, JR_S("n/s"), JR_S("j b"), &path, &q), JR_OK);
        assert_string_equal(q.method, reqs[i].method);
        assert_string_equal(q.path, reqs[i].path);
        check(reqs[i].path, jr_str_eq(jr_str(q.accept), jr_str(reqs[i].accept)));
        check(reqs[i].path, jr_str_eq(jr_str(q.content_type), jr_str(reqs[i].content_type)));
        assert_true(jr_str_is(q.body, "{}"));
    }
    jr_pod_unref(pod);
}

static void test_long_path(void **state)
{
    char name[300];
    struct jr_op op = { .kind = JR_OP_GET_JOB };
    struct jr_http_request q;
    JR_BUF path = { 0 };

    (void)state;
    memset(name, '/', sizeof(name));
    jr_buf_init(&path, 256);
    assert_int_equal(
        jr_op_request(&op, JR_S("ns"), (struct jr_str){ name, sizeof(name) }, &path, &q), JR_LIMIT);
}

static void test_results(void **state)
{
    const struct {
        const char *name;
        enum jr_op_kind kind;
        struct jr_kube_result r;
        enum jr_op_outcome outcome;
        const char *object, *version, *body, *message;
    } res[] = {
        { "created",
          JR_OP_CREATE_POD,
          { .kind = JR_RESULT_OK,
            .http = 201,
            .body = JR_S("{\"spec\":{\"metadata\":{\"name\":\"x\"}},\"metadata\":{\"name\":\"a\","
                         "\"resourceVersion\":\"3\"}}") },
          JR_OP_OK,
          "a",
          "3",
          NULL,
          NULL },
        { "status written",
          JR_OP_PUT_STATUS,
          { .kind = JR_RESULT_OK, .http = 200, .body = JR_S("{\"metadata\":{\"name\":\"j\"}}") },
          JR_OP_OK,
          "j",
          NULL,
          "{\"metadata\":{\"name\":\"j\"}}",
          NULL },
        { "done, whatever was said",
          JR_OP_CREATE_POD,
          { .kind = JR_RESULT_OK, .http = 201, .body = JR_S("no JSON") },
          JR_OP_OK,
          NULL,
          NULL,
          NULL,
          NULL },
        { "deleted",
          JR_OP_DELETE_POD,
          { .kind = JR_RESULT_OK, .http = 200, .body = JR_S("{\"metadata\":{\"name\":\"a\"}}") },
          JR_OP_OK,
          NULL,
          NULL,
          NULL,
          NULL },
        { "refused",
          JR_OP_CREATE_POD,
          { .kind = JR_RESULT_REFUSED,
            .http = 422,
            .status = { .message = JR_S("the server's words") },
            .error = { .msg = "shortened" } },
          JR_OP_REFUSED,
          NULL,
          NULL,
          NULL,
          "the server's words" },
        { "refused without words",
          JR_OP_CREATE_POD,
          { .kind = JR_RESULT_REFUSED, .http = 500, .error = { .msg = "the server answered 500" } },
          JR_OP_REFUSED,
          NULL,
          NULL,
          NULL,
          "the server answered 500" },
        { "not sent",
          JR_OP_CREATE_POD,
          { .kind = JR_RESULT_NOT_SENT, .error = { .msg = "connection refused" } },
          JR_OP_REFUSED,
          NULL,
          NULL,
          NULL,
          "connection refused" },
        { "lost",
          JR_OP_CREATE_POD,
          { .kind = JR_RESULT_AMBIGUOUS, .error = { .msg = "connection reset" } },
          JR_OP_AMBIGUOUS,
          NULL,
          NULL,
          NULL,
          "connection reset" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(res); i++) {
        struct jr_op op = { .kind = res[i].kind, .after = -1 };
        struct jr_op_result got;
        JR_ARENA arena = { 0 };

        jr_arena_init(&arena, 0);
        got = jr_op_result_of(&op, &res[i].r, &arena);
        check_int(res[i].name, got.outcome, res[i].outcome);
        check_int(res[i].name, got.http, res[i].r.http);
        check(res[i].name, jr_str_eq(got.name, jr_str(res[i].object)));
        check(res[i].name, jr_str_eq(got.resource_version, jr_str(res[i].version)));
        check(res[i].name, jr_str_eq(got.body, jr_str(res[i].body)));
        check(res[i].name, jr_str_eq(got.message, jr_str(res[i].message)));
        check(res[i].name, !got.namespace_terminating);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
