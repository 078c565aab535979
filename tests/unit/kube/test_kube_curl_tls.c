/* SPDX-License-Identifier: Apache-2.0 */
/* The curl transport: credentials, TLS, proxies. */
#include <signal.h>

#include "tests/unit/kube/curl_world.h"
#include "tests/unit/kube/proxy_server.h"

static void test_a_token_that_rotates(void **state)
{
    char path[] = "/tmp/jr-token-XXXXXX";
    int fd = mkstemp(path);
    struct world w;
    struct outcome o;

    (void)state;
    assert_true(write(fd, "first\n", 6) == 6);
    world_new(&w, false, false);
    set(&w.config.token_file, path);
    world_connect(&w);
    server_token(w.server, "first");
    o = ask(&w, "GET", "/auth", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_true(pwrite(fd, "second", 6, 0) == 6);
    o = ask(&w, "GET", "/auth", NULL); /* not read for each request */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    w.ahead_ns += 61 * JR_SEC; /* but once a minute */
    server_token(w.server, "second");
    o = ask(&w, "GET", "/auth", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_true(pwrite(fd, "third!", 6, 0) == 6);
    server_token(w.server, "third!");
    o = ask(&w, "GET", "/auth", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 401);
    o = ask(&w, "GET", "/auth", NULL); /* and after a 401 */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_int_equal(ftruncate(fd, 0), 0);
    w.ahead_ns += 61 * JR_SEC;
    o = ask(&w, "GET", "/auth", NULL); /* in the middle of being replaced: the old one goes on */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    (void)close(fd);
    (void)unlink(path);
    world_done(&w);
}

static void test_bad_tokens(void **state)
{
    char path[] = "/tmp/jr-token-XXXXXX";
    int fd = mkstemp(path);
    struct jr_error error = { 0 };
    struct world w;
    struct outcome o;

    (void)state;
    world_new(&w, false, false);
    set(&w.config.token_file, path);
    assert_int_equal(jr_curl_new(w.loop, &w.config, AGENT, &w.curl, &error), JR_INVALID);
    assert_string_equal(error.path, path);
    assert_true(write(fd, "a\nb: c", 6) == 6);
    assert_int_equal(jr_curl_new(w.loop, &w.config, AGENT, &w.curl, &error), JR_INVALID);
    set(&w.config.token, "fixed");
    world_connect(&w); /* there is another one */
    server_token(w.server, "fixed");
    o = ask(&w, "GET", "/auth", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    (void)close(fd);
    (void)unlink(path);
    world_done(&w);
}

static void test_a_password(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    world_new(&w, false, false);
    set(&w.config.username, "user");
    set(&w.config.password, "pass");
    world_connect(&w);
    o = ask(&w, "GET", "/ok", NULL);
    assert_has(o.body, "auth=Basic dXNlcjpwYXNz;");
    world_done(&w);
}

static void test_servers_that_are_not_trusted(void **state)
{
    struct world w, stranger;
    struct outcome o;

    (void)state;
    world_new(&stranger, false, false);
    world_new(&w, false, false);
    set(&w.config.ca_pem, server_ca(stranger.server));
    world_connect(&w);
    o = ask(&w, "POST", "/ok", "{}");
    assert_outcome(&o, JR_HTTP_NOT_SENT, 0);
    assert_int_equal(server_requests(w.server), 0);
    jr_curl_free(w.curl);
    free(w.config.ca_pem);
    w.config.ca_pem = NULL;
    w.config.insecure = true;
    world_connect(&w);
    o = ask(&w, "POST", "/ok", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 200);
    world_done(&w);
    world_done(&stranger);
}

static void test_another_name(void **state)
{
    struct world w;
    struct outcome o;
    char host[64], server[64];

    (void)state;
    world_new(&w, true, false);
    world_connect(&w);
    o = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_NOT_SENT, 0); /* the certificate is for api.test */
    jr_curl_free(w.curl);
    set(&w.config.tls_server_name, "api.test");
    (void)snprintf(server, sizeof(server), "https://127.0.0.1:%d/prefix", server_port(w.server));
    set(&w.config.server, server);
    world_connect(&w);
    o = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    (void)snprintf(host, sizeof(host), "host=127.0.0.1:%d;", server_port(w.server));
    assert_has(o.body, host);
    assert_has(o.body, "line=GET /prefix/ok HTTP/1.1;");
    world_done(&w);
}

static void test_client_certificates(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    world_new(&w, false, true);
    world_connect(&w);
    o = ask(&w, "POST", "/ok", "{}");
    assert_outcome(&o, JR_HTTP_NOT_SENT, 0);
    jr_curl_free(w.curl);
    set(&w.config.client_cert_pem, server_client_cert(w.server));
    set(&w.config.client_key_pem, server_client_key(w.server));
    world_connect(&w);
    o = ask(&w, "POST", "/ok", "{}");
    assert_outcome(&o, JR_HTTP_DONE, 200);
    world_done(&w);
}

static void test_a_proxy(void **state)
{
    struct proxy_server *p = proxy_start();
    struct world w;
    struct outcome o;
    char url[64];

    (void)state;
    world_new(&w, false, false);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", proxy_port(p));
    set(&w.config.proxy_url, url);
    set(&w.config.token, "secret");
    world_connect(&w);
    o = ask(&w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_DONE, 200);
    assert_has(o.body, "auth=Bearer secret;");
    assert_int_equal(proxy_tunnels(p), 1);
    jr_curl_free(w.curl);
    w.curl = NULL;
    assert_null(strstr(proxy_head(p), "secret")); /* not for the proxy's eyes */
    world_done(&w);
    proxy_stop(p);
}

static void test_environment_and_loopback(void **state)
{
    struct world w;
    struct outcome o;

    (void)state;
    set_env("https_proxy", "http://127.0.0.1:1");
    world_init(&w);
    o = ask(&w, "GET", "/ok", NULL); /* a proxy of the environment is never meant for loopback */
    assert_outcome(&o, JR_HTTP_DONE, 200);
    world_done(&w);
    set_env("https_proxy", NULL);
}

static void test_sigpipe(void **state)
{
    struct sigaction sa;
    struct world w;

    (void)state;
    world_init(&w);
    assert_int_equal(sigaction(SIGPIPE, NULL, &sa), 0);
    assert_true(sa.sa_handler == SIG_IGN);
    world_done(&w);
}

static void test_bad_addresses(void **state)
{
    static const char *const servers[] = { "", "http://", "::" };
    struct world w;

    (void)state;
    world_new(&w, false, false);
    for (size_t i = 0; i < JR_ARRAY_SIZE(servers); i++) {
        struct jr_error error = { 0 };

        set(&w.config.server, servers[i]);
        assert_int_equal(jr_curl_new(w.loop, &w.config, AGENT, &w.curl, &error), JR_INVALID);
        assert_string_equal(error.path, "server");
    }
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_token_that_rotates),
        cmocka_unit_test(test_bad_tokens),
        cmocka_unit_test(test_a_password),
        cmocka_unit_test(test_servers_that_are_not_trusted),
        cmocka_unit_test(test_another_name),
        cmocka_unit_test(test_client_certificates),
        cmocka_unit_test(test_a_proxy),
        cmocka_unit_test(test_environment_and_loopback),
        cmocka_unit_test(test_sigpipe),
        cmocka_unit_test(test_bad_addresses),
    };

    (void)signal(SIGPIPE, SIG_DFL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
