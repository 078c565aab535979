/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that are slow, many, or greedy: each is bounded, and none stands in another's way. */
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

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "tests/integration/webhook/process.h"
#include "tests/unit/webhook/ask.h"

#define MUTATE "/mutate-batch-v1-job"
#define VALIDATE "/validate-batch-v1-job"
#define CLOSED(reason) "jobreeve_webhook_connections_closed_total{reason=\"" reason "\"}"

static char *some_review(void)
{
    static const struct pieces p = { .operation = "DELETE", .old_object = "{}" };

    return review_of(&p);
}

static long status_of(const struct process *p)
{
    JR_FREE char *review = some_review();
    struct reply r;

    http_ask(p, &(struct ask_http){ .path = VALIDATE, .body = review }, &r);
    reply_done(&r);
    return r.status;
}

/** Sends one byte after the other, each long before any measure of inactivity, until the other side
 * has had enough. */
static void drip(struct wire *w, const char *start, char more)
{
    const struct timespec pause = { .tv_nsec = 10000000 };
    time_t until = process_seconds() + PATIENCE_S;

    if (start[0] != 0 && !wire_send(w, start, strlen(start)))
        return; /* a slow machine: it was already */
    while (wire_send(w, &more, 1)) {
        if (process_seconds() > until)
            fail_msg("a dripping client is not cut off");
        (void)nanosleep(&pause, NULL);
    }
}

static void test_deadlines(void **state)
{
    char head[256], body_head[256], hurried[256];
    struct process p;
    struct wire w;
    double closed = 0;
    time_t until;

    (void)state;
    process_start(&p, (const char *[]){ "--header-timeout=300ms", "--request-timeout=1s",
                                        "--idle-timeout=500ms", NULL });
    (void)wire_head(body_head, sizeof(body_head), VALIDATE, "", 100000);
    (void)wire_head(hurried, sizeof(hurried), VALIDATE "?timeout=100ms", "", 100000);
    (void)snprintf(head, sizeof(head), "%.*s", (int)strlen(body_head) - 2, body_head);

    wire_open(&p, &w); /* says nothing */
    wire_await_end(&w);
    wire_done(&w);
    await_metric(&p, CLOSED("deadline"), ++closed);

    wire_open(&p, &w); /* shakes hands, says nothing */
    if (wire_handshake(&w, 0))
        wire_await_end(&w);
    wire_done(&w);
    await_metric(&p, CLOSED("deadline"), ++closed);

    wire_open(&p, &w); /* never comes to the headers' end */
    if (wire_handshake(&w, 0))
        drip(&w, head, 'X');
    wire_done(&w);
    await_metric(&p, CLOSED("deadline"), ++closed);

    wire_open(&p, &w); /* never comes to the body's end */
    if (wire_handshake(&w, 0))
        drip(&w, body_head, ' ');
    wire_done(&w);
    await_metric(&p, CLOSED("deadline"), ++closed);

    wire_open(&p, &w); /* has asked for less time, and gets less */
    if (wire_handshake(&w, 0))
        drip(&w, hurried, ' ');
    wire_done(&w);
    await_metric(&p, CLOSED("deadline"), ++closed);

    until = process_seconds() + PATIENCE_S;
    while (status_of(&p) != 200) /* a slow machine needs more than its time */
        assert_true(process_seconds() <= until);
    process_stop(&p);
}

/** Connects, and shakes hands in time; on a slow machine not at once. */
static void open_in_time(const struct process *p, struct wire *w)
{
    time_t until = process_seconds() + PATIENCE_S;

    wire_open(p, w);
    while (!wire_handshake(w, 0)) {
        assert_true(process_seconds() <= until);
        wire_done(w);
        wire_open(p, w);
    }
}

/** Connects and is answered, likewise. */
static void ask_in_time(const struct process *p, struct wire *w, const char *text, size_t n)
{
    time_t until = process_seconds() + PATIENCE_S;
    char answer[4096];

    open_in_time(p, w);
    while (!wire_send(w, text, n) || wire_read(w, answer, sizeof(answer)) == 0) {
        assert_true(process_seconds() <= until);
        wire_done(w);
        open_in_time(p, w);
    }
}

/* Between two requests a connection may rest, but not for ever, and not by dripping the next one.
 */
static void test_idle(void **state)
{
    JR_FREE char *review = some_review();
    char text[2048];
    size_t n = wire_request(text, sizeof(text), VALIDATE, "", review);
    struct process p;
    struct wire w;

    (void)state;
    process_start(&p, (const char *[]){ "--idle-timeout=300ms", "--header-timeout=300ms", NULL });
    for (int dripping = 0; dripping < 2; dripping++) {
        ask_in_time(&p, &w, text, n);
        if (dripping == 0)
            wire_await_end(&w);
        else
            drip(&w, "", 'P');
        wire_done(&w);
    }
    process_stop(&p);
}

/* API servers shake hands ahead of need: whoever has done so is served, though the time for
 * handshakes and headers is over. */
static void test_opened_ahead(void **state)
{
    JR_FREE char *review = some_review();
    char text[2048], answer[4096];
    size_t n = wire_request(text, sizeof(text), VALIDATE, "Connection: close\r\n", review);
    time_t until = process_seconds() + PATIENCE_S;
    bool answered;
    struct process p;

    (void)state;
    process_start(&p, (const char *[]){ "--header-timeout=300ms", NULL });
    do { /* again where the webhook has not read the client's last words in time */
        struct wire ahead, silent;

        assert_true(process_seconds() <= until);
        open_in_time(&p, &ahead);
        wire_open(&p, &silent); /* begins after it, and is ended before */
        wire_await_end(&silent);
        wire_done(&silent);
        answered = wire_send(&ahead, text, n) && wire_read_all(&ahead, answer, sizeof(answer)) > 0;
        wire_done(&ahead);
    } while (!answered);
    assert_non_null(strstr(answer, "HTTP/1.1 200 "));
    process_stop(&p);
}

/* ---- connections ---- */

/* Connections without a request are evicted for those with one. */
static void test_connections(void **state)
{
    enum { MAX = 8, EXTRA = 12 };
    struct wire silent[MAX + EXTRA];
    struct process p;

    (void)state;
    process_start(&p, (const char *[]){ "--max-connections=8", "--threads=3", NULL });
    for (size_t i = 0; i < JR_ARRAY_SIZE(silent); i++)
        wire_open(&p, &silent[i]);
    assert_int_equal(status_of(&p), 200);
    await_metric(&p, CLOSED("evicted"), EXTRA);
    for (size_t i = 0; i < EXTRA; i++) /* the oldest went first */
        wire_await_end(&silent[i]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(silent); i++)
        wire_done(&silent[i]);
    assert_int_equal(status_of(&p), 200);
    process_stop(&p);
}

/* ---- memory ---- */

/* A body of n bytes that never gets its last one. */
static void stall(const struct process *p, struct wire *w, size_t n)
{
    JR_FREE char *filler = malloc(n);
    char head[256];

    (void)wire_head(head, sizeof(head), VALIDATE, "", n + 1);
    assert_non_null(filler);
    memset(filler, ' ', n);
    wire_open(p, w);
    assert_true(wire_handshake(w, 0));
    assert_true(wire_send(w, head, strlen(head)));
    assert_true(wire_send(w, filler, n));
}

/* The review with n spaces behind it. */
static char *padded(const char *review, size_t n)
{
    size_t len = strlen(review);
    char *p = malloc(len + n + 1);

    assert_non_null(p);
    memcpy(p, review, len);
    memset(p + len, ' ', n);
    p[len + n] = 0;
    return p;
}

static long validate(const struct process *p, const char *body, bool *ret_retry)
{
    struct reply r;

    http_ask(p, &(struct ask_http){ .path = VALIDATE, .body = body }, &r);
    *ret_retry = strcasestr(r.headers, "\nretry-after: ") != NULL;
    reply_done(&r);
    return r.status;
}

/* Of 1,800,000 bytes a body that stalls holds 800,000. What needs less than the rest goes on; what
 * needs more has to wait, until another body makes the two of them too many: the older one gives
 * way. */
static void test_memory(void **state)
{
    enum { HELD = 800000, LESS = 400000 };
    JR_FREE char *review = slurp("tests/vectors/wire/reviews/002-validate-CREATE-jobs.json");
    JR_FREE char *costly = padded(review, 60000);
    time_t until = process_seconds() + PATIENCE_S;
    struct process p;
    struct wire old, young;
    bool retry;

    (void)state;
    process_start(
        &p, (const char *[]){ "--max-body-bytes=1800000", "--max-request-memory=1800000", NULL });
    assert_int_equal(validate(&p, costly, &retry), 200);
    stall(&p, &old, HELD);
    await_metric(&p, "jobreeve_webhook_request_memory_bytes", HELD + 1);
    assert_int_equal(validate(&p, review, &retry), 200);
    assert_int_equal(validate(&p, costly, &retry), 503);
    assert_true(retry);

    stall(&p, &young, LESS);
    wire_await_end(&old);
    await_metric(&p, "jobreeve_webhook_request_memory_bytes", LESS + 1);
    await_metric(&p, CLOSED("evicted"), 1);
    wire_done(&old);
    wire_done(&young); /* lets go: the memory comes back */
    while (validate(&p, costly, &retry) != 200)
        assert_true(process_seconds() <= until);
    process_stop(&p);
}

/* ---- many at once ---- */

struct crowd {
    const struct process *p;
    const char *bodies[4]; /* two for each endpoint */
    atomic_int wrong;
    atomic_int right;
};

/* Each request must get the answer to its own uid. */
static void *one_of_many(void *ctx)
{
    struct crowd *c = ctx;

    for (unsigned i = 0; i < 40; i++) {
        const char *body = c->bodies[i % 4];
        const struct ask_http a = { .path = i % 4 < 2 ? MUTATE : VALIDATE, .body = body };
        const char *uid = strstr(body, "\"uid\":\"");
        char want[64];
        struct reply r;

        (void)snprintf(want, sizeof(want), "%.45s", uid);
        http_ask(c->p, &a, &r);
        (void)atomic_fetch_add(
            r.status == 200 && strstr(r.body, want) != NULL ? &c->right : &c->wrong, 1);
        reply_done(&r);
    }
    return NULL;
}

static void test_crowd(void **state)
{
    enum { THREADS = 16 };
    static const char *const names[] = { "001-mutate-CREATE-jobs", "021-mutate-CREATE-jobs",
                                         "002-validate-CREATE-jobs",
                                         "005-validate-UPDATE-jobs-status" };
    struct crowd c = { .right = 0 };
    char *texts[4];
    pthread_t threads[THREADS];
    struct process p;

    (void)state;
    process_start(&p, (const char *[]){ "--threads=4", NULL });
    c.p = &p;
    for (size_t i = 0; i < 4; i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), "tests/vectors/wire/reviews/%s.json", names[i]);
        texts[i] = slurp(path);
        assert_non_null(texts[i]);
        c.bodies[i] = texts[i];
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, one_of_many, &c), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(c.wrong, 0);
    assert_int_equal(c.right, THREADS * 40);
    for (size_t i = 0; i < 4; i++)
        free(texts[i]);
    process_stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlines),    cmocka_unit_test(test_idle),
        cmocka_unit_test(test_opened_ahead), cmocka_unit_test(test_connections),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_crowd),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
