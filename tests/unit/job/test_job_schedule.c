/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules, durations and time zones, by the letter. */
#include "common/job/schedule.h"
#include "common/job/time_zones.h"
#include "tests/unit/job/job_test.h"

struct text_row {
    const char *text;
    const char *want; /* words of the fault, "" for none */
};

static enum jr_status check_schedule(struct jr_str s, struct jr_buf *why)
{
    struct jr_schedule ret;

    return jr_schedule_parse(s, &ret, why);
}

static void check_texts(const struct text_row *rows, size_t n,
                        enum jr_status (*check)(struct jr_str s, struct jr_buf *why))
{
    for (size_t i = 0; i < n; i++) {
        JR_BUF why = { 0 };
        enum jr_status st;

        jr_buf_init(&why, (size_t)1 << 16);
        st = check(jr_str(rows[i].text), &why);
        WANT_STR(rows[i].text, why.p == NULL ? "" : why.p, rows[i].want);
        assert_int_equal(st, rows[i].want[0] == '\0' ? JR_OK : JR_INVALID);
    }
}

static void good_schedules(void **state)
{
    static const struct text_row rows[] = {
        { "0 3 * * *", "" },
        { "*/15 0-6,22,23 1/2 jan-MAR SUN", "" },
        { "? ? ? ? ?", "" },
        { "  0\t3 *\n* * ", "" },
        { "0\xc2\xa0"
          "3\xe2\x80\x83* * *",
          "" }, /* U+00A0 and U+2003 are white space */
        { "+5 007 * * *", "" },
        { ", * * * *", "" },
        { "1,,2 * * * *", "" },
        { "*-x-y * * * *", "" },
        { "0/9223372036854775807 * * * *", "" },
        { "* * * * fr\xc4\xb0", "" }, /* Go's lower case of U+0130 is i */
        { "@yearly", "" },
        { "@annually", "" },
        { "@monthly", "" },
        { "@weekly", "" },
        { "@daily", "" },
        { "@midnight", "" },
        { "@hourly", "" },
        { "@every 1h30m", "" },
        { "@every -0.5\xc2\xb5s", "" },
        { "TZ=Europe/Berlin 0 3 * * *", "" },
        { "CRON_TZ=UTC @daily", "" },
        { "CRON_TZ=   @daily  ", "" },
        { "TZ=Local \xc2\xa0 0 3 * * *", "" },
    };

    (void)state;
    check_texts(rows, JR_ARRAY_SIZE(rows), check_schedule);
}

static void bad_schedules(void **state)
{
    static const struct text_row rows[] = {
        { "", "empty spec string" },
        { " ", "expected exactly 5 fields, found 0: []" },
        { "0 3 *  *", "expected exactly 5 fields, found 4: [0 3 * *]" },
        { "0 0 3 * * *", "expected exactly 5 fields, found 6: [0 0 3 * * *]" },
        { "60 * * * *", "end of range (60) above maximum (59): 60" },
        { "* 24 * * *", "end of range (24) above maximum (23): 24" },
        { "* * 0 * *", "beginning of range (0) below minimum (1): 0" },
        { "* * * 13 *", "end of range (13) above maximum (12): 13" },
        { "* * * * 7", "end of range (7) above maximum (6): 7" },
        { "5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3" },
        { "*/0 * * * *", "step of range should be a positive number: */0" },
        { "1-2-3 * * * *", "too many hyphens: 1-2-3" },
        { "1/2/3 * * * *", "too many slashes: 1/2/3" },
        { "*/-5 * * * *", "negative number (-5) not allowed: -5" },
        { "x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax" },
        { "1-a * * * *",
          "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax" },
        { "1- * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax" },
        { "9223372036854775808 * * * *",
          "failed to parse int from 9223372036854775808: strconv.Atoi: parsing "
          "\"9223372036854775808\": value out of range" },
        { "99999999999999999999x * * * *",
          "failed to parse int from 99999999999999999999x: strconv.Atoi: parsing "
          "\"99999999999999999999x\": value out of range" },
        { "17999999999999999999x * * * *",
          "failed to parse int from 17999999999999999999x: strconv.Atoi: parsing "
          "\"17999999999999999999x\": invalid syntax" },
        { "9999999999999999999x * * * *",
          "failed to parse int from 9999999999999999999x: strconv.Atoi: parsing "
          "\"9999999999999999999x\": invalid syntax" },
        { "* * * sun *",
          "failed to parse int from sun: strconv.Atoi: parsing \"sun\": invalid syntax" },
        { "@reboot", "unrecognized descriptor: @reboot" },
        { "@daily ", "unrecognized descriptor: @daily " },
        { " @daily", "expected exactly 5 fields, found 1: [@daily]" },
        { "@every", "unrecognized descriptor: @every" },
        { "@every ", "failed to parse duration @every : time: invalid duration \"\"" },
        { "@every 1", "failed to parse duration @every 1: time: missing unit in duration \"1\"" },
        { "@every 1d",
          "failed to parse duration @every 1d: time: unknown unit \"d\" in duration \"1d\"" },
        { "@every 1\xc3\xa9", "failed to parse duration @every 1\xc3\xa9: time: unknown unit "
                              "\"\\xc3\\xa9\" in duration "
                              "\"1\\xc3\\xa9\"" },
        { "@every .s", "failed to parse duration @every .s: time: invalid duration \".s\"" },
        { "@every 9223372036854775808ns", "failed to parse duration @every 9223372036854775808ns: "
                                          "time: invalid duration \"9223372036854775808ns\"" },
        { "@every 2562048h",
          "failed to parse duration @every 2562048h: time: invalid duration \"2562048h\"" },
        { "TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]" },
        { "CRON_TZ=Mars/Olympus 0 3 * * *",
          "provided bad location Mars/Olympus: unknown time zone Mars/Olympus" },
        { "TZ=../UTC 0 3 * * *", "provided bad location ../UTC: time: invalid location name" },
        { "TZ=UTC  ", "expected exactly 5 fields, found 0: []" },
        { "tz=UTC 0 3 * * *", "expected exactly 5 fields, found 6: [tz=UTC 0 3 * * *]" },
    };

    (void)state;
    check_texts(rows, JR_ARRAY_SIZE(rows), check_schedule);
}

/* Durations at the edge of 64 bits: what Go takes, and what it doesn't. */
static void durations(void **state)
{
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        { "@every 0", true },
        { "@every -0", true },
        { "@every 9223372036854775807ns", true },
        { "@every -9223372036854775808ns", true },
        { "@every -9223372036854775809ns", false },
        { "@every 2562047h47m16.854775807s", true },
        { "@every 2562047h47m16.854775808s", false },
        { "@every 0.99999999999999999999999h", true },
        { "@every 1.s", true },
        { "@every .5h", true },
        { "@every 1h1", false },
        { "@every 1h 1m", false },
        { "@every 1h-1m", false },
        /* two halves of 2^64, which Go lets wrap to nothing */
        { "@every 9223372036854775808ns9223372036854775808ns", true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF why = { 0 };

        jr_buf_init(&why, (size_t)1 << 16);
        if ((check_schedule(jr_str(rows[i].text), &why) == JR_OK) != rows[i].good)
            fail_msg("%s: %s", rows[i].text, why.p == NULL ? "good" : why.p);
    }
}

static void time_zones(void **state)
{
    static const struct text_row rows[] = {
        { "", "" },
        { "UTC", "" },
        { "Local", "" },
        { "Etc/UTC", "" },
        { "Europe/Berlin", "" },
        { "America/Argentina/Buenos_Aires", "" },
        { "Africa/Abidjan", "" },
        { "Pacific/Yap", "" },
        { "US/Samoa", "" },
        { "Zulu", "" },
        { "GMT+0", "" },
        { "Factory", "" },
        { "utc", "unknown time zone utc" },
        { "Europe/berlin", "unknown time zone Europe/berlin" },
        { "Europe", "unknown time zone Europe" },
        { "Europe/", "unknown time zone Europe/" },
        { "America/Argentina", "unknown time zone America/Argentina" },
        { "Buenos_Aires", "unknown time zone Buenos_Aires" },
        { "/Europe/Berlin", "time: invalid location name" },
        { "\\UTC", "time: invalid location name" },
        { "Europe/../UTC", "time: invalid location name" },
        { "..", "time: invalid location name" },
        { ".", "unknown time zone ." },
    };

    (void)state;
    check_texts(rows, JR_ARRAY_SIZE(rows), jr_time_zone_check);
    assert_string_equal(jr_time_zones_release, "2026c");
    assert_true(jr_time_zone_known(JR_S("UTC")));
    assert_false(jr_time_zone_known(JR_S("/UTC")));
    assert_false(jr_time_zone_known(JR_S("Mars/Olympus")));
}

/* A text that holds a NUL is shown whole. */
static void nul_bytes(void **state)
{
    static const char schedule[] = "1-\0 * * * *";
    static const char want[] =
        "failed to parse int from \0: strconv.Atoi: parsing \"\\x00\": invalid syntax";
    JR_BUF why = { 0 };

    (void)state;
    jr_buf_init(&why, 4096);
    assert_int_equal(check_schedule((struct jr_str){ schedule, sizeof(schedule) - 1 }, &why),
                     JR_INVALID);
    assert_int_equal(why.n, sizeof(want) - 1);
    assert_memory_equal(why.p, want, why.n);
    jr_buf_reset(&why);
    assert_int_equal(jr_time_zone_check(JR_S("UTC\0"), &why), JR_INVALID);
    assert_string_equal(why.p, "invalid argument");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_schedules), cmocka_unit_test(bad_schedules),
        cmocka_unit_test(durations),      cmocka_unit_test(time_zones),
        cmocka_unit_test(nul_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
