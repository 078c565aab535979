/* SPDX-License-Identifier: Apache-2.0 */
/* The plain listener: addresses, and answers over real sockets on a real loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "common/base/num.h"
#include "common/http/listener.h"

/* ---- requests ---- */

struct world {
    struct jr_loop *loop;
    struct jr_listener *l;
    int asked;
    char path[64];
    char query[128];
};

static int on_get(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                  const char **ret_content_type)
{
    struct world *w = ctx;

    w->asked++;
    (void)snprintf(w->path, sizeof(w->path), "%.*s", JR_P(path));
    (void)snprintf(w->query, sizeof(w->query), "%.*s", JR_P(query));
    if (jr_str_is(path, "/big")) {
        for (int i = 0; i < 100000; i++)
            (void)jr_buf_adds(body, "0123456789");
        return 200;
    }
    if (jr_str_is(path, "/huge")) { /* more than both sockets take */
        for (int i = 0; i < 2000000; i++)
            (void)jr_buf_adds(body, "0123456789");
        return 200;
    }
    if (jr_str_is(path, "/json")) {
        *ret_content_type = "application/json";
        (void)jr_buf_adds(body, "{}");
        return 200;
    }
    (void)jr_buf_adds(body, "not here");
    return jr_str_is(path, "/empty") ? (jr_buf_reset(body), 503) : 404;
}

static void world_init_by(struct world *w, const char *address, const struct jr_clock *clock)
{
    struct jr_flag_addr a;
    struct jr_error err = { 0 };

    *w = (struct world){ 0 };
    assert_int_equal(jr_flag_addr_parse(jr_str(address), &a, &err), JR_OK);
    assert_int_equal(jr_loop_new(clock, &w->loop, &err), JR_OK);
    if (jr_listener_new(&(struct jr_listener_service){ .loop = w->loop, .fn = on_get, .ctx = w },
                        &a, &w->l, &err) != JR_OK)
        fail_msg("%s: %s", address, err.msg);
}

static void world_init(struct world *w, const char *address)
{
    world_init_by(w, address, &jr_clock_system);
}

static void world_done(struct world *w)
{
    jr_listener_free(w->l);
    jr_loop_free(w->loop);
}

static int connect_to(const struct world *w)
{
    struct jr_str address = jr_str(jr_listener_address(w->l));
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int64_t port;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(
        jr_parse_i64(jr_str_from(address, (size_t)jr_str_rfind(address, ':') + 1), 1, 65535, &port),
        JR_OK);
    to.sin_port = htons((uint16_t)port);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static void send_all(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/** Turns the loop until the server has closed, or `enough` is in what came. */
static void read_all(struct world *w, int fd, const char *enough, struct jr_buf *out)
{
    for (int turns = 0; turns < 2000; turns++) {
        char part[16384];
        ssize_t n = recv(fd, part, sizeof(part), 0);

        if (n == 0)
            return;
        if (n > 0)
            assert_int_equal(jr_buf_add(out, (struct jr_str){ part, (size_t)n }), JR_OK);
        if (enough != NULL && out->n > 0 && strstr(out->p, enough) != NULL)
            return;
        assert_int_equal(jr_loop_turn(w->loop, 10 * JR_MSEC, &(bool){ false }, NULL), JR_OK);
    }
    fail_msg("no end of the answer");
}

static void turn_some(struct world *w)
{
    for (int i = 0; i < 20; i++)
        assert_int_equal(jr_loop_turn(w->loop, 0, &(bool){ false }, NULL), JR_OK);
}

/** Nothing more can come. */
static bool is_ended(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLRDHUP };

    return poll(&p, 1, 0) > 0 && (p.revents & POLLRDHUP) != 0;
}

/** Reads what has been sent, up to the end. False: there is none. */
static bool ends(struct world *w, int fd)
{
    static char part[1 << 20];

    for (int turns = 0; turns < 200; turns++) {
        ssize_t n;

        while ((n = recv(fd, part, sizeof(part), 0)) > 0)
            continue;
        if (n == 0 || errno != EAGAIN)
            return true;
        turn_some(w);
        (void)poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 10);
    }
    return false;
}

static void test_answers(void **state)
{
    static const struct {
        const char *request, *status, *has, *body;
        const char *path, *query;
        int asked;
    } rows[] = {
        { "GET /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 ",
          "Content-Type: application/json\r\n", "\r\n\r\n{}", "/json", "", 1 },
        { "GET /a/b?c=d%20e&f HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 404 ",
          "Content-Type: text/plain; charset=utf-8\r\n", "\r\n\r\nnot here", "/a/b", "c=d%20e&f",
          1 },
        { "HEAD /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 ",
          "Content-Length: 2\r\n", "\r\n\r\n", "/json", "", 1 },
        { "GET /empty HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 503 ",
          "Content-Length: 0\r\n", "\r\n\r\n", "/empty", "", 1 },
        { "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody",
          "HTTP/1.1 405 ", "Allow: GET, HEAD\r\n", "method not allowed\n", "", "", 0 },
        { "DELETE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 405 ",
          "Allow: GET, HEAD\r\n", "method not allowed\n", "", "", 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;
        JR_BUF got = { 0 };
        int fd;

        world_init(&w, "127.0.0.1:0");
        assert_true(jr_str_starts(jr_str(jr_listener_address(w.l)), JR_S("127.0.0.1:")));
        jr_buf_init(&got, (size_t)1 << 20);
        fd = connect_to(&w);
        send_all(fd, rows[i].request);
        read_all(&w, fd, NULL, &got);
        if (!jr_str_starts(jr_buf_str(&got), jr_str(rows[i].status)) ||
            strstr(got.p, rows[i].has) == NULL ||
            !jr_str_ends(jr_buf_str(&got), jr_str(rows[i].body)) || w.asked != rows[i].asked ||
            strcmp(w.path, rows[i].path) != 0 || strcmp(w.query, rows[i].query) != 0)
            fail_msg("%s\nanswered (path %s, query %s)\n%s", rows[i].request, w.path, w.query,
                     got.p);
        (void)close(fd);
        world_done(&w);
    }
}

/** More than a socket takes at once; two requests on one connection. */
static void test_big_and_again(void **state)
{
    struct world w;
    JR_BUF got = { 0 };
    int fd;

    (void)state;
    world_init(&w, ":0");
    jr_buf_init(&got, (size_t)4 << 20);
    fd = connect_to(&w);
    send_all(fd, "GET /json HTTP/1.1\r\nHost: x\r\n\r\n");
    read_all(&w, fd, "\r\n\r\n{}", &got);
    jr_buf_reset(&got);
    send_all(fd, "GET /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    read_all(&w, fd, NULL, &got);
    assert_true(got.n > 1000000);
    assert_int_equal(w.asked, 2);
    (void)close(fd);
    world_done(&w);
}

static void test_rubbish_and_long_heads(void **state)
{
    static const char *const heads[] = { "rubbish\r\n\r\n", "GET\r\n\r\n" };
    struct world w;

    (void)state;
    world_init(&w, "127.0.0.1:0");
    for (size_t i = 0; i < JR_ARRAY_SIZE(heads); i++) {
        int fd = connect_to(&w);
        JR_BUF got = { 0 };

        jr_buf_init(&got, 65536);
        send_all(fd, heads[i]);
        (void)shutdown(fd, SHUT_WR);
        read_all(&w, fd, NULL, &got);
        (void)close(fd);
    }
    {
        static char head[40000];
        int fd = connect_to(&w);
        JR_BUF got = { 0 };

        jr_buf_init(&got, 65536);
        (void)snprintf(head, sizeof(head), "GET /x HTTP/1.1\r\nLong: %039000d", 0);
        send_all(fd, head);
        for (int i = 0; i < 50; i++)
            assert_int_equal(jr_loop_turn(w.loop, 5 * JR_MSEC, &(bool){ false }, NULL), JR_OK);
        assert_int_equal(w.asked, 0);
        (void)close(fd);
    }
    /* It still serves. */
    {
        int fd = connect_to(&w);
        JR_BUF got = { 0 };

        jr_buf_init(&got, 65536);
        send_all(fd, "GET /json HTTP/1.0\r\n\r\n");
        read_all(&w, fd, NULL, &got);
        assert_int_equal(w.asked, 1);
        (void)close(fd);
    }
    world_done(&w);
}

/** Freed with connections open. */
static void test_freed_while_open(void **state)
{
    struct world w;
    int fd;

    (void)state;
    world_init(&w, "127.0.0.1:0");
    fd = connect_to(&w);
    send_all(fd, "GET /json HTTP/1.1\r\nHo");
    for (int i = 0; i < 5; i++)
        assert_int_equal(jr_loop_turn(w.loop, 0, &(bool){ false }, NULL), JR_OK);
    world_done(&w);
    (void)close(fd);
}

/* When the server ends a connection, by what its client has sent and then no more: counted from
 * accept(2) to the end of a request, of its answer, or from there. */
static void test_deadlines(void **state)
{
    static const struct {
        const char *sent;
        int64_t ms;
    } rows[] = {
        { "", 2000 },
        { "GET /json HT", 2000 },
        { "GET /json HTTP/1.1\r\nHost: x\r\nA: ", 2000 },
        { "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nbody", 2000 },
        { "GET /json HTTP/1.1\r\nHost: x\r\n\r\n", 10000 },
        { "GET /huge HTTP/1.1\r\nHost: x\r\n\r\n", 10000 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_clock_virtual v = { .mono = { JR_SEC } };
        struct jr_clock clock = jr_clock_of_virtual(&v);
        struct world w;
        int fd;

        world_init_by(&w, "127.0.0.1:0", &clock);
        fd = connect_to(&w);
        send_all(fd, rows[i].sent);
        turn_some(&w);
        jr_clock_virtual_advance(&v, (rows[i].ms - 1) * JR_MSEC);
        turn_some(&w);
        if (is_ended(fd))
            fail_msg("row %zu: ended too early", i);
        jr_clock_virtual_advance(&v, JR_MSEC + JR_SEC); /* deadlines are looked at each second */
        turn_some(&w);
        if (!ends(&w, fd))
            fail_msg("row %zu: not ended", i);
        (void)close(fd);
        world_done(&w);
    }
}

static void test_taken_port(void **state)
{
    struct world w;
    struct jr_flag_addr a = { .host = "127.0.0.1" };
    struct jr_listener *l = NULL;
    struct jr_error err = { 0 };
    struct jr_str address;
    int64_t port;

    (void)state;
    world_init(&w, "127.0.0.1:0");
    address = jr_str(jr_listener_address(w.l));
    assert_int_equal(
        jr_parse_i64(jr_str_from(address, (size_t)jr_str_rfind(address, ':') + 1), 1, 65535, &port),
        JR_OK);
    a.port = (uint16_t)port;
    assert_int_equal(jr_listener_new(&(struct jr_listener_service){ .loop = w.loop, .fn = on_get },
                                     &a, &l, &err),
                     JR_IO);
    assert_non_null(strstr(err.msg, "127.0.0.1"));
    assert_null(l);
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_big_and_again),
        cmocka_unit_test(test_rubbish_and_long_heads),
        cmocka_unit_test(test_freed_while_open),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_taken_port),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
