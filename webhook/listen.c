#include "webhook/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#define BACKLOG 512

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t size_of(const union address *a)
{
    return a->any.sa_family == AF_INET6 ? sizeof(a->v6) : sizeof(a->v4);
}

static bool bind_at(int fd, const union address *a, bool dual)
{
    int on = 1, only6 = dual ? 0 : 1;

    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
        return false;
    if (a->any.sa_family == AF_INET6 &&
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only6, sizeof(only6)) != 0)
        return false;
    return bind(fd, &a->any, size_of(a)) == 0 && listen(fd, BACKLOG) == 0;
}

static enum jr_status open_at(const union address *a, bool dual, int *ret_fd)
{
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return JR_IO;
    if (!bind_at(fd, a, dual)) {
        int errnum = errno;

        (void)close(fd);
        errno = errnum;
        return JR_IO;
    }
    *ret_fd = fd;
    return JR_OK;
}

static enum jr_status address_of(int fd, char out[JR_LISTEN_ADDRESS_MAX])
{
    union address a = { .any = { 0 } };
    socklen_t n = sizeof(a);
    char ip[INET6_ADDRSTRLEN];
    bool v6;

    if (getsockname(fd, &a.any, &n) != 0)
        return JR_IO;
    v6 = a.any.sa_family == AF_INET6;
    if (inet_ntop(a.any.sa_family,
                  v6 ? (const void *)&a.v6.sin6_addr : (const void *)&a.v4.sin_addr, ip,
                  sizeof(ip)) == NULL)
        return JR_IO;
    (void)snprintf(out, JR_LISTEN_ADDRESS_MAX, v6 ? "[%s]:%u" : "%s:%u", ip,
                   (unsigned)ntohs(v6 ? a.v6.sin6_port : a.v4.sin_port));
    return JR_OK;
}

enum jr_status jr_listen(const char *ip, uint16_t port, int *ret_fd,
                         char address[JR_LISTEN_ADDRESS_MAX], struct jr_error *err)
{
    union address a = { .v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) } };
    union address v4 = { .v4 = { .sin_family = AF_INET, .sin_port = htons(port) } };
    bool all = ip[0] == 0;
    enum jr_status st;

    if (all || inet_pton(AF_INET6, ip, &a.v6.sin6_addr) == 1)
        st = open_at(&a, all, ret_fd);
    else if (inet_pton(AF_INET, ip, &v4.v4.sin_addr) == 1)
        st = open_at(&v4, false, ret_fd);
    else
        return jr_fail(err, JR_INVALID, NULL, "expected an IP address, not \"%s\"", ip);
    if (st != JR_OK && all && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
        st = open_at(&v4, false, ret_fd);
    if (st == JR_OK) {
        st = address_of(*ret_fd, address);
        if (st != JR_OK)
            (void)close(*ret_fd);
    }
    if (st != JR_OK)
        return jr_fail_errno(err, errno, NULL, "listening on %s port %u",
                             all ? "all addresses" : ip, (unsigned)port);
    return JR_OK;
}
