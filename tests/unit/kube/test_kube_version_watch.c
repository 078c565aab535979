/* The versions of the API servers: asked each minute, told when they change. */
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

static struct jr_call *next(struct world *w)
{
    struct jr_call *c = fake_expect(&w->f, "GET", "/version");

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

static void test_the_end(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    assert_false(next(&w)->cancelled);
    end(&w); /* with a question under way */
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
        cmocka_unit_test(test_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
