/* SPDX-License-Identifier: Apache-2.0 */
/* The memory budget of all requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webhook/net/memory_budget.h"

static void test_budget(void **state)
{
    struct jr_budget b = { .limit = 100 }; /* all that fits is small */

    (void)state;
    assert_true(jr_budget_take(&b, 60, 0, 0));
    assert_false(jr_budget_take(&b, 41, 0, 0));
    assert_true(jr_budget_take(&b, 40, 0, 0));
    assert_int_equal(jr_budget_used(&b), 100);
    assert_true(jr_budget_take(&b, 0, 0, 0));
    assert_false(jr_budget_take(&b, 1, 0, 0));
    assert_false(jr_budget_take(&b, SIZE_MAX, 0, 0));
    jr_budget_give(&b, 100);
    assert_int_equal(jr_budget_used(&b), 0);
}

#define MIB ((size_t)1 << 20)

/** An eighth is left to small ones, whatever large ones ask for. */
static void test_share_of_small(void **state)
{
    struct jr_budget b = { .limit = 256 * MIB };

    (void)state;
    assert_true(jr_budget_take(&b, 100 * MIB, 0, 0));
    assert_true(jr_budget_take(&b, 124 * MIB, 0, 0));
    assert_false(jr_budget_take(&b, 5 * MIB, 0, 0));
    assert_false(jr_budget_take(&b, MIB, 100 * MIB, 0)); /* what it has counts */
    assert_false(jr_budget_take(&b, 1000, 0, 5 * MIB));  /* and what is to come */
    for (int i = 0; i < 8; i++) {
        assert_true(jr_budget_take(&b, 3 * MIB, 0, 3 * MIB));
        assert_true(jr_budget_take(&b, MIB, 3 * MIB, 3 * MIB));
    }
    assert_false(jr_budget_take(&b, 1, 0, 0));
    jr_budget_give(&b, 156 * MIB);
    assert_int_equal(jr_budget_used(&b), 100 * MIB);
    assert_int_equal(jr_budget_most(&b), 224 * MIB);
    assert_true(jr_budget_take(&b, 124 * MIB, 100 * MIB, 0));
    assert_false(jr_budget_take(&b, 2 * MIB, 224 * MIB, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_share_of_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
