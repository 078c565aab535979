/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/job_gen_status.h"

static const char *const times[] = { "\"2026-03-01T12:00:00Z\"", "\"2026-03-01T12:00:09Z\"",
                                     "null" };

static const char *conditions(struct jr_making *m)
{
    static const char *const types[] = { "Complete", "Failed", "FailureTarget",
                                         "SuccessCriteriaMet", "Suspended" };
    static const char *const statuses[] = { "True", "True", "True", "False" };
    JR_BUF b = { 0 };
    struct jr_str kept;
    size_t n = 0;

    jr_buf_init(&b, (size_t)1 << 16);
    (void)jr_buf_addc(&b, '[');
    for (size_t i = 0; i < JR_ARRAY_SIZE(types); i++) {
        if (jr_make_percent(m, 35))
            (void)jr_buf_addf(&b, "%s{\"type\":\"%s\",\"status\":\"%s\"}", n++ > 0 ? "," : "",
                              types[i], PICK(m, statuses));
    }
    (void)jr_buf_addc(&b, ']');
    if (b.failed != JR_OK || !jr_arena_str(&m->arena, jr_buf_str(&b), &kept)) {
        m->failed = true;
        return "null";
    }
    return kept.p;
}

static void put_counters(struct jr_making *m, struct jr_made *o)
{
    static const char *const names[] = { "active", "succeeded", "failed", "ready", "terminating" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_make_percent(m, 40))
            jr_make_put(m, o, names[i],
                        jr_make_percent(m, 6) ? "-1" : TEXT(m, "%d", (int)jr_make_below(m, 4)));
    }
}

static void put_indexes(struct jr_making *m, struct jr_made *o)
{
    static const char *const lists[] = { "0",   "1",     "0-1", "0,2",   "1-2", "2-1",
                                         "a,0", "0-1,2", "",    "0,0-1", "3",   "0,2-4" };

    if (jr_make_percent(m, 25))
        jr_make_put_str(m, o, "completedIndexes", PICK(m, lists));
    if (jr_make_percent(m, 25))
        jr_make_put_str(m, o, "failedIndexes", PICK(m, lists));
}

const char *jr_gen_status(struct jr_making *m)
{
    static const char *const uncounted[] = { "{}", "{\"succeeded\":[\"u1\"]}",
                                             "{\"failed\":[\"u1\",\"u2\"]}",
                                             "{\"succeeded\":[\"u1\",\"\"],\"failed\":[\"u1\"]}",
                                             "null" };
    struct jr_made o = { .n = 0 };

    if (jr_make_percent(m, 70))
        jr_make_put(m, &o, "conditions", conditions(m));
    put_counters(m, &o);
    put_indexes(m, &o);
    if (jr_make_percent(m, 60))
        jr_make_put(m, &o, "startTime", PICK(m, times));
    if (jr_make_percent(m, 40))
        jr_make_put(m, &o, "completionTime", PICK(m, times));
    if (jr_make_percent(m, 25))
        jr_make_put(m, &o, "uncountedTerminatedPods", PICK(m, uncounted));
    return jr_make_text(m, &o, true);
}

const char *jr_gen_suspended_status(struct jr_making *m)
{
#define SUSPENDED(status) "\"conditions\":[{\"type\":\"Suspended\",\"status\":\"" status "\"}]"
#define STARTED "\"startTime\":\"2026-03-01T12:00:00Z\""
    static const char suspended[] = "{" SUSPENDED("True") "}";
    static const char resumed[] = "{" SUSPENDED("False") "}";
    static const char late[] = "{" SUSPENDED("True") "," STARTED "}";
    static const char active[] = "{\"active\":1," SUSPENDED("True") "}";
    static const char started[] = "{" STARTED "}";
    static const char *const statuses[] = {
        suspended, late, active, resumed, started, "{}",
    };

    return PICK(m, statuses);
}
