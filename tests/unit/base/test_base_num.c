/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/num.h"
#include "tests/unit/base/want.h"

#define UNTOUCHED 424242

static void strict_integers(void **state)
{
    static const struct {
        const char *s;
        int64_t min, max;
        enum jr_status st;
        int64_t want;
    } rows[] = {
        { "0", INT64_MIN, INT64_MAX, JR_OK, 0 },
        { "-0", INT64_MIN, INT64_MAX, JR_OK, 0 },
        { "42", 0, 42, JR_OK, 42 },
        { "-7", -7, 0, JR_OK, -7 },
        { "9223372036854775807", INT64_MIN, INT64_MAX, JR_OK, INT64_MAX },
        { "-9223372036854775808", INT64_MIN, INT64_MAX, JR_OK, INT64_MIN },
        { "9223372036854775808", INT64_MIN, INT64_MAX, JR_RANGE, 0 },
        { "-9223372036854775809", INT64_MIN, INT64_MAX, JR_RANGE, 0 },
        { "99999999999999999999999", INT64_MIN, INT64_MAX, JR_RANGE, 0 },
        { "99999999999999999999999x", INT64_MIN, INT64_MAX, JR_SYNTAX, 0 },
        { "43", 0, 42, JR_RANGE, 0 },
        { "-1", 0, 42, JR_RANGE, 0 },
        { "", 0, 42, JR_SYNTAX, 0 },
        { "-", 0, 42, JR_SYNTAX, 0 },
        { "--1", INT64_MIN, 42, JR_SYNTAX, 0 },
        { "+1", 0, 42, JR_SYNTAX, 0 },
        { "01", 0, 42, JR_SYNTAX, 0 },
        { "-01", INT64_MIN, 42, JR_SYNTAX, 0 },
        { "00", 0, 42, JR_SYNTAX, 0 },
        { "099999999999999999999999", INT64_MIN, INT64_MAX, JR_SYNTAX, 0 },
        { " 1", 0, 42, JR_SYNTAX, 0 },
        { "1 ", 0, 42, JR_SYNTAX, 0 },
        { "1.0", 0, 42, JR_SYNTAX, 0 },
        { "1e1", 0, 42, JR_SYNTAX, 0 },
        { "0x1", 0, 42, JR_SYNTAX, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        int64_t v = UNTOUCHED;

        WANT_INT(rows[i].s, jr_parse_i64(jr_str(rows[i].s), rows[i].min, rows[i].max, &v),
                 rows[i].st);
        WANT_INT(rows[i].s, v, rows[i].st == JR_OK ? rows[i].want : UNTOUCHED);
    }
}

static void unsigned_integers(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
        uint64_t want;
    } rows[] = {
        { "0", JR_OK, 0 },
        { "18446744073709551615", JR_OK, UINT64_MAX },
        { "18446744073709551616", JR_RANGE, 0 },
        { "-1", JR_SYNTAX, 0 },
        { "01", JR_SYNTAX, 0 },
        { "", JR_SYNTAX, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        uint64_t v = UNTOUCHED;

        WANT_INT(rows[i].s, jr_parse_u64(jr_str(rows[i].s), &v), rows[i].st);
        WANT_INT(rows[i].s, v, rows[i].st == JR_OK ? rows[i].want : UNTOUCHED);
    }
}

static void go_integers(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
        int64_t want;
    } rows[] = {
        { "7", JR_OK, 7 },
        { "+7", JR_OK, 7 },
        { "-007", JR_OK, -7 },
        { "000", JR_OK, 0 },
        { "-9223372036854775808", JR_OK, INT64_MIN },
        { "9223372036854775808", JR_RANGE, 0 },
        { "+-7", JR_SYNTAX, 0 },
        { "+", JR_SYNTAX, 0 },
        { "", JR_SYNTAX, 0 },
        { "1_000", JR_SYNTAX, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        int64_t v = UNTOUCHED;

        WANT_INT(rows[i].s, jr_parse_go_int(jr_str(rows[i].s), &v), rows[i].st);
        WANT_INT(rows[i].s, v, rows[i].st == JR_OK ? rows[i].want : UNTOUCHED);
    }
}

static void reals(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
        double want;
    } rows[] = {
        { "0", JR_OK, 0 },
        { "20", JR_OK, 20 },
        { "0.5", JR_OK, 0.5 },
        { ".5", JR_OK, 0.5 },
        { "5.", JR_OK, 5 },
        { "-1", JR_OK, -1 },
        { "+2", JR_OK, 2 },
        { "1e+06", JR_OK, 1000000 },
        { "25E-2", JR_OK, 0.25 },
        { "007", JR_OK, 7 },
        { "1e999", JR_RANGE, 0 },
        { "-1e999", JR_RANGE, 0 },
        { "", JR_SYNTAX, 0 },
        { ".", JR_SYNTAX, 0 },
        { "e5", JR_SYNTAX, 0 },
        { "1e", JR_SYNTAX, 0 },
        { "1.2.3", JR_SYNTAX, 0 },
        { "--1", JR_SYNTAX, 0 },
        { " 1", JR_SYNTAX, 0 },
        { "1 ", JR_SYNTAX, 0 },
        { "1,5", JR_SYNTAX, 0 },
        { "0x1", JR_SYNTAX, 0 },
        { "inf", JR_SYNTAX, 0 },
        { "NaN", JR_SYNTAX, 0 },
        { "1111111111111111111111111111111111111111111111111111111111111111", JR_SYNTAX, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        double v = UNTOUCHED;

        WANT_INT(rows[i].s, jr_parse_real(jr_str(rows[i].s), &v), rows[i].st);
        if (v != (rows[i].st == JR_OK ? rows[i].want : UNTOUCHED))
            fail_msg("%s: %g", rows[i].s, v);
    }
}

static void durations(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
        int64_t want;
    } rows[] = {
        { "0", JR_OK, 0 },
        { "0s", JR_OK, 0 },
        { "15s", JR_OK, 15000 },
        { "1m30s", JR_OK, 90000 },
        { "500ms", JR_OK, 500 },
        { "1.5h", JR_OK, 5400000 },
        { "1h1m1s1ms", JR_OK, 3661001 },
        { ".5s", JR_OK, 500 },
        { "1.s", JR_OK, 1000 },
        { "+2s", JR_OK, 2000 },
        { "-2s", JR_OK, -2000 },
        { "1999us", JR_OK, 1 },
        { "1999\xc2\xb5s", JR_OK, 1 },
        { "1999\xce\xbcs", JR_OK, 1 },
        { "999999ns", JR_OK, 0 },
        { "-1ns", JR_OK, -1 },
        { "2562047h47m16.854775807s", JR_OK, INT64_C(9223372036854) },
        { "2562047h47m16.854775808s", JR_RANGE, 0 },
        { "9999999999999999999999s", JR_RANGE, 0 },
        { "9999999h", JR_RANGE, 0 },
        { "", JR_SYNTAX, 0 },
        { "-", JR_SYNTAX, 0 },
        { "5", JR_SYNTAX, 0 },
        { "s", JR_SYNTAX, 0 },
        { ".s", JR_SYNTAX, 0 },
        { "1d", JR_SYNTAX, 0 },
        { "1s ", JR_SYNTAX, 0 },
        { "1 s", JR_SYNTAX, 0 },
        { "1m30", JR_SYNTAX, 0 },
        { "9999999h1", JR_SYNTAX, 0 },
        { "00", JR_SYNTAX, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        int64_t v = UNTOUCHED;

        WANT_INT(rows[i].s, jr_parse_duration_ms(jr_str(rows[i].s), &v), rows[i].st);
        WANT_INT(rows[i].s, v, rows[i].st == JR_OK ? rows[i].want : UNTOUCHED);
    }
}

static void optional_scalars(void **state)
{
    (void)state;
    assert_int_equal(jr_i32_or(JR_I32(0), 6), 0);
    assert_int_equal(jr_i32_or((struct jr_opt_i32){ 0 }, 6), 6);
    assert_int_equal(jr_i64_or(JR_I64(0), 6), 0);
    assert_int_equal(jr_i64_or((struct jr_opt_i64){ 0 }, 6), 6);
    assert_false(jr_bool_or(JR_BOOL(false), true));
    assert_true(jr_bool_or((struct jr_opt_bool){ 0 }, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_integers), cmocka_unit_test(unsigned_integers),
        cmocka_unit_test(go_integers),     cmocka_unit_test(reals),
        cmocka_unit_test(durations),       cmocka_unit_test(optional_scalars),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
