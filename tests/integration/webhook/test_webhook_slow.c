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
    time_t until = time(NULL) + PATIENCE_S;

    assert_true(start[0] == 0 || wire_send(w, start, strlen(start)));
    while (wire_send(w, &more, 1)) {
        if (time(NULL) > until)
            fail_msg("a dripping client is not cut off");
        (void)nanosleep(&pause, NULL);
    }
}

static void test_deadlines(void **state)
{
    static const char head[] =
        "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    char body_head[256], hurried[256];
    struct process p;
    struct wire w;
    double closed = 0;

    (void)state;
    process_start(&p, (const char *[]){ "--header-timeout=300ms", "--request-timeout=1s",
                                        "--idle-timeout=500ms", NULL });
    (void)snprintf(body_head, sizeof(body_head), "%sContent-Length: 100000\r\n\r\n", head);
    (void)snprintf(hurried, sizeof(hurried),
                   "POST " VALIDATE
                   "?timeout=100ms HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                   "Content-Length: 100000\r\n\r\n");

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

    assert_int_equal(status_of(&p), 200);
    process_stop(&p);
}

/* Between two requests a connection may rest, but not for ever, and not by dripping the next one.
 */
static void test_idle(void **state)
{
    JR_FREE char *review = some_review();
    char text[2048], answer[4096];
    struct process p;
    struct wire w;
    int n;

    (void)state;
    process_start(&p, (const char *[]){ "--idle-timeout=300ms", NULL });
    n = snprintf(text, sizeof(text),
                 "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                 "Content-Length: %zu\r\n\r\n%s",
                 strlen(review), review);
    for (int dripping = 0; dripping < 2; dripping++) {
        wire_open(&p, &w);
        assert_true(wire_handshake(&w, 0));
        assert_true(wire_send(&w, text, (size_t)n));
        assert_true(wire_read(&w, answer, sizeof(answer)) > 0);
        if (dripping == 0)
            wire_await_end(&w);
        else
            drip(&w, "", 'P');
        wire_done(&w);
    }
    process_stop(&p);
}

/* ---- connections ---- */

/* Connections that never ask anything give way to those that do. */
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

static void test_memory(void **state)
{
    enum { HELD = 900000 };
    JR_FREE char *review = slurp("tests/vectors/wire/reviews/002-validate-CREATE-jobs.json");
    const struct ask_http ask = { .path = VALIDATE, .body = review };
    char *filler = malloc(HELD);
    struct process p;
    struct wire w;
    struct reply r;
    char head[256];
    time_t until;

    (void)state;
    process_start(
        &p, (const char *[]){ "--max-body-bytes=1000000", "--max-request-memory=1000000", NULL });
    http_ask(&p, &ask, &r);
    assert_int_equal(r.status, 200);
    reply_done(&r);

    (void)snprintf(head, sizeof(head),
                   "POST " VALIDATE " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                   "Content-Length: %d\r\n\r\n",
                   HELD + 1);
    assert_non_null(filler);
    memset(filler, ' ', HELD);
    wire_open(&p, &w);
    assert_true(wire_handshake(&w, 0));
    assert_true(wire_send(&w, head, strlen(head)));
    assert_true(wire_send(&w, filler, HELD));
    free(filler);
    await_metric(&p, "jobreeve_webhook_request_memory_bytes", HELD);

    http_ask(&p, &ask, &r);
    assert_int_equal(r.status, 503);
    assert_non_null(strcasestr(r.headers, "\nretry-after: "));
    reply_done(&r);

    wire_done(&w); /* lets go: the memory comes back */
    until = time(NULL) + PATIENCE_S;
    do {
        http_ask(&p, &ask, &r);
        reply_done(&r);
    } while (r.status == 503 && time(NULL) <= until);
    assert_int_equal(r.status, 200);
    assert_true(metric(&p, "jobreeve_webhook_request_memory_bytes") < HELD);
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
        cmocka_unit_test(test_deadlines),   cmocka_unit_test(test_idle),
        cmocka_unit_test(test_connections), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_crowd),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
