/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl is told of the API: documents of OpenAPI, and words for what isn't served. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

#define V3 "/openapi/v3/apis/batch/v1"
#define SCHEMA(name) "/components/schemas/" name "/properties/"

/* Every reference leads to a type of the document. */
static void check_refs(const struct jr_node *n, const struct jr_node *schemas)
{
    static const struct jr_str prefix = { "#/components/schemas/", 21 };

    for (const struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c)) {
        if (jr_str_is(jr_key(c), "$ref") && jr_node_kind(c) == JR_STRING) {
            struct jr_str ref = jr_node_str(c);

            assert_true(jr_str_starts(ref, prefix));
            if (jr_getn(schemas, jr_str_from(ref, prefix.n)) == NULL)
                fail_msg("%.*s leads nowhere", JR_P(ref));
        }
        check_refs(c, schemas);
    }
}

static void test_documents(void **state)
{
    static const struct {
        const char *path, *kind;
    } rows[] = {
        { "/openapi/v3/api/v1", "v1.Pod" },
        { V3, "v1.CronJob" },
        { "/openapi/v3/apis/coordination.k8s.io/v1", "v1.Lease" },
        { "/openapi/v3/apis/admissionregistration.k8s.io/v1", "v1.MutatingWebhookConfiguration" },
    };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_node *schemas;

        assert_int_equal(api_call(a, "GET", rows[i].path, NULL, NULL), 200);
        /* The reader refuses members that come twice, so types have names of their own. */
        assert_non_null(a->doc);
        schemas = jr_path(jr_doc_root(a->doc), "components.schemas");
        check_refs(jr_doc_root(a->doc), schemas);
        assert_non_null(
            jr_get(jr_getn(schemas, jr_str(rows[i].kind)), "x-kubernetes-group-version-kind"));
    }
    assert_int_equal(api_call(a, "GET", "/openapi/v3/apis/apps/v1", NULL, NULL), 404);
}

static void test_types(void **state)
{
    static const struct {
        const char *pointer, *want;
    } rows[] = {
        { "/components/schemas/v1.Job/x-kubernetes-group-version-kind/0/kind", "Job" },
        { SCHEMA("v1.Job") "spec/$ref", "#/components/schemas/v1.JobSpec" },
        { SCHEMA("v1.JobSpec") "parallelism/format", "int32" },
        { SCHEMA("v1.JobSpec") "suspend/type", "boolean" },
        { SCHEMA("v1.JobSpec") "template/$ref", "#/components/schemas/v1.PodTemplateSpec" },
        { SCHEMA("v1.PodSpec") "containers/items/$ref", "#/components/schemas/v1.Container" },
        { SCHEMA("v1.PodSpec") "containers/x-kubernetes-list-type", "map" },
        { SCHEMA("v1.PodSpec") "containers/x-kubernetes-list-map-keys/0", "name" },
        { SCHEMA("v1.PodSpec") "containers/x-kubernetes-patch-merge-key", "name" },
        { SCHEMA("v1.PodSpec") "containers/x-kubernetes-patch-strategy", "merge" },
        { SCHEMA("v1.PodSpec") "volumes/x-kubernetes-patch-strategy", "merge,retainKeys" },
        { SCHEMA("v1.PodSpec") "nodeSelector/additionalProperties/type", "string" },
        { SCHEMA("v1.Container") "command/x-kubernetes-list-type", "atomic" },
        { SCHEMA("v1.Container") "command/items/type", "string" },
        { SCHEMA("v1.ObjectMeta") "creationTimestamp/format", "date-time" },
        { "/paths/~1apis~1batch~1v1~1namespaces~1{namespace}~1jobs~1{name}/get/"
          "x-kubernetes-group-version-kind/kind",
          "Job" },
        { "/paths/~1apis~1batch~1v1~1namespaces~1{namespace}~1jobs~1{name}/patch/parameters/2/name",
          "fieldValidation" },
    };
    struct api *a = *state;

    assert_int_equal(api_call(a, "GET", V3, NULL, NULL), 200);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        assert_string_equal(api_get(a, rows[i].pointer), rows[i].want);
}

/* A client that asks for protobuf gets no JSON. */
static void test_version_2(void **state)
{
    static const char document[] = "\x0a\x03"
                                   "2.0"
                                   "\x12\x19\x0a\x13"
                                   "jobreeve-devcluster"
                                   "\x12\x02"
                                   "v1"
                                   "\x42\0\x4a";
    struct api *a = *state;

    a->accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    assert_int_equal(api_call(a, "GET", "/openapi/v2", NULL, NULL), 200);
    assert_int_equal(a->text.n, sizeof(document));
    assert_memory_equal(a->text.p, document, sizeof(document));
    a->accept = NULL;
    assert_int_equal(api_call(a, "GET", "/openapi/v2", NULL, NULL), 200);
    assert_string_equal(api_get(a, "/swagger"), "2.0");
    assert_int_equal(api_call(a, "POST", "/openapi/v2", NULL, NULL), 405);
}

static void test_what_is_not_served(void **state)
{
    static const struct {
        const char *method, *path, *what;
    } rows[] = {
        { "POST", PODS "/p/attach?container=c", ": the devcluster doesn't serve attach" },
        { "POST", PODS "/p/exec?command=ls", ": the devcluster doesn't serve exec" },
        { "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
          ": the devcluster doesn't serve authorization.k8s.io" },
        { "GET", "/apis/apps/v1/deployments", ": the devcluster doesn't serve apps" },
        { "GET", "/api/v1/namespaces/default/services", ": the devcluster doesn't serve services" },
        { "GET", "/api/v1/nope", "" },
        { "GET", "/apis/nope/v1/log4", "" },
    };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char want[256];

        (void)snprintf(want, sizeof(want), "the server could not find the requested resource%s",
                       rows[i].what);
        assert_int_equal(api_call(a, rows[i].method, rows[i].path, NULL, NULL), 404);
        assert_string_equal(api_get(a, "/message"), want);
        assert_string_equal(api_get(a, "/reason"), "NotFound");
    }
}

/* Fields that the API server doesn't know are dropped, however they come in; so are a strategic
 * patch's directives where a merge patch has them. */
static void test_unknown_fields(void **state)
{
    static const struct step steps[] = {
        { "POST", JOBS,
          "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"foo\":1,\"suspend\":true," JOB_TEMPLATE "}}",
          NULL, 201, "/spec/foo=- /spec/suspend=true" },
        { "PUT", JOBS "/j",
          "{\"metadata\":{\"name\":\"j\",\"bar\":1},\"spec\":{\"foo\":1,\"suspend\":false,"
          "\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"{uid}\"}},"
          "\"template\":{\"metadata\":{\"labels\":{\"batch.kubernetes.io/"
          "controller-uid\":\"{uid}\","
          "\"controller-uid\":\"{uid}\",\"batch.kubernetes.io/"
          "job-name\":\"j\",\"job-name\":\"j\"}},"
          "\"spec\":{\"foo\":1,\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\",\"foo\":1}]}}}}",
          NULL, 200,
          "/spec/foo=- /spec/suspend=false /metadata/bar=- /spec/template/spec/foo=- "
          "/spec/template/spec/containers/0/foo=-" },
        { "PATCH", JOBS "/j",
          "{\"spec\":{\"$patch\":\"replace\",\"$retainKeys\":[\"x\"],\"foo\":2,\"suspend\":true}}",
          MERGE, 200,
          "/spec/$patch=- /spec/$retainKeys=- /spec/foo=- /spec/suspend=true /spec/parallelism=1" },
        { "PATCH", JOBS "/j", "[{\"op\":\"add\",\"path\":\"/spec/foo\",\"value\":3}]", JSON_PATCH,
          200, "/spec/foo=-" },
        { "PATCH", JOBS "/j", "{\"spec\":{\"foo\":4}}", STRATEGIC, 200, "/spec/foo=-" },
        { "PATCH", JOBS "/j/status", "{\"status\":{\"$patch\":\"merge\",\"foo\":4,\"active\":2}}",
          MERGE, 200, "/status/foo=- /status/$patch=- /status/active=2" },
        { "GET", JOBS "/j", NULL, NULL, 200, "/spec/foo=- /spec/$patch=- /status/active=2" },
    };

    API_STEPS(*state, "unknown fields", steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_documents),          API_TEST(test_types),          API_TEST(test_version_2),
        API_TEST(test_what_is_not_served), API_TEST(test_unknown_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
