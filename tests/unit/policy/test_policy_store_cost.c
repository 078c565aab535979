/* SPDX-License-Identifier: Apache-2.0 */
/* findings_cost: what findings take never comes to more, however many rules aren't met. */
#include "tests/support/object.h"
#include "tests/unit/policy/policy_test.h"

#define POLICIES_MAX 64

/** A Job that has the most of all that policies limit. */
#define JOB                                                                                        \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\",\"namespace\":"    \
    "\"ns\",\"annotations\":{\"long\":\"%04000d\"}},\"spec\":{\"parallelism\":2147483647,"         \
    "\"completions\":2147483647,"                                                                  \
    "\"activeDeadlineSeconds\":9223372036854775807,\"backoffLimitPerIndex\":2147483647,"           \
    "\"backoffLimit\":2147483647,\"maxFailedIndexes\":2147483647,\"ttlSecondsAfterFinished\":"     \
    "2147483647,\"completionMode\":\"Indexed\",\"podReplacementPolicy\":\"Failed\",\"managedBy\":" \
    "\"a.example/" LONG "\",\"manualSelector\":true,\"template\":{\"spec\":{"                      \
    "\"activeDeadlineSeconds\":9223372036854775807,\"terminationGracePeriodSeconds\":"             \
    "9223372036854775807,\"priorityClassName\":\"" LONG LONG "\",\"restartPolicy\":\"Never\","     \
    "\"containers\":[" CONTAINER("a") "," CONTAINER("b") "," CONTAINER("c") "]}}}}"
#define CONTAINER(name)                                                                     \
    "{\"name\":\"" name "\",\"image\":\"x\",\"resources\":{\"requests\":{\"cpu\":\"9000\"," \
    "\"memory\":\"123456789123\",\"" RESOURCE                                               \
    "\":\"4611686018427387904\"},\"limits\":{\"" RESOURCE "\":\"4611686018427387904\"}}}"
#define LONG "l23456789.l23456789.l23456789.l23456789.l23456789.l2345"
#define RESOURCE                    \
    LONG "." LONG "." LONG "." LONG \
         "/r23456789-r23456789-r23456789-r23456789-r23456789-r23456789xyz"

#define RANGES                                                                            \
    "\"parallelism\":{\"max\":1},\"completions\":{\"max\":1},\"activeDeadlineSeconds\":{" \
    "\"max\":1},\"backoffLimit\":{\"max\":1},\"backoffLimitPerIndex\":{\"max\":1},"       \
    "\"maxFailedIndexes\":{\"max\":1},\"ttlSecondsAfterFinished\":{\"max\":1},"           \
    "\"manualSelector\":\"Forbidden\",\"completionMode\":{\"values\":[\"NonIndexed\"]},"  \
    "\"podReplacementPolicy\":{\"values\":[\"TerminatingOrFailed\"]}"
#define TEMPLATE(values)                                                                       \
    ",\"template\":{\"activeDeadlineSeconds\":{\"max\":1},"                                    \
    "\"terminationGracePeriodSeconds\":{\"max\":1},\"priorityClassName\":{\"values\":[" values \
    "]}}"
#define BUDGET                                                                                 \
    "\"budget\":{\"podsAtOnce\":1,\"podsEver\":1,\"runtime\":\"1s\",\"requestsAtOnce\":{"      \
    "\"cpu\":\"1\",\"memory\":\"1\",\"" RESOURCE "\":\"1\"},\"resourceHours\":{\"cpu\":\"1\"," \
    "\"memory\":\"1\",\"" RESOURCE "\":\"1\"}}"

struct row {
    const char *name;
    const char *spec;
    size_t findings; /* of each policy, at least */
};
static const struct row rows[] = {
    { "limits", "{\"limits\":{" RANGES TEMPLATE("\"a\"") "}}", 13 },
    { "one limit", "{\"limits\":{\"parallelism\":{\"max\":1}}}", 1 },
    { "a budget", "{" BUDGET "}", 9 },
    { "both", "{\"limits\":{" RANGES TEMPLATE("\"a\",\"b\"") "}," BUDGET "}", 22 },
    { "long values",
      "{\"limits\":{\"template\":{\"priorityClassName\":{\"values\":[\"" LONG "\",\"" LONG LONG
      ".a\",\"" LONG LONG LONG "\",\"" LONG LONG LONG LONG "\"]}}}}",
      1 },
    { "labels, and a message",
      "{\"message\":\"" LONG LONG LONG LONG "\",\"limits\":{\"labels\":{\"" LONG
      "\":{\"required\":true},"
      "\"a\":{\"values\":[\"" LONG LONG LONG "\",\"x*\"]}}}}",
      1 },
    { "a long annotation", "{\"limits\":{\"annotations\":{\"long\":{\"values\":[\"x\"]}}}}", 1 },
    { "fields of three containers",
      "{\"limits\":{\"fields\":{\"template.spec.containers[*].image\":{\"values\":[\"" LONG LONG
      "\"]},\"template.spec.containers[*].stdin\":{\"required\":true}},"
      "\"template\":{\"images\":{\"excluded\":[\"*/x:*\"]}}},\"podSecurity\":{\"level\":"
      "\"restricted\"}}",
      10 },
    { "unusable", "{\"limits\":{\"parallelism\":{\"max\":-5}}}", 1 },
    { "unusable, with a long reason",
      "{\"match\":{\"namespaces\":[\"" LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG
      "\"]},\"limits\":{\"parallelism\":{\"max\":1}}}",
      1 },
};

/** n policies of the spec, whose names are short, or as long as names may be. */
static struct jr_policy_store *store_of(const char *spec, size_t n, bool long_names)
{
    struct jr_policy_store *s = jr_policy_store_new();
    char name[254];

    for (size_t i = 0; i < n; i++) {
        (void)snprintf(name, sizeof(name), "p%zu%s", i, long_names ? LONG LONG LONG LONG : "");
        jr_policy_store_put(s, JR_POLICY_OF_API, policy_of(name, 1, spec));
    }
    jr_policy_store_publish(s);
    return s;
}

/** What a webhook says of each is there twice more: as a cause, and in the message. */
static enum jr_status texts(const struct jr_policy_findings *f)
{
    enum jr_status st = JR_OK;
    struct jr_str text;

    for (size_t i = 0; i < 2 * f->n && st == JR_OK; i++)
        st = jr_policy_finding_text(&f->v[i / 2], f->arena, &text);
    return st;
}

static size_t told_at_least(size_t policies, size_t findings)
{
    const size_t n = policies * findings;

    return n < JR_POLICY_FINDINGS_MAX ? n : JR_POLICY_FINDINGS_MAX;
}

/** Whether each of n policies has a finding, also where there are more than are told. */
static bool tells_of_each(const struct jr_policy_findings *f, size_t n)
{
    size_t policies = f->n > 0 ? 1 : 0;

    for (size_t i = 1; i < f->n; i++)
        policies += f->v[i].policy != f->v[i - 1].policy;
    return policies == n;
}

static void check_names(const struct row *row, const struct jr_object *job, size_t n,
                        bool long_names)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    struct jr_policy_store *s = store_of(row->spec, n, long_names);
    SNAPSHOT *now = jr_policy_store_get(s);
    const struct jr_policy_context context = { .set = &now->set,
                                               .namespace = JR_S("ns"),
                                               .namespace_known = true,
                                               .now = jr_time_s(1772366400),
                                               .controller = JR_S("jobreeve.dev/controller") };
    const struct jr_policy_request r = {
        .context = &context,
        .job = { job->root, &job->job->spec, &job->job->meta.labels, NULL },
        .spec = &spec,
    };
    struct jr_policy_findings f = { 0 };
    JR_ARENA arena = { 0 };
    enum jr_status st;

    jr_arena_init(&arena, now->findings_cost);
    st = jr_policy_evaluate(&r, &arena, &f);
    if (st == JR_OK)
        st = texts(&f);
    if (st != JR_OK)
        fail_msg("%s, %zu: %s of %zu bytes", row->name, n, jr_status_text(st), now->findings_cost);
    if (f.n_matches != n || f.n < told_at_least(n, row->findings) || !tells_of_each(&f, n))
        fail_msg("%s, %zu: %zu match, %zu findings: %.*s", row->name, n, f.n_matches, f.n,
                 JR_P(f.n > 0 ? f.v[0].message : JR_S("")));
    jr_policy_store_free(s);
}

static void check(const struct row *row, const struct jr_object *job, size_t n)
{
    check_names(row, job, n, false);
    check_names(row, job, n, true);
}

static void test_findings_fit(void **state)
{
    const size_t counts[] = { 1, 2, 7, POLICIES_MAX };
    const struct jr_profile profile = jr_profile_default();
    struct jr_error err = { 0 };
    OBJECT job = { 0 };
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, SIZE_MAX);
    assert_int_equal(jr_buf_addf(&text, JOB, 0), JR_OK);
    if (open_job_text(jr_buf_str(&text), &profile, &job, &err) != JR_OK)
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(counts); k++)
            check(&rows[i], &job, counts[k]);
    }
}

#define VALUES "\"limits\":{\"template\":{\"priorityClassName\":{\"values\":["
#define UNTIL "\"namespaces\":[\"ns\"],\"until\":\"2199-01-01T00:00:00Z\",\"reason\":\"r\""

/** Values of characters that messages write in more than one. */
static void add_values(struct jr_buf *spec)
{
    for (int i = 0; i < 48; i++) {
        (void)jr_buf_adds(spec, i > 0 ? ",\"" : "\"");
        for (int k = 0; k < 40; k++)
            (void)jr_buf_adds(spec, "\\u0001\\\"\\\\\\u007f\\n");
        (void)jr_buf_addf(spec, "%d\"", i);
    }
}

static void test_values_that_are_written_longer(void **state)
{
    static const char *const specs[][2] = {
        { "{" VALUES, "]}}}}" },
        { "{" VALUES "\"a\"]}}},\"exceptions\":[{" UNTIL "," VALUES, "]}}}}]}" },
    };
    const struct jr_profile profile = jr_profile_default();
    struct jr_error err = { 0 };
    OBJECT job = { 0 };
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, SIZE_MAX);
    assert_int_equal(jr_buf_addf(&text, JOB, 0), JR_OK);
    assert_int_equal(open_job_text(jr_buf_str(&text), &profile, &job, &err), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(specs); i++) {
        JR_BUF spec = { 0 };

        jr_buf_init(&spec, SIZE_MAX);
        (void)jr_buf_adds(&spec, specs[i][0]);
        add_values(&spec);
        assert_int_equal(jr_buf_adds(&spec, specs[i][1]), JR_OK);
        check(&(struct row){ "values", spec.p, 1 }, &job, 1);
        check(&(struct row){ "values", spec.p, 1 }, &job, 4);
        check(&(struct row){ "values", spec.p, 1 }, &job, POLICIES_MAX);
    }
}

/** Policies with all that they may have leave room for requests. */
static void test_most_that_is_told(void **state)
{
    struct jr_policy_store *s;
    JR_BUF spec = { 0 };

    (void)state;
    jr_buf_init(&spec, SIZE_MAX);
    (void)jr_buf_adds(&spec, "{\"limits\":{\"fields\":{");
    for (int i = 0; i < 64; i++) {
        (void)jr_buf_addf(&spec, "%s\"template.spec.containers[*].env[V%d].value\":{\"excluded\":[",
                          i > 0 ? "," : "", i);
        for (int k = 0; k < 128; k++)
            (void)jr_buf_addf(&spec, "%s\"%0200d*\"", k > 0 ? "," : "", k);
        (void)jr_buf_adds(&spec, "]}");
    }
    assert_int_equal(jr_buf_adds(&spec, "}}}"), JR_OK);
    s = store_of(spec.p, POLICIES_MAX, true);
    SNAPSHOT *now = jr_policy_store_get(s);
    assert_true(now->findings_cost > (size_t)1 << 20);
    assert_true(now->findings_cost < (size_t)6 << 20);
    jr_policy_store_free(s);
}

/** A Job with far more at fault than Pod security tells of. */
static void test_many_places_at_fault(void **state)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_error err = { 0 };
    OBJECT job = { 0 };
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, SIZE_MAX);
    (void)jr_buf_adds(&text, "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\"},\"spec\":{"
                             "\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
                             "\"securityContext\":{\"capabilities\":{\"add\":[");
    for (int i = 0; i < 50000; i++)
        (void)jr_buf_addf(&text, "%s\"C%d\"", i > 0 ? "," : "", i);
    assert_int_equal(jr_buf_adds(&text, "]}}}]}}}}"), JR_OK);
    if (open_job_text(jr_buf_str(&text), &profile, &job, &err) != JR_OK)
        fail_msg("%s", err.msg);
    check(&(struct row){ "baseline", "{\"podSecurity\":{\"level\":\"baseline\"}}", 1 }, &job, 1);
    check(&(struct row){ "restricted", "{\"podSecurity\":{\"level\":\"restricted\"}}", 4 }, &job,
          4);
}

static void test_nothing_costs_nothing(void **state)
{
    struct jr_policy_store *s = jr_policy_store_new();
    SNAPSHOT *now = jr_policy_store_get(s);

    (void)state;
    assert_int_equal(now->findings_cost, 0);
    jr_policy_store_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings_fit),
        cmocka_unit_test(test_values_that_are_written_longer),
        cmocka_unit_test(test_most_that_is_told),
        cmocka_unit_test(test_many_places_at_fault),
        cmocka_unit_test(test_nothing_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
