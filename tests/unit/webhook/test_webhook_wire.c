/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews as a real kube-apiserver 1.36 sent them. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/job/defaults.h"
#include "common/job/prepare.h"
#include "tests/unit/webhook/ask.h"
#include "tests/unit/webhook/idempotent.h"

#define REVIEWS "tests/vectors/wire/reviews/*.json"

static void each_review(void (*fn)(const char *name, struct jr_str body,
                                   const struct jr_node *request))
{
    glob_t g;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    if (glob(REVIEWS, 0, NULL, &g) != 0)
        fail_msg("no %s", REVIEWS);
    assert_true(g.gl_pathc > 20);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        JR_FREE char *text = slurp(g.gl_pathv[i]);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

        assert_non_null(text);
        doc = doc_of(jr_str(text));
        fn(g.gl_pathv[i], jr_str(text), jr_get(jr_doc_root(doc), "request"));
    }
    globfree(&g);
}

static bool about_jobs(const struct jr_node *request)
{
    return jr_str_is(jr_get_str(jr_get(request, "resource"), "resource"), "jobs");
}

/* Both sides are given each review: a Job that an API server has let through is let through,
 * anything else is denied. What an API server has defaulted is never patched. */
static void result(const char *name, struct jr_str body, const struct jr_node *request)
{
    bool mutating = strstr(name, "-mutate-") != NULL;
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

    ask(mutating ? JR_ENDPOINT_MUTATE_JOB : JR_ENDPOINT_VALIDATE_JOB, body, &a);
    if (a.st != JR_OK || a.allowed != about_jobs(request))
        fail_msg("%s: status %d, allowed %d, %.*s", name, a.st, a.allowed, JR_P(a.message));
    assert_true(jr_str_eq(jr_get_str(a.response, "uid"), jr_get_str(request, "uid")));
    if (a.patch != NULL)
        fail_msg("%s: a patch", name);
    if (!a.allowed)
        assert_int_equal(a.code, 400);
}

static void test_results(void **state)
{
    (void)state;
    each_review(result);
}

/* As the API server goes on after the mutating webhooks: uid, generation, validating webhooks. */
static bool is_valid(const struct jr_node *mutated, struct answer *ret)
{
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *meta;

    assert_int_equal(jr_doc_of(mutated, &doc), JR_OK);
    meta = jr_get(jr_doc_root(doc), "metadata");
    assert_int_equal(jr_set_str(meta, "uid", JR_S("0cfee300-d4df-4dc2-9210-ac5b10786fbf")), JR_OK);
    if (jr_get_str(meta, "name").n == 0)
        assert_int_equal(jr_set_str(meta, "name", JR_S("generated-abcde")), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    {
        JR_FREE char *object = text_of(jr_doc_root(doc));
        const struct pieces p = { .operation = "CREATE", .object = object };
        JR_FREE char *body = review_of(&p);

        ask(JR_ENDPOINT_VALIDATE_JOB, jr_str(body), ret);
    }
    return ret->st == JR_OK && ret->allowed;
}

static void whole_create(const char *name, struct jr_str body, const struct jr_node *request)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *after = NULL;
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
    const struct jr_node *object = jr_get(request, "object");
    bool bad =
        jr_str_is(jr_get_str(request, "name"), "bad"); /* the one that was sent to be refused */

    (void)body;
    if (strstr(name, "-mutate-CREATE-jobs") == NULL)
        return;
    after = mutate_idempotently(JR_ENDPOINT_MUTATE_JOB, name, object);
    assert_non_null(after);
    if (is_valid(jr_doc_root(after), &a) != !bad)
        fail_msg("%s: %.*s", name, JR_P(a.message));
}

static void test_creates(void **state)
{
    (void)state;
    each_review(whole_create);
}

static void cron_create(const char *name, struct jr_str body, const struct jr_node *request)
{
    JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

    (void)request;
    if (strstr(name, "-mutate-CREATE-cronjobs") == NULL)
        return;
    ask(JR_ENDPOINT_MUTATE_CRON_JOB, body, &a);
    assert_true(a.allowed);
    assert_null(a.patch);
}

static void test_cron_creates(void **state)
{
    (void)state;
    each_review(cron_create);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_creates),
        cmocka_unit_test(test_cron_creates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
