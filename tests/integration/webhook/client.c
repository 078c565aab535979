/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/webhook/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <curl/curl.h>

/* ---- libcurl ---- */

struct text {
    char *p;
    size_t n;
};

static size_t collect(char *p, size_t size, size_t n, void *ctx)
{
    struct text *t = ctx;
    char *more = realloc(t->p, t->n + size * n + 1);

    if (more == NULL)
        return 0;
    memcpy(more + t->n, p, size * n);
    t->p = more;
    t->n += size * n;
    t->p[t->n] = 0;
    return size * n;
}

struct upload {
    const char *p;
    size_t n;
};

static size_t give(char *p, size_t size, size_t n, void *ctx)
{
    struct upload *u = ctx;
    size_t take = size * n < u->n ? size * n : u->n;

    memcpy(p, u->p, take);
    u->p += take;
    u->n -= take;
    return take;
}

static struct curl_slist *headers_of(const struct ask_http *a)
{
    char type[256];
    struct curl_slist *l = NULL;

    if (a->content_type != NULL && a->content_type[0] == 0)
        (void)snprintf(type, sizeof(type), "Content-Type:");
    else
        (void)snprintf(type, sizeof(type), "Content-Type: %s",
                       a->content_type == NULL ? "application/json" : a->content_type);
    l = curl_slist_append(l, type);
    if (a->header == NULL || strncasecmp(a->header, "expect:", 7) != 0)
        l = curl_slist_append(l, "Expect:"); /* curl would wait for a go-ahead before long bodies */
    if (a->chunked)
        l = curl_slist_append(l, "Transfer-Encoding: chunked");
    if (a->header != NULL)
        l = curl_slist_append(l, a->header);
    return l;
}

static void set_body(CURL *c, const struct ask_http *a, struct upload *u)
{
    if (a->body != NULL) {
        (void)curl_easy_setopt(c, CURLOPT_POST, 1L);
        if (a->chunked) {
            (void)curl_easy_setopt(c, CURLOPT_READFUNCTION, give);
            (void)curl_easy_setopt(c, CURLOPT_READDATA, u);
        } else {
            (void)curl_easy_setopt(c, CURLOPT_POSTFIELDS, u->p);
            (void)curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)u->n);
        }
    }
    if (a->method != NULL) {
        (void)curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, a->method);
        (void)curl_easy_setopt(c, CURLOPT_NOBODY, strcmp(a->method, "HEAD") == 0 ? 1L : 0L);
    }
}

static void fetch(CURL *c, struct reply *ret)
{
    struct text body = { NULL, 0 }, headers = { NULL, 0 };

    memset(ret, 0, sizeof(*ret));
    (void)curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, collect);
    (void)curl_easy_setopt(c, CURLOPT_WRITEDATA, &body);
    (void)curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, collect);
    (void)curl_easy_setopt(c, CURLOPT_HEADERDATA, &headers);
    (void)curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)PATIENCE_S);
    (void)curl_easy_setopt(c, CURLOPT_EXPECT_100_TIMEOUT_MS, PATIENCE_S * 1000L);
    (void)curl_easy_perform(c); /* an upload that was cut off may still have an answer */
    (void)curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &ret->status);
    ret->body = body.p == NULL ? strdup("") : body.p;
    ret->headers = headers.p == NULL ? strdup("") : headers.p;
    ret->closed = strcasestr(ret->headers, "\nconnection: close") != NULL;
}

void http_ask(const struct process *p, const struct ask_http *a, struct reply *ret)
{
    CURL *c = curl_easy_init();
    struct curl_slist *headers = headers_of(a);
    struct upload u = { a->body, a->n };
    char url[512];

    if (u.n == 0 && a->body != NULL)
        u.n = strlen(a->body);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%d%s", p->port, a->path);
    (void)curl_easy_setopt(c, CURLOPT_URL, url);
    (void)curl_easy_setopt(c, CURLOPT_CAINFO, p->pki.cert);
    (void)curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    set_body(c, a, &u);
    fetch(c, ret);
    curl_slist_free_all(headers);
    curl_easy_cleanup(c);
}

void http_get(int port, const char *path, struct reply *ret)
{
    CURL *c = curl_easy_init();
    char url[512];

    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, path);
    (void)curl_easy_setopt(c, CURLOPT_URL, url);
    fetch(c, ret);
    curl_easy_cleanup(c);
}

void reply_done(struct reply *r)
{
    free(r->body);
    free(r->headers);
    r->body = r->headers = NULL;
}

double metric(const struct process *p, const char *series)
{
    struct reply r;
    size_t n = strlen(series);
    double v = -1;

    http_get(p->metrics_port, "/metrics", &r);
    for (const char *line = r.body; line != NULL && *line != 0; line = strchr(line, '\n')) {
        if (*line == '\n')
            line++;
        if (strncmp(line, series, n) == 0 && line[n] == ' ')
            v = strtod(line + n + 1, NULL);
    }
    reply_done(&r);
    return v;
}

/* ---- by hand ---- */

void wire_open(const struct process *p, struct wire *w)
{
    wire_open_from(p, 0, w);
}

void wire_open_from(const struct process *p, unsigned last, struct wire *w)
{
    const struct sockaddr_in from = { .sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(0x7f000100 + last) };
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)p->port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const struct timeval patience = { .tv_sec = PATIENCE_S };

    memset(w, 0, sizeof(*w));
    w->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(w->fd >= 0);
    assert_int_equal(setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    assert_int_equal(setsockopt(w->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)), 0);
    if (last != 0)
        assert_int_equal(bind(w->fd, (const struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(connect(w->fd, (const struct sockaddr *)&at, sizeof(at)), 0);
}

static void client_new(struct wire *w, int max_version)
{
    w->ctx = SSL_CTX_new(TLS_client_method());
    assert_non_null(w->ctx);
    SSL_CTX_set_security_level(w->ctx, 0); /* offers TLS 1.0 and 1.1 where asked to */
    (void)SSL_CTX_set_min_proto_version(w->ctx, TLS1_VERSION);
    if (max_version != 0)
        (void)SSL_CTX_set_max_proto_version(w->ctx, max_version);
    w->ssl = SSL_new(w->ctx);
    assert_non_null(w->ssl);
}

/* Who is stopped and goes on is interrupted in a call that has a deadline. */
static bool connect_tls(struct wire *w)
{
    int n;

    do {
        errno = 0;
        n = SSL_connect(w->ssl);
    } while (n < 0 && errno == EINTR);
    return n == 1;
}

bool wire_handshake(struct wire *w, int max_version)
{
    client_new(w, max_version);
    assert_int_equal(SSL_set_fd(w->ssl, w->fd), 1);
    return connect_tls(w);
}

size_t wire_hello(struct wire *w, unsigned char *hello, size_t cap)
{
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    int n;

    client_new(w, 0);
    SSL_set_bio(w->ssl, in, out); /* which it owns now */
    assert_int_equal(SSL_connect(w->ssl), -1);
    n = BIO_read(out, hello, (int)cap);
    assert_true(n > 0 && (size_t)n < cap);
    return (size_t)n;
}

bool wire_go_on(struct wire *w)
{
    assert_int_equal(SSL_set_fd(w->ssl, w->fd), 1);
    return connect_tls(w);
}

bool wire_send(struct wire *w, const char *p, size_t n)
{
    int sent;

    do {
        errno = 0;
        sent = SSL_write(w->ssl, p, (int)n);
    } while (sent < 0 && errno == EINTR);
    return sent == (int)n;
}

size_t wire_read(struct wire *w, char *buf, size_t cap)
{
    int n;

    do {
        errno = 0;
        n = SSL_read(w->ssl, buf, (int)cap);
    } while (n < 0 && errno == EINTR);
    return n > 0 ? (size_t)n : 0;
}

size_t wire_read_all(struct wire *w, char *buf, size_t cap)
{
    size_t n = 0, got;

    while (n + 1 < cap && (got = wire_read(w, buf + n, cap - 1 - n)) > 0)
        n += got;
    buf[n] = 0;
    return n;
}

ssize_t wire_recv(const struct wire *w, void *buf, size_t cap)
{
    ssize_t n;

    do
        n = recv(w->fd, buf, cap, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

void wire_await_end(struct wire *w)
{
    char buf[4096];
    ssize_t n;

    /* Below TLS: what counts is that the socket is closed. */
    while ((n = wire_recv(w, buf, sizeof(buf))) > 0)
        ;
    if (n < 0 && errno == EAGAIN)
        fail_msg("the connection stays open");
}

size_t wire_head(char *buf, size_t cap, const char *target, const char *more, size_t n)
{
    int len = snprintf(buf, cap,
                       "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       "Content-Length: %zu\r\n%s\r\n",
                       target, n, more);

    assert_true(len > 0 && (size_t)len < cap);
    return (size_t)len;
}

size_t wire_request(char *buf, size_t cap, const char *target, const char *more, const char *body)
{
    size_t head = wire_head(buf, cap, target, more, strlen(body));

    assert_true(strlen(body) < cap - head);
    return head + (size_t)snprintf(buf + head, cap - head, "%s", body);
}

void wire_done(struct wire *w)
{
    SSL_free(w->ssl);
    SSL_CTX_free(w->ctx);
    if (w->fd > 0)
        (void)close(w->fd);
    memset(w, 0, sizeof(*w));
}
