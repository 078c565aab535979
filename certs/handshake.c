/* SPDX-License-Identifier: Apache-2.0 */
/* TLS handshakes on the event loop, each up to where the certificate is shown. */
#include "certs/handshake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "certs/ossl.h"
#include "common/base/memory.h"

#include <openssl/ssl.h>

struct jr_tls_asker {
    struct jr_loop *loop;
    SSL_CTX *ctx;
    char *name;
    int64_t timeout_ns;
};

struct jr_handshake {
    struct jr_tls_asker *asker;
    struct jr_handshake_handler h;
    int fd;
    SSL *ssl;
    char *chain_pem; /* once it was shown */
    struct jr_loop_fd *watch;
    struct jr_timer *timer;
};

/* ---- the end of one ---- */

static void free_handshake(struct jr_handshake *s)
{
    jr_timer_cancel(s->asker->loop, &s->timer);
    jr_loop_fd_cancel(s->asker->loop, &s->watch);
    SSL_free(s->ssl);
    if (s->fd >= 0)
        (void)close(s->fd);
    free(s->chain_pem);
    free(s);
}

/** What was shown counts, even if the server goes on to ask for a certificate of ours. */
static void end_handshake(struct jr_handshake *s, enum jr_status st, const char *why)
{
    const struct jr_handshake_handler h = s->h;
    JR_FREE char *chain = jr_steal(&s->chain_pem);
    struct jr_error err = { .status = JR_OK };

    free_handshake(s);
    if (chain == NULL)
        (void)jr_fail(&err, st, NULL, "%s", why);
    h.on_done(h.ctx, chain, chain == NULL ? &err : NULL);
}

static void on_timeout(void *ctx)
{
    struct jr_handshake *s = ctx;

    s->timer = NULL;
    end_handshake(s, JR_TIMEOUT, "no TLS handshake in time");
}

/* ---- what is shown ---- */

static bool add_pem(BIO *bio, X509 *cert)
{
    return cert == NULL || PEM_write_bio_X509(bio, cert) == 1;
}

/** Keeps the chain and accepts it, whatever it is: the caller verifies it. */
static int on_chain(X509_STORE_CTX *store, void *arg)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct jr_handshake *s = ssl == NULL ? NULL : SSL_get_app_data(ssl);
    STACK_OF(X509) *rest = X509_STORE_CTX_get0_untrusted(store);
    MEM_BIO *bio = jr_bio_new();
    X509 *leaf = X509_STORE_CTX_get0_cert(store);
    bool ok = s != NULL && leaf != NULL && add_pem(bio, leaf);

    (void)arg;
    for (int i = 0; ok && i < sk_X509_num(rest); i++) {
        if (X509_cmp(sk_X509_value(rest, i), leaf) != 0)
            ok = add_pem(bio, sk_X509_value(rest, i));
    }
    if (!ok)
        return 0;
    free(s->chain_pem);
    s->chain_pem = jr_bio_text(bio);
    return 1;
}

/** Goes on as far as it goes without waiting. */
static void continue_handshake(struct jr_handshake *s)
{
    const int n = SSL_connect(s->ssl);
    const int why = n == 1 ? SSL_ERROR_NONE : SSL_get_error(s->ssl, n);

    ERR_clear_error();
    if (n != 1 && (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)) {
        if (jr_loop_fd_change(s->asker->loop, s->watch,
                              why == SSL_ERROR_WANT_READ ? JR_LOOP_READ : JR_LOOP_WRITE) != JR_OK)
            end_handshake(s, JR_IO, "the connection can't be watched");
        return;
    }
    end_handshake(s, JR_IO, "no TLS handshake");
}

static void on_ready(void *ctx, int fd, unsigned events)
{
    struct jr_handshake *s = ctx;
    int code = 0;
    socklen_t n = sizeof(code);

    (void)events;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &n) != 0 || code != 0) {
        end_handshake(s, JR_IO, code == ECONNREFUSED ? "connection refused" : "no connection");
        return;
    }
    continue_handshake(s);
}

/* ---- the beginning ---- */

static enum jr_status address_of(const char *address, unsigned port, struct sockaddr_storage *ret,
                                 socklen_t *ret_n)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

    *ret = (struct sockaddr_storage){ 0 };
    if (port == 0 || port > UINT16_MAX)
        return JR_INVALID;
    if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        *ret_n = sizeof(*v4);
        return JR_OK;
    }
    if (inet_pton(AF_INET6, address, &v6->sin6_addr) != 1)
        return JR_INVALID;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons((uint16_t)port);
    *ret_n = sizeof(*v6);
    return JR_OK;
}

static enum jr_status connect_to(struct jr_handshake *s, const char *address, unsigned port,
                                 struct jr_error *err)
{
    struct sockaddr_storage to;
    socklen_t n;

    if (address_of(address, port, &to, &n) != JR_OK)
        return jr_fail(err, JR_INVALID, NULL, "expected an IP address and a port, not \"%s\" %u",
                       address, port);
    s->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->fd < 0)
        return jr_fail_errno(err, errno, NULL, "socket");
    if (connect(s->fd, (const struct sockaddr *)&to, n) != 0 && errno != EINPROGRESS)
        return jr_fail_errno(err, errno, NULL, "connect");
    return JR_OK;
}

static void prepare_tls(struct jr_handshake *s)
{
    s->ssl = jr_must_have(SSL_new(s->asker->ctx));
    if (SSL_set_fd(s->ssl, s->fd) != 1 || SSL_set_tlsext_host_name(s->ssl, s->asker->name) != 1)
        jr_out_of_memory();
    SSL_set_app_data(s->ssl, s);
}

static enum jr_status start_handshake(void *self, const char *address, unsigned port,
                                      const struct jr_handshake_handler *h,
                                      struct jr_handshake **ret, struct jr_error *err)
{
    struct jr_tls_asker *a = self;
    struct jr_handshake *s = jr_xcalloc(1, sizeof(*s));
    enum jr_status st;

    *s = (struct jr_handshake){ .asker = a, .h = *h, .fd = -1 };
    st = connect_to(s, address, port, err);
    if (st == JR_OK)
        st = jr_need(jr_loop_fd_add(a->loop, s->fd, JR_LOOP_WRITE, on_ready, s, &s->watch, err));
    if (st != JR_OK) {
        free_handshake(s);
        return st;
    }
    prepare_tls(s);
    jr_xloop_after(a->loop, a->timeout_ns, on_timeout, s, &s->timer);
    *ret = s;
    return JR_OK;
}

static void cancel_handshake(void *self, struct jr_handshake **h)
{
    (void)self;
    if (*h != NULL)
        free_handshake(jr_steal(h));
}

struct jr_tls_asker *jr_tls_asker_new(struct jr_loop *loop, const char *name, int64_t timeout_ns)
{
    struct jr_tls_asker *a = jr_xcalloc(1, sizeof(*a));

    a->loop = loop;
    a->timeout_ns = timeout_ns;
    a->name = jr_xstrdup(name);
    a->ctx = jr_must_have(SSL_CTX_new(TLS_client_method()));
    if (SSL_CTX_set_min_proto_version(a->ctx, TLS1_2_VERSION) != 1)
        jr_out_of_memory();
    SSL_CTX_set_verify(a->ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(a->ctx, on_chain, NULL);
    return a;
}

void jr_tls_asker_free(struct jr_tls_asker *a)
{
    if (a == NULL)
        return;
    SSL_CTX_free(a->ctx);
    free(a->name);
    free(a);
}

struct jr_handshaker jr_tls_asker_handshaker(struct jr_tls_asker *a)
{
    return (struct jr_handshaker){ start_handshake, cancel_handshake, a };
}
