/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of tests/vectors/controller-scenarios.json, made by running upstream's controller, one
 * sync each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/reconcile/driver.h"

/** Groups under test and how many rows each has: a row that goes missing is a failure too. */
static const struct {
    const char *name;
    unsigned rows;
} groups[] = {
    { "create", 14 },   { "complete", 9 },  { "track", 13 },   { "claim", 9 },
    { "suspend", 11 },  { "backoff", 21 },  { "deadline", 6 }, { "indexed", 13 },
    { "delete", 8 },    { "zero", 3 },      { "replace", 8 },  { "jobdel", 4 },
    { "managedby", 2 }, { "perindex", 15 }, { "pfp", 14 },     { "sp", 9 },
};

static bool in_group(const struct jr_node *row, const char *group)
{
    struct jr_str name = jr_get_str(row, "name");

    return jr_str_is(jr_get_str(row, "kind"), "sync") && jr_str_starts(name, jr_str(group)) &&
           name.n > strlen(group) && name.p[strlen(group)] == '/';
}

static unsigned run_row(const struct jr_node *row)
{
    struct jr_doc *expect = scenario_expect(row), *got;
    struct scenario sc;
    unsigned bad;

    scenario_open(&sc, row);
    got = scenario_run(&sc);
    bad = scenario_compare(row, jr_doc_root(expect), jr_doc_root(got));
    scenario_close(&sc);
    jr_doc_free(expect);
    jr_doc_free(got);
    return bad > 0;
}

static void test_scenarios(void **state)
{
    struct jr_doc *doc = scenarios_load();
    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(groups); i++) {
        unsigned rows = 0, bad = 0;

        for (const struct jr_node *row = jr_first(jr_doc_root(doc)); row != NULL;
             row = jr_next(row)) {
            if (!in_group(row, groups[i].name))
                continue;
            bad += run_row(row);
            rows++;
        }
        print_message("%s: %u of %u\n", groups[i].name, rows - bad, rows);
        failed += bad + (rows == groups[i].rows ? 0 : 1);
    }
    jr_doc_free(doc);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_scenarios) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
