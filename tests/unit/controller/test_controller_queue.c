/* SPDX-License-Identifier: Apache-2.0 */
/* The work queue, step by step: what is done at which second, and what comes out. */
#include "controller/work/queue.h"

#include "tests/unit/controller/controller_test.h"

enum action {
    ADD,     /* key */
    AFTER,   /* key, arg seconds */
    LIMITED, /* key */
    FORGET,  /* key */
    GET,     /* key expected, NULL: nothing */
    DONE,    /* key */
    DUE,     /* arg: the second expected, NEVER */
    DEPTH,   /* arg */
};
#define NEVER 1000000

static const char *const queue_name = "job";

struct step {
    double at_s;
    enum action action;
    const char *key;
    int arg;
};

struct row {
    const char *name;
    struct step steps[24];
    size_t n;
};
#define STEPS(...) \
    .steps = { __VA_ARGS__ }, .n = sizeof((struct step[]){ __VA_ARGS__ }) / sizeof(struct step)

static const struct row rows[] = {
    { "first in, first out",
      STEPS({ 0, ADD, "b", 0 }, { 0, ADD, "a", 0 }, { 1, DEPTH, NULL, 2 }, { 1, GET, "b", 0 },
            { 1, GET, "a", 0 }, { 1, GET, NULL, 0 }, { 1, DEPTH, NULL, 0 }) },
    { "a set", STEPS({ 0, ADD, "a", 0 }, { 0, ADD, "a", 0 }, { 0, DEPTH, NULL, 1 },
                     { 0, GET, "a", 0 }, { 0, GET, NULL, 0 }) },
    { "an add while it is worked on waits for the end",
      STEPS({ 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 1, ADD, "a", 0 }, { 1, ADD, "a", 0 },
            { 1, DEPTH, NULL, 1 }, { 1, DUE, NULL, NEVER }, { 1, GET, NULL, 0 },
            { 2, DONE, "a", 0 }, { 2, DUE, NULL, 2 }, { 2, GET, "a", 0 }, { 3, DONE, "a", 0 },
            { 3, GET, NULL, 0 }) },
    { "an end without an add is the end",
      STEPS({ 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, DONE, "a", 0 }, { 9, GET, NULL, 0 },
            { 9, DUE, NULL, NEVER }) },
    { "other keys are not held up",
      STEPS({ 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, ADD, "a", 0 }, { 0, ADD, "b", 0 },
            { 0, GET, "b", 0 }, { 0, GET, NULL, 0 }) },
    { "a delayed add comes when it is due",
      STEPS({ 0, AFTER, "a", 5 }, { 0, DUE, NULL, 5 }, { 0, DEPTH, NULL, 0 }, { 4.9, GET, NULL, 0 },
            { 5, GET, "a", 0 }) },
    { "the earliest of two stays",
      STEPS({ 0, AFTER, "a", 5 }, { 0, AFTER, "a", 3 }, { 1, AFTER, "a", 8 }, { 1, DUE, NULL, 3 },
            { 3, GET, "a", 0 }, { 3, DONE, "a", 0 }, { 20, GET, NULL, 0 }) },
    { "no delay is now", STEPS({ 0, AFTER, "a", 0 }, { 0, AFTER, "b", -100 }, { 0, GET, "a", 0 },
                               { 0, GET, "b", 0 }) },
    { "an immediate add doesn't cancel a delayed one",
      STEPS({ 0, AFTER, "a", 5 }, { 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, DONE, "a", 0 },
            { 4, GET, NULL, 0 }, { 5, GET, "a", 0 }) },
    { "due while worked on: deferred",
      STEPS({ 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, AFTER, "a", 1 }, { 2, GET, NULL, 0 },
            { 3, DONE, "a", 0 }, { 3, GET, "a", 0 }) },
    { "delays in order of time, then of adding",
      STEPS({ 0, AFTER, "c", 3 }, { 0, AFTER, "a", 1 }, { 0, AFTER, "d", 3 }, { 0, AFTER, "b", 2 },
            { 9, GET, "a", 0 }, { 9, GET, "b", 0 }, { 9, GET, "c", 0 }, { 9, GET, "d", 0 }) },
    { "backoff doubles",
      STEPS({ 0, LIMITED, "a", 0 }, { 0, DUE, NULL, 1 }, { 1, GET, "a", 0 }, { 1, LIMITED, "a", 0 },
            { 1, DONE, "a", 0 }, { 1, DUE, NULL, 3 }, { 3, GET, "a", 0 }, { 3, LIMITED, "a", 0 },
            { 3, DONE, "a", 0 }, { 3, DUE, NULL, 7 }, { 7, GET, "a", 0 }, { 7, LIMITED, "a", 0 },
            { 7, DONE, "a", 0 }, { 7, DUE, NULL, 15 }, { 15, GET, "a", 0 }, { 15, LIMITED, "a", 0 },
            { 15, DONE, "a", 0 }, { 15, DUE, NULL, 31 }, { 31, GET, "a", 0 },
            { 31, LIMITED, "a", 0 }, { 31, DONE, "a", 0 }, { 31, DUE, NULL, 63 }) },
    { "success ends the backoff",
      STEPS({ 0, LIMITED, "a", 0 }, { 1, GET, "a", 0 }, { 1, LIMITED, "a", 0 }, { 1, DONE, "a", 0 },
            { 3, GET, "a", 0 }, { 3, FORGET, "a", 0 }, { 3, DONE, "a", 0 }, { 3, LIMITED, "a", 0 },
            { 3, DUE, NULL, 4 }) },
    { "forgetting keeps what is queued",
      STEPS({ 0, LIMITED, "a", 0 }, { 0, FORGET, "a", 0 }, { 1, GET, "a", 0 }) },
    { "an end that nobody began does nothing",
      STEPS({ 0, DONE, "a", 0 }, { 0, ADD, "b", 0 }, { 0, DONE, "b", 0 }, { 0, GET, "b", 0 }) },
};

static void do_step(const struct row *row, struct jr_queue *q, struct jr_metrics *metrics,
                    const struct step *s)
{
    struct jr_mono now = { (int64_t)(s->at_s * (double)JR_SEC) };
    struct jr_str got = { NULL, 0 };
    enum jr_status st;

    switch (s->action) {
    case ADD:
        jr_queue_add(q, jr_str(s->key), now);
        break;
    case AFTER:
        jr_queue_add_after(q, jr_str(s->key), s->arg * JR_SEC, now);
        break;
    case LIMITED:
        jr_queue_add_limited(q, jr_str(s->key), JR_S("why"), now);
        break;
    case FORGET:
        jr_queue_forget(q, jr_str(s->key));
        break;
    case GET:
        st = jr_queue_get(q, now, &got);
        check_int(row->name, st, s->key == NULL ? JR_NOTFOUND : JR_OK);
        check(row->name, s->key == NULL || jr_str_is(got, s->key));
        break;
    case DONE:
        jr_queue_done(q, jr_str(s->key), now);
        break;
    case DUE:
        if (s->arg == NEVER)
            check(row->name, jr_queue_next_due(q, now).ns == INT64_MAX);
        else
            check_int(row->name, jr_queue_next_due(q, now).ns, s->arg * JR_SEC);
        break;
    case DEPTH:
        check_int(row->name, (int64_t)jr_metrics_get(metrics, "workqueue_depth", &queue_name),
                  s->arg);
        break;
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t r = 0; r < JR_ARRAY_SIZE(rows); r++) {
        struct jr_metrics *metrics;
        struct jr_queue *q;

        assert_int_equal(jr_metrics_new(&metrics), JR_OK);
        q = jr_queue_new(queue_name, &JR_QUEUE_LIMITS_JOB, metrics);
        for (size_t i = 0; i < rows[r].n; i++)
            do_step(&rows[r], q, metrics, &rows[r].steps[i]);
        jr_queue_free(q);
        jr_metrics_free(metrics);
    }
}

static void test_backoff_is_capped(void **state)
{
    struct jr_queue *q;
    struct jr_str key;
    struct jr_mono now = { 0 }, due;
    int64_t delay = 0;

    (void)state;
    q = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, NULL);
    for (int i = 0; i < 100; i++) {
        jr_queue_add_limited(q, JR_S("a"), JR_S("why"), now);
        due = jr_queue_next_due(q, now);
        assert_true(due.ns - now.ns >= delay);
        delay = due.ns - now.ns;
        now = due;
        assert_int_equal(jr_queue_get(q, now, &key), JR_OK);
        jr_queue_done(q, key, now);
    }
    assert_int_equal(delay, 60 * JR_SEC);
    assert_int_equal(jr_queue_look(q, JR_S("a")).failures, 100);
    jr_queue_free(q);
}

static void test_failing_keys_are_counted(void **state)
{
    struct jr_queue *q;
    const struct jr_mono now = { 0 };

    (void)state;
    q = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, NULL);
    jr_queue_add(q, JR_S("fine"), now);
    assert_int_equal(jr_queue_failing(q), 0);
    for (int i = 0; i < 2; i++) {
        jr_queue_add_limited(q, JR_S("a"), JR_S("why"), now);
        assert_int_equal(jr_queue_failing(q), 1);
    }
    jr_queue_add_limited(q, JR_S("b"), JR_S("why"), now);
    assert_int_equal(jr_queue_failing(q), 2);
    jr_queue_forget(q, JR_S("a"));
    jr_queue_forget(q, JR_S("a"));
    jr_queue_forget(q, JR_S("fine"));
    assert_int_equal(jr_queue_failing(q), 1);
    jr_queue_free(q);
}

/** So many failures at once wait only for themselves; from then on one comes in so long. */
static void test_limit_of_all_keys(void **state)
{
    static const struct {
        int at_s;
        int due_s; /* of another key that fails then */
    } failures[] = {
        { 100, 101 }, /* its own backoff: three at once are free */
        { 100, 101 }, { 100, 101 }, { 100, 110 },
        { 100, 120 }, { 100, 130 }, { 125, 140 }, /* two and a half turns have come back */
        { 400, 401 },                             /* all of them, and no more than that */
        { 400, 401 }, { 400, 401 }, { 400, 410 },
    };
    const struct jr_queue_limits limits = {
        .base_ns = JR_SEC, .cap_ns = 60 * JR_SEC, .every_ns = 10 * JR_SEC, .burst = 3
    };
    struct jr_queue *q;

    (void)state;
    q = jr_queue_new("job", &limits, NULL);
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        char key[16];

        (void)snprintf(key, sizeof(key), "k%zu", i);
        jr_queue_add_limited(q, jr_str(key), JR_S("why"), AT_S(failures[i].at_s));
        check_int(key, jr_queue_look(q, jr_str(key)).due.ns, failures[i].due_s * JR_SEC);
    }
    jr_queue_free(q);
}

/** A key is forgotten once nothing is left to know of it, in whichever order that comes. */
static void test_nothing_is_kept(void **state)
{
    static const struct {
        const char *name;
        struct step steps[6];
        size_t count;
    } cases[] = {
        { "done", { { 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, DONE, "a", 0 } }, 0 },
        { "waits", { { 0, ADD, "a", 0 }, { 0, FORGET, "a", 0 } }, 1 },
        { "is worked on", { { 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, FORGET, "a", 0 } }, 1 },
        { "waits again",
          { { 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, ADD, "a", 0 }, { 0, DONE, "a", 0 } },
          1 },
        { "is delayed",
          { { 0, AFTER, "a", 5 }, { 0, ADD, "a", 0 }, { 0, GET, "a", 0 }, { 0, DONE, "a", 0 } },
          1 },
        { "has failed", { { 0, LIMITED, "a", 0 }, { 1, GET, "a", 0 }, { 1, DONE, "a", 0 } }, 1 },
        { "has failed, and succeeded",
          { { 0, LIMITED, "a", 0 },
            { 1, GET, "a", 0 },
            { 1, FORGET, "a", 0 },
            { 1, DONE, "a", 0 } },
          0 },
        { "has failed, and is forgotten later",
          { { 0, LIMITED, "a", 0 },
            { 1, GET, "a", 0 },
            { 1, DONE, "a", 0 },
            { 1, FORGET, "a", 0 } },
          0 },
    };

    (void)state;
    for (size_t r = 0; r < JR_ARRAY_SIZE(cases); r++) {
        const struct row row = { .name = cases[r].name };
        struct jr_queue *q;

        q = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, NULL);
        for (size_t i = 0; i < JR_ARRAY_SIZE(cases[r].steps) && cases[r].steps[i].key != NULL; i++)
            do_step(&row, q, NULL, &cases[r].steps[i]);
        check_int(cases[r].name, jr_queue_count(q), cases[r].count);
        jr_queue_free(q);
    }
}

static void test_far_delays_are_cut_off(void **state)
{
    struct jr_queue *q;
    struct jr_mono now = AT_S(100);

    (void)state;
    q = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, NULL);
    jr_queue_add_after(q, JR_S("a"), INT64_MAX, now);
    assert_true(jr_queue_next_due(q, now).ns == INT64_MAX);
    jr_queue_free(q);
}

/** Thousands of keys with delays in all orders come out by their time. */
static void test_many_delays(void **state)
{
    struct jr_rand_seeded seed;
    struct jr_rand rand = jr_rand_of_seed(&seed, 7);
    struct jr_queue *q;
    struct jr_str key;
    int64_t last = 0, want[3000] = { 0 }, k;
    size_t n = 0;

    (void)state;
    q = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, NULL);
    for (int i = 0; i < 5000; i++) {
        const int64_t delay = (int64_t)(1 + jr_rand_below(&rand, 1000)) * JR_SEC;
        char text[16];

        (void)snprintf(text, sizeof(text), "k%d", i % 3000);
        jr_queue_add_after(q, jr_str(text), delay, (struct jr_mono){ 0 });
        if (i < 3000 || delay < want[i % 3000])
            want[i % 3000] = delay;
    }
    for (;;) {
        struct jr_mono due = jr_queue_next_due(q, (struct jr_mono){ last });

        if (due.ns == INT64_MAX)
            break;
        assert_true(due.ns >= last);
        last = due.ns;
        assert_int_equal(jr_queue_get(q, due, &key), JR_OK);
        assert_int_equal(jr_parse_i64(jr_str_from(key, 1), 0, 2999, &k), JR_OK);
        assert_int_equal(want[k], due.ns);
        jr_queue_done(q, key, due);
        n++;
    }
    assert_int_equal(n, 3000);
    jr_queue_free(q);
}

static void test_metrics(void **state)
{
    const char *name = "job";
    struct jr_metrics *m;
    struct jr_queue *q;
    struct jr_str key;

    (void)state;
    assert_int_equal(jr_metrics_new(&m), JR_OK);
    q = jr_queue_new(name, &JR_QUEUE_LIMITS_JOB, m);
    jr_queue_add(q, JR_S("a"), AT_S(1));
    jr_queue_add(q, JR_S("a"), AT_S(1));
    jr_queue_add_after(q, JR_S("b"), JR_SEC, AT_S(1));
    assert_true(jr_metrics_get(m, "workqueue_depth", &name) == 1);
    assert_true(jr_metrics_get(m, "workqueue_adds_total", &name) == 1);
    assert_true(jr_metrics_get(m, "workqueue_retries_total", &name) == 1);
    assert_int_equal(jr_queue_get(q, AT_S(2), &key), JR_OK);
    assert_true(jr_metrics_get(m, "workqueue_queue_duration_seconds", &name) == 1);
    jr_queue_measure(q, AT_S(5));
    assert_true(jr_metrics_get(m, "workqueue_unfinished_work_seconds", &name) == 3);
    assert_true(jr_metrics_get(m, "workqueue_longest_running_processor_seconds", &name) == 3);
    jr_queue_done(q, key, AT_S(6));
    assert_true(jr_metrics_get(m, "workqueue_work_duration_seconds", &name) == 1);
    jr_queue_measure(q, AT_S(7));
    assert_true(jr_metrics_get(m, "workqueue_unfinished_work_seconds", &name) == 0);
    jr_queue_free(q);
    jr_metrics_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_backoff_is_capped),
        cmocka_unit_test(test_failing_keys_are_counted),
        cmocka_unit_test(test_limit_of_all_keys),
        cmocka_unit_test(test_nothing_is_kept),
        cmocka_unit_test(test_far_delays_are_cut_off),
        cmocka_unit_test(test_many_delays),
        cmocka_unit_test(test_metrics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
