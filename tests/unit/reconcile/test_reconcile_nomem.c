/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of a sync fails once: the process ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/failalloc.h"
#include "tests/support/without_memory.h"
#include "tests/unit/reconcile/rig.h"

#define SUCCEEDED "{\"phase\":\"Succeeded\"}"
#define FAILED                                                                                 \
    "{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{" \
    "\"exitCode\":1,\"finishedAt\":\"2026-03-01T11:50:00Z\"}}}]}"
#define RUNNING "{\"phase\":\"Running\"}"
#define INDEX(i) "\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"" i "\"}"

/** Answers that need no memory: the PUT's is its own body, which outlives the step. */
static struct jr_op_result answer(const struct rig *r, const struct jr_op *op)
{
    struct jr_op_result res = RIG_OK;

    res.name = JR_S("new");
    res.resource_version = JR_S("11");
    if (op->kind == JR_OP_PUT_STATUS)
        res.body = op->body;
    if (op->kind == JR_OP_GET_JOB)
        res.body = r->job->raw;
    return res;
}

static void run_sync(void *ctx)
{
    struct rig *r = ctx;
    struct jr_op_result v[RIG_PODS * 2];
    struct jr_results results = { v, 0 };
    const struct jr_stage *stage;

    r->sync = jr_sync_begin(&r->snap, rig_now());
    for (;;) {
        stage = jr_sync_step(r->sync, results.n == 0 ? NULL : &results);
        assert_non_null(stage);
        if (stage->kind == JR_STAGE_DONE)
            break;
        assert_true(stage->n_ops <= JR_ARRAY_SIZE(v));
        for (results.n = 0; results.n < stage->n_ops; results.n++)
            v[results.n] = answer(r, &stage->ops[results.n]);
    }
    assert_false(stage->done.failed);
    jr_sync_free(r->sync);
    r->sync = NULL;
    if (jr_failalloc_hit())
        _exit(3); /* none of them can be done without */
}

static void each_allocation(struct rig *r)
{
    r->snap.pods = (const struct jr_pod *const *)r->pods;
    r->snap.n_pods = r->n_pods;
    r->snap.options = &r->options;
    assert_true(jr_each_without_memory(run_sync, r) > 10);
    run_sync(r);
    rig_close(r);
}

static void test_create(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":3,\"completions\":9", "{}");
    each_allocation(&r);
}

static void test_finish(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":2,\"completions\":1",
             "{\"uncountedTerminatedPods\":{\"failed\":[\"uid-gone\"]}}");
    rig_pod(&r, "a", "", SUCCEEDED);
    rig_pod(&r, "b", "", RUNNING);
    each_allocation(&r);
}

static void test_indexed(void **state)
{
    struct rig r;

    (void)state;
    rig_open(
        &r,
        "\"completionMode\":\"Indexed\",\"parallelism\":5,\"completions\":6,"
        "\"backoffLimitPerIndex\":2,\"successPolicy\":{\"rules\":[{\"succeededIndexes\":\"5\"}]"
        "},\"podFailurePolicy\":{\"rules\":[{\"action\":\"FailIndex\",\"onExitCodes\":{"
        "\"operator\":\"In\",\"values\":[7]}}]}",
        "{\"completedIndexes\":\"3\",\"failedIndexes\":\"4\"}");
    rig_pod(&r, "a", INDEX("0"), SUCCEEDED);
    rig_pod(&r, "b", INDEX("1"), FAILED);
    rig_pod(&r, "c", INDEX("2"), RUNNING);
    each_allocation(&r);
}

static void test_removal_and_claim(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":2", "{}");
    rig_pod(&r, "a", INDEX("0"), RUNNING);
    rig_pod(&r, "b", INDEX("0"), RUNNING);
    rig_pod(&r, "c", INDEX("7"), RUNNING);
    rig_pod_text(&r, "{\"metadata\":{\"name\":\"o\",\"namespace\":\"ns1\",\"uid\":\"uid-o\","
                     "\"labels\":{\"app\":\"x\"}},\"status\":{\"phase\":\"Running\"}}");
    each_allocation(&r);
}

static void test_fail(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":2,\"completions\":4,\"backoffLimit\":0", "{}");
    rig_pod(&r, "a", "", FAILED);
    rig_pod(&r, "b", "", RUNNING);
    each_allocation(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),  cmocka_unit_test(test_finish),
        cmocka_unit_test(test_indexed), cmocka_unit_test(test_removal_and_claim),
        cmocka_unit_test(test_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
