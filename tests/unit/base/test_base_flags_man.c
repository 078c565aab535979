/* SPDX-License-Identifier: Apache-2.0 */
/* Flag tables as roff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "docs/man/flags_man.h"

struct config {
    const char *name;
    bool quiet;
    int mode;
};

static const char *const modes[] = { "slow", "very-fast", NULL };

static const struct jr_flag table[] = {
    { "name", JR_FLAG_STR, offsetof(struct config, name), .initial = "a-b",
      .help = "A `NAME`,\n.not a request \\ here.", .letter = 'n' },
    { "be-quiet", JR_FLAG_BOOL, offsetof(struct config, quiet), .help = "Says nothing." },
    { "mode", JR_FLAG_ENUM, offsetof(struct config, mode), .initial = "slow", .help = "Mode.",
      .choices = modes },
    { .name = NULL },
};

static void test_text(void **state)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "plain", "plain" },
        { "a-b", "a\\-b" },
        { "\\n", "\\en" },
        { ".TH", "\\&.TH" },
        { "'so\n.x y.z", "\\&'so\n\\&.x y.z" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, 4096);
        jr_man_text(jr_str(rows[i].in), &out);
        if (!jr_str_is(jr_buf_str(&out), rows[i].out))
            fail_msg("%s: %.*s", rows[i].in, JR_P(jr_buf_str(&out)));
    }
}

static void test_a_table(void **state)
{
    const struct jr_flags flags = {
        .program = "a-prog", .summary = "Does things.", .args = "FILE...", .table = table
    };
    JR_BUF synopsis = { 0 };
    JR_BUF options = { 0 };

    (void)state;
    jr_buf_init(&synopsis, 4096);
    assert_int_equal(jr_flags_man_synopsis(&flags, &synopsis), JR_OK);
    assert_string_equal(synopsis.p, "\\fBa\\-prog\\fR [\\fIflags\\fR] \\fIFILE...\\fR\n");
    jr_buf_init(&options, 4096);
    assert_int_equal(jr_flags_man_options(&flags, &options), JR_OK);
    assert_string_equal(options.p,
                        ".TP\n\\fB\\-n\\fR, \\fB\\-\\-name\\fR \\fINAME\\fR\n"
                        "A \\fINAME\\fR,\n\\&.not a request \\e here.\n"
                        "The default is \\fBa\\-b\\fR.\n"
                        ".TP\n\\fB\\-\\-be\\-quiet\\fR\nSays nothing.\n"
                        ".TP\n\\fB\\-\\-mode\\fR \\fBslow\\fR|\\fBvery\\-fast\\fR\nMode.\n"
                        "The default is \\fBslow\\fR.\n"
                        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrints the flags.\n"
                        ".TP\n\\fB\\-\\-version\\fR\nPrints the version, and what the program was "
                        "built of and runs with.\n");
}

static void test_no_room(void **state)
{
    const struct jr_flags flags = { .program = "prog", .summary = "", .table = table };
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 40);
    assert_int_equal(jr_flags_man_options(&flags, &out), JR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_a_table),
        cmocka_unit_test(test_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
