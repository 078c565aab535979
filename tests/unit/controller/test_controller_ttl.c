/* SPDX-License-Identifier: Apache-2.0 */
/* When a finished Job is to be deleted. What is done about it is in the scenario rows. */
#include "controller/work/ttl.h"
#include "tests/unit/controller/controller_test.h"

#define AT(t) ",\"lastTransitionTime\":\"" t "\"}"
#define COMPLETE "{\"type\":\"Complete\",\"status\":\"True\"" AT("2026-03-01T12:00:00Z")
#define FAILED "{\"type\":\"Failed\",\"status\":\"True\"" AT("2026-03-01T12:00:10Z")
#define SUSPENDED "{\"type\":\"Suspended\",\"status\":\"True\"" AT("2026-03-01T11:00:00Z")
#define NOT_FAILED "{\"type\":\"Failed\",\"status\":\"False\"" AT("2026-03-01T11:00:00Z")
#define NO_TIME "{\"type\":\"Complete\",\"status\":\"True\"}"

#define NONE INT64_MIN /* no time of its end */

static void test_left(void **state)
{
    static const struct {
        const char *name, *ttl, *conditions, *deleted;
        bool applies;
        int64_t left_s;
    } rows[] = {
        { "not finished", "60", "", "", false, NONE },
        { "suspended", "60", SUSPENDED, "", false, NONE },
        { "was not to fail", "60", NOT_FAILED, "", false, NONE },
        { "no time", "60", NO_TIME, "", true, NONE },
        { "no ttl", "null", COMPLETE, "", false, -60 },
        { "complete", "60", COMPLETE, "", true, 0 },
        { "failed", "60", FAILED, "", true, 10 },
        { "after others", "60", NOT_FAILED "," SUSPENDED "," FAILED, "", true, 10 },
        { "at once", "0", COMPLETE, "", true, -60 },
        { "the longest", "2147483647", COMPLETE, "", true, INT64_C(2147483587) },
        { "being deleted", "60", COMPLETE, ",\"deletionTimestamp\":\"2026-03-01T12:00:30Z\"", false,
          0 },
    };
    const struct jr_time now = jr_time_s(1772366460); /* 2026-03-01T12:01:00Z */

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
        struct jr_error err = { 0 };
        enum jr_status st;
        int64_t left = 7;
        char text[1024];

        (void)snprintf(text, sizeof(text),
                       "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\"%s},\"spec\":{"
                       "\"ttlSecondsAfterFinished\":%s},\"status\":{\"conditions\":[%s]}}",
                       rows[i].deleted, rows[i].ttl, rows[i].conditions);
        check_int(rows[i].name, jr_job_decode(jr_str(text), &job, NULL), JR_OK);
        check_int(rows[i].name, jr_ttl_applies(job), rows[i].applies);
        st = jr_ttl_left(job, now, &left, &err);
        check_int(rows[i].name, st, rows[i].left_s == NONE ? JR_INVALID : JR_OK);
        if (st == JR_OK)
            check_int(rows[i].name, left, rows[i].left_s * JR_SEC);
        else
            assert_string_equal(err.msg, "unable to find the time when the Job ns/j finished");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
