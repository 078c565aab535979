/* SPDX-License-Identifier: Apache-2.0 */
/* /metrics by HTTPS (--metrics-secure): its certificate, its versions of TLS, and clients that are
 * slow or many. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <cmocka.h>

#include "tests/integration/webhook/process.h"
#include "tests/unit/webhook/ask.h"

#define NS_S 1e9

/** What HTTPS and wires go to: the metrics in place of the webhook. */
static struct process metrics_of(const struct process *p)
{
    struct process m = *p;

    m.port = p->metrics_port;
    return m;
}

/** The HTTP status; 0 where there was none. */
static long scrape(const struct process *m)
{
    struct reply r;

    http_ask(m, &(struct ask_http){ .path = "/metrics", .content_type = "" }, &r);
    if (r.status == 200)
        assert_non_null(strstr(r.body, "\njobreeve_build_info{"));
    reply_done(&r);
    return r.status;
}

static bool speaks(const struct process *m, int max_version)
{
    struct wire w;
    bool shaken;

    wire_open(m, &w);
    shaken = wire_handshake(&w, max_version);
    wire_done(&w);
    return shaken;
}

/* By HTTPS alone; whoever connects after the files have changed sees the new certificate. */
static void test_certificate(void **state)
{
    struct process p, m;
    struct reply r;
    time_t until = process_seconds() + PATIENCE_S;

    (void)state;
    process_start(&p, (const char *[]){ "--metrics-secure", NULL });
    m = metrics_of(&p);
    assert_int_equal(scrape(&m), 200);
    http_get(p.metrics_port, "/metrics", &r);
    assert_int_equal(r.status, 0);
    reply_done(&r);
    http_get(p.health_port, "/readyz", &r);
    assert_int_equal(r.status, 200);
    reply_done(&r);

    pki_make(&p.pki, PKI_EC, 7200, NULL); /* nobody but the new one is trusted from here on */
    while (scrape(&m) != 200)
        assert_true(process_seconds() <= until);
    process_stop(&p);
}

static void test_versions(void **state)
{
    struct process p, m;

    (void)state;
    process_start(&p, (const char *[]){ "--metrics-secure", NULL });
    m = metrics_of(&p);
    assert_true(speaks(&m, 0));
    assert_true(speaks(&m, TLS1_2_VERSION));
    assert_false(speaks(&m, TLS1_1_VERSION));
    process_stop(&p);
    process_start(&p,
                  (const char *[]){ "--metrics-secure", "--tls-min-version=VersionTLS13", NULL });
    m = metrics_of(&p);
    assert_true(speaks(&m, 0));
    assert_false(speaks(&m, TLS1_2_VERSION));
    process_stop(&p);
}

/* ---- slow clients ---- */

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    assert_int_equal(clock_gettime(clock, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec / NS_S;
}

/** The CPU time that the process has taken. */
static double cpu_seconds_of(const struct process *p)
{
    clockid_t clock;

    assert_int_equal(clock_getcpuclockid(p->pid, &clock), 0);
    return seconds_of(clock);
}

enum slow {
    HALF_HELLO,
    HELLO_IN_HALVES, /* two records, of which the first comes */
    SILENT_AFTER_HELLO,
    SILENT_AFTER_HANDSHAKE,
    SLOW_KINDS
};

/** The first half of a hello, as a record of its own. */
static size_t cut_record(unsigned char *hello, size_t n)
{
    const size_t half = (n - 5) / 2;

    hello[3] = (unsigned char)(half >> 8);
    hello[4] = (unsigned char)half;
    return 5 + half;
}

static void open_slow(const struct process *m, enum slow kind, struct wire *w)
{
    unsigned char hello[4096];
    size_t n;

    wire_open(m, w);
    if (kind == SILENT_AFTER_HANDSHAKE) {
        (void)wire_handshake(w, 0);
        return;
    }
    n = wire_hello(w, hello, sizeof(hello));
    if (kind == HALF_HELLO)
        n /= 2;
    if (kind == HELLO_IN_HALVES)
        n = cut_record(hello, n);
    assert_int_equal(send(w->fd, hello, n, MSG_NOSIGNAL), n);
}

/* Each of them is ended by a deadline; meanwhile others are served, and waiting takes next to no
 * CPU time: a fiftieth of one CPU is far more than that, and less than going round in circles takes
 * on a busy machine. */
static void test_slow(void **state)
{
    enum { EACH = 10 };
    struct wire w[SLOW_KINDS * EACH];
    struct process p, m;
    double cpu, since;

    (void)state;
    process_start(&p, (const char *[]){ "--metrics-secure", NULL });
    m = metrics_of(&p);
    for (size_t i = 0; i < JR_ARRAY_SIZE(w); i++)
        open_slow(&m, (enum slow)(i / EACH), &w[i]);
    assert_int_equal(scrape(&m), 200);
    cpu = cpu_seconds_of(&p);
    since = seconds_of(CLOCK_MONOTONIC);
    for (size_t i = 0; i < JR_ARRAY_SIZE(w); i++)
        wire_await_end(&w[i]);
    cpu = cpu_seconds_of(&p) - cpu;
    since = seconds_of(CLOCK_MONOTONIC) - since;
    if (cpu * 50 > since)
        fail_msg("waiting %f s has taken %f s of CPU time", since, cpu);
    for (size_t i = 0; i < JR_ARRAY_SIZE(w); i++)
        wire_done(&w[i]);
    assert_int_equal(scrape(&m), 200);
    process_stop(&p);
}

/* More than there may be, from four addresses; and it ends while they are there. */
static void test_crowd(void **state)
{
    enum { CROWD = 200, ADDRESSES = 4, HALVES = 20 };
    struct wire w[CROWD + HALVES];
    struct process p, m;

    (void)state;
    process_start(&p, (const char *[]){ "--metrics-secure", NULL });
    m = metrics_of(&p);
    for (unsigned i = 0; i < CROWD; i++) {
        wire_open_from(&m, 1 + i % ADDRESSES, &w[i]);
        (void)wire_handshake(&w[i], 0); /* some are refused */
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(scrape(&m), 200);
    for (size_t i = CROWD; i < JR_ARRAY_SIZE(w); i++)
        open_slow(&m, (enum slow)(i % SILENT_AFTER_HANDSHAKE), &w[i]);
    process_stop(&p);
    for (size_t i = 0; i < JR_ARRAY_SIZE(w); i++)
        wire_done(&w[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_crowd),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
