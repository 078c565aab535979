/* SPDX-License-Identifier: Apache-2.0 */
/* Ambiguous creations: resolved by a list of their own namespace, or of all. */
#include "controller/work/ambiguous_creates.h"
#include "tests/unit/controller/controller_test.h"

static const struct jr_object_key in_a = { { "a", 1 }, { "j", 1 }, { "u1", 2 } };
static const struct jr_object_key in_b = { { "b", 1 }, { "j", 1 }, { "u2", 2 } };

struct world {
    struct jr_state s;
    struct jr_ambiguous_creates ambiguous;
};

/** Both Jobs wait for a creation that is ambiguous. */
static void world_init(struct world *w)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    char name[] = "j";
    struct jr_object_key lent = in_a;

    jr_state_init(&w->s, &options, false, NULL);
    jr_ambiguous_creates_init(&w->ambiguous);
    jr_expectations_set(w->s.expectations, &in_a, 1, 0, AT_S(1));
    jr_expectations_set(w->s.expectations, &in_b, 1, 0, AT_S(1));
    lent.name = jr_str(name);
    jr_ambiguous_creates_add(&w->ambiguous, &lent, 3, &w->s);
    name[0] = 'x';
    jr_ambiguous_creates_add(&w->ambiguous, &in_b, 4, &w->s);
}

static void world_done(struct world *w)
{
    jr_ambiguous_creates_done(&w->ambiguous);
    jr_state_done(&w->s);
}

static bool waits(struct world *w, const struct jr_object_key *key)
{
    return !jr_expectations_satisfied(w->s.expectations, key, AT_S(2));
}

static void test_own_namespace(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    jr_ambiguous_creates_resolve(&w.ambiguous, JR_S("b"), 4, &w.s, AT_S(2));
    assert_true(waits(&w, &in_a));
    assert_false(waits(&w, &in_b));
    assert_false(jr_queue_look(w.s.jobs, JR_S("a/j")).waiting);
    assert_true(jr_queue_look(w.s.jobs, JR_S("b/j")).waiting);
    jr_ambiguous_creates_resolve(&w.ambiguous, JR_S("a"), 4, &w.s, AT_S(2));
    assert_false(waits(&w, &in_a));
    assert_true(jr_queue_look(w.s.jobs, JR_S("a/j")).waiting);
    world_done(&w);
}

static void test_all_namespaces(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    jr_ambiguous_creates_resolve(&w.ambiguous, ALL_NAMESPACES, 5, &w.s, AT_S(2));
    assert_false(waits(&w, &in_a));
    assert_false(waits(&w, &in_b));
    assert_true(TAILQ_EMPTY(&w.ambiguous));
    world_done(&w);
}

/** A list says nothing of what was ambiguous after it was begun. */
static void test_lists_from_before(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    jr_ambiguous_creates_resolve(&w.ambiguous, ALL_NAMESPACES, 2, &w.s, AT_S(2));
    assert_true(waits(&w, &in_a));
    jr_ambiguous_creates_resolve(&w.ambiguous, ALL_NAMESPACES, 3, &w.s, AT_S(2));
    assert_false(waits(&w, &in_a));
    assert_true(waits(&w, &in_b));
    jr_ambiguous_creates_resolve(&w.ambiguous, ALL_NAMESPACES, 4, &w.s, AT_S(2));
    assert_false(waits(&w, &in_b));
    world_done(&w);
}

static void test_left_over(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_namespace),
        cmocka_unit_test(test_all_namespaces),
        cmocka_unit_test(test_lists_from_before),
        cmocka_unit_test(test_left_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
