/* SPDX-License-Identifier: Apache-2.0 */
/* An API server of several addresses: one that refuses, one that is silent, and upgrades that roll
 * from one to the other. Names are resolved by this program's own getaddrinfo. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>

#include "common/base/num.h"
#include "tests/unit/kube/curl_world.h"

#define NAME "api.test"
#define FIRST "127.0.0.1"
#define SECOND "127.0.0.2"
#define TRIES 8 /* connections: each begins with either address */

/* ---- the resolver, which libcurl asks from a thread of its own ---- */

static const char *addresses[2]; /* what the name stands for; changed while nobody asks */

static struct addrinfo *one(const char *address, int port, struct addrinfo *next)
{
    struct addrinfo *ai = calloc(1, sizeof(*ai));
    struct sockaddr_in *a = calloc(1, sizeof(*a));

    if (ai == NULL || a == NULL)
        abort();
    a->sin_family = AF_INET;
    a->sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, address, &a->sin_addr) != 1)
        abort();
    *ai = (struct addrinfo){ .ai_family = AF_INET,
                             .ai_socktype = SOCK_STREAM,
                             .ai_protocol = IPPROTO_TCP,
                             .ai_addrlen = sizeof(*a),
                             .ai_addr = (struct sockaddr *)a,
                             .ai_next = next };
    return ai;
}

/* In the place of libc's. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret)
{
    struct addrinfo *list = NULL;
    int64_t port = 0;

    (void)hints;
    if (strcmp(node, NAME) != 0 || jr_parse_i64(jr_str(service), 0, UINT16_MAX, &port) != JR_OK)
        return EAI_NONAME;
    for (size_t i = JR_ARRAY_SIZE(addresses); i-- > 0;) {
        if (addresses[i] != NULL)
            list = one(addresses[i], (int)port, list);
    }
    *ret = list;
    return list == NULL ? EAI_NONAME : 0;
}

void freeaddrinfo(struct addrinfo *ai)
{
    while (ai != NULL) {
        struct addrinfo *next = ai->ai_next;

        free(ai->ai_addr);
        free(ai);
        ai = next;
    }
}

/* ---- the world ---- */

/** Two sockets on one port that refuse connections. */
static void bind_both(int fds[2], int *ret_port)
{
    fds[1] = -1;
    while (fds[1] < 0) { /* the port may be taken at the other address */
        fds[0] = server_bind(FIRST, 0, ret_port);
        assert_true(fds[0] >= 0);
        fds[1] = server_bind(SECOND, *ret_port, NULL);
        if (fds[1] < 0)
            (void)close(fds[0]);
    }
}

/** A client of the name; the servers come and go, each with a certificate of its own. */
static void client_init(struct world *w, int port, const char *a, const char *b)
{
    struct jr_error error = { 0 };

    *w = (struct world){ .clock = jr_clock_system };
    addresses[0] = a;
    addresses[1] = b;
    assert_true(asprintf(&w->config.server, "https://" NAME ":%d", port) > 0);
    w->config.insecure = true;
    set(&w->config.proxy_url, ""); /* none, whatever the environment says */
    assert_ok(jr_loop_new(&w->clock, &w->loop, &error), &error);
    world_connect(w);
}

static void client_done(struct world *w)
{
    jr_curl_free(w->curl);
    jr_kube_config_done(&w->config);
    jr_loop_free(w->loop);
}

/** Without a connection that is there already. */
static void reconnect(struct world *w)
{
    jr_curl_free(w->curl);
    world_connect(w);
}

/* ---- tests ---- */

static void test_one_refuses(void **state)
{
    struct https_server *server;
    struct outcome o;
    struct world w;
    int fds[2], port;

    (void)state;
    bind_both(fds, &port);
    server = server_start_on(fds[0], true, false);
    client_init(&w, port, SECOND, FIRST);
    for (int i = 0; i < TRIES; i++) {
        o = ask(&w, "POST", "/ok", "{}");
        assert_outcome(&o, JR_HTTP_DONE, 200);
        reconnect(&w);
    }
    assert_int_equal(server_requests(server), TRIES);
    client_done(&w);
    server_stop(server);
    (void)close(fds[1]);
}

/** Makes a bound socket one that answers nothing: its queue is full. */
static void make_silent(int fd, int fill[8])
{
    struct sockaddr_in a;
    socklen_t n = sizeof(a);

    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    assert_int_equal(listen(fd, 0), 0);
    for (int i = 0; i < 8; i++) {
        fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        assert_true(fill[i] >= 0);
        (void)connect(fill[i], (struct sockaddr *)&a, n);
    }
}

/** As the Lease is renewed: there is not much time, and the one that answers has to get its turn.
 */
static void test_one_is_silent(void **state)
{
    const struct jr_http_request req = { .method = "PUT",
                                         .path = "/ok",
                                         .body = JR_S("{}"),
                                         .timeout_ms = 20000, /* five seconds an address */
                                         .own_connection = true };
    struct https_server *server;
    struct world w;
    int fds[2], fill[8], port;

    (void)state;
    bind_both(fds, &port);
    make_silent(fds[1], fill);
    server = server_start_on(fds[0], true, false);
    client_init(&w, port, SECOND, FIRST);
    for (int i = 0, late = 0; i < TRIES / 2; i++) {
        const int turns = server_connections(server);
        struct outcome o = { 0 };

        start(&w, &req, &o);
        until(&w, &o.n, 1);
        /* It has had its turn, and a machine that stood still has made it miss it: again. */
        if (o.a.outcome == JR_HTTP_NOT_SENT && server_connections(server) > turns && late++ < 5)
            i--;
        else
            assert_outcome(&o, JR_HTTP_DONE, 200);
        reconnect(&w);
    }
    client_done(&w);
    server_stop(server);
    for (int i = 0; i < 8; i++)
        (void)close(fill[i]);
    (void)close(fds[1]);
}

/** An upgrade: the server that is in use goes away, with a request kept open and a stream, and
 * another one is there. */
static void test_rolling_upgrade(void **state)
{
    struct https_server *old, *new;
    struct outcome o, stream = { 0 }, again = { 0 };
    struct world w;
    int fds[2], port;

    (void)state;
    bind_both(fds, &port);
    old = server_start_on(fds[0], true, false);
    client_init(&w, port, FIRST, SECOND);
    o = ask(&w, "POST", "/ok", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 200);
    send_with(
        &w, &(struct jr_http_request){ .method = "GET", .path = "/stream", .own_connection = true },
        &stream, true);
    until_chunks(&w, &stream, "one\n");
    server_stop(old);
    new = server_start_on(fds[1], true, false);
    until(&w, &stream.n, 1);
    assert_int_equal(stream.a.outcome, JR_HTTP_AMBIGUOUS);
    o = ask(&w, "POST", "/ok", "{}"); /* not ambiguous: its connection is known to be gone */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    send_with(
        &w, &(struct jr_http_request){ .method = "GET", .path = "/stream", .own_connection = true },
        &again, true);
    until_chunks(&w, &again, "one\n");
    assert_int_equal(server_requests(new), 2);
    client_done(&w);
    server_stop(new);
}

/** What the name stands for has changed, and counts from the next connection on. */
static void test_other_addresses(void **state)
{
    struct https_server *old, *new;
    struct outcome o;
    struct world w;
    int fds[2], port;

    (void)state;
    bind_both(fds, &port);
    old = server_start_on(fds[0], true, false);
    client_init(&w, port, FIRST, NULL);
    o = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    server_stop(old);
    o = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_NOT_SENT, 0);
    addresses[0] = SECOND;
    new = server_start_on(fds[1], true, false);
    o = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    client_done(&w);
    server_stop(new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_refuses),
        cmocka_unit_test(test_one_is_silent),
        cmocka_unit_test(test_rolling_upgrade),
        cmocka_unit_test(test_other_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
