/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies, which are custom resources. */
#include <stdio.h>

#include "tests/unit/devcluster/flight.h"

#define POLICIES "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies"
#define POLICY(name, more)                              \
    "{\"apiVersion\":\"policy.jobreeve.dev/v1alpha1\"," \
    "\"kind\":\"JobPolicy\",\"metadata\":{\"name\":\"" name "\"" more
#define LIMIT(n) "\"limits\":{\"parallelism\":{\"max\":" n "}}"
#define ACCEPTED "\"status\":{\"conditions\":[{\"type\":\"Accepted\",\"status\":\"True\"}]}"

static void test_writes(void **state)
{
    static const struct step steps[] = {
        /* The status of a new one is not the client's. */
        { "POST", POLICIES,
          POLICY("p", ",\"generation\":9},\"spec\":{" LIMIT("1") "}," ACCEPTED "}"), NULL, 201,
          "/kind=JobPolicy /apiVersion=policy.jobreeve.dev/v1alpha1 /metadata/generation=1 "
          "/metadata/namespace=- /spec/limits/parallelism/max=1 /status=-" },
        { "POST", POLICIES, POLICY("p", "}}"), NULL, 409, "/reason=AlreadyExists" },
        { "PATCH", POLICIES "/p", "{\"spec\":{" LIMIT("2") "}}", MERGE, 200,
          "/metadata/generation=2" },
        /* Neither metadata nor status count. */
        { "PATCH", POLICIES "/p", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", MERGE, 200,
          "/metadata/generation=2" },
        { "PATCH", POLICIES "/p/status",
          "{\"metadata\":{\"labels\":{\"a\":\"c\"},\"finalizers\":[\"x.y/z\"]},"
          "\"spec\":{" LIMIT("9") "}," ACCEPTED "}",
          MERGE, 200,
          "/metadata/generation=2 /spec/limits/parallelism/max=2 /metadata/labels/a=b "
          "/metadata/finalizers=- /status/conditions/0/status=True" },
        { "PATCH", POLICIES "/p", "{\"status\":{\"conditions\":null}}", MERGE, 200,
          "/metadata/generation=2 /status/conditions/0/status=True" },
        /* Whoever writes the whole object says which one it has read. */
        { "PUT", POLICIES "/p", POLICY("p", "},\"spec\":{" LIMIT("3") "}}"), NULL, 422,
          "/details/causes/0/field=metadata.resourceVersion" },
        { "PUT", POLICIES "/p/status", POLICY("p", "}," ACCEPTED "}"), NULL, 422,
          "/details/causes/0/field=metadata.resourceVersion" },
        { "GET", POLICIES "/p", NULL, NULL, 200, "/spec/limits/parallelism/max=2" },
        { "PUT", POLICIES "/p",
          POLICY("p", ",\"resourceVersion\":\"{rv}\"},\"spec\":{" LIMIT("3") "}}"), NULL, 200,
          "/metadata/generation=3 /metadata/labels=- /status/conditions/0/status=True" },
        { "PUT", POLICIES "/p", POLICY("p", ",\"resourceVersion\":\"7\"}}"), NULL, 409,
          "/reason=Conflict" },
        { "PUT", POLICIES "/p/status", POLICY("p", ",\"resourceVersion\":\"{rv}\"}}"), NULL, 200,
          "/metadata/generation=3 /spec/limits/parallelism/max=3 /status=-" },
        { "GET", POLICIES "/p/status", NULL, NULL, 200, "/metadata/name=p" },
        { "PATCH", POLICIES "/p", "{\"spec\":null}", STRATEGIC, 415,
          "/reason=UnsupportedMediaType" },
        { "PATCH", POLICIES "/p", "[{\"op\":\"remove\",\"path\":\"/spec/limits\"}]", JSON_PATCH,
          200, "/metadata/generation=4 /spec={}" },
        /* 1000m is another value than 1: nobody knows that it is a quantity. */
        { "PATCH", POLICIES "/p", "{\"spec\":{\"budget\":{\"requestsAtOnce\":{\"cpu\":\"1\"}}}}",
          MERGE, 200, "/metadata/generation=5" },
        { "PATCH", POLICIES "/p",
          "{\"spec\":{\"budget\":{\"requestsAtOnce\":{\"cpu\":\"1000m\"}}}}", MERGE, 200,
          "/metadata/generation=6" },
        /* Items of a list have their kind, others than those of kinds that are built in. */
        { "GET", POLICIES, NULL, NULL, 200,
          "/kind=JobPolicyList /items/0/kind=JobPolicy "
          "/items/0/apiVersion=policy.jobreeve.dev/v1alpha1 /items/1=-" },
        { "GET", "/apis/policy.jobreeve.dev/v1alpha1/namespaces/default/jobpolicies", NULL, NULL,
          404, NULL },
        { "DELETE", POLICIES "/p", NULL, NULL, 200, "/kind=Status /status=Success" },
        { "GET", POLICIES "/p", NULL, NULL, 404, "/details/group=policy.jobreeve.dev" },
    };

    API_STEPS(*state, "writes", steps);
}

static void test_unknown_fields(void **state)
{
    static const struct {
        const char *query;
        int status;
        const char *words; /* of the refusal, or of the warnings */
    } rows[] = {
        { "?fieldValidation=Strict", 400,
          "JobPolicy in version \"v1alpha1\" cannot be handled as a JobPolicy: strict decoding "
          "error: unknown field \"spec.limit\"" },
        { "?fieldValidation=Warn", 201, "299 - \"unknown field \\\"spec.limit\\\"\"\n" },
        { "?fieldValidation=Ignore", 201, "" },
    };
    static const char body[] =
        POLICY("p", "},\"spec\":{\"limit\":{\"parallelism\":1}," LIMIT("1") "}}");

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct api *a = *state;
        char path[256];

        api_end(a);
        api_begin(a, 0);
        (void)snprintf(path, sizeof(path), "%s%s", POLICIES, rows[i].query);
        assert_int_equal(api_call(a, "POST", path, body, NULL), rows[i].status);
        const char *got = a->status == 400        ? api_get(a, "/message")
                          : a->warnings.p == NULL ? ""
                                                  : a->warnings.p;
        assert_string_equal(got, rows[i].words);
        if (a->status == 201)
            assert_string_equal(api_get(a, "/spec"), "{" LIMIT("1") "}");
    }
}

/* ---- what kubectl shows ---- */

static const char *cells(struct api *a, const char *path)
{
    a->accept = TABLE;
    assert_int_equal(api_call(a, "GET", path, NULL, NULL), 200);
    a->accept = NULL;
    return api_get(a, "/rows/0/cells");
}

static void test_tables(void **state)
{
    static const struct {
        const char *spec, *status, *want;
    } rows[] = {
        { "{}", "{}", "[\"p\",\"Deny\",\"\",\"\",\"\",\"5s\"]" },
        { "{\"validationActions\":[]}", "{\"conditions\":[]}",
          "[\"p\",\"Deny\",\"\",\"\",\"\",\"5s\"]" },
        { "{\"validationActions\":[\"Deny\",\"Audit\"]}",
          "{\"conditions\":[{\"type\":\"Other\",\"status\":\"False\"},{\"type\":\"Accepted\","
          "\"status\":\"True\"}],\"audit\":{\"violating\":3},\"nextExceptionEnd\":\"2027-03-31T00:"
          "00:00Z\"}",
          "[\"p\",\"Deny,Audit\",\"True\",3,\"2027-03-31T00:00:00Z\",\"5s\"]" },
        { "{\"validationActions\":[\"Warn\"]}",
          "{\"conditions\":[{\"type\":\"Accepted\",\"status\":\"False\"}]}",
          "[\"p\",\"Warn\",\"False\",\"\",\"\",\"5s\"]" },
    };
    static const char *const columns[] = { "Name",      "Actions",  "Accepted",
                                           "Violating", "Next End", "Age" };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char body[512];

        api_end(a);
        api_begin(a, 0);
        (void)snprintf(body, sizeof(body), POLICY("p", "},\"spec\":%s}"), rows[i].spec);
        assert_int_equal(api_call(a, "POST", POLICIES, body, NULL), 201);
        (void)snprintf(body, sizeof(body), "{\"status\":%s}", rows[i].status);
        assert_int_equal(api_call(a, "PATCH", POLICIES "/p/status", body, MERGE), 200);
        api_advance(a, 5);
        assert_string_equal(cells(a, POLICIES), rows[i].want);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(columns); i++) {
        char pointer[64];

        (void)snprintf(pointer, sizeof(pointer), "/columnDefinitions/%zu/name", i);
        assert_string_equal(api_get(a, pointer), columns[i]);
    }
    assert_string_equal(api_get(a, "/columnDefinitions/6"), "-");
}

static void test_discovery(void **state)
{
    static const struct step steps[] = {
        { "GET", "/apis", NULL, NULL, 200,
          "/groups/3/preferredVersion/groupVersion=policy.jobreeve.dev/v1alpha1" },
        { "GET", "/apis/policy.jobreeve.dev", NULL, NULL, 200,
          "/kind=APIGroup /preferredVersion/version=v1alpha1" },
        { "GET", "/apis/policy.jobreeve.dev/v1alpha1", NULL, NULL, 200,
          "/resources/0/name=jobpolicies /resources/0/singularName=jobpolicy "
          "/resources/0/kind=JobPolicy /resources/0/namespaced=false /resources/0/shortNames=- "
          "/resources/0/categories=- /resources/1/name=jobpolicies/status /resources/2=-" },
        { "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL, NULL, 404, NULL },
        { "GET", "/openapi/v3", NULL, NULL, 200,
          "/paths/apis~1policy.jobreeve.dev~1v1alpha1/serverRelativeURL="
          "/openapi/v3/apis/policy.jobreeve.dev/v1alpha1" },
        { "GET", "/openapi/v3/apis/policy.jobreeve.dev/v1alpha1", NULL, NULL, 200,
          "/components/schemas/v1.JobPolicy/x-kubernetes-group-version-kind/0/kind=JobPolicy "
          "/components/schemas/v1.JobPolicyBudget/properties/podsAtOnce/type=integer "
          "/paths/~1apis~1policy.jobreeve.dev~1v1alpha1~1jobpolicies~1{name}/patch/parameters/2/"
          "name=fieldValidation" },
        { "GET", "/apis/policy.jobreeve.dev/v1", NULL, NULL, 404, NULL },
    };

    API_STEPS(*state, "discovery", steps);
}

/* ---- watches ---- */

static void test_watches(void **state)
{
    static const struct step steps[] = {
        { "POST", POLICIES, POLICY("p", "}}"), NULL, 201, NULL },                    /* 7 */
        { "PATCH", POLICIES "/p/status", "{" ACCEPTED "}", MERGE, 200, NULL },       /* 8 */
        { "PATCH", POLICIES "/p", "{\"spec\":{" LIMIT("1") "}}", MERGE, 200, NULL }, /* 9 */
        { "POST", POLICIES, POLICY("q", "}}"), NULL, 201, NULL },                    /* 10 */
        { "DELETE", POLICIES "/p", NULL, NULL, 200, NULL },                          /* 11 */
    };
    struct api *a = *state;
    struct stream s;

    API_STEPS(a, "watches", steps);
    stream_open(&s, a, POLICIES "?watch=1&resourceVersion=6");
    assert_string_equal(stream_read(&s, 0, 100000),
                        "ADDED p 7\nMODIFIED p 8\nMODIFIED p 9\nADDED q 10\nDELETED p 11\n");
    stream_close(&s);
    stream_open(&s, a,
                POLICIES "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                         "&allowWatchBookmarks=true");
    assert_string_equal(stream_read(&s, 0, 100000), "ADDED q 10\nBOOKMARK - 11\n");
    /* Without a Go type nothing stands behind metadata. */
    assert_non_null(strstr(s.frames.p,
                           "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"JobPolicy\","
                           "\"apiVersion\":\"policy.jobreeve.dev/v1alpha1\",\"metadata\":{"
                           "\"resourceVersion\":\"11\",\"annotations\":{"
                           "\"k8s.io/initial-events-end\":\"true\"}}}}\n"));
    stream_close(&s);
    a->accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    stream_open(&s, a, POLICIES "?watch=1");
    assert_string_equal(stream_read(&s, 0, 100000), "ADDED q 10\n");
    assert_non_null(strstr(s.frames.p, "\"kind\":\"PartialObjectMetadata\""));
    stream_close(&s);
    assert_int_equal(api_call(a, "GET", POLICIES "/q", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/kind"), "PartialObjectMetadata");
    a->accept = NULL;
}

/* ---- webhooks ---- */

static void test_who_is_asked(void **state)
{
    static const struct {
        const char *group, *resources, *more;
        const char *method, *path;
        bool want;
    } rows[] = {
        { "policy.jobreeve.dev", "jobpolicies", "", "POST", POLICIES, true },
        { "policy.jobreeve.dev", "jobpolicies", "", "PATCH", POLICIES "/old", true },
        { "policy.jobreeve.dev", "jobpolicies", "", "DELETE", POLICIES "/old", true },
        { "policy.jobreeve.dev", "jobpolicies", "", "PATCH", POLICIES "/old/status", false },
        { "policy.jobreeve.dev", "jobpolicies/status", "", "PATCH", POLICIES "/old/status", true },
        { "policy.jobreeve.dev", "jobpolicies", ",\"scope\":\"Cluster\"", "POST", POLICIES, true },
        { "policy.jobreeve.dev", "jobpolicies", ",\"scope\":\"Namespaced\"", "POST", POLICIES,
          false },
        { "batch", "jobpolicies", "", "POST", POLICIES, false },
        { "*", "*", "", "POST", POLICIES, true },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct api *a = *state;
        struct flight f;
        char rule[512];
        bool post = strcmp(rows[i].method, "POST") == 0;

        api_end(a);
        api_begin(a, 0);
        assert_int_equal(api_call(a, "POST", POLICIES, POLICY("old", "}}"), NULL), 201);
        (void)snprintf(rule, sizeof(rule),
                       "{\"operations\":[\"*\"],\"apiGroups\":[\"%s\"],\"apiVersions\":["
                       "\"v1alpha1\"],\"resources\":[\"%s\"]%s}",
                       rows[i].group, rows[i].resources, rows[i].more);
        configure(a, VALIDATING, "v", rule, "");
        begin(&f, a, rows[i].method, rows[i].path, post ? POLICY("p", "}}") : "{}",
              strcmp(rows[i].method, "PATCH") == 0 ? MERGE : NULL);
        if ((f.next == JR_DEV_NEXT_WEBHOOK) != rows[i].want)
            fail_msg("row %zu", i);
        jr_dev_op_free(f.op);
        jr_doc_free(f.review);
    }
}

static void test_what_is_asked(void **state)
{
    struct api *a = *state;
    struct flight f;

    configure(a, VALIDATING, "v",
              "{\"operations\":[\"CREATE\",\"UPDATE\"],\"apiGroups\":[\"policy.jobreeve.dev\"],"
              "\"apiVersions\":[\"v1alpha1\"],\"resources\":[\"jobpolicies\"]}",
              "");
    begin(&f, a, "POST", POLICIES, POLICY("p", "},\"spec\":{" LIMIT("-1") "}}"), NULL);
    assert_string_equal(asked(&f, "/request/kind"),
                        "{\"group\":\"policy.jobreeve.dev\",\"version\":\"v1alpha1\","
                        "\"kind\":\"JobPolicy\"}");
    assert_string_equal(asked(&f, "/request/resource/resource"), "jobpolicies");
    assert_string_equal(asked(&f, "/request/namespace"), "-");
    assert_string_equal(asked(&f, "/request/object/spec/limits/parallelism/max"), "-1");
    answer(&f, "\"allowed\":false,\"status\":{\"code\":422,\"message\":\"no\"}", NULL);
    end(&f, 422, "denied the request: no");
    assert_int_equal(api_call(a, "GET", POLICIES "/p", NULL, NULL), 404);
    begin(&f, a, "POST", POLICIES, POLICY("p", "},\"spec\":{" LIMIT("1") "}}"), NULL);
    allow(&f);
    end(&f, 201, "\"generation\":1");
    begin(&f, a, "PATCH", POLICIES "/p", "{\"spec\":{" LIMIT("2") "}}", MERGE);
    assert_string_equal(asked(&f, "/request/oldObject/spec/limits/parallelism/max"), "1");
    assert_string_equal(asked(&f, "/request/object/metadata/generation"), "2");
    allow(&f);
    end(&f, 200, "\"generation\":2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_writes),        API_TEST(test_unknown_fields), API_TEST(test_tables),
        API_TEST(test_discovery),     API_TEST(test_watches),        API_TEST(test_who_is_asked),
        API_TEST(test_what_is_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
