/* SPDX-License-Identifier: Apache-2.0 */
/* Generated Jobs: mutation is idempotent, loses nothing, changes no result of validation, and comes
 * to the same in any order with other webhooks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/job/defaults.h"
#include "common/job/prepare.h"
#include "tests/support/job_gen.h"
#include "tests/unit/webhook/ask.h"
#include "tests/unit/webhook/idempotent.h"

#ifndef SEEDS
#define SEEDS 150
#endif
#define JOBS_PER_SEED 4

static void each_job(enum jr_job_gen_kind kind, void (*fn)(const char *name, struct jr_str text))
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)64 << 20);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct jr_job_gen g;

        jr_job_gen_init(&g, seed, kind);
        g.unknown = seed % 2 == 0;
        g.with_uid = seed % 3 == 0;
        for (int i = 0; i < JOBS_PER_SEED; i++) {
            char name[64];

            jr_buf_reset(&text);
            assert_int_equal(jr_job_gen_next(&g, &text), JR_OK);
            (void)snprintf(name, sizeof(name), "kind %d, seed %llu, Job %d", (int)kind,
                           (unsigned long long)seed, i);
            fn(name, jr_buf_str(&text));
        }
    }
}

/* ---- unknown members stay, nothing sent is lost, a second mutation changes nothing ---- */

static void keeps(const char *name, struct jr_str text)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = doc_of(text);

    jr_doc_free(mutate_idempotently(JR_ENDPOINT_MUTATE_JOB, name, jr_doc_root(job)));
}

static void test_keeps_valid(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_VALID, keeps);
}

static void test_keeps_nearly(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_NEARLY, keeps);
}

static void test_keeps_hostile(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_HOSTILE, keeps);
}

/* ---- what an API server has defaulted is stored as it would be without us ---- */

static void leaves_defaulted(const char *name, struct jr_str text)
{
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = doc_of(text);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *after = NULL;

    jr_remove(jr_get(jr_doc_root(job), "metadata"), JR_S("uid"), NULL);
    assert_int_equal(jr_job_default(jr_doc_root(job), &profile), JR_OK);
    after = mutate_idempotently(JR_ENDPOINT_MUTATE_JOB, name, jr_doc_root(job));
    if (after != NULL && !jr_node_equal(jr_doc_root(job), jr_doc_root(after)))
        fail_msg("%s: a patch for: %.*s", name, JR_P(text));
}

static void test_leaves_defaulted(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_VALID, leaves_defaulted);
    each_job(JR_JOB_GEN_NEARLY, leaves_defaulted);
}

/* ---- whatever other webhooks do before and after ---- */

static void any_order(const char *name, struct jr_str text)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = doc_of(text);

    check_any_order(JR_ENDPOINT_MUTATE_JOB, name, jr_doc_root(job));
}

static void test_any_order(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_VALID, any_order);
    each_job(JR_JOB_GEN_NEARLY, any_order);
}

/* ---- the mutating side changes no result ---- */

/** As the API server goes on: uid, name, generation; then the validating side. */
static void validate(const struct jr_node *job, struct answer *ret)
{
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_node *meta;

    assert_int_equal(jr_doc_of(job, &doc), JR_OK);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
    meta = jr_get(jr_doc_root(doc), "metadata");
    assert_int_equal(jr_set_str(meta, "uid", JR_S("0cfee300-d4df-4dc2-9210-ac5b10786fbf")), JR_OK);
    if (jr_get_str(meta, "name").n == 0 && jr_get_str(meta, "generateName").n > 0)
        assert_int_equal(jr_set_str(meta, "name", JR_S("generated-abcde")), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    {
        JR_FREE char *object = text_of(jr_doc_root(doc));
        JR_FREE char *body = create_review(JR_ENDPOINT_VALIDATE_JOB, object, false);

        ask(JR_ENDPOINT_VALIDATE_JOB, jr_str(body), ret);
    }
}

/** Fails unless both ways come to the same. `valid`: and unless that is an admission. */
static void same_result(const char *name, struct jr_str text, bool valid)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = doc_of(text);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *after = NULL;
    JR_CLEANUP(answer_done) struct answer alone = { .st = JR_OK };
    JR_CLEANUP(answer_done) struct answer both = { .st = JR_OK };
    struct jr_node *meta = jr_get(jr_doc_root(job), "metadata");

    jr_remove(meta, JR_S("uid"), NULL); /* hidden from the mutating side */
    jr_remove(meta, JR_S("deletionTimestamp"), NULL);
    validate(jr_doc_root(job), &alone);
    if (valid && !alone.allowed)
        fail_msg("%s: refused: %.*s: %.*s", name, JR_P(alone.message), JR_P(text));
    after = mutate_idempotently(JR_ENDPOINT_MUTATE_JOB, name, jr_doc_root(job));
    if (after == NULL) {
        if (alone.allowed)
            fail_msg("%s: refused by the mutating side alone", name);
        return;
    }
    validate(jr_doc_root(after), &both);
    if (alone.st != both.st || alone.allowed != both.allowed)
        fail_msg("%s: alone %d %.*s; after mutation %d %.*s; the Job: %.*s", name, alone.allowed,
                 JR_P(alone.message), both.allowed, JR_P(both.message), JR_P(text));
}

static void valid_is_admitted(const char *name, struct jr_str text)
{
    same_result(name, text, true);
}

static void any_result(const char *name, struct jr_str text)
{
    same_result(name, text, false);
}

static void test_valid_is_admitted(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_VALID, valid_is_admitted);
}

static void test_same_result(void **state)
{
    (void)state;
    each_job(JR_JOB_GEN_NEARLY, any_result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeps_valid),      cmocka_unit_test(test_keeps_nearly),
        cmocka_unit_test(test_keeps_hostile),    cmocka_unit_test(test_valid_is_admitted),
        cmocka_unit_test(test_same_result),      cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_leaves_defaulted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
