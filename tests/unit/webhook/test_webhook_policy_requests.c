/* SPDX-License-Identifier: Apache-2.0 */
/* The circumstances of a review that JobPolicies go by: its namespace, who asks, what was
 * updated. */
#include "tests/unit/webhook/policy_scene.h"

static const char deny[] = HEAD "metadata: {name: narrow}\n"
                                "spec:\n"
                                "  validationActions: [Deny, Audit]\n"
                                "  limits: {parallelism: {max: 2}, backoffLimit: {max: 3}}\n";
static const char exception[] =
    HEAD "metadata: {name: narrow}\n"
         "spec:\n"
         "  limits: {parallelism: {max: 2}}\n"
         "  exceptions:\n"
         "  - {namespaces: [ns], until: \"2027-01-01T00:00:00Z\", reason: thesis,\n"
         "     limits: {parallelism: {max: 9}}}\n";

/** An exception goes by the namespace, leaves a trace, and ends. */
static void test_exception(void **state)
{
    SCENE s;
    ANSWER used = { .st = JR_OK }, late = { .st = JR_OK };

    (void)state;
    scene_init(&s, exception);
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &used);
    want_answer("excepted", &used, 0, NULL, false);
    want_note(&used, "policy-exceptions",
              "[{\"policy\":\"narrow\",\"until\":\"2027-01-01T00:00:00Z\",\"reason\":"
              "\"thesis\"}]");
    assert_int_equal(jr_time_parse(JR_S("2027-01-01T00:00:00Z"), &s.settings.now), JR_OK);
    ask_create(&s, JR_ENDPOINT_VALIDATE_JOB, STORED("\"parallelism\":3,"), &late);
    want_answer("the exception has ended", &late, 422, "at most 2 allowed", false);
    want_note(&late, "policy-exceptions", NULL);
}

#define RV ",\"resourceVersion\":\"1\""

/** A queue is known by the name of its account, exactly. */
static void test_queue(void **state)
{
    struct jr_str queues[] = { JR_S("system:serviceaccount:q:manager") };
    struct pieces p = { .operation = "UPDATE",
                        .object = STORED_META(RV, "\"parallelism\":9,\"suspend\":true,"),
                        .old_object = STORED_META(RV, "\"parallelism\":1,\"suspend\":true,"),
                        .user_info = "{\"username\":\"system:serviceaccount:q:manager\"}" };
    SCENE s;
    ANSWER queue = { .st = JR_OK }, other = { .st = JR_OK };

    (void)state;
    scene_init(&s, deny);
    s.settings.queues = (struct jr_strs){ queues, 1 };
    ask_pieces(&s, JR_ENDPOINT_VALIDATE_JOB, &p, &queue);
    want_answer("a queue", &queue, 0, NULL, false);
    p.user_info = "{\"username\":\"system:serviceaccount:q:manager2\"}";
    ask_pieces(&s, JR_ENDPOINT_VALIDATE_JOB, &p, &other);
    want_answer("another account", &other, 422, "at most 2 allowed", false);
}

/** A label that is required can't be taken away by itself, also while the Job is being deleted; a
 * finalizer always can. */
static void test_metadata(void **state)
{
    static const char owner[] = HEAD "metadata: {name: owner}\n"
                                     "spec: {limits: {labels: {team: {required: true}}}}\n";
#define LABELLED ",\"labels\":{\"team\":\"a\"}"
#define GOING ",\"deletionTimestamp\":\"2026-12-01T00:00:00Z\""
    static const char *const rows[][3] = {
        { STORED_META(RV LABELLED, ""), STORED_META(RV, ""), "metadata.labels[team]: must be set" },
        { STORED_META(RV GOING LABELLED, ""), STORED_META(RV GOING, ""),
          "metadata.labels[team]: must be set" },
        { STORED_META(RV GOING LABELLED ",\"finalizers\":[\"a.b/c\"]", ""),
          STORED_META(RV GOING LABELLED, ""), NULL },
        { STORED_META(RV ",\"finalizers\":[\"a.b/c\"]", ""), STORED_META(RV, ""), NULL },
    };
    SCENE s;

    (void)state;
    scene_init(&s, owner);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct pieces p = { .operation = "UPDATE",
                                  .object = rows[i][1],
                                  .old_object = rows[i][0] };
        ANSWER a = { .st = JR_OK };

        ask_pieces(&s, JR_ENDPOINT_VALIDATE_JOB, &p, &a);
        want_answer("metadata", &a, rows[i][2] == NULL ? 0 : 422, rows[i][2], false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exception),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_metadata),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
