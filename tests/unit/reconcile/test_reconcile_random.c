/* SPDX-License-Identifier: Apache-2.0 */
/* Random Jobs and Pods, random answers: whatever comes, a sync is short, does nothing that it must
 * not, writes nothing that contradicts itself, and does the same again from the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/json/doc.h"
#include "tests/unit/reconcile/rig.h"

#define SEEDS 3000u

static struct jr_rand_seeded seeded;
static struct jr_rand rand_;

static bool chance(unsigned percent)
{
    return jr_rand_below(&rand_, 100) < percent;
}

static const char *pick(const char *const *v, size_t n)
{
    return v[jr_rand_below(&rand_, n)];
}
#define PICK(...)                              \
    pick((const char *const[]){ __VA_ARGS__ }, \
         sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* ---- Jobs and Pods ---- */

static char *spec_text(void)
{
    struct jr_buf b;
    bool indexed = chance(50);
    char *p;
    size_t n;

    jr_buf_init(&b, 1 << 20);
    (void)jr_buf_addf(&b, "\"completionMode\":\"%s\"", indexed ? "Indexed" : "NonIndexed");
    if (indexed || chance(70))
        (void)jr_buf_addf(&b, ",\"completions\":%d", (int)jr_rand_below(&rand_, 8));
    (void)jr_buf_addf(&b, ",\"parallelism\":%d", (int)jr_rand_below(&rand_, 8));
    if (chance(60))
        (void)jr_buf_addf(&b, ",\"backoffLimit\":%d", (int)jr_rand_below(&rand_, 10));
    if (indexed && chance(50))
        (void)jr_buf_addf(&b, ",\"backoffLimitPerIndex\":%d", (int)jr_rand_below(&rand_, 3));
    if (indexed && chance(30))
        (void)jr_buf_addf(&b, ",\"maxFailedIndexes\":%d", (int)jr_rand_below(&rand_, 3));
    if (chance(20))
        (void)jr_buf_adds(&b,
                          PICK(",\"activeDeadlineSeconds\":60", ",\"activeDeadlineSeconds\":900",
                               ",\"activeDeadlineSeconds\":9223372036854775807"));
    if (chance(20))
        (void)jr_buf_adds(&b, ",\"suspend\":true");
    if (chance(30))
        (void)jr_buf_adds(&b, ",\"podReplacementPolicy\":\"Failed\"");
    if (chance(30))
        (void)jr_buf_adds(&b,
                          PICK(",\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\","
                               "\"onExitCodes\":{\"operator\":\"In\",\"values\":[1]}}]}",
                               ",\"podFailurePolicy\":{\"rules\":[{\"action\":\"FailJob\","
                               "\"onExitCodes\":{\"operator\":\"NotIn\",\"values\":[1]}}]}",
                               ",\"podFailurePolicy\":{\"rules\":[{\"action\":\"FailIndex\","
                               "\"onPodConditions\":[{\"type\":\"T\",\"status\":\"True\"}]}]}"));
    if (indexed && chance(30))
        (void)jr_buf_adds(&b, PICK(",\"successPolicy\":{\"rules\":[{\"succeededCount\":2}]}",
                                   ",\"successPolicy\":{\"rules\":[{\"succeededIndexes\":\"0,9\"},{"
                                   "\"succeededIndexes\":\"1-3\",\"succeededCount\":1}]}"));
    assert_int_equal(jr_buf_take(&b, &p, &n), JR_OK);
    return p;
}

static char *status_text(void)
{
    struct jr_buf b;
    char *p;
    size_t n;

    jr_buf_init(&b, 1 << 20);
    (void)jr_buf_addf(&b, "{\"failed\":%s,\"succeeded\":%s", PICK("0", "1", "3", "2147483647"),
                      PICK("0", "1", "2147483646"));
    if (chance(60))
        (void)jr_buf_adds(&b, ",\"startTime\":\"2026-03-01T11:50:00Z\"");
    if (chance(50))
        (void)jr_buf_adds(&b, PICK(",\"active\":2,\"ready\":1", ",\"ready\":0,\"terminating\":0"));
    if (chance(50))
        (void)jr_buf_addf(&b, ",\"completedIndexes\":\"%s\"",
                          PICK("", "0", "0-2", "1,3-5", "7,x,9", "5,1"));
    if (chance(30))
        (void)jr_buf_addf(&b, ",\"failedIndexes\":\"%s\"", PICK("", "0", "2-4", "6"));
    if (chance(70))
        (void)jr_buf_addf(&b, ",\"uncountedTerminatedPods\":{%s}",
                          PICK("", "\"succeeded\":[\"uid-p0\",\"uid-gone\"]",
                               "\"failed\":[\"uid-p1\"],\"succeeded\":[\"uid-p2\"]"));
    if (chance(30))
        (void)jr_buf_addf(&b, ",\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\"}]",
                          PICK("Suspended", "FailureTarget", "SuccessCriteriaMet"),
                          PICK("True", "True", "False"));
    assert_int_equal(jr_buf_addc(&b, '}'), JR_OK);
    assert_int_equal(jr_buf_take(&b, &p, &n), JR_OK);
    return p;
}

static void add_pod(struct rig *r, unsigned i)
{
    struct jr_buf b;

    jr_buf_init(&b, 65536);
    (void)jr_buf_addf(
        &b,
        "{\"metadata\":{\"name\":\"p%u\",\"namespace\":\"%s\",\"uid\":\"uid-p%u\","
        "\"creationTimestamp\":\"2026-03-01T11:%02d:00Z\",\"labels\":{\"app\":\"%s\"}",
        i, chance(97) ? "ns1" : "ns2", i, (int)jr_rand_below(&rand_, 60), chance(92) ? "x" : "y");
    (void)jr_buf_addf(&b,
                      ",\"annotations\":{\"" JR_COMPLETION_INDEX "\":\"%s\","
                      "\"" JR_INDEX_FAILURE_COUNT "\":\"%s\"}",
                      PICK("0", "1", "2", "3", "8", "-1", "x"), PICK("0", "1", "2", "99", "z"));
    if (chance(80))
        (void)jr_buf_adds(&b, ",\"finalizers\":[\"" JR_JOB_TRACKING_FINALIZER "\"]");
    if (chance(85))
        (void)jr_buf_addf(&b, ",\"ownerReferences\":[{\"uid\":\"%s\",\"controller\":true}]",
                          chance(95) ? "job-uid" : "other");
    if (chance(20))
        (void)jr_buf_adds(&b, ",\"deletionTimestamp\":\"2026-03-01T11:59:00Z\"");
    (void)jr_buf_addf(&b, "},\"spec\":{\"nodeName\":\"%s\"},\"status\":{\"phase\":\"%s\"",
                      PICK("", "n"),
                      PICK("Pending", "Running", "Succeeded", "Failed", "Unknown", "Running"));
    if (chance(30))
        (void)jr_buf_addf(&b, ",\"conditions\":[{\"type\":\"%s\",\"status\":\"True\"}]",
                          PICK("Ready", "T"));
    if (chance(60))
        (void)jr_buf_addf(&b,
                          ",\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":%d,\"state\":{"
                          "\"terminated\":{\"exitCode\":%d,\"finishedAt\":"
                          "\"2026-03-01T11:59:%02dZ\"}}}]",
                          (int)jr_rand_below(&rand_, 4), (int)jr_rand_below(&rand_, 4),
                          (int)jr_rand_below(&rand_, 60));
    assert_int_equal(jr_buf_adds(&b, "}}"), JR_OK);
    rig_pod_text(r, b.p);
    jr_buf_done(&b);
}

/* ---- answers ---- */

static struct jr_op_result answer(struct rig *r, const struct jr_op *op)
{
    uint64_t dice = jr_rand_below(&rand_, 100);
    struct jr_op_result res = RIG_OK;

    if (dice < 10) {
        res = RIG_REFUSED(500);
        res.http = chance(50) ? 404 : chance(50) ? 409 : 422;
        res.namespace_terminating = chance(10);
        return res;
    }
    if (dice < 15)
        return RIG_LOST;
    if (dice < 18)
        return RIG_SKIPPED;
    res.resource_version = jr_str(PICK("", "11", "12", "x", "18446744073709551615"));
    res.name = JR_S("new");
    if (op->kind != JR_OP_PUT_STATUS && op->kind != JR_OP_GET_JOB)
        return res;
    dice = jr_rand_below(&rand_, 100);
    if (dice < 10)
        res.body = JR_S("{\"spec\":");
    else if (dice < 20)
        res.body = JR_S("");
    else if (op->kind == JR_OP_PUT_STATUS)
        assert_true(jr_arena_str(&r->arena, op->body, &res.body));
    else
        res.body = r->job->raw;
    return res;
}

/* ---- what must hold ---- */

struct check {
    int32_t expect_add, expect_del; /* as set in this sync */
    bool created, removed, refused;
    int32_t failed, succeeded; /* written last */
    unsigned puts;
};

static void check_list(const struct jr_strs *list, const struct jr_strs *other)
{
    for (size_t i = 0; i < list->n; i++) {
        assert_false(jr_strs_has(other, list->v[i]));
        for (size_t j = i + 1; j < list->n; j++)
            assert_false(jr_str_eq(list->v[i], list->v[j]));
    }
}

static void check_status(struct rig *r, const struct jr_op *op, struct check *c)
{
    const struct jr_job_status *st;
    struct jr_error err;
    struct jr_job *job;

    if (jr_job_decode(op->body, &job, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
    st = &job->status;
    c->puts++;
    assert_true(c->puts <= 2);
    assert_true(st->active >= 0 && st->ready.v >= 0 && st->terminating.v >= 0);
    assert_true(st->ready.v <= st->active);
    assert_true(st->failed >= c->failed);
    assert_true(st->succeeded >= c->succeeded || jr_str_is(job->spec.completion_mode, "Indexed"));
    c->failed = st->failed;
    c->succeeded = st->succeeded;
    check_list(&st->uncounted.succeeded, &st->uncounted.failed);
    check_list(&st->uncounted.failed, &st->uncounted.succeeded);
    if (jr_job_finished(st)) {
        assert_int_equal(st->active, 0);
        assert_int_equal(st->terminating.v, 0);
        assert_int_equal(st->uncounted.succeeded.n + st->uncounted.failed.n, 0);
        assert_true(jr_job_condition_true(&st->conditions,
                                          jr_job_condition_true(&st->conditions, "Complete")
                                              ? "SuccessCriteriaMet"
                                              : "FailureTarget"));
    }
    (void)r;
    jr_job_unref(job);
}

static void check_stage(struct rig *r, const struct jr_stage *s, struct check *c)
{
    const struct jr_stage_effects *e = &s->effects;

    assert_true(e->lower.add >= 0 && e->lower.add <= c->expect_add);
    assert_true(e->lower.del >= 0 && e->lower.del <= c->expect_del);
    if (e->expect.set) {
        c->expect_add = e->expect.add;
        c->expect_del = e->expect.del;
    }
    assert_int_equal(s->kind == JR_STAGE_DONE, s->n_ops == 0);
    for (size_t i = 0; i < s->n_ops; i++) {
        struct jr_reader_opts opts = JR_READER_STRICT;

        assert_true(s->ops[i].after < (int)i);
        if (s->ops[i].body.n > 0)
            assert_int_equal(jr_json_check(s->ops[i].body, &opts, NULL), JR_OK);
        if (s->ops[i].kind == JR_OP_PUT_STATUS)
            check_status(r, &s->ops[i], c);
    }
    c->created = c->created || s->kind == JR_STAGE_CREATE;
    c->removed = c->removed || s->kind == JR_STAGE_UNFINALIZE_DELETE;
    assert_false(c->created && c->removed);
    if (!r->snap.expectations_satisfied || jr_time_set(r->job->meta.deletion_timestamp))
        assert_false(c->created || c->removed);
    if (s->kind == JR_STAGE_UNFINALIZE) {
        assert_false(c->refused); /* no finalizer goes after a write that failed */
        assert_int_equal(e->await.n, s->n_ops);
    }
}

/** All that a stage says, as text: for comparison. */
static void write_down(const struct jr_stage *s, struct jr_buf *b)
{
    (void)jr_buf_addf(b, "%s %zu %d %d %d %d;", jr_stage_kind_text(s->kind), s->n_ops,
                      (int)s->effects.expect.add, (int)s->effects.expect.del,
                      (int)s->effects.lower.add, (int)s->effects.lower.del);
    for (size_t i = 0; i < s->n_ops; i++) {
        (void)jr_buf_addf(b, "%d ", (int)s->ops[i].kind);
        (void)jr_buf_add(b, s->ops[i].body);
    }
    for (size_t i = 0; i < s->n_events; i++)
        (void)jr_buf_add(b, s->events[i].message);
    for (size_t i = 0; i < s->n_metrics; i++)
        (void)jr_buf_adds(b, s->metrics[i].desc->name);
    (void)jr_buf_addf(b, "%.*s\n", JR_P(s->done.error));
    assert_int_equal(b->failed, JR_OK);
}

static void run(struct rig *r, struct jr_buf *b)
{
    struct check c = { .failed = r->job->status.failed, .succeeded = r->job->status.succeeded };
    const struct jr_stage *s = rig_begin(r);

    for (unsigned steps = 0;; steps++) {
        struct jr_op_result *v;

        assert_true(steps < 9);
        check_stage(r, s, &c);
        write_down(s, b);
        if (s->kind == JR_STAGE_DONE)
            return;
        v = jr_arena_calloc(&r->arena, s->n_ops, sizeof(*v));
        for (size_t i = 0; i < s->n_ops; i++) {
            v[i] = answer(r, &s->ops[i]);
            c.refused = c.refused || (s->kind == JR_STAGE_STATUS && v[i].outcome != JR_OP_OK);
        }
        s = rig_step(r, v);
    }
}

static void run_seed(uint64_t seed, struct jr_buf *b)
{
    char *spec, *status;
    struct rig r;

    rand_ = jr_rand_of_seed(&seeded, seed);
    spec = spec_text();
    status = status_text();
    rig_open(&r, spec, status);
    for (unsigned i = 0, n = (unsigned)jr_rand_below(&rand_, 14); i < n; i++)
        add_pod(&r, i);
    r.snap.expectations_satisfied = chance(85);
    r.snap.backoff.failures_after_last_success = (int32_t)jr_rand_below(&rand_, 4);
    r.snap.backoff.last_failure_time = jr_time_s(1772366400 - (int64_t)jr_rand_below(&rand_, 60));
    r.snap.awaited = (struct jr_strs){ (struct jr_str[]){ JR_S("uid-p3") }, chance(20) };
    run(&r, b);
    rig_close(&r);
    free(spec);
    free(status);
}

static void test_random(void **state)
{
    struct jr_buf first, second;

    (void)state;
    jr_buf_init(&first, 64 << 20);
    jr_buf_init(&second, 64 << 20);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        jr_buf_reset(&first);
        jr_buf_reset(&second);
        run_seed(seed, &first);
        run_seed(seed, &second);
        if (!jr_str_eq(jr_buf_str(&first), jr_buf_str(&second)))
            fail_msg("seed %llu: not the same again", (unsigned long long)seed);
    }
    jr_buf_done(&first);
    jr_buf_done(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
