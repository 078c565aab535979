/* SPDX-License-Identifier: Apache-2.0 */
/* How often schedules start Jobs. The vectors of tests/schedules are brute force's; these are by
 * hand. */
#include "common/job/schedule_facts.h"
#include "tests/unit/job/job_test.h"

#define HOUR INT64_C(3600)
#define DAY (24 * HOUR)

static void starts(void **state)
{
    static const struct {
        const char *schedule, *zone;
        int64_t starts_per_day, shortest_s;
    } rows[] = {
        { "* * * * *", "", 1440, 60 },
        { "*/7 * * * *", "", 216, 240 },
        { "0 * * * *", "", 24, HOUR },
        { "30 12 * * *", "", 1, DAY },
        { "@every 90s", "", 960, 90 },
        { "@every 36h", "", 1, 36 * HOUR },
        { "0 0 1 * *", "", 1, 28 * DAY },
        { "0 0 29 2 *", "", 1, INT64_C(1461) * DAY },
        { "0 0 30 2 *", "", 0, INT64_MAX },
        { "0 0 1 1 *", "", 1, 365 * DAY },
        /* Clocks go forward: a day of 23 hours, and of 23.5 at Lord Howe. */
        { "30 12 * * *", "Europe/Berlin", 2, 23 * HOUR },
        { "30 12 * * *", "Australia/Lord_Howe", 2, 23 * HOUR + HOUR / 2 },
        { "30 12 * * *", "Asia/Kolkata", 1, DAY },
        /* Casablanca keeps one hour ahead but for Ramadan. */
        { "0 12 * * *", "Africa/Casablanca", 2, 23 * HOUR },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_schedule s;
        struct jr_zone zone;
        struct jr_schedule_facts f;
        JR_BUF why = { 0 };

        jr_buf_init(&why, 1000);
        assert_int_equal(jr_schedule_parse(jr_str(rows[i].schedule), &s, &why), JR_OK);
        assert_true(jr_zone_open(jr_str(rows[i].zone), 2026, 9, &zone));
        f = jr_schedule_facts(&s, &zone, 2026, 9);
        if (f.starts_per_day != rows[i].starts_per_day || f.shortest_s != rows[i].shortest_s)
            fail_msg("%s in %s: %lld a day, %lld s apart", rows[i].schedule, rows[i].zone,
                     (long long)f.starts_per_day, (long long)f.shortest_s);
    }
}

static void zones(void **state)
{
    struct jr_zone zone;
    int64_t start, end;

    (void)state;
    assert_false(jr_zone_open(JR_S("Mars/Base"), 2026, 2, &zone));
    assert_false(jr_zone_open(JR_S("UTC"), 1969, 2, &zone));
    assert_true(jr_zone_open(JR_S("Europe/Berlin"), 2026, 2, &zone));
    /* 2026-03-29 01:00 UTC to 2026-10-25 01:00 UTC. */
    assert_int_equal(jr_zone_offset(&zone, 1774746000, &start, &end), 2 * HOUR);
    assert_int_equal(start, 1774746000);
    assert_int_equal(end, 1792890000);
    assert_int_equal(jr_zone_offset(&zone, 1774746000 - 1, &start, &end), HOUR);
    assert_int_equal(end, 1774746000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(starts), cmocka_unit_test(zones) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
