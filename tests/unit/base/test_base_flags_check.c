/* SPDX-License-Identifier: Apache-2.0 */
/* What single flags can't show wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/flags_check.h"

struct config {
    const char *name;
    bool on;
    int64_t number;
    double rate;
    struct jr_flag_list list;
    const char *given;
};

static enum jr_status is_short(const char *flag, struct jr_str v, struct jr_error *err)
{
    return v.n < 4 ? JR_OK : jr_fail(err, JR_USAGE, flag, "expected less than %.*s", JR_P(v));
}

#define AT(member) offsetof(struct config, member)
static const struct jr_flag table[] = {
    { "name", JR_FLAG_STR, AT(name), .check = is_short },
    { "on", JR_FLAG_BOOL, AT(on), .initial = "false" },
    { "number", JR_FLAG_INT, AT(number), .initial = "0" },
    { "rate", JR_FLAG_REAL, AT(rate), .initial = "0" },
    { "list", JR_FLAG_LIST, AT(list), .check = is_short },
    { "given", JR_FLAG_STR, AT(given), .initial = "" },
    { .name = NULL },
};
static const struct jr_flag_rule rules[] = {
    { "name", .with = "on", .words = "goes with --on" },
    { "list", .without = "number", .words = "not with --number" },
    { "rate", .with = "on", .words = "goes with --on" },
    { .flag = NULL },
};
static const struct jr_flags flags = { .program = "p", .table = table };

static void test_rows(void **state)
{
    static const struct {
        struct config config;
        const char *path; /* NULL: all is well */
        const char *msg;
    } rows[] = {
        { .config = { .name = NULL } },
        { .config = { .name = "abc", .on = true } },
        { .config = { .name = "abcd", .on = true },
          .path = "--name",
          .msg = "expected less than abcd" },
        { .config = { .name = "abc" }, .path = "--name", .msg = "goes with --on" },
        { .config = { .list = { .v = { { "a", 1 }, { "b", 1 } }, .n = 2 } } },
        { .config = { .list = { .v = { { "a", 1 }, { "long", 4 } }, .n = 2 } },
          .path = "--list",
          .msg = "expected less than long" },
        { .config = { .number = 1 } },
        { .config = { .rate = 0.25, .on = true } },
        { .config = { .rate = 0.25 }, .path = "--rate", .msg = "goes with --on" },
        { .config = { .number = 1, .list = { .v = { { "a", 1 } }, .n = 1 } },
          .path = "--list",
          .msg = "not with --number" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_error err = { .status = JR_OK };
        enum jr_status st = jr_flags_check(&flags, rules, &rows[i].config, &err);

        assert_int_equal(st, rows[i].path == NULL ? JR_OK : JR_USAGE);
        assert_string_equal(err.path, rows[i].path == NULL ? "" : rows[i].path);
        assert_string_equal(err.msg, rows[i].path == NULL ? "" : rows[i].msg);
    }
}

static void test_choices(void **state)
{
    static const char *const three[] = { "a", "b", "c", NULL };
    const struct jr_flag_list good = { .v = { JR_S("c"), JR_S("a") }, .n = 2 };
    const struct jr_flag_list bad = { .v = { JR_S("a"), JR_S("x") }, .n = 2 };
    struct jr_error err;

    (void)state;
    assert_int_equal(jr_flag_check_choices("--f", &good, three, &err), JR_OK);
    assert_int_equal(jr_flag_check_choices("--f", &bad, three, &err), JR_USAGE);
    assert_string_equal(err.path, "--f");
    assert_string_equal(err.msg, "expected a, b or c, not \"x\"");
}

/** Only of flags that may be left out. */
static void test_drop_empty(void **state)
{
    struct config c = { .name = "", .given = "" };

    (void)state;
    jr_flags_drop_empty(&flags, &c);
    assert_null(c.name);
    assert_string_equal(c.given, "");
    c.name = "x";
    jr_flags_drop_empty(&flags, &c);
    assert_string_equal(c.name, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_drop_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
