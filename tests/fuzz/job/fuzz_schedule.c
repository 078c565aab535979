/* SPDX-License-Identifier: Apache-2.0 */
/* "ZONE NL SCHEDULE": a schedule parsed, and its facts over two years. Both facts are about the
 * same starts, so that they bound each other. */
#include <stdlib.h>

#include "common/job/schedule_facts.h"
#include "tests/fuzz/fuzz.h"

#define DAY 86400

static void check_facts(const struct jr_schedule *s, const struct jr_zone *zone)
{
    const struct jr_schedule_facts f = jr_schedule_facts(s, zone, 2026, 2);

    MUST(f.starts_per_day >= 0 && f.shortest_s > 0);
    if (f.shortest_s == INT64_MAX) {
        MUST(f.starts_per_day <= 1);
        return;
    }
    MUST(f.starts_per_day >= 1 && f.starts_per_day <= DAY / f.shortest_s + 1);
    if (f.shortest_s < DAY)
        MUST(f.starts_per_day >= 2);
    if (f.starts_per_day >= 2)
        MUST(f.shortest_s <= DAY / (f.starts_per_day - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str text = view_of(data, size), name;
    struct jr_schedule s;
    struct jr_zone zone;
    JR_BUF why = { 0 };
    enum jr_status st;

    jr_buf_init(&why, MAX_TEXT);
    if (!jr_str_cut(&text, '\n', &name))
        return 0;
    st = jr_time_zone_check(name, &why);
    MUST((st == JR_OK) == (why.n == 0));
    jr_buf_reset(&why);
    st = jr_schedule_parse(text, &s, &why);
    MUST((st == JR_OK) == (why.n == 0));
    if (st == JR_OK && jr_zone_open(name, 2026, 2, &zone))
        check_facts(&s, &zone);
    return 0;
}
