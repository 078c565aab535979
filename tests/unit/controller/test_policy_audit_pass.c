/* SPDX-License-Identifier: Apache-2.0 */
/* What is found in the Jobs and CronJobs that are there: all of them, once, at its own rate,
 * whatever the API server does meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/controller/reporter_world.h"

#define NOT_AUDITED "Jobs and CronJobs are not audited"
#define AUDITED "Jobs and CronJobs audited"
#define INTERVAL_MS 600000
#define MEBI ((size_t)1 << 20)

static void audited_init(struct world *w, size_t jobs, size_t cron_jobs)
{
    world_init(w);
    w->audit_interval_ms = INTERVAL_MS;
    w->jobs = jobs;
    w->cron_jobs = cron_jobs;
    w->violating_each = 10;
}

static void want_audit(const struct world *w, size_t policy, int64_t checked, int64_t violating,
                       int64_t skipped)
{
    const int64_t have[] = { world_audit(w, policy, "checked"), world_audit(w, policy, "violating"),
                             world_audit(w, policy, "skipped") };

    if (have[0] != checked || have[1] != violating || have[2] != skipped)
        fail_msg("policy %zu: checked %lld, violating %lld, skipped %lld", policy,
                 (long long)have[0], (long long)have[1], (long long)have[2]);
}

static const struct jr_node *worst(const struct world *w)
{
    return jr_path(jr_doc_root_const(w->policies[0].status), "audit.worst");
}

/* ---- pages ---- */

static void all_pages(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 250, 120);
    world_add_policy(&w, "\"match\":{\"namespaces\":[\"x\"]}," MAX_10);
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 370, 37, 0);
    want_audit(&w, 1, 0, 0, 0);
    assert_int_equal(jr_size(worst(&w)), 10);
    assert_true(jr_str_is(jr_get_str(jr_at(worst(&w), 0), "name"), "c-0"));
    assert_true(world_asked(&w, "GET", JOBS) >= 3);
    assert_int_equal(world_logged(&w, AUDITED), 1);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_policy_audit_objects", NULL) == 370);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_policy_audit_violating",
                               (const char *const[]){ "p0", NULL }) == 37);
    assert_true(jr_str_is(world_accepted(&w, 0), "True"));
    world_done(&w);
}

static void nothing_there(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 0, 0);
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 0, 0, 0);
    assert_int_equal(jr_size(worst(&w)), 0);
    world_done(&w);
}

/** Between the beginnings. */
static void every_interval(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 20, 0);
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 20, 2, 0);
    w.jobs = 30;
    world_run(&w, 500);
    want_audit(&w, 0, 20, 2, 0);
    world_run(&w, 100);
    want_audit(&w, 0, 30, 3, 0);
    assert_int_equal(world_asked(&w, "GET", JOBS), 2);
    world_done(&w);
}

static void without_policies(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 20, 0);
    jr_doc_free(w.policies[0].status);
    w.n_policies = 0;
    world_start(&w);
    world_run(&w, 60);
    assert_int_equal(world_asked(&w, "GET", "/apis/batch/"), 0);
    world_done(&w);
}

/** 30 of 5,000; in no second more than 500 come, but for a page at the edge. */
static void at_its_own_rate(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 4800, 200);
    w.violating_each = 172; /* 28 Jobs, 2 CronJobs */
    world_start(&w);
    world_run(&w, 120);
    want_audit(&w, 0, 5000, 30, 0);
    assert_int_equal(w.served, 5000);
    for (size_t from = 0; from < w.n_pages; from++) {
        size_t n = 0;

        for (size_t i = from; i < w.n_pages && w.pages[i].at_ns < w.pages[from].at_ns + JR_SEC; i++)
            n += w.pages[i].n;
        assert_true(n <= 500);
    }
    assert_true(w.pages[w.n_pages - 1].at_ns - w.pages[0].at_ns >= 9 * JR_SEC);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_policy_audit_duration_seconds", NULL) >= 9);
    world_done(&w);
}

/* ---- what can't be read ---- */

static void items_that_are_none(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 0, 10);
    w.items = "7,null,\"x\",[],{\"spec\":7},{\"a\":1,\"a\":2},"
              "{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\"},\"spec\":{\"parallelism\":11}}";
    world_start(&w);
    world_run(&w, 60);
    assert_int_equal(world_logged(&w, NOT_AUDITED), 0);
    assert_int_equal(world_audit(&w, 0, "violating"), 2);
    assert_int_equal(world_audit(&w, 0, "checked") + world_audit(&w, 0, "skipped"), 17);
    world_done(&w);
}

/** Pages over the limit are read object by object; one that no reader takes is skipped. */
static void long_objects(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 12, 2);
    w.padding = MEBI;
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 14, 3, 0);
    assert_int_equal(world_logged(&w, NOT_AUDITED), 0);
    world_done(&w);

    audited_init(&w, 1, 1);
    w.padding = 9 * MEBI;
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 0, 0, 2);
    assert_int_equal(world_logged(&w, NOT_AUDITED), 0);
    world_done(&w);
}

/** Where all objects are long, most of what is sent is not thrown away. */
static void many_long_objects(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 300, 0);
    w.padding = 100000;
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 300, 30, 0);
    assert_true(w.served <= 3 * w.jobs);
    world_done(&w);
}

/* ---- what goes wrong ---- */

static void expired(const char *path, size_t skip)
{
    struct world w;

    audited_init(&w, 250, 250);
    world_fault(&w, (struct world_fault){ "GET", path, 410, 1, skip });
    world_start(&w);
    world_run(&w, 60);
    want_audit(&w, 0, 500, 50, 0);
    assert_int_equal(jr_size(worst(&w)), 10);
    assert_true(jr_metrics_get(w.metrics, "jobreeve_policy_audit_objects", NULL) == 500);
    assert_int_equal(world_logged(&w, NOT_AUDITED), 0);
    world_done(&w);
}

/** All is counted, and nothing twice. */
static void lists_that_expire(void **state)
{
    (void)state;
    expired(JOBS, 0);
    expired(JOBS, 1);
    expired(JOBS, 2);
    expired(CRON_JOBS, 0);
    expired(CRON_JOBS, 2);
}

/** It isn't begun anew for ever. */
static void lists_that_always_expire(void **state)
{
    static const char *const paths[] = { JOBS, CRON_JOBS };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(paths); i++) {
        struct world w;

        audited_init(&w, 20, 20);
        world_fault(&w, (struct world_fault){ "GET", paths[i], 410, 100000, 0 });
        world_start(&w);
        world_run(&w, 300);
        assert_int_equal(world_logged(&w, NOT_AUDITED), 1);
        assert_int_equal(world_audit(&w, 0, "checked"), -1);
        assert_true(world_asked(&w, "GET", "/apis/batch/") < 30);
        world_done(&w);
    }
}

static void failures_that_end(void **state)
{
    static const int statuses[] = { 500, 503, 504, 429, 1 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(statuses); i++) {
        struct world w;

        audited_init(&w, 250, 30);
        world_fault(&w, (struct world_fault){ "GET", JOBS, statuses[i], 3, 1 });
        world_fault(&w, (struct world_fault){ "GET", CRON_JOBS, statuses[i], 3, 0 });
        world_start(&w);
        world_run(&w, 200);
        want_audit(&w, 0, 280, 28, 0);
        assert_int_equal(world_logged(&w, NOT_AUDITED), 0);
        world_done(&w);
    }
}

/** Pages without objects may come; of a server that has nothing else no more is asked. (Finding:
 * 6,500 requests a second.) */
static void pages_that_bring_nothing(void **state)
{
    struct world w;

    (void)state;
    audited_init(&w, 250, 20);
    w.empty_pages = 5;
    world_start(&w);
    world_run(&w, 120);
    want_audit(&w, 0, 270, 27, 0);
    assert_int_equal(world_asked(&w, "GET", JOBS), 3 + 5);
    assert_true(w.pages[5].at_ns - w.pages[0].at_ns >= 5 * JR_SEC);
    w.empty_pages = SIZE_MAX;
    world_run(&w, 590);
    assert_int_equal(world_logged(&w, NOT_AUDITED), 1);
    assert_true(world_asked(&w, "GET", JOBS) <= 20);
    w.empty_pages = 0;
    world_run(&w, 700);
    assert_int_equal(world_logged(&w, AUDITED), 2);
    world_done(&w);
}

/** It says so, and begins again with the next interval. */
static void failures_without_end(void **state)
{
    static const struct world_fault faults[] = { { "GET", JOBS, 500, 100000, 1 },
                                                 { "GET", JOBS, 403, 100000, 0 },
                                                 { "GET", CRON_JOBS, 404, 100000, 0 },
                                                 { "GET", CRON_JOBS, 1, 100000, 0 },
                                                 { "GET", JOBS, 200, 100000, 1 } /* of no list */ };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++) {
        struct world w;

        audited_init(&w, 250, 30);
        world_fault(&w, faults[i]);
        world_start(&w);
        world_run(&w, 500);
        assert_int_equal(world_logged(&w, NOT_AUDITED), 1);
        assert_int_equal(world_audit(&w, 0, "checked"), -1);
        assert_true(jr_str_is(world_accepted(&w, 0), "True"));
        assert_true(world_asked(&w, "GET", "/apis/batch/") < 30);
        w.faults[0].times = 0;
        world_run(&w, 200);
        want_audit(&w, 0, 280, 28, 0);
        world_done(&w);
    }
}

/* ---- namespaces the webhook isn't asked in ---- */

static void marked(void **state)
{
    static const struct {
        const char *configuration;
        int status;
        bool marked, logged;
    } rows[] = {
        { "{\"webhooks\":[{\"rules\":[{\"apiGroups\":[\"batch\"],\"resources\":[\"jobs\"],"
          "\"operations\":[\"CREATE\"]}],\"namespaceSelector\":{\"matchExpressions\":[{\"key\":"
          "\"kubernetes.io/metadata.name\",\"operator\":\"NotIn\",\"values\":[\"ns\"]}]}}]}",
          0, true, false },
        { "{\"webhooks\":[]}", 0, false, false },
        { "{\"webhooks\":[]}", 403, false, true },
        { "{\"webhooks\":[]}", 500, false, true },
        { "{\"webhooks\":[]}", 404, false, false },
        { "no JSON", 0, false, true },
        { NULL, 0, false, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        struct jr_str message;

        audited_init(&w, 5, 0);
        w.configuration = rows[i].configuration;
        if (rows[i].status != 0)
            world_fault(&w, (struct world_fault){ "GET", CONFIGURATION, rows[i].status, 100, 0 });
        world_start(&w);
        world_run(&w, 60);
        want_audit(&w, 0, 5, 1, 0);
        message = jr_get_str(jr_at(worst(&w), 0), "message");
        assert_true(jr_str_ends(message, JR_S("is not asked in this namespace)")) ==
                    rows[i].marked);
        assert_int_equal(world_logged(&w, "in which namespaces the webhook is asked is not known"),
                         rows[i].logged);
        world_done(&w);
    }
}

/* ---- while it goes on ---- */

/** Whoever doesn't lead audits nothing, and writes nothing of what it has seen. */
static void leadership_lost(void **state)
{
    static const char *const at[] = { JOBS, CRON_JOBS };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(at); i++) {
        struct world w;
        size_t asked;

        audited_init(&w, 5000, 5000);
        w.lose_at = at[i];
        world_start(&w);
        while (w.leads)
            world_turn(&w);
        world_run(&w, 5);
        asked = world_asked(&w, "GET", "/apis/batch/");
        world_run(&w, 300);
        assert_int_equal(world_asked(&w, "GET", "/apis/batch/"), asked);
        assert_int_equal(world_patches(&w, 0), 1); /* that it was accepted */
        w.lose_at = NULL;
        w.leads = true;
        world_run(&w, 600);
        want_audit(&w, 0, 10000, 1000, 0);
        world_done(&w);
    }
}

/** An audit by two policies is under way. */
static void begin_audit_of_two(struct world *w)
{
    audited_init(w, 2000, 0);
    world_add_policy(w, MAX_10);
    world_start(w);
    while (world_asked(w, "GET", JOBS) == 0)
        world_turn(w);
}

/** Tallies are those of the policies that were; the changed one is audited next time. */
static void policies_change(void **state)
{
    struct world w;

    (void)state;
    begin_audit_of_two(&w);
    world_change(&w, 0, "\"limits\":{\"parallelism\":{\"max\":9}}");
    world_run(&w, 60);
    assert_int_equal(world_audit(&w, 0, "checked"), -1);
    want_audit(&w, 1, 2000, 200, 0);
    assert_int_equal(
        jr_node_i64_or(jr_get(jr_doc_root_const(w.policies[0].status), "observedGeneration"), -1),
        2);
    world_run(&w, 600);
    want_audit(&w, 0, 2000, 2000, 0);
    world_done(&w);
}

static void policies_go(void **state)
{
    struct world w;

    (void)state;
    begin_audit_of_two(&w);
    w.policies[0].gone = true;
    world_tell(&w, "DELETED", 0);
    world_run(&w, 60);
    want_audit(&w, 1, 2000, 200, 0);
    assert_int_equal(world_audit(&w, 0, "checked"), -1);
    assert_int_equal(world_logged(&w, "status is not written"), 0);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pages),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(every_interval),
        cmocka_unit_test(without_policies),
        cmocka_unit_test(at_its_own_rate),
        cmocka_unit_test(items_that_are_none),
        cmocka_unit_test(long_objects),
        cmocka_unit_test(many_long_objects),
        cmocka_unit_test(lists_that_expire),
        cmocka_unit_test(lists_that_always_expire),
        cmocka_unit_test(failures_that_end),
        cmocka_unit_test(failures_without_end),
        cmocka_unit_test(pages_that_bring_nothing),
        cmocka_unit_test(marked),
        cmocka_unit_test(leadership_lost),
        cmocka_unit_test(policies_change),
        cmocka_unit_test(policies_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
