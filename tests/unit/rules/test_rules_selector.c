/* SPDX-License-Identifier: Apache-2.0 */
/* A selector that was prepared says of every Pod what the same selector says without that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/api/job.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/rules/selector.h"

#define KEYS 5
#define VALUES 4

static struct jr_rand rnd;
static struct jr_rand_seeded seeded;

static unsigned below(unsigned n)
{
    return (unsigned)jr_rand_below(&rnd, n);
}

static void add_labels(struct jr_buf *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        (void)jr_buf_addf(b, "%s\"k%u\":\"v%u\"", i == 0 ? "" : ",", (i * 2 + 1) % KEYS,
                          below(VALUES));
}

static void add_requirement(struct jr_buf *b, const char *op, bool values)
{
    (void)jr_buf_addf(b, "{\"key\":\"k%u\",\"operator\":\"%s\"", below(KEYS), op);
    for (unsigned i = 0, n = 1 + below(40); values && i < n; i++)
        (void)jr_buf_addf(b, "%s\"v%u\"", i == 0 ? ",\"values\":[" : ",",
                          below(3) == 0 ? below(VALUES) : VALUES + below(60));
    (void)jr_buf_adds(b, values ? "]}" : "}");
}

/** A Job with a selector out of few keys, so that requirements meet. */
static struct jr_job *any_job(void)
{
    static const char *const ops[] = { "In", "NotIn", "NotIn", "NotIn", "Exists", "DoesNotExist" };
    struct jr_job *job = NULL;
    JR_BUF b = { 0 };

    jr_buf_init(&b, (size_t)1 << 20);
    (void)jr_buf_adds(&b,
                      "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":{\"matchLabels\":{");
    add_labels(&b, below(2));
    (void)jr_buf_adds(&b, "},\"matchExpressions\":[");
    for (unsigned i = 0, n = below(6); i < n; i++) {
        const unsigned op = below(JR_ARRAY_SIZE(ops));

        (void)jr_buf_adds(&b, i == 0 ? "" : ",");
        add_requirement(&b, ops[op], op < 4);
    }
    (void)jr_buf_adds(&b, "]}}}");
    assert_int_equal(jr_job_decode(jr_buf_str(&b), &job, NULL), JR_OK);
    return job;
}

static struct jr_pod *any_pod(void)
{
    struct jr_pod *pod = NULL;
    JR_BUF b = { 0 };

    jr_buf_init(&b, (size_t)1 << 20);
    (void)jr_buf_adds(&b, "{\"metadata\":{\"name\":\"a\",\"labels\":{");
    add_labels(&b, below(KEYS));
    (void)jr_buf_adds(&b, "}}}");
    assert_int_equal(jr_pod_decode(jr_buf_str(&b), &pod, NULL), JR_OK);
    return pod;
}

static void same_answers(void **state)
{
    unsigned yes = 0, no = 0, planned = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        struct jr_job *job = any_job();
        struct jr_pod *pod = any_pod();
        struct jr_selector *s = &job->spec.selector;
        const bool valid = jr_selector_valid(s), want = jr_selector_matches_pod(s, pod);

        assert_int_equal(jr_selector_prepare(s, &job->arena), JR_OK);
        assert_int_equal(jr_selector_valid(s), valid);
        assert_int_equal(jr_selector_matches_pod(s, pod), want);
        planned += s->plan != NULL;
        yes += s->plan != NULL && want;
        no += s->plan != NULL && !want;
        jr_pod_unref(pod);
        jr_job_unref(job);
    }
    assert_in_range(planned, 5000, 20000);
    assert_in_range(yes, 500, 20000);
    assert_in_range(no, 500, 20000);
}

/** Nobody's requirements are looked through for each Pod: of 120,000 values, and of 30,000
 * requirements, a Pod of one label asks about as many as it takes to halve them. */
static void large(void **state)
{
    const struct jr_selector_plan *none = NULL;
    struct jr_job *job = NULL;
    JR_BUF b = { 0 };
    struct jr_pod *pod = any_pod();

    (void)state;
    jr_buf_init(&b, (size_t)8 << 20);
    (void)jr_buf_adds(&b, "{\"spec\":{\"selector\":{\"matchExpressions\":[{\"key\":\"none\","
                          "\"operator\":\"NotIn\",\"values\":[\"0\"");
    for (unsigned i = 1; i < 120000; i++)
        (void)jr_buf_addf(&b, ",\"%u\"", i);
    (void)jr_buf_adds(&b, "]}");
    for (unsigned i = 0; i < 30000; i++)
        (void)jr_buf_addf(&b, ",{\"key\":\"n%u\",\"operator\":\"DoesNotExist\"}", i);
    (void)jr_buf_adds(&b, "]}}}");
    assert_int_equal(jr_job_decode(jr_buf_str(&b), &job, NULL), JR_OK);
    assert_int_equal(jr_selector_prepare(&job->spec.selector, &job->arena), JR_OK);
    assert_ptr_not_equal(job->spec.selector.plan, none);
    /* By its requirements one by one this would be 15 thousand million comparisons. */
    for (unsigned i = 0; i < 500000; i++)
        assert_true(jr_selector_matches_pod(&job->spec.selector, pod));
    jr_job_unref(job);
    jr_pod_unref(pod);
}

static void excluding(void **state)
{
    static const char *const rows[] = {
        "{\"key\":\"k1\",\"operator\":\"Exists\"},{\"key\":\"k1\",\"operator\":\"DoesNotExist\"}",
        "{\"key\":\"k1\",\"operator\":\"Like\"}",
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_job *job = NULL;
        JR_BUF b = { 0 };

        jr_buf_init(&b, (size_t)1 << 20);
        (void)jr_buf_addf(&b, "{\"spec\":{\"selector\":{\"matchExpressions\":[%s", rows[i]);
        for (unsigned k = 0; k < 20; k++)
            (void)jr_buf_addf(&b, ",{\"key\":\"n%u\",\"operator\":\"DoesNotExist\"}", k);
        (void)jr_buf_adds(&b, "]}}}");
        assert_int_equal(jr_job_decode(jr_buf_str(&b), &job, NULL), JR_OK);
        assert_int_equal(jr_selector_prepare(&job->spec.selector, &job->arena), JR_OK);
        for (unsigned k = 0; k < 100; k++) {
            struct jr_pod *pod = any_pod();

            assert_false(jr_selector_matches_pod(&job->spec.selector, pod));
            jr_pod_unref(pod);
        }
        jr_job_unref(job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_answers), cmocka_unit_test(large),
                                        cmocka_unit_test(excluding) };

    rnd = jr_rand_of_seed(&seeded, 7);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
