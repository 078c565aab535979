/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/time.h"
#include "tests/unit/base/want.h"

static void formats(void **state)
{
    static const struct {
        int64_t ns;
        const char *s, *micro;
    } rows[] = {
        { 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z" },
        { INT64_C(1772366400123456789), "2026-03-01T12:00:00Z", "2026-03-01T12:00:00.123456Z" },
        { INT64_C(951782400) * JR_SEC, "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z" },
        { -1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999999Z" },
        { INT64_MAX, "2262-04-11T23:47:16Z", "2262-04-11T23:47:16.854775Z" },
        { INT64_MIN, "1677-09-21T00:12:43Z", "1677-09-21T00:12:43.145224Z" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char out[JR_TIME_MAX];
        struct jr_time t = { rows[i].ns };

        WANT_STR(rows[i].s, jr_time_format(t, out), rows[i].s);
        WANT_STR(rows[i].s, jr_time_format_micro(t, out), rows[i].micro);
    }
}

static void parses(void **state)
{
    static const struct {
        const char *s;
        int64_t want;
    } rows[] = {
        { "2026-03-01T12:00:00Z", INT64_C(1772366400000000000) },
        { "2026-03-01T12:00:00.123456789Z", INT64_C(1772366400123456789) },
        { "2026-03-01T12:00:00.1234567899Z", INT64_C(1772366400123456789) },
        { "2026-03-01T12:00:00.5Z", INT64_C(1772366400500000000) },
        { "2026-03-01T12:00:00,5Z", INT64_C(1772366400500000000) }, /* Go takes a comma */
        { "2026-03-01T13:30:00+01:30", INT64_C(1772366400000000000) },
        { "2026-03-01T10:30:00-01:30", INT64_C(1772366400000000000) },
        { "2026-03-02T13:00:00+24:60", INT64_C(1772366400000000000) },
        { "2026-03-01T1:02:03Z", INT64_C(1772326923000000000) }, /* and an hour of one digit */
        { "2000-02-29T00:00:00Z", INT64_C(951782400000000000) },
        { "1969-12-31T23:59:59.5Z", -500000000 },
        { "1970-01-01T00:00:00Z", 0 },
        { "2262-04-11T23:47:16.854775807Z", INT64_MAX },
        { "1677-09-21T00:12:43.145224192Z", INT64_MIN },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_time t = { 1 };

        WANT_INT(rows[i].s, jr_time_parse(jr_str(rows[i].s), &t), JR_OK);
        WANT_INT(rows[i].s, t.ns, rows[i].want);
    }
}

/** What an API server may serve, beyond what 64 bits of nanoseconds hold. */
static void parses_what_is_served(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
        int64_t want;
    } rows[] = {
        { "2026-03-01T12:00:00Z", JR_OK, INT64_C(1772366400000000000) },
        { "2026-03-01T12:00:00.5+01:00", JR_OK, INT64_C(1772362800500000000) },
        { "2262-04-11T23:47:16.854775807Z", JR_OK, INT64_MAX },
        { "2262-04-11T23:47:16.854775808Z", JR_OK, JR_TIME_LAST_NS },
        { "2311-07-07T18:44:10Z", JR_OK, JR_TIME_LAST_NS }, /* a grace of 9000000000 s */
        { "9999-12-31T23:59:59Z", JR_OK, JR_TIME_LAST_NS },
        { "10000-01-01T00:00:00Z", JR_OK, JR_TIME_LAST_NS }, /* Go prints, and can't read it */
        { "292277026596-12-04T15:30:07Z", JR_OK, JR_TIME_LAST_NS },
        { "33658-02-29T01:46:40Z", JR_OK, JR_TIME_LAST_NS },
        { "1677-09-21T00:12:43.145224192Z", JR_OK, INT64_MIN },
        { "1677-09-21T00:12:43.145224191Z", JR_OK, JR_TIME_FIRST_NS },
        { "1066-10-14T09:00:00Z", JR_OK, JR_TIME_FIRST_NS },
        { "0000-01-01T00:00:00Z", JR_OK, JR_TIME_FIRST_NS },
        { "-0044-03-15T12:00:00Z", JR_OK, JR_TIME_FIRST_NS },
        { "0001-01-01T00:00:00Z", JR_OK, 0 }, /* Go's zero time is unset */
        { "0001-01-01T00:00:01Z", JR_OK, JR_TIME_FIRST_NS },
        { "1970-01-01T00:00:00Z", JR_OK, 1 }, /* and this one is not */
        { "", JR_SYNTAX, 42 },
        { "10000", JR_SYNTAX, 42 },
        { "10000-13-01T00:00:00Z", JR_SYNTAX, 42 },
        { "-044-03-15T12:00:00Z", JR_SYNTAX, 42 },
        { "--0044-03-15T12:00:00Z", JR_SYNTAX, 42 },
        { "2026-02-30T12:00:00Z", JR_SYNTAX, 42 },
        { "yesterday", JR_SYNTAX, 42 },
        { "10000-01-01T00:00:00.0000000000000000000000000000000000000000000000000000000000Z",
          JR_SYNTAX, 42 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_time t = { 42 };
        char out[JR_TIME_MAX];

        WANT_INT(rows[i].s, jr_time_parse_served(jr_str(rows[i].s), &t), rows[i].st);
        WANT_INT(rows[i].s, t.ns, rows[i].want);
        if (t.ns != 0 && t.ns >= JR_TIME_FIRST_NS) /* what is written again is a time */
            WANT_INT(rows[i].s, jr_time_parse(jr_str(jr_time_format(t, out)), &t), JR_OK);
    }
}

static void differences_end_where_64_bits_do(void **state)
{
    static const struct {
        int64_t a, b, want;
    } diffs[] = {
        { 5, 3, 2 },
        { INT64_MAX, -1, INT64_MAX },
        { INT64_MIN, 1, INT64_MIN },
        { INT64_C(1772366400000000000), INT64_MIN, INT64_MAX },
        { INT64_MIN, INT64_C(1772366400000000000), INT64_MIN },
        { INT64_MAX, INT64_MAX, 0 },
    };
    static const struct {
        int64_t t, s, want;
    } laters[] = {
        { 5, 3, 5 + 3 * JR_SEC },
        { 5, -3, 5 - 3 * JR_SEC },
        { INT64_C(1772366400000000000), INT64_C(9000000000), INT64_MAX },
        { INT64_C(1772366400000000000), INT64_MAX, INT64_MAX },
        { INT64_C(-1772366400000000000), INT64_MIN, INT64_MIN },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(diffs); i++)
        assert_int_equal(
            jr_time_diff((struct jr_time){ diffs[i].a }, (struct jr_time){ diffs[i].b }),
            diffs[i].want);
    for (size_t i = 0; i < JR_ARRAY_SIZE(laters); i++)
        assert_int_equal(jr_time_later_s((struct jr_time){ laters[i].t }, laters[i].s).ns,
                         laters[i].want);
}

static void refuses(void **state)
{
    static const struct {
        const char *s;
        enum jr_status st;
    } rows[] = {
        { "", JR_SYNTAX },
        { "2026-03-01", JR_SYNTAX },
        { "2026-03-01T12:00:00", JR_SYNTAX },
        { "2026-03-01 12:00:00Z", JR_SYNTAX },
        { "2026-03-01t12:00:00Z", JR_SYNTAX },
        { "2026-03-01T12:00:00z", JR_SYNTAX },
        { "2026-03-01T12:00:00Zx", JR_SYNTAX },
        { "2026-03-01T12:00:00.Z", JR_SYNTAX },
        { "2026-03-01T12:00Z", JR_SYNTAX },
        { "2026-3-01T12:00:00Z", JR_SYNTAX },
        { "2026-03-1T12:00:00Z", JR_SYNTAX },
        { "26-03-01T12:00:00Z", JR_SYNTAX },
        { "+026-03-01T12:00:00Z", JR_SYNTAX },
        { "2026-00-01T12:00:00Z", JR_SYNTAX },
        { "2026-13-01T12:00:00Z", JR_SYNTAX },
        { "2026-03-00T12:00:00Z", JR_SYNTAX },
        { "2026-02-29T12:00:00Z", JR_SYNTAX },
        { "1900-02-29T12:00:00Z", JR_SYNTAX },
        { "2026-04-31T12:00:00Z", JR_SYNTAX },
        { "2026-03-01T24:00:00Z", JR_SYNTAX },
        { "2026-03-01T12:60:00Z", JR_SYNTAX },
        { "2026-03-01T12:00:60Z", JR_SYNTAX },
        { "2026-03-01T12:00:00+1:00", JR_SYNTAX },
        { "2026-03-01T12:00:00+01", JR_SYNTAX },
        { "2026-03-01T12:00:00+0100", JR_SYNTAX },
        { "2026-03-01T12:00:00+25:00", JR_SYNTAX },
        { "2026-03-01T12:00:00+00:61", JR_SYNTAX },
        { "2026-03-01T12:00:00Z+01:00", JR_SYNTAX },
        { "0001-01-01T00:00:00Z", JR_RANGE },
        { "9999-12-31T23:59:59Z", JR_RANGE },
        { "2262-04-11T23:47:16.854775808Z", JR_RANGE },
        { "1677-09-21T00:12:43.145224191Z", JR_RANGE },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_time t = { 42 };

        WANT_INT(rows[i].s, jr_time_parse(jr_str(rows[i].s), &t), rows[i].st);
        WANT_INT(rows[i].s, t.ns, 42);
    }
}

/* Each day from 1677 to 2262 follows the one before, and reads back as what was written. */
static void every_day(void **state)
{
    static const int len[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    unsigned year = 1678, month = 1, day = 1;

    (void)state;
    for (int64_t d = -106650; d < 106751; d++) {
        struct jr_time t = jr_time_s(d * 86400), back = { 0 };
        char want[JR_TIME_MAX * 2], out[JR_TIME_MAX];
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

        (void)snprintf(want, sizeof(want), "%04u-%02u-%02uT00:00:00Z", year, month, day);
        WANT_STR("day", jr_time_format(t, out), want);
        WANT_INT(want, jr_time_parse(jr_str(out), &back), JR_OK);
        WANT_INT(want, back.ns, t.ns);
        if (day++ == (unsigned)len[month - 1] + (month == 2 && leap ? 1u : 0u)) {
            day = 1;
            if (month++ == 12) {
                month = 1;
                year++;
            }
        }
    }
}

static void truncates_downwards(void **state)
{
    (void)state;
    assert_int_equal(jr_time_trunc_s((struct jr_time){ 1999999999 }).ns, JR_SEC);
    assert_int_equal(jr_time_trunc_s((struct jr_time){ JR_SEC }).ns, JR_SEC);
    assert_int_equal(jr_time_trunc_s((struct jr_time){ -1 }).ns, -JR_SEC);
    assert_true(jr_time_trunc_s((struct jr_time){ INT64_MIN }).ns < 0);
    assert_false(jr_time_set((struct jr_time){ 0 }));
    assert_int_equal(jr_time_cmp((struct jr_time){ 1 }, (struct jr_time){ 2 }), -1);
}

static void virtual_clock(void **state)
{
    struct jr_clock_virtual v = { .wall = { 100 }, .mono = { 7 } };
    struct jr_clock c = jr_clock_of_virtual(&v);

    (void)state;
    assert_int_equal(c.wall(c.self).ns, 100);
    assert_int_equal(c.mono(c.self).ns, 7);
    jr_clock_virtual_advance(&v, 5);
    assert_int_equal(c.wall(c.self).ns, 105);
    assert_int_equal(c.mono(c.self).ns, 12);
    jr_clock_virtual_advance(&v, -5);
    assert_int_equal(c.mono(c.self).ns, 12);
    jr_clock_virtual_advance(&v, INT64_MAX);
    assert_int_equal(c.wall(c.self).ns, INT64_MAX);
    assert_int_equal(c.mono(c.self).ns, INT64_MAX);
}

/** Read over and over, it moves in the end. */
static void impatient_clock(void **state)
{
    struct jr_clock_virtual v = { .wall = { 100 }, .mono = { 7 }, .patience = 3 };
    struct jr_clock c = jr_clock_of_virtual(&v);

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(c.mono(c.self).ns, 7);
    assert_int_equal(c.wall(c.self).ns, 100);
    assert_int_equal(v.reads, 3);
    assert_int_equal(c.mono(c.self).ns, 7 + JR_SEC);
    assert_int_equal(c.mono(c.self).ns, 7 + 2 * JR_SEC);
    assert_int_equal(c.wall(c.self).ns, 100 + 2 * JR_SEC);
    v.reads = 0;
    assert_int_equal(c.mono(c.self).ns, 7 + 2 * JR_SEC);
}

static void system_clock(void **state)
{
    struct jr_mono a = jr_clock_system.mono(jr_clock_system.self);
    struct jr_mono b = jr_clock_system.mono(jr_clock_system.self);

    (void)state;
    assert_true(b.ns >= a.ns);
    /* after 2020: it is not the monotonic clock */
    assert_true(jr_clock_system.wall(jr_clock_system.self).ns > INT64_C(1577836800) * JR_SEC);
}

static void seeded_random(void **state)
{
    struct jr_rand_seeded s;
    struct jr_rand r = jr_rand_of_seed(&s, 0);
    bool seen[7] = { false };

    (void)state;
    assert_true(r.next(r.self) == UINT64_C(0xe220a8397b1dcdaf)); /* splitmix64's known sequence */
    assert_true(r.next(r.self) == UINT64_C(0x6e789e6aa1b965f4));
    for (int i = 0; i < 1000; i++) {
        uint64_t k = jr_rand_below(&r, 7);
        double u = jr_rand_unit(&r);

        assert_in_range(k, 0, 6);
        seen[k] = true;
        assert_true(u >= 0 && u < 1);
        assert_int_equal(jr_rand_below(&r, 1), 0);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(seen); i++)
        assert_true(seen[i]);
    assert_true(jr_rand_system.next(jr_rand_system.self) !=
                jr_rand_system.next(jr_rand_system.self));
}

/* A generator whose values sit where the uneven rest of 2^64 lies: those must be skipped. */
static uint64_t from_list(void *self)
{
    const uint64_t **at = self;

    return *(*at)++;
}

static void below_skips_the_uneven_rest(void **state)
{
    static const uint64_t values[] = { 0, 1, 2 };
    const uint64_t *at = values;
    struct jr_rand r = { from_list, &at };

    (void)state;
    assert_int_equal(jr_rand_below(&r, 3), 1); /* 2^64 mod 3 = 1: 0 is skipped */
    assert_int_equal(jr_rand_below(&r, 3), 2);
}

/* As a Date header says them: the end of year 9999 is after now, not before. */
static void seconds_end_where_64_bits_do(void **state)
{
    static const struct {
        int64_t s, ns;
    } rows[] = {
        { 0, 0 },
        { 1, JR_SEC },
        { -1, -JR_SEC },
        { INT64_MAX / JR_SEC, JR_TIME_LAST_NS },
        { INT64_MAX / JR_SEC + 1, INT64_MAX },
        { INT64_C(253402300799), INT64_MAX },
        { INT64_MAX, INT64_MAX },
        { INT64_C(-62135596800), INT64_MIN },
        { INT64_MIN, INT64_MIN },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        assert_true(jr_time_s(rows[i].s).ns == rows[i].ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),
        cmocka_unit_test(parses),
        cmocka_unit_test(parses_what_is_served),
        cmocka_unit_test(differences_end_where_64_bits_do),
        cmocka_unit_test(seconds_end_where_64_bits_do),
        cmocka_unit_test(refuses),
        cmocka_unit_test(every_day),
        cmocka_unit_test(truncates_downwards),
        cmocka_unit_test(virtual_clock),
        cmocka_unit_test(impatient_clock),
        cmocka_unit_test(system_clock),
        cmocka_unit_test(seeded_random),
        cmocka_unit_test(below_skips_the_uneven_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
