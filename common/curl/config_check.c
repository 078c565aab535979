/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a configuration can work, before anything is asked of a server. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/curl/config_parts.h"

void jr_config_wipe(char **secret)
{
    if (*secret != NULL)
        OPENSSL_cleanse(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}

enum jr_status jr_config_read_text(const char *path, char **ret, struct jr_error *err)
{
    JR_SECRET_BUF text = { 0 };
    size_t n;
    enum jr_status st;

    jr_buf_init(&text, JR_CONFIG_FILE_MAX);
    st = jr_need(jr_file_read(path, &text, err));
    if (st == JR_OK && text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
        st = jr_fail(err, JR_SYNTAX, path, "no text");
    if (st == JR_OK)
        jr_must(jr_buf_take(&text, ret, &n));
    return st;
}

/* ---- PEM ---- */

JR_DEFINE_CLEANUP(BIO *, BIO_free)
JR_DEFINE_CLEANUP(X509 *, X509_free)
JR_DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)

/** For keys under a passphrase, which nobody is there to type. */
/* NOLINTNEXTLINE(readability-non-const-parameter): OpenSSL's signature */
static int no_passphrase(char *buf, int size, int rwflag, void *ctx)
{
    (void)buf;
    (void)size;
    (void)rwflag;
    (void)ctx;
    return -1;
}

static BIO *bio_of(const char *pem)
{
    return jr_must_have(BIO_new_mem_buf(pem, -1));
}

enum jr_status jr_config_check_ca(const char *pem, const char *where, struct jr_error *err)
{
    JR_CLEANUP(BIO_freep) BIO *bio = bio_of(pem);
    JR_CLEANUP(X509_freep) X509 *x = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);

    if (x == NULL)
        return jr_fail(err, JR_INVALID, where,
                       "certificate-authority: there is no PEM certificate in it");
    return JR_OK;
}

enum jr_status jr_config_check_pair(const char *cert_pem, const char *key_pem, const char *where,
                                    struct jr_error *err)
{
    JR_CLEANUP(BIO_freep) BIO *cert_bio = bio_of(cert_pem);
    JR_CLEANUP(BIO_freep) BIO *key_bio = bio_of(key_pem);
    JR_CLEANUP(X509_freep) X509 *cert = NULL;
    JR_CLEANUP(EVP_PKEY_freep) EVP_PKEY *key = NULL;

    cert = PEM_read_bio_X509(cert_bio, NULL, no_passphrase, NULL);
    if (cert == NULL)
        return jr_fail(err, JR_INVALID, where,
                       "client-certificate: there is no PEM certificate in it");
    key = PEM_read_bio_PrivateKey(key_bio, NULL, no_passphrase, NULL);
    if (key == NULL)
        return jr_fail(err, JR_INVALID, where,
                       "client-key: there is no PEM private key without a passphrase in it");
    if (X509_check_private_key(cert, key) != 1)
        return jr_fail(err, JR_INVALID, where, "client-key: not the client-certificate's key");
    return JR_OK;
}

/* ---- addresses ---- */

static bool has_part(CURLU *u, CURLUPart part)
{
    char *s = NULL;
    CURLUcode code = curl_url_get(u, part, &s, 0);

    curl_free(s);
    return code == CURLUE_OK;
}

/** A URL of one of these schemes with a host, without what does not belong there. */
static enum jr_status check_url(const char *url, const char *const *schemes, const char *field,
                                bool plain, const char *where, struct jr_error *err)
{
    JR_CLEANUP(curl_url_cleanupp) CURLU *u = jr_must_have(curl_url());
    JR_CLEANUP(curl_freep) char *scheme = NULL;
    bool known = false;

    if (strstr(url, "://") == NULL)
        return jr_fail(err, JR_INVALID, where, "%s: \"%s\" has no scheme, https:// for example",
                       field, url);
    if (curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
        curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK)
        return jr_fail(err, JR_INVALID, where, "%s: \"%s\" is no URL", field, url);
    for (; *schemes != NULL; schemes++)
        known |= strcmp(scheme, *schemes) == 0;
    if (!known)
        return jr_fail(err, JR_UNSUPPORTED, where, "%s: \"%s\" has a scheme that is not supported",
                       field, url);
    if (plain && (has_part(u, CURLUPART_USER) || has_part(u, CURLUPART_PASSWORD) ||
                  has_part(u, CURLUPART_QUERY) || has_part(u, CURLUPART_FRAGMENT)))
        return jr_fail(err, JR_INVALID, where, "%s: only scheme, host, port and path may be given",
                       field);
    return JR_OK;
}

static enum jr_status check_addresses(struct jr_kube_config *c, const char *where,
                                      struct jr_error *err)
{
    static const char *const server_schemes[] = { "https", "http", NULL };
    static const char *const proxy_schemes[] = { "https", "http", "socks5", NULL };
    enum jr_status st;

    if (c->server == NULL || c->server[0] == '\0')
        return jr_fail(err, JR_INVALID, where, "server: not set");
    st = check_url(c->server, server_schemes, "server", true, where, err);
    if (st == JR_OK && c->proxy_url != NULL)
        st = check_url(c->proxy_url, proxy_schemes, "proxy-url", false, where, err);
    for (size_t n = strlen(c->server); st == JR_OK && n > 0 && c->server[n - 1] == '/'; n--)
        c->server[n - 1] = '\0';
    return st;
}

/* ---- credentials ---- */

bool jr_config_is_token(const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s <= ' ' || *s > '~')
            return false;
    }
    return true;
}

static enum jr_status check_credentials(const struct jr_kube_config *c, const char *where,
                                        struct jr_error *err)
{
    if (c->client_cert_pem != NULL && c->client_key_pem == NULL)
        return jr_fail(err, JR_INVALID, where,
                       "client-key: missing, there is a client-certificate");
    if (c->client_cert_pem == NULL && c->client_key_pem != NULL)
        return jr_fail(err, JR_INVALID, where,
                       "client-certificate: missing, there is a client-key");
    if (c->token != NULL && !jr_config_is_token(c->token))
        return jr_fail(err, JR_INVALID, where, "token: has characters that no token has");
    if ((c->token != NULL || c->token_file != NULL) && (c->username != NULL || c->password != NULL))
        return jr_fail(err, JR_INVALID, where,
                       "token: there is a username, too, and only one of both can be meant");
    if (c->password != NULL && c->username == NULL)
        return jr_fail(err, JR_INVALID, where, "username: missing, there is a password");
    if (c->token_file != NULL) {
        JR_CLOSE int fd = open(c->token_file, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
            return jr_fail_errno(err, errno, where, "tokenFile: opening %s", c->token_file);
    }
    return c->client_cert_pem == NULL
               ? JR_OK
               : jr_config_check_pair(c->client_cert_pem, c->client_key_pem, where, err);
}

enum jr_status jr_config_check(struct jr_kube_config *c, const char *where, struct jr_error *err)
{
    enum jr_status st = check_addresses(c, where, err);

    if (st == JR_OK && c->insecure && c->ca_pem != NULL)
        st = jr_fail(err, JR_INVALID, where,
                     "insecure-skip-tls-verify: there is a certificate-authority, too");
    if (st == JR_OK && c->ca_pem != NULL)
        st = jr_config_check_ca(c->ca_pem, where, err);
    return st == JR_OK ? check_credentials(c, where, err) : st;
}
