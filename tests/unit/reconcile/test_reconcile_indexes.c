/* SPDX-License-Identifier: Apache-2.0 */
/* Which indexes of a Job have succeeded and which have failed for good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/reconcile/rig.h"

#define FAILED_AT(time)                                                                        \
    "{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{" \
    "\"exitCode\":1,\"finishedAt\":\"2026-03-01T" time "Z\"}}}]}"
#define FAILED FAILED_AT("11:50:00")
#define SUCCEEDED "{\"phase\":\"Succeeded\"}"

static bool contains(struct jr_str text, const char *part)
{
    return text.n > 0 && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/** No index is in both lists: the API server would refuse it, over and over. What has succeeded
 * stays so, and whatever else has failed stays failed. */
static void test_failed_less_succeeded(void **state)
{
    static const struct {
        const char *completed, *failed; /* as the status has them */
        const char *pod_index;          /* of a Pod that ends; NULL: there is none */
        const char *pod_status;
        const char *want_completed, *want_failed;
    } rows[] = {
        { "3", "0", "3", FAILED, "3", "0" },
        { "3", "0,5-6", "3", FAILED, "3", "0,5,6" },
        { "0", "0-2", NULL, NULL, "0", "1,2" },
        { "3", "2-4", NULL, NULL, "3", "2,4" },
        { "4-6", "1,2,4,6,8", NULL, NULL, "4-6", "1,2,8" },
        { "3", "3", NULL, NULL, "3", "" },
        { "", "0,2", "2", SUCCEEDED, "2", "0" },
        { "", "1", "0", FAILED, "", "0,1" },
        { "", "", "0", FAILED, "", "0" },
        { "0-3", "5", "4", SUCCEEDED, "0-4", "5" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char status[512], index[256], completed[64], failed[64];
        const struct jr_stage *s;
        struct rig r;

        (void)snprintf(status, sizeof(status),
                       "{\"startTime\":\"2026-03-01T11:00:00Z\",\"completedIndexes\":\"%s\","
                       "\"failedIndexes\":\"%s\"}",
                       rows[i].completed, rows[i].failed);
        rig_open(&r,
                 "\"completionMode\":\"Indexed\",\"parallelism\":0,\"completions\":12,"
                 "\"backoffLimitPerIndex\":0",
                 status);
        if (rows[i].pod_index != NULL) {
            (void)snprintf(index, sizeof(index),
                           "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"%s\"}",
                           rows[i].pod_index);
            rig_pod(&r, "a", index, rows[i].pod_status);
        }
        s = rig_begin(&r);
        assert_int_equal(s->kind, JR_STAGE_STATUS);
        (void)snprintf(completed, sizeof(completed), "\"completedIndexes\":\"%s\"",
                       rows[i].want_completed);
        (void)snprintf(failed, sizeof(failed), "\"failedIndexes\":\"%s\"", rows[i].want_failed);
        if ((rows[i].want_completed[0] != '\0' && !contains(s->ops[0].body, completed)) ||
            !contains(s->ops[0].body, failed))
            fail_msg("row %zu: %.*s", i, JR_P(s->ops[0].body));
        rig_close(&r);
    }
}

/** Why a Job fails when several reasons hold at once: its own limits go first, then those of its
 * indexes; and an index that has failed is none where failures aren't counted by index. */
static void test_reasons(void **state)
{
    static const struct {
        const char *spec, *reason;
    } rows[] = {
        { "\"backoffLimitPerIndex\":0", "" },
        { "\"backoffLimitPerIndex\":0,\"maxFailedIndexes\":0", "MaxFailedIndexesExceeded" },
        { "\"backoffLimitPerIndex\":0,\"maxFailedIndexes\":1", "" },
        { "\"backoffLimitPerIndex\":0,\"maxFailedIndexes\":0,\"activeDeadlineSeconds\":60",
          "DeadlineExceeded" },
        { "\"backoffLimitPerIndex\":0,\"maxFailedIndexes\":0,\"backoffLimit\":0",
          "BackoffLimitExceeded" },
        { "\"backoffLimit\":1,\"maxFailedIndexes\":0", "" },
        { "\"backoffLimit\":0", "BackoffLimitExceeded" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char spec[512], reason[128];
        const struct jr_stage *s;
        struct rig r;

        (void)snprintf(spec, sizeof(spec),
                       "\"completionMode\":\"Indexed\",\"parallelism\":0,\"completions\":12,%s",
                       rows[i].spec);
        rig_open(&r, spec, "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
        rig_pod(&r, "a", "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"3\"}", FAILED);
        s = rig_begin(&r);
        assert_int_equal(s->kind, JR_STAGE_STATUS);
        (void)snprintf(reason, sizeof(reason), "\"reason\":\"%s\"", rows[i].reason);
        if (contains(s->ops[0].body, "FailureTarget") != (rows[i].reason[0] != '\0') ||
            (rows[i].reason[0] != '\0' && !contains(s->ops[0].body, reason)))
            fail_msg("row %zu: %.*s", i, JR_P(s->ops[0].body));
        rig_close(&r);
    }
}

/** The failed Pod whose count a replacement is to carry on keeps its finalizer, though another of
 * its index knows more, which is on its way out. */
static void test_who_is_held(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r,
             "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":2,"
             "\"backoffLimitPerIndex\":3",
             "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
    rig_pod(&r, "a", "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"0\"}", FAILED);
    rig_pod(&r, "b",
            "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"0\",\"" JR_INDEX_FAILURE_COUNT
            "\":\"1\"}",
            FAILED);
    r.snap.awaited = (struct jr_strs){ (struct jr_str[]){ JR_S("uid-b") }, 1 };
    for (s = rig_begin(&r); s->kind != JR_STAGE_DONE; s = rig_step_ok(&r)) {
        for (size_t i = 0; i < s->n_ops; i++)
            assert_int_not_equal(s->ops[i].kind, JR_OP_UNFINALIZE_POD);
    }
    assert_false(s->done.failed);
    rig_close(&r);
}

/** A replacement carries on the most failures of its index, whoever ended last and whoever comes
 * first: one that was deleted may end long after its replacement has failed. */
static void test_the_most_failures_are_carried_on(void **state)
{
    static const char first[] =
        "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"0\",\"" JR_INDEX_FAILURE_COUNT "\":\"0\"}";
    static const char second[] =
        "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"0\",\"" JR_INDEX_FAILURE_COUNT "\":\"1\"}";

    (void)state;
    for (int order = 0; order < 2; order++) {
        size_t made = 0;
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r,
                 "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,"
                 "\"backoffLimitPerIndex\":3",
                 "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
        if (order == 0)
            rig_pod(&r, "a", first, FAILED);
        rig_pod(&r, "b", second, FAILED_AT("11:40:00"));
        if (order == 1)
            rig_pod(&r, "c", first, FAILED);
        for (s = rig_begin(&r); s->kind != JR_STAGE_DONE; s = rig_step_ok(&r)) {
            for (size_t i = 0; i < s->n_ops; i++) {
                if (s->ops[i].kind != JR_OP_CREATE_POD)
                    continue;
                made++;
                if (!contains(s->ops[i].body, "\"" JR_INDEX_FAILURE_COUNT "\":\"2\""))
                    fail_msg("order %d: %.*s", order, JR_P(s->ops[i].body));
            }
        }
        assert_int_equal(made, 1);
        rig_close(&r);
    }
}

/** Of two that know as much the last one is held, as upstream has it: the other one is let go. */
static void test_the_last_of_equals_is_held(void **state)
{
    const struct jr_stage *s;
    struct rig r;
    bool other = false;

    (void)state;
    rig_open(&r,
             "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,"
             "\"backoffLimitPerIndex\":3",
             "{\"startTime\":\"2026-03-01T11:00:00Z\"}");
    rig_pod(&r, "a", "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"0\"}", FAILED);
    rig_pod(&r, "b", "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"0\"}", FAILED);
    for (s = rig_begin(&r); s->kind != JR_STAGE_DONE; s = rig_step_ok(&r)) {
        for (size_t i = 0; i < s->n_ops; i++) {
            if (s->ops[i].kind != JR_OP_UNFINALIZE_POD)
                continue;
            assert_true(jr_str_is(s->ops[i].pod->name, "a"));
            other = true;
        }
    }
    assert_true(other);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failed_less_succeeded),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_who_is_held),
        cmocka_unit_test(test_the_most_failures_are_carried_on),
        cmocka_unit_test(test_the_last_of_equals_is_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
