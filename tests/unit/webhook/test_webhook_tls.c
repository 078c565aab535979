/* SPDX-License-Identifier: Apache-2.0 */
/* The serving certificate: what is accepted, what a wrong one is told, and how it is swapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "common/tls/tls.h"
#include "tests/unit/webhook/pki.h"

static struct jr_tls_files files_of(const struct pki *p)
{
    return (struct jr_tls_files){ p->cert, p->key, "--tls-cert-file", "--tls-private-key-file" };
}

static enum jr_status load(const struct pki *p, struct jr_error *err)
{
    const struct jr_tls_files files = files_of(p);
    struct jr_tls_cred *c = NULL;
    enum jr_status st = jr_tls_cred_load(&files, &c, err);

    jr_tls_cred_unref(c);
    return st;
}

static void refused(const struct pki *p, const char *flag, const char *words)
{
    struct jr_error err = { .status = JR_OK };
    enum jr_status st = load(p, &err);

    if (st == JR_OK || strcmp(err.path, flag) != 0 || strstr(err.msg, words) == NULL ||
        strstr(err.msg, p->dir) == NULL)
        fail_msg("%s: status %d, %s: %s", words, st, err.path, err.msg);
}

static void test_good(void **state)
{
    JR_CLEANUP(pki_end) struct pki p = { 0 };
    struct jr_tls_cred *c = NULL;
    struct jr_tls_files files;
    struct jr_error err;
    gnutls_pcert_st *certs;
    gnutls_privkey_t key;
    unsigned n;
    int64_t left_s;

    (void)state;
    pki_begin(&p);
    files = files_of(&p);
    pki_make(&p, PKI_RSA, 3600, NULL);
    assert_int_equal(load(&p, &err), JR_OK);
    pki_make(&p, PKI_EC, 3600, NULL);
    assert_int_equal(jr_tls_cred_load(&files, &c, &err), JR_OK);
    jr_tls_cred_get(c, &certs, &n, &key);
    assert_int_equal(n, 1);
    left_s = (jr_tls_cred_not_after(c).ns - jr_clock_system.wall(jr_clock_system.self).ns) / JR_SEC;
    assert_in_range(left_s, 1, 3600);
    jr_tls_cred_unref(c);
    pki_make(&p, PKI_EC, -10, NULL); /* expired: readiness says so, starting goes on */
    assert_int_equal(load(&p, &err), JR_OK);
}

static void test_bad(void **state)
{
    JR_CLEANUP(pki_end) struct pki p = { 0 };
    struct pki other;
    char old_key[PKI_PATH_MAX];

    (void)state;
    pki_begin(&p);
    refused(&p, "--tls-cert-file", "No such file or directory");
    pki_make(&p, PKI_EC, 3600, NULL);
    pki_path(&p, "old.key", old_key);
    assert_int_equal(rename(p.key, old_key), 0);
    refused(&p, "--tls-private-key-file", "No such file or directory");
    pki_make(&p, PKI_EC, 3600, NULL);
    other = p;
    memcpy(other.key, old_key, sizeof(other.key));
    refused(&other, "--tls-private-key-file", "is not the private key of the certificate");
    pki_make(&p, PKI_EC, 3600, "secret");
    refused(&p, "--tls-private-key-file", "not encrypted");
    pki_write(p.key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    refused(&p, "--tls-private-key-file", "expected a private key in PEM");
    pki_write(p.cert, "");
    refused(&p, "--tls-cert-file", "expected a certificate in PEM");
    pki_write(p.cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    refused(&p, "--tls-cert-file", "expected a certificate in PEM");
    (void)unlink(p.cert);
    assert_int_equal(mkdir(p.cert, 0700), 0);
    refused(&p, "--tls-cert-file", "Is a directory");
    assert_int_equal(rmdir(p.cert), 0);
}

static void test_reload(void **state)
{
    JR_CLEANUP(pki_end) struct pki p = { 0 };
    JR_CLEANUP(jr_tls_store_freep) struct jr_tls_store *s = NULL;
    struct jr_tls_cred *first, *second;
    struct jr_tls_files files;
    struct jr_error err;
    bool changed = true;

    (void)state;
    pki_begin(&p);
    files = files_of(&p);
    assert_int_not_equal(jr_tls_store_new(&files, &s, &err), JR_OK);
    assert_null(s);
    pki_make(&p, PKI_EC, 3600, NULL);
    assert_int_equal(jr_tls_store_new(&files, &s, &err), JR_OK);
    first = jr_tls_store_get(s);
    assert_int_equal(jr_tls_store_reload(s, &changed, &err), JR_OK);
    assert_false(changed);

    pki_make(&p, PKI_EC, 7200, NULL);
    assert_int_equal(jr_tls_store_reload(s, &changed, &err), JR_OK);
    assert_true(changed);
    second = jr_tls_store_get(s);
    assert_ptr_not_equal(first, second);
    assert_true(jr_time_cmp(jr_tls_cred_not_after(first), jr_tls_cred_not_after(second)) < 0);
    jr_tls_cred_unref(first); /* the last one who held it */

    pki_write(p.key, "half a ke"); /* a writer who is not done */
    assert_int_not_equal(jr_tls_store_reload(s, &changed, &err), JR_OK);
    first = jr_tls_store_get(s);
    assert_ptr_equal(first, second);
    jr_tls_cred_unref(first);
    jr_tls_cred_unref(second);
}

/** Another program's flags; and a store without files. */
static void test_flags_and_empty(void **state)
{
    JR_CLEANUP(pki_end) struct pki p = { 0 };
    JR_CLEANUP(jr_tls_store_freep) struct jr_tls_store *s = NULL;
    struct jr_tls_files files;
    struct jr_tls_cred *c = NULL, *got;
    struct jr_error err;

    (void)state;
    pki_begin(&p);
    files = (struct jr_tls_files){ p.cert, p.key, "--other-cert", "--other-key" };
    assert_int_not_equal(jr_tls_cred_load(&files, &c, &err), JR_OK);
    assert_string_equal(err.path, "--other-cert");
    pki_make(&p, PKI_EC, 3600, NULL);
    assert_int_equal(unlink(p.key), 0);
    assert_int_not_equal(jr_tls_cred_load(&files, &c, &err), JR_OK);
    assert_string_equal(err.path, "--other-key");

    assert_int_equal(jr_tls_store_new_empty(&s, &err), JR_OK);
    assert_null(jr_tls_store_get(s));
    pki_make(&p, PKI_EC, 3600, NULL);
    assert_int_equal(jr_tls_cred_load(&files, &c, &err), JR_OK);
    jr_tls_store_put(s, c);
    got = jr_tls_store_get(s);
    assert_ptr_equal(got, c);
    jr_tls_cred_unref(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_reload),
        cmocka_unit_test(test_flags_and_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
