/* SPDX-License-Identifier: Apache-2.0 */
/* The curl transport: requests, answers, and what came of those that got none. */
#include <arpa/inet.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "tests/support/without_memory.h"
#include "tests/unit/kube/curl_world.h"

/* ---- requests ---- */

static void test_requests(void **state)
{
    struct world w;
    struct outcome o;
    char host[64];

    (void)state;
    world_init(&w);
    (void)snprintf(host, sizeof(host), "host=127.0.0.1:%d;", server_port(w.server));
    o = ask(&w, "GET", "/ok?a=b", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_has(o.body, "line=GET /ok?a=b HTTP/1.1;");
    o = ask(&w, "GET", "/ok/../b?a=b", NULL); /* as it was asked for */
    assert_has(o.body, "line=GET /ok/../b?a=b HTTP/1.1;");
    assert_has(o.body, host);
    assert_has(o.body, "accept=application/json;type=;agent=" AGENT ";auth=;expect=;body=;n=0");
    o = ask(&w, "POST", "/ok", "{\"a\":1}");
    assert_has(o.body, "line=POST /ok HTTP/1.1;");
    assert_has(o.body, "type=application/json;");
    assert_has(o.body, "body={\"a\":1};n=7");
    o = ask(&w, "PUT", "/ok", "x");
    assert_has(o.body, "line=PUT /ok HTTP/1.1;");
    assert_has(o.body, "body=x;n=1");
    o = ask(&w, "DELETE", "/ok", NULL);
    assert_has(o.body, "line=DELETE /ok HTTP/1.1;");
    assert_has(o.body, "type=;");
    o = ask(&w, "DELETE", "/ok", "{}");
    assert_has(o.body, "body={};n=2");
    o = ask(&w, "POST", "/ok", NULL);
    assert_has(o.body, "line=POST /ok HTTP/1.1;");
    assert_has(o.body, "body=;n=0");
    o = ask(&w, "GET", "/ok", NULL);
    assert_has(o.body, "line=GET /ok HTTP/1.1;");
    assert_int_equal(server_connections(w.server), 1); /* one for all of them */
    world_done(&w);
}

static void test_headers(void **state)
{
    struct jr_http_request req = {
        .method = "PATCH",
        .path = "/ok",
        .accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        .content_type = "application/json-patch+json"
    };
    struct world w;
    struct outcome o = { 0 };
    char *large = calloc(1, (3u << 20) + 1);

    (void)state;
    assert_non_null(large);
    memset(large, 'x', 3u << 20);
    req.body = (struct jr_str){ large, 3u << 20 };
    world_init(&w);
    start(&w, &req, &o);
    memset(large, 'y', 3u << 20); /* borrowed no longer */
    until(&w, &o.n, 1);
    assert_has(o.body, "accept=application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;");
    assert_has(o.body, "type=application/json-patch+json;");
    assert_has(o.body, "expect=;body=xxx");
    assert_has(o.body, ";n=3145728");
    free(large);
    world_done(&w);
}

static void test_answers(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    world_init(&w);
    o = ask(&w, "POST", "/code/429", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 429);
    assert_int_equal(o.a.retry_after_s, 7);
    assert_has(o.body, "\"message\":\"m\"");
    o = ask(&w, "GET", "/code/503", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 503);
    o = ask(&w, "GET", "/redirect", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 302); /* not followed */
    assert_int_equal(server_requests(w.server), 3);
    world_done(&w);
}

static void test_many_at_once(void **state)
{
    struct world w;
    struct outcome o[50] = { 0 };
    int done = 0;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++)
        start(&w, &(struct jr_http_request){ .method = "POST", .path = "/ok", .body = JR_S("{}") },
              &o[i]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++) {
        until(&w, &o[i].n, 1);
        assert_outcome(&o[i], JR_HTTP_DONE, 200);
        done += o[i].n;
    }
    assert_int_equal(done, JR_ARRAY_SIZE(o));
    world_done(&w);
}

/** An HTTP/1.1 server: a burst opens no more connections than there may be, and what comes after
 * it, one by one or in a burst, goes over those. */
static void test_connections_are_kept(void **state)
{
    struct world w;

    (void)state;
    world_init(&w);
    for (int burst = 0; burst < 8; burst++) {
        struct outcome o[50] = { 0 }, alone;

        for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++)
            start(&w, &(struct jr_http_request){ .method = "GET", .path = "/ok" }, &o[i]);
        for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++) {
            until(&w, &o[i].n, 1);
            assert_outcome(&o[i], JR_HTTP_DONE, 200);
        }
        alone = ask(&w, "GET", "/ok", NULL);
        assert_outcome(&alone, JR_HTTP_DONE, 200);
    }
    assert_in_range(server_connections(w.server), 2, 16);
    world_done(&w);
}

static void test_waiting_for_a_turn(void **state)
{
    const struct jr_http_request silent = { .method = "GET", .path = "/silent" };
    const struct jr_http_request hasty = { .method = "POST", .path = "/ok", .timeout_ms = 90000 };
    const struct jr_http_request usual = { .method = "GET", .path = "/ok" };
    struct outcome first[16] = { 0 }, late = { 0 }, cancelled = { 0 }, last = { 0 }, never = { 0 };
    struct world w;

    (void)state;
    world_init(&w); /* an HTTP/1.1 server: so many connections, and no more */
    for (size_t i = 0; i < JR_ARRAY_SIZE(first); i++)
        start(&w, &silent, &first[i]);
    start(&w, &hasty, &late);
    start(&w, &usual, &cancelled);
    start(&w, &usual, &last);
    until_requests(&w, JR_ARRAY_SIZE(first));
    w.t.cancel(w.t.self, cancelled.call);
    w.ahead_ns += 90 * JR_SEC;
    until(&w, &late.n, 1);
    assert_outcome(&late, JR_HTTP_NOT_SENT, 0);
    assert_int_equal(late.a.error.status, JR_TIMEOUT);
    assert_int_equal(last.n, 0);
    w.t.cancel(w.t.self, first[3].call);
    until(&w, &last.n, 1);
    assert_outcome(&last, JR_HTTP_DONE, 200);
    assert_int_equal(cancelled.n, 0);
    start(&w, &silent, &cancelled);
    start(&w, &usual, &never);
    world_done(&w); /* while one waits */
    assert_int_equal(never.n, 0);
}

static void test_sending_from_inside_a_handler(void **state)
{
    struct world w;
    struct outcome second = { 0 }, first = { .then = &second };

    (void)state;
    world_init(&w);
    start(&w, &(struct jr_http_request){ .method = "GET", .path = "/ok" }, &first);
    until(&w, &second.n, 1);
    assert_int_equal(first.n, 1);
    assert_outcome(&second, JR_HTTP_DONE, 200);
    world_done(&w);
}

/* ---- what came of it ---- */

static void test_connection_refused(void **state)
{
    struct world w;
    struct outcome o[20] = { 0 };
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char url[64];

    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&a, n),
                     0); /* bound, not listening: nobody else's */
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    world_new(&w, false, false);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%d", ntohs(a.sin_port));
    set(&w.config.server, url);
    world_connect(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++)
        start(&w,
              &(struct jr_http_request){
                  .method = "POST", .path = "/ok", .own_connection = i % 2 == 0 },
              &o[i]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(o); i++) {
        until(&w, &o[i].n, 1);
        assert_outcome(&o[i], JR_HTTP_NOT_SENT, 0);
        assert_has(o[i].a.error.msg, url);
    }
    (void)close(fd);
    world_done(&w);
}

static void test_an_unknown_host(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    world_new(&w, false, false);
    set(&w.config.server, "https://nowhere.invalid:1");
    world_connect(&w);
    o = ask(&w, "POST", "/ok", "{}");
    assert_outcome(&o, JR_HTTP_NOT_SENT, 0);
    world_done(&w);
}

static void test_fresh_connections(void **state)
{
    const struct jr_http_request fresh = {
        .method = "GET", .path = "/ok", .own_connection = true, .fresh_connection = true
    };
    const struct jr_http_request kept = { .method = "GET", .path = "/ok", .own_connection = true };
    const struct jr_http_request *const order[] = { &kept, &fresh, &fresh, &kept, &fresh, &kept };
    static const int connections[] = { 1, 2, 3, 3, 4, 4 };
    struct world w;

    (void)state;
    world_init(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(order); i++) {
        struct outcome o = { .n = 0 };

        send_with(&w, order[i], &o, false);
        until(&w, &o.n, 1);
        assert_outcome(&o, JR_HTTP_DONE, 200);
        assert_int_equal(server_connections(w.server), connections[i]);
    }
    world_done(&w);
}

static void test_cut_after_the_request(void **state)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "DELETE" };
    static const char *const paths[] = { "/cut", "/half" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(methods); i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(paths); k++) {
            struct world w;
            struct outcome o;

            world_init(&w);
            o = ask(&w, methods[i], paths[k], NULL);
            assert_outcome(&o, JR_HTTP_AMBIGUOUS, k == 0 ? 0 : 200);
            assert_int_equal(server_requests(w.server), 1);
            world_done(&w);
        }
    }
}

static void test_cut_on_a_used_connection(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    world_init(&w);
    (void)ask(&w, "GET", "/ok", NULL);
    /* libcurl takes a used connection that dies for a stale one, and would send the same create
     * again. */
    o = ask(&w, "POST", "/cut", "{}");
    assert_outcome(&o, JR_HTTP_AMBIGUOUS, 0);
    assert_int_equal(server_requests(w.server), 2);
    world_done(&w);
}

static void test_no_answer_in_time(void **state)
{
    static const char *const paths[] = { "/silent", "/hang" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(paths); i++) {
        const struct jr_http_request req = { .method = "PUT",
                                             .path = paths[i],
                                             .timeout_ms = 90000 };
        struct world w;
        struct outcome o = { 0 }, other;

        world_init(&w);
        start(&w, &req, &o);
        until_requests(&w, 1);
        w.ahead_ns += 90 * JR_SEC;
        until(&w, &o.n, 1);
        assert_int_equal(o.a.outcome, JR_HTTP_AMBIGUOUS);
        assert_int_equal(o.a.error.status, JR_TIMEOUT);
        other = ask(&w, "GET", "/ok", NULL); /* on another connection */
        assert_outcome(&other, JR_HTTP_DONE, 200);
        world_done(&w);
    }
}

static void test_an_answer_too_large(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    world_init(&w);
    o = ask(&w, "POST", "/big", "{}");
    assert_outcome(&o, JR_HTTP_AMBIGUOUS, 200);
    assert_int_equal(o.a.error.status, JR_LIMIT);
    o = ask(&w, "GET", "/big", NULL); /* lists may be that large */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(o.body_n, 20u << 20);
    world_done(&w);
}

struct permission {
    int asked, allow;
};

static bool may_send(void *ctx)
{
    struct permission *p = ctx;

    return p->asked++ < p->allow;
}

static void test_may_send(void **state)
{
    struct permission p = { .allow = 1 };
    struct jr_http_request req = { .method = "POST", .path = "/ok", .may_send = may_send };
    struct world w;
    struct outcome yes = { 0 }, no = { 0 };

    (void)state;
    req.may_send_ctx = &p;
    world_init(&w);
    start(&w, &req, &yes);
    assert_int_equal(p.asked, 0); /* not before it goes out */
    until(&w, &yes.n, 1);
    assert_outcome(&yes, JR_HTTP_DONE, 200);
    assert_int_equal(p.asked, 1);
    start(&w, &req, &no);
    until(&w, &no.n, 1);
    assert_outcome(&no, JR_HTTP_NOT_SENT, 0);
    assert_int_equal(no.a.error.status, JR_DENIED);
    assert_int_equal(server_requests(w.server), 1);
    yes = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&yes, JR_HTTP_DONE, 200);
    world_done(&w);
}

static void test_cancel(void **state)
{
    struct world w;
    struct outcome early = { 0 }, late = { 0 }, other;

    (void)state;
    world_init(&w);
    start(&w, &(struct jr_http_request){ .method = "GET", .path = "/ok" }, &early);
    w.t.cancel(w.t.self, early.call);
    start(&w, &(struct jr_http_request){ .method = "GET", .path = "/silent" }, &late);
    until_requests(&w, 1);
    w.t.cancel(w.t.self, late.call);
    other = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&other, JR_HTTP_DONE, 200);
    assert_int_equal(early.n + late.n, 0);
    start(&w, &(struct jr_http_request){ .method = "GET", .path = "/silent" }, &late);
    world_done(&w); /* with one in flight */
    assert_int_equal(late.n, 0);
}

/* ---- sockets that can't be watched ---- */

static int failing_op; /* of epoll_ctl; 0: none */

/* In place of libc's. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *ev)
{
    if (op == failing_op) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_epoll_ctl, epfd, op, fd, ev);
}

/** With a server of its own: its threads are not to be there when the process is forked. */
static void ask_unwatched(void *ctx)
{
    const int *op = ctx;
    struct world w;

    world_init(&w);
    failing_op = *op;
    (void)ask(&w, "GET", "/ok", NULL);
}

/** Nothing would come of the request, so the process ends with what has happened. */
static void test_unwatched(void **state)
{
    int ops[] = { EPOLL_CTL_ADD, EPOLL_CTL_MOD };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(ops); i++)
        assert_true(jr_ends_saying(ask_unwatched, &ops[i], ": No space left on device\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_connections_are_kept),
        cmocka_unit_test(test_waiting_for_a_turn),
        cmocka_unit_test(test_sending_from_inside_a_handler),
        cmocka_unit_test(test_connection_refused),
        cmocka_unit_test(test_an_unknown_host),
        cmocka_unit_test(test_fresh_connections),
        cmocka_unit_test(test_cut_after_the_request),
        cmocka_unit_test(test_cut_on_a_used_connection),
        cmocka_unit_test(test_no_answer_in_time),
        cmocka_unit_test(test_an_answer_too_large),
        cmocka_unit_test(test_may_send),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_unwatched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
