/* SPDX-License-Identifier: Apache-2.0 */
/* The whole controller over a small API: from the first list to the last event, with lost answers,
 * lost leadership and a process that stood still. */
#include "tests/unit/controller/whole_world.h"

/** From nothing to two Pods, and on to the end. */
static void test_a_job(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    world_start(&w);
    assert_false(jr_controller_ready(w.c, NULL));
    pass(&w, 0.5);
    assert_true(jr_controller_ready(w.c, NULL));
    assert_true(jr_controller_working(w.c));
    assert_int_equal(logged(&w, "\"caches synced\",\"jobs\":1,\"pods\":0"), 1);
    assert_int_equal(creates(&w), 2);
    assert_int_equal(puts_seen(&w), 1);
    assert_int_equal(jr_metrics_get(w.metrics, "job_controller_job_sync_duration_seconds",
                                    (const char *[]){ "NonIndexed", "success", "pods_created" }),
                     1);
    pass(&w, 0.5);
    assert_true(calls(&w, "POST", "/api/v1/namespaces/ns/events") >= 1);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    push_pod(&w, "ADDED", "p2", "Running", true);
    pass(&w, 2);
    assert_int_equal(creates(&w), 2);
    push_pod(&w, "MODIFIED", "p1", "Succeeded", true);
    push_pod(&w, "MODIFIED", "p2", "Succeeded", true);
    pass(&w, 0.9); /* events are gathered for a second */
    assert_int_equal(calls(&w, "PATCH", "/api/v1/namespaces/ns/pods/"), 0);
    pass(&w, 1.1);
    assert_int_equal(calls(&w, "PATCH", "/api/v1/namespaces/ns/pods/"), 2);
    assert_true(puts_seen(&w) >= 3);
    assert_int_equal(creates(&w), 2);
    jr_controller_measure(w.c);
    world_done(&w);
}

static size_t puts_that_say(const struct world *w, const char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);

        n += jr_str_is(c->method, "PUT") && jr_str_ends(c->path, JR_S("/status")) &&
             memmem(c->body.p, c->body.n, text, strlen(text)) != NULL;
    }
    return n;
}

/** A Pod too many loses its finalizer, but its deletion fails, and it succeeds before the next one:
 * Kubernetes 1.36.0 never counts it. */
static void test_a_deletion_that_fails(void **state)
{
    const char *const names[] = { "p1", "p2", "p3" };
    const char *finalizer_lost = NULL;
    char path[128], listed[128];
    struct world w;

    (void)state;
    world_init(&w, false);
    w.deletes_fail = true;
    world_start(&w);
    pass(&w, 0.5);
    w.version = 200;
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++)
        push_pod(&w, "ADDED", names[i], "Running", true);
    pass(&w, 1.2);
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        (void)snprintf(path, sizeof(path), PODS_IN("ns") "/%s", names[i]);
        if (calls(&w, "DELETE", path) > 0)
            finalizer_lost = names[i];
    }
    assert_non_null(finalizer_lost);
    push_pod(&w, "MODIFIED", finalizer_lost, "Succeeded", false);
    pass(&w, 60);
    push_pod(&w, "MODIFIED", finalizer_lost, "Succeeded", false);
    pass(&w, 60);
    (void)snprintf(listed, sizeof(listed), "\"succeeded\":[\"%s\"]", finalizer_lost);
    assert_int_equal(puts_that_say(&w, listed), 1); /* neither never nor twice */
    assert_int_equal(puts_that_say(&w, "\"succeeded\":1"), 1);
    world_done(&w);
}

/** The Job is gone, and its Pods, found by its selector, keep their finalizers at the first
 * attempt: Kubernetes 1.36.0 makes no other one (141329). */
static void test_a_selector_is_tried_again(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    world_start(&w);
    pass(&w, 0.5);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    push_pod(&w, "ADDED", "p2", "Running", true);
    pass(&w, 2);
    w.patches_fail = 3;
    push_job(&w, "DELETED", "{}");
    pass(&w, 0.5);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p"), 2);
    pass(&w, 30);
    assert_int_equal(w.patches_fail, 0);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p"), 6);
    world_done(&w);
}

/** The Pod of a Job that is being deleted stops matching while its finalizer is being taken off,
 * which fails: no sync claims it any more, and no event says so again. */
static void test_a_stray_whose_removal_failed(void **state)
{
    static const char job[] = "\"resourceVersion\":\"5\",\"deletionTimestamp\":"
                              "\"2026-03-01T12:00:00Z\",\"finalizers\":[\"foregroundDeletion\"]";
    const char *version = strstr(JOB, "\"resourceVersion\":\"5\"");
    char deleted[2048], pod[2048], text[4096];
    struct world w;

    (void)state;
    assert_non_null(version);
    (void)snprintf(deleted, sizeof(deleted), "%.*s%s%s", (int)(version - JOB), JOB, job,
                   version + 21);
    world_init(&w, false);
    w.jobs = deleted;
    (void)pod_text(w.pods, sizeof(w.pods), "p1", "Failed", true, 7);
    w.patches_fail = 1;
    w.patch_delay_ns = 10 * JR_SEC;
    world_start(&w);
    pass(&w, 5);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p1"), 1);
    (void)pod_text(pod, sizeof(pod), "p1", "Failed", true, 200);
    *(strstr(pod, "\"u1\"}") + 2) = '9'; /* the label */
    (void)snprintf(text, sizeof(text), "{\"type\":\"MODIFIED\",\"object\":%s}\n", pod);
    assert_int_equal(jr_scripted_push(w.api, PODS, jr_str(text)), 1);
    pass(&w, 300);
    assert_int_equal(w.patches_fail, 0);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p1"), 2);
    world_done(&w);
}

static double foreign_writes(struct world *w)
{
    return jr_metrics_get(w->metrics, "jobreeve_job_status_foreign_writes_total", NULL);
}

/** What we wrote is ours when the watch shows it, whether the answer has come by then or not; the
 * rest is another's. */
static void test_another_writes(void **state)
{
    struct world w;
    char status[2048];

    (void)state;
    world_init(&w, false);
    w.put_delay_ns = JR_SEC;
    world_start(&w);
    pass(&w, 0.5); /* the first write is under way */
    assert_int_equal(puts_seen(&w), 1);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    push_pod(&w, "ADDED", "p2", "Running", true);
    push_status(&w, last_status(&w, status, sizeof(status)));
    pass(&w, 1);
    assert_true(foreign_writes(&w) == 0);
    push_status(&w, "{\"active\":7}");
    push_status(&w, "{\"active\":7}"); /* only metadata has changed */
    push_status(&w, "{\"active\":7,\"startTime\":\"2026-03-01T12:00:00Z\"}"); /* a partner */
    assert_true(foreign_writes(&w) == 1);
    pass(&w, 1.5); /* which is put right: another write is under way */
    assert_int_equal(puts_seen(&w), 2);
    push_status(&w, "{\"active\":8}");
    assert_true(foreign_writes(&w) == 1);
    pass(&w, 1);
    assert_true(foreign_writes(&w) == 2);
    world_done(&w);
}

/** A write is refused for its version: the Job is read anew, once, and then waited for. */
static void test_a_conflict(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.puts_conflict = true;
    w.live_job = "{\"metadata\":{\"uid\":\"u1\",\"resourceVersion\":\"1000\"}}";
    world_start(&w);
    pass(&w, 0.5);
    assert_int_equal(creates(&w), 2);
    assert_int_equal(puts_seen(&w), 1);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    push_pod(&w, "ADDED", "p2", "Running", true);
    pass(&w, 30);
    push_pod(&w, "DELETED", "p2", "Running", false);
    pass(&w, 30);
    assert_int_equal(calls(&w, "GET", JOBS_IN("ns") "/j"), 1);
    assert_int_equal(creates(&w), 2);
    assert_int_equal(puts_seen(&w), 1);
    w.puts_conflict = false;
    w.version = 1000;
    push_status(&w, "{}");
    pass(&w, 5);
    assert_int_equal(creates(&w), 3);
    assert_int_equal(puts_seen(&w), 2);
    assert_int_equal(calls(&w, "GET", JOBS_IN("ns") "/j"), 1);
    world_done(&w);
}

/** Nothing is done before both lists are complete. */
static void test_both_caches_first(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    (void)snprintf(w.pods, sizeof(w.pods), "this is no list");
    world_start(&w);
    pass(&w, 5);
    assert_false(jr_controller_ready(w.c, NULL));
    assert_int_equal(creates(&w), 0);
    w.pods[0] = '\0';
    pass(&w, 60);
    assert_true(jr_controller_ready(w.c, NULL));
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

/** A creation without an answer: no other one until a list has shown what came of it. */
static void ambiguous(bool happened)
{
    struct world w;

    world_init(&w, false);
    w.create = CREATE_LOST;
    w.happens = happened;
    world_start(&w);
    pass(&w, 30);
    assert_int_equal(calls(&w, "GET", PODS "?limit"), 2);
    /* The first batch is one Pod. */
    assert_int_equal(creates(&w), happened ? 2 : 3);
    assert_int_equal(logged(&w, "caches synced"), 1); /* work is begun once, whatever is listed */
    world_done(&w);
}

static void test_ambiguous_happened(void **state)
{
    (void)state;
    ambiguous(true);
}

static void test_ambiguous_did_not_happen(void **state)
{
    (void)state;
    ambiguous(false);
}

/** With rights in two namespaces alone: each is listed for itself, nothing is done before all of
 * them are complete, and an ambiguous create in one lists that one anew. */
static void test_namespaces(void **state)
{
    struct world w;

    (void)state;
    world_init_by(&w, &(struct world_options){ .n_namespaces = 2 });
    w.create = CREATE_LOST;
    w.other_pods = "no list";
    world_start(&w);
    pass(&w, 5);
    assert_false(jr_controller_ready(w.c, NULL));
    assert_int_equal(creates(&w), 0);
    w.other_pods = "";
    pass(&w, 60);
    assert_true(jr_controller_ready(w.c, NULL));
    assert_int_equal(creates(&w), 3);
    assert_int_equal(calls(&w, "GET", PODS_IN("ns") "?limit"), 2);
    assert_int_equal(calls(&w, "GET", JOBS_IN("ns") "?limit"), 1);
    assert_int_equal(calls(&w, "GET", PODS "?"), 0);
    assert_int_equal(calls(&w, "GET", JOBS "?"), 0);
    assert_int_equal(jr_scripted_push(w.api, PODS_IN("other"), JR_S("")), 1);
    world_done(&w);
}

/** A Pod that was made and never seen, as another took it at once: the Job is looked at when it is
 * no longer expected. */
static void test_pod_never_seen(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    world_start(&w);
    pass(&w, 0.5);
    assert_int_equal(creates(&w), 2);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    pass(&w, 250);
    assert_int_equal(creates(&w), 2);
    pass(&w, 60);
    assert_int_equal(creates(&w), 3);
    world_done(&w);
}

/** Lists are made only by who leads; who stands by is ready. */
static void test_stands_by(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    w.holder = "another";
    world_start(&w);
    pass(&w, 5);
    assert_true(jr_controller_ready(w.c, NULL));
    assert_false(jr_controller_working(w.c));
    assert_int_equal(calls(&w, "GET", JOBS), 0);
    pass(&w, 30); /* the other does not renew */
    assert_true(jr_controller_working(w.c));
    assert_string_equal(w.taken, "me");
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

static void test_lease_lost(void **state)
{
    struct world w;
    size_t n;

    (void)state;
    world_init(&w, true);
    world_start(&w);
    pass(&w, 5);
    assert_true(jr_controller_working(w.c));
    w.lease_fails = true;
    pass(&w, 20);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 1);
    assert_false(jr_controller_ready(w.c, NULL));
    n = jr_scripted_count(w.api);
    pass(&w, 60);
    assert_int_equal(jr_scripted_count(w.api), n);
    assert_int_equal(w.ended, 1);
    assert_int_equal(jr_scripted_open(w.api), 0);
    world_done(&w);
}

/** How many syncs in a row of the Job have failed. */
static int failures(struct world *w)
{
    const char *at;
    JR_BUF text = { 0 };

    jr_buf_init(&text, 64 << 10);
    jr_controller_explain(w->c, JR_S("ns/j"), &text);
    assert_int_equal(text.failed, JR_OK);

    at = strstr(text.p, "\"failures\":");
    assert_non_null(at);
    return at[strlen("\"failures\":")] - '0';
}

/** A process that was stopped for a while writes nothing until it has read the Lease again, and
 * begins nothing that would fail for it. (Finding: syncs that are due after a standstill fail.) */
static void test_stood_still(void **state)
{
    struct world w;
    size_t before, writes;

    (void)state;
    world_init(&w, true);
    w.jobs = "";
    world_start(&w);
    pass(&w, 5);
    assert_true(jr_controller_working(w.c));
    w.version = 200;
    push_job(&w, "ADDED", "{}");
    before = jr_scripted_count(w.api);
    jr_clock_virtual_advance(&w.clock, 5 * JR_SEC); /* less than the Lease's time */
    w.lease_fails = true;
    pass(&w, 1);
    writes = creates(&w) + puts_seen(&w);
    assert_int_equal(writes, 0);
    assert_int_equal(logged(&w, "\"the loop stood still\""), 1);
    assert_true(jr_scripted_count(w.api) > before); /* it asks for the Lease */
    assert_int_equal(failures(&w), 0);
    w.lease_fails = false;
    pass(&w, 20);
    assert_int_equal(w.ended, 0);
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

/** A loop that has had nothing to do has not stood still. */
static void test_idle(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    world_start(&w);
    pass(&w, 5);
    w.version = 200;
    for (int i = 0; i < 10; i++) {
        pass(&w, 7);
        push_pod(&w, "MODIFIED", "p1", "Running", true);
    }
    pass(&w, 5);
    assert_true(jr_controller_working(w.c));
    assert_int_equal(logged(&w, "stood still"), 0);
    world_done(&w);
}

/** Freed at any moment, as a crash would end it: nothing leaks, nothing is called. */
static void test_crashes(void **state)
{
    (void)state;
    for (int ms = 0; ms < 40; ms++) {
        struct world w;

        world_init(&w, true);
        world_start(&w);
        for (int turn = 0; turn < ms; turn++)
            assert_int_equal(jr_loop_turn(w.loop, 10 * JR_MSEC, &(bool){ false }, NULL), JR_OK);
        world_done(&w);
        assert_int_equal(w.ended, 0);
    }
}

/** An object that can't be read is not taken for gone, and holds nothing else up. */
static void test_unreadable_object(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.jobs = "{\"metadata\":{\"name\":7}}," JOB;
    world_start(&w);
    pass(&w, 2);
    assert_true(jr_controller_ready(w.c, NULL));
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job),
        cmocka_unit_test(test_a_conflict),
        cmocka_unit_test(test_both_caches_first),
        cmocka_unit_test(test_ambiguous_happened),
        cmocka_unit_test(test_ambiguous_did_not_happen),
        cmocka_unit_test(test_a_deletion_that_fails),
        cmocka_unit_test(test_a_selector_is_tried_again),
        cmocka_unit_test(test_a_stray_whose_removal_failed),
        cmocka_unit_test(test_another_writes),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_pod_never_seen),
        cmocka_unit_test(test_stands_by),
        cmocka_unit_test(test_lease_lost),
        cmocka_unit_test(test_stood_still),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_unreadable_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
