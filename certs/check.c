/* SPDX-License-Identifier: Apache-2.0 */
/* What a certificate says, each looked at alone. */
#include "certs/check.h"

#include "certs/ossl.h"

/* ---- reading ---- */

static X509 *first_cert(const char *pem)
{
    MEM_BIO *bio = jr_bio_of(jr_str(pem));

    return jr_next_cert(bio);
}

/* Encrypted keys are none of ours: OpenSSL must not ask for a password on the terminal. The type is
 * OpenSSL's. NOLINTNEXTLINE(readability-non-const-parameter) */
static int no_password(char *buf, int size, int writing, void *ctx)
{
    (void)buf;
    (void)size;
    (void)writing;
    (void)ctx;
    return -1;
}

static EVP_PKEY *read_key(const char *pem)
{
    MEM_BIO *bio = jr_bio_of(jr_str(pem));
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);

    ERR_clear_error();
    return key;
}

/** Certificates without an end say 9999, which nanoseconds don't reach. */
static bool time_of(const ASN1_TIME *t, struct jr_time *ret)
{
    int days, seconds;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    bool ok = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, t) == 1;

    ASN1_TIME_free(epoch);
    if (!ok)
        return false;
    if (__builtin_mul_overflow((int64_t)days * 86400 + seconds, JR_SEC, &ret->ns))
        ret->ns = days < 0 ? INT64_MIN : INT64_MAX;
    return true;
}

static bool life_of(const X509 *cert, struct jr_cert_life *ret)
{
    return time_of(X509_get0_notBefore(cert), &ret->from) &&
           time_of(X509_get0_notAfter(cert), &ret->until);
}

/* ---- checks ---- */

enum jr_status jr_cert_check(const struct jr_cert *c, struct jr_cert_life *ret,
                             struct jr_error *err)
{
    CERT *cert = first_cert(c->cert_pem);
    PKEY *key = c->key_pem == NULL ? NULL : read_key(c->key_pem);

    if (cert == NULL || !life_of(cert, ret))
        return jr_fail(err, JR_INVALID, NULL, "expected a certificate in PEM");
    if (c->key_pem != NULL && key == NULL)
        return jr_fail(err, JR_INVALID, NULL, "expected a private key in PEM, without a password");
    if (key != NULL && X509_check_private_key(cert, key) != 1) {
        ERR_clear_error();
        return jr_fail(err, JR_INVALID, NULL, "the private key is not the certificate's");
    }
    return JR_OK;
}

enum jr_status jr_cert_check_bundle(const char *pem, struct jr_cert_life *ret, struct jr_error *err)
{
    MEM_BIO *bio = jr_bio_of(jr_str(pem));
    struct jr_cert_life all = { { INT64_MIN }, { INT64_MAX } };
    size_t n = 0;

    for (;; n++) {
        CERT *cert = jr_next_cert(bio);
        struct jr_cert_life one;

        if (cert == NULL)
            break;
        if (X509_check_ca(cert) == 0)
            return jr_fail(err, JR_INVALID, NULL, "certificate %zu is no CA's", n + 1);
        if (!life_of(cert, &one))
            return jr_fail(err, JR_INVALID, NULL, "certificate %zu has no readable validity",
                           n + 1);
        if (jr_time_cmp(one.from, all.from) > 0)
            all.from = one.from;
        if (jr_time_cmp(one.until, all.until) < 0)
            all.until = one.until;
    }
    if (n == 0)
        return jr_fail(err, JR_INVALID, NULL, "expected CA certificates in PEM");
    *ret = all;
    return JR_OK;
}

bool jr_cert_signed_by(const char *leaf_pem, const char *ca_pem)
{
    CERT *leaf = first_cert(leaf_pem);
    CERT *ca = first_cert(ca_pem);
    bool ok = leaf != NULL && ca != NULL && X509_check_issued(ca, leaf) == X509_V_OK &&
              X509_verify(leaf, X509_get0_pubkey(ca)) == 1;

    ERR_clear_error();
    return ok;
}

bool jr_cert_names_all(const char *pem, const char *const *names, size_t n)
{
    CERT *cert = first_cert(pem);

    for (size_t i = 0; i < n && cert != NULL; i++) {
        if (X509_check_ip_asc(cert, names[i], 0) != 1 &&
            X509_check_host(cert, names[i], 0, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) != 1)
            return false;
    }
    return cert != NULL;
}
