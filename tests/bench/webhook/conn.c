/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/webhook/conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/** Many connections from one address: the port is chosen with the connection, not before. */
static bool bind_to(int fd, in_addr_t from)
{
    const struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(from) };
    const int on = 1;

    if (from == INADDR_ANY)
        return true;
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    return bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;
}

bool conn_open(struct conn *c, SSL_CTX *ctx, uint16_t port, in_addr_t from)
{
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

    const int on = 1;

    c->ssl = NULL;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0)
        return false;
    /* As Go's clients have it; else the first request waits for a delayed acknowledgement. */
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (!bind_to(c->fd, from) ||
        (connect(c->fd, (const struct sockaddr *)&at, sizeof(at)) != 0 && errno != EINPROGRESS)) {
        conn_close(c);
        return false;
    }
    if (ctx == NULL)
        return true;
    c->ssl = SSL_new(ctx);
    if (c->ssl == NULL || SSL_set_fd(c->ssl, c->fd) != 1) {
        conn_close(c);
        return false;
    }
    SSL_set_connect_state(c->ssl);
    return true;
}

enum conn_io conn_look(const struct conn *c)
{
    struct pollfd p = { .fd = c->fd, .events = POLLRDHUP };

    return poll(&p, 1, 0) == 0 ? CONN_AGAIN : CONN_GONE;
}

static enum conn_io of_ssl(const struct conn *c, int result)
{
    int e = SSL_get_error(c->ssl, result);

    ERR_clear_error();
    return e == SSL_ERROR_WANT_READ || e == SSL_ERROR_WANT_WRITE ? CONN_AGAIN : CONN_GONE;
}

static enum conn_io of_errno(void)
{
    return errno == EAGAIN || errno == EINTR || errno == ENOTCONN ? CONN_AGAIN : CONN_GONE;
}

enum conn_io conn_shake(struct conn *c)
{
    struct sockaddr_in peer;
    socklen_t n = sizeof(peer);
    int result;

    /* Not connected: not yet, or no longer. */
    if (getpeername(c->fd, (struct sockaddr *)&peer, &n) != 0)
        return errno == ENOTCONN ? conn_look(c) : CONN_GONE;
    if (c->ssl == NULL)
        return CONN_OK;
    result = SSL_do_handshake(c->ssl);
    return result == 1 ? CONN_OK : of_ssl(c, result);
}

enum conn_io conn_write(struct conn *c, const char *p, size_t n, size_t *ret_n)
{
    ssize_t sent;
    int result;

    if (c->ssl != NULL) {
        result = SSL_write_ex(c->ssl, p, n, ret_n);
        return result == 1 ? CONN_OK : of_ssl(c, result);
    }
    sent = send(c->fd, p, n, MSG_NOSIGNAL);
    if (sent < 0)
        return of_errno();
    *ret_n = (size_t)sent;
    return CONN_OK;
}

enum conn_io conn_read(struct conn *c, char *p, size_t n, size_t *ret_n)
{
    int result = SSL_read_ex(c->ssl, p, n, ret_n);

    return result == 1 ? CONN_OK : of_ssl(c, result);
}

enum conn_io conn_drain(const struct conn *c)
{
    char buf[4096];
    ssize_t n;

    do {
        n = recv(c->fd, buf, sizeof(buf), 0);
    } while (n > 0);
    return n == 0 ? CONN_GONE : of_errno();
}

void conn_close(struct conn *c)
{
    SSL_free(c->ssl);
    c->ssl = NULL;
    if (c->fd >= 0)
        (void)close(c->fd);
    c->fd = -1;
}

size_t conn_hello(SSL_CTX *ctx, unsigned char *out, size_t max)
{
    SSL *ssl = SSL_new(ctx);
    BIO *in = BIO_new(BIO_s_mem()), *said = BIO_new(BIO_s_mem());
    size_t n = 0;

    if (ssl == NULL || in == NULL || said == NULL) {
        SSL_free(ssl);
        BIO_free(in);
        BIO_free(said);
        return 0;
    }
    SSL_set_bio(ssl, in, said); /* they are its own from here on */
    SSL_set_connect_state(ssl);
    (void)SSL_do_handshake(ssl);
    if (BIO_read_ex(said, out, max, &n) != 1)
        n = 0;
    SSL_free(ssl);
    ERR_clear_error();
    return n;
}

SSL_CTX *conn_context(const char *ca_file, const char *cert_file, const char *key_file)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

    if (ctx == NULL || SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) != 1 ||
        SSL_CTX_load_verify_locations(ctx, ca_file, NULL) != 1) {
        (void)fprintf(stderr, "bench-webhook: %s: no certificates to trust\n", ca_file);
        SSL_CTX_free(ctx);
        return NULL;
    }
    if (cert_file != NULL &&
        (key_file == NULL || SSL_CTX_use_certificate_chain_file(ctx, cert_file) != 1 ||
         SSL_CTX_use_PrivateKey_file(ctx, key_file, SSL_FILETYPE_PEM) != 1)) {
        (void)fprintf(stderr, "bench-webhook: %s: no certificate with its key\n", cert_file);
        SSL_CTX_free(ctx);
        return NULL;
    }
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    (void)SSL_CTX_set_mode(ctx,
                           SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return ctx;
}
