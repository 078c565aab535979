/* SPDX-License-Identifier: Apache-2.0 */
/* What the scenario file can't ask: answers that never come, and the corners of each stage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "common/json/doc.h"
#include "tests/unit/reconcile/rig.h"

#define RUNNING "{\"phase\":\"Running\"}"
#define READY "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}"
#define SUCCEEDED "{\"phase\":\"Succeeded\"}"
#define STARTED                                                              \
    "{\"startTime\":\"2026-03-01T11:59:00Z\",\"ready\":0,\"terminating\":0," \
    "\"uncountedTerminatedPods\":{}}"

static bool contains(struct jr_str text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static void test_lost_create_stays_expected(void **state)
{
    const struct jr_op_result lost[4] = { RIG_OK, RIG_LOST, RIG_REFUSED(500), RIG_SKIPPED };
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":4,\"completions\":9", "{}");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_CREATE);
    assert_int_equal(s->mode, JR_MODE_SLOW_START);
    assert_int_equal(s->n_ops, 4);
    assert_true(s->effects.expect.set);
    assert_int_equal(s->effects.expect.add, 4);
    s = rig_step(&r, lost);
    /* The refused and the skipped one are not expected any more, the lost one is. */
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_int_equal(s->effects.lower.add, 2);
    assert_true(contains(s->ops[0].body, "\"active\":1"));
    assert_true(rig_event(s, "FailedCreate", "Error creating: lost"));
    assert_true(rig_event(s, "FailedCreate", "Error creating: refused"));
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(s->done.failed);
    assert_true(jr_str_is(s->done.error, "lost"));
    rig_close(&r);
}

/* Who must make sure first that it still leads sends nothing: that is not the Job's trouble. */
static void test_held_back(void **state)
{
    const struct jr_op_result held[3] = { RIG_OK, RIG_HELD_BACK, RIG_SKIPPED };
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":3,\"completions\":3", "{}");
    (void)rig_begin(&r);
    s = rig_step(&r, held);
    assert_int_equal(s->effects.lower.add, 2);
    assert_int_equal(s->n_events, 1);
    assert_true(rig_event(s, "SuccessfulCreate", "Created pod: "));
    s = rig_step_ok(&r);
    assert_true(s->done.failed); /* so it is tried again */
    assert_true(jr_str_is(s->done.error, "not sent"));
    rig_close(&r);

    rig_open(&r, "\"parallelism\":0,\"completions\":9",
             "{\"startTime\":\"2026-03-01T11:59:00Z\",\"active\":1,\"ready\":1}");
    rig_pod(&r, "a", "", READY);
    (void)rig_begin(&r);
    s = rig_step(&r, held);
    assert_int_equal(s->n_events, 0);
    s = rig_step_ok(&r);
    assert_true(s->done.failed);
    rig_close(&r);
}

static void test_lost_status_touches_no_finalizer(void **state)
{
    const struct jr_op_result lost = RIG_LOST;
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":1", STARTED);
    rig_pod(&r, "a", "", SUCCEEDED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    s = rig_step(&r, &lost);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(jr_str_is(s->done.error, "tracking status: adding uncounted pods to status: lost"));
    assert_false(s->effects.backoff.set);
    assert_false(s->effects.finished_mark);
    rig_close(&r);
}

static void test_lost_unfinalize_is_not_counted(void **state)
{
    const struct jr_op_result lost = RIG_LOST;
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":2", STARTED);
    r.snap.backoff.failures_after_last_success = 0;
    rig_pod(&r, "a", "", SUCCEEDED);
    rig_pod(&r, "b", "", RUNNING);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE);
    assert_int_equal(s->effects.await.n, 1);
    s = rig_step(&r, &lost);
    /* The uid stays in status, so nothing is to be written. */
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_int_equal(s->effects.unawait.n, 1);
    assert_int_equal(s->effects.gone.n, 0);
    assert_true(jr_str_is(s->done.error, "tracking status: lost"));
    rig_close(&r);
}

static void test_gone_pod_is_remembered(void **state)
{
    const struct jr_op_result gone = RIG_REFUSED(404);
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":2", STARTED);
    rig_pod(&r, "a", "", SUCCEEDED);
    rig_pod(&r, "b", "", RUNNING);
    (void)rig_begin(&r);
    (void)rig_step_ok(&r);
    s = rig_step(&r, &gone);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_int_equal(s->effects.unawait.n, 1);
    assert_int_equal(s->effects.gone.n, 1);
    assert_true(jr_str_is(s->effects.gone.v[0], "uid-a"));
    assert_true(contains(s->ops[0].body, "\"succeeded\":1"));
    rig_close(&r);
    /* And with it in mind the cached Pod is not counted again. */
    rig_open(&r, "\"parallelism\":1,\"completions\":2",
             "{\"startTime\":\"2026-03-01T11:59:00Z\",\"active\":1,\"succeeded\":1,\"ready\":0,"
             "\"terminating\":0,\"uncountedTerminatedPods\":{}}");
    rig_pod(&r, "a", "", SUCCEEDED);
    rig_pod(&r, "b", "", RUNNING);
    r.snap.awaited = (struct jr_strs){ (struct jr_str[]){ JR_S("uid-a") }, 1 };
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_false(s->done.failed);
    rig_close(&r);
}

/** Of ready Pods the one that became ready last goes first, wherever it stands. */
static void test_last_ready_goes_first(void **state)
{
#define READY_SINCE(minute)                                                           \
    "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"," \
    "\"lastTransitionTime\":\"2026-03-01T11:" minute ":00Z\"}]}"
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":2,\"completions\":9",
             "{\"startTime\":\"2026-03-01T11:00:00Z\",\"active\":3,\"ready\":3}");
    rig_pod(&r, "a", "", READY_SINCE("30"));
    rig_pod(&r, "b", "", READY_SINCE("50"));
    rig_pod(&r, "c", "", READY_SINCE("40"));
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE_DELETE);
    assert_int_equal(s->n_ops, 2);
    assert_true(jr_str_is(s->ops[1].pod->name, "b"));
    rig_close(&r);
}

static void test_removal_results(void **state)
{
    /* Pairs: patch, DELETE. a: both fine; b: gone at the patch; c: patch lost; d: DELETE lost. */
    const struct jr_op_result v[8] = { RIG_OK,   RIG_OK,      RIG_REFUSED(404), RIG_SKIPPED,
                                       RIG_LOST, RIG_SKIPPED, RIG_OK,           RIG_LOST };
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":0,\"completions\":9",
             "{\"startTime\":\"2026-03-01T11:59:00Z\",\"active\":4,\"ready\":4}");
    rig_pod(&r, "a", "", READY);
    rig_pod(&r, "b", "", READY);
    rig_pod(&r, "c", "", READY);
    rig_pod(&r, "d", "", READY);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE_DELETE);
    assert_int_equal(s->n_ops, 8);
    assert_int_equal(s->effects.expect.del, 4);
    for (size_t i = 0; i < 8; i += 2) {
        assert_int_equal(s->ops[i].kind, JR_OP_UNFINALIZE_POD);
        assert_int_equal(s->ops[i + 1].kind, JR_OP_DELETE_POD);
        assert_int_equal(s->ops[i + 1].after, (int)i);
    }
    s = rig_step(&r, v);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    /* All but a's deletion will bring no event that is to be waited for. */
    assert_int_equal(s->effects.lower.del, 3);
    assert_true(contains(s->ops[0].body, "\"active\":2"));
    assert_true(contains(s->ops[0].body, "\"terminating\":2"));
    assert_true(contains(s->ops[0].body, "\"ready\":1"));
    assert_true(rig_event(s, "SuccessfulDelete", "Deleted pod: a"));
    assert_true(rig_event(s, "FailedDelete", "Error deleting: lost"));
    assert_int_equal(s->n_events, 2);
    s = rig_step_ok(&r);
    assert_true(jr_str_is(s->done.error, "removing completion finalizer: lost"));
    rig_close(&r);
}

static void test_removal_without_finalizer(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":0,\"completions\":9", STARTED);
    rig_pod_text(&r,
                 "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns1\",\"uid\":\"uid-a\","
                 "\"labels\":{\"app\":\"x\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\","
                 "\"kind\":\"Job\",\"name\":\"demo\",\"uid\":\"job-uid\",\"controller\":true}]},"
                 "\"status\":{\"phase\":\"Running\"}}");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE_DELETE);
    assert_int_equal(s->n_ops, 1);
    assert_int_equal(s->ops[0].kind, JR_OP_DELETE_POD);
    assert_int_equal(s->ops[0].after, -1);
    s = rig_step_ok(&r);
    assert_int_equal(s->effects.lower.del, 0);
    rig_close(&r);
}

/** Fields of the template that no code here knows arrive in the Pod; those of its metadata that
 * belong to the template alone do not. */
static void test_template_survives(void **state)
{
    const struct jr_stage *s;
    struct jr_doc *doc;
    struct jr_reader_opts opts = JR_READER_STRICT;
    const struct jr_node *pod, *c;
    struct jr_error err;
    struct rig r;

    (void)state;
    rig_open(&r,
             "\"parallelism\":1,\"completions\":1,\"completionMode\":\"Indexed\",\"template\":{"
             "\"metadata\":{\"name\":\"no\",\"ownerReferences\":[{\"uid\":\"no\"}],\"future\":1,"
             "\"labels\":{\"app\":\"x\",\"" JR_COMPLETION_INDEX "\":\"9\"},"
             "\"annotations\":{\"note\":\"a \\\"b\\\"\"},\"finalizers\":[\"x/y\"]},"
             "\"spec\":{\"hostname\":\"mine\",\"futureField\":{\"deep\":[1.50,null,\"\\u00e9\"]},"
             "\"containers\":[{\"name\":\"a\",\"futureThing\":12345678901234567890},"
             "{\"name\":\"b\",\"env\":null},"
             "{\"name\":\"c\",\"env\":[{\"name\":\"X\",\"value\":\"1\"}]},"
             "{\"name\":\"d\",\"env\":[{\"name\":\"JOB_COMPLETION_INDEX\",\"value\":\"u\"}]}],"
             "\"initContainers\":[],\"restartPolicy\":\"Never\"}}",
             "{}");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_CREATE);
    if (jr_doc_parse(s->ops[0].body, &opts, &doc, &err) != JR_OK)
        fail_msg("%s", err.msg);
    pod = jr_doc_root(doc);
    assert_true(contains(s->ops[0].body, "\"futureField\":{\"deep\":[1.50,null,\"\\u00e9\"]}"));
    assert_true(contains(s->ops[0].body, "\"futureThing\":12345678901234567890"));
    assert_null(jr_path(pod, "metadata.name"));
    assert_null(jr_path(pod, "metadata.future"));
    assert_int_equal(jr_size(jr_path(pod, "metadata.ownerReferences")), 1);
    assert_int_equal(jr_size(jr_path(pod, "metadata.finalizers")), 2);
    assert_true(jr_str_is(jr_get_str(jr_path(pod, "metadata.labels"), JR_COMPLETION_INDEX), "0"));
    assert_true(jr_str_is(jr_get_str(jr_path(pod, "metadata.annotations"), "note"), "a \"b\""));
    assert_true(jr_str_is(jr_get_str(jr_get(pod, "spec"), "hostname"), "demo-0"));
    assert_int_equal(jr_size(jr_path(pod, "spec.initContainers")), 0);
    c = jr_path(pod, "spec.containers");
    assert_int_equal(jr_size(jr_get(jr_at(c, 0), "env")), 1);
    assert_int_equal(jr_size(jr_get(jr_at(c, 1), "env")), 1);
    assert_int_equal(jr_size(jr_get(jr_at(c, 2), "env")), 2);
    assert_int_equal(jr_size(jr_get(jr_at(c, 3), "env")), 1);
    jr_doc_free(doc);
    rig_close(&r);
}

static void test_no_labels(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":2,\"completions\":2,\"template\":{\"spec\":{\"containers\":[]}}",
             STARTED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(jr_str_is(s->done.error, "unable to create pods, no labels"));
    assert_int_equal(s->n_events, 0);
    assert_int_equal(s->effects.expect.add, 0);
    rig_close(&r);
}

/** The server's answer may have no body: then the second PUT goes by its version. */
static void test_put_without_body(void **state)
{
    struct jr_op_result ok = RIG_OK;
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":1", STARTED);
    rig_pod(&r, "a", "", SUCCEEDED);
    (void)rig_begin(&r);
    ok.resource_version = JR_S("77");
    s = rig_step(&r, &ok);
    assert_int_equal(s->kind, JR_STAGE_UNFINALIZE);
    assert_int_equal(s->effects.written_job_version, 77);
    ok.resource_version = JR_S("78");
    s = rig_step(&r, &ok);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_int_equal(s->effects.written_pod_version, 78);
    assert_true(contains(s->ops[0].body, "\"resourceVersion\":\"77\""));
    ok.resource_version = JR_S("79");
    s = rig_step(&r, &ok);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_int_equal(s->effects.written_job_version, 79);
    assert_true(s->effects.finished_mark);
    assert_false(s->done.failed);
    rig_close(&r);
}

/** A Job that finishes while suspended has no start left; the API server wants one. */
static void test_finish_while_suspended(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":1,\"suspend\":true",
             "{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\"}],\"ready\":0,"
             "\"terminating\":0,\"uncountedTerminatedPods\":{}}");
    rig_pod(&r, "a", "", SUCCEEDED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_false(contains(s->ops[0].body, "\"startTime\""));
    (void)rig_step_ok(&r);
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"startTime\":\"2026-03-01T12:00:00Z\""));
    assert_true(contains(s->ops[0].body, "\"type\":\"Complete\""));
    rig_close(&r);
}

/** A work queue with an ambiguous creation: the Pod may be there, and not have ended. */
static void test_not_complete_while_expecting(void **state)
{
    const bool satisfied[] = { false, true };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(satisfied); i++) {
        struct rig r;
        bool met;

        rig_open(&r, "\"parallelism\":3", "{\"startTime\":\"2026-03-01T11:50:00Z\"}");
        rig_pod(&r, "a", "", "{\"phase\":\"Succeeded\"}");
        r.snap.expectations_satisfied = satisfied[i];
        assert_int_equal(rig_begin(&r)->kind, JR_STAGE_STATUS);
        met = contains(r.stage->ops[0].body, "SuccessCriteriaMet");
        assert_int_equal(met, satisfied[i]);
        rig_close(&r);
    }
}

/** A Pod of it may be there, outside of the gang, which would never get whole. */
static void test_no_gang_while_expecting(void **state)
{
    const char *spec = "\"parallelism\":2,\"completions\":2,\"completionMode\":\"Indexed\"";
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, spec, "{}");
    r.snap.gang_api = JR_SCHEDULING_V1ALPHA2;
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_GANG);
    assert_int_equal(s->ops[0].kind, JR_OP_CREATE_WORKLOAD);
    rig_close(&r);
    rig_open(&r, spec, "{}");
    r.snap.gang_api = JR_SCHEDULING_V1ALPHA2;
    r.snap.expectations_satisfied = false;
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_STATUS);
    rig_close(&r);
}

/** The clock was set back since the Job began. */
static void test_complete_before_start(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":1",
             "{\"startTime\":\"2026-03-01T13:30:00Z\",\"ready\":0,\"terminating\":0,"
             "\"uncountedTerminatedPods\":{}}");
    rig_pod(&r, "a", "", SUCCEEDED);
    (void)rig_begin(&r);
    (void)rig_step_ok(&r);
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"completionTime\":\"2026-03-01T13:30:00Z\""));
    rig_close(&r);
}

static void test_over_is_over(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":1",
             "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}");
    rig_pod(&r, "a", "", SUCCEEDED);
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(s->effects.drop_records);
    assert_null(s->done.action);
    assert_null(jr_sync_step(r.sync, NULL));
    rig_close(&r);
}

static void test_whose_job(void **state)
{
    struct jr_reconcile_options own = jr_reconcile_options_default(), all = own;
    struct jr_job job = { 0 };

    (void)state;
    own.replace_builtin = false;
    assert_true(jr_job_is_ours(&job, &all));
    assert_false(jr_job_is_ours(&job, &own));
    job.spec.managed_by = JR_S("kubernetes.io/job-controller");
    assert_true(jr_job_is_ours(&job, &all));
    assert_false(jr_job_is_ours(&job, &own));
    job.spec.managed_by = JR_S("jobreeve.dev/controller");
    assert_false(jr_job_is_ours(&job, &all));
    assert_true(jr_job_is_ours(&job, &own));
    job.spec.managed_by = JR_S("");
    assert_false(jr_job_is_ours(&job, &all));
    assert_false(jr_job_is_ours(&job, &own));
}

/** Many Pods are gone through in slices, with a stage without operations between; it makes no
 * difference to what comes of them. */
static void test_slices(void **state)
{
    const size_t n = 40000;
    const struct jr_pod **pods = calloc(n, sizeof(const struct jr_pod *));
    const struct jr_stage *s;
    struct rig r;
    int rests = 0;

    (void)state;
    assert_non_null(pods);
    rig_open(&r, "\"parallelism\":40000,\"completions\":50000", STARTED);
    rig_pod(&r, "a", "", READY);
    rig_pod(&r, "b", "", RUNNING);
    for (size_t i = 0; i < n; i++)
        pods[i] = r.pods[i == n - 1];
    r.snap.pods = pods;
    r.snap.n_pods = n;
    r.snap.options = &r.options;
    r.sync = jr_sync_begin(&r.snap, rig_now());
    r.stage = jr_sync_step(r.sync, NULL);
    assert_non_null(r.stage);
    for (s = r.stage; s->kind == JR_STAGE_CLAIM; s = rig_step(&r, NULL)) {
        assert_int_equal(s->n_ops, 0);
        rests++;
    }
    assert_int_equal(rests, 6); /* two between three slices, thrice: claimed, taken, counted */
    assert_int_equal(s->kind, JR_STAGE_STATUS);
    assert_true(contains(s->ops[0].body, "\"active\":40000"));
    assert_true(contains(s->ops[0].body, "\"ready\":39999"));
    rig_close(&r);
    free(pods);
}

static struct jr_mono late(void *self)
{
    return *(const struct jr_mono *)self;
}

/** A turn whose time is over lets each step do a little, and what comes out is the same. */
static void test_slices_by_time(void **state)
{
    enum { PODS = 3200 };
    static const struct jr_pod *pods[PODS];
    struct jr_mono now = { 1000 };
    const struct jr_clock clock = { .mono = late, .self = &now };
    struct jr_deadline turn;
    struct rig r;
    int rests = 0;

    (void)state;
    rig_open(&r, "\"parallelism\":3200,\"completions\":50000", STARTED);
    rig_pod(&r, "a", "", READY);
    rig_pod(&r, "b", "", RUNNING);
    for (size_t i = 0; i < PODS; i++)
        pods[i] = r.pods[i == PODS - 1];
    r.snap.pods = pods;
    r.snap.n_pods = PODS;
    r.snap.options = &r.options;
    r.snap.turn = &turn;
    turn = jr_deadline_at(&clock, now);
    r.sync = jr_sync_begin(&r.snap, rig_now());
    r.stage = jr_sync_step(r.sync, NULL);
    assert_non_null(r.stage);
    while (r.stage->kind == JR_STAGE_CLAIM) {
        turn = jr_deadline_at(&clock, now);
        r.stage = jr_sync_step(r.sync, NULL);
        assert_non_null(r.stage);
        rests++;
    }
    assert_in_range(rests, 3 * PODS / JR_DEADLINE_STEPS - 3, 3 * PODS / (JR_DEADLINE_STEPS - 2));
    assert_int_equal(r.stage->kind, JR_STAGE_STATUS);
    assert_true(contains(r.stage->ops[0].body, "\"active\":3200"));
    assert_true(contains(r.stage->ops[0].body, "\"ready\":3199"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_create_stays_expected),
        cmocka_unit_test(test_held_back),
        cmocka_unit_test(test_lost_status_touches_no_finalizer),
        cmocka_unit_test(test_lost_unfinalize_is_not_counted),
        cmocka_unit_test(test_gone_pod_is_remembered),
        cmocka_unit_test(test_last_ready_goes_first),
        cmocka_unit_test(test_removal_results),
        cmocka_unit_test(test_removal_without_finalizer),
        cmocka_unit_test(test_template_survives),
        cmocka_unit_test(test_no_labels),
        cmocka_unit_test(test_put_without_body),
        cmocka_unit_test(test_finish_while_suspended),
        cmocka_unit_test(test_not_complete_while_expecting),
        cmocka_unit_test(test_no_gang_while_expecting),
        cmocka_unit_test(test_complete_before_start),
        cmocka_unit_test(test_over_is_over),
        cmocka_unit_test(test_whose_job),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_slices_by_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
