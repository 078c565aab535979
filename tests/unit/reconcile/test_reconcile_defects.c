/* SPDX-License-Identifier: Apache-2.0 */
/* Defects of Kubernetes 1.36.0 that the scenario file can't show in one sync: a failure that nobody
 * writes down, a Pod that loses its finalizer but not its life, and one that ends otherwise than it
 * is recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/reconcile/rig.h"

#define READY "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}"
#define SUCCEEDED "{\"phase\":\"Succeeded\"}"
#define STARTED                                                              \
    "{\"startTime\":\"2026-03-01T11:00:00Z\",\"ready\":0,\"terminating\":0," \
    "\"uncountedTerminatedPods\":{}}"

static bool contains(struct jr_str text, const char *part)
{
    return text.n > 0 && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static void expect_uid(const struct jr_strs *uids, const char *uid)
{
    assert_int_equal(uids->n, 1);
    assert_true(jr_str_is(uids->v[0], uid));
}

/** The Pod "a" of the Job, without the finalizer. */
static void bare_pod(struct rig *r, const char *metadata, const char *status)
{
    char text[2048];

    (void)snprintf(
        text, sizeof(text),
        "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns1\",\"uid\":\"uid-a\","
        "\"resourceVersion\":\"21\",\"labels\":{\"app\":\"x\"},\"ownerReferences\":[{"
        "\"apiVersion\":"
        "\"batch/v1\",\"kind\":\"Job\",\"name\":\"demo\",\"uid\":\"job-uid\",\"controller\":true}]"
        "%s},\"spec\":{\"nodeName\":\"n\"},\"status\":%s}",
        metadata, status);
    rig_pod_text(r, text);
}

/* ---- a failure that is ignored, and replaced at once ---- */

#define IGNORING                                                                        \
    "\"parallelism\":1,\"completions\":1,\"podFailurePolicy\":{\"rules\":[{\"action\":" \
    "\"Ignore\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[3]}}]}"
#define FAILED_LONG_AGO                                                                       \
    "{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":" \
    "{\"exitCode\":3,\"finishedAt\":\"2026-03-01T11:30:00Z\"}}}]}"

/** Up to the removal of the failed Pod's finalizer: its successor is made, and no status written.
 */
static const struct jr_stage *ignored_failure(struct rig *r)
{
    const struct jr_stage *s;

    rig_open(r, IGNORING,
             "{\"startTime\":\"2026-03-01T11:00:00Z\",\"active\":1,\"ready\":0,\"terminating\":0,"
             "\"uncountedTerminatedPods\":{}}");
    rig_pod(r, "a", "", FAILED_LONG_AGO);
    s = rig_begin(r);
    assert_int_equal(s->kind, JR_STAGE_CREATE);
    s = rig_step_ok(r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE);
    assert_false(s->effects.backoff.set);
    return s;
}

static void test_ignored_failure_is_recorded(void **state)
{
    const struct jr_op_result lost = RIG_LOST;
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    (void)ignored_failure(&r);
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(s->effects.backoff.set);
    assert_false(s->effects.backoff.written);
    assert_int_equal(s->effects.backoff.record.failures_after_last_success, 1);
    rig_close(&r);
    /* While it bears its finalizer it will be seen as new once more. */
    (void)ignored_failure(&r);
    s = rig_step(&r, &lost);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_false(s->effects.backoff.set);
    rig_close(&r);
}

/* ---- a finalizer that is gone, and a deletion that failed ---- */

/** A Pod too many; what came of its patch and its deletion. Returns what is remembered of it. */
static struct jr_strs scaled_down(struct jr_op_result patch, struct jr_op_result delete,
                                  struct rig *r)
{
    const struct jr_op_result v[2] = { patch, delete };
    const struct jr_stage *s;

    rig_open(r, "\"parallelism\":0,\"completions\":9", STARTED);
    rig_pod(r, "a", "", READY);
    s = rig_begin(r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE_DELETE);
    s = rig_step(r, v);
    return s->effects.finalizer_lost;
}

static void test_finalizer_lost(void **state)
{
    static const struct {
        struct jr_op_result patch, delete;
        bool finalizer_lost;
    } rows[] = {
        { { .outcome = JR_OP_OK }, { .outcome = JR_OP_OK }, false },
        { { .outcome = JR_OP_OK }, { .outcome = JR_OP_REFUSED, .http = 404 }, false },
        { { .outcome = JR_OP_OK }, { .outcome = JR_OP_REFUSED, .http = 500 }, true },
        { { .outcome = JR_OP_OK }, { .outcome = JR_OP_AMBIGUOUS }, true },
        { { .outcome = JR_OP_AMBIGUOUS }, { .outcome = JR_OP_SKIPPED }, true },
        { { .outcome = JR_OP_REFUSED, .http = 500 }, { .outcome = JR_OP_SKIPPED }, false },
        { { .outcome = JR_OP_REFUSED, .http = 404 }, { .outcome = JR_OP_SKIPPED }, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct rig r;
        struct jr_strs finalizer_lost = scaled_down(rows[i].patch, rows[i].delete, &r);

        if (finalizer_lost.n != (rows[i].finalizer_lost ? 1u : 0u))
            fail_msg("row %zu", i);
        if (rows[i].finalizer_lost)
            expect_uid(&finalizer_lost, "uid-a");
        rig_close(&r);
    }
}

/** It has ended before its deletion was tried again. */
static void ended(struct rig *r, const char *spec, const char *metadata, const char *status)
{
    static struct jr_str uid[1];

    uid[0] = JR_S("uid-a");
    rig_open(r, spec, STARTED);
    bare_pod(r, metadata, status);
    r->snap.finalizer_lost = (struct jr_strs){ uid, 1 };
}

static void test_success_counts(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    ended(&r, "\"parallelism\":0,\"completions\":9", "", SUCCEEDED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"succeeded\":[\"uid-a\"]"));
    assert_int_equal(s->effects.forget_finalizer_lost.n, 0); /* not before it is written */
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS); /* there is no finalizer to be taken off */
    assert_true(contains(s->ops[0].body, "\"succeeded\":1"));
    expect_uid(&s->effects.forget_finalizer_lost, "uid-a");
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    rig_close(&r);
}

static void test_index_counts(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    ended(&r, "\"completionMode\":\"Indexed\",\"parallelism\":0,\"completions\":9",
          ",\"annotations\":{\"batch.kubernetes.io/job-completion-index\":\"4\"}", SUCCEEDED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"completedIndexes\":\"4\""));
    rig_close(&r);
}

static void test_failure_counts(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    ended(&r, "\"parallelism\":0,\"completions\":9", "", "{\"phase\":\"Failed\"}");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"failed\":[\"uid-a\"]"));
    rig_close(&r);
}

/** The deletion had no answer, and happened: what was scaled down has not failed. */
static void test_deleted_after_all(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    ended(&r, "\"parallelism\":0,\"completions\":9",
          ",\"deletionTimestamp\":\"2026-03-01T11:59:58Z\"", "{\"phase\":\"Failed\"}");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    rig_close(&r);
}

/** Counted already, or stripped by others: nothing is known of it. */
static void test_others_do_not_count(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    ended(&r, "\"parallelism\":0,\"completions\":9", "", SUCCEEDED);
    r.snap.finalizer_lost.n = 0;
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    rig_close(&r);
}

/** It is asked for again, and forgotten. */
static void test_deletion_again(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    ended(&r, "\"parallelism\":0,\"completions\":9", "", READY);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE_DELETE);
    assert_int_equal(s->n_ops, 1);
    assert_int_equal(s->ops[0].kind, JR_OP_DELETE_POD);
    s = rig_step_ok(&r);
    expect_uid(&s->effects.forget_finalizer_lost, "uid-a");
    assert_int_equal(s->effects.finalizer_lost.n, 0);
    rig_close(&r);
}

/* ---- what validation refuses ---- */

/** An Indexed Job without completions is skipped: nothing is made of it. */
static void test_indexed_without_completions(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"completionMode\":\"Indexed\",\"parallelism\":1", "{}");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_int_equal(s->n_ops, 0);
    assert_true(rig_event(s, "UnknownCompletionMode",
                          "Skipped Job sync because completion mode is unknown"));
    rig_close(&r);
}

/* ---- a Pod that ends otherwise than it is recorded ---- */

#define LISTED(list)                                                         \
    "{\"startTime\":\"2026-03-01T11:00:00Z\",\"ready\":0,\"terminating\":0," \
    "\"uncountedTerminatedPods\":{\"" list "\":[\"uid-a\"]}}"
#define COMPLETED                                                            \
    "{\"startTime\":\"2026-03-01T11:00:00Z\",\"ready\":0,\"terminating\":0," \
    "\"succeeded\":1,\"completedIndexes\":\"0\",\"uncountedTerminatedPods\":{}}"
#define INDEX_0 "\"annotations\":{\"batch.kubernetes.io/job-completion-index\":\"0\"}"
#define INDEXED "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1"
#define FAILED "{\"phase\":\"Failed\"}"

/** Recorded as failed by its deletion, it exits with 0: another Pod is made. */
static void test_listed_as_failed(void **state)
{
    static const char *const specs[] = { "\"parallelism\":1,\"completions\":1", INDEXED };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(specs); i++) {
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r, specs[i], LISTED("failed"));
        rig_pod(&r, "a", "\"deletionTimestamp\":\"2026-03-01T11:00:00Z\"," INDEX_0, SUCCEEDED);
        s = rig_begin(&r);
        assert_int_equal(s->kind, JR_STAGE_CREATE);
        s = rig_step_ok(&r);
        assert_int_equal(s->kind, JR_STAGE_STATUS);
        assert_false(contains(s->ops[0].body, "\"succeeded\":"));
        assert_false(contains(s->ops[0].body, "\"completedIndexes\":\"0\""));
        assert_true(contains(s->ops[0].body, "\"failed\":[\"uid-a\"]"));
        s = rig_step_ok(&r);
        assert_int_equal(s->kind, JR_STAGE_UNFINALIZE);
        s = rig_step_ok(&r);
        assert_int_equal(s->kind, JR_STAGE_STATUS);
        assert_true(contains(s->ops[0].body, "\"failed\":1"));
        assert_false(contains(s->ops[0].body, "\"type\":"));
        rig_close(&r);
    }
}

/** Recorded as succeeded, it fails: no rule and no limit sees a failure. */
static void test_listed_as_succeeded(void **state)
{
    static struct jr_str uid[1];

    (void)state;
    uid[0] = JR_S("uid-a");
    for (unsigned i = 0; i < 4; i++) {
        const bool indexed = i % 2 == 1;
        const char *policy = ",\"podFailurePolicy\":{\"rules\":[{\"action\":\"FailJob\","
                             "\"onPodConditions\":[{\"type\":\"X\",\"status\":\"True\"}]}]}";
        char spec[512];
        const struct jr_stage *s;
        struct rig r;

        (void)snprintf(spec, sizeof(spec), "\"backoffLimit\":0,%s%s",
                       indexed ? INDEXED : "\"parallelism\":1,\"completions\":1",
                       i < 2 ? "" : policy);
        rig_open(&r, spec, indexed ? COMPLETED : LISTED("succeeded"));
        rig_pod(&r, "a", INDEX_0,
                "{\"phase\":\"Failed\",\"conditions\":[{\"type\":\"X\",\"status\":\"True\"}]}");
        r.snap.succeeded = (struct jr_strs){ uid, indexed ? 1 : 0 };
        s = rig_begin(&r);
        assert_int_equal(s->kind, JR_STAGE_STATUS);
        assert_true(contains(s->ops[0].body, "SuccessCriteriaMet"));
        assert_false(contains(s->ops[0].body, "FailureTarget"));
        assert_false(contains(s->ops[0].body, "\"failed\":"));
        rig_close(&r);
    }
}

/** An index doesn't say whose success it is: it is remembered while the finalizer stays. */
static void test_index_is_whose(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, INDEXED, STARTED);
    rig_pod(&r, "a", INDEX_0, SUCCEEDED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE);
    s = rig_step(&r, &RIG_REFUSED(500));
    expect_uid(&s->effects.succeeded, "uid-a");
    rig_close(&r);
    /* Of another Pod nothing is known: it is a second one of its index, and has failed. */
    rig_open(&r, INDEXED, COMPLETED);
    rig_pod(&r, "a", INDEX_0, FAILED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"failed\":[\"uid-a\"]"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ignored_failure_is_recorded),
        cmocka_unit_test(test_finalizer_lost),
        cmocka_unit_test(test_success_counts),
        cmocka_unit_test(test_index_counts),
        cmocka_unit_test(test_failure_counts),
        cmocka_unit_test(test_deleted_after_all),
        cmocka_unit_test(test_others_do_not_count),
        cmocka_unit_test(test_deletion_again),
        cmocka_unit_test(test_indexed_without_completions),
        cmocka_unit_test(test_listed_as_failed),
        cmocka_unit_test(test_listed_as_succeeded),
        cmocka_unit_test(test_index_is_whose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
