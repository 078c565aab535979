/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: what kubectl get shows. */
#include <stdio.h>

#include "devcluster/apiserver/table.h"
#include "tests/unit/devcluster/api.h"

static void test_durations(void **state)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } rows[] = {
        { -5, "<invalid>" },  { -1, "0s" },       { 0, "0s" },          { 119, "119s" },
        { 120, "2m" },        { 125, "2m5s" },    { 599, "9m59s" },     { 600, "10m" },
        { 10799, "179m" },    { 10800, "3h" },    { 10860, "3h1m" },    { 28800, "8h" },
        { 172799, "47h" },    { 172800, "2d" },   { 176400, "2d1h" },   { 691200, "8d" },
        { 63071999, "729d" }, { 63072000, "2y" }, { 63158400, "2y1d" }, { 315360000, "10y" },
    };
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, 64);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        jr_buf_reset(&text);
        jr_dev_duration(rows[i].seconds * JR_SEC, &text);
        assert_string_equal(text.p, rows[i].want);
    }
}

static const char *cells(struct api *a, const char *path)
{
    a->accept = TABLE;
    assert_int_equal(api_call(a, "GET", path, NULL, NULL), 200);
    a->accept = NULL;
    return api_get(a, "/rows/0/cells");
}

static void test_pods(void **state)
{
    static const struct {
        const char *status;
        const char *want;
    } rows[] = {
        { "{\"phase\":\"Pending\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"waiting\":{"
          "\"reason\":"
          "\"ContainerCreating\"}}}]}",
          "[\"p\",\"0/"
          "1\",\"ContainerCreating\",\"0\",\"5s\",\"<none>\",\"n\",\"<none>\"]" },
        { "{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\",\"containerStatuses\":[{\"name\":\"c\","
          "\"ready\":true,"
          "\"restartCount\":2,\"state\":{\"running\":{}},\"lastState\":{\"terminated\":{"
          "\"finishedAt\":"
          "\"2027-01-15T08:00:01Z\"}}}]}",
          "[\"p\",\"1/1\",\"Running\",\"2 (4s "
          "ago)\",\"5s\",\"10.0.0.1\",\"n\",\"<none>\"]" },
        { "{\"phase\":\"Succeeded\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{"
          "\"terminated\":{\"reason\":"
          "\"Completed\"}},\"lastState\":null}]}",
          "[\"p\",\"0/1\",\"Completed\",\"0\",\"5s\",\"<none>\",\"n\",\"<none>\"]" },
        { "{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{"
          "\"exitCode\":3}}}],"
          "\"podIP\":null}",
          "[\"p\",\"0/1\",\"ExitCode:3\",\"0\",\"5s\",\"<none>\",\"n\",\"<none>\"]" },
        { "{\"phase\":\"Failed\",\"reason\":\"Evicted\",\"containerStatuses\":null}",
          "[\"p\",\"0/1\",\"Evicted\",\"0\",\"5s\",\"<none>\",\"n\",\"<none>\"]" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct api *a = *state;
        char body[1024];

        api_end(a);
        api_begin(a, 0);
        assert_int_equal(
            api_call(a, "POST", PODS,
                     "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\",\"containers\":[{"
                     "\"name\":\"c\",\"image\":\"x\"}]}}",
                     NULL),
            201);
        (void)snprintf(body, sizeof(body), "{\"status\":%s}", rows[i].status);
        assert_int_equal(api_call(a, "PATCH", PODS "/p/status", body, MERGE), 200);
        api_advance(a, 5);
        assert_string_equal(cells(a, PODS), rows[i].want);
    }
}

static void test_jobs(void **state)
{
    struct api *a = *state;

    assert_int_equal(api_call(a, "POST", JOBS,
                              "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"completions\":3,"
                              "\"parallelism\":2," JOB_TEMPLATE "}}",
                              NULL),
                     201);
    api_advance(a, 3);
    assert_string_equal(cells(a, JOBS), "[\"j\",\"Running\",\"0/3\",\"\",\"3s\"]");
    assert_int_equal(
        api_call(a, "PATCH", JOBS "/j/status",
                 "{\"status\":{\"startTime\":\"2027-01-15T08:00:01Z\",\"succeeded\":2}}", MERGE),
        200);
    assert_string_equal(cells(a, JOBS), "[\"j\",\"Running\",\"2/3\",\"2s\",\"3s\"]");
    assert_int_equal(api_call(a, "PATCH", JOBS "/j/status",
                              "{\"status\":{\"succeeded\":3,\"completionTime\":\"2027-01-15T08:00:"
                              "02Z\",\"conditions\":[{"
                              "\"type\":\"SuccessCriteriaMet\",\"status\":\"True\"},{\"type\":"
                              "\"Complete\",\"status\":\"True\"}]}}",
                              MERGE),
                     200);
    assert_string_equal(cells(a, JOBS), "[\"j\",\"Complete\",\"3/3\",\"1s\",\"3s\"]");
    assert_string_equal(api_get(a, "/columnDefinitions/2/name"), "Completions");
    assert_string_equal(api_get(a, "/rows/0/object/kind"), "PartialObjectMetadata");
    (void)cells(a, JOBS "?includeObject=Object");
    assert_string_equal(api_get(a, "/rows/0/object/kind"), "Job");
    (void)cells(a, JOBS "?includeObject=None");
    assert_string_equal(api_get(a, "/rows/0/object"), "-");
    assert_int_equal(api_call(a, "POST", JOBS,
                              "{\"metadata\":{\"name\":\"old\"},\"spec\":{" JOB_TEMPLATE "}}",
                              NULL),
                     201);
    assert_int_equal(api_call(a, "PATCH", JOBS "/old/status",
                              "{\"status\":{\"startTime\":\"1677-09-22T00:00:00Z\"}}", MERGE),
                     200);
    assert_non_null(strstr(cells(a, JOBS "/old"), "\"292y\"")); /* as far as 64 bits reach */
    (void)cells(a, JOBS "/j");
    assert_string_equal(api_get(a, "/kind"), "Table");
}

static void test_other_kinds(void **state)
{
    static const struct {
        const char *path;
        const char *body;
        const char *want;
    } rows[] = {
        { "/api/v1/nodes",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"unschedulable\":true},\"status\":{"
          "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
          "\"nodeInfo\":{\"kubeletVersion\":\"v\"}}}",
          "[\"n\",\"Ready,SchedulingDisabled\",\"0s\",\"v\"]" },
        { "/api/v1/namespaces/default/events",
          "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\"},"
          "\"type\":\"Normal\",\"reason\":"
          "\"R\",\"message\":\" "
          "m\\n\",\"lastTimestamp\":\"2027-01-15T07:59:00Z\",\"source\":{\"component\":\"c\","
          "\"host\":\"h\"}}",
          "[\"60s\",\"Normal\",\"R\",\"pod/p\",\"m\"]" },
        { MAPS, "{\"metadata\":{\"name\":\"m\"},\"data\":{\"a\":\"b\"}}", "[\"m\",1,\"0s\"]" },
        { "/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"s\"},\"data\":{}}",
          "[\"s\",\"Opaque\",0,\"0s\"]" },
        { "/api/v1/namespaces/default/serviceaccounts", "{\"metadata\":{\"name\":\"s\"}}",
          "[\"s\",\"0s\"]" },
        { "/apis/coordination.k8s.io/v1/namespaces/default/leases",
          "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"me\"}}",
          "[\"l\",\"me\",\"0s\"]" },
        { "/apis/batch/v1/namespaces/default/cronjobs",
          "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"schedule\":\"@daily\",\"jobTemplate\":{"
          "\"spec\":{" JOB_TEMPLATE "}}}}",
          "[\"c\",\"@daily\",\"<none>\",\"False\",0,\"<none>\",\"0s\"]" },
        { "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
          "{\"metadata\":{\"name\":\"v\"}}", "[\"v\",0,\"0s\"]" },
    };
    struct api *a = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        assert_int_equal(api_call(a, "POST", rows[i].path, rows[i].body, NULL), 201);
        assert_string_equal(cells(a, rows[i].path), rows[i].want);
    }
    assert_string_equal(cells(a, "/api/v1/namespaces"), "[\"default\",\"Active\",\"0s\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        API_TEST(test_pods),
        API_TEST(test_jobs),
        API_TEST(test_other_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
