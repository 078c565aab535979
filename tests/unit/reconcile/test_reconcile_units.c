/* SPDX-License-Identifier: Apache-2.0 */
/* Single rules of the room, beyond the rows of kind unit in the scenario file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "controller/reconcile/gang.h"
#include "controller/reconcile/internal.h"
#include "controller/reconcile/pod_patches.h"
#include "tests/unit/reconcile/driver.h"

/** Each part has at least half of the room. */
static void gang_names_cut(void **state)
{
    char text[300];
    static const struct {
        size_t workload, template;
        size_t workload_cut, template_cut; /* with a hash of 8 to 10 characters */
    } rows[] = {
        { 10, 10, 10, 10 }, { 200, 200, 122, 121 }, { 20, 240, 20, 223 }, { 240, 20, 223, 20 }
    };

    (void)state;
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA a = { 0 };
        const char *name, *dash;

        jr_arena_init(&a, 0);
        name = jr_gang_pod_group_name(&a, (struct jr_str){ text, rows[i].workload },
                                      (struct jr_str){ text, rows[i].template })
                   .p;
        dash = strchr(name, '-');
        assert_true(strlen(name) <= 253);
        assert_true(rows[i].workload + rows[i].template <200 || strlen(name) == 253);
        assert_true(dash - name >= (ptrdiff_t)rows[i].workload_cut - 2);
        assert_true(strrchr(name, '-') - dash - 1 >= (ptrdiff_t)rows[i].template_cut - 2);
    }
}

/** A Workload's name has room for its hash. */
static void workload_names_cut(void **state)
{
    char text[254];
    static const size_t lengths[] = { 1, 63, 240, 253 };

    (void)state;
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < JR_ARRAY_SIZE(lengths); i++) {
        const struct jr_job job = { .meta = { .name = { text, lengths[i] }, .uid = JR_S("u") } };
        JR_ARENA a = { 0 };
        struct jr_str name;
        ptrdiff_t dash;

        jr_arena_init(&a, 0);
        name = jr_gang_workload_name(&a, &job);
        dash = jr_str_find(name, '-');
        assert_true(name.n <= 253);
        assert_true(dash == (ptrdiff_t)lengths[i] || (name.n == 253 && dash > 240));
    }
}

static void test_generate_name_without_index(void **state)
{
    static const char *const names[][2] = {
        { "demo", "demo-" },        { "a", "a-" },  { "a.b", "a.b-" },
        { "Bad_Name", "Bad_Name" }, { "-x", "-x" }, { "a.-b", "a.-b" },
    };
    JR_ARENA a = { 0 };

    (void)state;
    jr_arena_init(&a, 0);
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++)
        assert_string_equal(jr_pod_generate_name(&a, jr_str(names[i][0]), -1).p, names[i][1]);
}

/** A name has room for what the API server adds: the Job's name is cut, never the index. */
static void test_generate_name_with_index(void **state)
{
    static const struct {
        size_t job; /* length of its name */
        int32_t index;
        size_t kept; /* of it */
        const char *tail;
    } rows[] = {
        { 10, 0, 10, "-0-" },
        { 55, 0, 55, "-0-" },
        { 56, 0, 55, "-0-" },
        { 63, 12, 54, "-12-" },
        { 46, INT32_MAX, 46, "-2147483647-" },
        { 63, INT32_MAX, 46, "-2147483647-" },
    };
    char text[64];

    (void)state;
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA a = { 0 };
        const char *name;

        jr_arena_init(&a, 0);
        name = jr_pod_generate_name(&a, (struct jr_str){ text, rows[i].job }, rows[i].index).p;
        assert_int_equal(strspn(name, "a"), rows[i].kept);
        assert_string_equal(name + rows[i].kept, rows[i].tail);
    }
}

/** 10 s, twice as much after each further failure, up to 10 min, to the nanosecond. */
static void test_backoff_remaining(void **state)
{
    static const struct {
        int64_t failures, ago_ns, want_ns;
    } rows[] = {
        { -1, 0, 0 },
        { 0, 0, 0 },
        { 1, 0, 10 * JR_SEC },
        { 1, 1, 10 * JR_SEC - 1 },
        { 1, 10 * JR_SEC - 2, 2 },
        { 1, 10 * JR_SEC - 1, 1 },
        { 1, 10 * JR_SEC, 0 },
        { 1, 10 * JR_SEC + 1, 0 },
        { 1, -JR_SEC, 11 * JR_SEC }, /* the clock was set back */
        { 2, 0, 20 * JR_SEC },
        { 3, 0, 40 * JR_SEC },
        { 6, 0, 320 * JR_SEC },
        { 7, 0, 600 * JR_SEC },
        { 8, 0, 600 * JR_SEC },
        { INT64_MAX, 0, 600 * JR_SEC },
        { INT64_MAX, 600 * JR_SEC, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_time now = jr_time_s(1772366400), last = { now.ns - rows[i].ago_ns };
        int64_t got = jr_backoff_remaining(rows[i].failures, last, now);

        if (got != rows[i].want_ns)
            fail_msg("row %zu: %lld", i, (long long)got);
    }
    assert_true(jr_backoff_remaining(1, (struct jr_time){ INT64_MAX }, (struct jr_time){ 0 }) ==
                INT64_MAX);
}

/** When a Pod ended: the last of its containers, if all of them tell; else since it wasn't ready;
 * else when it was told to go; else when it came. */
static void test_finish_time(void **state)
{
#define ENDED(t) \
    "{\"state\":{\"terminated\":{\"exitCode\":1,\"finishedAt\":\"2026-03-01T12:00:" t "Z\"}}}"
#define NO_TIME "{\"state\":{\"terminated\":{\"exitCode\":1}}}"
#define RUNS "{\"state\":{\"running\":{}}}"
#define UNREADY(status)                                        \
    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status \
    "\",\"lastTransitionTime\":\"2026-03-01T12:00:50Z\"}]"
#define GOES ",\"deletionTimestamp\":\"2026-03-01T12:00:40Z\""
    static const struct {
        const char *metadata, *containers, *init, *more;
        int second; /* of 2026-03-01T12:00 */
    } rows[] = {
        { "", ENDED("05"), "", "", 5 },
        { "", ENDED("05") "," ENDED("07"), "", "", 7 },
        { "", ENDED("07") "," ENDED("05"), "", "", 7 },
        { "", ENDED("05"), "", UNREADY("False"), 5 },
        { "", ENDED("05") "," RUNS, "", UNREADY("False"), 50 },
        { "", RUNS "," ENDED("05"), "", UNREADY("False"), 50 },
        { "", NO_TIME "," ENDED("05"), "", UNREADY("False"), 50 },
        { "", ENDED("05") "," NO_TIME, "", "", 1 },
        { "", ENDED("05") "," RUNS, "", UNREADY("True"), 1 },
        { "", ENDED("05"), ENDED("09"), "", 5 }, /* an init container ends before */
        { "", ENDED("05"), RUNS, "", 5 },
        { "", "", "", UNREADY("False"), 50 },
        { "", "", "", "", 1 },
        { GOES, "", "", "", 40 },
        { GOES ",\"deletionGracePeriodSeconds\":30", "", "", "", 10 },
        { GOES, "", "", UNREADY("False"), 50 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
        const int64_t minute = 1772366400;
        char text[2048];
        int64_t got;

        (void)snprintf(text, sizeof(text),
                       "{\"metadata\":{\"name\":\"p\",\"creationTimestamp\":"
                       "\"2026-03-01T12:00:01Z\"%s},\"status\":{\"containerStatuses\":[%s],"
                       "\"initContainerStatuses\":[%s]%s%s}}",
                       rows[i].metadata, rows[i].containers, rows[i].init,
                       rows[i].more[0] == '\0' ? "" : ",", rows[i].more);
        assert_int_equal(jr_pod_decode(jr_str(text), &pod, NULL), JR_OK);
        got = jr_pod_finish_time(pod).ns - minute * JR_SEC;
        if (got != rows[i].second * JR_SEC)
            fail_msg("row %zu: %lld", i, (long long)got);
    }
}

static void test_pod_index(void **state)
{
    static const struct {
        const char *text;
        int32_t want;
    } rows[] = {
        { NULL, -1 },
        { "", -1 },
        { "0", 0 },
        { "17", 17 },
        { "-1", -1 },
        { "x", -1 },
        { "1x", -1 },
        { "2147483647", INT32_MAX },
        { "+3", 3 },
        { "007", 7 },
        { " 1", -1 },
        { "99999999999", INT32_MAX },
        { "1e3", -1 },
        { "1.0", -1 },
        { "99999999999999999999", -1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char text[512];
        struct jr_pod *pod;

        (void)snprintf(text, sizeof(text),
                       "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"%s\":\"%s\"}}}",
                       rows[i].text == NULL ? "absent" : JR_COMPLETION_INDEX,
                       rows[i].text == NULL ? "" : rows[i].text);
        assert_int_equal(jr_pod_decode(jr_str(text), &pod, NULL), JR_OK);
        assert_int_equal(jr_pod_index(pod), rows[i].want);
        jr_pod_unref(pod);
    }
}

/** What a Pod says of its index' failures; anything but a number of 32 bits is none. */
static void test_index_counts(void **state)
{
    static const struct {
        const char *text;
        int64_t want;
    } rows[] = { { "0", 0 },          { "3", 3 },  { "+3", 3 }, { "2147483647", INT32_MAX },
                 { "2147483648", 0 }, { "-1", 0 }, { "x", 0 },  { "", 0 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char text[512];
        struct jr_pod *pod;

        (void)snprintf(text, sizeof(text),
                       "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"" JR_INDEX_FAILURE_COUNT
                       "\":\"%s\"}}}",
                       rows[i].text);
        assert_int_equal(jr_pod_decode(jr_str(text), &pod, NULL), JR_OK);
        assert_int_equal(jr_index_count(pod), rows[i].want);
        assert_int_equal(jr_index_failures(pod), rows[i].want);
        jr_pod_unref(pod);
    }
}

static void test_unfinalize_patches(void **state)
{
    const struct jr_str finalizer = JR_S("example.com/f");
    struct jr_pod *pod;
    JR_ARENA a = { 0 };

    (void)state;
    jr_arena_init(&a, 0);
    assert_int_equal(
        jr_pod_decode(
            JR_S("{\"metadata\":{\"name\":\"p\",\"uid\":\"x\",\"resourceVersion\":\"7\"}}"), &pod,
            NULL),
        JR_OK);
    assert_string_equal(
        jr_unfinalize_patch(&a, finalizer).p,
        "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"example.com/f\"]}}");
    assert_string_equal(jr_unfinalize_unchanged_patch(&a, finalizer, pod).p,
                        "{\"metadata\":{\"uid\":\"x\",\"resourceVersion\":\"7\","
                        "\"$deleteFromPrimitiveList/finalizers\":[\"example.com/f\"]}}");
    jr_pod_unref(pod);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unfinalize_patches),
        cmocka_unit_test(test_generate_name_without_index),
        cmocka_unit_test(test_generate_name_with_index),
        cmocka_unit_test(test_backoff_remaining),
        cmocka_unit_test(test_finish_time),
        cmocka_unit_test(test_pod_index),
        cmocka_unit_test(test_index_counts),
        cmocka_unit_test(gang_names_cut),
        cmocka_unit_test(workload_names_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
