/* SPDX-License-Identifier: Apache-2.0 */
/* Deleted policies, and their CustomResourceDefinition: who deletes that turns no policy off. */
#include "tests/unit/policy/watch_world.h"

#define HELD(w, n) assert_int_equal(jr_policy_watch_held((w)->watch), n)

/** Policies a and b are in force. */
static void begin(struct watch_world *w)
{
    world_init(w);
    list_policies(w, policy(w, "ADDED", "a", "1", 1), policy(w, "ADDED", "b", "2", 1));
    world_synced(w);
    assert_in_force(w->store, "a@1 b@1");
}

static void test_deleted(void **state)
{
    struct watch_world w;
    unsigned asked;

    (void)state;
    begin(&w);
    asked = w.asked;
    w.crd_delay_ns = 2 * JR_SEC;
    tell_policy(&w, "DELETED", "a", "1", 1);
    world_wait(&w, 1);
    assert_int_equal(w.asked, asked + 1);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 1);
    world_wait(&w, 2);
    assert_in_force(w.store, "b@1");
    HELD(&w, 0);
    tell_policy(&w, "DELETED", "x", "9", 1); /* nobody knew it */
    world_wait(&w, 5);
    assert_in_force(w.store, "b@1");
    world_done(&w);
}

/** An answer to a question that was asked before a deletion says nothing of that. */
static void test_deleted_behind_a_question(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w);
    w.crd_delay_ns = 4 * JR_SEC;
    tell_policy(&w, "DELETED", "a", "1", 1);
    world_wait(&w, 2);
    tell_policy(&w, "DELETED", "b", "2", 1);
    w.crd_status = w.list_status = 404; /* for the next one */
    world_wait(&w, 3);
    assert_in_force(w.store, "b@1");
    world_wait(&w, 60);
    assert_in_force(w.store, "b@1");
    HELD(&w, 1);
    world_done(&w);
}

struct failure {
    const char *name;
    int status;
    bool silent, away;
};
static const struct failure failures[] = {
    { "500", 500, false, false },      { "403", 403, false, false },
    { "429", 429, false, false },      { "410", 410, false, false },
    { "no answer", 200, true, false }, { "no connection", 200, false, true },
};

/** seconds: as the definition can't be read for so long. */
static void check_failure(const struct failure *f, int seconds)
{
    struct watch_world w;

    begin(&w);
    w.crd_status = f->status;
    w.crd_silent = f->silent;
    w.away = f->away;
    tell_policy(&w, "DELETED", "a", "1", 1);
    world_wait(&w, seconds);
    if (jr_policy_watch_held(w.watch) != 1)
        fail_msg("%s, %d s: not held", f->name, seconds);
    assert_in_force(w.store, "a@1 b@1");
    w.crd_status = 200;
    w.crd_silent = w.away = false;
    list_policies(&w, policy(&w, "ADDED", "b", "2", 1));
    world_wait(&w, 30);
    if (jr_policy_watch_held(w.watch) != 0)
        fail_msg("%s, %d s: held on", f->name, seconds);
    assert_in_force(w.store, "b@1");
    world_done(&w);
}

static void test_failures(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        check_failure(&failures[i], 5);
        check_failure(&failures[i], 3600);
    }
}

struct loss {
    const char *name;
    int status;
    bool deleting;
    const char *uid;
};
static const struct loss losses[] = {
    { "is being deleted", 200, true, "crd-1" },
    { "is gone", 404, false, "crd-1" },
    { "is another one", 200, false, "crd-2" },
    { "is another one that is being deleted", 200, true, "crd-2" },
};

static void lose(struct watch_world *w, const struct loss *l)
{
    w->crd_status = l->status;
    w->crd_deleting = l->deleting;
    w->crd_uid = l->uid;
    w->list_status = 404;
    tell_policy(w, "DELETED", "a", "1", 1);
    tell_policy(w, "DELETED", "b", "2", 1);
}

static void come_back(struct watch_world *w)
{
    w->crd_status = w->list_status = 200;
    w->crd_deleting = false;
    w->crd_uid = "crd-2";
}

/** What the list shows when it is there again is what is in force then. */
static void check_loss(const struct loss *l)
{
    struct watch_world w;

    begin(&w);
    lose(&w, l);
    world_wait(&w, 600);
    assert_in_force(w.store, "a@1 b@1");
    if (jr_policy_watch_held(w.watch) != 2)
        fail_msg("%s: %zu held", l->name, jr_policy_watch_held(w.watch));
    come_back(&w);
    w.version += 100;
    list_policies(&w, policy(&w, "ADDED", "b", "3", 1), policy(&w, "ADDED", "c", "4", 1));
    world_wait(&w, 120);
    assert_in_force(w.store, "b@1 c@1");
    HELD(&w, 0);
    /* From there on a deletion is one. */
    tell_policy(&w, "DELETED", "b", "3", 1);
    world_wait(&w, 5);
    assert_in_force(w.store, "c@1");
    world_done(&w);
}

static void test_losses(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(losses); i++)
        check_loss(&losses[i]);
}

/** The definition is being deleted: a is gone, b has a finalizer. */
static void begin_deleting(struct watch_world *w)
{
    begin(w);
    w->crd_deleting = true;
    list_policies(w, policy(w, "ADDED", "b", "2", 1));
    tell_policy(w, "DELETED", "a", "1", 1);
}

/** A list that breaks off, and one that comes while the definition is away, decide nothing. */
static void test_lists_of_a_lost_one(void **state)
{
    struct watch_world w;

    (void)state;
    begin_deleting(&w);
    world_wait(&w, 60);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 1);
    w.crd_status = 404;
    list_policies(&w, NULL);
    world_wait(&w, 60);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 2);
    world_done(&w);
}

/** A new definition is there, but its policies haven't been listed yet: another deletion of the old
 * ones doesn't end them. */
static void test_deletion_before_the_list(void **state)
{
    struct watch_world w;

    (void)state;
    begin_deleting(&w);
    world_wait(&w, 30); /* a list, and the definition is still being deleted */
    HELD(&w, 1);
    w.list_status = 500;
    w.crd_deleting = false;
    w.crd_uid = "crd-2";
    tell_policy(&w, "DELETED", "b", "2", 1);
    world_wait(&w, 3);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 2);
    come_back(&w);
    w.version += 100;
    list_policies(&w, policy(&w, "ADDED", "a", "5", 2));
    world_wait(&w, 60);
    assert_in_force(w.store, "a@2");
    HELD(&w, 0);
    world_done(&w);
}

/** Both stay in force all the time. */
static void wait_with_both(struct watch_world *w)
{
    for (int i = 0; i < 60; i++) {
        SNAPSHOT *now = NULL;

        world_wait(w, 1);
        now = jr_policy_store_get(w->store);
        assert_int_equal(now->set.n, 2);
    }
}

/** A list of the old definition's policies, and an answer that tells of the new one: which policies
 * that has isn't known yet. */
static void test_list_of_the_old_one(void **state)
{
    struct watch_world w;

    (void)state;
    begin_deleting(&w);
    world_wait(&w, 3);
    w.crd_status = 500;
    world_wait(&w, 6); /* listed, and the question isn't answered */
    come_back(&w);
    list_policies(&w, policy(&w, "ADDED", "a", "5", 2), policy(&w, "ADDED", "b", "6", 2));
    wait_with_both(&w);
    assert_in_force(w.store, "a@2 b@2");
    HELD(&w, 0);
    world_done(&w);
}

/** A list that was begun before the new definition was seen ends behind that. */
static void test_list_begun_before(void **state)
{
    struct watch_world w;

    (void)state;
    begin_deleting(&w);
    world_wait(&w, 6); /* listed once; the next list hangs */
    w.list_open = true;
    world_wait(&w, 6);
    come_back(&w);
    tell_policy(&w, "DELETED", "b", "2", 1);
    world_wait(&w, 1);
    w.list_open = false;
    list_policies(&w, policy(&w, "ADDED", "a", "5", 2), policy(&w, "ADDED", "b", "6", 2));
    tell_end(&w);
    wait_with_both(&w);
    assert_in_force(w.store, "a@2 b@2");
    HELD(&w, 0);
    world_done(&w);
}

/** It comes back, and goes once more before its policies are listed. */
static void test_lost_once_more(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w);
    lose(&w, &losses[1]);
    world_wait(&w, 30);
    come_back(&w);
    list_policies(&w, NULL);
    w.deleting_from = w.asked + 2;
    world_wait(&w, 60);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 2);
    come_back(&w);
    w.deleting_from = 0;
    w.crd_uid = "crd-3";
    world_wait(&w, 60);
    assert_in_force(w.store, "");
    HELD(&w, 0);
    world_done(&w);
}

/** A deletion before the list, where the definition was on its way out when the process began. */
static void test_lost_from_the_start(void **state)
{
    struct watch_world w;

    (void)state;
    world_init(&w);
    w.crd_deleting = true;
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1), policy(&w, "ADDED", "b", "2", 1));
    world_start(&w, true);
    world_wait(&w, 2);
    assert_true(jr_policy_watch_synced(w.watch));
    assert_in_force(w.store, "a@1 b@1");
    tell_policy(&w, "DELETED", "a", "1", 1);
    w.list_status = 404;
    world_wait(&w, 2);
    w.crd_deleting = false;
    w.crd_uid = "crd-2";
    tell_policy(&w, "DELETED", "b", "2", 1);
    world_wait(&w, 2);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 2);
    w.list_status = 200;
    list_policies(&w, NULL);
    world_wait(&w, 120);
    assert_in_force(w.store, "");
    HELD(&w, 0);
    world_done(&w);
}

/** Another uid than at the first question, which a list asks. */
static void test_first_question(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w);
    assert_int_equal(w.asked, 1);
    w.crd_uid = "crd-2";
    list_policies(&w, policy(&w, "ADDED", "a", "1", 1));
    w.list_status = 500;
    tell_policy(&w, "DELETED", "b", "2", 1);
    world_wait(&w, 60);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 1);
    w.list_status = 200;
    world_wait(&w, 60);
    assert_in_force(w.store, "a@1");
    world_done(&w);
}

static void test_created_again(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w);
    w.crd_status = 500;
    tell_policy(&w, "DELETED", "a", "1", 1);
    tell_policy(&w, "DELETED", "b", "2", 1);
    world_wait(&w, 20);
    HELD(&w, 2);
    tell_policy(&w, "ADDED", "a", "3", 1);
    HELD(&w, 1);
    w.crd_status = 200;
    world_wait(&w, 30);
    assert_in_force(w.store, "a@1");
    HELD(&w, 0);
    world_done(&w);
}

/** That it can't be read doesn't mean that it isn't there. */
static void test_created_again_unread(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w);
    w.crd_status = 500;
    tell_policy(&w, "DELETED", "a", "1", 1);
    tell_policy(&w, "DELETED", "b", "2", 1);
    world_wait(&w, 20);
    w.version = 300;
    tell(&w, POLICIES,
         "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"3\","
         "\"resourceVersion\":"
         "\"290\"},\"x\":\"\\q\"}}\n");
    tell(&w, POLICIES,
         "{\"type\":\"CHANGED\",\"object\":{\"metadata\":{\"name\":\"b\",\"uid\":\"3\"}}}\n");
    w.crd_status = 200;
    world_wait(&w, 30);
    assert_in_force(w.store, "a@1 b@1");
    HELD(&w, 0);
    world_done(&w);
}

static void test_free_while_asking(void **state)
{
    struct watch_world w;

    (void)state;
    begin(&w);
    w.crd_silent = true;
    tell_policy(&w, "DELETED", "a", "1", 1);
    world_done(&w);
    begin(&w);
    w.crd_status = 500;
    tell_policy(&w, "DELETED", "a", "1", 1);
    world_wait(&w, 1); /* before it is asked again */
    world_done(&w);
    begin(&w);
    lose(&w, &losses[1]);
    world_wait(&w, 1); /* before the list */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deleted),
        cmocka_unit_test(test_deleted_behind_a_question),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_lists_of_a_lost_one),
        cmocka_unit_test(test_deletion_before_the_list),
        cmocka_unit_test(test_list_of_the_old_one),
        cmocka_unit_test(test_list_begun_before),
        cmocka_unit_test(test_lost_once_more),
        cmocka_unit_test(test_lost_from_the_start),
        cmocka_unit_test(test_first_question),
        cmocka_unit_test(test_created_again),
        cmocka_unit_test(test_created_again_unread),
        cmocka_unit_test(test_free_while_asking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
