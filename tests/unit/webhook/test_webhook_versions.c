/* SPDX-License-Identifier: Apache-2.0 */
/* Several API servers: refused is only what each of them refuses, defaulted what all of them know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/failalloc.h"
#include "tests/unit/webhook/ask.h"

#define UID "6e8d2a4c-0001-4000-8000-000000000001"
#define LABELS                                            \
    "\"batch.kubernetes.io/controller-uid\":\"" UID "\"," \
    "\"batch.kubernetes.io/job-name\":\"pi\",\"controller-uid\":\"" UID "\",\"job-name\":\"pi\""
#define CONTAINER(MORE) "{\"name\":\"c\",\"image\":\"i:1\"" MORE "}"
/* A Job as a webhook's validating side sees it. */
#define STORED_OF(META, SPEC, POD, CONTAINERS)                                                    \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\","                \
    "\"namespace\":\"ns\",\"uid\":\"" UID "\",\"resourceVersion\":\"7\"" META "},\"spec\":{" SPEC \
    "\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"" UID                \
    "\"}},\"template\":{\"metadata\":{\"labels\":{" LABELS "}},\"spec\":{" POD                    \
    "\"restartPolicy\":\"Never\",\"containers\":[" CONTAINERS "]}}}}"
#define STORED(SPEC, POD, CONTAINERS) STORED_OF("", SPEC, POD, CONTAINERS)

#define FINE STORED("", "", CONTAINER(""))
/* 1.33 forbids it, and 1.36 has the gate for it. */
#define OLD_REFUSES STORED("", "", CONTAINER(",\"restartPolicy\":\"Never\""))
/* 1.36 is strict about addresses, 1.33 is not. */
#define NEW_REFUSES \
    STORED("", "\"hostAliases\":[{\"ip\":\"01.2.3.4\",\"hostnames\":[\"a\"]}],", CONTAINER(""))
#define BOTH_REFUSE                                                              \
    STORED("", "\"hostAliases\":[{\"ip\":\"01.2.3.4\",\"hostnames\":[\"a\"]}],", \
           CONTAINER(",\"restartPolicy\":\"Never\""))
#define ALL_REFUSE STORED("\"parallelism\":-1,", "", CONTAINER(",\"restartPolicy\":\"Never\""))

#define RESTART_FIELD "spec.template.spec.containers[0].restartPolicy"

static struct jr_profiles profiles_of(unsigned first, unsigned second)
{
    const struct jr_flag_list none = { .n = 0 };
    const unsigned minors[] = { first, second };
    struct jr_kube_range range = { .n = 0 };
    struct jr_profiles ps;

    for (size_t i = 0; i < JR_ARRAY_SIZE(minors) && minors[i] > 0; i++) {
        const struct jr_kube_server s = { jr_kube_newest_patch(minors[i]), minors[i] };

        (void)jr_kube_range_see(&range, &s, (struct jr_mono){ 0 });
    }
    jr_profiles_of_range(&range, &none, &ps, NULL);
    return ps;
}

static void ask_about(const struct jr_profiles *profiles, enum jr_endpoint e,
                      const struct pieces *p, struct answer *ret)
{
    const struct jr_review_settings settings = { .profiles = profiles,
                                                 .controller_name = ASK_CONTROLLER };
    JR_FREE char *body = review_of(p);

    ask_by(e, jr_str(body), &settings, ret);
}

static void test_creates(void **state)
{
    static const struct {
        const char *name, *object;
        unsigned versions[2]; /* 0, 0: all known ones */
        int code;
        const char *message; /* of a denial, a part */
        size_t causes;
    } rows[] = {
        { "fine", FINE, { 33, 36 }, 0, NULL, 0 },
        { "1.33 alone refuses it", OLD_REFUSES, { 33, 0 }, 422, RESTART_FIELD, 1 },
        { "1.36 alone accepts it", OLD_REFUSES, { 36, 0 }, 0, NULL, 0 },
        { "1.33 of two", OLD_REFUSES, { 33, 36 }, 0, NULL, 0 },
        { "1.36 alone refuses it", NEW_REFUSES, { 36, 0 }, 422, "hostAliases[0].ip", 1 },
        { "1.36 of two", NEW_REFUSES, { 33, 36 }, 0, NULL, 0 },
        /* For one reason each, and each has its own: the lower one's are told. */
        { "each for its reason", BOTH_REFUSE, { 33, 36 }, 422, RESTART_FIELD, 1 },
        { "all", ALL_REFUSE, { 33, 36 }, 422, "spec.parallelism", 2 },
        { "all of 1.36", ALL_REFUSE, { 36, 0 }, 422, "spec.parallelism", 1 },
        { "unknown, fine", FINE, { 0, 0 }, 0, NULL, 0 },
        { "unknown, some refuse", OLD_REFUSES, { 0, 0 }, 0, NULL, 0 },
        { "unknown, others refuse", NEW_REFUSES, { 0, 0 }, 0, NULL, 0 },
        { "unknown, all refuse", ALL_REFUSE, { 0, 0 }, 422, "spec.parallelism", 2 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_profiles ps = profiles_of(rows[i].versions[0], rows[i].versions[1]);
        const struct pieces p = { .operation = "CREATE", .object = rows[i].object };
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

        ask_about(&ps, JR_ENDPOINT_VALIDATE_JOB, &p, &a);
        want_answer(rows[i].name, &a, rows[i].code, rows[i].message, false);
        assert_int_equal(a.outcome.n_causes, rows[i].causes);
    }
}

/* What is left alone in an update is no more looked at by the second version than by the first. */
static void test_updates(void **state)
{
    static const struct {
        const char *name, *object, *old;
        int code;
    } rows[] = {
        { "labels of what the old version refuses",
          STORED_OF(",\"labels\":{\"a\":\"b\"}", "", "", CONTAINER(",\"restartPolicy\":\"Never\"")),
          OLD_REFUSES, 0 },
        { "bad labels", STORED_OF(",\"labels\":{\"a\":\"-\"}", "", "", CONTAINER("")), FINE, 422 },
        { "a deadline", STORED("\"activeDeadlineSeconds\":9,", "", CONTAINER("")), FINE, 0 },
        { "bad parallelism", STORED("\"parallelism\":-2,", "", CONTAINER("")), FINE, 422 },
        { "another template", STORED("", "\"hostname\":\"x\",", CONTAINER("")), FINE, 422 },
    };
    const struct jr_profiles ps = profiles_of(33, 36);

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct pieces p = { .operation = "UPDATE",
                                  .object = rows[i].object,
                                  .old_object = rows[i].old };
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };

        ask_about(&ps, JR_ENDPOINT_VALIDATE_JOB, &p, &a);
        want_answer(rows[i].name, &a, rows[i].code, NULL, false);
    }
}

static void test_defaults_in_common(void **state)
{
    /* 1.34 and later give a CronJob's onPodConditions a status; 1.33 doesn't. */
    static const char cron[] =
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":{\"name\":\"c\","
        "\"namespace\":\"ns\"},\"spec\":{\"schedule\":\"@daily\",\"jobTemplate\":{\"spec\":{"
        "\"podFailurePolicy\":{\"rules\":[{\"action\":\"Ignore\",\"onPodConditions\":[{\"type\":"
        "\"DisruptionTarget\"}]}]},\"template\":{\"spec\":{\"restartPolicy\":\"Never\","
        "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}}}";
    static const struct {
        unsigned versions[2];
        bool status;
    } rows[] = { { { 33, 0 }, false }, { { 36, 0 }, true }, { { 33, 36 }, false } };
    const struct pieces p = {
        .kind = "CronJob", .resource = "cronjobs", .operation = "CREATE", .object = cron
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_profiles ps = profiles_of(rows[i].versions[0], rows[i].versions[1]);
        JR_CLEANUP(answer_done) struct answer a = { .st = JR_OK };
        JR_FREE char *patch = NULL;

        ask_about(&ps, JR_ENDPOINT_MUTATE_CRON_JOB, &p, &a);
        want_answer("a CronJob", &a, 0, NULL, true);
        patch = text_of(jr_doc_root(a.patch));
        if ((strstr(patch, "onPodConditions") != NULL) != rows[i].status)
            fail_msg("row %zu: %s", i, patch);
    }
}

static void test_no_memory(void **state)
{
    const struct jr_profiles ps = profiles_of(33, 36);
    const struct jr_review_settings settings = { .profiles = &ps };
    static const struct {
        const char *object;
        bool allowed;
    } rows[] = { { OLD_REFUSES, true }, { ALL_REFUSE, false } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct pieces p = { .operation = "CREATE", .object = rows[i].object };
        JR_FREE char *body = review_of(&p);
        bool hit = true;

        for (long n = 1; hit; n++) {
            JR_ARENA arena = { 0 };
            JR_BUF out = { 0 };
            struct jr_error err = { .status = JR_OK };
            struct jr_review_outcome o;
            enum jr_status st;

            jr_failalloc_arm(n);
            st = answer_review(JR_ENDPOINT_VALIDATE_JOB, jr_str(body), &settings, &arena, &out, &o,
                               &err);
            hit = jr_failalloc_hit();
            jr_failalloc_disarm();
            if (st == JR_OK ? o.allowed != rows[i].allowed : !hit || st != JR_NOMEM)
                fail_msg("allocation %ld: status %d, %s", n, st, err.msg);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creates),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_defaults_in_common),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
