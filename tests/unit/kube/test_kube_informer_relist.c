/* SPDX-License-Identifier: Apache-2.0 */
/* Relists that an informer is asked for. (Findings: each ambiguous request began a list anew; a
 * watch that ended while a relist was pending waited for its turn.) */
#include "tests/unit/kube/informer_world.h"

static void test_a_relist(void **state)
{
    struct world w;
    struct jr_call *old, *c;

    (void)state;
    world_init(&w, NULL);
    old = synced(&w);
    assert_int_equal(jr_informer_list(w.inf), 1);
    assert_int_equal(jr_informer_relist(w.inf), 2);
    assert_int_equal(jr_informer_relist(w.inf), 2);
    assert_false(old->cancelled); /* not from inside */
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(old->cancelled);
    assert_int_equal(jr_informer_list(w.inf), 2);
    assert_true(event(c, "ADDED", "a", 4));
    assert_true(bookmark(c, 9, true));
    assert_notes(&w, "begin item(a@4) end(9) ");
    assert_int_equal(fake_untaken(&w.f), 0);
    world_done(&w);
}

/** What is asked for while a list is in progress is the next one: the list comes to its end. */
static void test_a_list_in_progress_comes_to_its_end(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    w.relist_on = "\"ask\"";
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(event(c, "ADDED", "ask", 3));
    w.relist_on = NULL;
    fake_wait(&w.f, 10 * JR_SEC);
    assert_int_equal(jr_informer_relist(w.inf), 2);
    assert_int_equal(fake_untaken(&w.f), 0);
    assert_true(bookmark(c, 7, true));
    assert_notes(&w, "begin item(ask@3) end(7) ");
    fake_close(c); /* the watch of that list, when it ends */
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_int_equal(jr_informer_list(w.inf), 2);
    assert_true(event(c, "ADDED", "ask", 3));
    assert_true(bookmark(c, 8, true));
    assert_notes(&w, "begin item(ask@3) end(8) ");
    world_done(&w);
}

static void test_a_relist_from_inside_a_page(void **state)
{
    const struct jr_informer_options o = { .path = "/apis/batch/v1/jobs", .name = "jobs" };
    struct world w;

    (void)state;
    world_init(&w, &o);
    w.relist_on = "\"ask\"";
    page(fake_expect(&w.f, "GET", LIST_PATH), "ask", 7, "t");
    w.relist_on = NULL;
    page(fake_expect(&w.f, "GET", LIST_PATH), "b", 7, "");
    assert_notes(&w, "begin item(ask@1) item(b@1) end(7) ");
    (void)fake_expect(&w.f, "GET", WATCH_PATH); /* until it is time */
    page(fake_expect(&w.f, "GET", LIST_PATH), "ask", 8, "");
    assert_notes(&w, "begin item(ask@1) end(8) ");
    (void)fake_expect(&w.f, "GET", WATCH_PATH);
    world_done(&w);
}

/** A burst of ambiguous writes, and one for every tenth of a second after it: at most two lists for
 * the first second, and each is resolved by one that began after it. */
static void test_many_ambiguous(void **state)
{
    struct world w;
    uint64_t resolved_by = 0;

    (void)state;
    world_init(&w, NULL);
    (void)synced(&w);
    for (int i = 0; i < 100; i++) {
        resolved_by = jr_informer_relist(w.inf);
        assert_int_equal(resolved_by, jr_informer_list(w.inf) + 1);
        if (i >= 90)
            fake_wait(&w.f, 100 * JR_MSEC);
    }
    assert_in_range(jr_informer_list(w.inf), 2, 3);
    world_done(&w);
}

static void test_relists_are_paced(void **state)
{
    struct world w;
    int64_t began;

    (void)state;
    world_init(&w, NULL);
    (void)synced(&w);
    began = w.f.clock.mono.ns;
    for (int i = 0; i < 6; i++) { /* each list is complete: a second apart */
        struct jr_call *c;

        (void)jr_informer_relist(w.inf);
        c = fake_expect(&w.f, "GET", STREAM_PATH);
        assert_true(bookmark(c, 8 + i, true));
    }
    assert_in_range((w.f.clock.mono.ns - began) / JR_SEC, 5, 12);
    world_done(&w);
}

/** A watch that ends while a relist waits for its time is watched on: nobody is blind meanwhile. */
static void test_a_watch_that_ends_meanwhile(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    (void)synced(&w);
    (void)jr_informer_relist(w.inf);
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(event(c, "ADDED", "a", 4));
    fake_wait(&w.f, 20 * JR_SEC); /* a long list: the next relist is paced by it */
    assert_true(bookmark(c, 9, true));
    assert_notes(&w, "begin item(a@4) end(9) ");
    (void)jr_informer_relist(w.inf);
    fake_wait(&w.f, 2 * JR_SEC);
    fake_close(c);
    c = fake_expect(&w.f, "GET", WATCH_PATH);
    assert_version(c, "9");
    assert_true(event(c, "ADDED", "b", 10));
    assert_notes(&w, "ADDED(b@10) ");
    c = fake_expect(&w.f, "GET", STREAM_PATH); /* and then its time comes */
    assert_true(bookmark(c, 11, true));
    assert_notes(&w, "begin end(11) ");
    world_done(&w);
}

/** Where a list is due anyway it is the one that was asked for. */
static void test_a_list_that_is_due_anyway(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    assert_false(error_event(c, 410, "Expired"));
    assert_int_equal(jr_informer_relist(w.inf), 2);
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(bookmark(c, 9, true));
    fake_wait(&w.f, 60 * JR_SEC);
    assert_int_equal(fake_untaken(&w.f), 0);
    assert_int_equal(jr_informer_list(w.inf), 2);
    world_done(&w);
}

static void test_a_relist_before_the_start_is_nothing(void **state)
{
    const struct jr_informer_options o = { .path = "/p", .name = "n" };
    const struct jr_informer_handler h = { 0 };
    struct jr_informer *inf = NULL;
    struct fake f;

    (void)state;
    fake_init(&f);
    inf = jr_informer_new(&f.env, &o, &h, NULL, NULL);
    assert_int_equal(jr_informer_relist(inf), 1);
    fake_wait(&f, JR_SEC);
    assert_int_equal(f.n_sent, 0);
    jr_informer_free(inf);
    jr_informer_free(NULL);
    fake_done(&f);
}

/** Brings a list of one object, in a page or as a stream, that is taken or not. */
static void bring_list(struct jr_call *c, bool paged, const char *name, int rv, bool taken)
{
    if (paged) {
        page(c, name, rv, "");
        return;
    }
    assert_true(event(c, "ADDED", name, rv));
    assert_int_equal(bookmark(c, rv, true), taken);
}

/** Consistent lists never go back. What one that did doesn't show may still be there: no end is
 * told, and the list is had again. (Finding: a Job that such a list left out was taken for gone,
 * and had Pods made anew when the next one showed it.) */
static void test_a_list_that_goes_back(void **state)
{
    const struct jr_informer_options pages = { .path = "/apis/batch/v1/jobs", .name = "jobs" };

    (void)state;
    for (int paged = 0; paged < 2; paged++) {
        struct world w;
        struct jr_call *c;

        world_init(&w, paged ? &pages : NULL);
        if (paged) {
            page(fake_expect(&w.f, "GET", LIST_PATH), "a", 7, "");
            assert_notes(&w, "begin item(a@1) end(7) ");
            c = fake_expect(&w.f, "GET", WATCH_PATH);
        } else {
            c = synced(&w);
        }
        assert_true(event(c, "ADDED", "b", 9));
        assert_false(error_event(c, 410, "Expired"));
        assert_notes(&w, "ADDED(b@9) ");
        c = fake_expect(&w.f, "GET", paged ? LIST_PATH : STREAM_PATH);
        bring_list(c, paged != 0, "a", 8, false);
        assert_notes(&w, paged ? "begin item(a@1) " : "begin item(a@8) ");
        assert_str(jr_buf_str(&w.progress), "8"); /* how old the cache is now */
        c = fake_expect(&w.f, "GET", paged ? LIST_PATH : STREAM_PATH);
        bring_list(c, paged != 0, "b", 9, true);
        assert_notes(&w, paged ? "begin item(b@1) end(9) " : "begin item(b@9) end(9) ");
        world_done(&w);
    }
}

/** Where each list is older etcd was restored: the fourth one is taken. */
static void test_an_etcd_that_was_restored(void **state)
{
    struct jr_call *c;
    struct world w;

    (void)state;
    world_init(&w, NULL);
    c = synced(&w);
    assert_true(event(c, "ADDED", "b", 90));
    assert_false(error_event(c, 410, "Expired"));
    assert_notes(&w, "ADDED(b@90) ");
    for (int i = 0; i < 4; i++) {
        c = fake_expect(&w.f, "GET", STREAM_PATH);
        assert_true(event(c, "ADDED", "a", 8));
        assert_int_equal(bookmark(c, 10 + i, true), i == 3);
        assert_notes(&w, i < 3 ? "begin item(a@8) " : "begin restored item(a@8) end(13) ");
    }
    assert_true(event(c, "ADDED", "c", 14)); /* the stream goes on */
    assert_notes(&w, "ADDED(c@14) ");
    world_done(&w);
}

/** A WatchList goes on as a watch when it is complete: a relist whose time came meanwhile doesn't
 * wait for the end of that. */
static void test_relist_in_a_watch_list(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    world_init(&w, NULL);
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_true(event(c, "ADDED", "a", 3));
    assert_int_equal(jr_informer_relist(w.inf), 2);
    fake_wait(&w.f, 10 * JR_SEC);
    assert_int_equal(fake_untaken(&w.f), 0);
    assert_true(bookmark(c, 7, true));
    c = fake_expect(&w.f, "GET", STREAM_PATH);
    assert_int_equal(jr_informer_list(w.inf), 2);
    assert_true(event(c, "ADDED", "b", 8));
    assert_true(bookmark(c, 9, true));
    assert_notes(&w, "begin item(a@3) end(7) begin item(b@8) end(9) ");
    fake_wait(&w.f, 100 * JR_SEC);
    assert_int_equal(jr_informer_list(w.inf), 2); /* that was it */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relist_in_a_watch_list),
        cmocka_unit_test(test_a_list_that_goes_back),
        cmocka_unit_test(test_an_etcd_that_was_restored),
        cmocka_unit_test(test_a_relist),
        cmocka_unit_test(test_a_list_in_progress_comes_to_its_end),
        cmocka_unit_test(test_a_relist_from_inside_a_page),
        cmocka_unit_test(test_many_ambiguous),
        cmocka_unit_test(test_relists_are_paced),
        cmocka_unit_test(test_a_watch_that_ends_meanwhile),
        cmocka_unit_test(test_a_list_that_is_due_anyway),
        cmocka_unit_test(test_a_relist_before_the_start_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
