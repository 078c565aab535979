/* SPDX-License-Identifier: Apache-2.0 */
/* The last accounting before a controller leaves (decommission). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reconcile/rig.h"

/** The last accounting begins no Job, and counts what another one has begun. */
static void test_leaving_begins_nothing(void **state)
{
    const char *spec = "\"parallelism\":1,\"completions\":1,\"activeDeadlineSeconds\":30";
    struct rig r;

    (void)state;
    for (int pods = 0; pods < 2; pods++) {
        rig_open(&r, spec, "{}");
        r.options.account_only = true;
        if (pods > 0) /* made, and its maker died before he said so */
            rig_pod(&r, "a", "", "{\"phase\":\"Succeeded\"}");
        assert_int_equal(rig_begin(&r)->kind, pods > 0 ? JR_STAGE_STATUS : JR_STAGE_DONE);
        rig_close(&r);
    }
    rig_open(&r, spec, "{\"startTime\":\"2026-03-01T11:00:00Z\",\"uncountedTerminatedPods\":{}}");
    r.options.account_only = true;
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_STATUS);
    rig_close(&r);
}

/** decommission stored the active Pods of a suspended Job, and the Job was resumed before the
 * next controller saw it. The next controller writes startTime, though nothing else of the status
 * changes.
 */
static void test_start_after_release(void **state)
{
    static const char begun[] = "\"startTime\":\"2026-03-01T12:00:00Z\"";
    struct jr_str body;
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":1,\"completions\":1,\"activeDeadlineSeconds\":30",
             "{\"active\":1,\"ready\":0,\"terminating\":0,\"uncountedTerminatedPods\":{}}");
    rig_pod(&r, "a", "", "{\"phase\":\"Running\"}");
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_STATUS);
    body = r.stage->ops[0].body;
    assert_non_null(memmem(body.p, body.n, begun, sizeof(begun) - 1));
    rig_close(&r);
}

/** One without active Pods has not begun: as with upstream, nothing is written for it alone. */
static void test_no_start_without_pods(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, "\"parallelism\":0,\"completions\":1,\"activeDeadlineSeconds\":30",
             "{\"ready\":0,\"terminating\":0,\"uncountedTerminatedPods\":{}}");
    assert_int_equal(rig_begin(&r)->kind, JR_STAGE_DONE);
    assert_false(r.stage->done.failed);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaving_begins_nothing),
        cmocka_unit_test(test_start_after_release),
        cmocka_unit_test(test_no_start_without_pods),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
