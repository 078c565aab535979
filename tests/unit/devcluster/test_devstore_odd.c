/* SPDX-License-Identifier: Apache-2.0 */
/* Any value in any place of an object: the server answers, and goes on. What is of a wrong type
 * must be refused before something relies on it. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

static const struct {
    const char *collection; /* its name is x */
    const char *object;
    bool status; /* has the subresource */
} rows[] = {
    { "/api/v1/namespaces",
      "{\"metadata\":{\"name\":\"x\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"finalizers\":[\"a/b\"]},"
      "\"status\":{\"phase\":\"Active\",\"conditions\":[{\"type\":\"a\"}]}}",
      true },
    { PODS,
      "{\"metadata\":{\"name\":\"x\",\"finalizers\":[\"a.b/c\"],\"annotations\":{\"a\":\"b\"},"
      "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\","
      "\"blockOwnerDeletion\":true,\"controller\":true}]},\"spec\":{\"nodeName\":\"n\","
      "\"terminationGracePeriodSeconds\":3,\"containers\":[{\"name\":\"c\",\"image\":\"x\","
      "\"resources\":{\"limits\":{\"cpu\":\"1\"},\"requests\":{\"cpu\":1}},\"env\":[{\"name\":"
      "\"A\","
      "\"value\":\"1\"}]}],\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]},\"status\":{\"phase\":"
      "\"Running\",\"qosClass\":\"BestEffort\",\"conditions\":[{\"type\":\"Ready\",\"status\":"
      "\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}],\"containerStatuses\":[{\"name\":"
      "\"c\",\"restartCount\":1,\"state\":{\"terminated\":{\"exitCode\":1}}}]}}",
      true },
    { "/api/v1/nodes",
      "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"unschedulable\":true},\"status\":{\"addresses\":["
      "{"
      "\"type\":\"InternalIP\",\"address\":\"1.2.3.4\"}],\"conditions\":[{\"type\":\"Ready\","
      "\"status\":\"True\"}],\"nodeInfo\":{\"osImage\":\"a\"}}}",
      true },
    { "/api/v1/namespaces/default/events",
      "{\"metadata\":{\"name\":\"x\"},\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\"},"
      "\"count\":"
      "2,\"lastTimestamp\":\"2026-01-01T00:00:00Z\",\"series\":{\"count\":1},\"source\":{"
      "\"component\":\"a\"},\"message\":\"m\"}",
      false },
    { MAPS, "{\"metadata\":{\"name\":\"x\"},\"data\":{\"a\":\"b\"}}", false },
    { "/api/v1/namespaces/default/secrets",
      "{\"metadata\":{\"name\":\"x\"},\"type\":\"Opaque\",\"data\":{\"a\":\"Yg==\"}}", false },
    { JOBS,
      "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"completions\":2,\"parallelism\":2,"
      "\"completionMode\":\"Indexed\",\"backoffLimitPerIndex\":1,\"podFailurePolicy\":{\"rules\":[{"
      "\"action\":\"FailJob\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[1]}}]}," JOB_TEMPLATE
      "},\"status\":{\"active\":1,\"completedIndexes\":\"0\",\"conditions\":[{\"type\":\"a\","
      "\"status\":\"True\"}],\"uncountedTerminatedPods\":{\"failed\":[\"u\"]}}}",
      true },
    { "/apis/batch/v1/namespaces/default/cronjobs",
      "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"schedule\":\"* * * * "
      "*\",\"jobTemplate\":{\"spec\":"
      "{" JOB_TEMPLATE "}}},\"status\":{\"active\":[{\"kind\":\"Job\"}],\"lastScheduleTime\":"
      "\"2026-01-01T00:00:00Z\"}}",
      true },
    { "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"holderIdentity\":\"a\",\"leaseDurationSeconds\":"
      "3}}",
      false },
    { "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
      "{\"metadata\":{\"name\":\"x\"},\"webhooks\":[{\"name\":\"a.b.c\","
      "\"admissionReviewVersions\":"
      "[\"v1\"],\"sideEffects\":\"None\",\"timeoutSeconds\":3,\"clientConfig\":{\"service\":{"
      "\"name\":"
      "\"a\",\"namespace\":\"b\",\"port\":1},\"caBundle\":\"Yg==\"},\"objectSelector\":{"
      "\"matchLabels\":{\"a\":\"b\"}},\"rules\":[{\"operations\":[\"CREATE\"],\"apiGroups\":["
      "\"no\"],"
      "\"apiVersions\":[\"v1\"],\"resources\":[\"x\"]}]}]}",
      false },
    { "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies",
      "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"validationActions\":[\"Warn\"],\"limits\":{"
      "\"parallelism\":{\"max\":1}},\"budget\":{\"requestsAtOnce\":{\"cpu\":\"1\"}}},\"status\":{"
      "\"conditions\":[{\"type\":\"Accepted\",\"status\":\"True\"}]}}",
      true },
};

static const char *const values[] = { "null", "\"\"", "\"x\"",        "-1",        "1.5",
                                      "true", "[]",   "{}",           "[null]",    "[\"x\"]",
                                      "[{}]", "[[]]", "{\"a\":null}", "{\"a\":1}", "{\"a\":[]}" };

/* Sends the object to all that takes one, and looks at what came of it in every format. */
static void send_everywhere(struct api *a, size_t row, const char *text)
{
    static const char *const methods[] = { "POST", "PUT", "PATCH", "PATCH" };
    static const char *const types[] = { NULL, NULL, MERGE, STRATEGIC };
    char one[256], status[300];

    (void)snprintf(one, sizeof(one), "%s/x", rows[row].collection);
    (void)snprintf(status, sizeof(status), "%s/status", one);
    for (size_t i = 0; i < JR_ARRAY_SIZE(methods); i++) {
        int got = api_call(a, methods[i], i == 0 ? rows[row].collection : one, text, types[i]);

        /* A patch's list element without its key is a 500 of real API servers too. */
        if (got >= 500 && strstr(a->text.p, "declared merge key") == NULL)
            fail_msg("%s: %d %s", text, got, a->text.p);
        if (i > 0 && rows[row].status)
            (void)api_call(a, methods[i], status, text, types[i]);
    }
    a->accept = TABLE;
    assert_int_equal(api_call(a, "GET", rows[row].collection, NULL, NULL), 200);
    a->accept = NULL;
    (void)api_call(a, "DELETE", one, "{\"gracePeriodSeconds\":0}", NULL);
    (void)api_call(a, "PATCH", one, "{\"metadata\":{\"finalizers\":null}}", MERGE);
    (void)api_call(a, "DELETE", one, "{\"gracePeriodSeconds\":0}", NULL);
    api_tick(a);
}

/* Each value in the place of this one, and of all below it. */
static void try_values(struct api *a, size_t row, struct jr_doc *doc, struct jr_node *n)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *was = NULL;

    for (struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c))
        try_values(a, row, doc, c);
    assert_int_equal(jr_doc_of(n, &was), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(values); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *value = NULL;
        JR_BUF text = { 0 };

        assert_int_equal(jr_doc_parse(jr_str(values[i]), &JR_READER_STRICT, &value, NULL), JR_OK);
        assert_int_equal(jr_node_assign(n, jr_doc_root(value)), JR_OK);
        jr_buf_init(&text, SIZE_MAX);
        assert_int_equal(jr_node_print(jr_doc_root(doc), &text), JR_OK);
        send_everywhere(a, row, text.p);
    }
    assert_int_equal(jr_node_assign(n, jr_doc_root(was)), JR_OK);
}

static void test_values(void **state)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        assert_int_equal(jr_doc_parse(jr_str(rows[i].object), &JR_READER_STRICT, &doc, NULL),
                         JR_OK);
        if (api_call(*state, "POST", rows[i].collection, rows[i].object, NULL) != 201)
            fail_msg("%s", ((struct api *)*state)->text.p);
        try_values(*state, i, doc, jr_doc_root(doc));
    }
}

static void test_binding(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS, "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}", NULL, 201, NULL },
        { "POST", PODS "/p/binding",
          "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":1}},\"target\":{\"name\":\"n\"}}",
          NULL, 400, "/reason=BadRequest" },
        { "POST", PODS "/p/binding",
          "{\"metadata\":{\"name\":\"p\",\"annotations\":[\"a\"]},\"target\":{\"name\":\"n\"}}",
          NULL, 400, NULL },
        { "POST", PODS "/p/binding", "[]", NULL, 400, NULL },
        { "POST", PODS "/p/binding",
          "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":\"b\"}},\"target\":{\"name\":"
          "\"n\"}}",
          NULL, 201, NULL },
        { "GET", PODS "/p", NULL, NULL, 200, "/metadata/annotations/a=b /spec/nodeName=n" },
    };

    API_STEPS(*state, "binding", steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_values),
        API_TEST(test_binding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
