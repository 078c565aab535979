/* The last accounting before a controller leaves (--release). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaving_begins_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
