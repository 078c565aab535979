/* SPDX-License-Identifier: Apache-2.0 */
/* A listening socket, made from a host and a port. */
#include "common/http/socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

struct listening {
    bool both; /* families */
    bool shared;
    int backlog;
};

static int open_one(const struct addrinfo *ai, const struct listening *how)
{
    JR_CLOSE int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1, only6 = how->both ? 0 : 1, ret;

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
        return -1;
    if (how->shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0)
        return -1;
    if (ai->ai_family == AF_INET6 &&
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only6, sizeof(only6)) != 0)
        return -1;
    if (bind(fd, ai->ai_addr, ai->ai_addrlen) != 0 || listen(fd, how->backlog) != 0)
        return -1;
    ret = fd;
    fd = -1;
    return ret;
}

/** Of all addresses the one that takes both families comes first. */
static int open_any(const struct addrinfo *list, const struct listening *how)
{
    static const int families[] = { AF_INET6, AF_INET };

    for (size_t i = 0; i < JR_ARRAY_SIZE(families); i++) {
        for (const struct addrinfo *ai = list; ai != NULL; ai = ai->ai_next) {
            int fd = ai->ai_family == families[i] ? open_one(ai, how) : -1;

            if (fd >= 0)
                return fd;
        }
    }
    return -1;
}

static enum jr_status address_of(int fd, char out[JR_LISTEN_ADDRESS_MAX], struct jr_error *err)
{
    struct sockaddr_storage at = { 0 };
    socklen_t n = sizeof(at);
    char host[JR_LISTEN_ADDRESS_MAX - 12], port[8];

    if (getsockname(fd, (struct sockaddr *)&at, &n) != 0)
        return jr_fail_errno(err, errno, NULL, "listening");
    if (getnameinfo((struct sockaddr *)&at, n, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return jr_fail(err, JR_IO, NULL, "listening: an address without a name");
    (void)snprintf(out, JR_LISTEN_ADDRESS_MAX, strchr(host, ':') != NULL ? "[%s]:%s" : "%s:%s",
                   host, port);
    return JR_OK;
}

enum jr_status jr_listen(const char *host, uint16_t port, bool shared, int backlog, int *ret_fd,
                         char address[JR_LISTEN_ADDRESS_MAX], struct jr_error *err)
{
    const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                    .ai_socktype = SOCK_STREAM };
    const bool both = host[0] == '\0';
    const struct listening how = { both, shared, backlog };
    JR_CLOSE int fd = -1;
    struct addrinfo *list = NULL;
    char service[8];
    enum jr_status st;
    int rc, errnum;

    (void)snprintf(service, sizeof(service), "%u", (unsigned)port);
    rc = getaddrinfo(both ? NULL : host, service, &hints, &list);
    if (rc != 0)
        return jr_fail(err, JR_IO, NULL, "listening on %s: %s", host, gai_strerror(rc));
    errno = EADDRNOTAVAIL;
    fd = open_any(list, &how);
    errnum = errno;
    freeaddrinfo(list);
    if (fd < 0)
        return jr_fail_errno(err, errnum, NULL, "listening on %s port %s",
                             both ? "all addresses" : host, service);
    st = address_of(fd, address, err);
    if (st == JR_OK) {
        *ret_fd = fd;
        fd = -1;
    }
    return st;
}
