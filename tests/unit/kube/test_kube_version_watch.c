/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of the API servers and their gates: asked again and again, told when they change. */
#include "common/kube/version_watch.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define MINUTE (60 * JR_SEC)

struct world {
    struct fake f;
    struct jr_metrics *metrics;
    struct jr_version_watch *w;
    unsigned changes, untold;
    struct jr_flag_list gates;
    struct jr_profiles told; /* by the last change */
    struct jr_mono asked;    /* by the last question */
    bool tells_gates;
};

static void on_change(void *ctx, const struct jr_profiles *profiles)
{
    struct world *w = ctx;

    w->changes++;
    w->told = *profiles;
}

static void on_untold(void *ctx)
{
    struct world *w = ctx;

    w->untold++;
}

static void begin(struct world *w)
{
    const struct jr_version_watch_handler h = { on_change, on_untold, w };

    *w = (struct world){ .w = NULL };
    fake_init(&w->f);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    w->w = jr_version_watch_start(&w->f.env, &w->gates, &h, NULL, w->metrics);
}

static void end(struct world *w)
{
    jr_version_watch_free(w->w);
    jr_metrics_free(w->metrics);
    fake_done(&w->f);
}

/** The next question for the version. Those for the gates are refused, unless the test answers
 * them.
 */
static struct jr_call *next(struct world *w)
{
    struct jr_call *c = fake_next(&w->f);

    while (!w->tells_gates && strcmp(c->path, "/metrics") == 0) {
        fake_answer(c, 403, "{}");
        c = fake_next(&w->f);
    }
    assert_string_equal(c->method, "GET");
    assert_string_equal(c->path, "/version");
    assert_true(c->own_connection && c->fresh_connection);
    assert_true(c->body_max > 0 && c->timeout_ms > 0 && c->timeout_ms < 60000);
    w->asked = jr_loop_mono(w->f.loop);
    return c;
}

/** The next question is answered with that gitVersion. */
static void answer(struct world *w, const char *git)
{
    char body[256];

    (void)snprintf(body, sizeof(body), "{\"major\":\"1\",\"gitVersion\":\"%s\"}", git);
    fake_answer(next(w), 200, body);
    if (!w->tells_gates && w->changes == 0)
        fake_answer(fake_expect(&w->f, "GET", "/metrics"), 403, "{}");
}

static struct jr_call *next_gates(struct world *w)
{
    struct jr_call *c = fake_expect(&w->f, "GET", "/metrics");

    assert_true(c->own_connection && c->fresh_connection);
    assert_true(c->body_max > 0 && c->timeout_ms > 0 && c->timeout_ms < 60000);
    assert_string_equal(c->accept, "text/plain;version=0.0.4");
    return c;
}

/** The next question is that for the gates: a server of that version has one on or off. */
static void answer_gates(struct world *w, const char *git, const char *gate, int on)
{
    struct jr_call *c = next_gates(w);
    char text[512];

    (void)snprintf(text, sizeof(text),
                   "# TYPE kubernetes_build_info gauge\n"
                   "kubernetes_build_info{git_version=\"%s\",major=\"1\"} 1\n"
                   "kubernetes_feature_enabled{name=\"%s\",stage=\"BETA\"} %d\n",
                   git, gate, on);
    for (size_t i = 0; text[i] != '\0'; i++)
        assert_true(fake_chunk(c, (struct jr_str){ &text[i], 1 }));
    fake_close(c);
}

/** For so many minutes a server of that version answers, which has a gate on or off. Returns how
 * often it was asked for its gates. */
static unsigned minutes(struct world *w, unsigned n, const char *git, const char *gate, int on)
{
    unsigned asked = 0;

    for (unsigned i = 0; i < n; i++) {
        answer(w, git);
        if (fake_untaken(&w->f) == 0)
            continue;
        asked++;
        answer_gates(w, git, gate, on);
    }
    return asked;
}

static double gate(const struct world *w, const char *version, const char *emulated,
                   const char *name, const char *source)
{
    return jr_metrics_get(w->metrics, "jobreeve_kubernetes_feature_enabled",
                          (const char *const[]){ version, emulated, name, source });
}

static double info(const struct world *w, const char *version, const char *emulated)
{
    return jr_metrics_get(w->metrics, "jobreeve_kubernetes_version_info",
                          (const char *const[]){ version, emulated });
}

static void test_each_minute(void **state)
{
    struct world w;
    struct jr_mono before;

    (void)state;
    begin(&w);
    before = jr_loop_mono(w.f.loop);
    answer(&w, "v1.36.2");
    assert_int_equal(w.asked.ns, before.ns); /* at once */
    assert_int_equal(w.changes, 1);
    assert_int_equal(w.told.n, 1);
    assert_int_equal(w.told.v[0].version.patch, 2);
    assert_true(info(&w, "1.36.2", "1.36") == 1);
    for (int i = 0; i < 5; i++) {
        before = w.asked;
        answer(&w, "v1.36.2");
        assert_int_equal(w.asked.ns - before.ns, MINUTE);
    }
    /* However long the answer takes. */
    before = w.asked;
    {
        struct jr_call *c = next(&w);

        assert_int_equal(w.asked.ns - before.ns, MINUTE);
        before = w.asked;
        fake_wait(&w.f, 5 * JR_SEC);
        fake_answer(c, 200, "{\"gitVersion\":\"v1.36.2\"}");
    }
    answer(&w, "v1.36.2");
    assert_int_equal(w.asked.ns - before.ns, MINUTE);
    assert_int_equal(w.changes, 1); /* told once */
    assert_int_equal(w.untold, 0);
    end(&w);
}

static void test_upgrade(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    w.gates = (struct jr_flag_list){ .v = { JR_S("JobManagedBy=false") }, .n = 1 };
    answer(&w, "v1.34.4");
    answer(&w, "v1.36.2");
    assert_int_equal(w.changes, 2);
    assert_false(w.told.v[0].gates[JR_GATE_JobManagedBy]);
    assert_true(w.told.v[1].gates[JR_GATE_JobManagedBy]); /* locked: passed over */
    assert_false(w.told.common.gates[JR_GATE_JobManagedBy]);
    assert_int_equal(w.told.n, 2);
    assert_int_equal(w.told.v[0].version.minor, 34);
    for (int i = 0; i < 6; i++)
        answer(&w, i % 2 == 0 ? "v1.34.4" : "v1.36.2");
    assert_int_equal(w.changes, 2);
    assert_true(info(&w, "1.34.4", "1.34") == 1 && info(&w, "1.36.2", "1.36") == 1);
    /* The last answer of 1.34 was that of one minute ago. */
    for (int i = 0; i < 58; i++)
        answer(&w, "v1.36.2");
    assert_int_equal(w.changes, 2);
    answer(&w, "v1.36.2");
    assert_int_equal(w.changes, 3);
    assert_int_equal(w.told.n, 1);
    assert_int_equal(w.told.v[0].version.minor, 36);
    assert_true(info(&w, "1.34.4", "1.34") == 0 && info(&w, "1.36.2", "1.36") == 1);
    end(&w);
}

static void test_failures_change_nothing(void **state)
{
    struct world w;
    struct jr_mono before;

    (void)state;
    begin(&w);
    answer(&w, "v1.36.2");
    for (int i = 0; i < 90; i++) {
        before = w.asked;
        if (i % 3 == 0)
            fake_fail(next(&w), JR_HTTP_NOT_SENT);
        else
            fake_answer(next(&w), i % 3 == 1 ? 403 : 200, "{}");
        assert_int_equal(w.asked.ns - before.ns, MINUTE);
    }
    assert_int_equal(w.changes, 1);
    assert_int_equal(w.untold, 0);
    assert_true(info(&w, "1.36.2", "1.36") == 1);
    answer(&w, "v1.36.2");
    assert_int_equal(w.changes, 1);
    end(&w);
}

static void test_until_known(void **state)
{
    struct world w;
    struct jr_mono began;

    (void)state;
    begin(&w);
    began = jr_loop_mono(w.f.loop);
    for (int i = 0; i < 4; i++) {
        fake_fail(next(&w), JR_HTTP_NOT_SENT);
        fake_answer(next(&w), i % 2 == 0 ? 503 : 429, "");
    }
    fake_answer(next(&w), 401, "{}");
    assert_int_equal(w.untold, 0); /* none that could say it was there */
    fake_answer(next(&w), 403, "{}");
    assert_int_equal(w.untold, 1);
    fake_answer(next(&w), 200, "nothing that can be read");
    fake_answer(next(&w), 200, "{\"gitVersion\":\"devel\"}");
    assert_int_equal(w.untold, 1);
    assert_int_equal(w.changes, 0);
    answer(&w, "v1.99.0");
    assert_int_equal(w.changes, 1);
    assert_true(w.asked.ns - began.ns < 2 * MINUTE);
    end(&w);
}

static void test_gates(void **state)
{
    struct world w;
    struct jr_mono first;

    (void)state;
    begin(&w);
    w.tells_gates = true;
    answer(&w, "v1.33.5");
    first = w.asked;
    assert_int_equal(w.changes, 0); /* not before the gates were asked for */
    answer_gates(&w, "v1.33.5", "JobPodReplacementPolicy", 0);
    assert_int_equal(w.changes, 1);
    assert_false(w.told.v[0].gates[JR_GATE_JobPodReplacementPolicy]);
    assert_true(w.told.v[0].gates[JR_GATE_JobManagedBy]); /* nothing was said of it */
    assert_true(gate(&w, "1.33.5", "1.33", "JobManagedBy", "default") == 1);
    assert_int_equal(w.told.v[0].sources[JR_GATE_JobPodReplacementPolicy], JR_GATE_BY_SERVER);
    /* Asked again each minute, then each ten minutes, and told only if something has changed. */
    assert_int_equal(minutes(&w, 10, "v1.33.5", "JobPodReplacementPolicy", 0), 10);
    first = w.asked;
    assert_int_equal(minutes(&w, 9, "v1.33.5", "JobPodReplacementPolicy", 0), 0);
    assert_int_equal(w.changes, 1);
    assert_int_equal(minutes(&w, 1, "v1.33.5", "JobPodReplacementPolicy", 1), 1);
    assert_int_equal(w.asked.ns - first.ns, 10 * MINUTE);
    assert_int_equal(w.changes, 2);
    /* It may have been started anew, or be another one. */
    assert_int_equal(w.told.n, 2);
    assert_false(w.told.common.gates[JR_GATE_JobPodReplacementPolicy]);
    assert_true(gate(&w, "1.33.5", "1.33", "JobPodReplacementPolicy", "server") == 0);
    assert_int_equal(minutes(&w, 49, "v1.33.5", "JobPodReplacementPolicy", 1), 10 + 3);
    assert_int_equal(w.changes, 2);
    assert_int_equal(minutes(&w, 20, "v1.33.5", "JobPodReplacementPolicy", 1), 2);
    assert_int_equal(w.changes, 3);
    assert_int_equal(w.told.n, 1);
    assert_true(w.told.v[0].gates[JR_GATE_JobPodReplacementPolicy]);
    assert_true(gate(&w, "1.33.5", "1.33", "JobPodReplacementPolicy", "server") == 1);
    end(&w);
}

/** Two servers of one version, of which any answers: whatever the order, what is on in both counts,
 * and it is found within minutes. */
static void test_gates_of_one_version(void **state)
{
    static const unsigned orders[][3] = { { 0, 1, 0 }, { 1, 0, 1 }, { 1, 1, 0 }, { 0, 0, 1 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(orders); i++) {
        struct world w;

        begin(&w);
        w.tells_gates = true;
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(
                minutes(&w, 1, "v1.33.5", "JobPodReplacementPolicy", (int)orders[i][k]), 1);
        assert_int_equal(w.changes, 2);
        assert_int_equal(w.told.n, 2);
        assert_true(w.told.v[0].gates[JR_GATE_JobPodReplacementPolicy] !=
                    w.told.v[1].gates[JR_GATE_JobPodReplacementPolicy]);
        assert_false(w.told.common.gates[JR_GATE_JobPodReplacementPolicy]);
        assert_true(info(&w, "1.33.5", "1.33") == 1);
        assert_true(gate(&w, "1.33.5", "1.33", "JobPodReplacementPolicy", "server") == 0);
        for (int k = 0; k < 90; k++)
            (void)minutes(&w, 1, "v1.33.5", "JobPodReplacementPolicy", k / 20 % 2);
        assert_int_equal(w.changes, 2);
        end(&w);
    }
}

/** Of two servers any may answer. */
static void test_gates_of_several_servers(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    w.tells_gates = true;
    answer(&w, "v1.33.5");
    answer_gates(&w, "v1.33.5", "JobPodReplacementPolicy", 1);
    answer(&w, "v1.34.4");
    answer_gates(&w, "v1.33.5", "JobPodReplacementPolicy", 1);
    answer(&w, "v1.33.5");
    answer_gates(&w, "v1.34.4", "ContainerRestartRules", 1);
    assert_int_equal(w.told.n, 2);
    assert_false(w.told.v[0].gates[JR_GATE_ContainerRestartRules]);
    assert_true(w.told.v[1].gates[JR_GATE_ContainerRestartRules]);
    assert_false(w.told.common.gates[JR_GATE_ContainerRestartRules]);
    /* One that never answers this is asked for so long only. */
    answer(&w, "v1.34.9");
    for (int i = 0; i < 10; i++) {
        answer_gates(&w, "v1.34.4", "ContainerRestartRules", 1);
        answer(&w, "v1.34.9");
    }
    for (int i = 0; i < 8; i++)
        answer(&w, "v1.34.9");
    assert_int_equal(fake_untaken(&w.f), 0);
    end(&w);
}

static void test_gates_that_are_not_told(void **state)
{
    static const char *const bodies[] = { "", "up 1\n", "kubernetes_build_info{} 1\n" };
    struct world w;

    (void)state;
    begin(&w);
    w.tells_gates = true;
    answer(&w, "v1.33.5");
    for (size_t i = 0; i < JR_ARRAY_SIZE(bodies) + 2; i++) {
        struct jr_call *c = next_gates(&w);

        if (i == 0) {
            fake_answer(c, 403, "{}");
        } else if (i == 1) {
            fake_fail(c, JR_HTTP_AMBIGUOUS);
        } else {
            assert_true(fake_chunk(c, jr_str(bodies[i - 2])) || bodies[i - 2][0] == '\0');
            fake_close(c);
        }
        for (int k = 0; k < 10; k++)
            answer(&w, "v1.33.5");
    }
    assert_int_equal(w.changes, 1);
    /* The right was granted. */
    answer_gates(&w, "v1.33.5", "JobManagedBy", 0);
    assert_int_equal(w.changes, 2);
    end(&w);
}

static void test_the_flag_counts_more(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    w.tells_gates = true;
    w.gates = (struct jr_flag_list){ .v = { JR_S("JobManagedBy=false") }, .n = 1 };
    answer(&w, "v1.33.5");
    answer_gates(&w, "v1.33.5", "JobManagedBy", 1);
    assert_false(w.told.v[0].gates[JR_GATE_JobManagedBy]);
    assert_true(gate(&w, "1.33.5", "1.33", "JobManagedBy", "flag") == 0);
    assert_int_equal(w.told.v[0].sources[JR_GATE_JobManagedBy], JR_GATE_BY_FLAG);
    /* What is locked isn't set, whatever is said. */
    answer(&w, "v1.36.2");
    answer_gates(&w, "v1.36.2", "JobManagedBy", 0);
    assert_true(w.told.v[1].gates[JR_GATE_JobManagedBy]);
    end(&w);
}

static void test_the_end(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    assert_false(next(&w)->cancelled);
    end(&w); /* with a question under way */
    begin(&w);
    w.tells_gates = true;
    answer(&w, "v1.36.2");
    assert_false(next_gates(&w)->cancelled);
    end(&w); /* the same of the gates */
    begin(&w);
    answer(&w, "v1.36.2");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_minute),
        cmocka_unit_test(test_upgrade),
        cmocka_unit_test(test_failures_change_nothing),
        cmocka_unit_test(test_until_known),
        cmocka_unit_test(test_gates),
        cmocka_unit_test(test_gates_of_one_version),
        cmocka_unit_test(test_gates_of_several_servers),
        cmocka_unit_test(test_gates_that_are_not_told),
        cmocka_unit_test(test_the_flag_counts_more),
        cmocka_unit_test(test_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
