/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews in, answers out: which operation does what, and what a wrong body is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/json/patch.h"
#include "tests/support/failalloc.h"
#include "tests/unit/webhook/ask.h"

#define TEMPLATE                                                           \
    "\"template\":{\"metadata\":{},\"spec\":{\"restartPolicy\":\"Never\"," \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}"
#define UID "8d1f6c1e-0b6a-4a53-9c1d-2f7a90b1c0de"
#define LABELS                                            \
    "\"batch.kubernetes.io/controller-uid\":\"" UID "\"," \
    "\"batch.kubernetes.io/job-name\":\"pi\","            \
    "\"controller-uid\":\"" UID "\",\"job-name\":\"pi\""

/* A Job as a user sends it, and as the validating side sees it; SPEC are further members of the
 * spec. */
#define SENT(SPEC)                                                                 \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\"," \
    "\"namespace\":\"ns\"},\"spec\":{" SPEC TEMPLATE "}}"
#define STORED_META(META, SPEC)                                                                   \
    "{\"apiVersion\":\"batch/"                                                                    \
    "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\":\"ns\","                   \
    "\"uid\":\"" UID "\",\"resourceVersion\":\"7\"" META "},\"spec\":{" SPEC                      \
    "\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"" UID "\"}},"        \
    "\"template\":{\"metadata\":{\"labels\":{" LABELS "}},\"spec\":{\"restartPolicy\":\"Never\"," \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}"
#define STORED(SPEC) STORED_META("", SPEC)
#define DELETING ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":0"

struct row {
    const char *name;
    enum jr_endpoint endpoint;
    struct pieces in;
    bool allowed;
    int code;            /* of a denial */
    const char *message; /* a part of a denial's message */
    bool patch;
};

#define MUTATE JR_ENDPOINT_MUTATE_JOB
#define VALIDATE JR_ENDPOINT_VALIDATE_JOB

static const struct row rows[] = {
    { "a create is completed",
      MUTATE,
      { .operation = "CREATE", .object = SENT("") },
      .allowed = true,
      .patch = true },
    { "the same with v1beta1",
      MUTATE,
      { .api_version = "admission.k8s.io/v1beta1", .operation = "CREATE", .object = SENT("") },
      .allowed = true,
      .patch = true },
    { "dry run makes no difference",
      MUTATE,
      { .operation = "CREATE", .object = SENT(""), .dry_run = true },
      .allowed = true,
      .patch = true },
    { "an update is left alone",
      MUTATE,
      { .operation = "UPDATE", .object = SENT(""), .old_object = SENT("") },
      .allowed = true },
    { "a delete is left alone",
      MUTATE,
      { .operation = "DELETE", .old_object = SENT("") },
      .allowed = true },
    { "a connect is left alone", MUTATE, { .operation = "CONNECT" }, true, 0, NULL, false },
    { "a subresource is left alone",
      MUTATE,
      { .operation = "CREATE", .sub_resource = "status", .object = SENT("") },
      .allowed = true },
    { "what is being deleted is left alone",
      MUTATE,
      { .operation = "CREATE", .object = STORED_META(DELETING, "") },
      .allowed = true },
    { "the input that makes API servers panic is refused",
      MUTATE,
      { .operation = "CREATE",
        .object = SENT("\"completionMode\":\"Indexed\",\"parallelism\":1,\"successPolicy\":{"
                       "\"rules\":[{\"succeededCount\":1}]},") },
      false,
      422,
      "Job.batch \"pi\" is invalid: spec.completions: Required value: when completion mode is "
      "Indexed",
      false },
    { "with completions it is not",
      MUTATE,
      { .operation = "CREATE",
        .object = SENT("\"completionMode\":\"Indexed\",\"completions\":1,\"parallelism\":1,"
                       "\"successPolicy\":{\"rules\":[{\"succeededCount\":1}]},") },
      .allowed = true,
      .patch = true },
    { "nor without parallelism, where completions default",
      MUTATE,
      { .operation = "CREATE",
        .object = SENT("\"completionMode\":\"Indexed\",\"successPolicy\":{\"rules\":[{"
                       "\"succeededCount\":1}]},") },
      .allowed = true,
      .patch = true },
    { "nor without a successPolicy: validation refuses that",
      MUTATE,
      { .operation = "CREATE",
        .object =
            SENT("\"completionMode\":\"Indexed\",\"parallelism\":1,\"successPolicy\":null,") },
      .allowed = true,
      .patch = true },
    { "a wrong type, mutating",
      MUTATE,
      { .operation = "CREATE", .object = SENT("\"parallelism\":\"1\",") },
      false,
      400,
      "Job in version \"v1\" cannot be handled as a Job: spec.parallelism",
      false },
    { "an integer that is too large",
      MUTATE,
      { .operation = "CREATE", .object = SENT("\"parallelism\":2147483648,") },
      false,
      400,
      "spec.parallelism",
      false },
    { "an object that is none",
      MUTATE,
      { .operation = "CREATE", .object = "[]" },
      false,
      400,
      "cannot be handled as a Job",
      false },
    { "a create without an object",
      MUTATE,
      { .operation = "CREATE" },
      false,
      400,
      "no object",
      false },
    { "another kind",
      MUTATE,
      { .kind = "CronJob", .resource = "cronjobs", .operation = "CREATE", .object = "{}" },
      false,
      400,
      "not CronJob in batch/v1 (resource cronjobs)",
      false },
    { "another resource",
      VALIDATE,
      { .resource = "jobz", .operation = "DELETE", .old_object = "{}" },
      false,
      400,
      "(resource jobz)",
      false },
    { "an operation that isn't one",
      VALIDATE,
      { .operation = "create", .object = SENT("") },
      false,
      400,
      "not \"create\"",
      false },

    { "a good Job is admitted",
      VALIDATE,
      { .operation = "CREATE", .object = STORED("") },
      .allowed = true },
    { "one without its labels is not",
      VALIDATE,
      { .operation = "CREATE", .object = SENT("") },
      false,
      422,
      "Job.batch \"pi\" is invalid: ",
      false },
    { "one with a bad value is not",
      VALIDATE,
      { .operation = "CREATE", .object = STORED("\"parallelism\":-1,") },
      false,
      422,
      "spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
      false },
    { "a wrong type, validating",
      VALIDATE,
      { .operation = "CREATE", .object = STORED("\"parallelism\":true,") },
      false,
      400,
      "spec.parallelism",
      false },
    { "a create of something that is being deleted",
      VALIDATE,
      { .operation = "CREATE", .object = STORED_META(DELETING, "\"parallelism\":-1,") },
      false,
      422,
      "spec.parallelism: Invalid value: -1",
      false },
    { "an update of a mutable field",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED("\"parallelism\":3,\"completions\":1,"),
        .old_object = STORED("\"parallelism\":1,\"completions\":1,") },
      .allowed = true },
    { "an update of an immutable field",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED("\"parallelism\":1,\"completions\":2,"),
        .old_object = STORED("\"parallelism\":1,\"completions\":1,") },
      false,
      422,
      "spec.completions: Invalid value: 2: field is immutable",
      false },
    { "an update of what is being deleted, whose Pods may go on",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED_META(DELETING, "\"parallelism\":-1,"),
        .old_object = STORED_META(DELETING, "") },
      false,
      422,
      "spec.parallelism: Invalid value: -1",
      false },
    { "one that leaves its spec alone, whatever that says",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED_META(DELETING, "\"parallelism\":-1,"),
        .old_object = STORED_META(DELETING ",\"finalizers\":[\"a.b/c\"]", "\"parallelism\":-1,") },
      .allowed = true },
    { "even where it can't be read any more",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED_META(DELETING, "\"parallelism\":\"x\","),
        .old_object =
            STORED_META(DELETING ",\"finalizers\":[\"a.b/c\"]", "\"parallelism\":\"x\",") },
      .allowed = true },
    { "and whatever its labels say",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED_META(DELETING ",\"labels\":{\"a b\":\"c\"}", ""),
        .old_object =
            STORED_META(DELETING ",\"labels\":{\"a b\":\"c\"},\"finalizers\":[\"a.b/c\"]", "") },
      .allowed = true },
    { "an update that leaves a bad spec alone",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED_META(",\"finalizers\":[]", "\"parallelism\":-1,"),
        .old_object = STORED_META(",\"finalizers\":[\"a.b/c\"]", "\"parallelism\":-1,") },
      .allowed = true },
    { "its metadata is validated",
      VALIDATE,
      { .operation = "UPDATE",
        .object = STORED_META(",\"labels\":{\"a b\":\"c\"}", ""),
        .old_object = STORED("") },
      false,
      422,
      "metadata.labels",
      false },
    { "an update without the old object",
      VALIDATE,
      { .operation = "UPDATE", .object = STORED("") },
      false,
      400,
      "not all of its objects",
      false },
    { "an update of another subresource",
      VALIDATE,
      { .operation = "UPDATE", .sub_resource = "scale", .object = "{}", .old_object = "{}" },
      .allowed = true },
    { "a delete",
      VALIDATE,
      { .operation = "DELETE", .old_object = STORED("\"parallelism\":-1,") },
      .allowed = true },
    { "a connect", VALIDATE, { .operation = "CONNECT" }, true, 0, NULL, false },
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct row *r = &rows[i];
        JR_FREE char *body = review_of(&r->in);
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

        ask(r->endpoint, jr_str(body), &a);
        assert_int_equal(r->allowed, r->code == 0);
        want_answer(r->name, &a, r->code, r->message, r->patch);
        assert_true(jr_str_is(jr_get_str(a.response, "uid"), "u-1"));
        assert_true(
            jr_str_is(jr_get_str(jr_doc_root(a.doc), "apiVersion"),
                      r->in.api_version == NULL ? "admission.k8s.io/v1" : r->in.api_version));
    }
}

static void test_status_updates(void **state)
{
    static const char old[] =
        "{\"apiVersion\":\"batch/"
        "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\":\"ns\",\"uid\":\"" UID
        "\",\"resourceVersion\":\"7\"},\"spec\":{" TEMPLATE "},\"status\":{\"failed\":2}}";
    static const char fine[] =
        "{\"apiVersion\":\"batch/"
        "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\":\"ns\",\"uid\":\"" UID
        "\",\"resourceVersion\":\"7\"},\"spec\":{" TEMPLATE "},\"status\":{\"failed\":3}}";
    static const char worse[] =
        "{\"apiVersion\":\"batch/"
        "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\":\"ns\",\"uid\":\"" UID
        "\",\"resourceVersion\":\"7\"},\"spec\":{" TEMPLATE "},\"status\":{\"failed\":1}}";
    const struct pieces good = {
        .operation = "UPDATE", .sub_resource = "status", .object = fine, .old_object = old
    };
    const struct pieces bad = {
        .operation = "UPDATE", .sub_resource = "status", .object = worse, .old_object = old
    };
    JR_FREE char *good_text = review_of(&good);
    JR_FREE char *bad_text = review_of(&bad);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    JR_CLEANUP(answer_done) struct answer b = { .st = JR_OK };

    (void)state;
    ask(VALIDATE, jr_str(good_text), &a);
    assert_true(a.allowed);
    ask(VALIDATE, jr_str(bad_text), &b);
    assert_false(b.allowed);
    assert_non_null(strstr(b.message.p, "cannot decrease the failed counter"));
}

/* A denial as the API server would give it. */
static void test_denial(void **state)
{
    const struct pieces p = { .operation = "CREATE",
                              .object = STORED("\"parallelism\":-1,\"backoffLimit\":-1,") };
    JR_FREE char *body = review_of(&p);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    const struct jr_node *details, *cause;

    (void)state;
    ask(VALIDATE, jr_str(body), &a);
    assert_false(a.allowed);
    assert_int_equal(a.code, 422);
    assert_true(jr_str_is(
        a.message, "Job.batch \"pi\" is invalid: [spec.parallelism: Invalid value: -1: must be "
                   "greater than or equal to 0, spec.backoffLimit: Invalid value: -1: must be "
                   "greater than or equal to 0]"));
    assert_true(jr_str_is(jr_get_str(jr_get(a.response, "status"), "reason"), "Invalid"));
    assert_true(jr_str_is(jr_get_str(jr_get(a.response, "status"), "status"), "Failure"));
    details = jr_path(a.response, "status.details");
    assert_true(jr_str_is(jr_get_str(details, "name"), "pi"));
    assert_true(jr_str_is(jr_get_str(details, "group"), "batch"));
    assert_true(jr_str_is(jr_get_str(details, "kind"), "Job"));
    assert_int_equal(jr_size(jr_get(details, "causes")), 2);
    cause = jr_at(jr_get(details, "causes"), 1);
    assert_true(jr_str_is(jr_get_str(cause, "field"), "spec.backoffLimit"));
    assert_true(jr_str_is(jr_get_str(cause, "reason"), "FieldValueInvalid"));
    assert_int_equal(a.outcome.n_causes, 2);
    assert_int_equal(a.outcome.code, 422);
}

static void test_exemptions_are_annotated(void **state)
{
    const struct pieces deleting = { .operation = "UPDATE",
                                     .object = STORED_META(DELETING, ""),
                                     .old_object = STORED_META(DELETING, "") };
    const struct pieces metadata = { .operation = "UPDATE",
                                     .object = STORED_META(",\"labels\":{\"a\":\"b\"}", ""),
                                     .old_object = STORED("") };
    JR_FREE char *d = review_of(&deleting);
    JR_FREE char *m = review_of(&metadata);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    JR_CLEANUP(answer_done) struct answer b = { .st = JR_OK };

    (void)state;
    ask(VALIDATE, jr_str(d), &a);
    assert_true(
        jr_str_is(jr_get_str(jr_get(a.response, "auditAnnotations"), "exempt"), "deleting"));
    ask(VALIDATE, jr_str(m), &b);
    assert_true(
        jr_str_is(jr_get_str(jr_get(b.response, "auditAnnotations"), "exempt"), "metadata-only"));
}

static void test_warnings(void **state)
{
    const struct pieces p = {
        .operation = "CREATE",
        .object =
            "{\"apiVersion\":\"batch/"
            "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"p.i\",\"namespace\":\"ns\","
            "\"uid\":\"" UID
            "\"},\"spec\":{\"manualSelector\":true,\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
            "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"restartPolicy\":"
            "\"Never\","
            "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}",
    };
    JR_FREE char *body = review_of(&p);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

    (void)state;
    ask(VALIDATE, jr_str(body), &a);
    assert_true(a.allowed);
    assert_int_equal(jr_size(jr_get(a.response, "warnings")), 1);
    assert_true(jr_str_starts(jr_node_str(jr_at(jr_get(a.response, "warnings"), 0)),
                              JR_S("metadata.name: this is used in Pod names and hostnames")));
}

/* Without memory there is an error or the right answer, and nothing leaks. */
static void no_memory(enum jr_endpoint e, const struct pieces *p)
{
    JR_FREE char *body = review_of(p);
    const struct jr_profile described = jr_profile_default();
    const struct jr_profiles profiles = jr_profiles_of(&described);
    const struct jr_review_settings settings = { .profiles = &profiles,
                                                 .controller_name = ASK_CONTROLLER };

    for (long n = 1;; n++) {
        JR_ARENA arena = { 0 };
        JR_BUF out = { 0 };
        struct jr_error err = { .status = JR_OK };
        struct jr_review_outcome o;
        enum jr_status st;
        bool hit;

        jr_failalloc_arm(n);
        st = answer_review(e, jr_str(body), &settings, &arena, &out, &o, &err);
        hit = jr_failalloc_hit();
        jr_failalloc_disarm();
        if (!hit) {
            assert_int_equal(st, JR_OK);
            assert_true(n > 10);
            break;
        }
        if (st != JR_OK && (st != JR_NOMEM || err.http != 500))
            fail_msg("allocation %ld: status %d, http %d, %s", n, st, err.http, err.msg);
    }
}

static void test_no_memory(void **state)
{
    static const struct pieces create = { .operation = "CREATE", .object = SENT("") };
    static const struct pieces crash = {
        .operation = "CREATE",
        .object = SENT("\"completionMode\":\"Indexed\",\"parallelism\":1,\"successPolicy\":{},")
    };
    static const struct pieces proof = { .operation = "CREATE",
                                         .object = STORED("\"parallelism\":-1,") };
    static const struct pieces update = { .operation = "UPDATE",
                                          .object = STORED("\"completions\":2,"),
                                          .old_object = STORED("\"completions\":1,") };

    (void)state;
    no_memory(MUTATE, &create);
    no_memory(MUTATE, &crash);
    no_memory(VALIDATE, &proof);
    no_memory(VALIDATE, &update);
}

static void test_endpoints(void **state)
{
    (void)state;
    assert_int_equal(jr_endpoint_find("/mutate-batch-v1-job"), MUTATE);
    assert_int_equal(jr_endpoint_find("/validate-batch-v1-job"), VALIDATE);
    assert_int_equal(jr_endpoint_find("/"), JR_ENDPOINT_COUNT);
    assert_int_equal(jr_endpoint_find("/mutate-batch-v1-job/"), JR_ENDPOINT_COUNT);
    assert_int_equal(jr_endpoint_find(""), JR_ENDPOINT_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),      cmocka_unit_test(test_status_updates),
        cmocka_unit_test(test_denial),    cmocka_unit_test(test_exemptions_are_annotated),
        cmocka_unit_test(test_warnings),  cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_endpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
