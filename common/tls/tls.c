/* SPDX-License-Identifier: Apache-2.0 */
/* Serving certificates: read, checked, and exchanged while handshakes go on. */
#include "common/tls/tls.h"

#include <gnutls/x509.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "common/base/about.h"
#include "common/base/hash.h"
#include "common/base/pem_file.h"

#define KEY_ID_BYTES 64

struct jr_tls_cred {
    atomic_uint refs;
    gnutls_pcert_st *certs;
    unsigned n;
    gnutls_privkey_t key;
    struct jr_time not_after;
    uint64_t hash; /* of both files' texts */
};

struct jr_tls_store {
    pthread_mutex_t lock;
    struct jr_tls_cred *current;
    struct jr_tls_files files;
};

/* ---- reading ---- */

static gnutls_datum_t datum(struct jr_str s)
{
    return (gnutls_datum_t){ (unsigned char *)(uintptr_t)s.p, (unsigned)s.n };
}

static void free_certs(gnutls_x509_crt_t *certs, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        gnutls_x509_crt_deinit(certs[i]);
    gnutls_free(certs);
}

static enum jr_status take_certs(struct jr_tls_cred *c, gnutls_x509_crt_t *certs, unsigned n,
                                 struct jr_error *err)
{
    time_t end = gnutls_x509_crt_get_expiration_time(certs[0]);
    unsigned left = n;
    int e;

    /* Certificates without an end say 9999, which nanoseconds don't reach. */
    c->not_after.ns = end < 0 || end > INT64_MAX / JR_SEC ? INT64_MAX : end * JR_SEC;
    c->certs = calloc(n, sizeof(*c->certs));
    if (c->certs == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificate");
    e = gnutls_pcert_import_x509_list(c->certs, certs, &left, GNUTLS_X509_CRT_LIST_SORT);
    if (e < 0)
        return jr_fail(err, JR_INVALID, NULL, "the certificates are no chain: %s",
                       gnutls_strerror(e));
    c->n = left;
    return JR_OK;
}

static enum jr_status load_certs(struct jr_tls_cred *c, struct jr_str text, struct jr_error *err)
{
    gnutls_datum_t pem = datum(text);
    gnutls_x509_crt_t *certs = NULL;
    unsigned n = 0;
    enum jr_status st;
    int e = gnutls_x509_crt_list_import2(&certs, &n, &pem, GNUTLS_X509_FMT_PEM, 0);

    if (e < 0 || n == 0)
        return jr_fail(err, JR_INVALID, NULL, "expected a certificate in PEM: %s",
                       gnutls_strerror(e));
    st = take_certs(c, certs, n, err);
    free_certs(certs, n);
    return st;
}

static enum jr_status load_key(struct jr_tls_cred *c, struct jr_str text, struct jr_error *err)
{
    gnutls_datum_t pem = datum(text);
    int e = gnutls_privkey_init(&c->key);

    if (e < 0)
        return jr_fail(err, JR_NOMEM, NULL, "private key: %s", gnutls_strerror(e));
    e = gnutls_privkey_import_x509_raw(c->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (e == GNUTLS_E_DECRYPTION_FAILED)
        return jr_fail(err, JR_INVALID, NULL, "expected a private key that is not encrypted");
    if (e < 0)
        return jr_fail(err, JR_INVALID, NULL, "expected a private key in PEM: %s",
                       gnutls_strerror(e));
    return JR_OK;
}

/* ---- does the key belong to the certificate? ---- */

static bool key_id(gnutls_pubkey_t key, unsigned char id[KEY_ID_BYTES])
{
    size_t n = KEY_ID_BYTES;

    memset(id, 0, KEY_ID_BYTES);
    return gnutls_pubkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, id, &n) == 0;
}

static enum jr_status check_pair(const struct jr_tls_cred *c, struct jr_error *err)
{
    unsigned char of_cert[KEY_ID_BYTES], of_key[KEY_ID_BYTES];
    gnutls_pubkey_t pub = NULL;
    bool ok;

    if (gnutls_pubkey_init(&pub) < 0)
        return jr_fail(err, JR_NOMEM, NULL, "public key");
    ok = gnutls_pubkey_import_privkey(pub, c->key, 0, 0) == 0 && key_id(pub, of_key) &&
         key_id(c->certs[0].pubkey, of_cert);
    gnutls_pubkey_deinit(pub);
    if (!ok)
        return jr_fail(err, JR_INVALID, NULL, "no public key can be made from it");
    if (memcmp(of_cert, of_key, KEY_ID_BYTES) != 0)
        return jr_fail(err, JR_INVALID, NULL, "is not the private key of the certificate");
    return JR_OK;
}

/* ---- snapshots ---- */

/** From texts; err->path says which flag's they are. */
static enum jr_status make_cred(struct jr_str cert, struct jr_str key, struct jr_tls_cred **ret,
                                bool *ret_is_key, struct jr_error *err)
{
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *c = calloc(1, sizeof(*c));
    enum jr_status st;

    *ret_is_key = false;
    if (c == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificate");
    atomic_init(&c->refs, 1);
    st = load_certs(c, cert, err);
    if (st != JR_OK)
        return st;
    *ret_is_key = true;
    st = load_key(c, key, err);
    if (st == JR_OK)
        st = check_pair(c, err);
    if (st != JR_OK)
        return st;
    c->hash = jr_hash_more(jr_hash(cert), key);
    *ret = jr_steal(&c);
    return JR_OK;
}

enum jr_status jr_tls_cred_make(struct jr_str cert_pem, struct jr_str key_pem,
                                struct jr_tls_cred **ret, struct jr_error *err)
{
    bool is_key;

    return make_cred(cert_pem, key_pem, ret, &is_key, err);
}

enum jr_status jr_tls_cred_load(const struct jr_tls_files *files, struct jr_tls_cred **ret,
                                struct jr_error *err)
{
    JR_SECRET_BUF cert = { 0 }, key = { 0 };
    bool is_key = false;
    enum jr_status st;

    st = jr_pem_file_read(files->cert, &cert, err);
    if (st == JR_OK) {
        is_key = true;
        st = jr_pem_file_read(files->key, &key, err);
    }
    if (st == JR_OK)
        st = make_cred(jr_buf_str(&cert), jr_buf_str(&key), ret, &is_key, err);
    if (st != JR_OK)
        return jr_pem_file_blame(err, st, is_key ? files->key_flag : files->cert_flag,
                                 is_key ? files->key : files->cert);
    return JR_OK;
}

void jr_tls_cred_unref(struct jr_tls_cred *c)
{
    if (c == NULL || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    for (unsigned i = 0; i < c->n; i++)
        gnutls_pcert_deinit(&c->certs[i]);
    free(c->certs);
    if (c->key != NULL)
        gnutls_privkey_deinit(c->key);
    free(c);
}

void jr_tls_cred_get(struct jr_tls_cred *c, gnutls_pcert_st **ret_certs, unsigned *ret_n,
                     gnutls_privkey_t *ret_key)
{
    *ret_certs = c->certs;
    *ret_n = c->n;
    *ret_key = c->key;
}

struct jr_time jr_tls_cred_not_after(const struct jr_tls_cred *c)
{
    return c->not_after;
}

/* ---- the store ---- */

enum jr_status jr_tls_store_new_empty(struct jr_tls_store **ret, struct jr_error *err)
{
    struct jr_tls_store *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificate store");
    (void)pthread_mutex_init(&s->lock, NULL);
    *ret = s;
    return JR_OK;
}

enum jr_status jr_tls_store_new(const struct jr_tls_files *files, struct jr_tls_store **ret,
                                struct jr_error *err)
{
    JR_CLEANUP(jr_tls_store_freep) struct jr_tls_store *s = NULL;
    enum jr_status st = jr_tls_store_new_empty(&s, err);

    if (st != JR_OK)
        return st;
    s->files = *files;
    st = jr_tls_cred_load(files, &s->current, err);
    if (st == JR_OK)
        *ret = jr_steal(&s);
    return st;
}

void jr_tls_store_put(struct jr_tls_store *s, struct jr_tls_cred *c)
{
    struct jr_tls_cred *old = s->current;

    (void)pthread_mutex_lock(&s->lock);
    s->current = c;
    (void)pthread_mutex_unlock(&s->lock);
    jr_tls_cred_unref(old);
}

void jr_tls_store_free(struct jr_tls_store *s)
{
    if (s == NULL)
        return;
    jr_tls_cred_unref(s->current);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

struct jr_tls_cred *jr_tls_store_get(struct jr_tls_store *s)
{
    struct jr_tls_cred *c;

    (void)pthread_mutex_lock(&s->lock);
    c = s->current;
    if (c != NULL)
        (void)atomic_fetch_add(&c->refs, 1);
    (void)pthread_mutex_unlock(&s->lock);
    return c;
}

enum jr_status jr_tls_store_reload(struct jr_tls_store *s, bool *ret_changed, struct jr_error *err)
{
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *c = NULL;
    enum jr_status st = jr_tls_cred_load(&s->files, &c, err);

    if (st != JR_OK || c == NULL)
        return st;
    *ret_changed = c->hash != s->current->hash;
    if (*ret_changed)
        jr_tls_store_put(s, jr_steal(&c));
    return JR_OK;
}

void jr_tls_about(struct jr_buf *out)
{
    jr_about_line(out, "gnutls", gnutls_check_version(NULL));
}
