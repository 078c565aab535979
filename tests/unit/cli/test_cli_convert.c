/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/convert.h"
#include "rewrite_test.h"
#include "tests/support/without_memory.h"

static const struct jr_rewrite plain = { .object = jr_convert_manifest };

#define OLD_JOB "apiVersion: extensions/v1beta1\nkind: Job\n"
#define LABELS "  template:\n    metadata:\n      labels:\n        app: x\n"

#define LABELS_IN_LIST "  template:\n      metadata:\n        labels:\n          app: x\n"

static void test_streams(void **state)
{
    static const struct {
        const char *name, *in, *out;
        size_t taken, others;
    } rows[] = {
        { "automatic", OLD_JOB "spec:\n  autoSelector: true\n" LABELS,
          "apiVersion: batch/v1\nkind: Job\nspec:\n" LABELS, 1, 0 },
        { "manual, after another kind",
          "kind: Service\napiVersion: v1\n---\n" OLD_JOB "spec:\n" LABELS,
          "kind: Service\napiVersion: v1\n---\napiVersion: batch/v1\nkind: Job\nspec:\n" LABELS
          "  selector:\n    matchLabels:\n      app: x\n  manualSelector: true\n",
          1, 1 },
        { "a List with a CronJob",
          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1beta1\n  kind: CronJob\n"
          "  spec:\n    schedule: \"@daily\"\n",
          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: CronJob\n"
          "  spec:\n    schedule: \"@daily\"\n",
          1, 0 },
        { "a list of one kind, as a server gave it",
          "apiVersion: batch/v2alpha1\nkind: ScheduledJobList\nitems:\n- spec:\n    suspend: true\n"
          "- spec: {}\n",
          "apiVersion: batch/v1\nkind: CronJobList\nitems:\n- spec:\n    suspend: true\n"
          "- spec: {}\n",
          2, 0 },
        { "a list in a List",
          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1beta1\n  kind: CronJobList\n"
          "  items:\n  - spec: {}\n",
          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: CronJobList\n"
          "  items:\n  - spec: {}\n",
          1, 0 },
        { "an item that says its kind alone",
          "apiVersion: extensions/v1beta1\nkind: JobList\nitems:\n- kind: Job\n  spec:\n "
          " " LABELS_IN_LIST,
          "apiVersion: batch/v1\nkind: JobList\nitems:\n- kind: Job\n  spec:\n  " LABELS_IN_LIST
          "    selector:\n      matchLabels:\n        app: x\n    manualSelector: true\n",
          1, 0 },
        { "new already", "apiVersion: batch/v1\nkind: Job\n", "apiVersion: batch/v1\nkind: Job\n",
          0, 1 },
        { "nothing", "# nothing\n", "", 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        OUTCOME o;

        rewrite(&o, plain, rows[i].in, NULL);
        if (o.status != JR_OK || !jr_str_is(jr_buf_str(&o.out), rows[i].out) || o.remarks.n > 0)
            fail_msg("%s: %s%.*s got\n%.*s", rows[i].name, o.err.msg, JR_P(jr_buf_str(&o.remarks)),
                     JR_P(jr_buf_str(&o.out)));
        if (o.counts.taken != rows[i].taken || o.counts.others != rows[i].others)
            fail_msg("%s: %zu and %zu", rows[i].name, o.counts.taken, o.counts.others);
    }
}

static void test_unknown_members_are_kept_and_told(void **state)
{
    OUTCOME o;

    (void)state;
    rewrite(&o, plain,
            "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n- apiVersion: batch/v1beta1\n"
            "  kind: CronJob\n  spec:\n    jobTemplate:\n      spec:\n        retries: 3\n",
            NULL);
    assert_int_equal(o.status, JR_OK);
    assert_string_equal(o.remarks.p,
                        "10:18: warning: items[1].spec.jobTemplate.spec.retries: no field of "
                        "batch/v1; kept, but API servers will drop it\n");
    assert_true(has(&o.out, "        retries: 3\n"));
}

static void test_a_text_is_converted_whole_or_not_at_all(void **state)
{
    OUTCOME o;

    (void)state;
    rewrite(&o, plain,
            OLD_JOB "spec:\n  autoSelector: true\n---\n" OLD_JOB "spec:\n  autoSelector: 'yes'\n"
                    "---\n" OLD_JOB "metadata:\n  name: a\n",
            NULL);
    assert_int_equal(o.status, JR_DENIED);
    assert_int_equal(o.out.n, 0);
    assert_true(has(&o.remarks, "9:17: spec.autoSelector: expected true or false\n"));
    assert_true(has(&o.remarks, "11:1: spec.selector: expected a selector, or labels"));
}

static void test_a_diff_shows_what_changes(void **state)
{
    struct jr_rewrite rw = plain;
    OUTCOME o;

    (void)state;
    rw.diff_name = "f.yaml";
    rewrite(&o, rw, "apiVersion: batch/v1beta1\nkind: CronJob\n", NULL);
    assert_string_equal(o.out.p, "--- a/f.yaml\n+++ b/f.yaml\n@@ -1,2 +1,2 @@\n"
                                 "-apiVersion: batch/v1beta1\n+apiVersion: batch/v1\n"
                                 " kind: CronJob\n");
}

/* No failed allocation is taken for a refused object, and none goes unseen. */
static void convert_all(void *ctx)
{
    static const char text[] =
        "apiVersion: v1\nkind: List\nitems:\n- "
        "apiVersion: extensions/v1beta1\n  kind: Job\n"
        "  spec:\n    x: 1\n    template:\n      metadata:\n        labels:\n          app: x\n"
        "---\napiVersion: batch/v2alpha1\nkind: ScheduledJob\n";
    struct jr_rewrite rw = plain;
    OUTCOME o;

    rw.diff_name = ctx;
    rewrite(&o, rw, text, NULL);
    assert_int_equal(o.status, JR_OK);
}

static void test_without_memory(void **state)
{
    char name[] = "f";

    (void)state;
    assert_true(jr_each_without_memory(convert_all, NULL) > 60);
    assert_true(jr_each_without_memory(convert_all, name) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_unknown_members_are_kept_and_told),
        cmocka_unit_test(test_a_text_is_converted_whole_or_not_at_all),
        cmocka_unit_test(test_a_diff_shows_what_changes),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
