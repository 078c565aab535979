/* SPDX-License-Identifier: Apache-2.0 */
/* A resource that the server doesn't serve any more. */
#include "tests/unit/kube/informer_world.h"

/** The watch has ended for good, and a list is begun. Returns its request. */
static struct jr_call *lists_anew(struct world *w, const char *path)
{
    assert_false(error_event(fake_expect(&w->f, "GET", WATCH_PATH), 410, "Expired"));
    return fake_expect(&w->f, "GET", path);
}

/** Brings an informer, by pages or a WatchList, to a watch from version 7 of object a. */
static void begin(struct world *w, bool may_vanish, bool watch_list)
{
    const struct jr_informer_options o = { .path = "/apis/batch/v1/jobs",
                                           .name = "jobs",
                                           .watch_list = watch_list,
                                           .may_vanish = may_vanish };
    struct jr_call *c;

    world_init(w, &o);
    c = fake_next(&w->f);
    if (!watch_list) {
        page(c, "a", 7, "");
        return;
    }
    assert_true(event(c, "ADDED", "a", 1));
    assert_true(bookmark(c, 7, true));
    fake_wait(&w->f, 400 * JR_SEC);
    fake_close(c);
}

static void check_vanished(bool may_vanish, bool watch_list)
{
    const char *path = watch_list ? STREAM_PATH : LIST_PATH;
    struct world w;
    struct jr_call *c;
    int64_t began;

    begin(&w, may_vanish, watch_list);
    assert_notes(&w, "begin item(a@1) end(7) ");
    c = lists_anew(&w, path);
    refuse(c, 503, "ServiceUnavailable");
    c = fake_expect(&w.f, "GET", path);
    assert_notes(&w, "");
    refuse(c, 404, "NotFound");
    assert_notes(&w, may_vanish ? "begin end(7) " : "");
    assert_true(jr_informer_synced(w.inf));
    for (int i = 0; i < 8; i++) {
        refuse(fake_expect(&w.f, "GET", path), 404, "NotFound");
        assert_notes(&w, may_vanish ? "begin end(7) " : "");
    }
    began = w.f.clock.mono.ns;
    c = fake_expect(&w.f, "GET", path);                                   /* it is there again */
    assert_int_equal(w.f.clock.mono.ns - began < 7 * JR_SEC, may_vanish); /* it is looked for */
    if (watch_list)
        assert_true(event(c, "ADDED", "b", 1) && bookmark(c, 9, true));
    else
        page(c, "b", 9, "");
    assert_notes(&w, "begin item(b@1) end(9) ");
    world_done(&w);
}

static void test_vanished(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        check_vanished((i & 1) != 0, (i & 2) != 0);
}

/** It goes between two pages. */
static void test_vanished_between_pages(void **state)
{
    struct world w;

    (void)state;
    begin(&w, true, false);
    assert_notes(&w, "begin item(a@1) end(7) ");
    page(lists_anew(&w, LIST_PATH), "a", 8, "t");
    refuse(fake_expect(&w.f, "GET", LIST_PATH), 404, "NotFound");
    assert_notes(&w, "begin item(a@1) begin end(7) ");
    page(fake_expect(&w.f, "GET", LIST_PATH), "b", 9, "");
    assert_notes(&w, "begin item(b@1) end(9) ");
    world_done(&w);
}

/** One that was never there isn't known to have no objects. */
static void test_never_there(void **state)
{
    const struct jr_informer_options o = {
        .path = "/apis/batch/v1/jobs", .name = "jobs", .watch_list = true, .may_vanish = true
    };
    struct world w;

    (void)state;
    world_init(&w, &o);
    for (int i = 0; i < 5; i++)
        refuse(fake_expect(&w.f, "GET", STREAM_PATH), 404, "NotFound");
    assert_notes(&w, "");
    assert_false(jr_informer_synced(w.inf));
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vanished),
        cmocka_unit_test(test_vanished_between_pages),
        cmocka_unit_test(test_never_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
