/* Single rules of the room, beyond the rows of kind unit in the scenario file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "controller/reconcile/gang.h"
#include "tests/unit/reconcile/driver.h"

/** Each part has at least half of the room. */
static void gang_names_cut(void **state)
{
    char text[300];
    static const struct {
        size_t workload, template;
        size_t workload_cut, template_cut; /* with a hash of 8 to 10 characters */
    } rows[] = {
        { 10, 10, 10, 10 }, { 200, 200, 122, 121 }, { 20, 240, 20, 223 }, { 240, 20, 223, 20 }
    };

    (void)state;
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA a = { 0 };
        const char *name, *dash;

        jr_arena_init(&a, 0);
        name = jr_gang_pod_group_name(&a, (struct jr_str){ text, rows[i].workload },
                                      (struct jr_str){ text, rows[i].template });
        dash = strchr(name, '-');
        assert_true(strlen(name) <= 253);
        assert_true(rows[i].workload + rows[i].template <200 || strlen(name) == 253);
        assert_true(dash - name >= (ptrdiff_t)rows[i].workload_cut - 2);
        assert_true(strrchr(name, '-') - dash - 1 >= (ptrdiff_t)rows[i].template_cut - 2);
    }
}

static void test_generate_name_without_index(void **state)
{
    static const char *const names[][2] = {
        { "demo", "demo-" },        { "a", "a-" },  { "a.b", "a.b-" },
        { "Bad_Name", "Bad_Name" }, { "-x", "-x" }, { "a.-b", "a.-b" },
    };
    JR_ARENA a = { 0 };

    (void)state;
    jr_arena_init(&a, 0);
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++)
        assert_string_equal(jr_pod_generate_name(&a, jr_str(names[i][0]), -1), names[i][1]);
}

static void test_pod_index(void **state)
{
    static const struct {
        const char *text;
        int32_t want;
    } rows[] = {
        { NULL, -1 },
        { "", -1 },
        { "0", 0 },
        { "17", 17 },
        { "-1", -1 },
        { "x", -1 },
        { "1x", -1 },
        { "2147483647", INT32_MAX },
        { "+3", 3 },
        { "007", 7 },
        { " 1", -1 },
        { "99999999999", INT32_MAX },
        { "1e3", -1 },
        { "1.0", -1 },
        { "99999999999999999999", -1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_pod pod = { .completion_index = jr_str(rows[i].text) };

        assert_int_equal(jr_pod_index(&pod), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generate_name_without_index),
        cmocka_unit_test(test_pod_index),
        cmocka_unit_test(gang_names_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
