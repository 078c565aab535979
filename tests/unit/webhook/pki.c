/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/webhook/pki.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

void pki_path(const struct pki *p, const char *name, char out[PKI_PATH_MAX])
{
    (void)snprintf(out, PKI_PATH_MAX, "%s/%s", p->dir, name);
}

void pki_begin(struct pki *p)
{
    (void)snprintf(p->dir, sizeof(p->dir), "/tmp/jobreeve-pki.XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    pki_path(p, "tls.crt", p->cert);
    pki_path(p, "tls.key", p->key);
}

void pki_end(struct pki *p)
{
    DIR *d = opendir(p->dir);
    const struct dirent *e;

    assert_non_null(d);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe for streams of one's own */
    while ((e = readdir(d)) != NULL) {
        char path[sizeof(p->dir) + sizeof(e->d_name) + 2];

        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", p->dir, e->d_name);
        (void)unlink(path);
    }
    (void)closedir(d);
    (void)rmdir(p->dir);
}

void pki_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void add_extension(X509 *cert, int nid, const char *value)
{
    X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    assert_non_null(ext);
    assert_int_equal(X509_add_ext(cert, ext, -1), 1);
    X509_EXTENSION_free(ext);
}

static X509 *certificate(EVP_PKEY *key, long valid_s)
{
    X509 *cert = X509_new();
    X509_NAME *name = X509_get_subject_name(cert);

    assert_int_equal(X509_set_version(cert, X509_VERSION_3), 1);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(cert), 1 + random() % 1000000), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(cert), -3600));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(cert), valid_s));
    assert_int_equal(X509_set_pubkey(cert, key), 1);
    assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                                (const unsigned char *)"localhost", -1, -1, 0),
                     1);
    assert_int_equal(X509_set_issuer_name(cert, name), 1);
    add_extension(cert, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
    add_extension(cert, NID_basic_constraints, "critical,CA:TRUE");
    assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
    return cert;
}

static FILE *create(const char *path, char tmp[PKI_PATH_MAX + 8])
{
    FILE *f;

    (void)snprintf(tmp, PKI_PATH_MAX + 8, "%s.new", path);
    f = fopen(tmp, "we");
    assert_non_null(f);
    return f;
}

static void place(FILE *f, const char *tmp, const char *path)
{
    assert_int_equal(fclose(f), 0);
    assert_int_equal(rename(tmp, path), 0);
}

void pki_make(const struct pki *p, enum pki_kind kind, long valid_s, const char *password)
{
    EVP_PKEY *key =
        kind == PKI_RSA ? EVP_RSA_gen(2048) : EVP_EC_gen(kind == PKI_EC ? "P-256" : "secp256k1");
    char tmp[PKI_PATH_MAX + 8];
    X509 *cert;
    FILE *f;

    assert_non_null(key);
    cert = certificate(key, valid_s);
    f = create(p->key, tmp);
    assert_int_equal(
        PEM_write_PKCS8PrivateKey(f, key, password == NULL ? NULL : EVP_aes_256_cbc(), password,
                                  password == NULL ? 0 : (int)strlen(password), NULL, NULL),
        1);
    place(f, tmp, p->key);
    f = create(p->cert, tmp);
    assert_int_equal(PEM_write_X509(f, cert), 1);
    place(f, tmp, p->cert);
    X509_free(cert);
    EVP_PKEY_free(key);
}
