/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/https_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "common/base/buf.h"
#include "tests/unit/kube/kube_test.h"
#include "tests/unit/kube/pem.h"

#define CONNECTIONS_MAX 256
#define POLL_MS 20 /* how soon a thread notices that the server stops */

struct connection {
    struct https_server *server;
    pthread_t thread;
    int fd;
};

struct https_server {
    SSL_CTX *ctx;
    int fd;
    int port;
    char *ca, *client_cert, *client_key;
    pthread_t thread;
    atomic_bool stopping;
    atomic_int n, requests, go;
    pthread_mutex_t lock;
    char token[64];
    struct connection connections[CONNECTIONS_MAX];
};

int server_bind(const char *address, int port, int *ret_port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    socklen_t n = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(inet_pton(AF_INET, address, &a.sin_addr), 1);
    if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0) {
        (void)close(fd);
        return -1;
    }
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    if (ret_port != NULL)
        *ret_port = ntohs(a.sin_port);
    return fd;
}

/* ---- one connection: no assertions here, cmocka knows only its own thread ---- */

/** Waits until fd can be read; false when the server stops. */
static bool readable(struct https_server *s, SSL *ssl, int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    if (ssl != NULL && SSL_pending(ssl) > 0)
        return true;
    while (!atomic_load(&s->stopping)) {
        if (poll(&p, 1, POLL_MS) > 0)
            return true;
    }
    return false;
}

/** Waits for nothing but the server's end, or the peer's. */
static void idle(struct https_server *s, SSL *ssl, int fd)
{
    char byte;

    while (readable(s, ssl, fd)) {
        if (SSL_read(ssl, &byte, 1) <= 0)
            return;
    }
}

static bool say(SSL *ssl, struct jr_str text)
{
    size_t done;

    return text.n == 0 || SSL_write_ex(ssl, text.p, text.n, &done) == 1;
}

static struct jr_str header(struct jr_str head, const char *name)
{
    struct jr_str line, rest = head;

    while (jr_str_cut(&rest, '\n', &line)) {
        if (line.n > strlen(name) && strncasecmp(line.p, name, strlen(name)) == 0 &&
            line.p[strlen(name)] == ':')
            return jr_str_trim(jr_str_from(line, strlen(name) + 1));
    }
    return JR_S("");
}

static size_t number(struct jr_str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
        n = n * 10 + (size_t)(s.p[i] - '0');
    return n;
}

/** Reads head and body; false at the connection's end. */
static bool read_request(struct https_server *s, SSL *ssl, int fd, struct jr_buf *ret,
                         struct jr_str *ret_head, struct jr_str *ret_body)
{
    char part[16384];
    const char *end = NULL;
    size_t want = SIZE_MAX;

    jr_buf_reset(ret);
    while (ret->n < want) {
        size_t n;

        if (!readable(s, ssl, fd) || SSL_read_ex(ssl, part, sizeof(part), &n) != 1 ||
            jr_buf_add(ret, (struct jr_str){ part, n }) != JR_OK)
            return false;
        if (want == SIZE_MAX && (end = memmem(ret->p, ret->n, "\r\n\r\n", 4)) != NULL)
            want = (size_t)(end - ret->p) + 4 +
                   number(header(jr_str_head(jr_buf_str(ret), (size_t)(end - ret->p)),
                                 "Content-Length"));
    }
    end = memmem(ret->p, ret->n, "\r\n\r\n", 4);
    *ret_head = jr_str_head(jr_buf_str(ret), (size_t)(end - ret->p));
    *ret_body = jr_str_from(jr_buf_str(ret), (size_t)(end - ret->p) + 4);
    return true;
}

static bool answer(SSL *ssl, int status, const char *headers, struct jr_str body)
{
    struct jr_buf out;
    bool ok;

    jr_buf_init(&out, SIZE_MAX);
    (void)jr_buf_addf(&out, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n%s\r\n", status, body.n,
                      headers);
    (void)jr_buf_add(&out, body);
    ok = say(ssl, jr_buf_str(&out));
    jr_buf_done(&out);
    return ok;
}

static bool tell(SSL *ssl, struct jr_str head, struct jr_str body)
{
    struct jr_buf out;
    struct jr_str line = head;
    bool ok;

    jr_buf_init(&out, SIZE_MAX);
    (void)jr_str_cut(&head, '\n', &line);
    (void)jr_buf_addf(
        &out, "line=%.*s;host=%.*s;accept=%.*s;type=%.*s;agent=%.*s;auth=%.*s;expect=%.*s;body=",
        JR_P(jr_str_trim(line)), JR_P(header(head, "Host")), JR_P(header(head, "Accept")),
        JR_P(header(head, "Content-Type")), JR_P(header(head, "User-Agent")),
        JR_P(header(head, "Authorization")), JR_P(header(head, "Expect")));
    (void)jr_buf_add(&out, jr_str_head(body, 64));
    (void)jr_buf_addf(&out, ";n=%zu", body.n);
    ok = answer(ssl, 200, "", jr_buf_str(&out));
    jr_buf_done(&out);
    return ok;
}

static bool authorize(struct https_server *s, SSL *ssl, struct jr_str head)
{
    char want[96];
    bool ok;

    (void)pthread_mutex_lock(&s->lock);
    (void)snprintf(want, sizeof(want), "Bearer %s", s->token);
    (void)pthread_mutex_unlock(&s->lock);
    ok = jr_str_is(header(head, "Authorization"), want);
    return answer(ssl, ok ? 200 : 401, "", JR_S("{}"));
}

static bool wait_go(struct https_server *s)
{
    while (!atomic_load(&s->stopping)) {
        int n = atomic_load(&s->go);

        if (n > 0 && atomic_compare_exchange_strong(&s->go, &n, n - 1))
            return true;
        (void)poll(NULL, 0, POLL_MS);
    }
    return false;
}

static bool stream(struct https_server *s, SSL *ssl)
{
    return say(ssl, JR_S("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n")) &&
           wait_go(s) && say(ssl, JR_S("4\r\ntwo\n\r\n")) && wait_go(s) &&
           say(ssl, JR_S("0\r\n\r\n"));
}

static bool trickle(SSL *ssl)
{
    if (!say(ssl, JR_S("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")))
        return false;
    for (int i = 0; i < 60; i++) {
        if (!say(ssl, JR_S("2\r\na\n\r\n")))
            return false;
        (void)poll(NULL, 0, 1);
    }
    return say(ssl, JR_S("0\r\n\r\n"));
}

static bool drip_head(const struct https_server *s, SSL *ssl)
{
    if (!say(ssl, JR_S("HTTP/1.1 200 OK\r\n")))
        return false;
    for (int i = 0; i < 1000 && !atomic_load(&s->stopping); i++) {
        if (!say(ssl, JR_S("X: a\r\n")))
            return false;
        (void)poll(NULL, 0, 10);
    }
    return false;
}

static bool big(SSL *ssl)
{
    static const char zeros[65536];

    if (!say(ssl, JR_S("HTTP/1.1 200 OK\r\nContent-Length: 20971520\r\n\r\n")))
        return false;
    for (int i = 0; i < 320; i++) {
        if (!say(ssl, (struct jr_str){ zeros, sizeof(zeros) }))
            return false;
    }
    return true;
}

/** Does what the path says; false ends the connection. */
static bool serve(struct https_server *s, SSL *ssl, int fd, struct jr_str head, struct jr_str body)
{
    struct jr_str rest = head, method, path;

    (void)jr_str_cut(&rest, ' ', &method);
    (void)jr_str_cut(&rest, ' ', &path);
    if (jr_str_starts(path, JR_S("/prefix")))
        path = jr_str_from(path, strlen("/prefix"));
    if (jr_str_starts(path, JR_S("/ok")))
        return tell(ssl, head, body);
    if (jr_str_starts(path, JR_S("/code/")))
        return answer(ssl, (int)number(jr_str_from(path, 6)), "Retry-After: 7\r\n",
                      JR_S("{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"m\"}"));
    if (jr_str_is(path, "/redirect"))
        return answer(ssl, 302, "Location: /ok\r\n", JR_S(""));
    if (jr_str_is(path, "/auth"))
        return authorize(s, ssl, head);
    if (jr_str_is(path, "/stream"))
        return stream(s, ssl);
    if (jr_str_is(path, "/trickle"))
        return trickle(ssl);
    if (jr_str_is(path, "/head"))
        return drip_head(s, ssl);
    if (jr_str_is(path, "/half"))
        return say(ssl, JR_S("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")) && false;
    if (jr_str_is(path, "/hang"))
        (void)say(ssl, JR_S("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n"));
    if (jr_str_is(path, "/hang") || jr_str_is(path, "/silent"))
        idle(s, ssl, fd);
    if (jr_str_is(path, "/big"))
        return big(ssl);
    return false;
}

static void *run_connection(void *ctx)
{
    struct connection *c = ctx;
    struct https_server *s = c->server;
    SSL *ssl = SSL_new(s->ctx);
    struct jr_buf request;
    struct jr_str head, body;

    jr_buf_init(&request, SIZE_MAX);
    if (ssl != NULL && SSL_set_fd(ssl, c->fd) == 1 && readable(s, NULL, c->fd) &&
        SSL_accept(ssl) == 1) {
        while (read_request(s, ssl, c->fd, &request, &head, &body)) {
            (void)atomic_fetch_add(&s->requests, 1);
            if (!serve(s, ssl, c->fd, head, body))
                break;
        }
    }
    jr_buf_done(&request);
    SSL_free(ssl);
    (void)shutdown(c->fd, SHUT_RDWR);
    (void)close(c->fd);
    ERR_clear_error();
    return NULL;
}

static void *run_server(void *ctx)
{
    struct https_server *s = ctx;

    while (readable(s, NULL, s->fd)) {
        int n = atomic_load(&s->n);
        struct connection *c = &s->connections[n];

        c->server = s;
        c->fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (c->fd < 0 || n == CONNECTIONS_MAX - 1)
            break;
        atomic_store(&s->n, n + 1); /* before any answer: who has one may ask for the number */
        if (pthread_create(&c->thread, NULL, run_connection, c) != 0) {
            atomic_store(&s->n, n);
            break;
        }
    }
    return NULL;
}

/* ---- the server ---- */

struct https_server *server_start(bool named_only, bool client_certs)
{
    return server_start_on(server_bind("127.0.0.1", 0, NULL), named_only, client_certs);
}

struct https_server *server_start_on(int fd, bool named_only, bool client_certs)
{
    struct https_server *s = calloc(1, sizeof(*s));
    struct sockaddr_in a = { 0 };
    socklen_t n = sizeof(a);
    struct pem_set pems;

    assert_non_null(s);
    assert_true(fd >= 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    s->fd = fd;
    s->port = ntohs(a.sin_port);
    pem_make(&pems, named_only ? "DNS:api.test" : "DNS:api.test,IP:127.0.0.1");
    s->ctx = SSL_CTX_new(TLS_server_method());
    assert_non_null(s->ctx);
    assert_int_equal(SSL_CTX_use_certificate(s->ctx, pems.server), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(s->ctx, pems.server_key), 1);
    if (client_certs) {
        assert_int_equal(X509_STORE_add_cert(SSL_CTX_get_cert_store(s->ctx), pems.ca), 1);
        SSL_CTX_set_verify(s->ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        /* In 1.3 a client learns too late that it was not welcome. */
        assert_int_equal(SSL_CTX_set_max_proto_version(s->ctx, TLS1_2_VERSION), 1);
    }
    s->ca = pem_cert_text(pems.ca);
    s->client_cert = pem_cert_text(pems.client);
    s->client_key = pem_key_text(pems.client_key);
    pem_done(&pems);
    assert_int_equal(pthread_mutex_init(&s->lock, NULL), 0);
    assert_int_equal(pthread_create(&s->thread, NULL, run_server, s), 0);
    return s;
}

void server_stop(struct https_server *s)
{
    atomic_store(&s->stopping, true);
    (void)pthread_join(s->thread, NULL);
    for (int i = 0; i < atomic_load(&s->n); i++)
        (void)pthread_join(s->connections[i].thread, NULL);
    (void)close(s->fd);
    (void)pthread_mutex_destroy(&s->lock);
    SSL_CTX_free(s->ctx);
    free(s->ca);
    free(s->client_cert);
    free(s->client_key);
    free(s);
}

int server_socket(const struct https_server *s)
{
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);

    assert_true(fd >= 0);
    return fd;
}

int server_port(const struct https_server *s)
{
    return s->port;
}

const char *server_ca(const struct https_server *s)
{
    return s->ca;
}

const char *server_client_cert(const struct https_server *s)
{
    return s->client_cert;
}

const char *server_client_key(const struct https_server *s)
{
    return s->client_key;
}

void server_go(struct https_server *s)
{
    (void)atomic_fetch_add(&s->go, 1);
}

void server_token(struct https_server *s, const char *token)
{
    (void)pthread_mutex_lock(&s->lock);
    (void)snprintf(s->token, sizeof(s->token), "%s", token);
    (void)pthread_mutex_unlock(&s->lock);
}

int server_connections(struct https_server *s)
{
    return atomic_load(&s->n);
}

int server_requests(struct https_server *s)
{
    return atomic_load(&s->requests);
}
