/* SPDX-License-Identifier: Apache-2.0 */
/* CronJobs through both endpoints, and the audit annotation that says what was completed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/base/num.h"
#include "tests/support/failalloc.h"
#include "tests/support/job_gen.h"
#include "tests/unit/webhook/ask.h"
#include "tests/unit/webhook/idempotent.h"

#define MUTATE JR_ENDPOINT_MUTATE_CRON_JOB
#define VALIDATE JR_ENDPOINT_VALIDATE_CRON_JOB
#define V1BETA1 .api_version = "admission.k8s.io/v1beta1"
#define CRON .kind = "CronJob", .resource = "cronjobs"

#define TEMPLATE                                                           \
    "\"template\":{\"metadata\":{},\"spec\":{\"restartPolicy\":\"Never\"," \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}"
/* META, SPEC and JOB are further members. */
#define OBJECT(META, SPEC, JOB)                                                             \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":\"nightly\"," \
    "\"namespace\":\"ns\",\"resourceVersion\":\"7\"" META "},\"spec\":{" SPEC               \
    "\"jobTemplate\":{\"spec\":{" JOB TEMPLATE "}}}}"
#define SCHEDULE "\"schedule\":\"0 3 * * *\","
#define GOOD OBJECT("", SCHEDULE, "")
#define DELETING ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":0"
#define CRASHER                                                      \
    "\"completionMode\":\"Indexed\",\"successPolicy\":{\"rules\":[{" \
    "\"succeededCount\":1}]},"
#define PATH "spec.jobTemplate.spec"

struct row {
    const char *name;
    enum jr_endpoint endpoint;
    struct pieces in;
    int code;            /* of a denial; 0: allowed */
    const char *message; /* a part of a denial's message */
    bool patch;
};

static const struct row rows[] = {
    { .name = "a create is completed",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "CREATE", .object = GOOD },
      .patch = true },
    { .name = "with v1beta1",
      .endpoint = MUTATE,
      .in = { CRON, V1BETA1, .operation = "CREATE", .object = GOOD },
      .patch = true },
    { .name = "an update is left alone",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "UPDATE", .object = GOOD, .old_object = GOOD } },
    { .name = "a delete is left alone",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "DELETE", .old_object = GOOD } },
    { .name = "a subresource is left alone",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "UPDATE", .sub_resource = "status", .object = GOOD,
              .old_object = GOOD } },
    { .name = "what is being deleted is left alone",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "CREATE", .object = OBJECT(DELETING, SCHEDULE, "") } },
    { .name = "a template that makes API servers panic is refused",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "CREATE", .object = OBJECT("", SCHEDULE, CRASHER) },
      .code = 422,
      .message = "CronJob.batch \"nightly\" is invalid: " PATH
                 ".completions: Required value: when completion mode is Indexed" },
    { .name = "on update too",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "UPDATE", .object = OBJECT("", SCHEDULE, CRASHER),
              .old_object = GOOD },
      422,
      PATH ".completions: Required value" },
    { .name = "but not where it is being deleted",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "UPDATE", .object = OBJECT(DELETING, SCHEDULE, CRASHER),
              .old_object = GOOD } },
    { .name = "nor on a status update",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "UPDATE", .sub_resource = "status",
              .object = OBJECT("", SCHEDULE, CRASHER), .old_object = GOOD } },
    { .name = "with completions it may pass",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "UPDATE",
              .object = OBJECT("", SCHEDULE, CRASHER "\"completions\":1,"), .old_object = GOOD } },
    { .name = "a wrong type, mutating",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "CREATE", .object = OBJECT("", "\"schedule\":3,", "") },
      .code = 400,
      .message = "CronJob in version \"v1\" cannot be handled as a CronJob: spec.schedule" },
    { .name = "no object",
      .endpoint = MUTATE,
      .in = { CRON, .operation = "CREATE" },
      .code = 400,
      .message = "no object" },
    { .name = "a Job at the CronJobs' endpoint",
      .endpoint = MUTATE,
      .in = { .operation = "CREATE", .object = GOOD },
      .code = 400,
      .message =
          "this webhook validates CronJob in batch/v1 (resource cronjobs), not Job in batch/v1 "
          "(resource "
          "jobs)" },
    { .name = "a CronJob at the Jobs' endpoint",
      .endpoint = JR_ENDPOINT_VALIDATE_JOB,
      .in = { CRON, .operation = "CREATE", .object = GOOD },
      .code = 400,
      .message = "this webhook validates Job in batch/v1 (resource jobs), not CronJob" },
    { .name = "the right kind of another resource",
      .endpoint = VALIDATE,
      .in = { .kind = "CronJob", .operation = "CREATE", .object = GOOD },
      .code = 400,
      .message = "not CronJob in batch/v1 (resource jobs)" },
    { .name = "an unknown operation",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "PATCH", .object = GOOD },
      .code = 400,
      .message = "expected operation CREATE, UPDATE, DELETE or CONNECT, not \"PATCH\"" },
    { .name = "a good create",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "CREATE", .object = GOOD } },
    { .name = "a good create with v1beta1",
      .endpoint = VALIDATE,
      .in = { CRON, V1BETA1, .operation = "CREATE", .object = GOOD } },
    { .name = "a bad schedule",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "CREATE",
              .object = OBJECT("", "\"schedule\":\"0 25 * * *\",", "") },
      .code = 422,
      .message = "CronJob.batch \"nightly\" is invalid: spec.schedule: Invalid value: \"0 25 * * "
                 "*\": end of "
                 "range (25) above maximum (23): 25" },
    { .name = "a bad template",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "CREATE", .object = OBJECT("", SCHEDULE, "\"parallelism\":-1,") },
      422,
      PATH ".parallelism: Invalid value: -1" },
    { .name = "a good update",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE", .object = OBJECT("", SCHEDULE "\"suspend\":true,", ""),
              .old_object = GOOD } },
    { .name = "a bad update",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE",
              .object = OBJECT("", SCHEDULE "\"timeZone\":\"Mars\",", ""), .old_object = GOOD },
      .code = 422,
      .message = "spec.timeZone: Invalid value: \"Mars\": unknown time zone Mars" },
    { .name = "an update without the old object",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE", .object = GOOD },
      .code = 400,
      .message = "not all of its objects" },
    { .name = "a delete",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "DELETE", .old_object = GOOD } },
    { .name = "a status update, whatever is in it",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE", .sub_resource = "status",
              .object = "{\"spec\":{\"schedule\":\"\"}}", .old_object = GOOD } },
    { .name = "metadata alone, of what is no longer good",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE",
              .object = OBJECT(",\"labels\":{\"a\":\"b\"}", "\"schedule\":\"x\",", ""),
              .old_object = OBJECT("", "\"schedule\":\"x\",", "") } },
    { .name = "metadata alone is validated",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE",
              .object = OBJECT(",\"labels\":{\"a\":\"b c\"}", "\"schedule\":\"x\",", ""),
              .old_object = OBJECT("", "\"schedule\":\"x\",", "") },
      .code = 422,
      .message = "CronJob.batch \"nightly\" is invalid: metadata.labels: Invalid value: \"b c\"" },
    { .name = "the spec of what is being deleted, of an update",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE", .object = OBJECT(DELETING, "\"schedule\":\"\",", ""),
              .old_object = OBJECT(DELETING, SCHEDULE, "") },
      .code = 422,
      .message = "CronJob.batch \"nightly\" is invalid: spec.schedule: Required value" },
    { .name = "what is being deleted and keeps its spec, of an update",
      .endpoint = VALIDATE,
      .in = { CRON, .operation = "UPDATE", .object = OBJECT(DELETING, "\"schedule\":\"\",", ""),
              .old_object = OBJECT("", "\"schedule\":\"\",", "") } },
    { .name = "an update of a Job that makes API servers panic",
      .endpoint = JR_ENDPOINT_MUTATE_JOB,
      .in = { .operation = "UPDATE",
              .object = "{\"metadata\":{\"name\":\"pi\"},\"spec\":{" CRASHER "\"parallelism\":1}}",
              .old_object = "{}" },
      .code = 422,
      .message = "Job.batch \"pi\" is invalid: spec.completions: Required value" },
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct row *r = &rows[i];
        JR_FREE char *body = review_of(&r->in);
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

        ask(r->endpoint, jr_str(body), &a);
        want_answer(r->name, &a, r->code, r->message, r->patch);
    }
}

/* A denial as the API server would give it. */
static void test_denial(void **state)
{
    const struct pieces p = { CRON, .operation = "CREATE",
                              .object = OBJECT("", SCHEDULE "\"startingDeadlineSeconds\":-1,",
                                               "\"backoffLimit\":-1,") };
    JR_FREE char *body = review_of(&p);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    const struct jr_node *details;

    (void)state;
    ask(VALIDATE, jr_str(body), &a);
    assert_true(jr_str_is(
        a.message, "CronJob.batch \"nightly\" is invalid: [spec.startingDeadlineSeconds: Invalid "
                   "value: -1: must be greater than or equal to 0, " PATH
                   ".backoffLimit: Invalid value: -1: must be greater than or equal to 0]"));
    details = jr_path(a.response, "status.details");
    assert_true(jr_str_is(jr_get_str(details, "name"), "nightly"));
    assert_true(jr_str_is(jr_get_str(details, "kind"), "CronJob"));
    assert_int_equal(jr_size(jr_get(details, "causes")), 2);
}

static void test_warnings(void **state)
{
    const struct pieces p = { CRON, .operation = "UPDATE",
                              .object = OBJECT("", "\"schedule\":\"TZ=UTC 0 3 * * *\",", ""),
                              .old_object = OBJECT("", "\"schedule\":\"TZ=UTC 0 3 * * *\",", "") };
    JR_FREE char *body = review_of(&p);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

    (void)state;
    ask(VALIDATE, jr_str(body), &a);
    assert_true(a.allowed);
    assert_int_equal(jr_size(jr_get(a.response, "warnings")), 1);
    assert_true(jr_str_starts(jr_node_str(jr_at(jr_get(a.response, "warnings"), 0)),
                              JR_S("cannot use TZ or CRON_TZ in spec.spec.schedule")));
    assert_true(
        jr_str_is(jr_get_str(jr_get(a.response, "auditAnnotations"), "exempt"), "metadata-only"));
}

/* ---- what was completed ---- */

static void check_defaulted(enum jr_endpoint e, const char *object, const char *want)
{
    JR_FREE char *body = create_review(e, object, false);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    struct jr_str have;

    ask(e, jr_str(body), &a);
    assert_true(a.allowed);
    have = jr_get_str(jr_get(a.response, "auditAnnotations"), "defaulted");
    if (want == NULL ? have.p != NULL : !jr_str_is(have, want))
        fail_msg("%s: %.*s", object, JR_P(have));
}

#define POD                                                                          \
    "\"dnsPolicy\":\"ClusterFirst\",\"schedulerName\":\"s\",\"securityContext\":{}," \
    "\"terminationGracePeriodSeconds\":3,\"restartPolicy\":\"Never\""
#define CONTAINER                                                      \
    "\"name\":\"c\",\"image\":\"i:1\",\"imagePullPolicy\":\"Always\"," \
    "\"terminationMessagePath\":\"/x\",\"terminationMessagePolicy\":\"File\""

static void test_annotation(void **state)
{
    (void)state;
    check_defaulted(MUTATE,
                    "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"suspend\":true,\"jobTemplate\":{"
                    "\"spec\":{\"template\":{\"spec\":{" POD ",\"containers\":[{" CONTAINER
                    ",\"resources\":{\"limits\":{\"cpu\":\"100500u\",\"memory\":\"1Ki\"}}},null]}}}"
                    "}}}",
                    "spec.concurrencyPolicy=default-concurrency-policy,"
                    "spec.successfulJobsHistoryLimit=default-successful-history-limit,"
                    "spec.failedJobsHistoryLimit=default-failed-history-limit," PATH
                    ".template.spec.containers[0].resources.limits=round-quantities," PATH
                    ".template.spec.containers[1]=default-null-element," PATH
                    ".template.spec.containers[1].imagePullPolicy=default-image-pull-policy," PATH
                    ".template.spec.containers[1].terminationMessagePath="
                    "default-termination-message-path," PATH
                    ".template.spec.containers[1].terminationMessagePolicy="
                    "default-termination-message-policy," PATH
                    ".template.spec.containers[1].resources=default-container-resources");
    /* as an API server sends a Job: nothing is left to us, the labels neither */
    check_defaulted(JR_ENDPOINT_MUTATE_JOB,
                    "{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}},\"spec\":{"
                    "\"parallelism\":1,\"completions\":1,\"backoffLimit\":6,\"completionMode\":"
                    "\"NonIndexed\",\"suspend\":false,\"podReplacementPolicy\":\"Failed\","
                    "\"manualSelector\":false,\"template\":{\"metadata\":{\"labels\":{\"job-name\":"
                    "\"n\"}},\"spec\":{" POD ",\"containers\":[{" CONTAINER ",\"resources\":{}}]}}}"
                    "}",
                    NULL);
    /* the same where no API server has been */
    check_defaulted(JR_ENDPOINT_MUTATE_JOB,
                    "{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}},\"spec\":{"
                    "\"parallelism\":1,\"completions\":1,\"backoffLimit\":6,\"completionMode\":"
                    "\"NonIndexed\",\"podReplacementPolicy\":\"Failed\","
                    "\"manualSelector\":false,\"template\":{\"metadata\":{\"labels\":{\"job-name\":"
                    "\"n\"}},\"spec\":{" POD ",\"containers\":[{" CONTAINER ",\"resources\":{}}]}}}"
                    "}",
                    "spec.suspend=default-suspend,"
                    "spec.template.metadata.labels[batch.kubernetes.io/job-name]="
                    "generate-job-name-label");
    /* nothing to do */
    check_defaulted(
        MUTATE,
        "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"suspend\":false,"
        "\"concurrencyPolicy\":\"Allow\",\"successfulJobsHistoryLimit\":3,"
        "\"failedJobsHistoryLimit\":1,\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":"
        "{" POD ",\"containers\":[{" CONTAINER ",\"resources\":{}}]}}}}}}",
        NULL);
}

/* Longer than what is kept: it ends in how many more there are. */
static void test_annotation_is_bounded(void **state)
{
    JR_BUF object = { 0 };
    JR_FREE char *body = NULL;
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    struct jr_str rest, entry = { NULL, 0 };
    int64_t more = 0;
    size_t n = 0;

    (void)state;
    jr_buf_init(&object, (size_t)1 << 20);
    (void)jr_buf_adds(&object,
                      "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"jobTemplate\":{\"spec\":{"
                      "\"template\":{\"spec\":{\"containers\":[{}");
    for (int i = 1; i < 500; i++)
        (void)jr_buf_adds(&object, ",{}");
    assert_int_equal(jr_buf_adds(&object, "]}}}}}}"), JR_OK);
    body = create_review(MUTATE, object.p, false);
    ask(MUTATE, jr_str(body), &a);
    assert_true(a.allowed);
    rest = jr_get_str(jr_get(a.response, "auditAnnotations"), "defaulted");
    assert_true(rest.n <= 10240 && rest.n > 10000);
    while (jr_str_cut(&rest, ',', &entry))
        n++;
    assert_true(jr_str_starts(entry, JR_S("...=")));
    assert_int_equal(jr_parse_i64(jr_str_from(entry, 4), 1, 100000, &more), JR_OK);
    /* four rows of a CronJob, five of a Pod, four of each container; less the "...=" itself */
    assert_int_equal((int64_t)n - 1 + more, 3 + 1 + 5 + 4 * 500);
}

/* ---- properties ---- */

#define SEEDS 80

/** Puts a generated Job's spec into a CronJob. */
static struct jr_doc *cron_of(struct jr_str job, uint64_t seed)
{
    static const char *const schedules[] = { "0 3 * * *", "@every 1h", "*/5 1-3 ? jan-mar sun",
                                             "61 * * * *", "TZ=UTC 0 3 * * *" };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *from = doc_of(job);
    struct jr_doc *doc = NULL;
    struct jr_node *spec, *template;

    assert_int_equal(jr_doc_of(jr_doc_root(from), &doc), JR_OK);
    jr_remove(jr_doc_root(doc), JR_S("status"), NULL);
    assert_int_equal(jr_set_str(jr_doc_root(doc), "kind", JR_S("CronJob")), JR_OK);
    assert_int_equal(jr_set_object(jr_doc_root(doc), "spec", &spec), JR_OK);
    assert_int_equal(
        jr_set_str(spec, "schedule", jr_str(schedules[seed % JR_ARRAY_SIZE(schedules)])), JR_OK);
    if (seed % 4 == 0)
        assert_int_equal(jr_set_str(spec, "timeZone", JR_S("Europe/Berlin")), JR_OK);
    assert_int_equal(jr_set_object(spec, "jobTemplate", &template), JR_OK);
    assert_int_equal(jr_set_copy(template, JR_S("spec"), jr_get(jr_doc_root(from), "spec"), NULL),
                     JR_OK);
    return doc;
}

/** The validating side comes to the same, with or without the mutating side before it. */
static void same_result(const char *name, const struct jr_node *object, const struct jr_node *after)
{
    JR_FREE char *sent = text_of(object);
    JR_FREE char *completed = text_of(after);
    JR_FREE char *first = create_review(VALIDATE, sent, false);
    JR_FREE char *second = create_review(VALIDATE, completed, false);
    JR_CLEANUP(answer_done) struct answer alone = { .st = JR_OK };
    JR_CLEANUP(answer_done) struct answer both = { .st = JR_OK };

    ask(VALIDATE, jr_str(first), &alone);
    ask(VALIDATE, jr_str(second), &both);
    if (alone.st != both.st || alone.allowed != both.allowed ||
        !jr_str_eq(alone.message, both.message))
        fail_msg("%s: alone %.*s; after mutation %.*s", name, JR_P(alone.message),
                 JR_P(both.message));
}

static void check_generated(enum jr_job_gen_kind kind)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)64 << 20);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *object = NULL;
        JR_CLEANUP(jr_doc_freep) struct jr_doc *after = NULL;
        struct jr_job_gen g;
        char name[64];

        jr_buf_reset(&text);
        jr_job_gen_init(&g, seed, kind);
        g.unknown = seed % 2 == 0;
        assert_int_equal(jr_job_gen_next(&g, &text), JR_OK);
        (void)snprintf(name, sizeof(name), "kind %d, seed %llu", (int)kind,
                       (unsigned long long)seed);
        object = cron_of(jr_buf_str(&text), seed);
        after = mutate_idempotently(MUTATE, name, jr_doc_root(object));
        if (after != NULL)
            same_result(name, jr_doc_root(object), jr_doc_root(after));
        if (kind != JR_JOB_GEN_HOSTILE)
            check_any_order(MUTATE, name, jr_doc_root(object));
    }
}

static void test_generated(void **state)
{
    (void)state;
    check_generated(JR_JOB_GEN_VALID);
    check_generated(JR_JOB_GEN_NEARLY);
    check_generated(JR_JOB_GEN_HOSTILE);
}

/* ---- without memory ---- */

static void no_memory(enum jr_endpoint e, const struct pieces *p)
{
    JR_FREE char *body = review_of(p);
    const struct jr_profile described = jr_profile_default();
    const struct jr_profiles profiles = jr_profiles_of(&described);
    const struct jr_review_settings settings = { .profiles = &profiles,
                                                 .controller_name = ASK_CONTROLLER };
    bool hit = true;

    for (long n = 1; hit; n++) {
        JR_ARENA arena = { 0 };
        JR_BUF out = { 0 };
        struct jr_review_outcome o;
        struct jr_error err = { .status = JR_OK };
        enum jr_status st;

        jr_failalloc_arm(n);
        st = answer_review(e, jr_str(body), &settings, &arena, &out, &o, &err);
        hit = jr_failalloc_hit();
        jr_failalloc_disarm();
        assert_int_equal(st, hit ? JR_NOMEM : JR_OK);
        assert_int_equal(err.http, hit ? 500 : 0);
    }
}

static void test_no_memory(void **state)
{
    static const struct pieces create = { CRON, .operation = "CREATE", .object = GOOD };
    static const struct pieces crash = { CRON, .operation = "UPDATE",
                                         .object = OBJECT("", SCHEDULE, CRASHER),
                                         .old_object = GOOD };
    static const struct pieces proof = { CRON, .operation = "CREATE",
                                         .object = OBJECT("", "\"schedule\":\"x\",", "") };

    (void)state;
    no_memory(MUTATE, &create);
    no_memory(MUTATE, &crash);
    no_memory(VALIDATE, &proof);
}

static void test_endpoints(void **state)
{
    (void)state;
    assert_int_equal(jr_endpoint_find("/mutate-batch-v1-cronjob"), MUTATE);
    assert_int_equal(jr_endpoint_find("/validate-batch-v1-cronjob"), VALIDATE);
    assert_true(jr_endpoint_mutates(MUTATE));
    assert_false(jr_endpoint_mutates(VALIDATE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_denial),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_annotation),
        cmocka_unit_test(test_annotation_is_bounded),
        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_endpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
