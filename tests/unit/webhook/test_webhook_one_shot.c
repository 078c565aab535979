/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a command that is done once: its own end, its deadline, a signal. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "webhook/commands/one_shot.h"

#define NEVER_MS ((int64_t)600000)

static const char kubeconfig[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"c\",\"clusters\":[{\"name\":"
    "\"c\","
    "\"cluster\":{\"server\":\"http://127.0.0.1:1\"}}],\"contexts\":[{\"name\":\"c\",\"context\":{"
    "\"cluster\":\"c\",\"user\":\"u\",\"namespace\":\"ns\"}}],\"users\":[{\"name\":\"u\",\"user\":{"
    "}}]}";

/** Begins a command, lets how end it, and returns its exit code. */
static int run(int64_t timeout_ms, void (*how)(struct jr_one_shot *e))
{
    char path[] = "/tmp/jobreeve-one-shot.XXXXXX";
    const int fd = mkstemp(path);
    const struct jr_webhook_api_options where = { .kubeconfig = path };
    JR_CLEANUP(jr_one_shot_done) struct jr_one_shot e = { .code = 0 };
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, kubeconfig, sizeof(kubeconfig) - 1), sizeof(kubeconfig) - 1);
    (void)close(fd);
    st = jr_one_shot_begin(&e, &where, timeout_ms, NULL, &err);
    (void)unlink(path);
    if (st != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
    assert_string_equal(e.api.kube.server, "http://127.0.0.1:1");
    if (how != NULL)
        how(&e);
    return jr_one_shot_run(&e);
}

static void by_int(struct jr_one_shot *e)
{
    (void)e;
    assert_int_equal(raise(SIGINT), 0);
}

static void by_term(struct jr_one_shot *e)
{
    (void)e;
    assert_int_equal(raise(SIGTERM), 0);
}

static void by_itself(struct jr_one_shot *e)
{
    jr_one_shot_end(e, 7);
}

static void ends(void **state)
{
    (void)state;
    assert_int_equal(run(NEVER_MS, by_int), 1);
    assert_int_equal(run(NEVER_MS, by_term), 1);
    assert_int_equal(run(NEVER_MS, by_itself), 7);
    assert_int_equal(run(1, NULL), 1);
}

static void no_kubeconfig(void **state)
{
    const struct jr_webhook_api_options where = { .kubeconfig = "/nowhere/kubeconfig" };
    JR_CLEANUP(jr_one_shot_done) struct jr_one_shot e = { .code = 0 };
    struct jr_error err = { .status = JR_OK };

    (void)state;
    assert_int_not_equal(jr_one_shot_begin(&e, &where, NEVER_MS, NULL, &err), JR_OK);
    assert_non_null(strstr(err.path, "/nowhere/kubeconfig"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),
        cmocka_unit_test(no_kubeconfig),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
