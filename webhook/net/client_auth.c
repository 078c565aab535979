/* SPDX-License-Identifier: Apache-2.0 */
/* Clients' certificates: the CAs that vouch for them, and the names they bear. */
#include "webhook/net/client_auth.h"

#include <gnutls/x509.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "common/base/hash.h"
#include "common/base/pem_file.h"

#define NAME_BYTES 256

struct jr_client_auth {
    pthread_rwlock_t lock; /* of trust */
    gnutls_x509_trust_list_t trust;
    const char *ca_file;
    const struct jr_flag_list *names;
    char *pem;
    uint64_t hash;
    _Atomic uint64_t generation;
};

/* ---- the CAs ---- */

static enum jr_status parse_cas(const char *pem, gnutls_x509_trust_list_t *ret,
                                struct jr_error *err)
{
    const gnutls_datum_t text = { (unsigned char *)(uintptr_t)pem, (unsigned)strlen(pem) };
    gnutls_x509_trust_list_t trust = NULL;
    int n;

    if (gnutls_x509_trust_list_init(&trust, 0) < 0)
        return jr_fail(err, JR_NOMEM, NULL, "CA certificates");
    n = gnutls_x509_trust_list_add_trust_mem(trust, &text, NULL, GNUTLS_X509_FMT_PEM, 0, 0);
    if (n > 0) {
        *ret = trust;
        return JR_OK;
    }
    gnutls_x509_trust_list_deinit(trust, 1);
    return jr_fail(err, JR_INVALID, NULL, "expected CA certificates in PEM%s%s", n == 0 ? "" : ": ",
                   n == 0 ? "" : gnutls_strerror(n));
}

static enum jr_status load_cas(const char *file, char **ret_pem, gnutls_x509_trust_list_t *ret,
                               struct jr_error *err)
{
    JR_FREE char *pem = NULL;
    JR_BUF text = { 0 };
    size_t n;
    enum jr_status st = jr_pem_file_read(file, &text, err);

    if (st == JR_OK)
        st = jr_buf_take(&text, &pem, &n);
    if (st == JR_OK)
        st = parse_cas(pem, ret, err);
    if (st != JR_OK)
        return jr_pem_file_blame(err, st, "--client-ca-file", file);
    *ret_pem = jr_steal(&pem);
    return JR_OK;
}

enum jr_status jr_client_auth_new(const char *ca_file, const struct jr_flag_list *names,
                                  struct jr_client_auth **ret, struct jr_error *err)
{
    JR_FREE struct jr_client_auth *a = calloc(1, sizeof(*a));
    enum jr_status st;

    if (a == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "CA certificates");
    a->ca_file = ca_file;
    a->names = names;
    st = load_cas(ca_file, &a->pem, &a->trust, err);
    if (st != JR_OK)
        return st;
    a->hash = jr_hash(jr_str(a->pem));
    atomic_init(&a->generation, 1);
    (void)pthread_rwlock_init(&a->lock, NULL);
    *ret = jr_steal(&a);
    return JR_OK;
}

void jr_client_auth_free(struct jr_client_auth *a)
{
    if (a == NULL)
        return;
    (void)pthread_rwlock_destroy(&a->lock);
    gnutls_x509_trust_list_deinit(a->trust, 1);
    free(a->pem);
    free(a);
}

enum jr_status jr_client_auth_reload(struct jr_client_auth *a, bool *ret_changed,
                                     struct jr_error *err)
{
    JR_FREE char *pem = NULL;
    gnutls_x509_trust_list_t trust = NULL, old;
    enum jr_status st = load_cas(a->ca_file, &pem, &trust, err);
    uint64_t hash;

    if (st != JR_OK)
        return st;
    hash = jr_hash(jr_str(pem));
    *ret_changed = hash != a->hash;
    (void)pthread_rwlock_wrlock(&a->lock);
    old = a->trust;
    a->trust = trust;
    a->hash = hash;
    if (*ret_changed) /* after the exchange: who reads the new number is validated by the new CAs */
        (void)atomic_fetch_add(&a->generation, 1);
    (void)pthread_rwlock_unlock(&a->lock);
    gnutls_x509_trust_list_deinit(old, 1);
    return JR_OK;
}

uint64_t jr_client_auth_generation(struct jr_client_auth *a)
{
    return atomic_load(&a->generation);
}

const char *jr_client_auth_pem(const struct jr_client_auth *a)
{
    return a->pem;
}

/* ---- a client ---- */

static bool is_wanted(const struct jr_client_auth *a, struct jr_str name)
{
    for (size_t i = 0; i < a->names->n; i++) {
        if (jr_str_eq(a->names->v[i], name))
            return true;
    }
    return false;
}

static bool bears_a_name(const struct jr_client_auth *a, gnutls_x509_crt_t cert)
{
    char name[NAME_BYTES];
    size_t n = sizeof(name);
    int kind = GNUTLS_SAN_DNSNAME;

    if (gnutls_x509_crt_get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &n) == 0 &&
        is_wanted(a, (struct jr_str){ name, n }))
        return true;
    for (unsigned i = 0; kind >= 0 || kind == GNUTLS_E_SHORT_MEMORY_BUFFER; i++) {
        n = sizeof(name);
        kind = gnutls_x509_crt_get_subject_alt_name(cert, i, name, &n, NULL);
        if (kind == GNUTLS_SAN_DNSNAME && is_wanted(a, (struct jr_str){ name, n }))
            return true;
    }
    return false;
}

/** The chain that the client has sent; 0: none that can be read. */
static unsigned chain_of(gnutls_session_t session, gnutls_x509_crt_t **ret)
{
    unsigned n = 0;
    const gnutls_datum_t *sent = gnutls_certificate_get_peers(session, &n);
    gnutls_x509_crt_t *certs;

    if (sent == NULL || n == 0)
        return 0;
    certs = calloc(n, sizeof(*certs));
    for (unsigned i = 0; i < n && certs != NULL; i++) {
        if (gnutls_x509_crt_init(&certs[i]) == 0 &&
            gnutls_x509_crt_import(certs[i], &sent[i], GNUTLS_X509_FMT_DER) == 0)
            continue;
        for (unsigned k = 0; k <= i; k++) {
            if (certs[k] != NULL)
                gnutls_x509_crt_deinit(certs[k]);
        }
        free(certs);
        return 0;
    }
    *ret = certs;
    return certs == NULL ? 0 : n;
}

static const char *validate_chain(struct jr_client_auth *a, gnutls_x509_crt_t *certs, unsigned n)
{
    gnutls_typed_vdata_st purpose = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                      .data =
                                          (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT };
    unsigned status = GNUTLS_CERT_INVALID;
    int e;

    (void)pthread_rwlock_rdlock(&a->lock);
    e = gnutls_x509_trust_list_verify_crt2(a->trust, certs, n, &purpose, 1, 0, &status, NULL);
    (void)pthread_rwlock_unlock(&a->lock);
    if (e < 0 || status != 0)
        return "the client's certificate is not one that --client-ca-file vouches for";
    if (a->names->n > 0 && !bears_a_name(a, certs[0]))
        return "the client's certificate bears none of --client-names";
    return NULL;
}

const char *jr_client_auth_refusal(struct jr_client_auth *a, gnutls_session_t session)
{
    gnutls_x509_crt_t *certs = NULL;
    unsigned n = chain_of(session, &certs);
    const char *why;

    if (n == 0)
        return "expected a client certificate";
    why = validate_chain(a, certs, n);
    for (unsigned i = 0; i < n; i++)
        gnutls_x509_crt_deinit(certs[i]);
    free(certs);
    return why;
}
