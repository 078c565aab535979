/* SPDX-License-Identifier: Apache-2.0 */
/* What is found out about certificates: pairs, signatures, names, validity. */
#include "tests/unit/certs/certs_pki.h"

#define DAY INT64_C(86400)

static const char *const names[] = { "jobreeve.jobreeve-system.svc", "127.0.0.1", "::1" };

static int setup(void **state)
{
    static struct pki p;

    *state = &p;
    return pki_make(&p, names, 10, 20, 5);
}

static void test_pairs(void **state)
{
    const struct pki *p = *state;
    const struct {
        const char *cert, *key, *why; /* NULL: good */
    } rows[] = {
        { p->leaf.cert_pem, p->leaf.key_pem, NULL },
        { p->leaf.cert_pem, NULL, NULL },
        { p->leaf.cert_pem, p->ca.key_pem, "the private key is not the certificate's" },
        { p->leaf.key_pem, p->leaf.key_pem, "expected a certificate in PEM" },
        { "", p->leaf.key_pem, "expected a certificate in PEM" },
        { NULL, p->leaf.key_pem, "expected a certificate in PEM" },
        { p->leaf.cert_pem, "rubbish", "expected a private key in PEM, without a password" },
        { p->leaf.cert_pem, p->leaf.cert_pem, "expected a private key in PEM, without a password" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_cert c = { (char *)(uintptr_t)rows[i].cert,
                                   (char *)(uintptr_t)rows[i].key };
        struct jr_error err = { .status = JR_OK };
        struct jr_cert_life life;
        enum jr_status st = jr_cert_check(&c, &life, &err);

        assert_int_equal(st, rows[i].why == NULL ? JR_OK : JR_INVALID);
        if (rows[i].why != NULL)
            assert_string_equal(err.msg, rows[i].why);
        else
            assert_true(life.from.ns == NOW.ns - 3600 * JR_SEC &&
                        life.until.ns == NOW.ns + 5 * DAY * JR_SEC);
    }
}

static void test_bundles(void **state)
{
    const struct pki *p = *state;
    char both[8192], mixed[8192];
    struct jr_cert_life life;
    struct jr_error err = { .status = JR_OK };

    (void)snprintf(both, sizeof(both), "%s# and\n%s", p->other.cert_pem, p->ca.cert_pem);
    (void)snprintf(mixed, sizeof(mixed), "%s%s", p->ca.cert_pem, p->leaf.cert_pem);
    assert_int_equal(jr_cert_check_bundle(both, &life, &err), JR_OK);
    assert_true(life.until.ns == NOW.ns + 10 * DAY * JR_SEC); /* the first end of both */
    assert_int_equal(jr_cert_check_bundle(mixed, &life, &err), JR_INVALID);
    assert_string_equal(err.msg, "certificate 2 is no CA's");
    assert_int_equal(jr_cert_check_bundle("", &life, &err), JR_INVALID);
    assert_string_equal(err.msg, "expected CA certificates in PEM");
}

static void test_signatures(void **state)
{
    const struct pki *p = *state;
    JR_FREE char *forged = jr_str_dup(jr_str(p->leaf.cert_pem));
    char *digit = strstr(forged, "-----END") - 12; /* in the signature */

    assert_true(jr_cert_signed_by(p->leaf.cert_pem, p->ca.cert_pem));
    assert_true(jr_cert_signed_by(p->ca.cert_pem, p->ca.cert_pem));
    /* the same name, another key */
    assert_false(jr_cert_signed_by(p->leaf.cert_pem, p->other.cert_pem));
    *digit = *digit == 'A' ? 'B' : 'A';
    assert_false(jr_cert_signed_by(forged, p->ca.cert_pem));
    assert_false(jr_cert_signed_by("", p->ca.cert_pem));
    assert_false(jr_cert_signed_by(p->leaf.cert_pem, NULL));
}

static void test_names(void **state)
{
    static const char *const more[] = { "127.0.0.1", "jobreeve.other.svc" };
    static const char *const ip[] = { "127.0.0.2" };
    const struct pki *p = *state;

    assert_true(jr_cert_names_all(p->leaf.cert_pem, names, 3));
    assert_true(jr_cert_names_all(p->leaf.cert_pem, names, 0));
    assert_false(jr_cert_names_all(p->leaf.cert_pem, more, 2));
    assert_false(jr_cert_names_all(p->leaf.cert_pem, ip, 1));
    assert_false(jr_cert_names_all("", names, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_bundles),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, setup, pki_teardown);
}
