/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of fields of a wrong type, of unknown and of duplicate ones. */
#include <stdio.h>

#include "tests/unit/devcluster/api.h"

#define HEAD "Job in version \"v1\" cannot be handled as a Job: "
#define SPEC(more) "{\"metadata\":{\"name\":\"j\"},\"spec\":{" more JOB_TEMPLATE "}}"

/* Words of kube-apiserver 1.36. */
static void test_types(void **state)
{
    static const struct {
        const char *body;
        const char *words;
    } rows[] = {
        { "{\"spec\":{\"parallelism\":\"two\"}}", "json: cannot unmarshal string into Go struct "
                                                  "field JobSpec.spec.parallelism of type int32" },
        { "{\"spec\":{\"parallelism\":1.5}}", "json: cannot unmarshal number 1.5 into Go struct "
                                              "field JobSpec.spec.parallelism of type int32" },
        { "{\"spec\":{\"parallelism\":3000000000}}",
          "json: cannot unmarshal number 3000000000 into Go struct field JobSpec.spec.parallelism "
          "of type int32" },
        { "{\"spec\":{\"suspend\":\"x\"}}",
          "json: cannot unmarshal string into Go struct field JobSpec.spec.suspend of type bool" },
        { "{\"spec\":{\"template\":5}}", "json: cannot unmarshal number into Go struct field "
                                         "JobSpec.spec.template of type v1.PodTemplateSpec" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":{}}}}}",
          "json: cannot unmarshal object into Go struct field "
          "PodSpec.spec.template.spec.containers of type "
          "[]v1.Container" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":5}]}}}}",
          "json: cannot unmarshal number into Go struct field "
          "Container.spec.template.spec.containers.name of type "
          "string" },
        { "{\"spec\":{\"selector\":{\"matchLabels\":{\"a\":1}}}}",
          "json: cannot unmarshal number into Go struct field "
          "LabelSelector.spec.selector.matchLabels of type string" },
        { "{\"metadata\":{\"labels\":{\"a\":1}}}",
          "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
          "string" },
        { "{\"metadata\":[]}",
          "json: cannot unmarshal array into Go struct field Job.metadata of type v1.ObjectMeta" },
        { "{\"metadata\":{\"creationTimestamp\":5}}",
          "json: cannot unmarshal number into Go struct field "
          "ObjectMeta.metadata.creationTimestamp of type string" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"startupProbe\":{\"tcpSocket\":{"
          "\"port\":1.5}}}]}}}}",
          "json: cannot unmarshal number 1.5 into Go struct field "
          "TCPSocketAction.spec.template.spec.containers.startupProbe.ProbeHandler.tcpSocket.port "
          "of type int32" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"livenessProbe\":{"
          "\"periodSeconds\":\"5\"}}]}}}}",
          "json: cannot unmarshal string into Go struct field "
          "Probe.spec.template.spec.containers.livenessProbe.periodSeconds of type int32" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"securityContext\":{"
          "\"capabilities\":{\"add\":[\"A\",1]}}}]}}}}",
          "json: cannot unmarshal number into Go struct field "
          "Capabilities.spec.template.spec.containers.securityContext.capabilities.add of type "
          "v1.Capability" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"securityContext\":{"
          "\"capabilities\":{\"add\":\"A\"}}}]}}}}",
          "json: cannot unmarshal string into Go struct field "
          "Capabilities.spec.template.spec.containers.securityContext.capabilities.add of type "
          "[]v1.Capability" },
        { "{\"spec\":{\"template\":{\"spec\":{\"securityContext\":{\"supplementalGroups\":[1,\"2\"]"
          "}}}}}",
          "json: cannot unmarshal string into Go struct field "
          "PodSecurityContext.spec.template.spec.securityContext.supplementalGroups of type "
          "int64" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":[\"cpu\"]}"
          "}]}}}}",
          "json: cannot unmarshal array into Go struct field "
          "ResourceRequirements.spec.template.spec.containers.resources.limits of type "
          "v1.ResourceList" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":"
          "\"1x\"}}}]}}}}",
          "quantities must match the regular expression "
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":"
          "true}}}]}}}}",
          "quantities must match the regular expression "
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" },
        { "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":"
          "\"1kk\"}}}]}}}}",
          "unable to parse quantity's suffix" },
        { "{\"spec\":{\"template\":{\"spec\":{\"volumes\":[{\"emptyDir\":{\"sizeLimit\":\"1kk\"}}]}"
          "}}}",
          "unable to parse quantity's suffix" },
        { "{\"status\":{\"startTime\":\"x\"}}",
          "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"" },
    };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char want[512];

        (void)snprintf(want, sizeof(want), "%s%s", HEAD, rows[i].words);
        if (api_call(a, "POST", JOBS, rows[i].body, NULL) != 400 ||
            strcmp(api_get(a, "/message"), want) != 0)
            fail_msg("%s: %s", rows[i].body, a->text.p);
    }
}

static void test_validation_modes(void **state)
{
    static const struct {
        const char *query;
        const char *body;
        int status;
        const char *words; /* of the refusal, or of the warnings */
    } rows[] = {
        { "?fieldValidation=Strict", SPEC("\"foo\":1,"), 400,
          HEAD "strict decoding error: unknown field \"spec.foo\"" },
        { "?fieldValidation=Strict", SPEC("\"foo\":1,\"bar\":{},"), 400,
          HEAD "strict decoding error: unknown field \"spec.foo\", unknown field \"spec.bar\"" },
        { "?fieldValidation=Strict", SPEC("\"\":1,"), 400,
          HEAD "strict decoding error: unknown field \"spec.\"" },
        { "?fieldValidation=Strict", SPEC("\"parallelism\":1,\"parallelism\":2,"), 400,
          HEAD "strict decoding error: duplicate field \"spec.parallelism\"" },
        { "?fieldValidation=Strict",
          "{\"foo\":1,\"metadata\":{\"name\":\"j\",\"bar\":1},\"spec\":{" JOB_TEMPLATE "}}", 400,
          HEAD "strict decoding error: unknown field \"foo\", unknown field \"metadata.bar\"" },
        { "?fieldValidation=Strict",
          "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":"
          "\"Never\",\"containers\":[{"
          "\"name\":\"c\",\"image\":\"x\",\"env\":[{\"name\":\"A\",\"valu\":\"1\"}]}]}}}}",
          400,
          HEAD
          "strict decoding error: unknown field \"spec.template.spec.containers[0].env[0].valu\"" },
        { "?dryRun=All", SPEC("\"foo\":1,\"parallelism\":1,\"parallelism\":2,"), 201,
          "299 - \"unknown field \\\"spec.foo\\\"\"\n299 - \"duplicate field "
          "\\\"spec.parallelism\\\"\"\n" },
        { "?dryRun=All&fieldValidation=Warn", SPEC("\"foo\":1,"), 201,
          "299 - \"unknown field \\\"spec.foo\\\"\"\n" },
        { "?dryRun=All&fieldValidation=Ignore",
          SPEC("\"foo\":1,\"parallelism\":1,\"parallelism\":2,"), 201, "" },
        { "?dryRun=All&fieldValidation=Strict", SPEC(""), 201, "" },
    };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char path[256];

        (void)snprintf(path, sizeof(path), "%s%s", JOBS, rows[i].query);
        if (api_call(a, "POST", path, rows[i].body, NULL) != rows[i].status)
            fail_msg("%s %s: %s", path, rows[i].body, a->text.p);
        const char *got = a->status == 400        ? api_get(a, "/message")
                          : a->warnings.p == NULL ? ""
                                                  : a->warnings.p;
        if (strcmp(got, rows[i].words) != 0)
            fail_msg("%s %s: %s", path, rows[i].body, got);
    }
}

static void test_patches(void **state)
{
    static const struct step steps[] = {
        { "POST", JOBS "?fieldValidation=Ignore", SPEC(""), NULL, 201, NULL },
        { "PATCH", JOBS "/j?fieldValidation=Strict", "{\"spec\":{\"foo\":1}}", STRATEGIC, 422,
          "/details/causes/0/field=patch" },
        { "PATCH", JOBS "/j", "{\"spec\":{\"parallelism\":\"x\"}}", STRATEGIC, 422,
          "/reason=Invalid" },
        { "PATCH", JOBS "/j", "{\"spec\":{\"parallelism\":\"x\"}}", MERGE, 422, "/reason=Invalid" },
        { "PATCH", JOBS "/j?fieldValidation=Strict", "{\"spec\":{\"suspend\":true}}", STRATEGIC,
          200, "/spec/suspend=true" },
    };
    struct api *a = *state;

    api_steps(a, "patches", steps, 2);
    assert_string_equal(
        api_get(a, "/message"),
        " \"\" is invalid: patch: Invalid value: \"map[spec:map[foo:1]]\": strict decoding error: "
        "unknown field \"spec.foo\"");
    api_steps(a, "patches", steps + 2, 1);
    assert_string_equal(
        api_get(a, "/message"),
        " \"\" is invalid: patch: Invalid value: \"map[spec:map[parallelism:x]]\": unrecognized "
        "type: int32");
    api_steps(a, "patches", steps + 3, 2);
}

/* What isn't known is not stored, whichever way it comes. */
static void test_unknown_fields(void **state)
{
    static const struct {
        const char *method, *path, *body, *type;
        int status;
    } rows[] = {
        { "POST", JOBS "?fieldValidation=Ignore",
          "{\"unknown\":1,\"metadata\":{\"name\":\"j\",\"unknown\":{}},\"spec\":{\"unknown\":[1],"
          "\"template\":{\"spec\":{\"unknown\":1,\"restartPolicy\":\"Never\",\"containers\":[{"
          "\"name\":\"c\",\"image\":\"x\",\"unknown\":1,\"env\":[{\"name\":\"A\",\"unknown\":1}]"
          "}]}}}}",
          NULL, 201 },
        { "PATCH", JOBS "/j", "{\"spec\":{\"unknown\":1,\"parallelism\":2}}", MERGE, 200 },
        { "PATCH", JOBS "/j", "{\"spec\":{\"$unknown\":\"x\",\"parallelism\":3}}", MERGE, 200 },
        { "PATCH", JOBS "/j", "{\"spec\":{\"unknown\":1,\"parallelism\":4}}", STRATEGIC, 200 },
        { "PATCH", JOBS "/j/status", "{\"status\":{\"unknown\":1}}", MERGE, 200 },
    };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (api_call(a, rows[i].method, rows[i].path, rows[i].body, rows[i].type) != rows[i].status)
            fail_msg("%s: %s", rows[i].body, a->text.p);
        if (strstr(a->text.p, "unknown") != NULL || strstr(a->text.p, "\"c\"") == NULL)
            fail_msg("%s: stored as %s", rows[i].body, a->text.p);
    }
}

/* Nothing that a client sends makes an operation fail. */
static void test_odd_bodies(void **state)
{
    static const char *const bodies[] = {
        "null",
        "5",
        "\"x\"",
        "true",
        "{}",
        "[]",
        "[[]]",
        "{\"metadata\":null}",
        "{\"metadata\":5}",
        "{\"metadata\":{\"name\":5}}",
        "{\"metadata\":{\"name\":\"x\",\"labels\":null,\"annotations\":{\"a\":null}}}",
        "{\"metadata\":{\"labels\":[]}}",
        "{\"metadata\":{\"ownerReferences\":{}}}",
        "{\"metadata\":{\"ownerReferences\":[5]}}",
        "{\"metadata\":{\"finalizers\":[null,5]}}",
        "{\"spec\":5}",
        "{\"spec\":null}",
        "{\"spec\":[]}",
        "{\"status\":5}",
        "{\"status\":[]}",
        "{\"status\":{\"conditions\":5}}",
        "{\"status\":{\"conditions\":[5]}}",
        "{\"data\":5}",
        "{\"webhooks\":5}",
        "{\"webhooks\":[5]}",
        "{\"webhooks\":[{\"rules\":5,\"clientConfig\":5}]}",
        "{\"kind\":5}",
        "{\"apiVersion\":5}",
        "{\"kind\":\"\",\"apiVersion\":\"\"}",
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[null]}}}}",
        "{\"spec\":{\"containers\":[{\"resources\":5,\"env\":{}}]}}",
        "{\"spec\":{\"jobTemplate\":5}}",
        "{\"source\":5}",
        "{\"involvedObject\":5}",
        "{\"type\":5}",
        "{\"spec\":{\"finalizers\":5}}",
        "{\"spec\":{\"finalizers\":[5]}}",
    };
    static const char *const paths[] = {
        "/api/v1/namespaces",
        PODS,
        "/api/v1/nodes",
        "/api/v1/namespaces/default/events",
        MAPS,
        "/api/v1/namespaces/default/secrets",
        "/api/v1/namespaces/default/serviceaccounts",
        JOBS,
        "/apis/batch/v1/namespaces/default/cronjobs",
        "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        "/apis/policy.jobreeve.dev/v1alpha1/jobpolicies",
    };
    struct api *a = *state;

    for (size_t p = 0; p < JR_ARRAY_SIZE(paths); p++) {
        char one[256], status[256];

        (void)snprintf(one, sizeof(one), "%s/x", paths[p]);
        (void)snprintf(status, sizeof(status), "%s/x/status", paths[p]);
        (void)api_call(a, "POST", paths[p], "{\"metadata\":{\"name\":\"x\"}}", NULL);
        for (size_t i = 0; i < JR_ARRAY_SIZE(bodies); i++) {
            static const char *const types[] = { MERGE, STRATEGIC, JSON_PATCH };

            (void)api_call(a, "POST", paths[p], bodies[i], NULL);
            (void)api_call(a, "PUT", one, bodies[i], NULL);
            for (size_t t = 0; t < JR_ARRAY_SIZE(types); t++) {
                (void)api_call(a, "PATCH", one, bodies[i], types[t]);
                (void)api_call(a, "PATCH", status, bodies[i], types[t]);
            }
            (void)api_call(a, "DELETE", one, bodies[i], NULL);
            assert_true(a->status >= 200 && a->status < 600);
        }
        a->accept = TABLE;
        assert_int_equal(api_call(a, "GET", paths[p], NULL, NULL), 200);
        a->accept = NULL;
        api_tick(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_types),          API_TEST(test_validation_modes), API_TEST(test_patches),
        API_TEST(test_unknown_fields), API_TEST(test_odd_bodies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
