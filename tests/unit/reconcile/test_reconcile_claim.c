/* SPDX-License-Identifier: Apache-2.0 */
/* Which Pods a Job takes and lets go, and what of that may fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/reconcile/rig.h"

#define RUNNING "{\"phase\":\"Running\"}"
#define STARTED                                                              \
    "{\"startTime\":\"2026-03-01T11:59:00Z\",\"ready\":0,\"terminating\":0," \
    "\"uncountedTerminatedPods\":{}}"

/** A Pod that matches and is nobody's, or doesn't match and is of this uid's. */
static void orphan(struct rig *r, const char *name, const char *owner)
{
    struct jr_buf b;

    jr_buf_init(&b, 4096);
    (void)jr_buf_addf(&b,
                      "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns1\",\"uid\":\"uid-%s\","
                      "\"labels\":{\"app\":\"%s\"}%s%s%s},\"status\":{\"phase\":\"Running\"}}",
                      name, name, *owner == '\0' ? "x" : "other",
                      *owner == '\0' ? "" : ",\"ownerReferences\":[{\"uid\":\"", owner,
                      *owner == '\0' ? "" : "\",\"controller\":true}]");
    assert_non_null(b.p);
    rig_pod_text(r, b.p);
    jr_buf_done(&b);
}

static void test_claim_errors(void **state)
{
    const struct jr_op_result v[4] = { RIG_REFUSED(500), RIG_LOST, RIG_REFUSED(404),
                                       RIG_REFUSED(422) };
    const struct jr_op_result forbidden = RIG_REFUSED(403);
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":2,\"completions\":2", STARTED);
    orphan(&r, "a", "");
    orphan(&r, "b", "");
    orphan(&r, "c", "");
    orphan(&r, "d", "job-uid"); /* of ours, but no match: to be released */
    orphan(&r, "e", "someone");
    s = rig_begin(&r);
    assert_int_equal(s->kind, JR_STAGE_GET_JOB);
    s = rig_step_ok(&r);
    assert_int_equal(s->kind, JR_STAGE_CLAIM);
    assert_int_equal(s->mode, JR_MODE_SEQUENCE);
    assert_int_equal(s->n_ops, 4);
    assert_int_equal(s->ops[3].kind, JR_OP_RELEASE_POD);
    s = rig_step(&r, v);
    assert_int_equal(s->kind, JR_STAGE_DONE);
    assert_true(jr_str_is(s->done.error, "[refused, lost]"));
    rig_close(&r);

    /* A Job that may not adopt still releases. */
    rig_open(&r, "\"parallelism\":2,\"completions\":2", STARTED);
    orphan(&r, "a", "");
    orphan(&r, "d", "job-uid");
    (void)rig_begin(&r);
    s = rig_step(&r, &forbidden);
    assert_int_equal(s->kind, JR_STAGE_CLAIM);
    assert_int_equal(s->n_ops, 1);
    s = rig_step_ok(&r);
    assert_true(jr_str_is(
        s->done.error, "can't adopt Pod ns1/a (uid-a): can't recheck DeletionTimestamp: refused"));
    rig_close(&r);
}

/** The Job as it is now must not adopt: it is being deleted, or another. */
static void test_live_job(void **state)
{
    static const struct {
        const char *live, *error;
    } rows[] = {
        { "{\"metadata\":{\"uid\":\"job-uid\"}}", "" },
        { "{\"metadata\":{\"uid\":\"job-uid\",\"deletionTimestamp\":\"2026-03-01T11:59:58Z\"}}",
          "can't adopt Pod ns1/a (uid-a): ns1/demo has just been deleted at 2026-03-01T11:59:58Z" },
        { "{\"metadata\":{\"uid\":\"u7\"}}", "can't adopt Pod ns1/a (uid-a): can't recheck "
                                             "DeletionTimestamp: original Job ns1/demo is "
                                             "gone: got uid u7, wanted job-uid" },
        { "none",
          "can't adopt Pod ns1/a (uid-a): can't recheck DeletionTimestamp: malformed answer" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_op_result live = RIG_OK;
        const struct jr_stage *s;
        struct rig r;

        live.body = jr_str(rows[i].live);
        rig_open(&r, "\"parallelism\":2,\"completions\":2", STARTED);
        orphan(&r, "a", "");
        assert_int_equal(rig_begin(&r)->kind, JR_STAGE_GET_JOB);
        s = rig_step(&r, &live);
        assert_int_equal(s->kind, rows[i].error[0] == '\0' ? JR_STAGE_CLAIM : JR_STAGE_DONE);
        if (!jr_str_is(s->done.error, rows[i].error))
            fail_msg("row %zu: %.*s", i, JR_P(s->done.error));
        rig_close(&r);
    }
}

/** Any number of orphans that may not be adopted is one text with the first of them and a count,
 * and neither an end of memory nor of the process. */
static void test_many_claim_errors(void **state)
{
    static const struct {
        unsigned orphans;
        const char *end;
    } rows[] = { { 10, ": refused]" },
                 { 11, ": refused, and 1 more]" },
                 { 12, ": refused, and 2 more]" },
                 { 7000, ": refused, and 6990 more]" } };
    const struct jr_op_result forbidden = RIG_REFUSED(403);

    (void)state;
    for (size_t row = 0; row < JR_ARRAY_SIZE(rows); row++) {
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r, "\"parallelism\":2,\"completions\":2", STARTED);
        for (unsigned i = 0; i < rows[row].orphans; i++) {
            char name[300];

            (void)snprintf(name, sizeof(name), "%0250u", i);
            orphan(&r, name, "");
        }
        (void)rig_begin(&r);
        s = rig_step(&r, &forbidden);
        while (s->kind != JR_STAGE_DONE)
            s = rig_step_ok(&r);
        assert_true(s->done.failed);
        assert_true(jr_str_starts(s->done.error, JR_S("[can't adopt Pod ns1/0000")));
        if (!jr_str_ends(s->done.error, jr_str(rows[row].end)))
            fail_msg("row %zu: %.*s", row, JR_P(s->done.error));
        assert_in_range(s->done.error.n, 2500, 12000);
        rig_close(&r);
    }
}

/** A selector that can't be read must not set the Job's Pods free. */
static void test_bad_selector(void **state)
{
    static const char *const bad[] = {
        "\"parallelism\":1,\"selector\":null",
        "\"parallelism\":1,\"selector\":{\"matchExpressions\":[{\"key\":\"app\",\"operator\":"
        "\"Near\"}]}",
    };
    const struct jr_stage *s;
    struct rig r;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++) {
        rig_open(&r, bad[i], STARTED);
        r.job->spec.selector.set = i > 0;
        rig_pod(&r, "a", "", RUNNING);
        s = rig_begin(&r);
        assert_int_equal(s->kind, JR_STAGE_DONE);
        assert_true(s->done.failed);
        rig_close(&r);
    }
}

/** Which answers to one patch fail the sync. A Pod that is gone needs none, and one that can't be
 * released any more (422) is another by now or another's; an adoption that is refused so is not. */
static void test_answers_to_patches(void **state)
{
    const struct {
        const char *owner;
        struct jr_op_result answer;
        const char *error; /* "": the sync goes on */
    } rows[] = {
        { "", RIG_OK, "" },
        { "", RIG_REFUSED(404), "" },
        { "", RIG_REFUSED(422), "refused" },
        { "", RIG_REFUSED(409), "refused" },
        { "", RIG_LOST, "lost" },
        { "job-uid", RIG_OK, "" },
        { "job-uid", RIG_REFUSED(404), "" },
        { "job-uid", RIG_REFUSED(422), "" },
        { "job-uid", RIG_REFUSED(409), "refused" },
        { "job-uid", RIG_REFUSED(403), "refused" },
        { "job-uid", RIG_LOST, "lost" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_stage *s;
        struct rig r;

        rig_open(&r, "\"parallelism\":2,\"completions\":2", STARTED);
        orphan(&r, "a", rows[i].owner);
        s = rig_begin(&r);
        if (s->kind == JR_STAGE_GET_JOB)
            s = rig_step_ok(&r);
        assert_int_equal(s->kind, JR_STAGE_CLAIM);
        assert_int_equal(s->n_ops, 1);
        s = rig_step(&r, &rows[i].answer);
        if ((s->kind == JR_STAGE_DONE) != (rows[i].error[0] != '\0') ||
            (s->kind == JR_STAGE_DONE && !jr_str_is(s->done.error, rows[i].error)))
            fail_msg("row %zu: stage %s, error \"%.*s\"", i, jr_stage_kind_text(s->kind),
                     JR_P(s->done.error));
        /* One Pod is missing beside the adopted one, two where it was none of ours. */
        if (s->kind != JR_STAGE_DONE) {
            assert_int_equal(s->kind, JR_STAGE_CREATE);
            assert_int_equal(
                s->n_ops, rows[i].owner[0] == '\0' && rows[i].answer.outcome == JR_OP_OK ? 1 : 2);
        }
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim_errors),      cmocka_unit_test(test_live_job),
        cmocka_unit_test(test_many_claim_errors), cmocka_unit_test(test_answers_to_patches),
        cmocka_unit_test(test_bad_selector),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
