/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a bundle of CAs makes callers trust, and for which names. */
#include "tests/unit/certs/certs_pki.h"

static const char *const names[] = { "hook.ns.svc", "10.1.2.3", "2001:db8::1" };

static int setup(void **state)
{
    static struct pki p;

    *state = &p;
    return pki_make(&p, names, 100, 100, 10);
}

static void test_names(void **state)
{
    const struct pki *p = *state;
    const char *const *got = NULL;
    struct jr_error err;
    JR_ARENA arena = { 0 };
    size_t n = 0;

    jr_arena_init(&arena, 65536);
    assert_int_equal(jr_cert_names(p->leaf.cert_pem, &arena, &got, &n, &err), JR_OK);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): n says how many were written */
        assert_string_equal(got[i], names[i]);
    assert_int_equal(jr_cert_names(p->ca.cert_pem, &arena, &got, &n, &err), JR_OK);
    assert_int_equal(n, 0);
    assert_int_equal(jr_cert_names("rubbish", &arena, &got, &n, &err), JR_INVALID);
    assert_int_equal(jr_cert_names(NULL, &arena, &got, &n, &err), JR_INVALID);
}

static void test_trust(void **state)
{
    const struct pki *p = *state;
    JR_FREE char *both = NULL;

    jr_cert_bundle_add(&both, jr_str(p->other.cert_pem), 9);
    assert_false(jr_cert_is_trusted(p->leaf.cert_pem, both, "hook.ns.svc", NOW));
    jr_cert_bundle_add(&both, jr_str(p->ca.cert_pem), 9);
    assert_true(jr_cert_is_trusted(p->leaf.cert_pem, both, "hook.ns.svc", NOW));
    assert_true(jr_cert_is_trusted(p->leaf.cert_pem, both, "hook.ns.svc", DAYS(9)));
    assert_false(jr_cert_is_trusted(p->leaf.cert_pem, both, "hook.ns.svc", DAYS(11)));
    assert_false(jr_cert_is_trusted(p->leaf.cert_pem, both, "hook.ns.svc", DAYS(-1)));
    assert_false(jr_cert_is_trusted(p->leaf.cert_pem, both, "hook.other.svc", NOW));
    assert_false(jr_cert_is_trusted(p->leaf.cert_pem, "", "hook.ns.svc", NOW));
    assert_false(jr_cert_is_trusted(p->leaf.cert_pem, p->leaf.cert_pem, "hook.ns.svc", NOW));
    assert_false(jr_cert_is_trusted("", both, "hook.ns.svc", NOW));
}

static void test_bundles(void **state)
{
    const struct pki *p = *state;
    JR_FREE char *all = NULL;
    JR_FREE char *was = NULL;

    jr_cert_bundle_add(&all, jr_str("rubbish"), 9);
    assert_null(all);
    jr_cert_bundle_add(&all, jr_str(p->leaf.cert_pem), 9);
    assert_null(all); /* no CA */
    jr_cert_bundle_add(&all, jr_str(p->ca.cert_pem), 9);
    assert_string_equal(all, p->ca.cert_pem);
    jr_cert_bundle_add(&all, jr_str(p->ca.cert_pem), 9);
    assert_string_equal(all, p->ca.cert_pem); /* once */
    jr_cert_bundle_add(&all, jr_str(p->other.cert_pem), 1);
    assert_string_equal(all, p->ca.cert_pem); /* no more than that */
    jr_cert_bundle_add(&all, jr_str(p->other.cert_pem), 2);
    was = jr_str_dup(jr_str(all));
    jr_cert_bundle_add(&all, jr_str(was), 9);
    assert_string_equal(all, was);
    assert_int_equal(strlen(all), strlen(p->ca.cert_pem) + strlen(p->other.cert_pem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_trust),
        cmocka_unit_test(test_bundles),
    };

    return cmocka_run_group_tests(tests, setup, pki_teardown);
}
