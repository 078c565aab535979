/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/pem.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "tests/unit/kube/kube_test.h"

static void extend(X509 *x, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *e;

    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    assert_non_null(e);
    assert_int_equal(X509_add_ext(x, e, -1), 1);
    X509_EXTENSION_free(e);
}

/** issuer NULL: signed by itself, a CA. */
static X509 *make(const char *cn, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key,
                  const char *names)
{
    static long serial = 1;
    X509 *x = X509_new();
    X509_NAME *name = X509_NAME_new();

    assert_non_null(x);
    assert_int_equal(
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)cn, -1, -1, 0),
        1);
    assert_int_equal(X509_set_version(x, 2), 1);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(x), serial++), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(x), -3600));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(x), 24L * 3600));
    assert_int_equal(X509_set_subject_name(x, name), 1);
    assert_int_equal(X509_set_issuer_name(x, issuer == NULL ? name : X509_get_subject_name(issuer)),
                     1);
    assert_int_equal(X509_set_pubkey(x, key), 1);
    extend(x, issuer == NULL ? x : issuer, NID_basic_constraints,
           issuer == NULL ? "critical,CA:TRUE" : "CA:FALSE");
    if (names != NULL)
        extend(x, issuer, NID_subject_alt_name, names);
    assert_true(X509_sign(x, issuer == NULL ? key : issuer_key, EVP_sha256()) > 0);
    X509_NAME_free(name);
    return x;
}

void pem_make(struct pem_set *p, const char *names)
{
    p->ca_key = EVP_EC_gen("P-256");
    p->server_key = EVP_EC_gen("P-256");
    p->client_key = EVP_EC_gen("P-256");
    assert_true(p->ca_key != NULL && p->server_key != NULL && p->client_key != NULL);
    p->ca = make("test-ca", p->ca_key, NULL, NULL, NULL);
    p->server = make("server", p->server_key, p->ca, p->ca_key, names);
    p->client = make("client", p->client_key, p->ca, p->ca_key, NULL);
}

void pem_done(struct pem_set *p)
{
    X509_free(p->ca);
    X509_free(p->server);
    X509_free(p->client);
    EVP_PKEY_free(p->ca_key);
    EVP_PKEY_free(p->server_key);
    EVP_PKEY_free(p->client_key);
}

static char *take(BIO *bio)
{
    char *p = NULL;
    long n = BIO_get_mem_data(bio, &p);
    char *copy = jr_str_dup((struct jr_str){ p, (size_t)n });

    assert_non_null(copy);
    assert_int_equal(BIO_free(bio), 1);
    return copy;
}

char *pem_cert_text(X509 *x)
{
    BIO *bio = BIO_new(BIO_s_mem());

    assert_int_equal(PEM_write_bio_X509(bio, x), 1);
    return take(bio);
}

static char *key_text(EVP_PKEY *key, const char *passphrase)
{
    BIO *bio = BIO_new(BIO_s_mem());
    int n = passphrase == NULL ? 0 : (int)strlen(passphrase);

    assert_int_equal(PEM_write_bio_PrivateKey(bio, key, n == 0 ? NULL : EVP_aes_128_cbc(),
                                              (const unsigned char *)passphrase, n, NULL, NULL),
                     1);
    return take(bio);
}

char *pem_key_text(EVP_PKEY *key)
{
    return key_text(key, NULL);
}

char *pem_locked_key_text(EVP_PKEY *key)
{
    return key_text(key, "secret");
}
