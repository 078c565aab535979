/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, updates, conflicts, versions, and the words of refusals. */
#include "devcluster/apiserver/state.h"
#include "tests/unit/devcluster/api.h"

static void test_create_completes_objects(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS,
          "{\"metadata\":{\"name\":\"a\",\"labels\":{},\"managedFields\":[{}]},\"data\":{\"k\":"
          "\"v\"}}",
          NULL, 201,
          "/kind=ConfigMap /apiVersion=v1 /metadata/namespace=default /metadata/resourceVersion=7 "
          "/metadata/creationTimestamp=2027-01-15T08:00:00Z /metadata/labels=- "
          "/metadata/generation=- /metadata/managedFields=-" },
        { "POST", PODS,
          "{\"metadata\":{\"name\":\"p\",\"uid\":\"mine\",\"generation\":9}," POD_SPEC "}", NULL,
          201,
          "/metadata/generation=1 /status/phase=Pending /status/qosClass=BestEffort "
          "/spec/restartPolicy=Always /spec/enableServiceLinks=true "
          "/spec/containers/0/imagePullPolicy=Always" },
        { "POST", JOBS,
          "{\"metadata\":{\"name\":\"j\"},\"spec\":{" JOB_TEMPLATE "},\"status\":{\"active\":5}}",
          NULL, 201,
          "/metadata/generation=1 /status={} /spec/backoffLimit=6 /spec/completionMode=NonIndexed "
          "/spec/template/metadata/labels/job-name=j /metadata/labels/job-name=j" },
        { "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}", NULL, 201,
          "/metadata/labels/kubernetes.io~1metadata.name=n /status/phase=Active "
          "/spec/finalizers=[\"kubernetes\"]" },
        { "POST", "/apis/batch/v1/namespaces/default/cronjobs",
          "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"schedule\":\"@daily\",\"jobTemplate\":{"
          "\"spec\":{" JOB_TEMPLATE "}}}}",
          NULL, 201, "/spec/concurrencyPolicy=Allow /spec/successfulJobsHistoryLimit=3" },
        { "POST", "/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"s\"}}", NULL,
          201, "/type=Opaque" },
        { "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
          "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"x\"}}", NULL, 201,
          "/spec/holderIdentity=x" },
    };
    struct api *a = *state;

    API_STEPS(a, "create", steps);
    assert_int_equal(api_call(a, "GET", PODS "/p", NULL, NULL), 200);
    assert_string_not_equal(api_get(a, "/metadata/uid"), "mine");
    assert_int_equal(strlen(api_get(a, "/metadata/uid")), 36);
    assert_int_equal(api_get(a, "/metadata/uid")[14], '4');
}

static void test_names_are_generated(void **state)
{
    struct api *a = *state;
    char name[300];

    memset(name, 'x', 100);
    name[100] = '\0';
    for (int i = 0; i < 20; i++) {
        assert_int_equal(
            api_call(a, "POST", MAPS, "{\"metadata\":{\"generateName\":\"g-\"}}", NULL), 201);
        assert_int_equal(strlen(api_get(a, "/metadata/name")), 7);
    }
    assert_int_equal(api_call(a, "GET", MAPS, NULL, NULL), 200);
    assert_string_equal(api_get(a, "/items/19/metadata/generateName"), "g-");
    assert_int_equal(
        api_call(a, "POST", MAPS,
                 "{\"metadata\":{\"generateName\":"
                 "\"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg\"}}",
                 NULL),
        201);
    assert_int_equal(strlen(api_get(a, "/metadata/name")), 63);
}

static void test_updates(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS, "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}", NULL, 201, NULL },
        /* A change of metadata or status is none of the spec. */
        { "PATCH", PODS "/p", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", MERGE, 200,
          "/metadata/generation=1 /metadata/resourceVersion=8" },
        { "PATCH", PODS "/p/status",
          "{\"status\":{\"phase\":\"Running\"},\"spec\":{\"nodeName\":\"n\"}}", MERGE, 200,
          "/metadata/generation=1 /status/phase=Running /spec/nodeName=-" },
        { "PATCH", PODS "/p",
          "{\"spec\":{\"activeDeadlineSeconds\":5},\"status\":{\"phase\":\"Failed\"}}", MERGE, 200,
          "/metadata/generation=2 /status/phase=Running" },
        /* Owner references are not the kubelet's. */
        { "PATCH", PODS "/p/status",
          "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
          "\"name\":\"x\",\"uid\":"
          "\"y\"}],\"annotations\":{\"k\":\"v\"}}}",
          MERGE, 200, "/metadata/ownerReferences=- /metadata/annotations/k=v" },
        /* System fields stay. */
        { "PATCH", PODS "/p",
          "{\"metadata\":{\"uid\":null,\"creationTimestamp\":null,\"generation\":77}}", MERGE, 200,
          "/metadata/generation=2 /metadata/resourceVersion=11" },
        { "PUT", PODS "/p", "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}", NULL, 200,
          "/metadata/generation=3 /status/phase=Running /metadata/labels=-" },
        { "GET", PODS "/p/status", NULL, NULL, 200, "/status/phase=Running" },
        { "POST", JOBS, "{\"metadata\":{\"name\":\"j\"},\"spec\":{" JOB_TEMPLATE "}}", NULL, 201,
          NULL },
        { "PATCH", JOBS "/j", "{\"spec\":{\"parallelism\":3}}", STRATEGIC, 200,
          "/metadata/generation=2" },
        { "PATCH", JOBS "/j", "{\"spec\":{\"completions\":3}}", STRATEGIC, 422,
          "/details/causes/0/field=spec.completions" },
        { "PATCH", JOBS "/j/status",
          "{\"spec\":{\"parallelism\":9},\"status\":{\"active\":2,\"ready\":0,\"startTime\":\"2027-"
          "01-15T08:00:00Z\"},"
          "\"metadata\":{\"annotations\":{\"x\":\"y\"}}}",
          MERGE, 200,
          "/spec/parallelism=3 /metadata/annotations/x=y /metadata/generation=2 /status/active=2 "
          "/status/ready=0" },
        { "PATCH", JOBS "/j/status", "{\"status\":{\"active\":0}}", MERGE, 200,
          "/status/active=-" },
        { "PATCH", JOBS "/j/status", "{\"status\":{\"failed\":-1}}", MERGE, 422, NULL },
        { "PUT", JOBS "/j/status", "{\"metadata\":{\"name\":\"j\"},\"spec\":{" JOB_TEMPLATE "}}",
          NULL, 422, NULL },
        { "PATCH", JOBS "/j", "[{\"op\":\"replace\",\"path\":\"/spec/suspend\",\"value\":true}]",
          JSON_PATCH, 200, "/spec/suspend=true /metadata/generation=3" },
    };

    API_STEPS(*state, "updates", steps);
}

static void test_conflicts(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}", NULL, 201, NULL },
        { "POST", MAPS, "{\"metadata\":{\"name\":\"a\"}}", NULL, 409, "/reason=AlreadyExists" },
        { "PUT", MAPS "/a", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"6\"}}", NULL, 409,
          "/reason=Conflict" },
        { "PUT", MAPS "/a", "{\"metadata\":{\"name\":\"a\",\"uid\":\"x\"}}", NULL, 409,
          "/reason=Conflict" },
        { "PUT", MAPS "/a", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"x\"}}", NULL, 500,
          NULL },
        { "PUT", MAPS "/a", "{\"metadata\":{\"name\":\"b\"}}", NULL, 400, NULL },
        { "PUT", MAPS "/a", "{\"metadata\":{}}", NULL, 400, NULL },
        { "PUT", MAPS "/b", "{\"metadata\":{\"name\":\"b\"}}", NULL, 404, NULL },
        { "PATCH", MAPS "/b", "{}", MERGE, 404, NULL },
        { "PATCH", MAPS "/a", "{\"metadata\":{\"resourceVersion\":\"6\"}}", MERGE, 409, NULL },
        { "PATCH", MAPS "/a", "{\"metadata\":{\"uid\":\"x\"}}", STRATEGIC, 422,
          "/details/causes/0/field=metadata.uid" },
        { "PATCH", MAPS "/a", "{\"metadata\":{\"name\":\"b\"}}", MERGE, 400, NULL },
        { "GET", MAPS "/a", NULL, NULL, 200, "/metadata/resourceVersion=7" },
        { "PUT", MAPS "/a",
          "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"{rv}\",\"uid\":\"{uid}\"}}", NULL,
          200, "/metadata/resourceVersion=8 /data=-" },
        { "PUT", MAPS "/a", "{\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\"y\"}}", NULL, 200,
          "/metadata/resourceVersion=9" },
        { "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
          "{\"metadata\":{\"name\":\"l\"}}", NULL, 201, NULL },
        /* A Lease is never overwritten blindly. */
        { "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
          "{\"metadata\":{\"name\":\"l\"}}", NULL, 422,
          "/details/causes/0/field=metadata.resourceVersion" },
        { "POST", MAPS, "{\"metadata\":{\"name\":\"r\",\"resourceVersion\":\"1\"}}", NULL, 500,
          NULL },
    };

    API_STEPS(*state, "conflicts", steps);
}

static void test_writes_that_change_nothing(void **state)
{
    static const struct step first[] = {
        { "POST", PODS, "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}}," POD_SPEC "}",
          NULL, 201, "/metadata/resourceVersion=7" },
        { "PATCH", PODS "/p/status",
          "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastProbeTime\":"
          "null}]}}",
          STRATEGIC, 200, "/metadata/resourceVersion=8" },
    };
    static const struct step same[] = {
        { "PATCH", PODS "/p", "{}", MERGE, 200, "/metadata/resourceVersion=8" },
        { "PATCH", PODS "/p", "{\"metadata\":{\"labels\":{\"a\":\"b\"},\"finalizers\":[]}}",
          STRATEGIC, 200, "/metadata/resourceVersion=8" },
        { "PATCH", PODS "/p", "[]", JSON_PATCH, 200, "/metadata/resourceVersion=8" },
        { "PATCH", PODS "/p", "{\"spec\":{\"restartPolicy\":null,\"dnsPolicy\":null}}", MERGE, 200,
          "/metadata/resourceVersion=8" },
        { "PATCH", PODS "/p/status",
          "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}", STRATEGIC,
          200, "/metadata/resourceVersion=8" },
        { "PUT", PODS "/p",
          "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"},\"annotations\":null}," POD_SPEC
          "}",
          NULL, 200, "/metadata/resourceVersion=8" },
    };
    struct api *a = *state;
    struct stream s;

    API_STEPS(a, "first", first);
    stream_open(&s, a, PODS "?watch=1&resourceVersion=8");
    for (size_t i = 0; i < JR_ARRAY_SIZE(same); i++) {
        api_steps(a, same[i].body, &same[i], 1);
        assert_false(a->wrote);
    }
    assert_int_equal(jr_dev_revision(a->store), 8);
    assert_string_equal(stream_read(&s, 0, 1000), "");
    stream_close(&s);
}

static void test_dry_run_writes_nothing(void **state)
{
    static const struct step steps[] = {
        { "POST", MAPS "?dryRun=All", "{\"metadata\":{\"name\":\"a\"}}", NULL, 201,
          "/metadata/resourceVersion=- /metadata/name=a" },
        { "GET", MAPS "/a", NULL, NULL, 404, NULL },
        { "POST", MAPS, "{\"metadata\":{\"name\":\"a\"}}", NULL, 201, NULL },
        { "POST", MAPS "?dryRun=All", "{\"metadata\":{\"name\":\"a\"}}", NULL, 409, NULL },
        { "PATCH", MAPS "/a?dryRun=All", "{\"data\":{\"x\":\"y\"}}", MERGE, 200,
          "/data/x=y /metadata/resourceVersion=7" },
        { "PUT", MAPS "/a?dryRun=All", "{\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\"y\"}}",
          NULL, 200, "/data/x=y" },
        { "DELETE", MAPS "/a?dryRun=All", NULL, NULL, 200, NULL },
        { "DELETE", MAPS "/a", "{\"dryRun\":[\"All\"]}", NULL, 200, NULL },
        { "GET", MAPS "/a", NULL, NULL, 200, "/data=- /metadata/resourceVersion=7" },
        { "POST", MAPS "?dryRun=some", "{\"metadata\":{\"name\":\"b\"}}", NULL, 422, NULL },
    };

    API_STEPS(*state, "dry run", steps);
}

/* Status bodies are those of a real API server in the same situation. */
static void test_refusals_as_on_the_wire(void **state)
{
    static const struct {
        const char *file;
        struct step step;
    } rows[] = {
        { "error-400-decode.json",
          { "POST", JOBS, "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"parallelism\":\"two\"}}",
            NULL, 400, NULL } },
        { "error-404.json", { "GET", JOBS "/nope", NULL, NULL, 404, NULL } },
        { "error-409-exists.json",
          { "POST", JOBS, "{\"metadata\":{\"name\":\"sus\"},\"spec\":{" JOB_TEMPLATE "}}", NULL,
            409, NULL } },
        { "error-409-conflict.json",
          { "PATCH", JOBS "/sus",
            "{\"metadata\":{\"resourceVersion\":\"1\"},\"spec\":{\"suspend\":true}}", MERGE, 409,
            NULL } },
        { "error-422-invalid.json",
          { "POST", JOBS,
            "{\"metadata\":{\"name\":\"bad\"},\"spec\":{\"parallelism\":-1,\"template\":{\"spec\":{"
            "\"containers\":[{"
            "\"name\":\"c\",\"image\":\"x\"}]}}}}",
            NULL, 422, NULL } },
        { "error-403-namespace-terminating.json",
          { "POST", "/api/v1/namespaces/going/pods", "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}",
            NULL, 403, NULL } },
        { "list-bad-continue.json", { "GET", PODS "?continue=bogus", NULL, NULL, 400, NULL } },
    };
    static const struct step first[] = {
        { "POST", JOBS, "{\"metadata\":{\"name\":\"sus\"},\"spec\":{" JOB_TEMPLATE "}}", NULL, 201,
          NULL },
        { "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"going\"}}", NULL, 201, NULL },
        { "POST", "/api/v1/namespaces/going/pods",
          "{\"metadata\":{\"name\":\"stays\",\"finalizers\":[\"a.b/c\"]}," POD_SPEC "}", NULL, 201,
          NULL },
        { "DELETE", "/api/v1/namespaces/going", NULL, NULL, 200, "/status/phase=Terminating" },
        { "tick", NULL, NULL, NULL, 0, NULL },
    };
    struct api *a = *state;

    API_STEPS(a, "first", first);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF wire = { 0 };
        JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;

        api_steps(a, rows[i].file, &rows[i].step, 1);
        read_wire(rows[i].file, &wire);
        assert_int_equal(jr_doc_parse(jr_buf_str(&wire), &JR_READER_STRICT, &want, NULL), JR_OK);
        if (!jr_node_equal(jr_doc_root(want), jr_doc_root(a->doc)))
            fail_msg("%s: %s", rows[i].file, a->text.p);
    }
}

static void test_routes(void **state)
{
    static const struct step steps[] = {
        { "GET", "/nope", NULL, NULL, 404, NULL },
        { "GET", "/api/v1/nope", NULL, NULL, 404, "/reason=NotFound" },
        { "GET", "/apis/batch/v9/jobs", NULL, NULL, 404, NULL },
        { "GET", JOBS "/x/nope", NULL, NULL, 404, NULL },
        { "GET", JOBS "/x/y/z", NULL, NULL, 404, NULL },
        { "GET", "/apis/batch/v1/jobs/x", NULL, NULL, 404, NULL },
        { "PUT", JOBS, "{}", NULL, 405, "/reason=MethodNotAllowed" },
        { "POST", JOBS "/x", "{}", NULL, 405, NULL },
        { "POST", "/apis/batch/v1/jobs", "{}", NULL, 405, NULL },
        { "DELETE", JOBS "/x/status", NULL, NULL, 405, NULL },
        { "BREW", JOBS, NULL, NULL, 405, NULL },
        { "POST", JOBS, "{}", "text/plain", 415, NULL },
        { "POST", JOBS, "{}", "application/vnd.kubernetes.protobuf", 400, NULL },
        { "PATCH", JOBS "/x", "{}", "application/json", 415, NULL },
        { "PATCH", JOBS "/x", "a: b", "application/apply-patch+yaml", 415, NULL },
        { "POST", JOBS, "{", NULL, 400, NULL },
        { "POST", JOBS, "", NULL, 400, NULL },
        { "POST", JOBS, "[]", NULL, 400, NULL },
        { "POST", JOBS, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", NULL, 400, NULL },
        { "POST", JOBS, "{\"kind\":\"Job\",\"apiVersion\":\"batch/v2\"}", NULL, 400, NULL },
        { "POST", JOBS, "{\"metadata\":{\"namespace\":\"other\"}}", NULL, 400, NULL },
        { "POST", "/api/v1/namespaces/nope/pods", "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}",
          NULL, 404, "/details/kind=namespaces" },
        { "POST", MAPS, "metadata:\n  name: yaml\ndata: {a: \"1\"}\n",
          "application/yaml; charset=utf-8", 201, "/data/a=1" },
        { "POST", MAPS, "a: [", "application/yaml", 400, NULL },
        { "GET", "/api/v1/namespaces/default/configmaps/yaml/", NULL, NULL, 200, NULL },
        { "GET", "/api/v1/namespaces/default/configmaps/%79aml", NULL, NULL, 200, NULL },
        { "GET", "/api/v1/pods", NULL, NULL, 200, "/kind=PodList" },
        { "GET", "/api/v1/namespaces/default", NULL, NULL, 200, "/kind=Namespace" },
        { "GET", "/version", NULL, NULL, 200, "/minor=36" },
        { "GET", "/api", NULL, NULL, 200, "/versions/0=v1" },
        { "GET", "/apis", NULL, NULL, 200, "/groups/0/name=batch" },
        { "GET", "/apis/batch", NULL, NULL, 200, "/preferredVersion/groupVersion=batch/v1" },
        { "GET", "/apis/batch/v1", NULL, NULL, 200, "/resources/1/name=jobs/status" },
        { "GET", "/api/v1", NULL, NULL, 200, "/resources/0/name=namespaces" },
        { "GET", "/openapi/v3", NULL, NULL, 200,
          "/paths/apis~1batch~1v1/serverRelativeURL=/openapi/v3/apis/batch/v1" },
        { "GET", "/openapi/v3/apis/batch/v1", NULL, NULL, 200, "/openapi=3.0.0" },
        { "GET", "/openapi/v2", NULL, NULL, 200, "/swagger=2.0" },
        { "POST", "/version", NULL, NULL, 405, NULL },
    };

    API_STEPS(*state, "routes", steps);
}

#define GANGS "/apis/scheduling.k8s.io/v1alpha2"

/** Workloads and PodGroups are there with their gate, as on the API server. */
static void test_gate(void **state)
{
    static const struct step off[] = {
        { "GET", GANGS, NULL, NULL, 404, NULL },
        { "GET", GANGS "/workloads", NULL, NULL, 404, NULL },
        { "GET", "/apis", NULL, NULL, 200, "/groups/3/name=policy.jobreeve.dev /groups/4=-" },
        { "GET", "/openapi/v3", NULL, NULL, 200, "/paths/apis~1scheduling.k8s.io~1v1alpha2=-" },
    };
    static const struct step on[] = {
        { "GET", "/apis", NULL, NULL, 200,
          "/groups/3/preferredVersion/groupVersion=scheduling.k8s.io/v1alpha2" },
        { "GET", GANGS, NULL, NULL, 200,
          "/groupVersion=scheduling.k8s.io/v1alpha2 /resources/0/name=workloads "
          "/resources/1/name=podgroups" },
        { "POST", GANGS "/namespaces/default/workloads",
          "{\"metadata\":{\"name\":\"w\"},\"spec\":{\"controllerRef\":{\"kind\":\"Job\",\"name\":"
          "\"j\"},\"podGroupTemplates\":[{\"name\":\"t\",\"schedulingPolicy\":{\"gang\":{"
          "\"minCount\":3}}}]}}",
          NULL, 201,
          "/kind=Workload /apiVersion=scheduling.k8s.io/v1alpha2 "
          "/spec/podGroupTemplates/0/schedulingPolicy/gang/minCount=3" },
        { "POST", GANGS "/namespaces/default/podgroups",
          "{\"metadata\":{\"name\":\"g\",\"ownerReferences\":[{\"apiVersion\":"
          "\"scheduling.k8s.io/"
          "v1alpha2\",\"kind\":\"Workload\",\"name\":\"w\",\"uid\":\"{uid}\"}]},"
          "\"spec\":{\"podGroupTemplateRef\":{\"workload\":{\"workloadName\":\"w\","
          "\"podGroupTemplateName\":\"t\"}},\"schedulingPolicy\":{\"gang\":{\"minCount\":3}}}}",
          NULL, 201, "/spec/podGroupTemplateRef/workload/workloadName=w" },
        { "GET", GANGS "/workloads", NULL, NULL, 200,
          "/kind=WorkloadList /items/0/metadata/name=w" },
        { "DELETE", GANGS "/namespaces/default/workloads/w", NULL, NULL, 200, NULL },
        { "tick", NULL, NULL, NULL, 0, NULL },
        { "GET", GANGS "/namespaces/default/podgroups/g", NULL, NULL, 404, NULL },
    };
    struct api *a = *state;

    API_STEPS(a, "gate off", off);
    a->store->profile.gates[JR_GATE_GenericWorkload] = true;
    API_STEPS(a, "gate on", on);
}

static void test_formats(void **state)
{
    static const struct {
        const char *accept;
        const char *path;
        int want;
        const char *kind;
    } rows[] = {
        { "application/json", MAPS "/a", 200, "ConfigMap" },
        { "*/*", MAPS "/a", 200, "ConfigMap" },
        { "application/vnd.kubernetes.protobuf,application/json", MAPS "/a", 200, "ConfigMap" },
        { "text/html", MAPS "/a", 406, "Status" },
        { "application/vnd.kubernetes.protobuf", MAPS "/a", 406, "Status" },
        { "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", MAPS "/a", 200,
          "PartialObjectMetadata" },
        { "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", MAPS, 200,
          "PartialObjectMetadataList" },
        { "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", MAPS, 406, "Status" },
        { "application/json;as=Table;v=v9;g=meta.k8s.io", MAPS, 406, "Status" },
        { "application/json;as=Table;v=v9;g=meta.k8s.io, " TABLE ",application/json", MAPS, 200,
          "Table" },
    };
    struct api *a = *state;

    assert_int_equal(
        api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}", NULL),
        201);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        a->accept = rows[i].accept;
        if (api_call(a, "GET", rows[i].path, NULL, NULL) != rows[i].want ||
            strcmp(api_get(a, "/kind"), rows[i].kind) != 0)
            fail_msg("%s: %d %s", rows[i].accept, a->status, a->text.p);
    }
    a->accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    assert_int_equal(
        api_call(a, "POST", MAPS, "{\"metadata\":{\"name\":\"b\"},\"data\":{\"k\":\"v\"}}", NULL),
        201);
    assert_string_equal(api_get(a, "/metadata/name"), "b");
    assert_string_equal(api_get(a, "/data"), "-");
    a->accept = NULL;
}

#define GATED(name)                                    \
    "\"spec\":{\"schedulingGates\":[{\"name\":\"" name \
    "\"}],\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}"

static void test_binding(void **state)
{
    static const struct step steps[] = {
        { "POST", PODS, "{\"metadata\":{\"name\":\"p\"}," POD_SPEC "}", NULL, 201, NULL },
        { "POST", PODS "/p/binding", "{\"target\":{\"name\":\"n\"}}", NULL, 400, NULL },
        { "POST", PODS "/q/binding", "{\"metadata\":{\"name\":\"q\"},\"target\":{\"name\":\"n\"}}",
          NULL, 404, NULL },
        { "POST", PODS "/p/binding",
          "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":\"b\"}},\"target\":{\"name\":\"n\"}"
          "}",
          NULL, 201, "/status=Success" },
        { "GET", PODS "/p", NULL, NULL, 200,
          "/spec/nodeName=n /status/conditions/0/type=PodScheduled "
          "/status/conditions/0/status=True "
          "/metadata/annotations/a=b /metadata/generation=1" },
        { "POST", PODS "/p/binding", "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"n\"}}",
          NULL, 409, "/details/kind=pods/binding" },
        { "PUT", PODS "/p/binding", "{}", NULL, 405, NULL },
        { "POST", PODS, "{\"metadata\":{\"name\":\"g\"}," GATED("a") "}", NULL, 201, NULL },
        { "POST", PODS "/g/binding", "{\"metadata\":{\"name\":\"g\"},\"target\":{\"name\":\"n\"}}",
          NULL, 409, "/details/kind=pods/binding" },
        { "PUT", PODS "/g", "{\"metadata\":{\"name\":\"g\"}," GATED("b") "}", NULL, 422,
          "/details/causes/0/field=spec.schedulingGates[0].name" },
        { "PUT", PODS "/g", "{\"metadata\":{\"name\":\"g\"}," POD_SPEC "}", NULL, 200, NULL },
        { "POST", PODS "/g/binding", "{\"metadata\":{\"name\":\"g\"},\"target\":{\"name\":\"n\"}}",
          NULL, 201, NULL },
    };

    API_STEPS(*state, "binding", steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_create_completes_objects),
        API_TEST(test_names_are_generated),
        API_TEST(test_updates),
        API_TEST(test_conflicts),
        API_TEST(test_writes_that_change_nothing),
        API_TEST(test_dry_run_writes_nothing),
        API_TEST(test_refusals_as_on_the_wire),
        API_TEST(test_routes),
        API_TEST(test_gate),
        API_TEST(test_formats),
        API_TEST(test_binding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
