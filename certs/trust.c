/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a bundle of CAs makes callers trust, and for which names: beside check.c, which looks at
 * each certificate alone. */
#include "certs/check.h"
#include "certs/ossl.h"
#include "common/base/memory.h"

#include <arpa/inet.h>

JR_DEFINE_CLEANUP(X509_STORE *, X509_STORE_free)
JR_DEFINE_CLEANUP(X509_STORE_CTX *, X509_STORE_CTX_free)
static void chain_freep(STACK_OF(X509) * *s)
{
    sk_X509_pop_free(*s, X509_free);
}
JR_DEFINE_CLEANUP(GENERAL_NAMES *, GENERAL_NAMES_free)

/* ---- names ---- */

/** A name as text in the arena; "" for one of another kind. */
static const char *name_text(const GENERAL_NAME *g, struct jr_arena *a)
{
    char text[INET6_ADDRSTRLEN];
    int type;
    const ASN1_STRING *s = GENERAL_NAME_get0_value(g, &type);
    const unsigned char *p = type == GEN_DNS || type == GEN_IPADD ? ASN1_STRING_get0_data(s) : NULL;
    const int n = p == NULL ? 0 : ASN1_STRING_length(s);

    if (type == GEN_IPADD && (n == 4 || n == 16))
        return inet_ntop(n == 4 ? AF_INET : AF_INET6, p, text, sizeof(text)) == NULL
                   ? ""
                   : jr_xarena_strdup(a, text);
    if (type != GEN_DNS || n <= 0 || memchr(p, '\0', (size_t)n) != NULL ||
        memchr(p, ',', (size_t)n) != NULL || memchr(p, '\n', (size_t)n) != NULL)
        return "";
    return jr_xarena_str(a, (struct jr_str){ (const char *)p, (size_t)n }).p;
}

enum jr_status jr_cert_names(const char *pem, struct jr_arena *a, const char *const **ret,
                             size_t *ret_n, struct jr_error *err)
{
    MEM_BIO *bio = jr_bio_of(jr_str(pem));
    CERT *cert = jr_next_cert(bio);
    JR_CLEANUP(GENERAL_NAMES_freep) GENERAL_NAMES *all = NULL;
    const char **names;
    size_t n = 0;

    if (cert == NULL)
        return jr_fail(err, JR_INVALID, NULL, "expected a certificate in PEM");
    all = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
    ERR_clear_error();
    names = jr_xarena_calloc(a, (size_t)(all == NULL ? 0 : sk_GENERAL_NAME_num(all)) + 1,
                             sizeof(*names));
    for (int i = 0; all != NULL && i < sk_GENERAL_NAME_num(all); i++) {
        names[n] = name_text(sk_GENERAL_NAME_value(all, i), a);
        n += names[n][0] != '\0';
    }
    *ret = names;
    *ret_n = n;
    return JR_OK;
}

/* ---- trust ---- */

static X509_STORE *store_of(const char *bundle_pem)
{
    MEM_BIO *bio = jr_bio_of(jr_str(bundle_pem));
    X509_STORE *store = jr_must_have(X509_STORE_new());

    for (;;) {
        CERT *ca = jr_next_cert(bio);

        if (ca == NULL)
            break;
        if (X509_check_ca(ca) != 0 && X509_STORE_add_cert(store, ca) != 1)
            ERR_clear_error(); /* twice in the bundle */
    }
    return store;
}

/** All that are left of a text, up to one that cannot be read. */
static STACK_OF(X509) * certs_of(BIO *bio)
{
    STACK_OF(X509) *all = jr_must_have(sk_X509_new_null());
    X509 *cert;

    while ((cert = jr_next_cert(bio)) != NULL) {
        if (sk_X509_push(all, cert) <= 0)
            jr_out_of_memory();
    }
    return all;
}

bool jr_cert_is_trusted(const char *chain_pem, const char *bundle_pem, const char *name,
                        struct jr_time now)
{
    MEM_BIO *bio = jr_bio_of(jr_str(chain_pem));
    CERT *leaf = jr_next_cert(bio);
    JR_CLEANUP(chain_freep) STACK_OF(X509) *rest = leaf == NULL ? NULL : certs_of(bio);
    JR_CLEANUP(X509_STORE_freep) X509_STORE *store = store_of(bundle_pem);
    JR_CLEANUP(X509_STORE_CTX_freep) X509_STORE_CTX *ctx = jr_must_have(X509_STORE_CTX_new());
    X509_VERIFY_PARAM *param;
    bool ok = leaf != NULL && X509_STORE_CTX_init(ctx, store, leaf, rest) == 1;

    if (ok) {
        param = X509_STORE_CTX_get0_param(ctx);
        /* as Go has it: each certificate of the bundle may end a chain */
        (void)X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
        X509_VERIFY_PARAM_set_time(param, (time_t)(now.ns / JR_SEC));
        ok = X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER) == 1 &&
             X509_VERIFY_PARAM_set1_host(param, name, 0) == 1 &&
             X509_STORE_CTX_set_trust(ctx, X509_TRUST_SSL_SERVER) == 1 &&
             X509_verify_cert(ctx) == 1;
    }
    ERR_clear_error();
    return ok;
}

/* ---- bundles ---- */

static bool has_cert(const STACK_OF(X509) * all, const X509 *cert)
{
    for (int i = 0; i < sk_X509_num(all); i++) {
        if (X509_cmp(sk_X509_value(all, i), cert) == 0)
            return true;
    }
    return false;
}

void jr_cert_bundle_add(char **bundle, struct jr_str text, size_t max)
{
    MEM_BIO *bio = jr_bio_of(text);
    MEM_BIO *had = jr_bio_of(jr_str(*bundle));
    JR_CLEANUP(chain_freep) STACK_OF(X509) *all = certs_of(had);
    MEM_BIO *out = jr_bio_new();
    bool grown = false;

    if (*bundle != NULL && BIO_puts(out, *bundle) < 0)
        jr_out_of_memory();
    while ((size_t)sk_X509_num(all) < max) {
        CERT *cert = jr_next_cert(bio);

        if (cert == NULL)
            break;
        if (X509_check_ca(cert) == 0 || has_cert(all, cert))
            continue;
        if (PEM_write_bio_X509(out, cert) != 1 || sk_X509_push(all, cert) <= 0)
            jr_out_of_memory();
        cert = NULL; /* the stack's */
        grown = true;
    }
    if (grown) {
        free(*bundle);
        *bundle = jr_bio_text(out);
    }
}
