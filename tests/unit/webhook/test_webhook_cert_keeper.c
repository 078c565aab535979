/* SPDX-License-Identifier: Apache-2.0 */
/* Keepers of certificates through the years: they agree, renew, exchange CAs, and end the trust in
 * one whose Secret was deleted, and no caller is ever without the CA of what a replica serves. */
#include "tests/unit/webhook/keeper_world.h"

#include <stdio.h>

#include "certs/check.h"

#define HOUR (INT64_C(3600) * JR_SEC)

static const char *const ours[] = { "hook", "hook.ns.svc" };
static const struct jr_str none = { NULL, 0 };

static void delete_secret(struct world *w)
{
    assert_int_equal(request(w, "DELETE", SECRET, NULL, none, NULL), 200);
}

static void test_all_at_once(void **state)
{
    struct world *w = *state;

    begin(w, 10000);
    same_for_all(w);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 1);
}

static void test_overwritten_bundle(void **state)
{
    static const char patch[] =
        "[{\"op\":\"remove\",\"path\":\"/webhooks/0/clientConfig/caBundle\"},"
        "{\"op\":\"remove\",\"path\":\"/webhooks/1/clientConfig/caBundle\"}]";
    struct world *w = *state;

    begin(w, 10000);
    w->started = false;
    assert_int_equal(request(w, "PATCH", MUTATING "/jobreeve", "application/json-patch+json",
                             jr_str(patch), NULL),
                     200);
    assert_false(all_is_well(w));
    pass(w, 15 * JR_SEC);
    assert_true(all_is_well(w));
}

static void unconfigure(struct world *w)
{
    w->started = false;
    assert_int_equal(request(w, "DELETE", MUTATING "/jobreeve", NULL, none, NULL), 200);
    assert_int_equal(request(w, "DELETE", VALIDATING "/jobreeve", NULL, none, NULL), 200);
}

/* Helm makes Pods first: configurations that come a moment later are soon seen to. One that stays
 * away is asked for ever more rarely. */
static void test_late_configurations(void **state)
{
    struct world *w = *state;
    unsigned rounds;

    unconfigure(w);
    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, 10000);
    pass(w, 2 * JR_SEC);
    configure(w, MUTATING, "MutatingWebhookConfiguration", "", NULL);
    configure(w, VALIDATING, "ValidatingWebhookConfiguration", "", NULL);
    pass(w, 3 * JR_SEC);
    assert_true(all_is_well(w));
    unconfigure(w);
    pass(w, 60 * JR_SEC);
    rounds = w->replicas[0].good_rounds;
    pass(w, 60 * JR_SEC);
    assert_in_range(w->replicas[0].good_rounds - rounds, 5, 7);
}

static void test_renewal(void **state)
{
    struct world *w = *state;
    struct jr_cert_life life;
    struct jr_cert cert = { NULL, NULL };

    begin(w, 12 * HOUR_MS);
    pass(w, 59 * DAY);
    assert_int_equal(w->replicas[0].told, 1);
    pass(w, 2 * DAY);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 2);
    same_for_all(w);
    cert.cert_pem = w->replicas[0].serving;
    assert_int_equal(jr_cert_check(&cert, &life, NULL), JR_OK);
    assert_true(life.until.ns - w->clock.wall.ns > 80 * DAY);
}

/* Years, with another CA on the way; and every replica is made anew now and then. */
static void test_years(void **state)
{
    struct world *w = *state;
    JR_FREE char *first = NULL, *last = NULL;

    begin(w, HOUR_MS * 24 * 7);
    first = trusted_by(w, MUTATING);
    for (int year = 0; year < 8; year++) {
        pass(w, 365 * DAY);
        stop_keeper(w, (size_t)year % REPLICAS);
        start_keeper(w, (size_t)year % REPLICAS, HOUR_MS * 24 * 7, ours, 2);
    }
    pass(w, DAY);
    last = trusted_by(w, MUTATING);
    assert_string_not_equal(first, last);
    assert_int_equal(strlen(first) / 100, strlen(last) / 100); /* one CA, the old one is gone */
    assert_true(all_is_well(w));
    same_for_all(w);
}

/** A value of the Secret's data, in base64; from malloc. */
static char *secret_value(struct world *w, const char *key)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = get(w, SECRET);

    return jr_str_dup(jr_get_str(jr_get(jr_doc_root_const(doc), "data"), key));
}

/* Who deletes the Secret wants other certificates, and no trust in what may have leaked: a new CA
 * at once, nothing of the old keys written back, and the old CA goes when nobody serves by it. No
 * call fails. Finding: the old CA stayed for up to 90 days, and its key was written back. */
static void test_deleted_secret(void **state)
{
    struct world *w = *state;
    JR_FREE char *before = NULL, *after = NULL, *last = NULL, *ca = NULL, *key = NULL, *tls = NULL;

    begin(w, 10000);
    before = trusted_by(w, MUTATING);
    delete_secret(w);
    pass(w, 15 * JR_SEC);
    after = trusted_by(w, MUTATING);
    assert_int_equal(cas(after), 2);
    ca = secret_value(w, "ca.key");
    key = secret_value(w, "next-ca.key");
    tls = secret_value(w, "tls.key");
    assert_string_equal(ca, "");
    assert_string_equal(tls, "");
    assert_true(strlen(key) > 100);
    pass(w, 40 * JR_SEC); /* API servers are given time to learn of it */
    assert_int_equal(w->replicas[0].told, 1);
    pass(w, 60 * JR_SEC);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 2);
    same_for_all(w);
    assert_false(verifies(w->replicas[0].serving, before));
    pass(w, 60 * JR_SEC);
    last = trusted_by(w, VALIDATING);
    assert_int_equal(cas(last), 1);
    assert_false(verifies(w->replicas[0].serving, before));
    assert_true(all_is_well(w));
    for (size_t i = 0; i < REPLICAS; i++)
        assert_false(w->replicas[i].seen.old_trusted);
}

/* One replica doesn't learn of it: what it serves is trusted on, until it does. */
static void test_deleted_and_one_lags(void **state)
{
    struct world *w = *state;
    JR_FREE char *both = NULL, *one = NULL;

    begin(w, 60000);
    jr_cert_reader_free(w->replicas[1].reader);
    w->replicas[1].reader = NULL;
    delete_secret(w);
    pass(w, 1200 * JR_SEC);
    both = trusted_by(w, MUTATING);
    assert_int_equal(cas(both), 2);
    assert_true(w->replicas[2].seen.old_trusted);
    start_reader(w, 1, 60000);
    pass(w, 150 * JR_SEC);
    one = trusted_by(w, MUTATING);
    assert_int_equal(cas(one), 1);
    same_for_all(w);
}

/* Nobody can be asked, by the API server's refusal or for want of an answer: an hour, and no more.
 */
static void deleted_and_unasked(struct world *w)
{
    JR_FREE char *both = NULL, *one = NULL;

    begin(w, 60000);
    delete_secret(w);
    pass(w, 3300 * JR_SEC);
    both = trusted_by(w, MUTATING);
    assert_int_equal(cas(both), 2);
    pass(w, 700 * JR_SEC);
    one = trusted_by(w, MUTATING);
    assert_int_equal(cas(one), 1);
    same_for_all(w);
}

static void test_deleted_without_rights(void **state)
{
    struct world *w = *state;

    w->no_slices = true;
    deleted_and_unasked(w);
}

static void test_deleted_without_answers(void **state)
{
    struct world *w = *state;

    w->none_answer = true;
    deleted_and_unasked(w);
}

/* Keepers end at any moment of it, all at once, and others begin that know nothing. */
static void test_deleted_and_killed(void **state)
{
    struct world *w = *state;
    JR_FREE char *before = NULL, *last = NULL;

    begin(w, 30000);
    for (int i = 0; i < 5; i++) {
        free(before);
        before = trusted_by(w, MUTATING);
        delete_secret(w);
        for (int kill = 0; kill < 3; kill++) {
            pass(w, (int64_t)jr_rand_below(&w->env.rand, 90000) * JR_MSEC);
            for (size_t r = 0; r < REPLICAS; r++)
                stop_keeper(w, r);
            if (kill == 1 && i % 4 == 0)
                (void)request(w, "DELETE", SECRET, NULL, none, NULL);
            for (size_t r = 0; r < REPLICAS; r++)
                start_keeper(w, r, 30000, ours, 2);
        }
        pass(w, 300 * JR_SEC);
        free(last);
        last = trusted_by(w, MUTATING);
        assert_int_equal(cas(last), 1);
        assert_string_not_equal(last, before);
        same_for_all(w);
    }
}

/* Finding: keepers of other names signed in turns for as long as both ran. */
static void test_disagreeing_names(void **state)
{
    static const char *const first[] = { "hook", "hook.ns.svc", "one.example.com" };
    static const char *const second[] = { "hook", "hook.ns.svc", "10.1.2.3" };
    struct world *w = *state;

    start_keeper(w, 0, 6 * HOUR_MS, first, 3);
    start_keeper(w, 1, 6 * HOUR_MS, second, 3);
    start_reader(w, 0, 6 * HOUR_MS);
    pass(w, 2 * DAY);
    assert_true(jr_cert_names_all(w->replicas[0].serving, first, 3));
    assert_true(jr_cert_names_all(w->replicas[0].serving, second, 3));
    assert_in_range(sent(w, "PUT", SECRET), 1, 2);
    stop_keeper(w, 0); /* the rollout is over: at its time the name goes */
    pass(w, 61 * DAY);
    assert_true(jr_cert_names_all(w->replicas[0].serving, second, 3));
    assert_false(jr_cert_names_all(w->replicas[0].serving, first, 3));
    assert_in_range(sent(w, "PUT", SECRET), 2, 3);
}

/* Finding: one clock in the future spoilt the Secret. It is noticed by the API server's Date, and
 * nothing is written. */
static void test_clock_ahead(void **state)
{
    struct world *w = *state;
    unsigned writes;

    w->server_ahead_ns = -70 * DAY;
    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, 6 * HOUR_MS);
    pass(w, 13 * HOUR);
    assert_int_equal(sent(w, "POST", SECRETS), 0);
    assert_non_null(strstr(w->replicas[0].why, "our clock is 6048000 s ahead of the API server's"));
    w->server_ahead_ns = -1800 * JR_SEC; /* within bounds */
    pass(w, 13 * HOUR);
    assert_true(all_is_well(w));
    w->started = true;
    writes = sent(w, "PUT", SECRET);
    w->server_ahead_ns = 2 * HOUR;
    pass(w, 65 * DAY); /* a renewal is due */
    assert_int_equal(sent(w, "PUT", SECRET), writes);
    assert_int_equal(w->replicas[0].told, 1);
    w->server_ahead_ns = 0;
    pass(w, 13 * HOUR);
    assert_int_equal(w->replicas[0].told, 2);
}

/* What a wrong clock has made is replaced by who has a right one, and new replicas begin. */
static void test_made_by_a_wrong_clock(void **state)
{
    struct world *w = *state;
    struct jr_cert_life life;
    struct jr_cert cert = { NULL, NULL };

    w->clock.wall.ns += 70 * DAY;
    start_keeper(w, 0, 10000, ours, 2);
    pass(w, 30 * JR_SEC);
    stop_keeper(w, 0);
    w->clock.wall.ns -= 70 * DAY;
    start(w, 1, 10000);
    pass(w, 30 * JR_SEC);
    cert.cert_pem = w->replicas[1].serving;
    assert_non_null(cert.cert_pem);
    assert_int_equal(jr_cert_check(&cert, &life, NULL), JR_OK);
    assert_true(jr_time_cmp(life.from, w->clock.wall) <= 0);
}

/* Finding: a 422 was taken for a conflict, and tried again without a word. */
static void test_refused_patch(void **state)
{
    struct world *w = *state;
    unsigned patches;

    w->refuse_patch = "webhooks[0].name: a rule of this cluster";
    start(w, 0, 10000);
    pass(w, 60 * JR_SEC);
    assert_int_equal(w->replicas[0].good_rounds, 0);
    assert_non_null(strstr(w->replicas[0].why, "caBundle not set"));
    assert_non_null(strstr(w->replicas[0].why, "a rule of this cluster"));
    patches = sent(w, "PATCH", ADMISSION);
    pass(w, 100 * JR_SEC);
    assert_in_range(sent(w, "PATCH", ADMISSION) - patches, 3, 21); /* it waits longer each time */
    w->refuse_patch = NULL;
    pass(w, 30 * JR_SEC);
    assert_true(w->replicas[0].good_rounds > 0);
}

/* Finding: where the Secret doesn't stay as it is written, or each write comes too late, CAs were
 * made and written without a pause. */
static void test_lost_writes(void **state)
{
    static const char *const fates[] = { "forgotten", "refused" };
    struct world *w = *state;

    start_keeper(w, 0, 10000, ours, 2);
    for (size_t i = 0; i < JR_ARRAY_SIZE(fates); i++) {
        unsigned before;

        w->secret_fate = fates[i];
        pass(w, 60 * JR_SEC);
        before = sent(w, "POST", SECRETS);
        assert_non_null(strstr(w->replicas[0].why, "writes in a row there is still to do"));
        pass(w, 600 * JR_SEC);
        assert_in_range(sent(w, "POST", SECRETS) - before, 30, 120);
    }
    w->secret_fate = NULL;
    pass(w, 60 * JR_SEC);
    assert_true(w->replicas[0].good_rounds > 0);
    start_reader(w, 0, 10000);
    pass(w, JR_SEC);
    assert_int_equal(w->replicas[0].told, 1);
}

static void test_corrupt_secret(void **state)
{
    static const char patch[] = "{\"data\":{\"tls.key\":\"cnViYmlzaA==\"}}";
    struct world *w = *state;

    begin(w, 10000);
    assert_int_equal(
        request(w, "PATCH", SECRET, "application/merge-patch+json", jr_str(patch), NULL), 200);
    pass(w, 15 * JR_SEC);
    for (size_t i = 0; i < REPLICAS; i++) {
        assert_int_equal(w->replicas[i].told, 1);
        assert_string_equal(w->replicas[i].why,
                            "tls.key: expected a private key in PEM, without a password");
        assert_string_equal(w->replicas[i].why_not_read, w->replicas[i].why);
    }
    /* nobody has written over it */
    assert_int_equal(request(w, "DELETE", SECRET, NULL, (struct jr_str){ NULL, 0 }, NULL), 200);
    pass(w, 100 * JR_SEC);
    for (size_t i = 0; i < REPLICAS; i++)
        assert_int_equal(w->replicas[i].told, 2);
}

static void test_faults(void **state)
{
    struct world *w = *state;

    for (size_t i = 0; i < REPLICAS; i++)
        start(w, i, 10000);
    w->fail_percent = 30;
    pass(w, 300 * JR_SEC);
    w->fail_percent = 0;
    pass(w, 60 * JR_SEC);
    assert_true(all_is_well(w));
    w->started = true;
    w->fail_percent = 30;
    for (int i = 0; i < 20; i++) {
        if (i % 5 == 0)
            (void)request(w, "DELETE", SECRET, NULL, (struct jr_str){ NULL, 0 }, NULL);
        pass(w, 60 * JR_SEC);
    }
    w->fail_percent = 0;
    pass(w, 200 * JR_SEC);
    assert_true(all_is_well(w));
    same_for_all(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_at_once, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_overwritten_bundle, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_late_configurations, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_renewal, keeper_world_setup, keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_years, keeper_world_setup, keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_deleted_secret, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_deleted_and_one_lags, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_deleted_without_rights, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_deleted_without_answers, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_deleted_and_killed, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_disagreeing_names, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_clock_ahead, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_made_by_a_wrong_clock, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_refused_patch, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_lost_writes, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_corrupt_secret, keeper_world_setup,
                                        keeper_world_teardown),
        cmocka_unit_test_setup_teardown(test_faults, keeper_world_setup, keeper_world_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
