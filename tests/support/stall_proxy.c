/* SPDX-License-Identifier: Apache-2.0 */
/* A TCP proxy whose connections go dead without ending: bytes are acknowledged, and go nowhere. So
 * does a balancer that has lost its server, or a server whose process hangs.
 *
 *   stall-proxy HOST PORT
 *
 * listens on a free port of 127.0.0.1 and says "listening on PORT". SIGUSR1 stalls the connections
 * that are open and whose client has offered HTTP/2 (the shared ones of our clients; the Lease and
 * watches offer HTTP/1.1 alone), and SIGUSR2 all that are open; it says "stalled N". Later ones go
 * through. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024
#define CHUNK 16384
#define POLL_MS 50

struct connection {
    int client, server;
    atomic_bool h2, stalled, over;
    atomic_int ends; /* directions that have ended */
};

struct proxy {
    const char *host, *port;
    int fd;
    atomic_int n;
    struct connection v[CONNECTIONS_MAX];
};

static bool write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);

        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

/** Stands still as long as the connection does: for ever. */
static void hold(const struct connection *c)
{
    while (atomic_load(&c->stalled))
        (void)poll(NULL, 0, POLL_MS);
}

/** Whether a ClientHello, which comes first and is not encrypted, offers it. */
static bool offers_h2(const char *p, size_t n)
{
    return memmem(p, n, "\x02h2", 3) != NULL;
}

static void copy(struct connection *c, int from, int to)
{
    char chunk[CHUNK];
    bool first = from == c->client;
    ssize_t n;

    while ((n = recv(from, chunk, sizeof(chunk), 0)) > 0) {
        if (first && offers_h2(chunk, (size_t)n))
            atomic_store(&c->h2, true);
        first = false;
        hold(c);
        if (!write_all(to, chunk, (size_t)n))
            break;
    }
    hold(c); /* nor is an end told */
    (void)shutdown(to, SHUT_WR);
    if (atomic_fetch_add(&c->ends, 1) == 1) {
        atomic_store(&c->over, true);
        (void)close(c->client);
        (void)close(c->server);
    }
}

static void *to_server(void *ctx)
{
    struct connection *c = ctx;

    copy(c, c->client, c->server);
    return NULL;
}

static void *to_client(void *ctx)
{
    struct connection *c = ctx;

    copy(c, c->server, c->client);
    return NULL;
}

static int connect_to(const char *host, const char *port)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *list;
    int fd = -1;

    if (getaddrinfo(host, port, &hints, &list) != 0)
        return -1;
    for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            (void)close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    return fd;
}

static bool start(void *(*fn)(void *), void *ctx)
{
    pthread_t t;

    return pthread_create(&t, NULL, fn, ctx) == 0 && pthread_detach(t) == 0;
}

static void *accept_all(void *ctx)
{
    struct proxy *p = ctx;
    int fd;

    while ((fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0 || errno == ECONNABORTED) {
        int n = atomic_load(&p->n);
        struct connection *c = &p->v[n];

        if (fd < 0)
            continue;
        c->client = fd;
        c->server = n + 1 < CONNECTIONS_MAX ? connect_to(p->host, p->port) : -1;
        if (c->server < 0) {
            (void)close(fd);
            continue;
        }
        atomic_store(&p->n, n + 1);
        if (!start(to_server, c) || !start(to_client, c))
            exit(1); /* NOLINT(concurrency-mt-unsafe): nothing is kept */
    }
    perror("accept");
    exit(1); /* NOLINT(concurrency-mt-unsafe) */
}

static int listen_somewhere(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 64) != 0 ||
        getsockname(fd, (struct sockaddr *)&a, &n) != 0)
        return -1;
    (void)printf("listening on %d\n", ntohs(a.sin_port));
    return fd;
}

static int stall(struct proxy *p, bool all)
{
    int stalled = 0;

    for (int i = 0; i < atomic_load(&p->n); i++) {
        struct connection *c = &p->v[i];

        if ((!all && !atomic_load(&c->h2)) || atomic_load(&c->over))
            continue;
        atomic_store(&c->stalled, true);
        stalled++;
    }
    return stalled;
}

int main(int argc, char **argv)
{
    static struct proxy p;
    sigset_t set;
    int signo;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    (void)sigaddset(&set, SIGUSR2);
    if (argc != 3 || pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) {
        (void)fprintf(stderr, "usage: stall-proxy HOST PORT\n");
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    p.host = argv[1];
    p.port = argv[2];
    p.fd = listen_somewhere();
    if (p.fd < 0 || !start(accept_all, &p)) {
        perror("stall-proxy");
        return 1;
    }
    while (sigwait(&set, &signo) == 0)
        (void)printf("stalled %d\n", stall(&p, signo == SIGUSR2));
    return 1;
}
