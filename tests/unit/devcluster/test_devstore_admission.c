/* SPDX-License-Identifier: Apache-2.0 */
/* Admission webhooks: who is asked, what, in which order, and what the answers do. */
#include <stdio.h>

#include "tests/unit/devcluster/flight.h"

#define JOB_BODY "{\"metadata\":{\"name\":\"j\",\"uid\":\"mine\"},\"spec\":{" JOB_TEMPLATE "}}"

static void test_the_order_of_a_create(void **state)
{
    struct api *a = *state;
    struct flight f;
    char uid[64];

    configure(a, MUTATING, "m", ALL_JOBS, ",\"timeoutSeconds\":7");
    configure(a, VALIDATING, "v", ALL_JOBS, "");
    begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
    assert_string_equal(jr_dev_op_webhook(f.op)->url, "https://127.0.0.1:9443/m?timeout=7s");
    assert_string_equal(jr_dev_op_webhook(f.op)->name, "m.test.io");
    assert_int_equal(jr_dev_op_webhook(f.op)->timeout_s, 7);
    /* Mutating: defaulted, without uid and selector. */
    assert_string_equal(asked(&f, "/request/object/metadata/uid"), "-");
    assert_string_equal(asked(&f, "/request/object/spec/backoffLimit"), "6");
    assert_string_equal(asked(&f, "/request/object/spec/selector"), "-");
    assert_string_equal(asked(&f, "/request/oldObject"), "null");
    /* A uid that a webhook sets is overwritten; what it adds is defaulted. */
    answer(&f, "\"allowed\":true,\"warnings\":[\"careful\"]",
           "[{\"op\":\"add\",\"path\":\"/metadata/uid\",\"value\":\"patched\"},"
           "{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{\"a\":\"b\"}},"
           "{\"op\":\"add\",\"path\":\"/spec/template/spec/"
           "initContainers\",\"value\":[{\"name\":\"i\",\"image\":\"y\"}]}]");
    /* Validating: everything. */
    assert_string_equal(jr_dev_op_webhook(f.op)->url, "https://127.0.0.1:9443/v?timeout=10s");
    (void)snprintf(uid, sizeof(uid), "%s", asked(&f, "/request/object/metadata/uid"));
    assert_int_equal(strlen(uid), 36);
    assert_string_equal(asked(&f, "/request/object/spec/selector/matchLabels/"
                                  "batch.kubernetes.io~1controller-uid"),
                        uid);
    assert_string_equal(asked(&f, "/request/object/metadata/annotations/a"), "b");
    assert_string_equal(
        asked(&f, "/request/object/spec/template/spec/initContainers/0/imagePullPolicy"), "Always");
    assert_string_equal(asked(&f, "/request/object/metadata/generation"), "1");
    /* Nothing is stored before the last word. */
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 404);
    allow(&f);
    assert_true(jr_dev_op_wrote(f.op));
    assert_string_equal(jr_dev_op_answer(f.op)->warnings[0], "299 - \"careful\"");
    end(&f, 201, uid);
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 200);
}

static void test_denials(void **state)
{
    static const struct {
        const char *response;
        int status;
        const char *words;
    } rows[] = {
        { "\"allowed\":false,\"status\":{\"message\":\"not so\"}", 403,
          "\"message\":\"admission webhook \\\"m.test.io\\\" denied the request: not so\"" },
        { "\"allowed\":false,\"status\":{\"message\":\"not "
          "so\",\"code\":422,\"reason\":\"Invalid\"}",
          422, "\"reason\":\"Invalid\"" },
        { "\"allowed\":false,\"status\":{\"message\":\"not so\",\"code\":200}", 400,
          "denied the request: not so" },
        { "\"allowed\":false,\"status\":{\"reason\":\"Why\"}", 403, "denied the request: Why" },
        { "\"allowed\":false", 403, "denied the request without explanation" },
    };
    struct api *a = *state;

    configure(a, MUTATING, "m", ALL_JOBS, "");
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct flight f;

        begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
        answer(&f, rows[i].response, NULL);
        end(&f, rows[i].status, rows[i].words);
    }
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 404);
}

static const struct jr_dev_webhook_result failures[] = {
    { .failed = true, .error = "connection refused" },
    { .status = 500, .body = { "oops", 4 } },
    { .status = 200, .body = { "{", 1 } },
    { .status = 200, .body = { "{}", 2 } },
    { .status = 200,
      .body = { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}", 62 } },
    { .status = 200,
      .body = { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
                "v1\",\"response\":{\"uid\":"
                "\"x\",\"allowed\":true}}",
                103 } },
};

static void test_failure_policies(void **state)
{
    struct api *a = *state;

    configure(a, MUTATING, "m", ALL_JOBS, "");
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        struct jr_dev_webhook_result r = failures[i];
        struct flight f;

        if (r.body.p != NULL)
            r.body = jr_str(r.body.p);
        begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
        answer_raw(&f, &r);
        end(&f, 500, "Internal error occurred: failed calling webhook \\\"m.test.io\\\": ");
    }
    assert_int_equal(
        api_call(a, "PATCH", MUTATING "/m",
                 "{\"webhooks\":[{\"name\":\"m.test.io\",\"failurePolicy\":\"Ignore\"}]}",
                 STRATEGIC),
        200);
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        struct jr_dev_webhook_result r = failures[i];
        struct flight f;

        if (r.body.p != NULL)
            r.body = jr_str(r.body.p);
        begin(&f, a, "POST", JOBS,
              "{\"metadata\":{\"generateName\":\"j\"},\"spec\":{" JOB_TEMPLATE "}}", NULL);
        answer_raw(&f, &r);
        end(&f, 201, "\"kind\":\"Job\"");
    }
}

static void test_bad_patches(void **state)
{
    static const char *const patches[] = {
        "[{\"op\":\"remove\",\"path\":\"/nope\"}]",
        "{}",
        "[",
    };
    struct api *a = *state;
    struct flight f;

    configure(a, MUTATING, "m", ALL_JOBS, "");
    for (size_t i = 0; i < JR_ARRAY_SIZE(patches); i++) {
        begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
        answer(&f, "\"allowed\":true", patches[i]);
        end(&f, 500, "failed calling webhook");
    }
    begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
    answer(&f, "\"allowed\":true",
           "[{\"op\":\"replace\",\"path\":\"/spec/parallelism\",\"value\":\"x\"}]");
    end(&f, 400, "cannot unmarshal string");
    /* The built-in rules validate what the webhook made of it. */
    begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
    answer(&f, "\"allowed\":true",
           "[{\"op\":\"replace\",\"path\":\"/spec/parallelism\",\"value\":-1}]");
    end(&f, 422, "spec.parallelism");
}

static void test_who_is_asked(void **state)
{
    static const struct {
        const char *rule;
        const char *more;
        const char *method;
        const char *path;
        bool want;
    } rows[] = {
        { RULE("\"CREATE\"", "\"jobs\""), "", "POST", JOBS, true },
        { RULE("\"*\"", "\"*\""), "", "POST", JOBS, true },
        { RULE("\"*\"", "\"*/*\""), "", "POST", JOBS, true },
        { RULE("\"UPDATE\",\"DELETE\"", "\"jobs\""), "", "POST", JOBS, false },
        { RULE("\"CREATE\"", "\"cronjobs\""), "", "POST", JOBS, false },
        { RULE("\"CREATE\"", "\"jobs/status\""), "", "POST", JOBS, false },
        { RULE("\"UPDATE\"", "\"jobs/status\""), "", "PATCH", JOBS "/old/status", true },
        { RULE("\"UPDATE\"", "\"jobs/*\""), "", "PATCH", JOBS "/old/status", true },
        { RULE("\"UPDATE\"", "\"*/status\""), "", "PATCH", JOBS "/old/status", true },
        { RULE("\"UPDATE\"", "\"jobs\""), "", "PATCH", JOBS "/old/status", false },
        { RULE("\"UPDATE\"", "\"*\""), "", "PATCH", JOBS "/old/status", false },
        { RULE("\"UPDATE\"", "\"jobs\""), "", "PATCH", JOBS "/old", true },
        { RULE("\"DELETE\"", "\"jobs\""), "", "DELETE", JOBS "/old", true },
        { "{\"operations\":[\"*\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"*\"],\"resources\":[\"*"
          "\"]}",
          "", "POST", JOBS, false },
        { "{\"operations\":[\"*\"],\"apiGroups\":[\"*\"],\"apiVersions\":[\"v2\"],\"resources\":["
          "\"*\"]}",
          "", "POST", JOBS, false },
        { "{\"operations\":[\"*\"],\"apiGroups\":[\"*\"],\"apiVersions\":[\"*\"],\"resources\":[\"*"
          "\"],\"scope\":\"Cluster\"}",
          "", "POST", JOBS, false },
        { RULE("\"*\"", "\"jobs\""),
          ",\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/metadata.name\":\"default\"}}",
          "POST", JOBS, true },
        { RULE("\"*\"", "\"jobs\""),
          ",\"namespaceSelector\":{\"matchExpressions\":[{\"key\":\"kubernetes.io/"
          "metadata.name\",\"operator\":\"NotIn\","
          "\"values\":[\"default\"]}]}",
          "POST", JOBS, false },
        { RULE("\"*\"", "\"jobs\""), ",\"objectSelector\":{\"matchLabels\":{\"x\":\"y\"}}", "POST",
          JOBS, true },
        { RULE("\"*\"", "\"jobs\""), ",\"objectSelector\":{\"matchLabels\":{\"x\":\"z\"}}", "POST",
          JOBS, false },
        { RULE("\"*\"", "\"jobs\""), ",\"objectSelector\":{\"matchLabels\":{\"x\":\"y\"}}",
          "DELETE", JOBS "/old", true },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct api *a = *state;
        struct flight f;

        api_end(a);
        api_begin(a, 0);
        assert_int_equal(
            api_call(
                a, "POST", JOBS,
                "{\"metadata\":{\"name\":\"old\",\"labels\":{\"x\":\"y\"}},\"spec\":{" JOB_TEMPLATE
                "}}",
                NULL),
            201);
        configure(a, VALIDATING, "v", rows[i].rule, rows[i].more);
        begin(
            &f, a, rows[i].method, rows[i].path,
            strcmp(rows[i].method, "POST") == 0
                ? "{\"metadata\":{\"name\":\"j\",\"labels\":{\"x\":\"y\"}},\"spec\":{" JOB_TEMPLATE
                  "}}"
                : "{}",
            strcmp(rows[i].method, "PATCH") == 0 ? MERGE : NULL);
        if ((f.next == JR_DEV_NEXT_WEBHOOK) != rows[i].want)
            fail_msg("row %zu", i);
        jr_dev_op_free(f.op);
        jr_doc_free(f.review);
    }
}

static void test_several_in_the_order_of_names(void **state)
{
    struct api *a = *state;
    struct flight f;

    configure(a, MUTATING, "b", ALL_JOBS, "");
    configure(a, MUTATING, "a", ALL_JOBS, "");
    begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
    assert_string_equal(jr_dev_op_webhook(f.op)->name, "a.test.io");
    answer(&f, "\"allowed\":true",
           "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"a\":\"1\"}}]");
    assert_string_equal(jr_dev_op_webhook(f.op)->name, "b.test.io");
    assert_string_equal(asked(&f, "/request/object/metadata/labels/a"), "1");
    allow(&f);
    end(&f, 201, "\"a\":\"1\"");
}

static void test_updates_and_deletes(void **state)
{
    struct api *a = *state;
    struct flight f;

    assert_int_equal(api_call(a, "POST", JOBS, JOB_BODY, NULL), 201);
    configure(a, VALIDATING, "v", ALL_JOBS, "");
    begin(&f, a, "PATCH", JOBS "/j?fieldManager=me", "{\"spec\":{\"suspend\":true}}", MERGE);
    assert_string_equal(asked(&f, "/request/operation"), "UPDATE");
    assert_string_equal(asked(&f, "/request/object/spec/suspend"), "true");
    assert_string_equal(asked(&f, "/request/object/metadata/generation"), "2");
    assert_string_equal(asked(&f, "/request/oldObject/spec/suspend"), "false");
    assert_string_equal(asked(&f, "/request/options/fieldManager"), "me");
    assert_string_equal(asked(&f, "/request/options/kind"), "UpdateOptions");
    allow(&f);
    end(&f, 200, "\"suspend\":true");
    begin(&f, a, "PATCH", JOBS "/j/status",
          "{\"status\":{\"active\":1},\"spec\":{\"suspend\":false}}", MERGE);
    assert_string_equal(asked(&f, "/request/subResource"), "status");
    assert_string_equal(asked(&f, "/request/requestSubResource"), "status");
    assert_string_equal(asked(&f, "/request/object/spec/suspend"), "true");
    answer(&f, "\"allowed\":false", NULL);
    end(&f, 403, "denied");
    begin(&f, a, "DELETE", JOBS "/j", "{\"propagationPolicy\":\"Background\"}", NULL);
    assert_string_equal(asked(&f, "/request/operation"), "DELETE");
    assert_string_equal(asked(&f, "/request/object"), "null");
    assert_string_equal(asked(&f, "/request/oldObject/metadata/name"), "j");
    assert_string_equal(asked(&f, "/request/options/propagationPolicy"), "Background");
    allow(&f);
    end(&f, 200, "\"status\":\"Success\"");
}

static void test_the_state_changes_meanwhile(void **state)
{
    struct api *a = *state;
    struct flight f, g;

    assert_int_equal(api_call(a, "POST", JOBS, JOB_BODY, NULL), 201);
    configure(a, VALIDATING, "v", RULE("\"*\"", "\"jobs\""), "");
    /* A patch is applied again to what is there now. */
    begin(&f, a, "PATCH", JOBS "/j", "{\"spec\":{\"suspend\":true}}", MERGE);
    assert_int_equal(api_call(a, "PATCH", JOBS "/j/status", "{\"status\":{\"active\":1}}", MERGE),
                     200);
    allow(&f);
    assert_string_equal(asked(&f, "/request/oldObject/status/active"), "1");
    allow(&f);
    end(&f, 200, "\"active\":1");
    /* A PUT with a version is refused. */
    assert_int_equal(api_call(a, "GET", JOBS "/j", NULL, NULL), 200);
    char body[8192];
    (void)snprintf(body, sizeof(body), "%s", a->text.p);
    begin(&f, a, "PUT", JOBS "/j", body, NULL);
    assert_int_equal(api_call(a, "PATCH", JOBS "/j/status", "{\"status\":{\"active\":2}}", MERGE),
                     200);
    allow(&f);
    end(&f, 409, "the object has been modified");
    /* Two creates: the second one loses. */
    begin(&f, a, "POST", JOBS, "{\"metadata\":{\"name\":\"k\"},\"spec\":{" JOB_TEMPLATE "}}", NULL);
    begin(&g, a, "POST", JOBS, "{\"metadata\":{\"name\":\"k\"},\"spec\":{" JOB_TEMPLATE "}}", NULL);
    allow(&f);
    end(&f, 201, "\"name\":\"k\"");
    allow(&g);
    end(&g, 409, "already exists");
    /* A deletion of what has gone. */
    begin(&f, a, "DELETE", JOBS "/k", "{\"propagationPolicy\":\"Background\"}", NULL);
    begin(&g, a, "DELETE", JOBS "/k", "{\"propagationPolicy\":\"Background\"}", NULL);
    allow(&f);
    end(&f, 200, "Success");
    allow(&g);
    end(&g, 404, "not found");
}

static void test_dry_run_and_side_effects(void **state)
{
    struct api *a = *state;
    struct flight f;

    configure(a, MUTATING, "m", ALL_JOBS, "");
    begin(&f, a, "POST", JOBS "?dryRun=All", JOB_BODY, NULL);
    assert_string_equal(asked(&f, "/request/dryRun"), "true");
    assert_string_equal(asked(&f, "/request/options/dryRun"), "[\"All\"]");
    allow(&f);
    assert_false(jr_dev_op_wrote(f.op));
    end(&f, 201, "\"name\":\"j\"");
    assert_int_equal(api_call(a, "PATCH", MUTATING "/m",
                              "{\"webhooks\":[{\"name\":\"m.test.io\",\"sideEffects\":\"Some\"}]}",
                              STRATEGIC),
                     200);
    begin(&f, a, "POST", JOBS "?dryRun=All", JOB_BODY, NULL);
    end(&f, 400, "does not support dry run");
}

static void test_clients(void **state)
{
    struct api *a = *state;
    struct flight f;

    /* A service can't be called from here. */
    assert_int_equal(api_call(a, "POST", MUTATING,
                              "{\"metadata\":{\"name\":\"s\"},\"webhooks\":[{\"name\":\"s.test."
                              "io\",\"sideEffects\":\"None\","
                              "\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"service\":{"
                              "\"namespace\":\"n\","
                              "\"name\":\"svc\"}},\"rules\":[" ALL_JOBS "]}]}",
                              NULL),
                     201);
    assert_string_equal(api_get(a, "/webhooks/0/clientConfig/service/port"), "443");
    begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
    end(&f, 500, "service n/svc can't be called");
    assert_int_equal(api_call(a, "DELETE", MUTATING "/s", NULL, NULL), 200);
    assert_int_equal(
        api_call(
            a, "POST", MUTATING,
            "{\"metadata\":{\"name\":\"c\"},\"webhooks\":[{\"name\":\"c.test.io\",\"sideEffects\":"
            "\"None\","
            "\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":\"https://h/p?a=b\","
            "\"caBundle\":\"cGVt\"},\"rules\":[" ALL_JOBS "]}]}",
            NULL),
        201);
    begin(&f, a, "POST", JOBS, JOB_BODY, NULL);
    assert_string_equal(jr_dev_op_webhook(f.op)->ca_pem, "pem");
    assert_string_equal(jr_dev_op_webhook(f.op)->url, "https://h/p?a=b&timeout=10s");
    allow(&f);
    end(&f, 201, "");
    assert_int_equal(api_call(a, "POST", MUTATING,
                              "{\"metadata\":{\"name\":\"x\"},\"webhooks\":[{\"name\":\"x\"}]}",
                              NULL),
                     422);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(test_the_order_of_a_create),
        API_TEST(test_denials),
        API_TEST(test_failure_policies),
        API_TEST(test_bad_patches),
        API_TEST(test_who_is_asked),
        API_TEST(test_several_in_the_order_of_names),
        API_TEST(test_updates_and_deletes),
        API_TEST(test_the_state_changes_meanwhile),
        API_TEST(test_dry_run_and_side_effects),
        API_TEST(test_clients),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
