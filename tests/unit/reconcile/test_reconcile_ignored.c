/* SPDX-License-Identifier: Apache-2.0 */
/* Which rule ignores failures, by analysis, beside what the controller makes of all failures that
 * there are with a few exit codes and conditions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/job/ignored_failures.h"
#include "controller/reconcile/internal.h"

#define POLICIES 5000
#define RULES_MAX 5
#define TEXT_MAX 16384

/* 9 stands for all codes that no rule names; -1: the container has not ended. */
static const int codes[] = { -1, 0, 1, 2, 3, 9 };
static const char *const conditions[] = {
    "",
    "{\"type\":\"A\",\"status\":\"True\"}",
    "{\"type\":\"A\",\"status\":\"False\"}",
    "{\"type\":\"DisruptionTarget\",\"status\":\"True\"}",
};
#define DISRUPTED (JR_ARRAY_SIZE(conditions) - 1)

/* ---- all failures ---- */

#define CODES (sizeof(codes) / sizeof(codes[0]))
#define PODS (CODES * CODES * (sizeof(conditions) / sizeof(conditions[0])))

static void add_container(struct jr_buf *b, const char *name, int code)
{
    (void)jr_buf_addf(b, "{\"name\":\"%s\",\"state\":{", name);
    if (code >= 0)
        (void)jr_buf_addf(b, "\"terminated\":{\"exitCode\":%d}", code);
    (void)jr_buf_adds(b, "}}");
}

static struct jr_pod *pod_of(int c, int side, const char *condition)
{
    struct jr_pod *pod = NULL;
    struct jr_error err;
    JR_BUF b = { 0 };

    jr_buf_init(&b, TEXT_MAX);
    (void)jr_buf_adds(
        &b, "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"u\"},\"status\":"
            "{\"phase\":\"Failed\",\"containerStatuses\":[");
    add_container(&b, "c", c);
    (void)jr_buf_addc(&b, ',');
    add_container(&b, "side", side);
    (void)jr_buf_addf(&b, "],\"conditions\":[%s]}}", condition);
    if (jr_pod_decode(jr_buf_str(&b), &pod, &err) != JR_OK)
        fail_msg("%s: %s", err.msg, b.p);
    return pod;
}

static void make_pods(struct jr_pod *pods[PODS])
{
    size_t n = 0;

    for (size_t i = 0; i < CODES; i++)
        for (size_t k = 0; k < CODES; k++)
            for (size_t m = 0; m < JR_ARRAY_SIZE(conditions); m++)
                pods[n++] = pod_of(codes[i], codes[k], conditions[m]);
}

/* ---- random policies ---- */

static void add_rule(struct jr_rand *r, struct jr_buf *b)
{
    static const char *const actions[] = { "Ignore", "Ignore", "Count", "FailJob" };
    static const char *const names[] = { "", "\"containerName\":\"c\",",
                                         "\"containerName\":\"side\"," };
    bool first = true;

    (void)jr_buf_addf(b, "{\"action\":\"%s\",", actions[jr_rand_below(r, 4)]);
    if (jr_rand_below(r, 100) < 30) {
        (void)jr_buf_addf(b, "\"onPodConditions\":[%s]}", conditions[1 + jr_rand_below(r, 3)]);
        return;
    }
    (void)jr_buf_addf(b, "\"onExitCodes\":{%s\"operator\":\"%s\",\"values\":[",
                      names[jr_rand_below(r, 3)], jr_rand_below(r, 2) == 0 ? "In" : "NotIn");
    for (int code = 1; code <= 3; code++) {
        if (jr_rand_below(r, 2) == 0)
            continue;
        (void)jr_buf_addf(b, "%s%d", first ? "" : ",", code);
        first = false;
    }
    (void)jr_buf_adds(b, "]}}");
}

static struct jr_job *job_of(struct jr_rand *r)
{
    const int n = 1 + (int)jr_rand_below(r, RULES_MAX);
    struct jr_job *job = NULL;
    struct jr_error err;
    JR_BUF b = { 0 };

    jr_buf_init(&b, TEXT_MAX);
    (void)jr_buf_adds(&b, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                          "\"containers\":[{\"name\":\"c\"},{\"name\":\"side\"}]}},"
                          "\"podFailurePolicy\":{\"rules\":[");
    for (int i = 0; i < n; i++) {
        if (i > 0)
            (void)jr_buf_addc(&b, ',');
        add_rule(r, &b);
    }
    (void)jr_buf_adds(&b, "]}}}");
    if (jr_job_decode(jr_buf_str(&b), &job, &err) != JR_OK)
        fail_msg("%s: %s", err.msg, b.p);
    return job;
}

/* ---- both ---- */

/** aside: Pods that were disrupted aside. */
static ptrdiff_t by_controller(const struct jr_job *job, struct jr_pod *const pods[PODS],
                               bool aside)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    ptrdiff_t first = -1;

    for (size_t i = 0; i < PODS; i++) {
        const struct jr_failure_match m = jr_failure_policy_match(&options, job, pods[i]);

        if (aside && i % JR_ARRAY_SIZE(conditions) == DISRUPTED)
            continue;
        if (m.action == JR_FAILURE_IGNORE && (first < 0 || (ptrdiff_t)m.rule < first))
            first = (ptrdiff_t)m.rule;
    }
    return first;
}

static void test_ignored(void **state)
{
    struct jr_pod *pods[PODS];
    struct jr_rand_seeded seed;
    struct jr_rand r = jr_rand_of_seed(&seed, 1);
    unsigned ignoring = 0, hidden = 0, disruptions = 0;

    (void)state;
    make_pods(pods);
    for (unsigned i = 0; i < POLICIES; i++) {
        struct jr_job *job = job_of(&r);
        ptrdiff_t want = by_controller(job, pods, false), have;
        ptrdiff_t want_aside = by_controller(job, pods, true), have_aside;
        bool any = false;
        JR_ARENA a = { 0 };

        jr_arena_init(&a, 0);
        assert_int_equal(jr_job_ignoring_rule(&job->spec, false, &a, &have), JR_OK);
        assert_int_equal(jr_job_ignoring_rule(&job->spec, true, &a, &have_aside), JR_OK);
        if (have != want || have_aside != want_aside)
            fail_msg("rules %td, %td by analysis, %td, %td by the controller: %.*s", have,
                     have_aside, want, want_aside, JR_P(job->raw));
        disruptions += have >= 0 && have_aside < 0;
        for (size_t k = 0; k < job->spec.pod_failure_policy.rules.n; k++)
            any = any || jr_str_is(job->spec.pod_failure_policy.rules.v[k].action, "Ignore");
        ignoring += have >= 0;
        hidden += any && have < 0;
        jr_job_unref(job);
    }
    for (size_t i = 0; i < PODS; i++)
        jr_pod_unref(pods[i]);
    print_message("%u policies: %u ignore failures, %u would but for rules before\n", POLICIES,
                  ignoring, hidden);
    assert_true(ignoring > POLICIES / 4 && hidden > POLICIES / 100);
    assert_true(disruptions > POLICIES / 100);
}

/** Of more than validation allows any rule counts: nothing is looked at for long. */
static void test_too_many(void **state)
{
    struct jr_job *job = NULL;
    struct jr_error err;
    ptrdiff_t rule;
    JR_ARENA a = { 0 };
    JR_BUF b = { 0 };

    (void)state;
    jr_arena_init(&a, 0);
    jr_buf_init(&b, TEXT_MAX);
    (void)jr_buf_adds(&b, "{\"spec\":{\"podFailurePolicy\":{\"rules\":[");
    for (int i = 0; i < 21; i++)
        (void)jr_buf_addf(&b,
                          "%s{\"action\":\"%s\",\"onExitCodes\":{\"operator\":\"In\","
                          "\"values\":[1]}}",
                          i > 0 ? "," : "", i == 7 ? "Ignore" : "Count");
    (void)jr_buf_adds(&b, "]}}}");
    assert_int_equal(jr_job_decode(jr_buf_str(&b), &job, &err), JR_OK);
    assert_int_equal(jr_job_ignoring_rule(&job->spec, false, &a, &rule), JR_OK);
    assert_int_equal(rule, 7);
    jr_job_unref(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ignored),
                                        cmocka_unit_test(test_too_many) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
