/* SPDX-License-Identifier: Apache-2.0 */
/* What is older than the server is known to be is not acted upon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/reconcile/rig.h"

#define ONE "\"parallelism\":1,\"completions\":1"
#define STARTED                                                              \
    "{\"startTime\":\"2026-03-01T11:59:00Z\",\"ready\":0,\"terminating\":0," \
    "\"uncountedTerminatedPods\":{}}"
#define SUCCEEDED "{\"phase\":\"Succeeded\"}"
#define CACHED 10 /* the rig's Job */

static void test_stale_pods(void **state)
{
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, ONE, STARTED);
    r.snap.cache_pod_version = 41;
    r.snap.written_pod_version = 42;
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(
        jr_str_is(s->done.error,
                  "read version: 41 is not as new as written version: 42 for group resource pods"));
    assert_null(s->done.action);
    rig_close(&r);
    rig_open(&r, ONE, STARTED);
    r.options.stale_controller_consistency = false;
    r.snap.cache_pod_version = 41;
    r.snap.written_pod_version = 42;
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_CREATE);
    rig_close(&r);
}

/** What a sync does by the versions: skip where the cache is older, work where it isn't, and where
 * either is unknown (0). */
static void test_versions(void **state)
{
    static const struct {
        uint64_t cached, written;
        bool stale;
    } rows[] = {
        { 0, 0, false },   { 0, 42, false },  { 41, 0, false },        { 41, 42, true },
        { 42, 42, false }, { 43, 42, false }, { 1, UINT64_MAX, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows) * 2; i++) {
        const size_t n = i / 2;
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r, ONE, STARTED);
        *(i % 2 == 0 ? &r.snap.cache_job_version : &r.snap.cache_pod_version) = rows[n].cached;
        *(i % 2 == 0 ? &r.snap.written_job_version : &r.snap.written_pod_version) = rows[n].written;
        s = rig_begin(&r);
        if ((s->kind == JR_STAGE_DONE) != rows[n].stale || (!rows[n].stale && s->n_metrics > 0))
            fail_msg("row %zu: stage %s", i, jr_stage_kind_text(s->kind));
        if (rows[n].stale)
            assert_int_equal(s->n_metrics, 1);
        rig_close(&r);
    }
}

/** Which answers to a PUT leave the version ambiguous that it went by. */
static void test_a_put_raises_ambiguous(void **state)
{
    const struct jr_op_result ambiguous = { .outcome = JR_OP_REFUSED,
                                            .http = 503,
                                            .ambiguous = true };
    const struct {
        struct jr_op_result answer;
        bool ambiguous;
    } rows[] = { { RIG_REFUSED(409), true },
                 { RIG_LOST, true },
                 { ambiguous, true },
                 { RIG_REFUSED(500), false },
                 { RIG_REFUSED(422), false },
                 { RIG_SKIPPED, false },
                 { RIG_OK, false } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r, ONE, STARTED);
        rig_pod(&r, "a", "", SUCCEEDED);
        assert_int_equal(rig_begin(&r)->kind, JR_STAGE_STATUS);
        s = rig_step(&r, &rows[i].answer);
        assert_int_equal(s->effects.job_ambiguous.set, rows[i].ambiguous);
        assert_int_equal(s->effects.job_ambiguous.version, rows[i].ambiguous ? CACHED : 0);
        rig_close(&r);
    }
}

/** The second PUT goes by the version that the first one was answered with. */
static void test_the_second_put_raises_ambiguous(void **state)
{
    struct jr_op_result r77 = RIG_OK, conflict = RIG_REFUSED(409);
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    r77.resource_version = JR_S("77");
    rig_open(&r, ONE, STARTED);
    rig_pod(&r, "a", "", SUCCEEDED);
    (void)rig_begin(&r);
    (void)rig_step(&r, &r77);
    assert_int_equal(rig_step_ok(&r)->kind, JR_STAGE_STATUS);
    s = rig_step(&r, &conflict);
    assert_true(s->effects.job_ambiguous.set);
    assert_int_equal(s->effects.job_ambiguous.version, 77);
    rig_close(&r);
}

/** An ambiguous Job is read anew, and only then acted upon. */
static void test_recheck(void **state)
{
    struct jr_op_result live = RIG_OK;
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    live.uid = JR_S("job-uid");
    live.resource_version = JR_S("10");
    rig_open(&r, ONE, STARTED);
    r.snap.ambiguous_job_version = CACHED;
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_GET_JOB);
    assert_int_equal(s->n_ops, 1);
    s = rig_step(&r, &live); /* the write never happened */
    assert_true(s->effects.job_ambiguous.set);
    assert_int_equal(s->effects.job_ambiguous.version, 0);
    assert_int_equal(s->kind, JR_STAGE_CREATE);
    rig_close(&r);

    live.resource_version = JR_S("12");
    rig_open(&r, ONE, STARTED);
    r.snap.ambiguous_job_version = CACHED;
    (void)rig_begin(&r);
    s = rig_step(&r, &live); /* it did: the cache is waited for */
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(jr_str_is(
        s->done.error,
        "read version: 10 is not as new as written version: 12 for group resource jobs.batch"));
    assert_int_equal(s->effects.job_ambiguous.version, 0);
    assert_int_equal(s->effects.written_job_version, 12);
    rig_close(&r);
}

/** Nothing to go by: the sync fails, and it stays ambiguous. */
static void test_recheck_fails(void **state)
{
    struct jr_op_result other = RIG_OK, nothing = RIG_OK, refused = RIG_REFUSED(404);
    const struct {
        struct jr_op_result *answer;
        const char *error;
    } rows[] = { { &refused, "can't recheck the Job: refused" },
                 { &other, "can't recheck the Job: the Job is gone" },
                 { &nothing, "can't recheck the Job: malformed answer" } };

    (void)state;
    other.uid = JR_S("another");
    nothing.uid = JR_S("job-uid");
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r, ONE, STARTED);
        r.snap.ambiguous_job_version = CACHED;
        (void)rig_begin(&r);
        s = rig_step(&r, rows[i].answer);
        assert_int_equal(s->kind, JR_STAGE_DONE);
        assert_true(s->done.failed);
        assert_true(jr_str_is(s->done.error, rows[i].error));
        assert_false(s->effects.job_ambiguous.set);
        rig_close(&r);
    }
}

/** The cache has a newer one, or nobody wants to know. */
static void test_no_recheck(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, ONE, STARTED);
    r.snap.ambiguous_job_version = CACHED - 1;
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_CREATE);
    rig_close(&r);
    rig_open(&r, ONE, STARTED);
    r.options.stale_controller_consistency = false;
    r.snap.ambiguous_job_version = CACHED;
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_CREATE);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale_pods),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_a_put_raises_ambiguous),
        cmocka_unit_test(test_the_second_put_raises_ambiguous),
        cmocka_unit_test(test_recheck),
        cmocka_unit_test(test_recheck_fails),
        cmocka_unit_test(test_no_recheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
