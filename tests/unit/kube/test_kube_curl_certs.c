/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the curl transport are read again: a new CA, a new client certificate, without a new
 * transport. (Finding: CA and client certificate files are read once.) */
#include <sys/stat.h>

#include "tests/unit/kube/curl_world.h"

#define LATER_NS (61 * JR_SEC) /* files are looked at once a minute */
#define SOON_NS (3 * JR_SEC)   /* and sooner after a failure */

struct files {
    struct world w;
    char dir[64];
    struct jr_log *log;
    FILE *lines;
};

static struct jr_mono log_mono(void *self)
{
    (void)self;
    return jr_clock_system.mono(jr_clock_system.self);
}

static struct jr_time log_wall(void *self)
{
    (void)self;
    return jr_clock_system.wall(jr_clock_system.self);
}

/** Writes a file of the configuration, whose name it gives back where it has none yet. */
static void put(struct files *f, char **path, const char *name, const char *text)
{
    FILE *to;

    if (*path == NULL)
        assert_true(asprintf(path, "%s/%s", f->dir, name) > 0);
    to = fopen(*path, "we");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
}

static void files_init(struct files *f, bool client_certs)
{
    static const struct jr_clock clock = { log_wall, log_mono, NULL };
    struct jr_kube_config *c = &f->w.config;

    *f = (struct files){ .dir = "/tmp/jobreeve-files-XXXXXX" };
    assert_non_null(mkdtemp(f->dir));
    world_new(&f->w, false, client_certs);
    put(f, &c->ca_file, "ca.crt", c->ca_pem);
    if (client_certs) {
        set(&c->client_cert_pem, server_client_cert(f->w.server));
        set(&c->client_key_pem, server_client_key(f->w.server));
        put(f, &c->client_cert_file, "client.crt", c->client_cert_pem);
        put(f, &c->client_key_file, "client.key", c->client_key_pem);
    }
    f->lines = tmpfile();
    assert_non_null(f->lines);
    assert_int_equal(
        jr_log_new(fileno(f->lines), JR_LOG_INFO, JR_LOG_JSON, "test", &clock, &f->log), JR_OK);
    world_connect(&f->w);
    jr_curl_set_log(f->w.curl, f->log);
}

static void files_done(struct files *f)
{
    const struct jr_kube_config *c = &f->w.config;
    const char *const paths[] = { c->ca_file, c->client_cert_file, c->client_key_file };

    for (size_t i = 0; i < JR_ARRAY_SIZE(paths); i++) {
        if (paths[i] != NULL)
            (void)unlink(paths[i]);
    }
    assert_int_equal(rmdir(f->dir), 0);
    world_done(&f->w);
    jr_log_free(f->log);
    (void)fclose(f->lines);
}

/** A server with another CA in the place of the old one. */
static void replace_server(struct files *f, bool client_certs)
{
    int fd = server_socket(f->w.server);

    server_stop(f->w.server);
    f->w.server = server_start_on(fd, false, client_certs);
}

/** How many lines of the log have this in them. */
static int lines_with(struct files *f, const char *part)
{
    char line[4096];
    int n = 0;

    rewind(f->lines);
    while (fgets(line, sizeof(line), f->lines) != NULL)
        n += strstr(line, part) != NULL;
    return n;
}

static void assert_ask(struct files *f, enum jr_http_outcome want)
{
    struct outcome o = ask(&f->w, "GET", "/ok", NULL);

    assert_outcome(&o, want, want == JR_HTTP_DONE ? 200 : 0);
}

/** First the server, then the file: one failure says that it is time to look. */
static void test_a_new_ca(void **state)
{
    struct files f;
    struct outcome o;

    (void)state;
    files_init(&f, false);
    assert_ask(&f, JR_HTTP_DONE);
    assert_null(jr_curl_last_error(f.w.curl));
    replace_server(&f, false);
    f.w.ahead_ns += SOON_NS;
    o = ask(&f.w, "GET", "/ok", NULL);
    assert_int_not_equal(o.a.outcome, JR_HTTP_DONE);
    o = ask(&f.w, "GET", "/ok", NULL);
    assert_outcome(&o, JR_HTTP_NOT_SENT, 0);
    assert_has(o.a.error.msg, "not trusted by the certificate-authority");
    assert_has(o.a.error.msg, f.w.config.ca_file); /* which one */
    assert_non_null(jr_curl_last_error(f.w.curl));
    put(&f, &f.w.config.ca_file, NULL, server_ca(f.w.server));
    f.w.ahead_ns += SOON_NS;
    assert_ask(&f, JR_HTTP_DONE);
    assert_null(jr_curl_last_error(f.w.curl));
    assert_int_equal(lines_with(&f, "certificates read again"), 1);
    files_done(&f);
}

/** Lets LATER_NS pass, with requests so close together that one connection serves them all. */
static void ask_until_later(struct files *f)
{
    const int64_t step_ns = 8 * JR_SEC;

    for (int64_t ns = 0; ns < LATER_NS; ns += step_ns) {
        f->w.ahead_ns += step_ns;
        assert_ask(f, JR_HTTP_DONE);
    }
}

/** First the file, then the server: nothing fails. */
static void test_a_new_ca_in_time(void **state)
{
    struct files f;
    char *both;

    (void)state;
    files_init(&f, false);
    assert_ask(&f, JR_HTTP_DONE);
    assert_true(asprintf(&both, "%s%s", f.w.config.ca_pem, f.w.config.ca_pem) > 0);
    put(&f, &f.w.config.ca_file, NULL, both);
    free(both);
    ask_until_later(&f);
    assert_int_equal(server_connections(f.w.server), 2); /* a new one, by the new file */
    ask_until_later(&f);
    assert_int_equal(server_connections(f.w.server), 2); /* the same text is nothing new */
    assert_int_equal(lines_with(&f, "certificates read again"), 1);
    files_done(&f);
}

/** What can't be used is said once, and the last good text stays. */
static void test_bad_files(void **state)
{
    static const char *const bad[] = { "", "-----BEGIN CERTIFICATE-----\nnope\n", "nonsense" };
    struct files f;

    (void)state;
    files_init(&f, true);
    assert_ask(&f, JR_HTTP_DONE);
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++) {
        put(&f, &f.w.config.ca_file, NULL, bad[i]);
        for (int again = 0; again < 3; again++) {
            f.w.ahead_ns += LATER_NS;
            assert_ask(&f, JR_HTTP_DONE);
        }
    }
    assert_int_equal(lines_with(&f, "the old ones stay"), 1); /* all are bad in the same way */
    assert_int_equal(lines_with(&f, f.w.config.ca_file), 1);
    put(&f, &f.w.config.ca_file, NULL, f.w.config.ca_pem);
    put(&f, &f.w.config.client_key_file, NULL, "no key");
    f.w.ahead_ns += LATER_NS;
    assert_ask(&f, JR_HTTP_DONE);
    assert_int_equal(unlink(f.w.config.ca_file), 0);
    f.w.ahead_ns += LATER_NS;
    assert_ask(&f, JR_HTTP_DONE);
    assert_int_equal(lines_with(&f, "the old ones stay"), 3);
    assert_int_equal(lines_with(&f, "certificates read again"), 0);
    files_done(&f);
}

/** Certificate and key of the client, one after the other. */
static void test_a_new_client_certificate(void **state)
{
    struct files f;

    (void)state;
    files_init(&f, true);
    assert_ask(&f, JR_HTTP_DONE);
    replace_server(&f, true);
    put(&f, &f.w.config.ca_file, NULL, server_ca(f.w.server));
    put(&f, &f.w.config.client_cert_file, NULL, server_client_cert(f.w.server));
    f.w.ahead_ns += LATER_NS;
    (void)ask(&f.w, "GET", "/ok", NULL); /* with the old ones: not a pair yet */
    assert_int_equal(lines_with(&f, "the old ones stay"), 1);
    put(&f, &f.w.config.client_key_file, NULL, server_client_key(f.w.server));
    f.w.ahead_ns += SOON_NS;
    assert_ask(&f, JR_HTTP_DONE);
    assert_int_equal(lines_with(&f, "certificates read again"), 1);
    files_done(&f);
}

/** The Lease's connection is not made with what was replaced, either, and a call in flight keeps
 * what it was made with. */
static void test_connections_of_their_own(void **state)
{
    const struct jr_http_request lease = { .method = "GET", .path = "/ok", .own_connection = true };
    const struct jr_http_request slow = { .method = "GET", .path = "/silent" };
    struct outcome before = { 0 }, after = { 0 }, waits = { 0 };
    struct files f;
    char *both;

    (void)state;
    files_init(&f, false);
    start(&f.w, &lease, &before);
    until(&f.w, &before.n, 1);
    f.w.ahead_ns += LATER_NS - 20 * JR_SEC;
    start(&f.w, &slow, &waits);
    until_requests(&f.w, 2);
    assert_true(asprintf(&both, "%s%s", f.w.config.ca_pem, f.w.config.ca_pem) > 0);
    put(&f, &f.w.config.ca_file, NULL, both);
    free(both);
    f.w.ahead_ns += 20 * JR_SEC;
    start(&f.w, &lease, &after);
    until(&f.w, &after.n, 1);
    assert_outcome(&after, JR_HTTP_DONE, 200);
    assert_int_equal(server_connections(f.w.server), 3);
    assert_int_equal(waits.n, 0);
    files_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_ca),
        cmocka_unit_test(test_a_new_ca_in_time),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_a_new_client_certificate),
        cmocka_unit_test(test_connections_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
