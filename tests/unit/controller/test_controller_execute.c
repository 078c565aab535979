/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: in which order requests go out, and how many at one time. */
#include "controller/work/execute.h"
#include "tests/support/scripted_api.h"
#include "tests/unit/controller/controller_test.h"

#define OPS_MAX 64

struct world {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_loop *loop;
    struct jr_scripted_api *api;
    struct jr_env env;
    struct jr_executor *x;
    struct jr_pod *pods[OPS_MAX]; /* p0, p1, ... */
    const char *answers;          /* a letter for each Pod: what a call on it is answered */
    unsigned busy;                /* so many calls on Pods with a 9 are sent away */
    bool may_send;
};

/** A stage's run. */
struct result {
    char outcomes[OPS_MAX + 1];
    int ended;
};

/** The number in the name of the Pod that a call is about. */
static size_t pod_of(const struct jr_scripted_call *call)
{
    ptrdiff_t p = jr_str_rfind(call->path, 'p');
    int64_t i = 0;

    assert_int_equal(jr_parse_i64(jr_str_from(call->path, (size_t)p + 1), 0, OPS_MAX - 1, &i),
                     JR_OK);
    return (size_t)i;
}

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    const struct jr_str terminating =
        JR_S("{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":403,\"message\":\"no\","
             "\"details\":{\"causes\":[{\"reason\":\"NamespaceTerminating\"}]}}");
    const struct jr_str fault =
        JR_S("{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"words of the fault\"}");
    struct world *w = ctx;
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .delay_ns = JR_SEC };

    (void)n;
    switch (w->answers[pod_of(call)]) {
    case '9':
        if (w->busy > 0) {
            w->busy--;
            a.status = 429;
            a.retry_after_s = 20;
            break;
        }
        /* fall through */
    case 'o':
        a.status = 200;
        a.body = JR_S("{\"metadata\":{\"name\":\"nm\",\"uid\":\"ud\",\"resourceVersion\":\"9\"}}");
        break;
    case '4':
        a.status = 404;
        a.body = fault;
        break;
    case '5':
        a.status = 500;
        a.body = fault;
        break;
    case 't':
        a.status = 403;
        a.body = terminating;
        break;
    case 'a':
        a.outcome = JR_HTTP_AMBIGUOUS;
        break;
    default:
        a.never = true;
        break;
    }
    return a;
}

static bool may_send(void *ctx)
{
    return ((const struct world *)ctx)->may_send;
}

static void world_init_retrying(struct world *w, size_t max_inflight, unsigned retries)
{
    struct jr_executor_options o = { .max_inflight = max_inflight,
                                     .timeout_ms = 60000,
                                     .max_retries = retries,
                                     .may_send = may_send,
                                     .ctx = w };

    *w = (struct world){ .may_send = true };
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(w->loop, answer, w, &w->api), JR_OK);
    w->env =
        (struct jr_env){ w->loop, jr_rand_of_seed(&w->seed, 1), jr_scripted_transport(w->api) };
    w->x = jr_executor_new(&w->env, &o);
    for (size_t i = 0; i < OPS_MAX; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "p%zu", i);
        w->pods[i] = make_pod(&(struct pod_made){ .name = name });
    }
}

static void world_init(struct world *w, size_t max_inflight)
{
    world_init_retrying(w, max_inflight, 0);
}

static void world_done(struct world *w)
{
    jr_executor_free(w->x);
    jr_scripted_api_free(w->api);
    jr_loop_free(w->loop);
    for (size_t i = 0; i < OPS_MAX; i++)
        jr_pod_unref(w->pods[i]);
}

static void on_done(void *ctx, const struct jr_results *results)
{
    static const char letters[] = {
        [JR_OP_OK] = 'o', [JR_OP_REFUSED] = 'r', [JR_OP_AMBIGUOUS] = 'a', [JR_OP_SKIPPED] = 's'
    };
    struct result *r = ctx;

    r->ended++;
    for (size_t i = 0; i < results->n; i++) {
        r->outcomes[i] = letters[results->v[i].outcome];
        if (results->v[i].held_back)
            r->outcomes[i] = 'h';
    }
}

static void run(struct world *w)
{
    assert_int_equal(jr_loop_run(w->loop, NULL), JR_OK);
}

/** The numbers of the Pods in the order of the calls. */
static const char *order_of(const struct world *w, char *out, size_t cap)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < jr_scripted_count(w->api); i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%zu", i == 0 ? "" : " ",
                              pod_of(jr_scripted_call_at(w->api, i)));
    return out;
}

struct row {
    const char *name;
    enum jr_stage_mode mode;
    size_t max_inflight;
    const char *answers; /* one operation for each */
    int after[12];       /* index + 1 of the precursor, 0: none */
    const char *outcomes;
    const char *order;
    size_t peak;
};

static const struct row rows[] = {
    { "parallel", JR_MODE_PARALLEL, 9, "oooo", { 0 }, "oooo", "0 1 2 3", 4 },
    { "parallel, bounded", JR_MODE_PARALLEL, 2, "ooooo", { 0 }, "ooooo", "0 1 2 3 4", 2 },
    { "parallel, one at a time", JR_MODE_PARALLEL, 1, "ooo", { 0 }, "ooo", "0 1 2", 1 },
    { "parallel goes on past faults", JR_MODE_PARALLEL, 1, "5a4o", { 0 }, "raro", "0 1 2 3", 1 },
    { "sequence", JR_MODE_SEQUENCE, 9, "o5ao", { 0 }, "orao", "0 1 2 3", 1 },
    { "slow start doubles",
      JR_MODE_SLOW_START,
      9,
      "ooooooooo",
      { 0 },
      "ooooooooo",
      "0 1 2 3 4 5 6 7 8",
      4 },
    { "slow start of one", JR_MODE_SLOW_START, 9, "o", { 0 }, "o", "0", 1 },
    { "slow start, bounded",
      JR_MODE_SLOW_START,
      3,
      "ooooooo",
      { 0 },
      "ooooooo",
      "0 1 2 3 4 5 6",
      3 },
    { "slow start stops at once", JR_MODE_SLOW_START, 9, "5oooo", { 0 }, "rssss", "0", 1 },
    { "slow start ends its batch",
      JR_MODE_SLOW_START,
      9,
      "oo5oooooo",
      { 0 },
      "oorssssss",
      "0 1 2",
      2 },
    { "slow start ends its batch, bounded",
      JR_MODE_SLOW_START,
      1,
      "o5oooooo",
      { 0 },
      "orosssss",
      "0 1 2",
      1 },
    { "slow start stops at an ambiguous create",
      JR_MODE_SLOW_START,
      9,
      "oaooo",
      { 0 },
      "oaoss",
      "0 1 2",
      2 },
    { "a terminating namespace stops nothing",
      JR_MODE_SLOW_START,
      9,
      "tttt",
      { 0 },
      "rrrr",
      "0 1 2 3",
      2 },
    { "the last batch may fail", JR_MODE_SLOW_START, 9, "oo5", { 0 }, "oor", "0 1 2", 2 },
    { "pairs", JR_MODE_PARALLEL, 9, "oooo", { 0, 1, 0, 3 }, "oooo", "0 2 1 3", 2 },
    { "pairs are finished first",
      JR_MODE_PARALLEL,
      1,
      "oooooo",
      { 0, 1, 0, 3, 0, 5 },
      "oooooo",
      "0 1 2 3 4 5",
      1 },
    { "a failed precursor skips",
      JR_MODE_PARALLEL,
      1,
      "5o4oaooo",
      { 0, 1, 0, 3, 0, 5, 0, 7 },
      "rsrsasoo",
      "0 2 4 6 7",
      1 },
    { "skipped is no precursor", JR_MODE_PARALLEL, 1, "5oo", { 0, 1, 2 }, "rss", "0", 1 },
    { "pairs in sequence", JR_MODE_SEQUENCE, 9, "o5oo", { 0, 1, 2, 0 }, "orso", "0 1 3", 1 },
    { "two wait for one", JR_MODE_PARALLEL, 9, "ooo", { 0, 1, 1 }, "ooo", "0 2 1", 2 },
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t r = 0; r < JR_ARRAY_SIZE(rows); r++) {
        size_t n = strlen(rows[r].answers);
        struct jr_op ops[OPS_MAX];
        struct jr_stage stage = { .mode = rows[r].mode, .ops = ops, .n_ops = n };
        struct result res = { .ended = 0 };
        struct jr_exec *e = NULL;
        struct world w;
        char order[256];

        world_init(&w, rows[r].max_inflight);
        w.answers = rows[r].answers;
        for (size_t i = 0; i < n; i++)
            ops[i] = (struct jr_op){ .kind = JR_OP_DELETE_POD,
                                     .pod = w.pods[i],
                                     .after = rows[r].after[i < 12 ? i : 0] - 1 };
        jr_execute(w.x, &stage, JR_S("ns"), JR_S("j"), on_done, &res, &e);
        check_int(rows[r].name, res.ended, 0); /* never from inside */
        run(&w);
        check_int(rows[r].name, res.ended, 1);
        if (strcmp(res.outcomes, rows[r].outcomes) != 0)
            fail_msg("%s: outcomes %s, expected %s", rows[r].name, res.outcomes, rows[r].outcomes);
        if (strcmp(order_of(&w, order, sizeof(order)), rows[r].order) != 0)
            fail_msg("%s: order %s, expected %s", rows[r].name, order, rows[r].order);
        check_int(rows[r].name, jr_scripted_peak(w.api), rows[r].peak);
        world_done(&w);
    }
}

static void stage_of(struct world *w, struct jr_stage *stage, struct jr_op *ops, size_t from,
                     size_t n)
{
    for (size_t i = 0; i < n; i++)
        ops[i] = (struct jr_op){ .kind = JR_OP_DELETE_POD, .pod = w->pods[from + i], .after = -1 };
    *stage = (struct jr_stage){ .mode = JR_MODE_PARALLEL, .ops = ops, .n_ops = n };
}

/** A small stage that comes late is not made to wait for a big one. */
static void test_shares(void **state)
{
    struct jr_op big_ops[OPS_MAX], small_ops[2];
    struct jr_stage big, small;
    struct result big_res = { .ended = 0 }, small_res = { .ended = 0 };
    struct jr_exec *e;
    struct world w;
    size_t late = 0;

    (void)state;
    world_init(&w, 4);
    w.answers = "ooooooooooooooooooooooooooooooooooooooooooooooooooo";
    stage_of(&w, &big, big_ops, 0, 40);
    stage_of(&w, &small, small_ops, 40, 2);
    jr_execute(w.x, &big, JR_S("ns"), JR_S("j"), on_done, &big_res, &e);
    jr_execute(w.x, &small, JR_S("ns"), JR_S("k"), on_done, &small_res, &e);
    run(&w);
    assert_int_equal(big_res.ended, 1);
    assert_int_equal(small_res.ended, 1);
    assert_int_equal(jr_scripted_peak(w.api), 4);
    for (size_t i = 0; i < jr_scripted_count(w.api); i++) {
        if (pod_of(jr_scripted_call_at(w.api, i)) >= 40)
            late = i;
    }
    assert_true(late < 8);
    world_done(&w);
}

/** Each body in flight is in memory several times over: large ones go one by one, and small ones
 * past them. */
static void test_large_bodies(void **state)
{
    static char text[1500000];
    const struct jr_str body = { text, sizeof(text) };
    struct jr_op large_ops[2][8], small_ops[10];
    struct result large_res[2] = { 0 }, small_res = { 0 };
    struct jr_stage large[2], small;
    struct jr_exec *e;
    struct world w;
    char order[256];

    (void)state;
    memset(text, 'x', sizeof(text));
    world_init(&w, 100);
    w.answers = "oooooooooooooooooooooooooo";
    for (size_t i = 0; i < 2; i++) {
        stage_of(&w, &large[i], large_ops[i], i * 8, 8);
        for (size_t k = 0; k < 8; k++) {
            large_ops[i][k].kind = JR_OP_UNFINALIZE_POD;
            large_ops[i][k].body = body;
        }
    }
    stage_of(&w, &small, small_ops, 16, 10);
    jr_execute(w.x, &large[0], JR_S("ns"), JR_S("j"), on_done, &large_res[0], &e);
    jr_execute(w.x, &large[1], JR_S("ns"), JR_S("k"), on_done, &large_res[1], &e);
    assert_int_equal(jr_scripted_peak(w.api), 1);
    jr_execute(w.x, &small, JR_S("ns"), JR_S("l"), on_done, &small_res, &e);
    assert_int_equal(jr_scripted_peak(w.api), 11);
    run(&w);
    assert_string_equal(large_res[0].outcomes, "oooooooo");
    assert_string_equal(large_res[1].outcomes, "oooooooo");
    assert_int_equal(small_res.ended, 1);
    assert_int_equal(jr_scripted_peak(w.api), 11);
    assert_string_equal(order_of(&w, order, sizeof(order)), /* in turn */
                        "0 16 17 18 19 20 21 22 23 24 25 1 8 2 9 3 10 4 11 5 12 6 13 7 14 15");
    /* One that is broken off leaves room for the next. */
    jr_execute(w.x, &large[0], JR_S("ns"), JR_S("j"), on_done, &large_res[0], &e);
    jr_exec_cancel(&e);
    jr_execute(w.x, &large[1], JR_S("ns"), JR_S("k"), on_done, &large_res[1], &e);
    run(&w);
    assert_int_equal(large_res[1].ended, 2);
    world_done(&w);
}

/** A batch that failed is given up at once, even where others leave no room to send. */
static void test_given_up_without_room(void **state)
{
    struct jr_op first_ops[3], second_ops[3];
    struct jr_stage first, second;
    struct result first_res = { .ended = 0 }, second_res = { .ended = 0 };
    struct jr_exec *e, *f;
    size_t inflight, left;
    struct world w;

    (void)state;
    world_init(&w, 1);
    w.answers = "oon5oo"; /* the first one's last call hangs */
    stage_of(&w, &first, first_ops, 0, 3);
    stage_of(&w, &second, second_ops, 3, 3);
    second.mode = JR_MODE_SLOW_START;
    jr_execute(w.x, &first, JR_S("ns"), JR_S("j"), on_done, &first_res, &e);
    jr_execute(w.x, &second, JR_S("ns"), JR_S("k"), on_done, &second_res, &f);
    run(&w);
    assert_int_equal(first_res.ended, 0);
    jr_exec_look(e, &inflight, &left);
    assert_int_equal(inflight, 1);
    assert_int_equal(second_res.ended, 1);
    assert_string_equal(second_res.outcomes, "rss");
    world_done(&w);
}

/** A server that has too much to do is asked again when it says so. Until then a slow start makes
 * no more of it: the batch isn't over, and hasn't failed. */
static void test_too_many_requests(void **state)
{
    struct jr_op ops[OPS_MAX];
    struct jr_stage stage;
    struct result res = { .ended = 0 };
    struct jr_exec *e;
    struct world w;

    (void)state;
    world_init_retrying(&w, 9, 3);
    w.answers = "o9ooooo";
    w.busy = 2;
    stage_of(&w, &stage, ops, 0, 7);
    stage.mode = JR_MODE_SLOW_START;
    jr_execute(w.x, &stage, JR_S("ns"), JR_S("j"), on_done, &res, &e);
    while (w.clock.mono.ns < 20 * JR_SEC)
        assert_int_equal(jr_loop_turn(w.loop, 20 * JR_SEC - w.clock.mono.ns, NULL, NULL), JR_OK);
    assert_int_equal(jr_scripted_count(w.api), 3); /* the first one, and a batch of two */
    run(&w);
    assert_int_equal(res.ended, 1);
    assert_string_equal(res.outcomes, "ooooooo");
    assert_int_equal(jr_scripted_count(w.api), 7 + 2);
    assert_true(w.clock.mono.ns >= 40 * JR_SEC);
    world_done(&w);
}

static void test_cancel(void **state)
{
    struct jr_op ops[OPS_MAX], next_ops[2];
    struct jr_stage stage, next;
    struct result res = { .ended = 0 }, next_res = { .ended = 0 };
    struct jr_exec *e, *f;
    size_t inflight, left;
    struct world w;

    (void)state;
    world_init(&w, 2);
    w.answers = "--ooo"; /* the first two hang */
    stage_of(&w, &stage, ops, 0, 3);
    stage_of(&w, &next, next_ops, 3, 2);
    jr_execute(w.x, &stage, JR_S("ns"), JR_S("j"), on_done, &res, &e);
    jr_execute(w.x, &next, JR_S("ns"), JR_S("j"), on_done, &next_res, &f);
    run(&w);
    jr_exec_look(e, &inflight, &left);
    assert_int_equal(inflight, 2);
    assert_int_equal(next_res.ended, 0);
    jr_exec_cancel(&e);
    assert_null(e);
    jr_exec_cancel(&e);
    run(&w);
    assert_int_equal(res.ended, 0);
    assert_int_equal(next_res.ended, 1);
    world_done(&w);
}

/** Freed in the middle: nothing is called, nothing leaks. */
static void test_freed_under_way(void **state)
{
    struct jr_op ops[4];
    struct jr_stage stage;
    struct result res = { .ended = 0 };
    struct jr_exec *e;
    struct world w;

    (void)state;
    world_init(&w, 2);
    w.answers = "oooo";
    stage_of(&w, &stage, ops, 0, 4);
    jr_execute(w.x, &stage, JR_S("ns"), JR_S("j"), on_done, &res, &e);
    world_done(&w);
    assert_int_equal(res.ended, 0);
}

/** Who may not write sends nothing, and nothing is ambiguous. */
static void test_may_not_send(void **state)
{
    struct jr_op ops[4];
    struct jr_stage stage;
    struct result res = { .ended = 0 };
    struct jr_exec *e;
    struct world w;

    (void)state;
    world_init(&w, 2);
    w.may_send = false;
    w.answers = "oooo";
    stage_of(&w, &stage, ops, 0, 3);
    jr_execute(w.x, &stage, JR_S("ns"), JR_S("j"), on_done, &res, &e);
    run(&w);
    assert_string_equal(res.outcomes, "hhh");
    assert_int_equal(jr_scripted_count(w.api), 0);
    world_done(&w);
}

static void test_empty_stage(void **state)
{
    struct jr_stage stage = { .mode = JR_MODE_SLOW_START };
    struct result res = { .ended = 0 };
    struct jr_exec *e;
    struct world w;

    (void)state;
    world_init(&w, 2);
    jr_execute(w.x, &stage, JR_S("ns"), JR_S("j"), on_done, &res, &e);
    run(&w);
    assert_int_equal(res.ended, 1);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_large_bodies),
        cmocka_unit_test(test_given_up_without_room),
        cmocka_unit_test(test_too_many_requests),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_freed_under_way),
        cmocka_unit_test(test_may_not_send),
        cmocka_unit_test(test_empty_stage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
