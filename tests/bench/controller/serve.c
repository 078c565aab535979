/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>

#include "common/base/num.h"
#include "tests/bench/controller/large.h"
#include "tests/bench/controller/text.h"

#define REQUEST_MAX ((size_t)8 << 20)
#define FRAME_MAX ((size_t)4 << 20)
#define STRIDE 7919 /* prime: events go to Pods all over the cache */

/** One thread for each connection; they share what never changes, and this. */
struct server {
    struct text pod, job;
    struct text_world world;
    SSL_CTX *ctx;
    int fd;
    atomic_size_t writes; /* requests that would have changed something */
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    uint64_t version;
    size_t events;       /* asked for, and not yet sent */
    struct large *large; /* the cluster of large Jobs instead; NULL: none */
};

/* ---- answers ---- */

static bool send_all(struct connection *c, struct jr_str s)
{
    size_t done;

    return s.n == 0 || SSL_write_ex(c->ssl, s.p, s.n, &done) == 1;
}

bool connection_flush(struct connection *c)
{
    bool ok = c->out.failed == JR_OK && send_all(c, jr_buf_str(&c->out));

    jr_buf_reset(&c->out);
    return ok;
}

bool connection_refuse(struct connection *c, int code, const char *reason)
{
    char body[256];
    int n = snprintf(body, sizeof(body),
                     "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":"
                     "\"%s\",\"code\":%d}",
                     reason, code);

    (void)jr_buf_addf(&c->out,
                      "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: "
                      "%d\r\n\r\n%s",
                      code, n, body);
    return connection_flush(c);
}

/** A chunk for each event, as Go's server writes them. */
static bool frame(struct connection *c, const char *type, bool pod, size_t n, uint64_t version)
{
    struct server *s = c->server;
    JR_BUF text = { 0 };

    jr_buf_init(&text, FRAME_MAX);
    (void)jr_buf_addf(&text, "{\"type\":\"%s\",\"object\":", type);
    if ((pod ? text_add_pod(&s->pod, &s->world, n, version, &text)
             : text_add_job(&s->job, &s->world, n, version, &text)) != JR_OK)
        return false;
    (void)jr_buf_adds(&text, "}\n");
    (void)jr_buf_addf(&c->out, "%zx\r\n", text.n);
    (void)jr_buf_add(&c->out, jr_buf_str(&text));
    (void)jr_buf_adds(&c->out, "\r\n");
    return text.failed == JR_OK && c->out.failed == JR_OK;
}

static bool bookmark(struct connection *c, bool pod, uint64_t version)
{
    char text[512];
    int n = snprintf(text, sizeof(text),
                     "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\","
                     "\"metadata\":{\"resourceVersion\":\"%llu\",\"annotations\":{\"k8s.io/"
                     "initial-events-end\":\"true\"}}}}\n",
                     pod ? "Pod" : "Job", pod ? "v1" : "batch/v1", (unsigned long long)version);

    (void)jr_buf_addf(&c->out, "%x\r\n%s\r\n", (unsigned)n, text);
    return connection_flush(c);
}

/** Sends events of Pods as they are asked for, until the connection ends. */
static bool send_events(struct connection *c)
{
    struct server *s = c->server;
    size_t total = s->world.jobs * s->world.pods_each;
    bool ok = true;

    while (ok) {
        uint64_t version;
        bool last;

        (void)pthread_mutex_lock(&s->lock);
        while (s->events == 0)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        version = ++s->version;
        last = --s->events == 0;
        (void)pthread_mutex_unlock(&s->lock);
        ok = frame(c, "MODIFIED", true, version * STRIDE % total, version) && connection_flush(c);
        if (last) {
            (void)printf("sent\n");
            (void)fflush(stdout);
        }
    }
    return false;
}

static bool stream(struct connection *c, bool pod)
{
    struct server *s = c->server;
    size_t n = pod ? s->world.jobs * s->world.pods_each : s->world.jobs;
    char byte;

    (void)jr_buf_adds(&c->out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t i = 0; i < n; i++) {
        if (!frame(c, "ADDED", pod, i, i + 1) || (c->out.n > 16384 && !connection_flush(c)))
            return false;
    }
    if (!bookmark(c, pod, n))
        return false;
    return pod ? send_events(c) : SSL_read(c->ssl, &byte, 1) > 0;
}

/* ---- requests ---- */

/** The number that a text begins with; 0: none. */
static size_t number_at(struct jr_str s)
{
    uint64_t v = 0;
    size_t n = 0;

    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return jr_parse_u64(jr_str_head(s, n), &v) == JR_OK ? (size_t)v : 0;
}

static size_t body_length(struct jr_str head)
{
    static const char name[] = "\r\ncontent-length: ";
    size_t n = 0;

    for (size_t i = 0; i + sizeof(name) < head.n; i++) {
        if (strncasecmp(head.p + i, name, sizeof(name) - 1) == 0)
            n = number_at(jr_str_from(head, i + sizeof(name) - 1));
    }
    return n;
}

/** Reads a request with its body; its head stays in c->in. */
static bool read_request(struct connection *c, struct jr_str *ret_head)
{
    char part[16384];
    size_t want = SIZE_MAX, n;

    jr_buf_reset(&c->in);
    *ret_head = (struct jr_str){ NULL, 0 };
    while (c->in.n < want) {
        const char *end;

        if (SSL_read_ex(c->ssl, part, sizeof(part), &n) != 1 ||
            jr_buf_add(&c->in, (struct jr_str){ part, n }) != JR_OK)
            return false;
        end = memmem(c->in.p, c->in.n, "\r\n\r\n", 4);
        if (want == SIZE_MAX && end != NULL) {
            *ret_head = jr_str_head(jr_buf_str(&c->in), (size_t)(end - c->in.p) + 2);
            want = ret_head->n + 2 + body_length(*ret_head);
        }
    }
    *ret_head = jr_str_head(jr_buf_str(&c->in), ret_head->n);
    return true;
}

static bool serve(struct connection *c, struct jr_str head)
{
    struct jr_str rest = head, method, path;
    bool list;

    (void)jr_str_cut(&rest, ' ', &method);
    (void)jr_str_cut(&rest, ' ', &path);
    if (c->server->large != NULL)
        return large_serve(c->server->large, c, method, path);
    list = memmem(path.p, path.n, "sendInitialEvents=true", 22) != NULL;
    if (jr_str_starts(path, JR_S("/api/v1/pods?")) && list)
        return stream(c, true);
    if (jr_str_starts(path, JR_S("/apis/batch/v1/jobs?")) && list)
        return stream(c, false);
    if (jr_str_is(method, "GET"))
        return connection_refuse(c, 404, "NotFound");
    (void)atomic_fetch_add(&c->server->writes, 1);
    (void)fprintf(stderr, "bench-controller: unasked for: %.*s %.*s\n", JR_P(method), JR_P(path));
    return connection_refuse(c, 403, "Forbidden");
}

static void *run_connection(void *ctx)
{
    struct connection *c = ctx;
    struct jr_str head;

    jr_buf_init(&c->in, REQUEST_MAX);
    jr_buf_init(&c->out, FRAME_MAX * 2);
    c->ssl = SSL_new(c->server->ctx);
    if (c->ssl != NULL && SSL_set_fd(c->ssl, c->fd) == 1 && SSL_accept(c->ssl) == 1) {
        while (read_request(c, &head) && serve(c, head))
            ;
    }
    SSL_free(c->ssl);
    (void)close(c->fd);
    jr_buf_done(&c->in);
    jr_buf_done(&c->out);
    free(c);
    ERR_clear_error();
    return NULL;
}

static void *run_listener(void *ctx)
{
    struct server *s = ctx;

    for (;;) {
        struct connection *c = calloc(1, sizeof(*c));
        pthread_t thread;

        if (c == NULL)
            break;
        c->server = s;
        c->fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (c->fd < 0 || pthread_create(&thread, NULL, run_connection, c) != 0)
            break;
        (void)pthread_detach(thread);
    }
    return NULL;
}

/* ---- begin and end ---- */

static bool open_server(struct server *s, const struct bench_options *o)
{
    struct sockaddr_in a = { .sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)o->port) };
    int on = 1;

    s->world = (struct text_world){ (size_t)o->jobs, (size_t)o->pods_each };
    s->version = s->world.jobs * s->world.pods_each;
    s->ctx = SSL_CTX_new(TLS_server_method());
    if (s->ctx == NULL || o->cert_file == NULL || o->key_file == NULL ||
        SSL_CTX_use_certificate_chain_file(s->ctx, o->cert_file) != 1 ||
        SSL_CTX_use_PrivateKey_file(s->ctx, o->key_file, SSL_FILETYPE_PEM) != 1) {
        (void)fprintf(stderr, "bench-controller: --cert, --key: can't be used\n");
        return false;
    }
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(s->fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(s->fd, 64) != 0) {
        (void)fprintf(stderr, "bench-controller: --port: can't be listened on\n");
        return false;
    }
    return pthread_mutex_init(&s->lock, NULL) == 0 && pthread_cond_init(&s->changed, NULL) == 0;
}

/** Does what standard input says until that ends. */
static void obey(struct server *s)
{
    char line[64];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        if (s->large != NULL) {
            large_obey(s->large, line);
        } else if (strncmp(line, "events ", 7) == 0) {
            (void)pthread_mutex_lock(&s->lock);
            s->events += number_at(jr_str(line + 7));
            (void)pthread_cond_signal(&s->changed);
            (void)pthread_mutex_unlock(&s->lock);
        }
    }
}

/** The process's end takes the threads along. */
int bench_serve(const struct bench_options *o)
{
    struct server *s = calloc(1, sizeof(*s));
    pthread_t listener;

    if (s != NULL && o->template_bytes > 0)
        s->large = large_new(o);
    if (s == NULL || !text_read(&s->pod, o->pod_file) || !text_read(&s->job, o->job_file) ||
        !open_server(s, o) || pthread_create(&listener, NULL, run_listener, s) != 0)
        _exit(2);
    (void)printf("serving\n");
    (void)fflush(stdout);
    obey(s);
    (void)printf("serve writes %zu\n", atomic_load(&s->writes));
    (void)fflush(stdout);
    _exit(0);
}
