/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that keep the webhook waiting, at their beginning or in the middle of a body: waiting
 * costs nothing, and whoever comes to the point is served. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <sys/socket.h>

#include "tests/integration/webhook/process.h"
#include "tests/unit/webhook/ask.h"

#define VALIDATE "/validate-batch-v1-job"
#define CLOSED(reason) "jobreeve_webhook_connections_closed_total{reason=\"" reason "\"}"
#define HEAD "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
#define HELLO_MAX 4096

static void let_pass(long ms)
{
    const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

    (void)nanosleep(&pause, NULL);
}

static bool try_raw(const struct wire *w, const void *p, size_t n)
{
    return send(w->fd, p, n, 0) == (ssize_t)n;
}

static void send_raw(const struct wire *w, const void *p, size_t n)
{
    assert_true(try_raw(w, p, n));
}

static char *some_review(void)
{
    static const struct pieces p = { .operation = "DELETE", .old_object = "{}" };

    return review_of(&p);
}

/* ---- the beginning ---- */

/* What the process has computed for, in ns. */
static int64_t cpu_ns(const struct process *p)
{
    struct timespec t;
    clockid_t clock;

    assert_int_equal(clock_getcpuclockid(p->pid, &clock), 0);
    assert_int_equal(clock_gettime(clock, &t), 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The client's last words of a handshake whose hello has been sent; 0: the webhook has hung up. */
static size_t finish_of(struct wire *w, unsigned char *out, size_t cap)
{
    BIO *from = SSL_get_rbio(w->ssl), *to = SSL_get_wbio(w->ssl);
    unsigned char got[HELLO_MAX];
    int n = 0;

    while (SSL_connect(w->ssl) != 1) {
        ssize_t more = wire_recv(w, got, sizeof(got));

        if (more <= 0)
            return 0;
        assert_int_equal(BIO_write(from, got, (int)more), more);
    }
    n = BIO_read(to, out, (int)cap);
    assert_true(n > 0);
    return (size_t)n;
}

enum { IN_HELLO, AFTER_HELLO, BEFORE_END, DONE, STEPS };

/* Comes so far and no further; false: was cut off before, as a slow machine can be. */
static bool shake_until(struct wire *w, int step)
{
    unsigned char hello[HELLO_MAX], last[HELLO_MAX];
    size_t n = wire_hello(w, hello, sizeof(hello));

    send_raw(w, hello, step > IN_HELLO ? n : n - 1);
    if (step < BEFORE_END)
        return true;
    n = finish_of(w, last, sizeof(last));
    return n > 0 && try_raw(w, last, step > BEFORE_END ? n : n - 1);
}

/* A handshake that waits for its client costs nothing meanwhile: in the middle of the hello, behind
 * it, one byte before its end, and when it is done. Seen: libmicrohttpd under epoll, which asked
 * again and again, all the time. */
static void test_half_a_handshake(void **state)
{
    enum { SECOND = 1000000000 };
    time_t until = process_seconds() + PATIENCE_S;
    struct process p;

    (void)state;
    process_start(&p, (const char *[]){ "--header-timeout=2s", "--idle-timeout=2s", NULL });
    for (int step = 0; step < STEPS;) {
        int64_t before = cpu_ns(&p);
        struct wire w;

        assert_true(process_seconds() <= until);
        wire_open(&p, &w);
        if (shake_until(&w, step))
            step++;
        wire_await_end(&w);
        wire_done(&w);
        assert_true(cpu_ns(&p) - before < SECOND / 4);
    }
    await_metric(&p, CLOSED("deadline"), STEPS);
    process_stop(&p);
}

static void ask_and_see(struct wire *w)
{
    JR_FREE char *review = some_review();
    char text[2048], answer[4096];
    size_t n = wire_request(text, sizeof(text), VALIDATE, "Connection: close\r\n", review);

    assert_true(wire_send(w, text, n));
    assert_true(wire_read_all(w, answer, sizeof(answer)) > 0);
    assert_non_null(strstr(answer, "HTTP/1.1 200 "));
}

/* A hello in pieces, cut where it might matter, is a hello. */
static void test_hello_in_pieces(void **state)
{
    static const size_t cuts[] = { 1, 4, 5, 6, 100 };
    unsigned char hello[HELLO_MAX];
    struct process p;

    (void)state;
    process_start(&p, NULL);
    for (size_t i = 0; i < JR_ARRAY_SIZE(cuts); i++) {
        struct wire w;
        size_t n;

        wire_open(&p, &w);
        n = wire_hello(&w, hello, sizeof(hello));
        send_raw(&w, hello, cuts[i]);
        let_pass(20); /* so that the pieces mostly come one by one */
        send_raw(&w, hello + cuts[i], n - 1 - cuts[i]);
        let_pass(20);
        send_raw(&w, hello + n - 1, 1);
        assert_true(wire_go_on(&w));
        ask_and_see(&w);
        wire_done(&w);
    }
    process_stop(&p);
}

/* What can't become a handshake is ended at once, and so is who goes away. */
static void test_no_hello(void **state)
{
    static const char *const texts[] = { "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                         "\x16\x02\x00\x00\x05", "\x16\x03\x01\x40\x01" };
    struct process p;
    struct wire w;

    (void)state;
    process_start(&p, NULL);
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        wire_open(&p, &w);
        send_raw(&w, texts[i], strlen(texts[i]) + (i == 1 ? 2 : 0));
        wire_await_end(&w);
        wire_done(&w);
    }
    await_metric(&p, CLOSED("not-tls"), 3);

    wire_open(&p, &w); /* part of a hello, and no more of it */
    send_raw(&w, "\x16\x03", 2);
    assert_int_equal(shutdown(w.fd, SHUT_WR), 0);
    wire_await_end(&w);
    wire_done(&w);
    process_stop(&p);
}

/* ---- the body ---- */

/* Time for the webhook to read what has been sent. */
#define READ_MS 150

static void send_slowly(struct wire *w, const char *body, bool chunked)
{
    for (size_t n = strlen(body), i = 0; i < n; i++) {
        char piece[16];
        int len = snprintf(piece, sizeof(piece), chunked ? "1\r\n%c\r\n" : "%c", body[i]);

        if (i < 2)
            let_pass(READ_MS);
        else if (i % 16 == 0)
            let_pass(1);
        assert_true(wire_send(w, piece, (size_t)len));
    }
    assert_true(!chunked || wire_send(w, "0\r\n\r\n", 5));
}

/* A body that comes byte by byte is read to its end, with and without its length told, and so is
 * the next one of the same connection. */
static void test_slow_body(void **state)
{
    JR_FREE char *review = some_review();
    char head[512], answer[4096];
    struct process p;

    (void)state;
    process_start(&p, (const char *[]){ "--threads=2", NULL });
    for (int chunked = 0; chunked < 2; chunked++) {
        struct wire w;

        wire_open(&p, &w);
        assert_true(wire_handshake(&w, 0));
        for (int again = 0; again < 2; again++) {
            if (chunked == 1)
                (void)snprintf(head, sizeof(head), HEAD "Transfer-Encoding: chunked\r\n\r\n");
            else
                (void)wire_head(head, sizeof(head), VALIDATE, "", strlen(review));
            assert_true(wire_send(&w, head, strlen(head)));
            send_slowly(&w, review, chunked == 1);
            memset(answer, 0, sizeof(answer));
            assert_true(wire_read(&w, answer, sizeof(answer) - 1) > 0);
            assert_non_null(strstr(answer, "HTTP/1.1 200 "));
            /* the rest of the answer, if it came apart */
            while (strstr(answer, "\"allowed\":true") == NULL) {
                size_t have = strlen(answer);

                assert_true(wire_read(&w, answer + have, sizeof(answer) - 1 - have) > 0);
            }
        }
        wire_done(&w);
    }
    process_stop(&p);
}

/* Several chunks that come at once, some time after the headers, and then nothing more: all of them
 * are read. */
static void test_chunks_at_once(void **state)
{
    JR_FREE char *review = some_review();
    const size_t n = strlen(review);
    char text[4096], answer[4096];
    struct process p;
    struct wire w;
    int len;

    (void)state;
    process_start(&p, NULL);
    wire_open(&p, &w);
    assert_true(wire_handshake(&w, 0));
    assert_true(wire_send(&w, HEAD "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
                          strlen(HEAD "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")));
    let_pass(READ_MS);
    len = snprintf(text, sizeof(text), "%zx\r\n%.*s\r\n%zx\r\n%s\r\n0\r\n\r\n", n / 2, (int)(n / 2),
                   review, n - n / 2, review + n / 2);
    assert_true(wire_send(&w, text, (size_t)len));
    assert_true(wire_read_all(&w, answer, sizeof(answer)) > 0);
    assert_non_null(strstr(answer, "HTTP/1.1 200 "));
    wire_done(&w);
    process_stop(&p);
}

/* A body that has been given up on by its client, or by us at the end, ends well. */
static void test_end_while_waiting(void **state)
{
    char head[256];
    size_t n = wire_head(head, sizeof(head), VALIDATE, "", 1000);
    struct process p;
    struct wire gone, stays;

    (void)state;
    process_start(&p, (const char *[]){ "--request-timeout=10s", "--header-timeout=10s",
                                        "--threads=1", NULL });
    wire_open(&p, &gone);
    wire_open(&p, &stays);
    assert_true(wire_handshake(&gone, 0) && wire_handshake(&stays, 0));
    assert_true(wire_send(&gone, head, n) && wire_send(&stays, head, n));
    let_pass(READ_MS);
    assert_true(wire_send(&gone, "{", 1) && wire_send(&stays, "{", 1));
    let_pass(20);
    wire_done(&gone);
    await_metric(
        &p, "controller_runtime_webhook_requests_total{code=\"499\",webhook=\"" VALIDATE "\"}", 1);
    process_stop(&p);
    wire_done(&stays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_a_handshake), cmocka_unit_test(test_hello_in_pieces),
        cmocka_unit_test(test_no_hello),         cmocka_unit_test(test_slow_body),
        cmocka_unit_test(test_chunks_at_once),   cmocka_unit_test(test_end_while_waiting),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
