/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/proxy_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "tests/unit/kube/kube_test.h"

#define POLL_MS 20

struct proxy_server {
    int fd, port;
    pthread_t thread;
    atomic_bool stopping;
    atomic_int tunnels;
    char head[4096];
};

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/** Reads the head of a request; returns the port behind CONNECT host:, 0 for anything else. */
static int read_head(struct proxy_server *p, int fd)
{
    size_t n = 0;
    const char *colon;
    int port = 0;

    while (n < sizeof(p->head) - 1 && memmem(p->head, n, "\r\n\r\n", 4) == NULL) {
        ssize_t got = read(fd, p->head + n, sizeof(p->head) - 1 - n);

        if (got <= 0)
            return 0;
        n += (size_t)got;
    }
    p->head[n] = '\0';
    colon = strchr(p->head, ':');
    if (strncmp(p->head, "CONNECT ", 8) != 0 || colon == NULL)
        return 0;
    while (*++colon >= '0' && *colon <= '9')
        port = port * 10 + (*colon - '0');
    return port;
}

static bool copy(int from, int to)
{
    char part[16384];
    ssize_t n = read(from, part, sizeof(part));

    return n > 0 && send(to, part, (size_t)n, MSG_NOSIGNAL) == n;
}

static void carry(struct proxy_server *p, int client, int server)
{
    struct pollfd fds[2] = { { .fd = client, .events = POLLIN },
                             { .fd = server, .events = POLLIN } };

    while (!atomic_load(&p->stopping)) {
        if (poll(fds, 2, POLL_MS) <= 0)
            continue;
        if (fds[0].revents != 0 && !copy(client, server))
            return;
        if (fds[1].revents != 0 && !copy(server, client))
            return;
    }
}

static void tunnel(struct proxy_server *p, int client)
{
    static const char ok[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    int port = read_head(p, client);
    struct sockaddr_in a = loopback(port);
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (port != 0 && server >= 0 && connect(server, (struct sockaddr *)&a, sizeof(a)) == 0 &&
        send(client, ok, sizeof(ok) - 1, MSG_NOSIGNAL) > 0) {
        (void)atomic_fetch_add(&p->tunnels, 1);
        carry(p, client, server);
    }
    if (server >= 0)
        (void)close(server);
}

static void *run_proxy(void *ctx)
{
    struct proxy_server *p = ctx;
    struct pollfd listening = { .fd = p->fd, .events = POLLIN };

    while (!atomic_load(&p->stopping)) {
        int client;

        if (poll(&listening, 1, POLL_MS) <= 0)
            continue;
        client = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0)
            break;
        tunnel(p, client);
        (void)close(client);
    }
    return NULL;
}

struct proxy_server *proxy_start(void)
{
    struct proxy_server *p = calloc(1, sizeof(*p));
    struct sockaddr_in a = loopback(0);
    socklen_t n = sizeof(a);

    assert_non_null(p);
    p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p->fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(listen(p->fd, 8), 0);
    assert_int_equal(getsockname(p->fd, (struct sockaddr *)&a, &n), 0);
    p->port = ntohs(a.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, run_proxy, p), 0);
    return p;
}

void proxy_stop(struct proxy_server *p)
{
    atomic_store(&p->stopping, true);
    (void)pthread_join(p->thread, NULL);
    (void)close(p->fd);
    free(p);
}

int proxy_port(const struct proxy_server *p)
{
    return p->port;
}

int proxy_tunnels(struct proxy_server *p)
{
    return atomic_load(&p->tunnels);
}

const char *proxy_head(const struct proxy_server *p)
{
    return p->head;
}
