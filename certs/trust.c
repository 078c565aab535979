/* Whom a bundle of CAs makes callers trust, and for which names: beside check.c, which looks at
 * each certificate alone. */
#include "certs/check.h"
#include "certs/ossl.h"

#include <arpa/inet.h>
#include <limits.h>

static void store_freep(X509_STORE **s)
{
    X509_STORE_free(*s);
}
static void store_ctx_freep(X509_STORE_CTX **c)
{
    X509_STORE_CTX_free(*c);
}
static void chain_freep(STACK_OF(X509) * *s)
{
    sk_X509_pop_free(*s, X509_free);
}
static void general_names_freep(GENERAL_NAMES **n)
{
    GENERAL_NAMES_free(*n);
}

/** The next certificate of a text; NULL: there is none, or none that can be read. */
static X509 *next_cert(BIO *bio)
{
    X509 *cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);

    ERR_clear_error();
    return cert;
}

static BIO *bio_of(struct jr_str text)
{
    return text.n == 0 || text.n > INT_MAX ? NULL : BIO_new_mem_buf(text.p, (int)text.n);
}

/* ---- names ---- */

/** A name as text in the arena; "" for one of another kind. NULL without memory. */
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
                   : jr_arena_printf(a, "%s", text);
    if (type != GEN_DNS || n <= 0 || memchr(p, '\0', (size_t)n) != NULL ||
        memchr(p, ',', (size_t)n) != NULL || memchr(p, '\n', (size_t)n) != NULL)
        return "";
    return jr_arena_printf(a, "%.*s", n, (const char *)p);
}

enum jr_status jr_cert_names(const char *pem, struct jr_arena *a, const char *const **ret,
                             size_t *ret_n, struct jr_error *err)
{
    MEM_BIO *bio = pem == NULL ? NULL : bio_of(jr_str(pem));
    CERT *cert = next_cert(bio);
    JR_CLEANUP(general_names_freep) GENERAL_NAMES *all = NULL;
    const char **names;
    size_t n = 0;

    if (cert == NULL)
        return jr_fail(err, JR_INVALID, NULL, "expected a certificate in PEM");
    all = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
    ERR_clear_error();
    names = jr_arena_calloc(a, (size_t)(all == NULL ? 0 : sk_GENERAL_NAME_num(all)) + 1,
                            sizeof(*names));
    for (int i = 0; names != NULL && all != NULL && i < sk_GENERAL_NAME_num(all); i++) {
        names[n] = name_text(sk_GENERAL_NAME_value(all, i), a);
        if (names[n] == NULL)
            return jr_fail(err, JR_NOMEM, NULL, "certificate");
        n += names[n][0] != '\0';
    }
    if (names == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificate");
    *ret = names;
    *ret_n = n;
    return JR_OK;
}

/* ---- trust ---- */

static X509_STORE *store_of(const char *bundle_pem)
{
    MEM_BIO *bio = bio_of(jr_str(bundle_pem));
    JR_CLEANUP(store_freep) X509_STORE *store = X509_STORE_new();

    for (;;) {
        CERT *ca = next_cert(bio);

        if (ca == NULL || store == NULL)
            break;
        if (X509_check_ca(ca) != 0 && X509_STORE_add_cert(store, ca) != 1)
            ERR_clear_error(); /* twice in the bundle */
    }
    return jr_steal(&store);
}

/** All that are left of a text, up to one that cannot be read. NULL without memory. */
static STACK_OF(X509) * certs_of(BIO *bio)
{
    JR_CLEANUP(chain_freep) STACK_OF(X509) *all = sk_X509_new_null();
    X509 *cert = NULL;

    while (all != NULL && (cert = next_cert(bio)) != NULL) {
        if (sk_X509_push(all, cert) <= 0) {
            X509_free(cert);
            return NULL;
        }
    }
    return jr_steal(&all);
}

bool jr_cert_is_trusted(const char *chain_pem, const char *bundle_pem, const char *name,
                        struct jr_time now)
{
    MEM_BIO *bio = bio_of(jr_str(chain_pem));
    CERT *leaf = next_cert(bio);
    JR_CLEANUP(chain_freep) STACK_OF(X509) *rest = leaf == NULL ? NULL : certs_of(bio);
    JR_CLEANUP(store_freep) X509_STORE *store = store_of(bundle_pem);
    JR_CLEANUP(store_ctx_freep) X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    X509_VERIFY_PARAM *param;
    bool ok = leaf != NULL && store != NULL && ctx != NULL &&
              X509_STORE_CTX_init(ctx, store, leaf, rest) == 1;

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

static bool has(const STACK_OF(X509) * all, const X509 *cert)
{
    for (int i = 0; i < sk_X509_num(all); i++) {
        if (X509_cmp(sk_X509_value(all, i), cert) == 0)
            return true;
    }
    return false;
}

static enum jr_status append(char **bundle, X509 *cert)
{
    MEM_BIO *bio = BIO_new(BIO_s_mem());
    char *p = NULL, *grown;
    const size_t had = *bundle == NULL ? 0 : strlen(*bundle);
    long n;

    if (bio == NULL || PEM_write_bio_X509(bio, cert) != 1)
        return JR_NOMEM;
    n = BIO_get_mem_data(bio, &p);
    grown = n <= 0 ? NULL : realloc(*bundle, had + (size_t)n + 1);
    if (grown == NULL)
        return JR_NOMEM;
    memcpy(grown + had, p, (size_t)n);
    grown[had + (size_t)n] = '\0';
    *bundle = grown;
    return JR_OK;
}

enum jr_status jr_cert_bundle_add(char **bundle, struct jr_str text, size_t max)
{
    MEM_BIO *bio = bio_of(text);
    MEM_BIO *had = *bundle == NULL ? NULL : bio_of(jr_str(*bundle));
    JR_CLEANUP(chain_freep) STACK_OF(X509) *all = certs_of(had);
    JR_FREE char *out = *bundle == NULL ? NULL : jr_str_dup(jr_str(*bundle));
    char *was = *bundle;

    if ((was != NULL && out == NULL) || all == NULL)
        return JR_NOMEM;
    while ((size_t)sk_X509_num(all) < max) {
        CERT *cert = next_cert(bio);

        if (cert == NULL)
            break;
        if (X509_check_ca(cert) == 0 || has(all, cert))
            continue;
        if (append(&out, cert) != JR_OK || sk_X509_push(all, cert) <= 0)
            return JR_NOMEM;
        cert = NULL; /* the stack's */
    }
    *bundle = jr_steal(&out);
    free(was);
    return JR_OK;
}
