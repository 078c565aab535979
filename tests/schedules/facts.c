/* SPDX-License-Identifier: Apache-2.0 */
/* schedule-facts: reads cases as cases.py writes them, and prints of each the most starts in 24
 * hours and the least seconds between two, 0 without two. */
#include <stdio.h>

#include "common/job/schedule_facts.h"
#include "tests/admission/lines.h"

static enum jr_status answer(const struct jr_node *line, struct jr_error *err)
{
    const int64_t year = jr_node_i64_or(jr_get(line, "year"), 0);
    const int years = (int)jr_node_i64_or(jr_get(line, "years"), 0);
    struct jr_schedule_facts f;
    struct jr_schedule s;
    struct jr_zone zone;
    JR_BUF why = { 0 };

    jr_buf_init(&why, 1000);
    if (jr_schedule_parse(jr_get_str(line, "schedule"), &s, &why) != JR_OK ||
        !jr_zone_open(jr_get_str(line, "zone"), year, years, &zone))
        return jr_fail(err, JR_INVALID, NULL, "a schedule and a zone, %.*s",
                       JR_P(jr_buf_str(&why)));
    f = jr_schedule_facts(&s, &zone, year, years);
    return printf("%lld %lld\n", (long long)f.starts_per_day,
                  f.shortest_s == INT64_MAX ? 0LL : (long long)f.shortest_s) < 0
               ? JR_IO
               : JR_OK;
}

int main(void)
{
    struct jr_lines lines = jr_lines_on(stdin, "stdin");
    struct jr_error err = { .status = JR_OK };
    enum jr_status st = JR_OK;

    while (st == JR_OK) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        st = jr_lines_next(&lines, &doc, &err);
        if (st == JR_OK && doc == NULL)
            break;
        if (st == JR_OK)
            st = answer(jr_doc_root_const(doc), &err);
    }
    if (st != JR_OK)
        (void)fprintf(stderr, "schedule-facts: line %zu: %s\n", lines.number, err.msg);
    jr_lines_done(&lines);
    return st == JR_OK && fflush(stdout) == 0 ? 0 : 1;
}
