/* SPDX-License-Identifier: Apache-2.0 */
/* The whole controller among objects that a strict reader refuses, and that an API server serves:
 * they run, and the others do. */
#include "tests/unit/controller/whole_world.h"

/** In a Job's template, its status and its metadata. */
#define POISON "{\"a\\u0000b\":\"1\",\"f:a\xff\":{\"\xc0\x80\":[]}}"
#define POISONED_JOB(mode)                                                                         \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"namespace\":\"ns\",\"name\":"   \
    "\"j\",\"uid\":\"u1\",\"resourceVersion\":\"5\",\"generation\":1,\"new\":" POISON              \
    "},\"spec\":{\"parallelism\":2,\"completions\":2,\"backoffLimit\":6,\"completionMode\":"       \
    "\"" mode "\",\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}}," \
    "\"template\":{\"metadata\":{\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}},"     \
    "\"spec\":{\"restartPolicy\":\"Never\",\"volumes\":[{\"name\":\"v\",\"csi\":{"                 \
    "\"volumeAttributes\":" POISON                                                                 \
    "}}],\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"new\":" POISON                          \
    "}]}}},\"status\":{\"new\":" POISON "}}"
#define POISONED_POD                                                                           \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"bare\",\"uid\":\"bare\",\"resourceVersion" \
    "\":\"3\",\"managedFields\":[{\"fieldsV1\":" POISON "}]},\"spec\":{\"volumes\":[" POISON   \
    "]},\"status\":{\"phase\":\"Running\"}}"
#define BAD_JOB                                                                                \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"bad\",\"uid\":\"u9\",\"resourceVersion\":" \
    "\"4\"},\"spec\":{\"parallelism\":\"many\"}}"
#define BAD_POD                                                                                  \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"odd\",\"uid\":\"odd\",\"resourceVersion\":"  \
    "\"4\",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"bad\"," \
    "\"uid\":\"u9\",\"controller\":true}]},\"status\":{\"phase\":[]}}"

static size_t with(const struct world *w, const char *method, const char *part, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);
        size_t times = 0;
        struct jr_str rest = c->body;
        const char *at;

        if (!jr_str_is(c->method, method) || jr_str_ends(c->path, JR_S("/events")))
            continue;
        for (; rest.n > 0 && (at = memmem(rest.p, rest.n, part, strlen(part))) != NULL; times++)
            rest = jr_str_from(rest, (size_t)(at - rest.p) + 1);
        found += times == n;
    }
    return found;
}

/** The Job's Pods have its template as it stands there, its status keeps what is not ours. */
static void run_a_poisoned_job(const char *job, bool indexed)
{
    struct world w;

    world_init(&w, false);
    w.jobs = job;
    (void)snprintf(w.pods, sizeof(w.pods), "%s", POISONED_POD);
    world_start(&w);
    pass(&w, 1);
    assert_true(jr_controller_working(w.c));
    assert_int_equal(creates(&w), 2);
    assert_int_equal(with(&w, "POST", POISON, 2), 2);
    assert_int_equal(with(&w, "POST", "JOB_COMPLETION_INDEX", 1), indexed ? 2 : 0);
    assert_int_equal(with(&w, "PUT", POISON, 4), puts_seen(&w));
    assert_true(puts_seen(&w) > 0);
    assert_int_equal(
        jr_metrics_get(w.metrics, "jobreeve_unreadable_objects_total", (const char *[]){ "jobs" }),
        0);
    assert_int_equal(
        jr_metrics_get(w.metrics, "jobreeve_unreadable_objects_total", (const char *[]){ "pods" }),
        0);
    world_done(&w);
}

static void test_a_poisoned_job(void **state)
{
    (void)state;
    run_a_poisoned_job(POISONED_JOB("NonIndexed"), false);
    run_a_poisoned_job(POISONED_JOB("Indexed"), true);
}

/** Two that can't be read, in lists, in streams and in relists: the Job beside them runs to its
 * end. */
static void test_bad_ones_beside(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.jobs = BAD_JOB "," JOB "," BAD_JOB;
    (void)snprintf(w.pods, sizeof(w.pods), "%s", BAD_POD);
    world_start(&w);
    pass(&w, 1);
    assert_true(jr_controller_working(w.c));
    assert_int_equal(creates(&w), 2);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    assert_int_equal(jr_scripted_push(w.api, PODS,
                                      JR_S("{\"type\":\"MODIFIED\",\"object\":" BAD_POD
                                           "}\n{\"type\":\"NEW\"}\n")),
                     1);
    push_pod(&w, "ADDED", "p2", "Running", true);
    push_pod(&w, "MODIFIED", "p1", "Succeeded", true);
    push_pod(&w, "MODIFIED", "p2", "Succeeded", true);
    pass(&w, 3);
    assert_int_equal(calls(&w, "PATCH", "/api/v1/namespaces/ns/pods/p"), 2);
    assert_int_equal(creates(&w), 2);
    assert_int_equal(calls(&w, "GET", PODS "?limit"), 1); /* nothing of it made for a relist */
    assert_int_equal(
        jr_metrics_get(w.metrics, "jobreeve_unreadable_objects", (const char *[]){ "jobs" }), 1);
    assert_int_equal(
        jr_metrics_get(w.metrics, "jobreeve_unreadable_objects", (const char *[]){ "pods" }), 2);
    world_done(&w);
}

/** A Pod of the Job that can't be read, from the start: none is made beside it. */
static void test_a_hidden_pod(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    (void)pod_text(w.pods, sizeof(w.pods), "p1", "Running\",\"conditions\":\"", true, 7);
    world_start(&w);
    pass(&w, 30);
    assert_int_equal(creates(&w), 0);
    assert_int_equal(puts_seen(&w), 0);
    w.version = 200;
    push_pod(&w, "MODIFIED", "p1", "Running", true);
    pass(&w, 3);
    assert_int_equal(creates(&w), 1);
    world_done(&w);
}

/** Times at both ends of what there is: a Pod of them ends, counts and is let go, and no sum of
 * them overflows (UBSan looks on). */
static void test_far_times(void **state)
{
    static const char *const times[] = { "0500-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                                         "1970-01-01T00:00:00Z", "2311-07-07T18:44:10Z" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(times); i++) {
        const char *t = times[i];
        char status[512], pod[2048];
        struct world w;

        world_init(&w, false);
        (void)snprintf(pod, sizeof(pod),
                       "Failed\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\","
                       "\"lastTransitionTime\":\"%s\"}],\"containerStatuses\":[{\"state\":{"
                       "\"terminated\":{\"exitCode\":1,\"finishedAt\":\"%s\"}}}],\"message\":\"",
                       t, t);
        (void)pod_text(w.pods, sizeof(w.pods), "p1", pod, true, 7);
        world_start(&w);
        pass(&w, 1);
        (void)snprintf(status, sizeof(status),
                       "{\"startTime\":\"%s\",\"uncountedTerminatedPods\":{\"failed\":[\"p1\"]}}",
                       t);
        push_status(&w, status);
        pass(&w, 3);
        assert_true(calls(&w, "PATCH", PODS_IN("ns") "/p1") >= 1);
        assert_true(puts_seen(&w) >= 1);
        assert_int_equal(w.ended, 0);
        world_done(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_poisoned_job),
        cmocka_unit_test(test_bad_ones_beside),
        cmocka_unit_test(test_a_hidden_pod),
        cmocka_unit_test(test_far_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
