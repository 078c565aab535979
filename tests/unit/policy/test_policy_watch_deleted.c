/* SPDX-License-Identifier: Apache-2.0 */
/* Deleted policies, and their CustomResourceDefinition: who deletes that deletes them, and an API
 * server that fails deletes nothing. */
#include "tests/unit/policy/watch_world.h"

/** Puts policies a and b in force. */
static void begin(struct watch_world *w, bool pages)
{
    world_init(w);
    w->pages = pages;
    list_policies(w, policy(w, "ADDED", "a", "1", 1), policy(w, "ADDED", "b", "2", 1));
    world_synced(w);
    assert_in_force(w->store, "a@1 b@1");
    want_gauge(w, "2");
}

static void test_deleted(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w, false);
    tell_policy(&w, "DELETED", "a", "1", 1);
    assert_in_force(w.store, "b@1"); /* at once */
    want_gauge(&w, "1");
    tell_policy(&w, "DELETED", "x", "9", 1); /* nobody knew it */
    assert_in_force(w.store, "b@1");
    tell_policy(&w, "ADDED", "a", "3", 1);
    assert_in_force(w.store, "a@1 b@1");
    tell_policy(&w, "DELETED", "a", "3", 1);
    tell_policy(&w, "DELETED", "b", "2", 1);
    assert_in_force(w.store, "");
    want_gauge(&w, "0");
    world_done(&w);
}

/** A list without a policy deletes it: its deletion was told of while nobody watched. */
static void check_relist(bool pages)
{
    struct watch_world w;

    begin(&w, pages);
    list_policies(&w, policy(&w, "ADDED", "b", "2", 1));
    expire(&w);
    assert_in_force(w.store, "b@1");
    want_gauge(&w, "1");
    list_policies(&w, NULL);
    expire(&w);
    assert_in_force(w.store, "");
    want_gauge(&w, "0");
    world_done(&w);
}

static void test_relist(void **state)
{
    (void)state;
    check_relist(false);
    check_relist(true);
}

/** The definition is deleted. told: the watch tells of the policies' deletions first, as an API
 * server does; else nobody watched then, and the answer to a list is the first that is heard. */
static void check_definition(bool told, bool pages)
{
    struct watch_world w;

    begin(&w, pages);
    if (told) {
        tell_policy(&w, "DELETED", "a", "1", 1);
        tell_policy(&w, "DELETED", "b", "2", 1);
        assert_in_force(w.store, "");
    }
    w.list_status = 404;
    expire(&w);
    assert_in_force(w.store, "");
    want_gauge(&w, "0");
    /* It stays away: that there are none is known all the time. */
    world_wait(&w, 600);
    tell_bookmark(&w, NAMESPACES);
    assert_in_force(w.store, "");
    assert_true(jr_policy_watch_synced(w.watch));
    assert_true(jr_policy_watch_known_until(w.watch).ns > w.clock.wall.ns - 60 * JR_SEC);
    /* Another one takes its place. */
    w.list_status = 200;
    w.version += 100;
    list_policies(&w, policy(&w, "ADDED", "a", "3", 1), policy(&w, "ADDED", "c", "4", 1));
    world_wait(&w, 60);
    assert_in_force(w.store, "a@1 c@1");
    want_gauge(&w, "2");
    tell_policy(&w, "DELETED", "c", "4", 1);
    assert_in_force(w.store, "a@1");
    world_done(&w);
}

static void test_definition(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        check_definition((i & 1) != 0, (i & 2) != 0);
}

static const struct failure {
    const char *name;
    int status;
    bool silent, away;
} failures[] = {
    { "500", 500, false, false },      { "503", 503, false, false },
    { "401", 401, false, false },      { "403", 403, false, false },
    { "400", 400, false, false },      { "410", 410, false, false },
    { "429", 429, false, false },      { "405", 405, false, false },
    { "no answer", 200, true, false }, { "no connection", 200, false, true },
};

/** Policies stay as they were known as long as the API server says nothing of them. */
static void check_failure(const struct failure *f, bool pages)
{
    struct watch_world w;
    unsigned asked;

    begin(&w, pages);
    list_policies(&w, NULL);
    asked = w.asked;
    w.list_status = f->status;
    w.silent = f->silent;
    w.away = f->away;
    expire(&w);
    world_wait(&w, 3600);
    assert_in_force(w.store, "a@1 b@1");
    want_gauge(&w, "2");
    assert_true(jr_policy_watch_synced(w.watch));
    if (!f->away && w.asked < asked + 10)
        fail_msg("%s: asked %u times", f->name, w.asked - asked);
    w.list_status = 200;
    w.silent = w.away = false;
    world_wait(&w, 180);
    assert_in_force(w.store, "");
    want_gauge(&w, "0");
    world_done(&w);
}

static void test_failures(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        check_failure(&failures[i], false);
        check_failure(&failures[i], true);
    }
}

/** A policy that a list hasn't shown yet may be there. */
static void test_list_under_way(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w, false);
    w.list_open = true;
    list_policies(&w, policy(&w, "ADDED", "b", "2", 2));
    expire(&w);
    assert_in_force(w.store, "a@1 b@1");
    tell_policy(&w, "DELETED", "a", "1", 1);
    assert_in_force(w.store, "b@2");
    tell_end(&w);
    assert_in_force(w.store, "b@2");
    want_gauge(&w, "1");
    world_done(&w);
}

/** A cluster without the definition: nothing is known, so that nothing is decided. */
static void test_never_there(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.list_status = 404;
    world_start(&w, true);
    world_wait(&w, 600);
    assert_false(jr_policy_watch_synced(w.watch));
    assert_int_equal(w.listed, 0);
    want_gauge(&w, NULL);
    w.list_status = 200;
    world_wait(&w, 60);
    assert_true(jr_policy_watch_synced(w.watch));
    want_gauge(&w, "0");
    world_done(&w);
}

/** Before the first list is complete nothing is shown. */
static void test_gauge_before_the_list(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.list_open = true;
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1), policy(&w, "ADDED", "b", "2", 1));
    world_start(&w, true);
    world_wait(&w, 1);
    tell_policy(&w, "DELETED", "a", "1", 1);
    want_gauge(&w, NULL);
    assert_in_force(w.store, "");
    tell_end(&w);
    want_gauge(&w, "1");
    assert_in_force(w.store, "b@1");
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deleted),
        cmocka_unit_test(test_relist),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_list_under_way),
        cmocka_unit_test(test_never_there),
        cmocka_unit_test(test_gauge_before_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
