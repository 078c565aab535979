/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a JobPolicy was accepted: who is told, when, and what happens on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/controller/reporter_world.h"

#define WRONG "\"limits\":{\"parallelism\":{\"min\":9,\"max\":1}}"
#define NOT_WRITTEN "a JobPolicy's status is not written"
#define POLICY_0 POLICIES "/p0"

#define want_accepted(w, policy, want) assert_true(jr_str_is(world_accepted(w, policy), want))

/* ---- who is told, and when ---- */

static void only_the_leader(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    w.leads = false;
    w.audit_interval_ms = 1000;
    world_start(&w);
    world_run(&w, 120);
    assert_int_equal(jr_scripted_count(w.api), 0);
    w.leads = true;
    world_run(&w, 30);
    want_accepted(&w, 0, "True");
    assert_true(world_audit(&w, 0, "checked") >= 0);
    world_done(&w);
}

static void once_for_each_generation(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_add_policy(&w, WRONG);
    world_start(&w);
    world_run(&w, 3600);
    want_accepted(&w, 0, "True");
    want_accepted(&w, 1, "False");
    assert_int_equal(world_patches(&w, 0), 1);
    assert_int_equal(world_patches(&w, 1), 1);

    /* The status, and labels: another version, the same generation. */
    w.policies[0].version++;
    world_tell(&w, "MODIFIED", 0);
    world_run(&w, 60);
    assert_int_equal(world_patches(&w, 0), 1);
    assert_int_equal(world_asked(&w, "GET", POLICY_0), 1);

    world_change(&w, 0, WRONG);
    world_run(&w, 60);
    want_accepted(&w, 0, "False");
    assert_int_equal(world_patches(&w, 0), 2);
    assert_int_equal(world_patches(&w, 1), 1);
    world_done(&w);
}

/** Whatever makes it so: a limit without sense, or fields of wrong types. */
static void unusable_policies(void **state)
{
    static const char *const specs[] = { WRONG, "\"limits\":{\"parallelism\":{\"max\":\"x\"}}",
                                         "\"limits\":7", "\"match\":{\"namespaces\":[1]}", "" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(specs); i++) {
        struct world w;

        world_init(&w);
        w.policies[0].spec = specs[i];
        world_start(&w);
        world_run(&w, 60);
        want_accepted(&w, 0, "False");
        assert_int_equal(world_patches(&w, 0), 1);
        world_done(&w);
    }
}

static void no_audit(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    w.jobs = 3;
    world_start(&w);
    world_run(&w, 3600);
    want_accepted(&w, 0, "True");
    assert_int_equal(world_audit(&w, 0, "checked"), -1);
    assert_int_equal(world_asked(&w, "GET", "/apis/batch/"), 0);
    world_done(&w);
}

static void what_is_said_already(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_start(&w);
    world_run(&w, 30);
    /* Another process leads now, and finds what this one has written. */
    jr_policy_reporter_free(w.reporter);
    world_start(&w);
    world_run(&w, 60);
    assert_int_equal(world_patches(&w, 0), 1);
    world_done(&w);
}

static void one_that_comes_later(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_start(&w);
    world_run(&w, 30);
    world_add_policy(&w, MAX_10);
    world_tell(&w, "ADDED", 1);
    world_run(&w, 30);
    want_accepted(&w, 1, "True");
    assert_int_equal(world_patches(&w, 0), 1);
    world_done(&w);
}

/** Its generation is the same: 1. */
static void deleted_and_made_again(void **state)
{
    static const int64_t pauses[] = { 0, 30 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(pauses); i++) {
        struct world w;

        world_init(&w);
        world_start(&w);
        world_run(&w, 30);
        w.policies[0].gone = true;
        world_tell(&w, "DELETED", 0);
        world_run(&w, pauses[i]);
        w.policies[0].gone = false;
        w.policies[0].uid++;
        w.policies[0].version += 5;
        jr_remove(jr_doc_root(w.policies[0].status), JR_S("conditions"), NULL);
        world_tell(&w, "ADDED", 0);
        world_run(&w, 60);
        want_accepted(&w, 0, "True");
        world_done(&w);
    }
}

/* ---- what goes wrong ---- */

static void conflicts(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_fault(&w, (struct world_fault){ "PATCH", POLICY_0, 409, 2, 0 });
    world_start(&w);
    world_run(&w, 10);
    want_accepted(&w, 0, "True");
    assert_int_equal(world_patches(&w, 0), 3);
    assert_int_equal(world_asked(&w, "GET", POLICY_0), 3); /* read anew each time */
    assert_int_equal(world_logged(&w, NOT_WRITTEN), 0);
    world_done(&w);
}

/** One that always conflicts is given up for now, and the next one may conflict all the same. */
static void conflicts_without_end(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_add_policy(&w, MAX_10);
    world_fault(&w, (struct world_fault){ "PATCH", POLICY_0, 409, 100000, 0 });
    world_fault(&w, (struct world_fault){ "PATCH", POLICIES "/p1", 409, 2, 0 });
    world_start(&w);
    world_run(&w, 20);
    want_accepted(&w, 0, "");
    want_accepted(&w, 1, "True");
    assert_int_equal(world_logged(&w, NOT_WRITTEN), 1);
    assert_true(world_patches(&w, 0) < 20);
    w.faults[0].times = 0;
    world_run(&w, 60);
    want_accepted(&w, 0, "True");
    world_done(&w);
}

/** What is refused is logged, holds nobody up, and is tried again after a while. */
static void refused(void **state)
{
    static const struct world_fault faults[] = {
        { "PATCH", POLICY_0, 403, 1, 0 }, { "PATCH", POLICY_0, 422, 1, 0 },
        { "PATCH", POLICY_0, 500, 1, 0 }, { "PATCH", POLICY_0, 1, 1, 0 },
        { "GET", POLICY_0, 403, 1, 0 },   { "GET", POLICY_0, 500, 1, 0 },
        { "GET", POLICY_0, 1, 1, 0 },     { "GET", POLICY_0, 200, 1, 0 }, /* with nothing */
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++) {
        struct world w;

        world_init(&w);
        world_add_policy(&w, MAX_10);
        world_fault(&w, faults[i]);
        world_start(&w);
        world_run(&w, 15);
        want_accepted(&w, 0, "");
        want_accepted(&w, 1, "True");
        assert_int_equal(world_logged(&w, NOT_WRITTEN), 1);
        assert_int_equal(world_logged(&w, "\"policy\":\"p0\",\"err\""), 1);
        world_run(&w, 60);
        want_accepted(&w, 0, "True");
        assert_int_equal(world_logged(&w, NOT_WRITTEN), 1);
        assert_int_equal(world_patches(&w, 1), 1);
        world_done(&w);
    }
}

/** It isn't told of the deletion. */
static void deleted_meanwhile(void **state)
{
    static const struct world_fault faults[] = { { "PATCH", POLICY_0, 404, 100, 0 },
                                                 { "GET", POLICY_0, 404, 100, 0 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++) {
        struct world w;

        world_init(&w);
        world_add_policy(&w, MAX_10);
        world_fault(&w, faults[i]);
        world_start(&w);
        world_run(&w, 60);
        want_accepted(&w, 1, "True");
        assert_int_equal(world_logged(&w, NOT_WRITTEN), 0);
        assert_int_equal(world_asked(&w, "GET", POLICY_0), 1);
        world_done(&w);
    }
}

/** The object is ahead of what the watch has told: nothing is said of what it doesn't know. */
static void changed_meanwhile(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_start(&w);
    while (!jr_str_is(world_accepted(&w, 0), "True") && world_asked(&w, "GET", POLICY_0) == 0) {
        if (world_asked(&w, "GET", POLICIES "?watch") == 1)
            w.policies[0].generation = 2;
        world_turn(&w);
    }
    world_run(&w, 10);
    assert_int_equal(world_patches(&w, 0), 0);
    w.policies[0].generation = 1;
    world_change(&w, 0, WRONG);
    world_run(&w, 10);
    want_accepted(&w, 0, "False");
    world_done(&w);
}

/* ---- leadership ---- */

static void lost_on_the_way(void **state)
{
    static const char *const at[] = { POLICIES "?watch", POLICY_0, POLICIES "/p1" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(at); i++) {
        struct world w;

        world_init(&w);
        world_add_policy(&w, MAX_10);
        w.lose_at = at[i];
        world_start(&w);
        world_run(&w, 300);
        assert_false(w.leads);
        assert_int_equal(world_patches(&w, 0), i == 2 ? 1 : 0);
        assert_int_equal(world_patches(&w, 1), 0);
        w.lose_at = NULL;
        w.leads = true;
        world_run(&w, 300);
        want_accepted(&w, 0, "True");
        want_accepted(&w, 1, "True");
        assert_int_equal(world_patches(&w, 0), 1);
        world_done(&w);
    }
}

/* ---- breaking off ---- */

/** After each number of turns there are until all is done, with failures on the way. */
static void broken_off_at_any_time(void **state)
{
    bool done = false;

    (void)state;
    for (size_t n = 0; !done; n++) {
        struct world w;

        world_init(&w);
        world_add_policy(&w, WRONG);
        w.audit_interval_ms = 60000;
        w.jobs = 150;
        w.cron_jobs = 3;
        w.violating_each = 10;
        w.configuration = "{\"webhooks\":[]}";
        world_fault(&w, (struct world_fault){ "PATCH", POLICY_0, 409, 1, 0 });
        world_fault(&w, (struct world_fault){ "GET", JOBS, 500, 1, 1 });
        world_fault(&w, (struct world_fault){ "GET", CRON_JOBS, 410, 1, 0 });
        world_start(&w);
        for (size_t i = 0; i < n; i++)
            world_turn(&w);
        done = world_audit(&w, 1, "checked") == 153;
        assert_true(n < 1000);
        world_done(&w);
    }
    jr_policy_reporter_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_leader),        cmocka_unit_test(once_for_each_generation),
        cmocka_unit_test(unusable_policies),      cmocka_unit_test(no_audit),
        cmocka_unit_test(what_is_said_already),   cmocka_unit_test(one_that_comes_later),
        cmocka_unit_test(deleted_and_made_again), cmocka_unit_test(conflicts),
        cmocka_unit_test(conflicts_without_end),  cmocka_unit_test(refused),
        cmocka_unit_test(deleted_meanwhile),      cmocka_unit_test(changed_meanwhile),
        cmocka_unit_test(lost_on_the_way),        cmocka_unit_test(broken_off_at_any_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
