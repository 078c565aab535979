/* SPDX-License-Identifier: Apache-2.0 */
/* The policies in force: what readers hold, whose policy goes first, what is counted. */
#include "tests/support/metrics_each.h"
#include "tests/unit/policy/policy_test.h"

#define MAX(n) "{\"limits\":{\"parallelism\":{\"max\":" #n "}}}"

static void put(struct jr_policy_store *s, enum jr_policy_origin origin, const char *name,
                int generation)
{
    jr_policy_store_put(s, origin, policy_of(name, generation, MAX(5)));
}

/* ---- what is in force ---- */

static void test_publish(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();

    (void)state;
    assert_in_force(s, "");
    put(s, JR_POLICY_OF_API, "a", 1);
    assert_in_force(s, "");
    jr_policy_store_publish(s);
    assert_in_force(s, "a@1");
    put(s, JR_POLICY_OF_API, "a", 2);
    assert_in_force(s, "a@1");
    jr_policy_store_publish(s);
    assert_in_force(s, "a@2");
    assert_true(jr_policy_store_remove(s, JR_POLICY_OF_API, JR_S("a")));
    assert_in_force(s, "a@2");
    jr_policy_store_publish(s);
    assert_in_force(s, "");
    assert_false(jr_policy_store_remove(s, JR_POLICY_OF_API, JR_S("a"))); /* is none */
    jr_policy_store_publish(s);
    assert_in_force(s, "");
    jr_policy_store_free(s);
    jr_policy_store_free(NULL);
}

static void sweep(struct jr_policy_store *s, enum jr_policy_origin origin)
{
    jr_policy_store_sweep(s, origin, NULL);
    jr_policy_store_publish(s);
}

/** A policy that a list of its origin doesn't show goes; those of other origins stay. */
static void test_lists(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();

    (void)state;
    put(s, JR_POLICY_OF_API, "a", 1);
    put(s, JR_POLICY_OF_API, "b", 1);
    put(s, JR_POLICY_OF_API, "c", 1);
    put(s, JR_POLICY_OF_FILE, "c", 10);
    put(s, JR_POLICY_OF_FILE, "d", 10);
    sweep(s, JR_POLICY_OF_API); /* all were shown before the first list */
    assert_in_force(s, "a@1 b@1 c@10 d@10");
    assert_int_equal(jr_policy_store_count(s, JR_POLICY_OF_API), 3);
    assert_int_equal(jr_policy_store_count(s, JR_POLICY_OF_FILE), 2);
    jr_policy_store_begin(s, JR_POLICY_OF_API);
    jr_policy_store_see(s, JR_POLICY_OF_API, JR_S("a"));
    jr_policy_store_see(s, JR_POLICY_OF_API, JR_S("x")); /* is none */
    jr_policy_store_see(s, JR_POLICY_OF_FILE, JR_S("b"));
    put(s, JR_POLICY_OF_API, "e", 1);
    sweep(s, JR_POLICY_OF_API);
    assert_in_force(s, "a@1 c@10 d@10 e@1");
    assert_int_equal(jr_policy_store_count(s, JR_POLICY_OF_API), 2);
    jr_policy_store_begin(s, JR_POLICY_OF_API);
    jr_policy_store_see(s, JR_POLICY_OF_API, (struct jr_str){ NULL, 0 });
    sweep(s, JR_POLICY_OF_API);
    assert_in_force(s, "a@1 c@10 d@10 e@1");
    jr_policy_store_begin(s, JR_POLICY_OF_FILE);
    put(s, JR_POLICY_OF_FILE, "a", 11);
    sweep(s, JR_POLICY_OF_FILE);
    assert_in_force(s, "a@11 e@1");
    jr_policy_store_begin(s, JR_POLICY_OF_API);
    sweep(s, JR_POLICY_OF_API);
    assert_in_force(s, "a@11");
    assert_int_equal(jr_policy_store_count(s, JR_POLICY_OF_API), 0);
    jr_policy_store_free(s);
}

static void test_sorted(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();

    (void)state;
    put(s, JR_POLICY_OF_FILE, "m", 1);
    put(s, JR_POLICY_OF_API, "z", 2);
    put(s, JR_POLICY_OF_API, "aa", 3);
    put(s, JR_POLICY_OF_API, "a", 4);
    put(s, JR_POLICY_OF_FILE, "a-b", 5);
    jr_policy_store_publish(s);
    assert_in_force(s, "a@4 a-b@5 aa@3 m@1 z@2");
    jr_policy_store_free(s);
}

static void test_held(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    SNAPSHOT *empty = jr_policy_store_get(s), *held = NULL;

    (void)state;
    put(s, JR_POLICY_OF_API, "a", 1);
    put(s, JR_POLICY_OF_FILE, "b", 1);
    jr_policy_store_publish(s);
    held = jr_policy_store_get(s);
    put(s, JR_POLICY_OF_API, "a", 2);
    jr_policy_store_remove(s, JR_POLICY_OF_FILE, JR_S("b"));
    jr_policy_store_publish(s);
    assert_in_force(s, "a@2");
    assert_set_at(&held->set, "a@1 b@1", __FILE__, __LINE__);
    jr_policy_store_free(s);
    assert_int_equal(empty->set.n, 0);
    assert_set_at(&held->set, "a@1 b@1", __FILE__, __LINE__);
    assert_int_equal(held->set.v[0]->rules.limits.v[0]->max.v, 5);
    /* What it came to is counted where nobody looks any more. */
    jr_policy_snapshot_count(
        held,
        &(struct jr_policy_findings){
            .n_matches = 2, .matches = (struct jr_policy_match[]){ { .at = 0 }, { .at = 1 } } });
}

static void test_two_origins(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();

    (void)state;
    put(s, JR_POLICY_OF_FILE, "a", 10);
    put(s, JR_POLICY_OF_API, "a", 1);
    jr_policy_store_publish(s);
    assert_in_force(s, "a@10");
    assert_int_equal(jr_policy_store_find(s, JR_POLICY_OF_API, JR_S("a"))->generation, 1);
    assert_int_equal(jr_policy_store_find(s, JR_POLICY_OF_FILE, JR_S("a"))->generation, 10);
    put(s, JR_POLICY_OF_API, "a", 2);
    jr_policy_store_publish(s);
    assert_in_force(s, "a@10");
    jr_policy_store_remove(s, JR_POLICY_OF_FILE, JR_S("a"));
    jr_policy_store_publish(s);
    assert_in_force(s, "a@2");
    assert_null(jr_policy_store_find(s, JR_POLICY_OF_FILE, JR_S("a")));
    put(s, JR_POLICY_OF_FILE, "a", 11);
    jr_policy_store_remove(s, JR_POLICY_OF_API, JR_S("a"));
    jr_policy_store_publish(s);
    assert_in_force(s, "a@11");
    assert_null(jr_policy_store_find(s, JR_POLICY_OF_API, JR_S("a")));
    assert_null(jr_policy_store_find(s, JR_POLICY_OF_API, JR_S("b")));
    jr_policy_store_free(s);
}

static bool selects(struct jr_policy_store *s)
{
    SNAPSHOT *now = NULL;

    jr_policy_store_publish(s);
    now = jr_policy_store_get(s);
    return now->selects_namespaces;
}

static void test_selects_namespaces(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();

    (void)state;
    put(s, JR_POLICY_OF_API, "a", 1);
    jr_policy_store_put(s, JR_POLICY_OF_API,
                        policy_of("b", 1,
                                  "{\"match\":{\"namespaces\":[\"x-*\"]},\"limits\":{"
                                  "\"parallelism\":{\"max\":5}}}"));
    assert_false(selects(s));
    jr_policy_store_put(
        s, JR_POLICY_OF_API,
        policy_of("c", 1,
                  "{\"match\":{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}}},"
                  "\"limits\":{\"parallelism\":{\"max\":5}}}"));
    assert_true(selects(s));
    put(s, JR_POLICY_OF_API, "d", 1);
    assert_true(selects(s));
    put(s, JR_POLICY_OF_FILE, "c", 1); /* in its place */
    assert_false(selects(s));
    jr_policy_store_remove(s, JR_POLICY_OF_FILE, JR_S("c"));
    assert_true(selects(s));
    jr_policy_store_remove(s, JR_POLICY_OF_API, JR_S("c"));
    assert_false(selects(s));
    jr_policy_store_free(s);
}

/* ---- metrics ---- */

#define L(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define EVALUATIONS "jobreeve_policy_evaluations_total"

struct series {
    struct jr_metrics *m;
    struct jr_buf text;
    const char *name; /* of the family */
    struct jr_time now;
};

static void add_series(void *ctx, const char *name, const char *labels, double v)
{
    struct series *s = ctx;

    if (strcmp(name, s->name) == 0)
        assert_int_equal(jr_buf_addf(&s->text, "%s %d\n", labels, (int)v), JR_OK);
}

/** want: a line for each series of the family, in any order. */
static void want_series(struct jr_policy_store *store, struct series *s, const char *name,
                        const char *want)
{
    size_t n = 0;

    jr_buf_reset(&s->text);
    s->name = name;
    jr_policy_store_metrics(store, s->now, s->m);
    metrics_each(s->m, add_series, s);
    for (const char *line = want; *line != '\0'; n++) {
        const size_t len = strcspn(line, "\n") + 1;

        if (jr_buf_str(&s->text).n == 0 || memmem(s->text.p, s->text.n, line, len) == NULL)
            fail_msg("no %.*s in\n%.*s", (int)len, line, JR_P(jr_buf_str(&s->text)));
        line += len;
    }
    for (size_t i = 0; i < s->text.n; i++)
        n -= s->text.p[i] == '\n';
    if (n != 0)
        fail_msg("more than\n%sin\n%.*s", want, JR_P(jr_buf_str(&s->text)));
}

static void series_init(struct series *s)
{
    *s = (struct series){ 0 };
    jr_buf_init(&s->text, SIZE_MAX);
    assert_int_equal(jr_metrics_new(&s->m), JR_OK);
}

static void series_done(struct series *s)
{
    jr_metrics_free(s->m);
    jr_buf_done(&s->text);
}

static void test_gauges(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    struct series g;

    (void)state;
    series_init(&g);
    put(s, JR_POLICY_OF_API, "a", 7);
    put(s, JR_POLICY_OF_FILE, "f", 9);
    jr_policy_store_put(s, JR_POLICY_OF_API,
                        policy_of("w", 3, "{\"limits\":{\"parallelism\":{\"max\":-5}}}"));
    jr_policy_store_publish(s);
    want_series(s, &g, "jobreeve_policy_generation",
                "{policy=\"a\"} 7\n{policy=\"f\"} 0\n{policy=\"w\"} 3\n");
    want_series(s, &g, "jobreeve_policy_unusable",
                "{policy=\"a\"} 0\n{policy=\"f\"} 0\n{policy=\"w\"} 1\n");
    put(s, JR_POLICY_OF_API, "w", 4);
    put(s, JR_POLICY_OF_FILE, "a", 1);
    jr_policy_store_remove(s, JR_POLICY_OF_FILE, JR_S("f"));
    jr_policy_store_publish(s);
    want_series(s, &g, "jobreeve_policy_generation", "{policy=\"a\"} 0\n{policy=\"w\"} 4\n");
    want_series(s, &g, "jobreeve_policy_unusable", "{policy=\"a\"} 0\n{policy=\"w\"} 0\n");
    jr_policy_store_metrics(s, g.now, NULL);
    series_done(&g);
    jr_policy_store_free(s);
}

static const char with_exceptions[] =
    "{\"budget\":{\"podsEver\":5},\"exceptions\":["
    "{\"namespaces\":[\"a\"],\"reason\":\"r\",\"budget\":{\"podsEver\":9},"
    "\"until\":\"1970-01-01T00:00:30Z\"},"
    "{\"namespaces\":[\"b\"],\"reason\":\"r\",\"budget\":{\"podsEver\":9},"
    "\"until\":\"1970-01-01T00:00:10Z\"},"
    "{\"namespaces\":[\"c\"],\"reason\":\"r\",\"budget\":{\"podsEver\":9},"
    "\"until\":\"1970-01-01T00:00:20Z\"}]}";

/** The next end of a policy's exceptions, not that of one that is over. */
static void test_exception_ends(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    struct series g;

    (void)state;
    series_init(&g);
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("e", 1, with_exceptions));
    put(s, JR_POLICY_OF_API, "none", 1);
    jr_policy_store_publish(s);
    g.now.ns = 10 * JR_SEC;
    want_series(s, &g, "jobreeve_policy_exception_end_timestamp_seconds", "{policy=\"e\"} 20\n");
    g.now.ns = 30 * JR_SEC;
    want_series(s, &g, "jobreeve_policy_exception_end_timestamp_seconds", "");
    series_done(&g);
    jr_policy_store_free(s);
}

#define ACTIONS(list) "{\"limits\":{\"parallelism\":{\"max\":5}},\"validationActions\":[" list "]}"

/** Counts an evaluation that all policies of the snapshot match; broken: the places of those that
 * have a finding, ended by 9. */
static void count(struct jr_policy_store *s, const uint32_t *broken, bool lenient)
{
    struct jr_policy_finding v[16];
    struct jr_policy_match all[8];
    SNAPSHOT *now = jr_policy_store_get(s);
    struct jr_policy_findings f = { .v = v, .matches = all };

    for (; f.n_matches < now->set.n; f.n_matches++)
        all[f.n_matches] = (struct jr_policy_match){ .at = f.n_matches };
    for (; *broken != 9; broken++) {
        struct jr_job_policy *p = now->set.v[*broken];
        const bool may_deny = (p->actions & JR_ACTION_DENY) != 0;
        const struct jr_policy_finding one = {
            .policy = p,
            .leniency = lenient ? JR_LENIENCY_NO_WORSE : JR_LENIENCY_NONE,
            .denies = may_deny && !lenient,
            .warns = (may_deny && lenient) || (p->actions & JR_ACTION_WARN) != 0,
            .audits = (p->actions & JR_ACTION_AUDIT) != 0,
        };

        v[f.n++] = one; /* two rules, one evaluation */
        v[f.n++] = one;
    }
    jr_policy_snapshot_count(now, &f);
}

static void test_counters(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    struct series c;

    (void)state;
    series_init(&c);
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 1, ACTIONS("\"Deny\",\"Audit\"")));
    jr_policy_store_put(s, JR_POLICY_OF_FILE, policy_of("b", 1, ACTIONS("\"Warn\"")));
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("c", 1, ACTIONS("\"Deny\"")));
    jr_policy_store_publish(s);
    count(s, (const uint32_t[]){ 9 }, false);
    count(s, (const uint32_t[]){ 0, 1, 9 }, false);
    count(s, (const uint32_t[]){ 0, 2, 9 }, true);
    want_series(s, &c, EVALUATIONS,
                "{action=\"Deny\",policy=\"a\",result=\"pass\"} 1\n"
                "{action=\"Deny\",policy=\"a\",result=\"fail\"} 1\n"
                "{action=\"Deny\",policy=\"a\",result=\"lenient\"} 1\n"
                "{action=\"Audit\",policy=\"a\",result=\"pass\"} 1\n"
                "{action=\"Audit\",policy=\"a\",result=\"fail\"} 2\n"
                "{action=\"Warn\",policy=\"b\",result=\"pass\"} 2\n"
                "{action=\"Warn\",policy=\"b\",result=\"fail\"} 1\n"
                "{action=\"Deny\",policy=\"c\",result=\"pass\"} 2\n"
                "{action=\"Deny\",policy=\"c\",result=\"fail\"} 0\n"
                "{action=\"Deny\",policy=\"c\",result=\"lenient\"} 1\n");
    series_done(&c);
    jr_policy_store_free(s);
}

/** One that denies and of which one finding denies, another one is lenient, has failed. */
static void test_counter_of_both(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    struct jr_policy_finding v[2] = { { .leniency = JR_LENIENCY_NO_WORSE, .warns = true },
                                      { .denies = true } };
    struct jr_policy_findings f = {
        .v = v, .n = 2, .matches = (struct jr_policy_match[]){ { .at = 0 } }, .n_matches = 1
    };
    SNAPSHOT *now = NULL;
    struct series c;

    (void)state;
    series_init(&c);
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 1, ACTIONS("\"Deny\"")));
    jr_policy_store_publish(s);
    now = jr_policy_store_get(s);
    v[0].policy = v[1].policy = now->set.v[0];
    jr_policy_snapshot_count(now, &f);
    want_series(s, &c, EVALUATIONS,
                "{action=\"Deny\",policy=\"a\",result=\"pass\"} 0\n"
                "{action=\"Deny\",policy=\"a\",result=\"fail\"} 1\n");
    series_done(&c);
    jr_policy_store_free(s);
}

/** An exception under which nothing is found is told apart from a policy that is met. */
static void test_counter_of_an_exception(void **state)
{
    static const struct jr_policy_exception exception = { .until = { 0 } };
    struct jr_policy_store *s = jr_policy_store_new();
    struct jr_policy_match match = { .exception = &exception };
    struct jr_policy_findings f = { .matches = &match, .n_matches = 1 };
    SNAPSHOT *now = NULL;
    struct series c;

    (void)state;
    series_init(&c);
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 1, ACTIONS("\"Deny\",\"Audit\"")));
    jr_policy_store_publish(s);
    now = jr_policy_store_get(s);
    jr_policy_snapshot_count(now, &f);
    want_series(s, &c, EVALUATIONS,
                "{action=\"Deny\",policy=\"a\",result=\"pass\"} 0\n"
                "{action=\"Deny\",policy=\"a\",result=\"fail\"} 0\n"
                "{action=\"Deny\",policy=\"a\",result=\"excepted\"} 1\n"
                "{action=\"Audit\",policy=\"a\",result=\"pass\"} 0\n"
                "{action=\"Audit\",policy=\"a\",result=\"fail\"} 0\n"
                "{action=\"Audit\",policy=\"a\",result=\"excepted\"} 1\n");
    series_done(&c);
    jr_policy_store_free(s);
}

static void test_counters_live_as_long_as_the_name(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    SNAPSHOT *held = NULL;
    struct series c;

    (void)state;
    series_init(&c);
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 1, ACTIONS("\"Deny\"")));
    jr_policy_store_publish(s);
    held = jr_policy_store_get(s);
    count(s, (const uint32_t[]){ 9 }, false);
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 2, ACTIONS("\"Deny\"")));
    jr_policy_store_publish(s);
    count(s, (const uint32_t[]){ 9 }, false);
    /* A request that began before the change. */
    jr_policy_snapshot_count(
        held, &(struct jr_policy_findings){ .n_matches = 1,
                                            .matches = (struct jr_policy_match[]){ { .at = 0 } } });
    want_series(s, &c, EVALUATIONS,
                "{action=\"Deny\",policy=\"a\",result=\"pass\"} 3\n"
                "{action=\"Deny\",policy=\"a\",result=\"fail\"} 0\n");
    /* What it came to when it denied is still told where it only warns. */
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 3, ACTIONS("\"Warn\"")));
    jr_policy_store_publish(s);
    want_series(s, &c, EVALUATIONS,
                "{action=\"Deny\",policy=\"a\",result=\"pass\"} 3\n"
                "{action=\"Warn\",policy=\"a\",result=\"pass\"} 0\n"
                "{action=\"Warn\",policy=\"a\",result=\"fail\"} 0\n");
    jr_policy_store_remove(s, JR_POLICY_OF_API, JR_S("a"));
    jr_policy_store_publish(s);
    want_series(s, &c, EVALUATIONS, "");
    jr_policy_store_put(s, JR_POLICY_OF_API, policy_of("a", 1, ACTIONS("\"Deny\"")));
    jr_policy_store_publish(s);
    want_series(s, &c, EVALUATIONS,
                "{action=\"Deny\",policy=\"a\",result=\"pass\"} 0\n"
                "{action=\"Deny\",policy=\"a\",result=\"fail\"} 0\n");
    series_done(&c);
    jr_policy_store_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publish),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_two_origins),
        cmocka_unit_test(test_selects_namespaces),
        cmocka_unit_test(test_gauges),
        cmocka_unit_test(test_exception_ends),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_counter_of_both),
        cmocka_unit_test(test_counter_of_an_exception),
        cmocka_unit_test(test_counters_live_as_long_as_the_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
