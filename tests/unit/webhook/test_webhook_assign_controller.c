/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are handed to a controller as they are created. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/json/patch.h"
#include "tests/support/failalloc.h"
#include "tests/unit/webhook/ask.h"

#define ASSIGN_CONTROLLER JR_ENDPOINT_ASSIGN_CONTROLLER
#define V1BETA1 .api_version = "admission.k8s.io/v1beta1"

/* META and SPEC are further members. */
#define JOB(META, SPEC)                                                                         \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"namespace\"" \
    ":\"ns\"" META "},\"spec\":{" SPEC "\"template\":{\"metadata\":{},\"spec\":{"               \
    "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}"
#define BY(NAME) "\"managedBy\":\"" NAME "\","
#define DELETING ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":0"

#define ADDED "[{\"op\":\"add\",\"path\":\"/spec/managedBy\",\"value\":\"" ASK_CONTROLLER "\"}]"
#define REPLACED \
    "[{\"op\":\"replace\",\"path\":\"/spec/managedBy\",\"value\":\"" ASK_CONTROLLER "\"}]"
#define SPEC_ADDED \
    "[{\"op\":\"add\",\"path\":\"/spec\",\"value\":{\"managedBy\":\"" ASK_CONTROLLER "\"}}]"

struct row {
    const char *name;
    struct pieces in;
    const char *patch;  /* NULL: none */
    const char *denial; /* a part of its message; NULL: admitted */
    int code;
};

static const struct row rows[] = {
    { "one that names nobody", { .operation = "CREATE", .object = JOB("", "") }, .patch = ADDED },
    { "the same with v1beta1",
      { V1BETA1, .operation = "CREATE", .object = JOB("", "") },
      .patch = ADDED },
    { "a dry run",
      { .operation = "CREATE", .object = JOB("", ""), .dry_run = true },
      .patch = ADDED },
    { "a null names nobody",
      { .operation = "CREATE", .object = JOB("", "\"managedBy\":null,") },
      .patch = REPLACED },
    { "no spec at all",
      { .operation = "CREATE", .object = "{\"metadata\":{\"name\":\"pi\"}}" },
      .patch = SPEC_ADDED },
    { "no way around by a time of deletion, which API servers take away",
      { .operation = "CREATE", .object = JOB(DELETING, "") },
      .patch = ADDED },
    { "one that is ours already",
      { .operation = "CREATE", .object = JOB("", BY(ASK_CONTROLLER)) },
      .patch = NULL },
    { "another controller's",
      { .operation = "CREATE", .object = JOB("", BY("example.com/x")) },
      .patch = NULL },
    { "another controller's, v1beta1",
      { V1BETA1, .operation = "CREATE", .object = JOB("", BY("example.com/x")) },
      .patch = NULL },
    { "the built-in controller's, by its name",
      { .operation = "CREATE", .object = JOB("", BY("kubernetes.io/job-controller")) },
      .patch = NULL },
    { "a name that is none is for the validation",
      { .operation = "CREATE", .object = JOB("", BY("")) },
      .patch = NULL },
    { "an update",
      { .operation = "UPDATE", .object = JOB("", ""), .old_object = JOB("", "") },
      .patch = NULL },
    { "an update, v1beta1",
      { V1BETA1, .operation = "UPDATE", .object = JOB("", ""), .old_object = JOB("", "") },
      .patch = NULL },
    { "an update of what API servers panic at, which is another endpoint's",
      { .operation = "UPDATE",
        .object = JOB("", "\"completionMode\":\"Indexed\",\"successPolicy\":{},"),
        .old_object = JOB("", "") },
      .patch = NULL },
    { "a delete", { .operation = "DELETE", .old_object = JOB("", "") }, .patch = NULL },
    { "a delete, v1beta1",
      { V1BETA1, .operation = "DELETE", .old_object = JOB("", "") },
      .patch = NULL },
    { "a connect", { .operation = "CONNECT" }, .patch = NULL },
    { "a subresource",
      { .operation = "CREATE", .sub_resource = "status", .object = JOB("", "") },
      .patch = NULL },
    { "a subresource with a short name",
      { .operation = "CREATE", .sub_resource = "s", .object = JOB("", "") },
      .patch = NULL },
    { "a CronJob: its Jobs are assigned as they are created",
      { .kind = "CronJob", .resource = "cronjobs", .operation = "CREATE", .object = "{}" },
      .denial = "not CronJob in batch/v1",
      .code = 400 },
    { "a CronJob, v1beta1",
      { V1BETA1, .kind = "CronJob", .resource = "cronjobs", .operation = "CREATE", .object = "{}" },
      .denial = "not CronJob in batch/v1",
      .code = 400 },
    { "a Job of another version",
      { .version = "v2", .operation = "CREATE", .object = JOB("", "") },
      .denial = "not Job in batch/v2",
      .code = 400 },
    { "a Job of another group",
      { .group = "batch.example.com", .operation = "CREATE", .object = JOB("", "") },
      .denial = "not Job in batch.example.com/v1",
      .code = 400 },
    { "another resource",
      { .resource = "jobz", .operation = "DELETE", .old_object = "{}" },
      .denial = "(resource jobz)",
      .code = 400 },
    { "an operation that isn't one",
      { .operation = "create", .object = JOB("", "") },
      .denial = "not \"create\"",
      .code = 400 },
    { "a create without an object", { .operation = "CREATE" }, .denial = "no object", .code = 400 },
    { "a spec that is none",
      { .operation = "CREATE", .object = "{\"metadata\":{\"name\":\"pi\"},\"spec\":[]}" },
      .denial = "cannot be handled as a Job: spec",
      .code = 400 },
    { "a name of the wrong type",
      { .operation = "CREATE", .object = JOB("", "\"managedBy\":1,") },
      .denial = "spec.managedBy",
      .code = 400 },
    { "a name that is there twice",
      { .operation = "CREATE", .object = JOB("", "\"managedBy\":null,\"managedBy\":\"a.b/c\",") },
      .denial = "managedBy",
      .code = 400 },
};

static void check_row(const struct row *r)
{
    JR_FREE char *body = review_of(&r->in);
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    JR_FREE char *patch = NULL;
    struct jr_str note;

    ask(ASSIGN_CONTROLLER, jr_str(body), &a);
    if (a.st != JR_OK)
        fail_msg("%s: %s", r->name, a.err.msg);
    patch = a.patch == NULL ? NULL : text_of(jr_doc_root(a.patch));
    if (a.allowed != (r->denial == NULL) || a.code != r->code ||
        (patch == NULL) != (r->patch == NULL) || (patch != NULL && strcmp(patch, r->patch) != 0) ||
        (r->denial != NULL && (a.message.p == NULL || strstr(a.message.p, r->denial) == NULL)))
        fail_msg("%s: allowed %d, code %d, patch %s, message %.*s", r->name, a.allowed, (int)a.code,
                 patch == NULL ? "none" : patch, JR_P(a.message));
    note = jr_get_str(jr_get(a.response, "auditAnnotations"), "defaulted");
    if (patch == NULL ? note.n > 0 : !jr_str_is(note, "spec.managedBy=assign-controller"))
        fail_msg("%s: annotated %.*s", r->name, JR_P(note));
    assert_true(jr_str_is(jr_get_str(jr_doc_root(a.doc), "apiVersion"),
                          r->in.api_version == NULL ? "admission.k8s.io/v1" : r->in.api_version));
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

/* Asked again about what it has patched it has nothing to add, and completing does as before. */
static void test_again(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = doc_of(JR_S(JOB("", "")));
    JR_FREE char *first = create_review(ASSIGN_CONTROLLER, JOB("", ""), false), *patched = NULL,
                 *second = NULL;
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    JR_CLEANUP(answer_done) struct answer b = { .st = JR_OK };
    JR_CLEANUP(answer_done) struct answer c = { .st = JR_OK };

    (void)state;
    ask(ASSIGN_CONTROLLER, jr_str(first), &a);
    assert_int_equal(jr_patch_apply(job, jr_doc_root(a.patch), NULL), JR_OK);
    patched = text_of(jr_doc_root(job));
    second = create_review(ASSIGN_CONTROLLER, patched, false);
    ask(ASSIGN_CONTROLLER, jr_str(second), &b);
    assert_true(b.allowed);
    assert_null(b.patch);
    ask(JR_ENDPOINT_MUTATE_JOB, jr_str(second), &c);
    assert_true(c.allowed);
    assert_int_equal(jr_patch_apply(job, jr_doc_root(c.patch), NULL), JR_OK);
    assert_true(
        jr_str_is(jr_node_str(jr_path(jr_doc_root(job), "spec.managedBy")), ASK_CONTROLLER));
}

/* Kind and resource, and of each group and version, have to be right: one letter is changed. */
static void test_one_is_wrong(void **state)
{
    static const char *const at[] = { "\"group\":\"batch", "\"version\":\"v1" };
    static const char *const of[] = { "\"kind\":{", "\"resource\":{" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(of); i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(at); k++) {
            JR_FREE char *body = create_review(ASSIGN_CONTROLLER, JOB("", ""), false);
            JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
            char *start = strstr(body, of[i]);
            char *found = start == NULL ? NULL : strstr(start, at[k]);

            if (found == NULL) {
                fail_msg("a review without %s %s", of[i], at[k]);
                continue; /* which the analyzer doesn't know to be never reached */
            }
            found[strlen(at[k]) - 1] = '9';
            ask(ASSIGN_CONTROLLER, jr_str(body), &a);
            if (a.st != JR_OK || a.allowed || a.code != 400)
                fail_msg("%s %s: allowed %d, code %d", of[i], at[k], a.allowed, (int)a.code);
        }
    }
}

static void test_no_memory(void **state)
{
    const struct jr_profile described = jr_profile_default();
    const struct jr_profiles profiles = jr_profiles_of(&described);
    const struct jr_review_settings settings = { .profiles = &profiles,
                                                 .controller_name = ASK_CONTROLLER };
    JR_FREE char *body = create_review(ASSIGN_CONTROLLER, JOB("", ""), false);
    bool hit = true;

    (void)state;
    for (long n = 1; hit; n++) {
        JR_ARENA arena = { 0 };
        JR_BUF out = { 0 };
        struct jr_error err = { .status = JR_OK };
        struct jr_review_outcome o;
        enum jr_status st;

        jr_failalloc_arm(n);
        st = answer_review(ASSIGN_CONTROLLER, jr_str(body), &settings, &arena, &out, &o, &err);
        hit = jr_failalloc_hit();
        jr_failalloc_disarm();
        if (hit ? st != JR_OK && (st != JR_NOMEM || err.http != 500) : st != JR_OK || n < 10)
            fail_msg("allocation %ld: status %d, http %d, %s", n, st, err.http, err.msg);
    }
}

static void test_endpoint(void **state)
{
    (void)state;
    assert_int_equal(jr_endpoint_find("/assign-controller-batch-v1-job"), ASSIGN_CONTROLLER);
    assert_true(jr_endpoint_mutates(ASSIGN_CONTROLLER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_again),
        cmocka_unit_test(test_one_is_wrong), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_endpoint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
