/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/percent.h"
#include "common/base/str.h"
#include "common/base/utf8.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

static const struct jr_str none = { NULL, 0 };

static void compare(void **state)
{
    static const struct {
        const char *name;
        struct jr_str a, b;
        int want;
    } rows[] = {
        { "equal", { "abc", 3 }, { "abc", 3 }, 0 },
        { "less", { "abc", 3 }, { "abd", 3 }, -1 },
        { "prefix", { "ab", 2 }, { "abc", 3 }, -1 },
        { "longer", { "abc", 3 }, { "ab", 2 }, 1 },
        { "bytes are unsigned", { "\xff", 1 }, { "a", 1 }, 1 },
        { "embedded zero", { "a\0b", 3 }, { "a\0c", 3 }, -1 },
        { "absent and empty", { NULL, 0 }, { "", 0 }, 0 },
        { "absent and some", { NULL, 0 }, { "a", 1 }, -1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        WANT_INT(rows[i].name, jr_str_cmp(rows[i].a, rows[i].b), rows[i].want);
        WANT_INT(rows[i].name, jr_str_cmp(rows[i].b, rows[i].a), -rows[i].want);
        WANT_INT(rows[i].name, jr_str_eq(rows[i].a, rows[i].b), rows[i].want == 0);
    }
}

static void starts_and_ends(void **state)
{
    static const struct {
        const char *name, *s, *part;
        bool starts, ends;
    } rows[] = {
        { "front", "spec.a", "spec", true, false }, { "back", "a.spec", "spec", false, true },
        { "whole", "spec", "spec", true, true },    { "longer", "spe", "spec", false, false },
        { "empty part", "spec", "", true, true },   { "both empty", "", "", true, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_str s = jr_str(rows[i].s), part = jr_str(rows[i].part);

        WANT_INT(rows[i].name, jr_str_starts(s, part), rows[i].starts);
        WANT_INT(rows[i].name, jr_str_ends(s, part), rows[i].ends);
    }
    assert_true(jr_str_starts(none, none));
    assert_true(jr_str_ends(none, none));
    assert_true(jr_str_is(JR_S("x"), "x"));
    assert_false(jr_str_is(JR_S("x"), "xy"));
}

static void find(void **state)
{
    (void)state;
    assert_int_equal(jr_str_find(JR_S("a.b.c"), '.'), 1);
    assert_int_equal(jr_str_rfind(JR_S("a.b.c"), '.'), 3);
    assert_int_equal(jr_str_find(JR_S("abc"), '.'), -1);
    assert_int_equal(jr_str_rfind(JR_S("abc"), '.'), -1);
    assert_int_equal(jr_str_find(none, '.'), -1);
    assert_int_equal(jr_str_rfind(none, '.'), -1);
}

static void parts(void **state)
{
    (void)state;
    WANT_VIEW("from", jr_str_from(JR_S("abc"), 1), JR_S("bc"));
    WANT_VIEW("from the end", jr_str_from(JR_S("abc"), 3), JR_S(""));
    WANT_VIEW("from beyond", jr_str_from(JR_S("abc"), 9), JR_S(""));
    WANT_VIEW("from absent", jr_str_from(none, 4), none);
    WANT_VIEW("head", jr_str_head(JR_S("abc"), 2), JR_S("ab"));
    WANT_VIEW("head beyond", jr_str_head(JR_S("abc"), 9), JR_S("abc"));
}

static void cut(void **state)
{
    static const struct {
        const char *name, *s;
        const char *want[4];
    } rows[] = {
        { "three parts", "a,b,c", { "a", "b", "c" } }, { "empty middle", "a,,b", { "a", "", "b" } },
        { "empty front", ",a", { "", "a" } },          { "no separator", "abc", { "abc" } },
        { "separator at the end", "a,", { "a" } },     { "nothing", "", { NULL } },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_str rest = jr_str(rows[i].s), part;
        size_t n = 0;

        for (; jr_str_cut(&rest, ',', &part); n++) {
            if (rows[i].want[n] == NULL)
                fail_msg("%s: too many parts", rows[i].name);
            WANT_VIEW(rows[i].name, part, jr_str(rows[i].want[n]));
        }
        if (rows[i].want[n] != NULL)
            fail_msg("%s: only %zu parts", rows[i].name, n);
    }
}

static void trim(void **state)
{
    (void)state;
    WANT_VIEW("both sides", jr_str_trim(JR_S(" \t\r\n a b \n")), JR_S("a b"));
    WANT_VIEW("only space", jr_str_trim(JR_S(" \t ")), JR_S(""));
    WANT_VIEW("absent", jr_str_trim(none), none);
}

static void duplicate(void **state)
{
    char *p = jr_str_dup((struct jr_str){ "abc", 2 });

    (void)state;
    assert_non_null(p);
    assert_string_equal(p, "ab");
    free(p);
    p = jr_str_dup(none);
    assert_non_null(p);
    assert_string_equal(p, "");
    free(p);
    jr_failalloc_arm(1);
    p = jr_str_dup(JR_S("a"));
    jr_failalloc_disarm();
    assert_null(p);
}

static void utf8(void **state)
{
    static const struct {
        const char *name, *s;
        uint32_t cp;
        size_t n; /* 0: malformed */
    } rows[] = {
        { "ascii", "a", 'a', 1 },
        { "two bytes", "\xc3\xa9", 0xe9, 2 },
        { "three bytes", "\xe2\x82\xac", 0x20ac, 3 },
        { "four bytes", "\xf0\x9f\x98\x80", 0x1f600, 4 },
        { "last", "\xf4\x8f\xbf\xbf", 0x10ffff, 4 },
        { "beyond the last", "\xf4\x90\x80\x80", 0, 0 },
        { "lone continuation", "\x80", 0, 0 },
        { "overlong of two", "\xc0\x80", 0, 0 },
        { "overlong of three", "\xe0\x80\x80", 0, 0 },
        { "overlong of four", "\xf0\x80\x80\x80", 0, 0 },
        { "surrogate", "\xed\xa0\x80", 0, 0 },
        { "cut short", "\xe2\x82", 0, 0 },
        { "no continuation", "\xe2\x82z", 0, 0 },
        { "never used", "\xff", 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        uint32_t cp;
        bool bad;
        size_t n = jr_utf8_next(jr_str(rows[i].s), &cp, &bad);

        WANT_INT(rows[i].name, bad, rows[i].n == 0);
        WANT_INT(rows[i].name, n, bad ? 1 : rows[i].n);
        WANT_INT(rows[i].name, cp, bad ? JR_UTF8_BAD : rows[i].cp);
    }
}

static void whole_characters(void **state)
{
    static const struct {
        const char *s;
        size_t n;
        const char *want;
    } rows[] = {
        { "abc", 5, "abc" },
        { "abc", 3, "abc" },
        { "abc", 2, "ab" },
        { "abc", 0, "" },
        { "a\xc3\xa4"
          "b",
          2, "a" },
        { "a\xc3\xa4"
          "b",
          3, "a\xc3\xa4" },
        { "\xe2\x82\xac", 2, "" },
        { "\x80\x80\x80", 2, "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (!jr_str_is(jr_utf8_head(jr_str(rows[i].s), rows[i].n), rows[i].want))
            fail_msg("row %zu", i);
    }
    assert_int_equal(jr_utf8_head((struct jr_str){ NULL, 0 }, 3).n, 0);
}

static void put(void **state)
{
    char room[8] = "-------", *to = room;
    struct jr_str a, b, empty;

    (void)state;
    a = jr_str_put(&to, JR_S("ab"));
    empty = jr_str_put(&to, (struct jr_str){ NULL, 0 });
    b = jr_str_put(&to, JR_S("c"));
    assert_string_equal(room, "abc----");
    assert_ptr_equal(to, room + 3);
    assert_true(jr_str_is(a, "ab") && jr_str_is(b, "c") && empty.n == 0);
}

static void percent(void **state)
{
    static const struct {
        struct jr_str s;
        int want;
    } rows[] = {
        { { "%2F", 3 }, '/' }, { { "%2fabc", 6 }, '/' }, { { "%00", 3 }, 0 },
        { { "%fF", 3 }, 255 }, { { "%2", 2 }, -1 },      { { "%2F", 2 }, -1 },
        { { "%2g", 3 }, -1 },  { { "%g2", 3 }, -1 },     { { "2F%", 3 }, -1 },
        { { "%%2F", 4 }, -1 }, { { "", 0 }, -1 },        { { NULL, 0 }, -1 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (jr_percent_byte(rows[i].s) != rows[i].want)
            fail_msg("%.*s: %d", JR_P(rows[i].s), jr_percent_byte(rows[i].s));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare),   cmocka_unit_test(starts_and_ends),
        cmocka_unit_test(find),      cmocka_unit_test(parts),
        cmocka_unit_test(cut),       cmocka_unit_test(trim),
        cmocka_unit_test(duplicate), cmocka_unit_test(utf8),
        cmocka_unit_test(percent),   cmocka_unit_test(whole_characters),
        cmocka_unit_test(put),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
