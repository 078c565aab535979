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
    struct jr_budget b = { .limit = 100 };

    (void)state;
    assert_true(jr_budget_take(&b, 60));
    assert_false(jr_budget_take(&b, 41));
    assert_true(jr_budget_take(&b, 40));
    assert_int_equal(jr_budget_used(&b), 100);
    assert_true(jr_budget_take(&b, 0));
    assert_false(jr_budget_take(&b, 1));
    assert_false(jr_budget_take(&b, SIZE_MAX));
    jr_budget_give(&b, 100);
    assert_int_equal(jr_budget_used(&b), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
