/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion: grace, finalizers, preconditions, collections. */
#include "tests/unit/devcluster/api.h"

#define BOUND_POD(name, more)                                                                      \
    "{\"metadata\":{\"name\":\"" name "\"" more "},\"spec\":{\"nodeName\":\"n\",\"containers\":[{" \
    "\"name\":\"c\",\"image\":\"x\"}]}}"

static void test_pods_have_grace(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS, BOUND_POD("p", ""), NULL, 201, NULL },
        { "DELETE", PODS "/p", NULL, NULL, 200,
          "/kind=Pod /metadata/deletionTimestamp=2027-01-15T08:00:30Z "
          "/metadata/deletionGracePeriodSeconds=30 "
          "/metadata/generation=2 /metadata/resourceVersion=8" },
        /* A second request may only shorten it. */
        { "DELETE", PODS "/p", NULL, NULL, 200, "/metadata/resourceVersion=8" },
        { "DELETE", PODS "/p", "{\"gracePeriodSeconds\":40}", NULL, 200,
          "/metadata/deletionGracePeriodSeconds=30" },
        { "DELETE", PODS "/p", "{\"gracePeriodSeconds\":5}", NULL, 200,
          "/metadata/deletionTimestamp=2027-01-15T08:00:05Z /metadata/deletionGracePeriodSeconds=5 "
          "/metadata/resourceVersion=9 /metadata/generation=2" },
        { "PATCH", PODS "/p",
          "{\"metadata\":{\"deletionTimestamp\":null,\"deletionGracePeriodSeconds\":null}}", MERGE,
          200, "/metadata/deletionGracePeriodSeconds=5 /metadata/resourceVersion=9" },
        { "POST", PODS "/p/binding", "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"n\"}}",
          NULL, 409, NULL },
        /* The kubelet's last word: shown once more, then gone. */
        { "DELETE", PODS "/p", "{\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"{uid}\"}}",
          NULL, 200, "/metadata/deletionGracePeriodSeconds=0 /metadata/resourceVersion=11" },
        { "GET", PODS "/p", NULL, NULL, 404, NULL },
        { "DELETE", PODS "/p", NULL, NULL, 404, NULL },
        { "POST", PODS, BOUND_POD("q", ""), NULL, 201, NULL },
        { "DELETE", PODS "/q?gracePeriodSeconds=7", NULL, NULL, 200,
          "/metadata/deletionGracePeriodSeconds=7" },
        { "DELETE", PODS "/q?gracePeriodSeconds=-3", NULL, NULL, 200,
          "/metadata/deletionGracePeriodSeconds=1" },
    };
    struct api *a = *state;
    struct stream s;

    stream_open(&s, a, PODS "?watch=1&resourceVersion=6&fieldSelector=metadata.name%3Dp");
    API_STEPS(a, "grace", steps);
    assert_string_equal(stream_read(&s, 0, 100000),
                        "ADDED p 7\nMODIFIED p 8\nMODIFIED p 9\nMODIFIED p 10\nDELETED p 11\n");
    stream_close(&s);
}

static void test_pods_without_grace(void **state)
{
    static const struct step steps[] = {
        /* Not bound. */
        { "POST", PODS, "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}", NULL, 201, NULL },
        { "DELETE", PODS "/p", NULL, NULL, 200, "/metadata/deletionGracePeriodSeconds=0" },
        { "GET", PODS "/p", NULL, NULL, 404, NULL },
        /* Terminal. */
        { "POST", PODS, BOUND_POD("q", ""), NULL, 201, NULL },
        { "PATCH", PODS "/q/status", "{\"status\":{\"phase\":\"Succeeded\"}}", MERGE, 200, NULL },
        { "DELETE", PODS "/q", NULL, NULL, 200, NULL },
        { "GET", PODS "/q", NULL, NULL, 404, NULL },
        /* Terminal, with a finalizer: as Job tracking has it. */
        { "POST", PODS, BOUND_POD("r", ",\"finalizers\":[\"batch.kubernetes.io/job-tracking\"]"),
          NULL, 201, NULL },
        { "PATCH", PODS "/r/status", "{\"status\":{\"phase\":\"Failed\"}}", MERGE, 200, NULL },
        { "DELETE", PODS "/r", NULL, NULL, 200,
          "/metadata/deletionGracePeriodSeconds=0 /metadata/generation=2" },
        { "GET", PODS "/r", NULL, NULL, 200, NULL },
        { "PATCH", PODS "/r",
          "{\"metadata\":{\"finalizers\":[\"x.y/new\",\"batch.kubernetes.io/job-tracking\"]}}",
          MERGE, 422, NULL },
        { "PATCH", PODS "/r",
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"batch.kubernetes.io/"
          "job-tracking\"]}}",
          STRATEGIC, 200, "/metadata/finalizers=-" },
        { "GET", PODS "/r", NULL, NULL, 404, NULL },
    };

    API_STEPS(*state, "no grace", steps);
}

static void test_finalizer_first_then_the_kubelet(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS, BOUND_POD("p", ",\"finalizers\":[\"a.b/c\"]"), NULL, 201, NULL },
        { "DELETE", PODS "/p", NULL, NULL, 200, "/metadata/deletionGracePeriodSeconds=30" },
        /* Without finalizers it still waits for the kubelet. */
        { "PATCH", PODS "/p", "{\"metadata\":{\"finalizers\":null}}", MERGE, 200, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, "/metadata/finalizers=-" },
        { "DELETE", PODS "/p", "{\"gracePeriodSeconds\":0}", NULL, 200, NULL },
        { "GET", PODS "/p", NULL, NULL, 404, NULL },
        /* The other way round. */
        { "POST", PODS, BOUND_POD("q", ",\"finalizers\":[\"a.b/c\"]"), NULL, 201, NULL },
        { "DELETE", PODS "/q", NULL, NULL, 200, NULL },
        { "DELETE", PODS "/q", "{\"gracePeriodSeconds\":0}", NULL, 200,
          "/metadata/deletionGracePeriodSeconds=0" },
        { "PATCH", PODS "/q/status", "{\"status\":{\"phase\":\"Failed\"}}", MERGE, 200, NULL },
        { "PUT", PODS "/q",
          "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":"
          "\"c\",\"image\":\"x\"}]}}",
          NULL, 200, "/metadata/finalizers=-" },
        { "GET", PODS "/q", NULL, NULL, 404, NULL },
    };

    API_STEPS(*state, "finalizers", steps);
}

static void test_preconditions(void **state)
{
    static const struct step steps[] = {
        { "POST", JOBS, "{\"metadata\":{\"name\":\"j\"},\"spec\":{" JOB_TEMPLATE "}}", NULL, 201,
          NULL },
        { "DELETE", JOBS "/j", "{\"preconditions\":{\"uid\":\"x\"}}", NULL, 409,
          "/reason=Conflict /details/kind=Job" },
        { "DELETE", JOBS "/j", "{\"preconditions\":{\"resourceVersion\":\"1\"}}", NULL, 409, NULL },
        { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Foo\"}", NULL, 422, NULL },
        { "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Orphan\",\"orphanDependents\":false}",
          NULL, 422, NULL },
        { "DELETE", JOBS "/j", "{\"gracePeriodSeconds\":\"x\"}", NULL, 400, NULL },
        { "DELETE", JOBS "/j", "{", NULL, 400, NULL },
        { "GET", JOBS "/j", NULL, NULL, 200, "/metadata/resourceVersion=7" },
        { "DELETE", JOBS "/j",
          "{\"preconditions\":{\"uid\":\"{uid}\",\"resourceVersion\":\"{rv}\"},"
          "\"propagationPolicy\":\"Background\"}",
          NULL, 200, "/status=Success /details/name=j /details/group=batch /details/kind=jobs" },
        { "DELETE", "/api/v1/namespaces/default", NULL, NULL, 403, NULL },
        { "DELETE", "/api/v1/namespaces/kube-system", NULL, NULL, 403, NULL },
    };

    API_STEPS(*state, "preconditions", steps);
}

static void test_collections(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}}}", NULL, 201,
          NULL },
        { "POST", MAPS, "{\"metadata\":{\"name\":\"b\"}}", NULL, 201, NULL },
        { "POST", MAPS,
          "{\"metadata\":{\"name\":\"c\",\"labels\":{\"x\":\"1\"},\"finalizers\":[\"a.b/c\"]}}",
          NULL, 201, NULL },
        { "DELETE", MAPS "?labelSelector=x%3D1", NULL, NULL, 200,
          "/kind=ConfigMapList /items/0/metadata/name=a /items/1/metadata/name=c /items/2=-" },
        { "GET", MAPS, NULL, NULL, 200,
          "/items/0/metadata/name=b /items/1/metadata/name=c /items/2=- "
          "/items/1/metadata/deletionGracePeriodSeconds=0" },
        { "DELETE", "/api/v1/configmaps", NULL, NULL, 405, NULL },
        { "DELETE", "/api/v1/namespaces", NULL, NULL, 405, NULL },
        { "DELETE", MAPS, "{\"propagationPolicy\":\"Foo\"}", NULL, 422, NULL },
    };

    API_STEPS(*state, "collections", steps);
}

static void test_namespaces(void **state)
{
    static const struct step steps[] = {
        { "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}", NULL, 201, NULL },
        { "POST", "/api/v1/namespaces/n/configmaps", "{\"metadata\":{\"name\":\"a\"}}", NULL, 201,
          NULL },
        { "POST", "/api/v1/namespaces/n/pods", BOUND_POD("p", ""), NULL, 201, NULL },
        { "POST", "/apis/batch/v1/namespaces/n/jobs",
          "{\"metadata\":{\"name\":\"j\"},\"spec\":{" JOB_TEMPLATE "}}", NULL, 201, NULL },
        { "DELETE", "/api/v1/namespaces/n", NULL, NULL, 200,
          "/status/phase=Terminating /metadata/deletionGracePeriodSeconds=-" },
        { "DELETE", "/api/v1/namespaces/n", NULL, NULL, 200, "/metadata/resourceVersion=11" },
        { "POST", "/api/v1/namespaces/n/configmaps", "{\"metadata\":{\"name\":\"b\"}}", NULL, 403,
          "/details/causes/0/reason=NamespaceTerminating" },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", "/api/v1/namespaces/n/configmaps", NULL, NULL, 200, "/items=[]" },
        { "GET", "/apis/batch/v1/namespaces/n/jobs", NULL, NULL, 200, "/items=[]" },
        { "GET", "/api/v1/namespaces/n/pods/p", NULL, NULL, 200,
          "/metadata/deletionGracePeriodSeconds=30" },
        { "GET", "/api/v1/namespaces/n", NULL, NULL, 200, NULL },
        { "DELETE", "/api/v1/namespaces/n/pods/p", "{\"gracePeriodSeconds\":0}", NULL, 200, NULL },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", "/api/v1/namespaces/n", NULL, NULL, 404, NULL },
        /* By its finalizer, as a controller would do it. */
        { "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"m\"}}", NULL, 201, NULL },
        { "PUT", "/api/v1/namespaces/m", "{\"metadata\":{\"name\":\"m\"},\"spec\":{}}", NULL, 200,
          "/spec/finalizers=[\"kubernetes\"]" },
        { "DELETE", "/api/v1/namespaces/m", NULL, NULL, 200, NULL },
        { "PUT", "/api/v1/namespaces/m/finalize",
          "{\"metadata\":{\"name\":\"m\"},\"spec\":{\"finalizers\":[]}}", NULL, 200, NULL },
        { "GET", "/api/v1/namespaces/m", NULL, NULL, 404, NULL },
    };

    API_STEPS(*state, "namespaces", steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_pods_have_grace),
        API_TEST(test_pods_without_grace),
        API_TEST(test_finalizer_first_then_the_kubelet),
        API_TEST(test_preconditions),
        API_TEST(test_collections),
        API_TEST(test_namespaces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
