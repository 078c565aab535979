/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting, request by request: what is asked for, and when it is over. */
#include "cli/wait/wait.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#include "common/base/memory.h"

#define JOBS "/apis/batch/v1/namespaces/d/jobs?"
#define PODS "/api/v1/namespaces/d/pods?"
#define LIST(rv, items)                                                                            \
    "{\"kind\": \"List\", \"metadata\": {\"resourceVersion\": \"" rv "\"}, \"items\": [" items "]" \
    "}"
#define JOB_WITH(name, uid, spec, status) JOB_AT("11", name, uid, spec, status)
#define JOB_AT(rv, name, uid, spec, status)                                         \
    "{\"metadata\": {\"namespace\": \"d\", \"name\": \"" name "\", \"uid\": \"" uid \
    "\", \"resourceVersion\": \"" rv "\"}, \"spec\": {" spec "}, \"status\": {" status "}}"
#define JOB(name, uid, status) JOB_WITH(name, uid, "", status)
#define END(type) "\"conditions\": [{\"type\": \"" type "\", \"status\": \"True\"}]"
#define EVENT(type, object) "{\"type\": \"" type "\", \"object\": " object "}\n"
#define POD(name, owner, uid, status)                                                              \
    "{\"metadata\": {\"namespace\": \"d\", \"name\": \"" name "\", \"uid\": \"" name               \
    "\", \"resourceVersion\": \"6\", \"ownerReferences\": [{\"kind\": \"Job\", \"name\": \"" owner \
    "\", \"uid\": \"" uid "\", \"controller\": true}]}, \"status\": {" status "}}"
#define FAILED_POD                                                                           \
    "\"phase\": \"Failed\", \"containerStatuses\": [{\"name\": \"c\", \"restartCount\": 0, " \
    "\"state\": {\"terminated\": {\"exitCode\": 3, \"reason\": \"Error\"}}}]"

struct world {
    struct fake fake;
    struct jr_wait_jobs jobs;
    struct jr_wait *wait;
    unsigned over;
    struct jr_error why;
    struct jr_buf lines;
};

static void on_over(void *ctx, const struct jr_error *why)
{
    struct world *w = ctx;

    w->over++;
    if (why != NULL)
        w->why = *why;
}

static void on_line(void *ctx, struct jr_str pod, const char *container, struct jr_str text)
{
    struct world *w = ctx;

    (void)container;
    (void)jr_buf_addf(&w->lines, "%.*s: %.*s\n", JR_P(pod), JR_P(text));
}

static void on_missing(void *ctx, struct jr_str pod, const char *container, struct jr_str words)
{
    on_line(ctx, pod, container, words);
}

/** Starts to wait for the Jobs of these names, "a b"; ends a world with stop. */
static void start(struct world *w, const char *names, struct jr_wait_options options)
{
    struct jr_str rest = jr_str(names), name;

    *w = (struct world){ .over = 0 };
    fake_init(&w->fake);
    jr_buf_init(&w->lines, 65536);
    while (jr_str_cut(&rest, ' ', &name))
        (void)jr_wait_jobs_add(&w->jobs, JR_S("d"), name, (struct jr_str){ NULL, 0 });
    options.jobs = &w->jobs;
    options.namespace = "d";
    options.out = (struct jr_logs_handler){ on_line, on_missing, w };
    options.over = on_over;
    options.ctx = w;
    w->wait = jr_wait_new(&w->fake.env, &options);
}

static void stop(struct world *w)
{
    jr_wait_free(w->wait);
    jr_wait_jobs_done(&w->jobs);
    jr_buf_done(&w->lines);
    fake_done(&w->fake);
}

/** The next request, which begins so; its path has part. */
static struct jr_call *expect(struct world *w, const char *path, const char *part)
{
    struct jr_call *c = fake_expect(&w->fake, "GET", path);

    assert_has(c->path, part);
    return c;
}

static void push(struct jr_call *watch, const char *event)
{
    assert_true(fake_chunk(watch, jr_str(event)));
}

/** Answers lists of Jobs and Pods; their watches are *ret_jobs and *ret_pods. */
static void list(struct world *w, const char *jobs, const char *pods, struct jr_call **ret_jobs,
                 struct jr_call **ret_pods)
{
    fake_answer(expect(w, JOBS, "limit="), 200, jobs);
    for (int i = 0; i < 3; i++) {
        struct jr_call *c = fake_next(&w->fake);

        if (strstr(c->path, "/jobs?") != NULL)
            *ret_jobs = c;
        else if (strstr(c->path, "watch=") != NULL)
            *ret_pods = c;
        else
            fake_answer(c, 200, pods);
    }
    assert_has((*ret_jobs)->path, "watch=");
    assert_has((*ret_pods)->path, "watch=");
}

static void test_complete(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .any = false });
    list(&w, LIST("10", JOB("a", "1", "")), LIST("10", ""), &jobs, &pods);
    assert_has(jobs->path, "fieldSelector=metadata.name%3Da");
    assert_has(pods->path, "labelSelector=batch.kubernetes.io%2Fjob-name%20in%20%28a%29");
    assert_int_equal(w.over, 0);
    push(jobs, EVENT("MODIFIED", JOB("a", "1", END("Complete"))));
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(jr_wait_jobs_code(&w.jobs, false), 0);
    assert_int_equal(w.fake.n_sent, 4); /* a list and a watch of each */
    stop(&w);
}

/** However many Jobs there are, they cost one list and one watch; so do their Pods. */
static void test_200_jobs(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;
    JR_BUF names = { 0 }, items = { 0 };

    (void)state;
    jr_buf_init(&names, 65536);
    jr_buf_init(&items, (size_t)1 << 20);
    (void)jr_buf_adds(&items, "{\"metadata\": {\"resourceVersion\": \"10\"}, \"items\": [");
    for (int i = 0; i < 200; i++) {
        (void)jr_buf_addf(&names, "%sjob-%d", i == 0 ? "" : " ", i);
        (void)jr_buf_addf(&items,
                          "%s{\"metadata\": {\"namespace\": \"d\", \"name\": \"job-%d\", \"uid\": "
                          "\"%d\"}, \"status\": {}}",
                          i == 0 ? "" : ",", i, i);
    }
    (void)jr_buf_adds(&items, "]}");
    start(&w, names.p, (struct jr_wait_options){ .any = false });
    list(&w, items.p, LIST("10", ""), &jobs, &pods);
    assert_true(jr_str_ends(jr_str(pods->path), JR_S("batch.kubernetes.io%2Fjob-name")));
    for (int i = 0; i < 200; i++) {
        JR_FREE char *event =
            jr_xasprintf("{\"type\": \"MODIFIED\", \"object\": {\"metadata\": {\"namespace\": "
                         "\"d\", \"name\": \"job-%d\", \"uid\": \"%d\", \"resourceVersion\": "
                         "\"%d\"}, \"status\": {" END("Complete") "}}}\n",
                         i, i, 11 + i);

        assert_int_equal(w.over, 0);
        push(jobs, event);
    }
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(w.fake.n_sent, 4);
    stop(&w);
}

/** Pods are listed anew for what a failure left, and their logs' ends are read. */
static void test_failed(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods, *c;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .any = false });
    list(&w, LIST("10", JOB("a", "1", "")), LIST("10", ""), &jobs, &pods);
    push(jobs, EVENT("MODIFIED", JOB("a", "1", END("Failed"))));
    fake_answer(expect(&w, PODS, "limit="), 200, LIST("12", POD("a-x", "a", "1", FAILED_POD)));
    for (int i = 0; i < 2; i++) { /* the watch goes on meanwhile */
        c = fake_next(&w.fake);
        if (strstr(c->path, "/log?") == NULL)
            continue;
        assert_has(c->path, "/pods/a-x/log?tailLines=10");
        assert_int_equal(w.over, 0);
        fake_answer(c, 200, "one\ntwo\n");
    }
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(w.jobs.v[0]->n_failures, 1);
    assert_string_equal(STAILQ_FIRST(&w.jobs.v[0]->failures)->lines, "one\ntwo\n");
    assert_string_equal(STAILQ_FIRST(&w.jobs.v[0]->failures)->what, "exit code 3 (Error)");
    stop(&w);
}

static const struct {
    bool follow;
    int status;
    const char *body;
    const char *no_lines;
} tails[] = {
    { false, 200, "unable to retrieve container logs for containerd://0a",
      "its log had gone before it was read" },
    { false, 404,
      "{\"status\": \"Failure\", \"code\": 404, \"message\": \"pods a-x not found\", \"details\": "
      "{\"kind\": \"pods\"}}",
      "its log had gone before it was read" },
    { false, 404, "{\"status\": \"Failure\", \"code\": 404, \"message\": \"no logs here\"}",
      "its log can't be read: no logs here" },
    { false, 403, "{\"status\": \"Failure\", \"code\": 403, \"message\": \"no\"}",
      "its log can't be read: no" },
    { true, 200, "unable to retrieve container logs for containerd://0a", "its lines are above" },
};

/** Why there are no last lines. */
static void test_tails_that_are_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(tails); i++) {
        struct world w;
        struct jr_call *jobs, *pods, *c;

        start(&w, "a", (struct jr_wait_options){ .follow = tails[i].follow });
        list(&w, LIST("5", JOB("a", "1", "\"active\": 1")), LIST("5", ""), &jobs, &pods);
        push(pods, EVENT("ADDED", POD("a-x", "a", "1", FAILED_POD)));
        do
            c = fake_next(&w.fake);
        while (strstr(c->path, "tailLines") == NULL);
        fake_answer(c, tails[i].status, tails[i].body);
        assert_string_equal(STAILQ_FIRST(&w.jobs.v[0]->failures)->no_lines, tails[i].no_lines);
        stop(&w);
    }
}

/** The Pods' watch may tell of a Pod before that of the Jobs tells of its Job. */
static void test_pod_before_its_job(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods, *c;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .any = false });
    list(&w, LIST("5", ""), LIST("5", ""), &jobs, &pods);
    push(pods, EVENT("ADDED", POD("a-x", "a", "1", FAILED_POD)));
    assert_int_equal(w.fake.n_sent, 4);
    push(jobs, EVENT("ADDED", JOB("a", "1", "\"active\": 1")));
    c = fake_next(&w.fake);
    assert_has(c->path, "/pods/a-x/log?");
    fake_answer(c, 200, "one\n");
    assert_int_equal(w.jobs.v[0]->n_failures, 1);
    stop(&w);
}

/** A Pod of another Job goes: its log is none of ours. */
static void test_foreign_pod(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .follow = true });
    list(&w, LIST("10", JOB("a", "1", "\"active\": 1")),
         LIST("10", POD("b-x", "a", "0", FAILED_POD)), &jobs, &pods);
    push(pods, EVENT("DELETED", POD("b-x", "a", "0", FAILED_POD)));
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.fake.n_sent, 4);
    assert_int_equal(w.lines.n, 0);
    assert_int_equal(w.jobs.v[0]->n_failures, 0);
    stop(&w);
}

/** Without the right to see Pods the Jobs are waited for all the same. */
static void test_pods_forbidden(void **state)
{
    struct world w;
    struct jr_call *jobs, *c;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .follow = true });
    fake_answer(expect(&w, JOBS, "limit="), 200, LIST("10", JOB("a", "1", "")));
    jobs = NULL;
    for (int i = 0; i < 2; i++) {
        c = fake_next(&w.fake);
        if (strstr(c->path, "/jobs?") != NULL)
            jobs = c;
        else
            fake_answer(c, 403, "{}");
    }
    assert_true(jr_wait_can_do_without(w.wait, PODS "limit=500"));
    assert_true(jr_wait_can_do_without(w.wait, "/api/v1/namespaces/d/events?limit=5000"));
    assert_false(jr_wait_can_do_without(w.wait, "/apis/batch/v1/namespaces/pods/jobs?limit=500"));
    push(jobs, EVENT("MODIFIED", JOB("a", "1", END("Failed"))));
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(jr_wait_jobs_code(&w.jobs, false), 1);
    stop(&w);
}

/** A Job that a list hasn't after a watch broke off was deleted. */
static void test_gone_at_a_list(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;

    (void)state;
    start(&w, "a b", (struct jr_wait_options){ .any = false });
    list(&w, LIST("10", JOB("a", "1", "") "," JOB("b", "2", END("Complete"))), LIST("10", ""),
         &jobs, &pods);
    (void)fake_chunk(jobs, JR_S(EVENT("ERROR", "{\"status\": \"Failure\", \"code\": 410}")));
    fake_answer(expect(&w, JOBS, "limit="), 200, LIST("20", ""));
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(jr_wait_jobs_code(&w.jobs, false), 4);
    stop(&w);
}

/** Those that match when the waiting begins; later ones are others' business. */
static void test_selector(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;

    (void)state;
    start(&w, "", (struct jr_wait_options){ .selector = "a=b" });
    list(&w, LIST("10", JOB("a", "1", "")), LIST("10", ""), &jobs, &pods);
    assert_has(jobs->path, "labelSelector=a%3Db");
    push(jobs, EVENT("ADDED", JOB("late", "2", "")));
    push(jobs, EVENT("MODIFIED", JOB_AT("12", "a", "1", "", END("Complete"))));
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(w.jobs.n, 1);
    stop(&w);
}

static void test_selector_of_none(void **state)
{
    struct world w;

    (void)state;
    start(&w, "", (struct jr_wait_options){ .selector = "a=b" });
    fake_answer(expect(&w, JOBS, "labelSelector=a%3Db"), 200, LIST("10", ""));
    assert_int_equal(w.over, 1);
    assert_int_equal(w.why.status, JR_INVALID);
    assert_has(w.why.msg, "no Job in namespace d matches a=b");
    stop(&w);
}

/** Pods of a Job with manualSelector need not bear its name's label. */
static void test_manual_selector(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .any = false });
    list(&w, LIST("10", JOB_WITH("a", "1", "\"manualSelector\": true", "")), LIST("10", ""), &jobs,
         &pods);
    assert_null(strstr(pods->path, "labelSelector"));
    stop(&w);
}

/** Refused creations are asked for, of all Jobs at once, while one has no Pods. */
static void test_refused(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods, *c;
    const char *events = LIST(
        "11", "{\"involvedObject\": {\"kind\": \"Job\", \"namespace\": \"d\", \"name\": \"a\", "
              "\"uid\": \"1\"}, \"reason\": \"FailedCreate\", \"lastTimestamp\": "
              "\"2026-03-01T12:00:00Z\", \"message\": "
              "\"Error creating: failed quota: q: must specify limits.cpu\"},"
              "{\"involvedObject\": {\"kind\": \"Job\", \"namespace\": \"d\", \"name\": \"a\", "
              "\"uid\": \"1\"}, \"reason\": \"FailedCreate\", \"lastTimestamp\": "
              "\"2026-03-01T11:00:00Z\", \"message\": \"Error creating: exceeded quota\"},"
              "{\"involvedObject\": {\"kind\": \"Job\", \"namespace\": \"d\", \"name\": \"b\", "
              "\"uid\": \"0\"}, \"reason\": \"FailedCreate\", \"lastTimestamp\": "
              "\"2026-03-01T13:00:00Z\", \"message\": \"Error creating: another Job's\"}");

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .stuck_ns = 60 * JR_SEC });
    list(&w, LIST("10", JOB("a", "1", "")), LIST("10", ""), &jobs, &pods);
    for (int i = 0; i < 20 && w.over == 0; i++) {
        fake_wait(&w.fake, 5 * JR_SEC);
        assert_true(w.over == 0 || i > 10);
        c = fake_untaken(&w.fake) == 0 ? NULL : fake_next(&w.fake);
        if (c != NULL && strstr(c->path, "/events?") != NULL)
            fake_answer(c, 200, events);
    }
    assert_int_equal(w.over, 1);
    assert_int_equal(jr_wait_jobs_code(&w.jobs, false), 3);
    assert_has(w.jobs.v[0]->why.p, "must specify limits.cpu");
    stop(&w);
}

static void test_timeout(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .timeout_ns = 60 * JR_SEC });
    list(&w, LIST("10", JOB("a", "1", "\"active\": 1")), LIST("10", ""), &jobs, &pods);
    fake_wait(&w.fake, 59 * JR_SEC);
    assert_int_equal(w.over, 0);
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_int_equal(jr_wait_jobs_code(&w.jobs, false), 124);
    stop(&w);
}

/** A Job is over before its Pods' watch has told of the last one: its log is read all the same. */
static void test_follows_to_the_end(void **state)
{
    struct world w;
    struct jr_call *jobs, *pods, *c;

    (void)state;
    start(&w, "a", (struct jr_wait_options){ .follow = true });
    list(&w, LIST("10", JOB("a", "1", "")), LIST("10", ""), &jobs, &pods);
    push(jobs, EVENT("MODIFIED", JOB("a", "1", END("Complete"))));
    fake_answer(expect(&w, PODS, "limit="), 200,
                LIST("12", POD("a-x", "a", "1",
                               "\"phase\": \"Succeeded\", \"containerStatuses\": [{\"name\": \"c\","
                               "\"restartCount\": 0, \"state\": {\"terminated\": {\"exitCode\": 0}}"
                               "}]") "," POD("b-x", "b", "9", "\"phase\": \"Running\"")));
    for (int i = 0; i < 2; i++) {
        c = fake_next(&w.fake);
        if (strstr(c->path, "/log?") == NULL)
            continue;
        assert_int_equal(w.over, 0);
        assert_true(fake_chunk(c, JR_S("2026-03-01T12:00:00.000000001Z done\n")));
        fake_close(c);
    }
    fake_wait(&w.fake, JR_SEC);
    assert_int_equal(w.over, 1);
    assert_str(jr_buf_str(&w.lines), "a-x: done\n");
    stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_200_jobs),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_foreign_pod),
        cmocka_unit_test(test_tails_that_are_missing),
        cmocka_unit_test(test_pod_before_its_job),
        cmocka_unit_test(test_pods_forbidden),
        cmocka_unit_test(test_gone_at_a_list),
        cmocka_unit_test(test_selector),
        cmocka_unit_test(test_selector_of_none),
        cmocka_unit_test(test_manual_selector),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_follows_to_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
