/* SPDX-License-Identifier: Apache-2.0 */
/* Where the curl transport goes: the server's address, TLS, proxy, credentials. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>

#include "common/curl/config_parts.h"
#include "common/curl/curl_parts.h"
#ifdef JR_STATIC
#include "common/curl/static.h"
#endif

#define KEEPALIVE_IDLE_S 15L
#define KEEPALIVE_INTERVAL_S 10L
/* Bytes that the peer doesn't acknowledge for so long end the connection. */
#define USER_TIMEOUT_MS 30000u
/* Each handle keeps such a buffer from its first body on; bodies are small, and handles many. */
#define UPLOAD_BYTES 16384L
/* Of what is received. libcurl fills up to a hundred times that at a time: of a stream, what can be
 * worked off in some milliseconds. */
#define BUFFER_BYTES 8192L
#define TOKEN_AGE_NS (60 * JR_SEC)
#define TOKEN_MAX ((size_t)64 << 10)

static char *url_part(CURLU *u, CURLUPart part, unsigned flags)
{
    char *s = NULL;

    return curl_url_get(u, part, &s, flags) == CURLUE_OK ? s : NULL;
}

/** localhost, 127.0.0.0/8 and ::1: a proxy of the environment is never meant for these. */
static bool is_loopback(const char *host)
{
    struct in_addr a;

    if (strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
        return true;
    return inet_pton(AF_INET, host, &a) == 1 && (ntohl(a.s_addr) >> 24) == 127;
}

static void set_proxy(struct curl_target *t, const char *url, const char *host)
{
    const bool socks = url != NULL && jr_str_starts(jr_str(url), JR_S("socks5://"));

    if (socks) /* as in Go, the proxy resolves the server's name */
        t->proxy = jr_xasprintf("socks5h%s", url + strlen("socks5"));
    else if (url != NULL || is_loopback(host))
        t->proxy = jr_xstrdup(url == NULL ? "" : url);
}

/** Where the certificate carries another name than the server's address, requests are made for that
 * name, and connections go to the address all the same. */
static void set_server_name(struct curl_target *t, CURLU *u, const char *name, const char *host,
                            const char *port)
{
    JR_FREE char *to = jr_xasprintf("::%s:%s", host, port);
    JR_CLEANUP(curl_freep) char *scheme = jr_must_have(url_part(u, CURLUPART_SCHEME, 0));
    JR_CLEANUP(curl_freep) char *path = jr_must_have(url_part(u, CURLUPART_PATH, 0));

    t->connect_to = jr_must_have(curl_slist_append(NULL, to));
    t->host_header = jr_xasprintf("Host: %s:%s", host, port);
    free(t->base);
    t->base = jr_xasprintf("%s://%s:%s%s", scheme, name, port, strcmp(path, "/") == 0 ? "" : path);
}

static enum jr_status set_address(struct curl_target *t, const struct jr_kube_config *c,
                                  struct jr_error *err)
{
    JR_CLEANUP(curl_url_cleanupp) CURLU *u = jr_must_have(curl_url());
    JR_CLEANUP(curl_freep) char *host = NULL;
    JR_CLEANUP(curl_freep) char *port = NULL;

    if (c->server == NULL || curl_url_set(u, CURLUPART_URL, c->server, 0) != CURLUE_OK)
        return jr_fail(err, JR_INVALID, "server", "\"%s\" is no URL",
                       c->server == NULL ? "" : c->server);
    host = url_part(u, CURLUPART_HOST, 0);
    port = url_part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (host == NULL || port == NULL)
        return jr_fail(err, JR_INVALID, "server", "\"%s\" has no host", c->server);
    set_proxy(t, c->proxy_url, host);
    if (c->tls_server_name != NULL)
        set_server_name(t, u, c->tls_server_name, host, port);
    return JR_OK;
}

enum jr_status jr_curl_target_init(struct curl_target *t, const struct jr_kube_config *c,
                                   const char *user_agent, struct jr_error *err)
{
    t->insecure = c->insecure;
    t->base = jr_xstrdup(c->server);
    t->server = jr_xstrdup(c->server);
    t->username = jr_xstrdup(c->username);
    t->password = jr_xstrdup(c->password);
    t->user_agent = jr_xstrdup(user_agent);
    for (size_t i = 0; i < c->n_impersonate; i++)
        t->impersonate = jr_must_have(curl_slist_append(t->impersonate, c->impersonate[i]));
    return set_address(t, c, err);
}

void jr_curl_target_done(struct curl_target *t)
{
    free(t->base);
    free(t->host_header);
    curl_slist_free_all(t->connect_to);
    curl_slist_free_all(t->impersonate);
    free(t->server);
    free(t->proxy);
    free(t->username);
    jr_config_wipe(&t->password);
    free(t->user_agent);
    *t = (struct curl_target){ 0 };
}

static int on_sockopt(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    unsigned ms = USER_TIMEOUT_MS;

    (void)ctx;
    if (purpose == CURLSOCKTYPE_IPCXN) /* only makes a dead peer known sooner: no reason to fail */
        (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
    return CURL_SOCKOPT_OK;
}

static bool set_blob(CURL *easy, CURLoption option, char *pem)
{
    struct curl_blob b = { .flags = CURL_BLOB_NOCOPY };

    if (pem == NULL)
        return true;
    b.data = pem;
    b.len = strlen(pem);
    return curl_easy_setopt(easy, option, &b) == CURLE_OK;
}

static bool apply_tls(const struct curl_target *t, const struct curl_certs *certs, CURL *easy)
{
    bool ok = true;

    ok &= curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, t->insecure ? 0L : 1L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, t->insecure ? 0L : 2L) == CURLE_OK;
    ok &= set_blob(easy, CURLOPT_CAINFO_BLOB, certs->ca);
    ok &= set_blob(easy, CURLOPT_SSLCERT_BLOB, certs->cert);
    ok &= set_blob(easy, CURLOPT_SSLKEY_BLOB, certs->key);
#ifdef JR_STATIC
    const char *authorities = certs->ca == NULL ? jr_static_authorities() : NULL;

    if (authorities != NULL)
        ok &= curl_easy_setopt(easy, CURLOPT_CAINFO, authorities) == CURLE_OK;
#endif
    if (certs->ca != NULL) /* this one and no other: not what the system trusts as well */
        ok &= curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
    return ok;
}

static bool apply_connection(const struct curl_target *t, CURL *easy)
{
    bool ok = true;

    ok &= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK; /* no ".." is undone */
    /* The server's name may stand for several API servers, and for others tomorrow: each connection
     * asks anew, and begins with any of them, so that they share the load and a dead one isn't
     * always the first. */
    ok &= curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BYTES) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, BUFFER_BYTES) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_IDLE_S) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_sockopt) == CURLE_OK;
    if (t->connect_to != NULL)
        ok &= curl_easy_setopt(easy, CURLOPT_CONNECT_TO, t->connect_to) == CURLE_OK;
    if (t->proxy != NULL)
        ok &= curl_easy_setopt(easy, CURLOPT_PROXY, t->proxy) == CURLE_OK;
    /* By default libcurl offers GSSAPI too, which Go doesn't. */
    ok &= curl_easy_setopt(easy, CURLOPT_SOCKS5_AUTH, (long)CURLAUTH_BASIC) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_USERAGENT, t->user_agent) == CURLE_OK;
    if (t->username != NULL) {
        ok &= curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) == CURLE_OK;
        ok &= curl_easy_setopt(easy, CURLOPT_USERNAME, t->username) == CURLE_OK;
        ok &= curl_easy_setopt(easy, CURLOPT_PASSWORD, t->password == NULL ? "" : t->password) ==
              CURLE_OK;
    }
    return ok;
}

enum jr_status jr_curl_target_apply(const struct curl_target *t, const struct curl_certs *certs,
                                    CURL *easy, struct jr_error *err)
{
    if (!apply_connection(t, easy) || !apply_tls(t, certs, easy))
        return jr_fail(err, JR_UNSUPPORTED, NULL, "libcurl %s lacks an option", curl_version());
    return JR_OK;
}

/** A token is one word of visible characters; anything else would break out of its header. */
static bool is_token(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] <= ' ' || s.p[i] > '~')
            return false;
    }
    return s.n > 0;
}

static enum jr_status read_token(const char *file, char **ret, struct jr_error *err)
{
    JR_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    struct jr_str token;
    ssize_t n;
    enum jr_status st = JR_OK;

    if (fd < 0)
        return jr_fail_errno(err, errno, file, "opening the token");
    text = jr_xcalloc(1, TOKEN_MAX + 1);
    n = read(fd, text, TOKEN_MAX);
    if (n < 0)
        st = jr_fail_errno(err, errno, file, "reading the token");
    token = jr_str_trim((struct jr_str){ text, n < 0 ? 0 : (size_t)n });
    if (st == JR_OK && ((size_t)n == TOKEN_MAX || !is_token(token)))
        st = jr_fail(err, JR_INVALID, file, "holds no token");
    if (st == JR_OK)
        *ret = jr_xstrndup(token);
    OPENSSL_cleanse(text, TOKEN_MAX);
    free(text);
    return st;
}

enum jr_status jr_curl_token_init(struct curl_token *k, const struct jr_kube_config *c,
                                  struct jr_mono now, struct jr_error *err)
{
    enum jr_status st = JR_OK;

    k->file = jr_xstrdup(c->token_file);
    k->read_at = now;
    if (k->file != NULL)
        st = read_token(k->file, &k->text, err);
    if (k->text != NULL || c->token == NULL) /* the file's comes first */
        return st;
    if (!is_token(jr_str(c->token)))
        return jr_fail(err, JR_INVALID, "token", "is no token");
    k->text = jr_xstrdup(c->token);
    return JR_OK;
}

void jr_curl_token_refresh(struct curl_token *k, struct jr_log *log, struct jr_mono now)
{
    struct jr_error err = { 0 };
    char *text = NULL;

    if (k->file == NULL || (!k->stale && now.ns - k->read_at.ns < TOKEN_AGE_NS))
        return;
    k->stale = false;
    k->read_at = now;
    if (read_token(k->file, &text, &err) != JR_OK) {
        /* A file that is being replaced; the old token may still do, and the server says if not. */
        if (!k->bad)
            jr_warn(log, "token not read again, the old one stays", JR_ERR(&err));
        k->bad = true;
        return;
    }
    k->bad = false;
    jr_config_wipe(&k->text);
    k->text = text;
}

void jr_curl_token_done(struct curl_token *k)
{
    jr_config_wipe(&k->text);
    free(k->file);
    k->file = NULL;
}
