/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets: where they are, and who can reach them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/num.h"
#include "common/http/socket.h"

static uint16_t port_of(const char *address)
{
    struct jr_str s = jr_str(address);
    int64_t port = 0;

    assert_int_equal(
        jr_parse_i64(jr_str_from(s, (size_t)jr_str_rfind(s, ':') + 1), 1, UINT16_MAX, &port),
        JR_OK);
    return (uint16_t)port;
}

static bool reached(int family, uint16_t port)
{
    const struct sockaddr_in v4 = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
                                     .sin6_port = htons(port),
                                     .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    JR_CLOSE int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (family == AF_INET)
        return connect(fd, (const struct sockaddr *)&v4, sizeof(v4)) == 0;
    return connect(fd, (const struct sockaddr *)&v6, sizeof(v6)) == 0;
}

static bool have_ipv6(void)
{
    const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    JR_CLOSE int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return fd >= 0 && bind(fd, (const struct sockaddr *)&v6, sizeof(v6)) == 0;
}

static void test_all_addresses(void **state)
{
    char address[JR_LISTEN_ADDRESS_MAX];
    JR_CLOSE int fd = -1;
    struct jr_error err;

    (void)state;
    assert_int_equal(jr_listen("", 0, false, 16, &fd, address, &err), JR_OK);
    assert_true(strncmp(address, "[::]:", 5) == 0 || strncmp(address, "0.0.0.0:", 8) == 0);
    assert_true(reached(AF_INET, port_of(address)));
    if (have_ipv6())
        assert_true(reached(AF_INET6, port_of(address)));
}

/** A port of 127.0.0.1 that nobody can listen on while the socket, *ret_fd, is there. */
static uint16_t hold_port(int *ret_fd)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(a);

    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(*ret_fd >= 0);
    assert_int_equal(bind(*ret_fd, (const struct sockaddr *)&a, n), 0);
    assert_int_equal(getsockname(*ret_fd, (struct sockaddr *)&a, &n), 0);
    return ntohs(a.sin_port);
}

static void test_one_address(void **state)
{
    char address[JR_LISTEN_ADDRESS_MAX];
    JR_CLOSE int fd = -1;
    JR_CLOSE int fd6 = -1;
    enum jr_status st;
    int held[16];
    size_t n = 0;
    struct jr_error err;

    (void)state;
    assert_int_equal(jr_listen("127.0.0.1", 0, false, 16, &fd, address, &err), JR_OK);
    assert_true(strncmp(address, "127.0.0.1:", 10) == 0);
    assert_true(reached(AF_INET, port_of(address)));
    if (!have_ipv6())
        return;
    do /* the port may be taken at that address */
        st = jr_listen("::1", hold_port(&held[n++]), false, 16, &fd6, address, &err);
    while (st != JR_OK && n < JR_ARRAY_SIZE(held));
    assert_int_equal(st, JR_OK);
    assert_true(strncmp(address, "[::1]:", 6) == 0);
    assert_true(reached(AF_INET6, port_of(address)));
    assert_false(reached(AF_INET, port_of(address)));
    while (n > 0)
        (void)close(held[--n]);
}

static void test_faults(void **state)
{
    char address[JR_LISTEN_ADDRESS_MAX], other[JR_LISTEN_ADDRESS_MAX];
    JR_CLOSE int fd = -1;
    int second = -1;
    struct jr_error err;

    (void)state;
    assert_int_equal(jr_listen("[::1]", 0, false, 16, &fd, address, &err), JR_IO);
    assert_int_equal(jr_listen("127.0.0.1", 0, false, 16, &fd, address, &err), JR_OK);
    assert_int_equal(jr_listen("127.0.0.1", port_of(address), false, 16, &second, other, &err),
                     JR_IO);
    assert_non_null(strstr(err.msg, "Address already in use"));
    assert_int_equal(second, -1);
    assert_int_equal(jr_listen("203.0.113.7", 0, false, 16, &second, other, &err),
                     JR_IO); /* not ours */
}

/* Those who share a port are asked in turn, whoever is left in the end always. */
static void test_shared(void **state)
{
    char address[JR_LISTEN_ADDRESS_MAX], other[JR_LISTEN_ADDRESS_MAX];
    JR_CLOSE int fd = -1;
    int second = -1;
    struct jr_error err;
    uint16_t port;

    (void)state;
    assert_int_equal(jr_listen("127.0.0.1", 0, true, 16, &fd, address, &err), JR_OK);
    port = port_of(address);
    assert_int_equal(jr_listen("127.0.0.1", port, false, 16, &second, other, &err), JR_IO);
    assert_int_equal(jr_listen("127.0.0.1", port, true, 16, &second, other, &err), JR_OK);
    assert_string_equal(address, other);
    assert_int_equal(close(second), 0);
    for (int i = 0; i < 12; i++)
        assert_true(reached(AF_INET, port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_addresses),
        cmocka_unit_test(test_one_address),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
