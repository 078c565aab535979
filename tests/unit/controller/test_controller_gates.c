/* SPDX-License-Identifier: Apache-2.0 */
/* Gates that are known after the start, and that change while the controller runs. */
#include "tests/unit/controller/whole_world.h"

#define GANGS "/apis/scheduling.k8s.io/"

static const struct jr_reconcile_options off = { .workload_with_job = false };
static const struct jr_reconcile_options on = { .mutable_scheduling_directives = true,
                                                .stale_controller_consistency = true,
                                                .workload_with_job = true };

/** How often the API server was asked whether it has gangs, and for their lists. */
static size_t asked(const struct world *w, bool lists)
{
    size_t n = 0;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);
        const bool watch = memmem(c->path.p, c->path.n, "watch=", 6) != NULL;

        n += jr_str_starts(c->path, JR_S(GANGS)) && !watch &&
             (jr_str_find(c->path, '?') >= 0) == lists;
    }
    return n;
}

static void test_nothing_before(void **state)
{
    struct jr_error why = { .status = JR_OK };
    struct world w;

    (void)state;
    world_init_by(&w, &(struct world_options){ .await_gates = true });
    world_start(&w);
    pass(&w, 30);
    assert_int_equal(creates(&w) + puts_seen(&w), 0);
    assert_true(calls(&w, "GET", JOBS) > 0); /* the lists come meanwhile */
    assert_false(jr_controller_working(w.c));
    assert_false(jr_controller_ready(w.c, &why));
    assert_non_null(strstr(why.msg, "version is not known"));
    jr_controller_set_gates(w.c, &off);
    pass(&w, 0.5);
    assert_true(jr_controller_ready(w.c, NULL));
    assert_int_equal(creates(&w), 2);
    assert_int_equal(asked(&w, false), 0);
    world_done(&w);
}

static void test_before_it_leads(void **state)
{
    struct world w;

    (void)state;
    world_init_by(&w, &(struct world_options){ .await_gates = true, .elect = true });
    jr_controller_set_gates(w.c, &off);
    world_start(&w);
    pass(&w, 20);
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

static void test_gangs_come_first(void **state)
{
    struct world w;

    (void)state;
    world_init_by(&w, &(struct world_options){ .await_gates = true });
    w.gangs = true;
    world_start(&w);
    pass(&w, 5);
    assert_int_equal(asked(&w, false) + asked(&w, true), 0);
    jr_controller_set_gates(w.c, &on);
    assert_int_equal(creates(&w), 0);
    pass(&w, 5);
    assert_int_equal(asked(&w, false), 2); /* for v1beta1, then for v1alpha2 */
    assert_int_equal(asked(&w, true), 2);
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

static void test_changes(void **state)
{
    struct world w;

    (void)state;
    world_init_by(&w, &(struct world_options){ .await_gates = true });
    w.gangs = true;
    world_start(&w);
    jr_controller_set_gates(w.c, &off);
    pass(&w, 5);
    assert_int_equal(creates(&w), 2);
    assert_int_equal(asked(&w, false), 0);
    for (size_t i = 0; i < 3; i++) { /* asked anew each time, but for the lists */
        jr_controller_set_gates(w.c, &on);
        assert_true(jr_controller_working(w.c));
        pass(&w, 5);
        assert_int_equal(asked(&w, false), 2 * (i + 1));
        assert_int_equal(asked(&w, true), 2);
        jr_controller_set_gates(w.c, &off);
        pass(&w, 5);
    }
    assert_true(jr_controller_ready(w.c, NULL));
    jr_controller_stop(w.c);
    pass(&w, 20);
    jr_controller_set_gates(w.c, &on); /* too late to do anything */
    assert_int_equal(w.ended, 1);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_before),
        cmocka_unit_test(test_before_it_leads),
        cmocka_unit_test(test_gangs_come_first),
        cmocka_unit_test(test_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
