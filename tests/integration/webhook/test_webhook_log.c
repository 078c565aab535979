/* SPDX-License-Identifier: Apache-2.0 */
/* What the log answers: with what it was started, who was denied what and why, whom a flood was
 * about, by what it ended. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/integration/webhook/process.h"
#include "tests/unit/webhook/ask.h"

#define VALIDATE "/validate-batch-v1-job"

/** Asks about a wrong Job; name "": it has a generateName. */
static void deny(const struct process *p, const char *name)
{
    char body[2048];
    const struct ask_http a = { .path = VALIDATE, .body = body };
    struct reply r;

    (void)snprintf(
        body, sizeof(body),
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
        "\"uid\":\"u-1\",\"kind\":{\"group\":\"batch\",\"version\":\"v1\",\"kind\":\"Job\"},"
        "\"resource\":{\"group\":\"batch\",\"version\":\"v1\",\"resource\":\"jobs\"},"
        "\"name\":\"%s\",\"namespace\":\"team-a\",\"operation\":\"CREATE\",\"dryRun\":true,"
        "\"userInfo\":{\"username\":\"jane\"},\"oldObject\":null,\"object\":{\"apiVersion\":"
        "\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"%s\":\"%s\",\"namespace\":\"team-a\"},"
        "\"spec\":{\"parallelism\":-1,\"template\":{\"spec\":{\"containers\":[]}}}}}}",
        name, name[0] == '\0' ? "generateName" : "name", name[0] == '\0' ? "nightly-" : name);
    http_ask(p, &a, &r);
    assert_int_equal(r.status, 200);
    assert_non_null(strstr(r.body, "\"allowed\":false"));
    reply_done(&r);
}

static void test_first_questions(void **state)
{
    static const char version[] = "\"version\":\"" JR_VERSION "\"";
    struct process p;

    (void)state;
    process_start(&p, (const char *[]){ "--max-body-bytes=1Mi", "--log-level=debug", NULL });
    assert_true(process_logged(
        &p, (const char *[]){ "\"msg\":\"starting\"", "\"settings\":\"", "--max-body-bytes=1048576",
                              "--tls-cert-file=", "--log-level=debug", version, NULL }));
    deny(&p, "wrong");
    process_await_log(
        &p, (const char *[]){ "\"msg\":\"denied\",\"namespace\":\"team-a\",\"name\":"
                              "\"wrong\",\"kind\":\"Job\",\"operation\":\"CREATE\","
                              "\"user\":\"jane\",\"dryRun\":true,",
                              "\"code\":422,",
                              "\"field\":\"spec.parallelism\",\"rule\":\"parallelism-negative\"",
                              NULL });
    deny(&p, "");
    process_await_log(&p, (const char *[]){ "\"msg\":\"denied\"", "\"name\":\"nightly-\"", NULL });
    process_signal(&p, SIGTERM);
    assert_int_equal(process_wait(&p), 0);
    assert_true(process_logged(
        &p, (const char *[]){ "\"msg\":\"stopping\",\"signal\":\"SIGTERM\"", NULL }));
    process_end(&p);
}

/** A line of its own, or among those of a line that was folded. */
static bool told(const struct process *p, const char *name)
{
    char own[64], listed[64];

    (void)snprintf(own, sizeof(own), "\"name\":\"%s\"", name);
    (void)snprintf(listed, sizeof(listed), "team-a/%s", name);
    return process_logged(p, (const char *[]){ "\"msg\":\"denied\"", own, NULL }) ||
           process_logged(p, (const char *[]){ "\"msg\":\"denied\"", "\"folded\":", listed, NULL });
}

/* Finding: of 60 that were refused one after the other, 40 were named nowhere. */
static void test_all_are_named(void **state)
{
    struct process p;
    char name[16];

    (void)state;
    process_start(&p, NULL);
    for (int i = 100; i < 160; i++) {
        (void)snprintf(name, sizeof(name), "j-%d", i);
        deny(&p, name);
    }
    process_signal(&p, SIGTERM);
    assert_int_equal(process_wait(&p), 0);
    for (int i = 100; i < 160; i++) {
        (void)snprintf(name, sizeof(name), "j-%d", i);
        if (!told(&p, name))
            fail_msg("%s is not named in the log", name);
    }
    assert_false(told(&p, "j-160"));
    process_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_questions),
        cmocka_unit_test(test_all_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
