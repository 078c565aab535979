/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, certificates and their signatures. */
#include "certs/make.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "certs/ossl.h"
#include "common/base/buf.h"
#include "common/base/memory.h"

#include <openssl/bn.h>

#define SERIAL_BITS 127
#define BACKDATE_S 3600
#define DAY_S 86400

JR_DEFINE_CLEANUP(BIGNUM *, BN_free)

static enum jr_status openssl_fail(struct jr_error *err, const char *what)
{
    char text[128];

    ERR_error_string_n(ERR_get_error(), text, sizeof(text));
    return jr_fail(err, JR_IO, NULL, "%s: %s", what, text);
}

void jr_cert_done(struct jr_cert *c)
{
    free(c->cert_pem);
    if (c->key_pem != NULL)
        OPENSSL_cleanse(c->key_pem, strlen(c->key_pem));
    free(c->key_pem);
    *c = (struct jr_cert){ NULL, NULL };
}

static enum jr_status to_pem(X509 *cert, EVP_PKEY *key, struct jr_cert *ret, struct jr_error *err)
{
    MEM_BIO *cert_bio = jr_bio_new();
    /* Secure memory would be no safer: the text is copied out of it right away. */
    MEM_BIO *key_bio = jr_bio_new();

    if (PEM_write_bio_X509(cert_bio, cert) != 1 ||
        PEM_write_bio_PKCS8PrivateKey(key_bio, key, NULL, NULL, 0, NULL, NULL) != 1)
        return openssl_fail(err, "writing PEM");
    *ret = (struct jr_cert){ jr_bio_text(cert_bio), jr_bio_text(key_bio) };
    return JR_OK;
}

static bool set_serial(X509 *cert)
{
    JR_CLEANUP(BN_freep) BIGNUM *serial = jr_must_have(BN_new());

    return BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
           BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert)) != NULL;
}

static bool set_validity(X509 *cert, struct jr_time now, unsigned days)
{
    time_t from = (time_t)(now.ns / JR_SEC) - BACKDATE_S;
    time_t to = (time_t)(now.ns / JR_SEC) + (time_t)days * DAY_S;

    return ASN1_TIME_set(X509_getm_notBefore(cert), from) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(cert), to) != NULL;
}

static bool set_name(X509 *cert, const char *common_name)
{
    const unsigned char *cn = (const unsigned char *)common_name;

    return X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_UTF8, cn, -1, -1,
                                      0) == 1;
}

/* A new certificate with everything but issuer, extensions and signature. */
static X509 *begin_cert(const char *common_name, EVP_PKEY *key, struct jr_time now, unsigned days)
{
    X509 *cert = jr_must_have(X509_new());

    if (X509_set_version(cert, X509_VERSION_3) != 1 || !set_serial(cert) ||
        !set_validity(cert, now, days) || !set_name(cert, common_name) ||
        X509_set_pubkey(cert, key) != 1) {
        X509_free(cert);
        return NULL;
    }
    return cert;
}

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    if (ext == NULL)
        return false;
    bool ok = X509_add_ext(cert, ext, -1) == 1;
    X509_EXTENSION_free(ext);
    return ok;
}

enum jr_status jr_cert_make_ca(const char *common_name, struct jr_time now, unsigned days,
                               struct jr_cert *ret, struct jr_error *err)
{
    PKEY *key = EVP_EC_gen("P-256");

    if (key == NULL)
        return openssl_fail(err, "making a key");
    CERT *cert = begin_cert(common_name, key, now, days);
    if (cert == NULL || X509_set_issuer_name(cert, X509_get_subject_name(cert)) != 1 ||
        !add_extension(cert, cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
        !add_extension(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign") ||
        !add_extension(cert, cert, NID_subject_key_identifier, "hash") ||
        X509_sign(cert, key, EVP_sha256()) == 0)
        return openssl_fail(err, "making a CA certificate");
    return to_pem(cert, key, ret, err);
}

static bool is_ip(const char *name)
{
    unsigned char addr[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, name, addr) == 1 || inet_pton(AF_INET6, name, addr) == 1;
}

/* "DNS:a,IP:127.0.0.1"; names with a comma could smuggle in further ones and are refused. */
static enum jr_status alt_names(const char *const *names, size_t n, struct jr_buf *out,
                                struct jr_error *err)
{
    jr_buf_init(out, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < n; i++) {
        if (names[i][0] == '\0' || strpbrk(names[i], ",\n") != NULL)
            return jr_fail(err, JR_INVALID, NULL, "'%s' is no name for a certificate", names[i]);
        (void)jr_buf_addf(out, "%s%s:%s", i == 0 ? "" : ",", is_ip(names[i]) ? "IP" : "DNS",
                          names[i]);
    }
    jr_must(out->failed);
    return JR_OK;
}

static enum jr_status read_ca(const struct jr_cert *ca, X509 **ret_cert, EVP_PKEY **ret_key,
                              struct jr_error *err)
{
    MEM_BIO *cert_bio = jr_bio_of(jr_str(ca->cert_pem));
    MEM_BIO *key_bio = jr_bio_of(jr_str(ca->key_pem));

    *ret_cert = jr_next_cert(cert_bio);
    *ret_key = key_bio == NULL ? NULL : PEM_read_bio_PrivateKey(key_bio, NULL, NULL, NULL);
    if (*ret_cert == NULL || *ret_key == NULL || X509_check_private_key(*ret_cert, *ret_key) != 1)
        return jr_fail(err, JR_INVALID, NULL, "the CA's certificate and key are not a pair");
    return JR_OK;
}

enum jr_status jr_cert_make_serving(const struct jr_cert *ca, const char *const *names,
                                    size_t n_names, struct jr_time now, unsigned days,
                                    struct jr_cert *ret, struct jr_error *err)
{
    CERT *issuer = NULL;
    PKEY *issuer_key = NULL;
    JR_BUF alt = { 0 };
    enum jr_status st;

    if (n_names == 0)
        return jr_fail(err, JR_INVALID, NULL, "a serving certificate needs a name");
    st = read_ca(ca, &issuer, &issuer_key, err);
    if (st == JR_OK)
        st = alt_names(names, n_names, &alt, err);
    if (st != JR_OK)
        return st;
    PKEY *key = EVP_EC_gen("P-256");
    if (key == NULL)
        return openssl_fail(err, "making a key");
    CERT *cert = begin_cert(names[0], key, now, days);
    if (cert == NULL || X509_set_issuer_name(cert, X509_get_subject_name(issuer)) != 1 ||
        !add_extension(cert, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
        !add_extension(cert, issuer, NID_key_usage, "critical,digitalSignature") ||
        !add_extension(cert, issuer, NID_ext_key_usage, "serverAuth") ||
        !add_extension(cert, issuer, NID_authority_key_identifier, "keyid") ||
        !add_extension(cert, issuer, NID_subject_alt_name, alt.p) ||
        X509_sign(cert, issuer_key, EVP_sha256()) == 0)
        return openssl_fail(err, "making a serving certificate");
    return to_pem(cert, key, ret, err);
}
