/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/http/conns_bench.h"

#include <arpa/inet.h>
#include <sys/socket.h>

void setup(struct bench *b, size_t max)
{
    const struct jr_conns_limits limits = { .max = max,
                                            .silent_max = max,
                                            .address_max = max,
                                            .held_max = 100,
                                            .header_ms = 10000,
                                            .request_ms = 30000,
                                            .idle_ms = 120000 };

    memset(b, 0, sizeof(*b));
    b->v.mono.ns = 1000 * SECOND;
    b->clock = jr_clock_of_virtual(&b->v);
    jr_conns_init(&b->conns, &limits, &b->clock);
    for (size_t i = 0; i < N_PAIRS; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, b->fd[i]), 0);
}

void teardown(struct bench *b)
{
    jr_conns_done(&b->conns);
    for (size_t i = 0; i < N_PAIRS; i++) {
        (void)close(b->fd[i][0]);
        (void)close(b->fd[i][1]);
    }
}

enum jr_conns_full add_from(struct bench *b, size_t i, const char *address)
{
    struct sockaddr_in four = { .sin_family = AF_INET };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
    bool is_six = inet_pton(AF_INET, address, &four.sin_addr) != 1;
    const struct sockaddr *from =
        is_six ? (const struct sockaddr *)&six : (const struct sockaddr *)&four;
    struct jr_conn *silent = NULL;
    enum jr_conns_full full;

    assert_true(!is_six || inet_pton(AF_INET6, address, &six.sin6_addr) == 1);
    full = jr_conns_add(&b->conns, &b->conn[i], b->fd[i][0], from, &silent);
    if (silent != NULL)
        jr_conns_remove(&b->conns, silent);
    return full;
}

enum jr_conns_full add(struct bench *b, size_t i)
{
    return add_from(b, i, "10.0.0.1");
}

void shake(struct bench *b, size_t i)
{
    bool known;

    assert_true(jr_conns_transfer(&b->conns, &b->conn[i], &known));
    jr_conns_transfer_finish(&b->conns, &b->conn[i], b->fd[i][0]);
}

void forward(struct bench *b, int64_t s)
{
    jr_clock_virtual_advance(&b->v, s * SECOND);
}

bool ended(const struct bench *b, size_t i)
{
    char c;

    return read(b->fd[i][1], &c, 1) == 0;
}

size_t reap(struct bench *b)
{
    int64_t wait_ns = 0;
    size_t n = jr_conns_reap(&b->conns, &wait_ns);

    assert_true(wait_ns > 0 && wait_ns <= SECOND);
    return n;
}

void bring_from(struct bench *b, size_t i, enum jr_conn_stage stage, const char *address)
{
    struct jr_conns *c = &b->conns;
    struct jr_conn *conn = &b->conn[i];

    forward(b, 1);
    assert_int_equal(add_from(b, i, address), JR_CONNS_ROOM);
    if (stage == JR_CONN_NEW)
        return;
    shake(b, i);
    if (stage == JR_CONN_TRANSFERRED) /* a thread hasn't come to it yet */
        return;
    jr_conns_open(c, conn);
    if (stage == JR_CONN_OPEN)
        return;
    jr_conns_heard(c, conn);
    if (stage != JR_CONN_HEADERS)
        jr_conns_request(c, conn);
    if (stage >= JR_CONN_ANSWERING)
        jr_conns_answer(c, conn);
    if (stage >= JR_CONN_SENDING)
        jr_conns_send(c, conn);
    if (stage == JR_CONN_IDLE)
        jr_conns_idle(c, conn);
}

void bring(struct bench *b, size_t i, enum jr_conn_stage stage)
{
    bring_from(b, i, stage, "10.0.0.1");
}

size_t first_ended(const struct bench *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ended(b, i))
            return i;
    }
    return n;
}
