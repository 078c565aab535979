/* SPDX-License-Identifier: Apache-2.0 */
/* A dry run may ask to be refused; nothing else is refused for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/webhook/ask.h"
#include "webhook/review/self_test_refusal.h"

#define MUTATE JR_ENDPOINT_MUTATE_JOB
#define JOB(NOTE)                                                                         \
    "{\"metadata\":{\"name\":\"pi\",\"annotations\":{" NOTE "}},\"spec\":{\"template\":{" \
    "\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"
#define NOTE(SIDE) "\"" JR_SELF_TEST_ANNOTATION "\":\"" SIDE "\""

static const struct row {
    const char *name;
    struct pieces in;
    enum jr_endpoint endpoint;
    bool refused;
} rows[] = {
    { "its side",
      { .operation = "CREATE", .object = JOB(NOTE("mutate")), .dry_run = true },
      MUTATE,
      true },
    { "v1beta1",
      { .api_version = "admission.k8s.io/v1beta1",
        .operation = "CREATE",
        .object = JOB(NOTE("mutate")),
        .dry_run = true },
      MUTATE,
      true },
    { "the validating side",
      { .operation = "CREATE", .object = JOB(NOTE("validate")), .dry_run = true },
      JR_ENDPOINT_VALIDATE_JOB,
      true },
    { "a CronJob",
      { .kind = "CronJob",
        .resource = "cronjobs",
        .operation = "CREATE",
        .object = JOB(NOTE("mutate")),
        .dry_run = true },
      JR_ENDPOINT_MUTATE_CRON_JOB,
      true },
    { "no dry run: it may stand in a stored manifest",
      { .operation = "CREATE", .object = JOB(NOTE("mutate")) },
      MUTATE,
      false },
    { "the other side",
      { .operation = "CREATE", .object = JOB(NOTE("validate")), .dry_run = true },
      MUTATE,
      false },
    { "no create",
      { .operation = "UPDATE",
        .object = JOB(NOTE("mutate")),
        .old_object = JOB(NOTE("mutate")),
        .dry_run = true },
      MUTATE,
      false },
    { "the name as a value",
      { .operation = "CREATE",
        .object = JOB("\"a\":\"" JR_SELF_TEST_ANNOTATION "\""),
        .dry_run = true },
      MUTATE,
      false },
    { "assignment has no side",
      { .operation = "CREATE", .object = JOB(NOTE("mutate")), .dry_run = true },
      JR_ENDPOINT_ASSIGN_CONTROLLER,
      false },
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_FREE char *body = review_of(&rows[i].in);
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

        ask(rows[i].endpoint, jr_str(body), &a);
        if (a.st != JR_OK || a.allowed == rows[i].refused ||
            (rows[i].refused && (a.code != 403 || !jr_str_is(a.message, JR_SELF_TEST_MESSAGE))))
            fail_msg("%s: allowed %d, code %d, %.*s", rows[i].name, a.allowed, (int)a.code,
                     JR_P(a.message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
