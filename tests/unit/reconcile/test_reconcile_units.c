/* Rows of kind unit in the scenario file: single rules of the room, out of upstream's functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "controller/reconcile/gang.h"
#include "tests/unit/reconcile/driver.h"

static struct jr_pod *pod_of(const struct jr_node *node)
{
    char *text = node_text(node);
    struct jr_pod *pod;
    struct jr_error err;

    if (jr_pod_decode(jr_str(text), &pod, &err) != JR_OK)
        fail_msg("Pod: %s: %s", err.path, err.msg);
    free(text);
    return pod;
}

/** A Job with these rules as one of its policies. */
static struct jr_job *job_with(const char *policy, const struct jr_node *rules)
{
    struct jr_job *job;
    struct jr_error err;
    struct jr_buf b;
    char *text = node_text(rules);

    jr_buf_init(&b, 1 << 20);
    (void)jr_buf_addf(&b, "{\"spec\":{\"%s\":{\"rules\":%s}}}", policy, text);
    if (jr_job_decode(jr_buf_str(&b), &job, &err) != JR_OK)
        fail_msg("Job: %s: %s", err.path, err.msg);
    jr_buf_done(&b);
    free(text);
    return job;
}

static void indexes(const struct jr_node *in, const struct jr_node *expect)
{
    struct jr_indexes set = { 0 };
    struct jr_buf b;

    jr_buf_init(&b, 4096);
    assert_int_equal(jr_indexes_read(jr_get_str(in, "text"),
                                     (int32_t)jr_node_i64_or(jr_get(in, "completions"), 0), &set),
                     JR_OK);
    assert_int_equal(jr_indexes_write(&set, &b), JR_OK);
    assert_true(jr_str_eq(jr_buf_str(&b), jr_get_str(expect, "text")));
    assert_int_equal(jr_indexes_count(&set), jr_node_i64_or(jr_get(expect, "total"), -1));
    jr_buf_done(&b);
    jr_indexes_done(&set);
}

static void backoff(const struct jr_node *in, const struct jr_node *expect)
{
    struct jr_time last = jr_time_s(1772366400), now = last;

    now.ns += jr_node_i64_or(jr_get(in, "elapsedSeconds"), 0) * JR_SEC;
    assert_int_equal(jr_backoff_remaining(jr_node_i64_or(jr_get(in, "failures"), -1), last, now),
                     jr_node_i64_or(jr_get(expect, "remainingSeconds"), -1) * JR_SEC);
}

static void generate_name(const struct jr_node *in, const struct jr_node *expect)
{
    JR_ARENA a = { 0 };
    const char *name;

    jr_arena_init(&a, 0);
    name = jr_pod_generate_name(&a, jr_get_str(in, "jobName"),
                                (int32_t)jr_node_i64_or(jr_get(in, "index"), -1));
    assert_string_equal(name, jr_get_str(expect, "generateName").p);
}

static void gang_names(const struct jr_node *in, const struct jr_node *expect)
{
    JR_ARENA a = { 0 };
    const struct jr_job job = { .meta = { .name = jr_get_str(in, "jobName"),
                                          .uid = jr_get_str(in, "jobUID") } };
    const char *workload, *template;

    jr_arena_init(&a, 0);
    workload = jr_gang_workload_name(&a, &job);
    template = jr_gang_template_name(&a, &job);
    assert_string_equal(workload, jr_get_str(expect, "workload").p);
    assert_string_equal(template, jr_get_str(expect, "template").p);
    assert_string_equal(jr_gang_pod_group_name(&a, jr_str(workload), jr_str(template)),
                        jr_get_str(expect, "podGroup").p);
}

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
                                      (struct jr_str){ text, rows[i].template });
        dash = strchr(name, '-');
        assert_true(strlen(name) <= 253);
        assert_true(rows[i].workload + rows[i].template <200 || strlen(name) == 253);
        assert_true(dash - name >= (ptrdiff_t)rows[i].workload_cut - 2);
        assert_true(strrchr(name, '-') - dash - 1 >= (ptrdiff_t)rows[i].template_cut - 2);
    }
}

static void finish_time(const struct jr_node *in, const struct jr_node *expect)
{
    struct jr_pod *pod = pod_of(jr_get(in, "pod"));
    char text[JR_TIME_MAX];

    assert_string_equal(jr_time_format(jr_pod_finish_time(pod), text),
                        jr_get_str(expect, "finishTime").p);
    jr_pod_unref(pod);
}

static void removal(const struct jr_node *in, const struct jr_node *expect)
{
    const struct jr_node *pods = jr_get(in, "pods"), *want = jr_get(expect, "remove");
    struct jr_rpod v[16] = { { 0 } }, **rm;
    struct jr_sync s = { .pods = v };
    size_t n;

    jr_arena_init(&s.keep, 0);
    s.indexed = jr_str_is(jr_node_str(jr_path(in, "job.spec.completionMode")), "Indexed");
    s.completions = (int32_t)jr_node_i64_or(jr_path(in, "job.spec.completions"), 0);
    for (const struct jr_node *p = jr_first(pods); p != NULL; p = jr_next(p)) {
        struct jr_pod *pod = pod_of(p);

        assert_true(s.n_pods < JR_ARRAY_SIZE(v));
        v[s.n_pods] = (struct jr_rpod){
            .pod = pod, .at = s.n_pods, .index = jr_pod_index(pod), .active = jr_pod_active(pod)
        };
        s.n_pods++;
    }
    assert_int_equal(jr_removal_pick(&s, (size_t)jr_node_i64_or(jr_get(in, "atLeast"), 0), &rm, &n),
                     JR_OK);
    assert_int_equal(n, jr_size(want));
    for (size_t i = 0; i < n; i++)
        assert_true(jr_str_eq(rm[i]->pod->name, jr_node_str(jr_at(want, i))));
    for (size_t i = 0; i < s.n_pods; i++)
        jr_pod_unref((struct jr_pod *)(uintptr_t)v[i].pod);
    jr_arena_done(&s.keep);
}

static void success_policy(const struct jr_node *in, const struct jr_node *expect)
{
    struct jr_job *job = job_with("successPolicy", jr_get(in, "rules"));
    int32_t completions = (int32_t)jr_node_i64_or(jr_get(in, "completions"), 0);
    struct jr_indexes succeeded = { 0 };
    char message[64] = "";
    ptrdiff_t rule;

    assert_int_equal(jr_indexes_read(jr_get_str(in, "completedIndexes"), completions, &succeeded),
                     JR_OK);
    assert_int_equal(jr_success_policy_match(job, completions, &succeeded, &rule), JR_OK);
    assert_int_equal(rule >= 0, jr_node_bool_or(jr_get(expect, "met"), false));
    if (rule >= 0)
        (void)snprintf(message, sizeof(message), "Matched rules at index %td", rule);
    assert_true(jr_str_is(jr_get_str(expect, "message"), message));
    jr_indexes_done(&succeeded);
    jr_job_unref(job);
}

static void failure_policy(const struct jr_node *in, const struct jr_node *expect)
{
    struct jr_job *job = job_with("podFailurePolicy", jr_get(in, "rules"));
    struct jr_pod *pod = pod_of(jr_get(in, "pod"));
    struct jr_policy_match m = jr_failure_policy_match(job, pod);
    struct jr_str message = jr_get_str(expect, "message");
    JR_ARENA a = { 0 };

    jr_arena_init(&a, 0);
    assert_true(jr_str_is(jr_get_str(expect, "action"), jr_policy_action_text(m.action)));
    assert_int_equal(jr_failure_counts(job, pod),
                     jr_node_bool_or(jr_get(expect, "countFailed"), true));
    assert_int_equal(m.action == JR_POLICY_FAIL_JOB, message.n > 0);
    if (message.n > 0)
        assert_string_equal(jr_failure_policy_words(&a, &m, pod), message.p);
    jr_pod_unref(pod);
    jr_job_unref(job);
}

static const struct {
    const char *fn;
    void (*run)(const struct jr_node *in, const struct jr_node *expect);
    unsigned rows;
} functions[] = {
    { "parseAndFormatIndexes", indexes, 9 },        { "backoffRemaining", backoff, 11 },
    { "podGenerateName", generate_name, 2 },        { "podFinishTime", finish_time, 4 },
    { "activePodsForRemoval", removal, 2 },         { "matchSuccessPolicy", success_policy, 7 },
    { "matchPodFailurePolicy", failure_policy, 7 }, { "gangNames", gang_names, 3 },
};

static void test_units(void **state)
{
    struct jr_doc *doc = scenarios_load();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(functions); i++) {
        unsigned rows = 0;

        for (const struct jr_node *row = jr_first(jr_doc_root(doc)); row != NULL;
             row = jr_next(row)) {
            if (!jr_str_is(jr_get_str(row, "fn"), functions[i].fn))
                continue;
            print_message("%.*s\n", JR_P(jr_get_str(row, "name")));
            functions[i].run(jr_get(row, "in"), jr_get(row, "expect"));
            rows++;
        }
        assert_int_equal(rows, functions[i].rows);
    }
    jr_doc_free(doc);
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
        assert_string_equal(jr_pod_generate_name(&a, jr_str(names[i][0]), -1), names[i][1]);
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
        struct jr_pod pod = { .completion_index = jr_str(rows[i].text) };

        assert_int_equal(jr_pod_index(&pod), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_generate_name_without_index),
        cmocka_unit_test(test_pod_index),
        cmocka_unit_test(gang_names_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
