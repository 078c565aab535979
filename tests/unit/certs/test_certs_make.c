/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "certs/make.h"

static X509 *read_cert(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    return cert;
}

/* Whether leaf is signed by ca and good for a TLS server at time t. */
static bool verifies(const char *leaf_pem, const char *ca_pem, struct jr_time t)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    X509 *ca = read_cert(ca_pem);
    X509 *leaf = read_cert(leaf_pem);

    X509_STORE_add_cert(store, ca);
    X509_STORE_CTX_init(ctx, store, leaf, NULL);
    X509_STORE_CTX_set_time(ctx, 0, (time_t)(t.ns / JR_SEC));
    X509_STORE_CTX_set_purpose(ctx, X509_PURPOSE_SSL_SERVER);
    bool ok = X509_verify_cert(ctx) == 1;
    X509_STORE_CTX_free(ctx);
    X509_STORE_free(store);
    X509_free(ca);
    X509_free(leaf);
    return ok;
}

#define NOW jr_time_s(1772366400)
#define DAY INT64_C(86400)

static void test_serving_certificate_verifies(void **state)
{
    static const char *const names[] = { "jobreeve.jobreeve-system.svc", "127.0.0.1", "::1" };
    struct jr_cert ca = { NULL, NULL }, other = { NULL, NULL }, leaf = { NULL, NULL };
    struct jr_error err;

    (void)state;
    assert_int_equal(jr_cert_make_ca("test", NOW, 10, &ca, &err), JR_OK);
    assert_int_equal(jr_cert_make_ca("test", NOW, 10, &other, &err), JR_OK);
    assert_int_equal(jr_cert_make_serving(&ca, names, 3, NOW, 5, &leaf, &err), JR_OK);
    assert_true(verifies(leaf.cert_pem, ca.cert_pem, NOW));
    assert_false(verifies(leaf.cert_pem, other.cert_pem, NOW));
    assert_false(verifies(leaf.cert_pem, ca.cert_pem, jr_time_s(NOW.ns / JR_SEC + 6 * DAY)));
    assert_false(verifies(leaf.cert_pem, ca.cert_pem, jr_time_s(NOW.ns / JR_SEC - DAY)));

    X509 *x = read_cert(leaf.cert_pem);
    assert_int_equal(X509_check_host(x, names[0], 0, 0, NULL), 1);
    assert_int_equal(X509_check_ip_asc(x, "127.0.0.1", 0), 1);
    assert_int_equal(X509_check_ip_asc(x, "::1", 0), 1);
    assert_int_equal(X509_check_ip_asc(x, "127.0.0.2", 0), 0);
    X509_free(x);
    jr_cert_done(&leaf);
    jr_cert_done(&ca);
    jr_cert_done(&other);
    jr_cert_done(&other);
}

static void test_refusals(void **state)
{
    static const char *const good[] = { "a" };
    static const char *const smuggled[] = { "a,DNS:b" };
    struct jr_cert ca = { NULL, NULL }, other = { NULL, NULL }, leaf = { NULL, NULL };
    struct jr_error err;

    (void)state;
    assert_int_equal(jr_cert_make_ca("test", NOW, 10, &ca, &err), JR_OK);
    assert_int_equal(jr_cert_make_ca("test", NOW, 10, &other, &err), JR_OK);
    assert_int_equal(jr_cert_make_serving(&ca, good, 0, NOW, 5, &leaf, &err), JR_INVALID);
    assert_int_equal(jr_cert_make_serving(&ca, smuggled, 1, NOW, 5, &leaf, &err), JR_INVALID);
    const struct jr_cert mixed = { ca.cert_pem, other.key_pem };
    assert_int_equal(jr_cert_make_serving(&mixed, good, 1, NOW, 5, &leaf, &err), JR_INVALID);
    assert_null(leaf.cert_pem);
    jr_cert_done(&ca);
    jr_cert_done(&other);
}

/* Finding: CA:TRUE without pathlen:0, so that what it signs by mistake could be a CA as well. */
static void test_ca_signs_no_ca(void **state)
{
    struct jr_cert ca = { NULL, NULL };
    X509 *x;

    (void)state;
    assert_int_equal(jr_cert_make_ca("test", NOW, 10, &ca, NULL), JR_OK);
    x = read_cert(ca.cert_pem);
    assert_int_equal(X509_check_ca(x), 1);
    assert_int_equal(X509_get_pathlen(x), 0);
    X509_free(x);
    jr_cert_done(&ca);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serving_certificate_verifies),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ca_signs_no_ca),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
