/* SPDX-License-Identifier: Apache-2.0 */
/* How much is done at one time: syncs, orphans, expired Jobs, requests. */
#include "tests/unit/controller/whole_world.h"

/** Jobs j0, j1, ... as a list has them, each with these members of its spec and this status. */
static void many_jobs(char *out, size_t cap, int n, const char *spec, const char *status)
{
    size_t at = 0;

    for (int i = 0; i < n; i++) {
        at += (size_t)snprintf(
            out + at, cap - at,
            "%s{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j%d\",\"uid\":\"u%d\","
            "\"resourceVersion\":\"5\"},\"spec\":{%s,\"selector\":{\"matchLabels\":{"
            "\"batch.kubernetes.io/controller-uid\":\"u%d\"}},\"template\":{\"metadata\":{"
            "\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u%d\"}},\"spec\":{}}},"
            "\"status\":%s}",
            i == 0 ? "" : ",", i, i, spec, i, i, status);
        assert_true(at < cap);
    }
}

/** Creations hang: no more Jobs have one than are synced at a time. */
static void test_syncs(void **state)
{
    static const struct {
        size_t concurrent;
        size_t want;
    } rows[] = { { 0, 5 }, { 1, 1 }, { 3, 3 } };
    char jobs[16384];

    (void)state;
    many_jobs(jobs, sizeof(jobs), 8, "\"parallelism\":3", "{}");
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;

        world_init_by(&w, &(struct world_options){ .concurrent_syncs = rows[i].concurrent });
        w.jobs = jobs;
        w.create = CREATE_HANGS;
        world_start(&w);
        pass(&w, 5);
        assert_int_equal(creates(&w), rows[i].want);
        world_done(&w);
    }
}

/** Appends a Pod that is nobody's, with the finalizer. Returns the length. */
static size_t add_orphan(struct world *w, size_t at, const char *name, const char *uid)
{
    at += (size_t)snprintf(w->pods + at, sizeof(w->pods) - at,
                           "%s{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\","
                           "\"resourceVersion\":\"5\",\"finalizers\":["
                           "\"batch.kubernetes.io/job-tracking\"]}}",
                           at == 0 ? "" : ",", name, uid);
    assert_true(at < sizeof(w->pods));
    return at;
}

/** Patches hang: no more orphans have one than are worked on at a time. */
static void test_orphans(void **state)
{
    static const struct {
        size_t concurrent;
        size_t want;
    } rows[] = { { 0, 5 }, { 2, 2 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        size_t at = 0;

        world_init_by(&w, &(struct world_options){ .concurrent_syncs = rows[i].concurrent });
        w.jobs = "";
        w.patches_hang = true;
        for (int p = 0; p < 8; p++) {
            char name[16];

            (void)snprintf(name, sizeof(name), "p%d", p);
            at = add_orphan(&w, at, name, name);
        }
        world_start(&w);
        pass(&w, 5);
        assert_int_equal(calls(&w, "PATCH", PODS_IN("ns")), rows[i].want);
        assert_int_equal(logged(&w, "orphaned pods not released"), 0);
        world_done(&w);
    }
}

/** Orphans that no patch can be made for are tried again, and hold nobody up. */
static void test_bad_orphans(void **state)
{
    struct world w;
    char uid[4000];
    size_t at = 0;

    (void)state;
    memset(uid, 'u', sizeof(uid) - 1);
    uid[sizeof(uid) - 1] = '\0';
    world_init(&w, false);
    w.jobs = "";
    for (int p = 0; p < 8; p++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "bad%d", p);
        at = add_orphan(&w, at, name, uid);
    }
    (void)add_orphan(&w, at, "good", "1");
    world_start(&w);
    pass(&w, 30);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/good"), 1);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/bad"), 0);
    assert_true(logged(&w, "orphaned pods not released") > 0);
    assert_int_equal(
        jr_metrics_get(w.metrics, "workqueue_retries_total", (const char *[]){ "job_orphan_pod" }),
        8 * 5); /* at 0, 1, 3, 7 and 15 s */
    world_done(&w);
}

/** Whoever refuses to let an orphan's finalizer go is counted by name. */
static void test_refused_orphan(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.jobs = "";
    w.refusal = "admission webhook \\\"x.example\\\" denied the request";
    (void)add_orphan(&w, 0, "p", "1");
    world_start(&w);
    pass(&w, 2);
    assert_int_equal(jr_metrics_get(w.metrics, "jobreeve_pod_finalizer_refusals_total",
                                    (const char *[]){ "x.example" }),
                     calls(&w, "PATCH", PODS_IN("ns") "/p"));
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns") "/p"), 2);
    world_done(&w);
}

/** Reading them hangs: five expired Jobs are worked on at a time, whatever the syncs do. */
static void test_expired(void **state)
{
    char jobs[16384];
    struct world w;

    (void)state;
    many_jobs(jobs, sizeof(jobs), 8, "\"ttlSecondsAfterFinished\":0",
              "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\","
              "\"lastTransitionTime\":\"2026-03-01T11:00:00Z\"}]}");
    world_init_by(&w, &(struct world_options){ .ttl = true, .concurrent_syncs = 2 });
    w.jobs = jobs;
    w.gets_hang = true;
    world_start(&w);
    pass(&w, 5);
    assert_int_equal(calls(&w, "GET", JOBS_IN("ns") "/j"), 5);
    world_done(&w);
}

/** It took less than the smallest bucket from the time at which the Job had expired. */
static void want_prompt_deletion(const struct world *w)
{
    static const char bucket[] =
        "ttl_after_finished_controller_job_deletion_duration_seconds_bucket{le=\"0.1\"} 1\n";
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)1 << 20);
    assert_int_equal(jr_metrics_render(w->metrics, &text), JR_OK);
    assert_non_null(strstr(text.p, bucket));
}

/** An expired Job is read anew, and deleted as what it is; others of them wait for their time. */
static void test_an_expired_job(void **state)
{
    char jobs[16384];
    struct world w;

    (void)state;
    many_jobs(jobs, sizeof(jobs), 1, "\"ttlSecondsAfterFinished\":100",
              "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\","
              "\"lastTransitionTime\":\"2026-03-01T12:00:00Z\"}]}");
    world_init_by(&w, &(struct world_options){ .ttl = true });
    w.jobs = jobs;
    w.live_job = jobs;
    world_start(&w);
    pass(&w, 99);
    assert_int_equal(calls(&w, "GET", JOBS_IN("ns") "/j0"), 0);
    pass(&w, 2);
    assert_int_equal(calls(&w, "GET", JOBS_IN("ns") "/j0"), 1);
    assert_int_equal(calls(&w, "DELETE", JOBS_IN("ns") "/j0"), 1);
    pass(&w, 1000);
    assert_int_equal(calls(&w, "DELETE", JOBS_IN("ns") "/j0"), 1);
    want_prompt_deletion(&w);
    world_done(&w);
}

/** A hundred requests are in flight at most, of all Jobs. */
static void test_requests(void **state)
{
    struct world w;
    size_t at = 0;

    (void)state;
    world_init(&w, false);
    w.patches_hang = true;
    for (int p = 0; p < 130; p++) {
        char name[16], pod[2048];

        (void)snprintf(name, sizeof(name), "p%d", p);
        at += (size_t)snprintf(w.pods + at, sizeof(w.pods) - at, "%s%s", p == 0 ? "" : ",",
                               pod_text(pod, sizeof(pod), name, "Failed", true, 7));
        assert_true(at < sizeof(w.pods));
    }
    world_start(&w);
    pass(&w, 5);
    assert_int_equal(calls(&w, "PATCH", PODS_IN("ns")), 100);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syncs),       cmocka_unit_test(test_orphans),
        cmocka_unit_test(test_bad_orphans), cmocka_unit_test(test_refused_orphan),
        cmocka_unit_test(test_expired),     cmocka_unit_test(test_an_expired_job),
        cmocka_unit_test(test_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
