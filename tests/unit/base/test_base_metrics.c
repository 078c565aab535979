/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "common/base/metrics.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

#define L(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct jr_metric_desc syncs = {
    .name = "test_syncs_total",
    .help = "Syncs,\nby \\ \"result\".",
    .kind = JR_COUNTER,
    .labels = (const char *const[]){ "result", "mode", NULL },
};
static const struct jr_metric_desc depth = { .name = "test_depth",
                                             .help = "Depth.",
                                             .kind = JR_GAUGE };
static const double bounds[] = { 0.005, 1, 2.5 };
static const struct jr_metric_desc seconds = {
    .name = "test_seconds",
    .help = "Seconds.",
    .kind = JR_HISTOGRAM,
    .labels = (const char *const[]){ "path", NULL },
    .buckets = bounds,
    .n_buckets = 3,
};
static const struct jr_metric_desc plain_seconds = {
    .name = "test_plain_seconds",
    .help = "Seconds.",
    .kind = JR_HISTOGRAM,
    .buckets = bounds,
    .n_buckets = 1,
};

#define DROPPED "jobreeve_metrics_dropped_total"

struct world {
    struct jr_metrics *m;
    struct jr_buf text;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return -1;
    jr_buf_init(&w->text, SIZE_MAX);
    *state = w;
    return jr_metrics_new(&w->m) == JR_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;

    jr_metrics_free(w->m);
    jr_buf_done(&w->text);
    free(w);
    return 0;
}

static const char *render(struct world *w)
{
    jr_buf_reset(&w->text);
    assert_int_equal(jr_metrics_render(w->m, &w->text), JR_OK);
    return w->text.p;
}

static void assert_has(struct world *w, const char *part)
{
    if (strstr(render(w), part) == NULL)
        fail_msg("\"%s\" is missing in\n%s", part, w->text.p);
}

static void assert_value(struct world *w, const char *name, const char *const *values, double want)
{
    double got = jr_metrics_get(w->m, name, values);

    if (got < want || got > want)
        fail_msg("%s is %g, want %g", name, got, want);
}

static void empty_registry(void **state)
{
    struct world *w = *state;

    WANT_STR("empty", render(w),
             "# HELP " DROPPED " Samples that were dropped for want of memory or because they were "
             "malformed.\n"
             "# TYPE " DROPPED " counter\n" DROPPED " 0\n");
}

static void families_and_series_are_sorted(void **state)
{
    struct world *w = *state;
    const char *text;

    jr_metrics_add(w->m, &syncs, L("ok", "b"), 1);
    jr_metrics_add(w->m, &syncs, L("error", "b"), 2);
    jr_metrics_add(w->m, &syncs, L("error", "a"), 0.5);
    jr_metrics_add(w->m, &syncs, L("ok", "b"), 1);
    jr_metrics_set(w->m, &depth, NULL, 7);
    jr_metrics_add(w->m, &depth, NULL, -9);
    text = strstr(render(w), "# HELP test_");
    assert_non_null(text);
    WANT_STR("sorted", text,
             "# HELP test_depth Depth.\n"
             "# TYPE test_depth gauge\n"
             "test_depth -2\n"
             "# HELP test_syncs_total Syncs,\\nby \\\\ \"result\".\n"
             "# TYPE test_syncs_total counter\n"
             "test_syncs_total{result=\"error\",mode=\"a\"} 0.5\n"
             "test_syncs_total{result=\"error\",mode=\"b\"} 2\n"
             "test_syncs_total{result=\"ok\",mode=\"b\"} 2\n");
}

static void histograms(void **state)
{
    struct world *w = *state;
    static const double values[] = { 0.001, 0.005, 0.5, 1, 2, 100 };

    for (size_t i = 0; i < JR_ARRAY_SIZE(values); i++)
        jr_metrics_observe(w->m, &seconds, L("/a"), values[i]);
    jr_metrics_observe(w->m, &plain_seconds, NULL, 0.25);
    assert_has(w, "# TYPE test_seconds histogram\n"
                  "test_seconds_bucket{path=\"/a\",le=\"0.005\"} 2\n"
                  "test_seconds_bucket{path=\"/a\",le=\"1\"} 4\n"
                  "test_seconds_bucket{path=\"/a\",le=\"2.5\"} 5\n"
                  "test_seconds_bucket{path=\"/a\",le=\"+Inf\"} 6\n"
                  "test_seconds_sum{path=\"/a\"} 103.506\n"
                  "test_seconds_count{path=\"/a\"} 6\n");
    assert_has(w, "test_plain_seconds_bucket{le=\"0.005\"} 0\n"
                  "test_plain_seconds_bucket{le=\"+Inf\"} 1\n"
                  "test_plain_seconds_sum 0.25\n"
                  "test_plain_seconds_count 1\n");
    assert_value(w, "test_seconds", L("/a"), 6);
}

static void label_values_are_escaped(void **state)
{
    static const struct {
        const char *name, *value, *want;
    } rows[] = {
        { "quote", "a\"b", "a\\\"b" },
        { "backslash", "a\\b", "a\\\\b" },
        { "newline", "a\nb", "a\\nb" },
        { "empty", "", "" },
        { "braces", "{a=\"b\",}", "{a=\\\"b\\\",}" },
        { "character", "\xc3\xa9", "\xc3\xa9" },
        { "no UTF-8", "\xff", "\xef\xbf\xbd" },
    };
    struct world *w = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char want[128];

        jr_metrics_add(w->m, &syncs, L(rows[i].value, rows[i].name), (double)i + 1);
        assert_value(w, syncs.name, L(rows[i].value, rows[i].name), (double)i + 1);
        (void)snprintf(want, sizeof(want), "test_syncs_total{result=\"%s\",mode=\"%s\"} %zu\n",
                       rows[i].want, rows[i].name, i + 1);
        assert_has(w, want);
    }
}

static void values_of_series_do_not_run_together(void **state)
{
    struct world *w = *state;
    char big[1000];

    jr_metrics_add(w->m, &syncs, L("ab", "c"), 1);
    jr_metrics_add(w->m, &syncs, L("a", "bc"), 2);
    assert_value(w, syncs.name, L("ab", "c"), 1);
    assert_value(w, syncs.name, L("a", "bc"), 2);
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    jr_metrics_add(w->m, &syncs, L(big, "c"), 3);
    jr_metrics_add(w->m, &syncs, L(big, "c"), 3);
    assert_value(w, syncs.name, L(big, "c"), 6);
}

static void numbers(void **state)
{
    static const struct {
        const char *want;
        double v;
    } rows[] = {
        { "0", 0 },
        { "-3", -3 },
        { "1000000", 1e6 },
        { "1772366400", 1772366400 },
        { "123456789012345", 123456789012345 },
        { "1e+15", 1e15 },
        { "1e+300", 1e300 },
        { "0.1", 0.1 },
        { "0.30000000000000004", 0.1 + 0.2 },
        { "1e-09", 1e-9 },
        { "1772366400.123", 1772366400.123 },
        { "+Inf", (double)INFINITY },
        { "-Inf", -(double)INFINITY },
        { "NaN", (double)NAN },
    };
    struct world *w = *state;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char want[64];

        jr_metrics_set(w->m, &depth, NULL, rows[i].v);
        (void)snprintf(want, sizeof(want), "\ntest_depth %s\n", rows[i].want);
        assert_has(w, want);
    }
}

static void declaring(void **state)
{
    struct world *w = *state;

    jr_metrics_declare(w->m, &depth, NULL);
    jr_metrics_declare(w->m, &syncs, L("ok", "a"));
    jr_metrics_declare(w->m, &seconds, NULL);
    assert_has(w, "\ntest_depth 0\n");
    assert_has(w, "\ntest_syncs_total{result=\"ok\",mode=\"a\"} 0\n");
    assert_has(w, "# TYPE test_seconds histogram\n# HELP");
    jr_metrics_add(w->m, &syncs, L("ok", "a"), 4);
    jr_metrics_declare(w->m, &syncs, L("ok", "a"));
    assert_value(w, syncs.name, L("ok", "a"), 4);
    assert_value(w, DROPPED, NULL, 0);
}

/** Labels come and go: what was is not told of any more, and begins anew. */
static void cleared_families(void **state)
{
    struct world *w = *state;

    jr_metrics_clear(w->m, &syncs); /* nothing was set yet */
    jr_metrics_add(w->m, &syncs, L("ok", "a"), 3);
    jr_metrics_add(w->m, &syncs, L("error", "a"), 4);
    jr_metrics_observe(w->m, &seconds, L("/"), 0.5);
    jr_metrics_set(w->m, &depth, NULL, 7);
    jr_metrics_clear(w->m, &syncs);
    assert_value(w, syncs.name, L("ok", "a"), 0);
    assert_value(w, syncs.name, L("error", "a"), 0);
    assert_value(w, depth.name, NULL, 7);
    assert_value(w, seconds.name, L("/"), 1);
    assert_null(strstr(render(w), "test_syncs_total{"));
    jr_metrics_clear(w->m, &syncs);
    jr_metrics_add(w->m, &syncs, L("ok", "a"), 2);
    assert_has(w, "test_syncs_total{result=\"ok\",mode=\"a\"} 2\n");
    assert_null(strstr(w->text.p, "result=\"error\""));
    jr_metrics_clear(w->m, &seconds);
    jr_metrics_clear(w->m, &depth);
    assert_null(strstr(render(w), "test_seconds_"));
    assert_value(w, depth.name, NULL, 0);
    jr_metrics_observe(w->m, &seconds, L("/"), 0.5);
    assert_value(w, seconds.name, L("/"), 1);
    jr_metrics_clear(NULL, &syncs);
    assert_value(w, DROPPED, NULL, 0);
}

static void malformed_samples_are_dropped(void **state)
{
    static const struct jr_metric_desc impostor = { .name = "test_depth",
                                                    .help = "x",
                                                    .kind = JR_COUNTER };
    static const struct jr_metric_desc twin = { .name = "test_depth",
                                                .help = "x",
                                                .kind = JR_GAUGE };
    struct world *w = *state;

    jr_metrics_set(w->m, &depth, NULL, 5);
    jr_metrics_add(w->m, &impostor, NULL, 1);
    jr_metrics_add(w->m, &syncs, L("ok", "a"), -1);
    jr_metrics_add(w->m, &syncs, L("ok", "a"), (double)NAN);
    jr_metrics_add(w->m, &syncs, L("ok"), 1);
    jr_metrics_add(w->m, &syncs, NULL, 1);
    jr_metrics_observe(w->m, &depth, NULL, 1);
    jr_metrics_observe(w->m, &seconds, L("/"), (double)NAN);
    jr_metrics_add(w->m, &seconds, L("/"), 1);
    jr_metrics_set(w->m, &seconds, L("/"), 1);
    assert_value(w, DROPPED, NULL, 9);
    assert_has(w, DROPPED " 9\n");
    assert_value(w, "test_depth", NULL, 5);
    assert_value(w, syncs.name, L("ok", "a"), 0);
    jr_metrics_add(w->m, &twin, NULL, 2); /* the same family from another table */
    assert_value(w, "test_depth", NULL, 7);
}

static void unknown_names_read_zero(void **state)
{
    struct world *w = *state;

    assert_value(w, "test_nothing", NULL, 0);
    jr_metrics_add(w->m, &syncs, L("ok", "a"), 1);
    assert_value(w, syncs.name, L("ok", "b"), 0);
    assert_value(w, syncs.name, NULL, 0);
    assert_null(strstr(render(w), "mode=\"b\""));
}

static void null_registry(void **state)
{
    JR_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, 100);
    jr_metrics_declare(NULL, &depth, NULL);
    jr_metrics_add(NULL, &depth, NULL, 1);
    jr_metrics_set(NULL, &depth, NULL, 1);
    jr_metrics_observe(NULL, &seconds, L("/"), 1);
    jr_metrics_process(NULL);
    assert_true(jr_metrics_get(NULL, "test_depth", NULL) <= 0);
    assert_int_equal(jr_metrics_render(NULL, &b), JR_OK);
    assert_int_equal(b.n, 0);
    jr_metrics_free(NULL);
}

static void process(void **state)
{
    static const char *const names[] = {
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_start_time_seconds",
        "process_virtual_memory_bytes",
        "process_virtual_memory_max_bytes",
        "process_max_fds",
    };
    struct world *w = *state;
    double start;

    assert_null(strstr(render(w), "process_"));
    jr_metrics_process(w->m);
    (void)render(w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (!(jr_metrics_get(w->m, names[i], NULL) > 0))
            fail_msg("%s is not positive", names[i]);
    }
    assert_has(w, "\njobreeve_build_info{version=\"" JR_VERSION "\",revision=\"");
    start = jr_metrics_get(w->m, "process_start_time_seconds", NULL);
    assert_true(start > 1577836800);
    (void)render(w);
    assert_value(w, "process_start_time_seconds", NULL, start);
}

static void render_without_room(void **state)
{
    struct world *w = *state;
    JR_BUF b = { 0 };

    jr_buf_init(&b, 20);
    assert_int_equal(jr_metrics_render(w->m, &b), JR_LIMIT);
}

static void no_memory(void **state)
{
    struct jr_metrics *m = NULL;

    (void)state;
    for (long nth = 1;; nth++) {
        enum jr_status st;

        jr_failalloc_arm(nth);
        st = jr_metrics_new(&m);
        jr_failalloc_disarm();
        assert_int_equal(st, jr_failalloc_hit() ? JR_NOMEM : JR_OK);
        if (!jr_failalloc_hit())
            break;
        assert_null(m);
    }
    jr_metrics_free(m);
}

/* With an allocation failing somewhere, each sample is either there or counted as dropped. */
static void no_memory_drops_samples(void **state)
{
    (void)state;
    for (long nth = 1; nth < 2000; nth++) {
        struct jr_metrics *m = NULL;
        double sum = 0;
        char value[16];

        assert_int_equal(jr_metrics_new(&m), JR_OK);
        jr_failalloc_arm(nth);
        for (int i = 0; i < 200; i++) { /* enough for the tables to grow */
            (void)snprintf(value, sizeof(value), "%d", i);
            jr_metrics_add(m, &syncs, L(value, "a"), 1);
        }
        jr_metrics_observe(m, &seconds, L("/"), 1);
        jr_failalloc_disarm();
        for (int i = 0; i < 200; i++) {
            (void)snprintf(value, sizeof(value), "%d", i);
            sum += jr_metrics_get(m, syncs.name, L(value, "a"));
        }
        sum += jr_metrics_get(m, seconds.name, L("/"));
        WANT_INT("samples", sum + jr_metrics_get(m, DROPPED, NULL), 201);
        WANT_INT("dropped", jr_metrics_get(m, DROPPED, NULL), jr_failalloc_hit() ? 1 : 0);
        jr_metrics_free(m);
        if (!jr_failalloc_hit())
            return;
    }
    fail_msg("allocations without end");
}

#define THREADS 4
#define ROUNDS 2000 /* even */

static void *use_much(void *arg)
{
    struct jr_metrics *m = arg;

    for (int i = 0; i < ROUNDS; i++) {
        jr_metrics_add(m, &syncs, L(i % 2 == 0 ? "ok" : "error", "a"), 1);
        jr_metrics_observe(m, &seconds, L("/"), 0.5);
        jr_metrics_add(m, &depth, NULL, i % 2 == 0 ? 1 : -1);
        if (i % 500 == 0) {
            JR_BUF b = { 0 };

            jr_buf_init(&b, SIZE_MAX);
            if (jr_metrics_render(m, &b) != JR_OK)
                return arg;
        }
    }
    return NULL;
}

static void threads(void **state)
{
    struct world *w = *state;
    pthread_t t[THREADS];

    jr_metrics_process(w->m);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, use_much, w->m), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = w;

        assert_int_equal(pthread_join(t[i], &failed), 0);
        assert_null(failed);
    }
    assert_value(w, syncs.name, L("ok", "a"), THREADS * ROUNDS / 2.0);
    assert_value(w, syncs.name, L("error", "a"), THREADS * ROUNDS / 2.0);
    assert_value(w, seconds.name, L("/"), THREADS * ROUNDS);
    assert_value(w, depth.name, NULL, 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(empty_registry),
        T(families_and_series_are_sorted),
        T(histograms),
        T(label_values_are_escaped),
        T(values_of_series_do_not_run_together),
        T(numbers),
        T(declaring),
        T(cleared_families),
        T(malformed_samples_are_dropped),
        T(unknown_names_read_zero),
        T(null_registry),
        T(process),
        T(render_without_room),
        T(no_memory),
        T(no_memory_drops_samples),
        T(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
