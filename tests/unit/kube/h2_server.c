/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/h2_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "tests/unit/kube/https_server.h"
#include "tests/unit/kube/kube_test.h"
#include "tests/unit/kube/pem.h"

#define CONNECTIONS_MAX 16
#define REQUESTS_MAX 64
#define POLL_MS 20

enum frame_type {
    FRAME_DATA = 0,
    FRAME_HEADERS = 1,
    FRAME_SETTINGS = 4,
    FRAME_PING = 6,
    FRAME_GOAWAY = 7,
};
#define END_STREAM 1 /* of DATA and HEADERS */
#define ACK 1        /* of SETTINGS and PING */
#define END_HEADERS 4

struct frame {
    size_t n;
    uint8_t type, flags;
    uint32_t stream;
    unsigned char payload[16384];
};

struct connection {
    struct h2_server *s;
    pthread_t thread;
    int fd;
    bool first;
    SSL *ssl;
    uint32_t streams[REQUESTS_MAX]; /* read, in order */
    int n_streams;
    bool gone; /* GOAWAY was said */
};

struct h2_server {
    struct h2_plan plan;
    SSL_CTX *ctx;
    int fd, port;
    pthread_t thread;
    atomic_bool stopping, going;
    atomic_int n, open, answered, late, stalled;
    struct connection connections[CONNECTIONS_MAX];
};

/* ---- frames: no assertions here, cmocka knows only its own thread ---- */

/** Waits until there is something to read; false when the server stops. */
static bool wait_for(struct h2_server *s, SSL *ssl, int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    while (!atomic_load(&s->stopping)) {
        if ((ssl != NULL && SSL_pending(ssl) > 0) || poll(&p, 1, POLL_MS) > 0)
            return true;
    }
    return false;
}

static bool take(const struct connection *c, unsigned char *to, size_t n)
{
    size_t got;

    for (; n > 0; n -= got, to += got) {
        if (!wait_for(c->s, c->ssl, c->fd) || SSL_read_ex(c->ssl, to, n, &got) != 1)
            return false;
    }
    return true;
}

static bool read_frame(const struct connection *c, struct frame *f)
{
    unsigned char head[9];

    if (!take(c, head, sizeof(head)))
        return false;
    f->n = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
    f->type = head[3];
    f->flags = head[4];
    f->stream =
        ((uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 8 | head[8]) &
        INT32_MAX;
    return f->n <= sizeof(f->payload) && take(c, f->payload, f->n);
}

static bool write_frame(const struct connection *c, enum frame_type type, unsigned flags,
                        uint32_t stream, const unsigned char *payload, size_t n)
{
    unsigned char out[64] = { 0,
                              0,
                              (unsigned char)n,
                              (unsigned char)type,
                              (unsigned char)flags,
                              (unsigned char)(stream >> 24),
                              (unsigned char)(stream >> 16),
                              (unsigned char)(stream >> 8),
                              (unsigned char)stream };
    size_t done;

    if (n > 0)
        memcpy(out + 9, payload, n);
    return SSL_write_ex(c->ssl, out, 9 + n, &done) == 1;
}

/* ---- requests ---- */

static bool answer(const struct connection *c, uint32_t stream)
{
    static const unsigned char status_200[] = { 0x88 }; /* HPACK's static table */

    (void)atomic_fetch_add(&c->s->answered, 1);
    return write_frame(c, FRAME_HEADERS, END_HEADERS, stream, status_200, 1) &&
           write_frame(c, FRAME_DATA, END_STREAM, stream, (const unsigned char *)"{}", 2);
}

/** Names the last request that is processed, and answers these. */
static bool go_away(struct connection *c, int processed)
{
    uint32_t last = processed > 0 ? c->streams[processed - 1] : 0;
    const unsigned char payload[8] = { (unsigned char)(last >> 24), (unsigned char)(last >> 16),
                                       (unsigned char)(last >> 8), (unsigned char)last };
    bool ok = write_frame(c, FRAME_GOAWAY, 0, 0, payload, sizeof(payload));

    c->gone = true;
    for (int i = 0; ok && i < processed; i++)
        ok = answer(c, c->streams[i]);
    return ok;
}

static bool stall(struct connection *c, uint32_t stream)
{
    struct h2_server *s = c->s;

    if (c->n_streams < s->plan.stall_at || atomic_load(&s->going))
        return answer(c, stream);
    (void)atomic_fetch_add(&s->stalled, 1);
    while (!atomic_load(&s->stopping) && !atomic_load(&s->going))
        (void)poll(NULL, 0, POLL_MS);
    return answer(c, stream);
}

static bool on_request(struct connection *c, uint32_t stream)
{
    const struct h2_plan *plan = &c->s->plan;

    if (c->gone) {
        (void)atomic_fetch_add(&c->s->late, 1);
        return true;
    }
    if (!c->first || (plan->goaway_at == 0 && plan->stall_at == 0 && plan->slow_at == 0))
        return answer(c, stream);
    c->streams[c->n_streams++] = stream;
    if (plan->slow_at > 0 && c->n_streams != plan->slow_at)
        return answer(c, stream);
    if (plan->slow_at > 0) {
        (void)atomic_fetch_add(&c->s->stalled, 1);
        return true;
    }
    if (plan->stall_at > 0)
        return stall(c, stream);
    return c->n_streams < plan->goaway_at || go_away(c, plan->goaway_at - plan->unprocessed);
}

static bool on_frame(struct connection *c, const struct frame *f)
{
    switch (f->type) {
    case FRAME_SETTINGS:
        return (f->flags & ACK) != 0 || write_frame(c, FRAME_SETTINGS, ACK, 0, NULL, 0);
    case FRAME_PING:
        return (f->flags & ACK) != 0 || write_frame(c, FRAME_PING, ACK, 0, f->payload, f->n);
    case FRAME_HEADERS:
    case FRAME_DATA:
        return (f->flags & END_STREAM) == 0 || on_request(c, f->stream);
    default:
        return true;
    }
}

static void *run_connection(void *ctx)
{
    struct connection *c = ctx;
    struct frame *f = calloc(1, sizeof(*f));
    unsigned char preface[24];

    c->ssl = SSL_new(c->s->ctx);
    if (f != NULL && c->ssl != NULL && SSL_set_fd(c->ssl, c->fd) == 1 &&
        wait_for(c->s, NULL, c->fd) && SSL_accept(c->ssl) == 1 &&
        take(c, preface, sizeof(preface)) && write_frame(c, FRAME_SETTINGS, 0, 0, NULL, 0)) {
        while (read_frame(c, f) && on_frame(c, f))
            ;
    }
    (void)atomic_fetch_sub(&c->s->open, 1);
    free(f);
    SSL_free(c->ssl);
    (void)shutdown(c->fd, SHUT_RDWR);
    (void)close(c->fd);
    ERR_clear_error();
    return NULL;
}

static void *run_server(void *ctx)
{
    struct h2_server *s = ctx;

    while (wait_for(s, NULL, s->fd)) {
        int n = atomic_load(&s->n);
        struct connection *c = &s->connections[n];

        c->s = s;
        c->first = n == 0;
        c->fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (c->fd < 0 || n == CONNECTIONS_MAX - 1)
            break;
        (void)atomic_fetch_add(&s->open, 1);
        atomic_store(&s->n, n + 1); /* before any answer: who has one may ask for the number */
        if (pthread_create(&c->thread, NULL, run_connection, c) != 0) {
            atomic_store(&s->n, n);
            break;
        }
    }
    return NULL;
}

/* ---- the server ---- */

static int choose_h2(SSL *ssl, const unsigned char **out, unsigned char *out_n,
                     const unsigned char *in, unsigned in_n, void *ctx)
{
    static const unsigned char h2[] = { 'h', '2' };
    const unsigned char *end = in + in_n;

    (void)ssl;
    (void)ctx;
    for (; in < end; in += *in + 1) {
        if (*in == sizeof(h2) && memcmp(in + 1, h2, sizeof(h2)) == 0) {
            *out = in + 1;
            *out_n = sizeof(h2);
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

struct h2_server *h2_start(const struct h2_plan *plan)
{
    struct h2_server *s = calloc(1, sizeof(*s));
    struct pem_set pems;

    assert_non_null(s);
    s->plan = *plan;
    pem_make(&pems, "IP:127.0.0.1");
    s->ctx = SSL_CTX_new(TLS_server_method());
    assert_non_null(s->ctx);
    assert_int_equal(SSL_CTX_use_certificate(s->ctx, pems.server), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(s->ctx, pems.server_key), 1);
    SSL_CTX_set_alpn_select_cb(s->ctx, choose_h2, NULL);
    pem_done(&pems);
    s->fd = server_bind("127.0.0.1", 0, &s->port);
    assert_int_equal(listen(s->fd, CONNECTIONS_MAX), 0);
    assert_int_equal(pthread_create(&s->thread, NULL, run_server, s), 0);
    return s;
}

void h2_stop(struct h2_server *s)
{
    atomic_store(&s->stopping, true);
    (void)pthread_join(s->thread, NULL);
    for (int i = 0; i < atomic_load(&s->n); i++)
        (void)pthread_join(s->connections[i].thread, NULL);
    (void)close(s->fd);
    SSL_CTX_free(s->ctx);
    free(s);
}

void h2_go(struct h2_server *s)
{
    atomic_store(&s->going, true);
}

int h2_open(struct h2_server *s)
{
    return atomic_load(&s->open);
}

int h2_stalled(struct h2_server *s)
{
    return atomic_load(&s->stalled);
}

int h2_port(const struct h2_server *s)
{
    return s->port;
}

int h2_connections(struct h2_server *s)
{
    return atomic_load(&s->n);
}

int h2_answered(struct h2_server *s)
{
    return atomic_load(&s->answered);
}

int h2_late(struct h2_server *s)
{
    return atomic_load(&s->late);
}
