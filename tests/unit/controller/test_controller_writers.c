/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes a Job's status: what is ours, what is another's, and what can't be told. */
#include "controller/work/writers.h"
#include "tests/unit/controller/controller_test.h"

#define JOB(status) "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"status\":1},\"status\":" status "}"

static struct jr_op_result answered(const char *body)
{
    return (struct jr_op_result){ .outcome = JR_OP_OK, .body = jr_str(body) };
}

static uint64_t sum(const char *body)
{
    return jr_status_sum(jr_str(body));
}

static void test_sums(void **state)
{
    (void)state;
    assert_true(sum(JOB("{\"active\":1}")) == sum("{\"status\":{\"active\":1}}"));
    assert_true(sum(JOB("{\"active\":1}")) != sum(JOB("{\"active\":2}")));
    assert_true(sum("{}") == sum(JOB("null")));
    assert_true(sum("{}") == sum(JOB("{}")));
    assert_true(sum("no JSON") != 0);
}

/** A rival is told by what it counts, whichever field that is. Kueue clears startTime alone. */
static void test_counted(void **state)
{
#define STATUS(rest) JOB("{\"active\":1," rest "}")
    static const struct {
        const char *job;
        bool same;
    } rows[] = {
        { STATUS("\"ready\":1"), true },
        { STATUS("\"startTime\":\"2026-03-01T12:00:00Z\",\"ready\":1"), true },
        { STATUS("\"startTime\":null,\"ready\":1"), true },
        { STATUS("\"ready\":2"), false },
        { STATUS("\"terminating\":1"), false }, /* the count of another field */
        { STATUS("\"ready\":1,\"terminating\":1"), false },
        { STATUS("\"ready\":1,\"succeeded\":1"), false },
        { STATUS("\"ready\":1,\"failed\":1"), false },
        { STATUS("\"ready\":1,\"completedIndexes\":\"0\""), false },
        { STATUS("\"ready\":1,\"failedIndexes\":\"0\""), false },
        { STATUS("\"ready\":1,\"conditions\":[]"), false },
        { STATUS("\"ready\":1,\"uncountedTerminatedPods\":{}"), false },
        { STATUS("\"ready\":1,\"completionTime\":\"2026-03-01T12:00:00Z\""), false },
        { JOB("{\"ready\":1}"), false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check(rows[i].job, (sum(rows[i].job) == sum(rows[0].job)) == rows[i].same);
#undef STATUS
}

/** The answers come first; the watch then shows both writes, one after the other. */
static void test_ours(void **state)
{
    struct jr_status_writes w = { 0 };
    const char *one = JOB("{\"active\":1}"), *two = JOB("{\"active\":2}");
    struct jr_op_result r;

    (void)state;
    jr_status_sent(&w);
    r = answered(one);
    assert_int_equal(jr_status_answered(&w, &r), 0);
    jr_status_sent(&w);
    r = answered(two);
    assert_int_equal(jr_status_answered(&w, &r), 0);
    assert_false(jr_status_changed(&w, sum(one)));
    assert_false(jr_status_changed(&w, sum(two)));
    assert_true(jr_status_changed(&w, sum(JOB("{\"active\":3}"))));
}

/** The watch is faster than the answer. */
static void test_watch_first(void **state)
{
    static const struct {
        const char *name;
        const char *seen[3];
        enum jr_op_outcome outcome;
        bool ambiguous;
        const char *answer;
        unsigned others;
    } rows[] = {
        { "ours", { "{\"active\":1}" }, JR_OP_OK, false, JOB("{\"active\":1}"), 0 },
        { "another's", { "{\"active\":2}" }, JR_OP_OK, false, JOB("{\"active\":1}"), 1 },
        { "both",
          { "{\"active\":2}", "{\"active\":1}" },
          JR_OP_OK,
          false,
          JOB("{\"active\":1}"),
          1 },
        { "refused", { "{\"active\":2}" }, JR_OP_REFUSED, false, "", 1 },
        { "refused, but tried before", { "{\"active\":1}" }, JR_OP_REFUSED, true, "", 0 },
        { "no answer", { "{\"active\":1}" }, JR_OP_AMBIGUOUS, false, "", 0 },
        { "no answer, and two seen",
          { "{\"active\":1}", "{\"active\":2}" },
          JR_OP_AMBIGUOUS,
          false,
          "",
          1 },
        { "more than are kept",
          { "{\"active\":2}", "{\"active\":3}", "{\"active\":4}" },
          JR_OP_REFUSED,
          false,
          "",
          3 },
        { "nothing seen", { NULL }, JR_OP_REFUSED, false, "", 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_status_writes w = { 0 };
        struct jr_op_result r = { .outcome = rows[i].outcome,
                                  .ambiguous = rows[i].ambiguous,
                                  .body = jr_str(rows[i].answer) };

        jr_status_sent(&w);
        for (size_t k = 0; k < JR_ARRAY_SIZE(rows[i].seen) && rows[i].seen[k] != NULL; k++) {
            char text[128];

            (void)snprintf(text, sizeof(text), "{\"status\":%s}", rows[i].seen[k]);
            check(rows[i].name, !jr_status_changed(&w, sum(text)));
        }
        check_int(rows[i].name, jr_status_answered(&w, &r), rows[i].others);
        check(rows[i].name, jr_status_changed(&w, sum(JOB("{\"active\":9}"))) ||
                                rows[i].outcome == JR_OP_AMBIGUOUS);
    }
}

/** A write without an answer may be seen later: once. */
static void test_ambiguous(void **state)
{
    struct jr_status_writes w = { 0 };
    const struct jr_op_result lost = { .outcome = JR_OP_AMBIGUOUS };

    (void)state;
    jr_status_sent(&w);
    assert_int_equal(jr_status_answered(&w, &lost), 0);
    assert_false(jr_status_changed(&w, 7));
    assert_false(jr_status_changed(&w, 7));
    assert_true(jr_status_changed(&w, 8));
}

static void test_nothing_written(void **state)
{
    struct jr_status_writes w = { 0 };

    (void)state;
    assert_true(jr_status_changed(&w, sum("{}")));
}

static void test_manager(void **state)
{
#define MANAGED(entries) "{\"metadata\":{\"managedFields\":[" entries "]}}"
#define ENTRY(manager, time, sub)                                            \
    "{\"manager\":\"" manager "\",\"operation\":\"Update\",\"time\":\"" time \
    "\",\"fieldsV1\":{\"f:status\":{}}," sub "\"apiVersion\":\"batch/v1\"}"
#define STATUS "\"subresource\":\"status\","
    static const struct {
        const char *job;
        const char *want;
    } rows[] = {
        { MANAGED(ENTRY("kubectl", "2026-03-01T12:00:09Z", "") "," ENTRY(
              "other", "2026-03-01T12:00:01Z",
              STATUS) "," ENTRY("kube-controller-manager", "2026-03-01T12:00:03Z",
                                STATUS) "," ENTRY("us", "2026-03-01T12:00:05Z", STATUS)),
          "kube-controller-manager" },
        { MANAGED(ENTRY("before-us", "2026-03-01T12:00:03Z",
                        STATUS) "," ENTRY("us", "2026-03-01T12:01:00Z", STATUS)),
          "" },
        { MANAGED(ENTRY("far", "9999-12-31T23:59:59Z",
                        STATUS) "," ENTRY("us", "2026-03-01T12:01:00Z", STATUS)),
          "far" },
        { MANAGED(ENTRY("us", "2026-03-01T12:00:05Z", STATUS)), "" },
        { "{\"metadata\":{}}", "" },
        { "nothing", "" },
    };
    JR_ARENA arena = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_str got = jr_status_manager(jr_str(rows[i].job), "us", &arena);

        if (got.p == NULL ? rows[i].want[0] != 0 : !jr_str_is(got, rows[i].want))
            fail_msg("row %zu: \"%.*s\"", i, JR_P(got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),      cmocka_unit_test(test_ours),
        cmocka_unit_test(test_ambiguous), cmocka_unit_test(test_nothing_written),
        cmocka_unit_test(test_manager),   cmocka_unit_test(test_watch_first),
        cmocka_unit_test(test_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
