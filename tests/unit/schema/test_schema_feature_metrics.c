/* SPDX-License-Identifier: Apache-2.0 */
/* Which gates are on, read out of what GET /metrics answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "common/schema/feature_metrics.h"

#define INFO "kubernetes_build_info{build_date=\"2026\",git_version=\"v1.36.2\",minor=\"36\"} 1\n"
#define ON(gate) "kubernetes_feature_enabled{name=\"" gate "\",stage=\"BETA\"} 1\n"
#define OFF(gate) "kubernetes_feature_enabled{name=\"" gate "\",stage=\"\"} 0\n"

/** In pieces of that size. */
static struct jr_feature_metrics read_in(const char *text, size_t size)
{
    struct jr_feature_metrics m = { .n = 0 };
    struct jr_str rest = jr_str(text);

    while (rest.n > 0) {
        jr_feature_metrics_feed(&m, jr_str_head(rest, size));
        rest = jr_str_from(rest, size);
    }
    return m;
}

static void test_read(void **state)
{
    static const char text[] =
        "# HELP kubernetes_feature_enabled [BETA] This metric records the data\n"
        "# TYPE kubernetes_feature_enabled gauge\n" ON("JobManagedBy") OFF("ImageVolume")
            ON("OfNoConcern") "apiserver_request_total{code=\"200\"} 7\n" INFO;

    (void)state;
    for (size_t size = 1; size < sizeof(text); size++) {
        const struct jr_feature_metrics m = read_in(text, size);

        assert_int_equal(m.n, 3);
        assert_int_equal(m.version.minor, 36);
        assert_int_equal(m.version.patch, 2);
        for (size_t i = 0; i < JR_GATE_COUNT; i++)
            assert_int_equal(m.gates.states[i], i == JR_GATE_JobManagedBy  ? JR_GATE_SEEN_ON
                                                : i == JR_GATE_ImageVolume ? JR_GATE_SEEN_OFF
                                                                           : JR_GATE_UNSEEN);
    }
}

/* Each of these says nothing. */
static void test_passed_over(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\",stage=\"\"} 1", /* cut off */
        "kubernetes_feature_enabled{name=\"JobManagedBy\"} 2\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\"} NaN\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\"}\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\"\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\\\"} 1\n",
        "kubernetes_feature_enabled{name=JobManagedBy} 1\n",
        "kubernetes_feature_enabled{stage=\"JobManagedBy\"} 1\n",
        "kubernetes_feature_enabled{} 1\n",
        "kubernetes_feature_enabled{=\"JobManagedBy\"} 1\n",
        "kubernetes_feature_enabled 1\n",
        "kubernetes_feature_enabled_total{name=\"JobManagedBy\"} 1\n",
        " kubernetes_feature_enabled{name=\"JobManagedBy\"} 1\n",
        "kubernetes_build_info{git_version=\"devel\"} 1\n",
        "kubernetes_build_info{git_version=\"v1\"} 1\n",
        "kubernetes_build_info{git_commit=\"v1.36.2\"} 1\n",
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        const struct jr_feature_metrics m = read_in(texts[i], SIZE_MAX);

        assert_int_equal(m.n, 0);
        assert_int_equal(m.version.minor, 0);
    }
}

static void test_odd_but_right(void **state)
{
    static const char *const texts[] = {
        "kubernetes_feature_enabled{stage=\"a\\\"b,}\",name=\"JobManagedBy\"} 1\n",
        "kubernetes_feature_enabled{name=\"JobManagedBy\",stage=\"\",}   1  \n",
        "x{y=\"}\n" ON("JobManagedBy"),
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        const struct jr_feature_metrics m = read_in(texts[i], 5);

        assert_int_equal(m.n, 1);
        assert_int_equal(m.gates.states[JR_GATE_JobManagedBy], JR_GATE_SEEN_ON);
    }
}

static void test_long_lines(void **state)
{
    static char text[3 * JR_FEATURE_METRICS_LINE_MAX];

    (void)state;
    for (size_t fill = JR_FEATURE_METRICS_LINE_MAX - 100; fill < JR_FEATURE_METRICS_LINE_MAX + 3;
         fill++) {
        struct jr_feature_metrics m;
        const int head = snprintf(text, sizeof(text), "kubernetes_feature_enabled{x=\"");

        memset(text + head, 'y', fill);
        (void)snprintf(text + head + fill, sizeof(text) - (size_t)head - fill,
                       "\",name=\"JobManagedBy\"} 0\n%s", ON("ImageVolume"));
        m = read_in(text, 1);
        assert_int_equal(m.gates.states[JR_GATE_ImageVolume], JR_GATE_SEEN_ON);
        assert_int_equal(m.gates.states[JR_GATE_JobManagedBy],
                         (size_t)head + fill + strlen("\",name=\"JobManagedBy\"} 0") >
                                 JR_FEATURE_METRICS_LINE_MAX
                             ? JR_GATE_UNSEEN
                             : JR_GATE_SEEN_OFF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_odd_but_right),
        cmocka_unit_test(test_long_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
