/* SPDX-License-Identifier: Apache-2.0 */
/* Self-managed certificates through the years: who signs, what is trusted, what is served. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "certs/check.h"
#include "certs/rotate.h"

#define START INT64_C(1772366400)
#define DAY INT64_C(86400)

static const char *const names[] = { "jobreeve.ns.svc", "jobreeve.ns.svc.cluster.local" };
static const struct jr_certs_options options = {
    .common_name = "jobreeve", .names = names, .n_names = 2, .ca_days = 3650, .serving_days = 90
};

static struct jr_time day(int64_t n)
{
    return jr_time_s(START + n * DAY);
}

/** Whether what is served verifies by what callers trust. */
static bool is_trusted(const char *serving, const char *bundle)
{
    char one[4096];
    const char *p = bundle, *end;

    while ((end = strstr(p, "-----END CERTIFICATE-----")) != NULL) {
        end += strlen("-----END CERTIFICATE-----");
        (void)snprintf(one, sizeof(one), "%.*s\n", (int)(end - p), p);
        if (jr_cert_signed_by(serving, one))
            return true;
        p = end;
    }
    return false;
}

static void apply(struct jr_certs *c, enum jr_certs_step want, struct jr_time now, bool trusted)
{
    struct jr_error err = { .status = JR_OK };
    int64_t wait_ns;
    const struct jr_certs_view view = { .now = now, .trusted = trusted };
    enum jr_certs_step step = jr_certs_plan(c, &options, &view, &wait_ns);

    if (step != want)
        fail_msg("expected \"%s\", not \"%s\"", jr_certs_step_text(want), jr_certs_step_text(step));
    if (jr_certs_apply(c, step, &options, now, &err) != JR_OK || jr_certs_check(c, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
}

static enum jr_certs_step plan(const struct jr_certs *c, const struct jr_certs_options *o,
                               struct jr_time now, int64_t *wait_ns)
{
    const struct jr_certs_view view = { .now = now };

    return jr_certs_plan(c, o, &view, wait_ns);
}

static void test_first_and_renewals(void **state)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    JR_FREE char *first = NULL;
    int64_t wait_ns;

    (void)state;
    apply(&c, JR_CERTS_MAKE_ALL, day(0), false);
    apply(&c, JR_CERTS_KEEP, day(0), true);
    first = jr_str_dup(jr_str(c.ca.cert_pem));
    assert_int_equal(plan(&c, &options, day(59), &wait_ns), JR_CERTS_KEEP);
    assert_true(wait_ns > 0 && wait_ns <= DAY * JR_SEC);
    apply(&c, JR_CERTS_RENEW, day(60), false);
    apply(&c, JR_CERTS_KEEP, day(60), false);
    assert_string_equal(c.ca.cert_pem, first);
    apply(&c, JR_CERTS_RENEW, day(60 + 200), false); /* all replicas were down: it has ended */
}

static void test_other_names(void **state)
{
    static const char *const more[] = { "jobreeve.ns.svc", "10.0.0.1" };
    struct jr_certs_options o = options;
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    struct jr_error err;
    int64_t wait_ns;

    (void)state;
    apply(&c, JR_CERTS_MAKE_ALL, day(0), false);
    o.names = more;
    assert_int_equal(plan(&c, &o, day(0), &wait_ns), JR_CERTS_RENEW);
    assert_int_equal(jr_certs_apply(&c, JR_CERTS_RENEW, &o, day(0), &err), JR_OK);
    assert_int_equal(plan(&c, &o, day(0), &wait_ns), JR_CERTS_KEEP);
}

/* At no moment is anything served that callers can't verify, whichever of two Secrets they or a
 * replica have seen last. */
static void test_new_ca(void **state)
{
    const int64_t due = 3650 * 2 / 3 + 1;
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    JR_FREE char *served = NULL, *before = NULL, *between = NULL, *after = NULL;
    char *bundle;

    (void)state;
    apply(&c, JR_CERTS_MAKE_ALL, day(0), false);
    apply(&c, JR_CERTS_RENEW, day(due - 1), false);
    served = jr_str_dup(jr_str(c.serving.cert_pem));
    before = jr_certs_bundle(&c);
    apply(&c, JR_CERTS_MAKE_NEXT, day(due), false);
    between = jr_certs_bundle(&c);
    assert_string_equal(c.serving.cert_pem, served);
    apply(&c, JR_CERTS_KEEP, day(due), false); /* not until all callers trust it */
    apply(&c, JR_CERTS_SWITCH, day(due + 1), true);
    after = jr_certs_bundle(&c);
    assert_string_not_equal(c.serving.cert_pem, served);
    assert_true(is_trusted(served, before) && is_trusted(served, between) &&
                is_trusted(served, after));
    assert_true(is_trusted(c.serving.cert_pem, between) && is_trusted(c.serving.cert_pem, after));
    assert_false(is_trusted(c.serving.cert_pem, before));

    apply(&c, JR_CERTS_RENEW, day(due + 1 + 60), true);
    assert_non_null(c.old_ca_pem);
    apply(&c, JR_CERTS_KEEP, day(due - 2 + 90), true);
    apply(&c, JR_CERTS_DROP_OLD, day(due - 1 + 90), true);
    bundle = jr_certs_bundle(&c);
    assert_string_equal(bundle, c.ca.cert_pem);
    free(bundle);
    apply(&c, JR_CERTS_KEEP, day(due - 1 + 90), true);
}

static void test_ended_ca(void **state)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };

    (void)state;
    apply(&c, JR_CERTS_MAKE_ALL, day(0), false);
    apply(&c, JR_CERTS_MAKE_ALL, day(3650), false);
    apply(&c, JR_CERTS_KEEP, day(3650), false);
}

/** A Secret in which one part is another text. */
struct broken {
    const char *key; /* of the Secret, where the error is to be */
    size_t offset;   /* of the part in struct jr_certs */
    const char *text;
    const char *why;
};

#define AT(member) offsetof(struct jr_certs, member)

static void test_corrupt(void **state)
{
    static const struct broken rows[] = {
        { "ca.crt", AT(ca.cert_pem), "rubbish", "expected a certificate in PEM" },
        { "ca.crt", AT(ca.cert_pem), NULL, "is missing, though the Secret is not empty" },
        { "ca.key", AT(ca.key_pem), "rubbish", "expected a private key" },
        { "ca.key", AT(ca.key_pem), NULL, "is missing, though the Secret is not empty" },
        { "tls.crt", AT(serving.cert_pem), "-----BEGIN CERTIFICATE-----\n", "expected a certif" },
        { "tls.key", AT(serving.key_pem), "", "expected a private key" },
        { "next-ca.key", AT(next_ca.key_pem), NULL, "is missing" },
        { "next-ca.crt", AT(next_ca.cert_pem), "x", "expected a certificate" },
        { "old-ca.crt", AT(old_ca_pem), "x", "expected CA certificates" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
        struct jr_error err = { .status = JR_OK };
        char **part = (char **)((char *)&c + rows[i].offset);

        assert_int_equal(jr_certs_apply(&c, JR_CERTS_MAKE_ALL, &options, day(0), &err), JR_OK);
        assert_int_equal(jr_certs_apply(&c, JR_CERTS_MAKE_NEXT, &options, day(0), &err), JR_OK);
        free(*part);
        *part = rows[i].text == NULL ? NULL : jr_str_dup(jr_str(rows[i].text));
        assert_int_equal(jr_certs_check(&c, &err), JR_INVALID);
        assert_string_equal(err.path, rows[i].key);
        if (strncmp(err.msg, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].key, err.msg);
    }
}

static void test_foreign_parts(void **state)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs a = { .old_ca_pem = NULL };
    JR_CLEANUP(jr_certs_done) struct jr_certs b = { .old_ca_pem = NULL };
    struct jr_error err = { .status = JR_OK };
    struct jr_cert was;

    (void)state;
    apply(&a, JR_CERTS_MAKE_ALL, day(0), false);
    apply(&b, JR_CERTS_MAKE_ALL, day(0), false);
    was = a.serving;
    a.serving = b.serving;
    b.serving = was;
    assert_int_equal(jr_certs_check(&a, &err), JR_INVALID);
    assert_string_equal(err.path, "tls.crt");
    assert_string_equal(err.msg, "is not signed by ca.crt");
}

/* An hour of difference between clocks is allowed for; what begins later nobody can use. */
static void test_clock_skew(void **state)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };

    (void)state;
    apply(&c, JR_CERTS_MAKE_ALL, day(0), false);
    apply(&c, JR_CERTS_KEEP, jr_time_s(START - 7000), true);
    apply(&c, JR_CERTS_RENEW, day(60), false);
    apply(&c, JR_CERTS_RENEW, day(50), false); /* the leaf alone is of the future */
    apply(&c, JR_CERTS_KEEP, day(50), false);
    apply(&c, JR_CERTS_MAKE_ALL, day(-1), false);
    apply(&c, JR_CERTS_KEEP, day(-1), false);
}

/* What is in the Secret may be of any time, and the API server's clock may say any. */
static void test_times_at_their_ends(void **state)
{
    static const int64_t times[] = { INT64_MIN, 0, START * JR_SEC, INT64_MAX };
    struct jr_error err = { .status = JR_OK };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(times) * JR_ARRAY_SIZE(times); i++) {
        const struct jr_time made = { times[i % JR_ARRAY_SIZE(times)] };
        const struct jr_time now = { times[i / JR_ARRAY_SIZE(times)] };
        JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
        const struct jr_certs_options forever = { .common_name = "jobreeve",
                                                  .names = names,
                                                  .n_names = 2,
                                                  .ca_days = 2500000,
                                                  .serving_days = 2500000 };
        int64_t wait_ns;

        if (jr_certs_apply(&c, JR_CERTS_MAKE_ALL, &forever, made, &err) != JR_OK)
            fail_msg("%s: %s", err.path, err.msg);
        c.old_until.ns = -made.ns - 1;
        (void)plan(&c, &forever, now, &wait_ns);
        c.old_ca_pem = strdup(c.ca.cert_pem);
        (void)plan(&c, &forever, now, &wait_ns);
        if (jr_certs_apply(&c, JR_CERTS_MAKE_NEXT, &forever, made, &err) != JR_OK ||
            jr_certs_apply(&c, JR_CERTS_SWITCH, &forever, now, &err) != JR_OK)
            fail_msg("%s: %s", err.path, err.msg);
        (void)plan(&c, &forever, now, &wait_ns);
    }
}

/* The Secret was deleted: of what was in it only the CA's certificate is known, for those who serve
 * by it. */
static void test_deleted(void **state)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs was = { .old_ca_pem = NULL };
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    JR_FREE char *between = NULL, *after = NULL, *last = NULL;
    struct jr_certs_view view = { .now = day(3), .trusted = true };
    int64_t wait_ns;

    (void)state;
    apply(&was, JR_CERTS_MAKE_ALL, day(0), false);
    c.old_ca_pem = jr_str_dup(jr_str(was.ca.cert_pem));
    apply(&c, JR_CERTS_MAKE_NEXT, day(3), false);
    assert_null(c.ca.cert_pem);
    assert_null(c.serving.cert_pem);
    between = jr_certs_bundle(&c);
    assert_true(is_trusted(was.serving.cert_pem, between));
    apply(&c, JR_CERTS_KEEP, day(3), false);
    apply(&c, JR_CERTS_SWITCH, day(3), true);
    assert_true(is_trusted(c.serving.cert_pem, between));
    after = jr_certs_bundle(&c);
    assert_true(is_trusted(was.serving.cert_pem, after));
    assert_int_equal(jr_certs_plan(&c, &options, &view, &wait_ns), JR_CERTS_KEEP);
    assert_int_equal(wait_ns, JR_CERTS_OLD_NS);
    view.all_by_ca = true;
    assert_int_equal(jr_certs_plan(&c, &options, &view, &wait_ns), JR_CERTS_DROP_OLD);
    apply(&c, JR_CERTS_DROP_OLD, jr_time_s(START + 3 * DAY + 3600), true);
    last = jr_certs_bundle(&c);
    assert_false(is_trusted(was.serving.cert_pem, last));
    apply(&c, JR_CERTS_KEEP, jr_time_s(START + 3 * DAY + 3600), true);
}

/* Deleted again before the CA signs, and two thirds of ten years later: nobody's CA is lost. */
static void test_deleted_twice(void **state)
{
    JR_CLEANUP(jr_certs_done) struct jr_certs a = { .old_ca_pem = NULL };
    JR_CLEANUP(jr_certs_done) struct jr_certs b = { .old_ca_pem = NULL };
    JR_FREE char *all = NULL;

    (void)state;
    apply(&a, JR_CERTS_MAKE_ALL, day(0), false);
    b.old_ca_pem = jr_certs_bundle(&a);
    apply(&b, JR_CERTS_MAKE_NEXT, day(0), false);
    apply(&b, JR_CERTS_SWITCH, day(0), true);
    assert_int_equal(jr_certs_apply(&b, JR_CERTS_MAKE_NEXT, &options, day(0), NULL), JR_OK);
    apply(&b, JR_CERTS_SWITCH, day(0), true); /* with an old one there still */
    all = jr_certs_bundle(&b);
    assert_true(is_trusted(a.serving.cert_pem, all));
    assert_true(is_trusted(b.serving.cert_pem, all));
}

/* Names that another keeper wants stay, until a certificate's time has come. */
static void test_names_are_kept(void **state)
{
    static const char *const theirs[] = { "jobreeve.ns.svc", "10.0.0.1", "2001:db8::1" };
    struct jr_certs_options o = options;
    JR_CLEANUP(jr_certs_done) struct jr_certs c = { .old_ca_pem = NULL };
    struct jr_error err;
    int64_t wait_ns;

    (void)state;
    apply(&c, JR_CERTS_MAKE_ALL, day(0), false);
    o.names = theirs;
    o.n_names = 3;
    assert_int_equal(plan(&c, &o, day(0), &wait_ns), JR_CERTS_RENEW);
    assert_int_equal(jr_certs_apply(&c, JR_CERTS_RENEW, &o, day(0), &err), JR_OK);
    assert_true(jr_cert_names_all(c.serving.cert_pem, names, 2));
    assert_true(jr_cert_names_all(c.serving.cert_pem, theirs, 3));
    assert_int_equal(plan(&c, &o, day(0), &wait_ns), JR_CERTS_KEEP);
    apply(&c, JR_CERTS_KEEP, day(0), false); /* nor does the other one undo it */
    apply(&c, JR_CERTS_RENEW, day(60), false);
    assert_true(jr_cert_names_all(c.serving.cert_pem, names, 2));
    assert_false(jr_cert_names_all(c.serving.cert_pem, theirs, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_and_renewals),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_new_ca),
        cmocka_unit_test(test_ended_ca),
        cmocka_unit_test(test_corrupt),
        cmocka_unit_test(test_foreign_parts),
        cmocka_unit_test(test_clock_skew),
        cmocka_unit_test(test_times_at_their_ends),
        cmocka_unit_test(test_deleted),
        cmocka_unit_test(test_deleted_twice),
        cmocka_unit_test(test_names_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
