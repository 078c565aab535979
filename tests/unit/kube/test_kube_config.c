/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: what is taken from where, and every refusal by name. */
#include "common/curl/config.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/base64.h"
#include "common/curl/config_parts.h"
#include "tests/support/without_memory.h"
#include "tests/unit/kube/kube_test.h"
#include "tests/unit/kube/pem.h"

#define INCLUSTER_CA "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"

/** A folder of its own, and a certificate with its key, and another's key. */
struct world {
    char dir[64];
    char *cert, *key, *other_key, *locked_key;
    char *cert64, *key64;
};

/* ---- material ---- */

static char *base64(const char *text)
{
    struct jr_buf out;
    char *p;
    size_t n;

    jr_buf_init(&out, (size_t)1 << 20);
    assert_int_equal(jr_base64_encode(jr_str(text), &out), JR_OK);
    assert_int_equal(jr_buf_take(&out, &p, &n), JR_OK);
    return p;
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct pem_set pems;

    assert_non_null(w);
    pem_make(&pems, "DNS:localhost");
    (void)snprintf(w->dir, sizeof(w->dir), "/tmp/jr-config-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    w->key = pem_key_text(pems.client_key);
    w->locked_key = pem_locked_key_text(pems.client_key);
    w->other_key = pem_key_text(pems.server_key);
    w->cert = pem_cert_text(pems.client);
    w->cert64 = base64(w->cert);
    w->key64 = base64(w->key);
    pem_done(&pems);
    set_env("KUBECONFIG", NULL);
    set_env("KUBERNETES_SERVICE_HOST", NULL);
    set_env("KUBERNETES_SERVICE_PORT", NULL);
    set_env("HOME", w->dir);
    *state = w;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int teardown(void **state)
{
    struct world *w = *state;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    (void)nftw(w->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(w->cert);
    free(w->key);
    free(w->other_key);
    free(w->locked_key);
    free(w->cert64);
    free(w->key64);
    free(w);
    return 0;
}

/** The path of a file in the folder; of the last four that were asked for. */
static const char *at(const struct world *w, const char *name)
{
    static char paths[4][160];
    static unsigned next;
    char *p = paths[next++ % 4];

    (void)snprintf(p, sizeof(paths[0]), "%s/%s", w->dir, name);
    return p;
}

static void put_file(const struct world *w, const char *name, const char *text)
{
    FILE *f = fopen(at(w, name), "we");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/** Writes a kubeconfig with one context: cluster and user are the members of theirs, in YAML flow
 * style. */
static void put_config(const struct world *w, const char *name, const char *cluster,
                       const char *user)
{
    struct jr_buf b;

    jr_buf_init(&b, (size_t)1 << 20);
    assert_int_equal(
        jr_buf_addf(&b,
                    "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                    "clusters:\n- name: k\n  cluster: {%s}\n"
                    "users:\n- name: u\n  user: {%s}\n"
                    "contexts:\n- name: c\n  context: {cluster: k, user: u, namespace: ns}\n",
                    cluster, user),
        JR_OK);
    put_file(w, name, b.p);
    jr_buf_done(&b);
}

static struct jr_kube_config load(const char *path, const char *context)
{
    struct jr_kube_config c = { 0 };
    struct jr_error error = { 0 };

    assert_ok(jr_kube_config_load(path, context, JR_CONFIG_SERVER, &c, &error), &error);
    return c;
}

/** Loads and must be refused with these words somewhere in the message. */
#define refused(path, context, st, words) refused_at(path, context, st, words, __LINE__)
static void refused_at(const char *path, const char *context, enum jr_status want,
                       const char *words, int line)
{
    struct jr_kube_config c = { 0 };
    struct jr_error error = { 0 };
    char text[1024];
    enum jr_status st = jr_kube_config_load(path, context, JR_CONFIG_SERVER, &c, &error);

    (void)jr_error_text(&error, text, sizeof(text));
    if (st != want || error.status != want || strstr(text, words) == NULL) {
        print_error("%s: %s\nwant %s: ...%s...\n", jr_status_text(st), text, jr_status_text(want),
                    words);
        _fail(__FILE__, line);
    }
    assert_null(c.server);
}

/* ---- one file ---- */

static void test_a_file(void **state)
{
    const struct world *w = *state;
    struct jr_kube_config c;
    char cluster[4096], user[8192];

    (void)snprintf(cluster, sizeof(cluster),
                   "server: \"https://127.0.0.1:6443/\", certificate-authority-data: %s, "
                   "tls-server-name: api, "
                   "proxy-url: \"socks5://p:1080\"",
                   w->cert64);
    (void)snprintf(user, sizeof(user), "client-certificate-data: %s, client-key-data: %s",
                   w->cert64, w->key64);
    put_config(w, "config", cluster, user);
    c = load(at(w, "config"), NULL);
    assert_string_equal(c.server, "https://127.0.0.1:6443");
    assert_string_equal(c.ca_pem, w->cert);
    assert_string_equal(c.tls_server_name, "api");
    assert_string_equal(c.proxy_url, "socks5://p:1080");
    assert_string_equal(c.client_cert_pem, w->cert);
    assert_string_equal(c.client_key_pem, w->key);
    assert_string_equal(c.namespace, "ns");
    assert_string_equal(c.source, at(w, "config"));
    assert_null(c.token);
    assert_null(c.token_file);
    assert_false(c.insecure);
    jr_kube_config_done(&c);
    assert_null(c.server);
    jr_kube_config_done(&c);
}

static void test_paths_start_at_the_file(void **state)
{
    const struct world *w = *state;
    struct jr_kube_config c;

    assert_int_equal(mkdir(at(w, "sub"), 0700), 0);
    put_file(w, "sub/ca.pem", w->cert);
    put_file(w, "client.pem", w->cert);
    put_file(w, "client.key", w->key);
    put_file(w, "sub/token", "t");
    put_config(w, "sub/config", "server: \"https://h/prefix\", certificate-authority: ca.pem",
               "client-certificate: ../client.pem, client-key: ../client.key, tokenFile: token");
    c = load(at(w, "sub/config"), NULL);
    assert_string_equal(c.server, "https://h/prefix");
    assert_string_equal(c.ca_pem, w->cert);
    assert_string_equal(c.client_key_pem, w->key);
    assert_string_equal(c.token_file, at(w, "sub/token"));
    jr_kube_config_done(&c);
}

static void test_other_users(void **state)
{
    const struct world *w = *state;
    struct jr_kube_config c;

    put_config(w, "config", "server: \"http://h:8080\", insecure-skip-tls-verify: true",
               "token: abc.def");
    c = load(at(w, "config"), NULL);
    assert_string_equal(c.token, "abc.def");
    assert_true(c.insecure);
    jr_kube_config_done(&c);
    put_config(w, "config", "server: \"https://[::1]:6443\"", "username: a, password: b");
    c = load(at(w, "config"), NULL);
    assert_string_equal(c.server, "https://[::1]:6443");
    assert_string_equal(c.username, "a");
    assert_string_equal(c.password, "b");
    jr_kube_config_done(&c);
    put_file(w, "config",
             "{\"clusters\":[{\"name\":\"k\",\"cluster\":{\"server\":\"https://"
             "h\"}}],\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\"}}],\"current-"
             "context\":\"c\",\"users\":null}");
    c = load(at(w, "config"), NULL); /* JSON, and nobody in particular */
    assert_null(c.token);
    assert_null(c.namespace);
    jr_kube_config_done(&c);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *cluster, *user;
        enum jr_status st;
        const char *words;
    } rows[] = {
        { "server: \"https://h\"", "exec: {command: aws}", JR_UNSUPPORTED, "users[u].user: exec:" },
        { "server: \"https://h\"", "auth-provider: {name: gcp}", JR_UNSUPPORTED,
          "users[u].user: auth-provider:" },
        { "server: \"https://h\"", "as-groups: [a]", JR_INVALID, "users[u].user: as: not set" },
        { "server: \"https://h\"", "as: \"a\\nb\"", JR_INVALID,
          "users[u].user: as: must be texts" },
        { "", "token: t", JR_INVALID, "server: not set" },
        { "server: \"\"", "token: t", JR_INVALID, "server: not set" },
        { "server: 5", "token: t", JR_TYPE, "clusters[k].cluster: server: must be a string" },
        { "server: \"h:6443\"", "token: t", JR_INVALID, "server: \"h:6443\" has no scheme" },
        { "server: \"ftp://h\"", "token: t", JR_UNSUPPORTED, "server: \"ftp://h\"" },
        { "server: \"https://\"", "token: t", JR_INVALID, "server: \"https://\" is no URL" },
        { "server: \"https://a:b@h\"", "token: t", JR_INVALID, "server: only scheme, host" },
        { "server: \"https://h?a=b\"", "token: t", JR_INVALID, "server: only scheme, host" },
        { "server: \"https://h\", proxy-url: \"ftp://p\"", "token: t", JR_UNSUPPORTED,
          "proxy-url:" },
        { "server: \"https://h\", proxy-url: p", "token: t", JR_INVALID, "proxy-url:" },
        { "server: \"https://h\", insecure-skip-tls-verify: 'yes'", "token: t", JR_TYPE,
          "insecure-skip-tls-verify: must be" },
        { "server: \"https://h\", certificate-authority-data: '%%%'", "token: t", JR_SYNTAX,
          "certificate-authority-data: not base64" },
        { "server: \"https://h\", certificate-authority-data: AAAA", "token: t", JR_SYNTAX,
          "certificate-authority-data: not base64 of a text" },
        { "server: \"https://h\", certificate-authority-data: Zm9v", "token: t", JR_INVALID,
          "certificate-authority: there is no PEM" },
        { "server: \"https://h\", certificate-authority: nowhere.pem", "token: t", JR_IO,
          "certificate-authority:" },
        { "server: \"https://h\", certificate-authority: a, certificate-authority-data: Zm9v",
          "token: t", JR_INVALID, "there is a certificate-authority-data, too" },
        { "server: \"https://h\"", "client-certificate: a, client-certificate-data: Zm9v",
          JR_INVALID, "there is a client-certificate-data, too" },
        { "server: \"https://h\"", "client-certificate: cert.pem", JR_INVALID,
          "client-key: missing" },
        { "server: \"https://h\"", "client-key: key.pem", JR_INVALID,
          "client-certificate: missing" },
        { "server: \"https://h\"", "client-certificate: cert.pem, client-key: other.pem",
          JR_INVALID, "client-key: not the client-certificate's key" },
        { "server: \"https://h\"", "client-certificate: cert.pem, client-key: locked.pem",
          JR_INVALID, "client-key: there is no PEM private key without a passphrase" },
        { "server: \"https://h\"", "client-certificate: key.pem, client-key: key.pem", JR_INVALID,
          "client-certificate: there is no PEM certificate" },
        { "server: \"https://h\", certificate-authority: cert.pem, insecure-skip-tls-verify: true",
          "token: t", JR_INVALID, "insecure-skip-tls-verify: there is a certificate-authority" },
        { "server: \"https://h\"", "token: 'a b'", JR_INVALID, "token: has characters" },
        { "server: \"https://h\"", "token: \"a\\nb\"", JR_INVALID, "token: has characters" },
        { "server: \"https://h\"", "token: \"a\\0b\"", JR_INVALID, "token: has a NUL" },
        { "server: \"https://h\"", "token: 12345", JR_TYPE, "token: must be a string" },
        { "server: \"https://h\"", "token: t, username: u", JR_INVALID,
          "token: there is a username" },
        { "server: \"https://h\"", "password: p", JR_INVALID, "username: missing" },
        { "server: \"https://h\"", "tokenFile: nowhere", JR_IO, "tokenFile: opening" },
    };
    const struct world *w = *state;

    put_file(w, "cert.pem", w->cert);
    put_file(w, "key.pem", w->key);
    put_file(w, "other.pem", w->other_key);
    put_file(w, "locked.pem", w->locked_key);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        put_config(w, "config", rows[i].cluster, rows[i].user);
        refused(at(w, "config"), NULL, rows[i].st, rows[i].words);
        refused(at(w, "config"), NULL, rows[i].st, "config: "); /* the file, too */
    }
}

static void test_refused_files(void **state)
{
    static const char cluster[] = "clusters: [{name: k, cluster: {server: 'https://h'}}]\n";
    const struct world *w = *state;
    char text[1024];

    refused(at(w, "nowhere"), NULL, JR_IO, "nowhere: opening the file");
    put_file(w, "config", "");
    refused(at(w, "config"), NULL, JR_NOTFOUND, "there is no configuration in it");
    put_file(w, "config", "clusters: [\n");
    refused(at(w, "config"), NULL, JR_SYNTAX, "config: line");
    put_file(w, "config", "[]");
    refused(at(w, "config"), NULL, JR_TYPE, "no kubeconfig");
    put_file(w, "config", cluster);
    refused(at(w, "config"), NULL, JR_INVALID, "current-context: not set");
    refused(at(w, "config"), "x", JR_INVALID, "contexts: there is no \"x\"");
    (void)snprintf(text, sizeof(text), "%scontexts: [{name: c, context: {cluster: z}}]\n", cluster);
    put_file(w, "config", text);
    refused(at(w, "config"), "c", JR_INVALID, "cluster: there is no \"z\" in clusters");
    (void)snprintf(text, sizeof(text), "%scontexts: [{name: c, context: {cluster: k, user: z}}]\n",
                   cluster);
    put_file(w, "config", text);
    refused(at(w, "config"), "c", JR_INVALID, "user: there is no \"z\" in users");
    (void)snprintf(text, sizeof(text), "%scontexts: [{name: c, context: {user: z}}]\n", cluster);
    put_file(w, "config", text);
    refused(at(w, "config"), "c", JR_INVALID, "cluster: not set");
    put_file(w, "config",
             "clusters: [{name: k, cluster: {server: 'https://a'}}, {name: k, cluster: {server: "
             "'https://b'}}]\n"
             "contexts: [{name: c, context: {cluster: k}}]\n");
    refused(at(w, "config"), "c", JR_INVALID, "clusters: \"k\" is there twice");
    put_file(w, "config", "current-context: [a]\nclusters: [{name: k}]\n");
    refused(at(w, "config"), NULL, JR_TYPE, "current-context: must be a string");
}

/* ---- several files, and none ---- */

static void test_merging(void **state)
{
    const struct world *w = *state;
    struct jr_kube_config c;
    char list[600];

    put_file(w, "a",
             "clusters: [{name: k, cluster: {server: 'https://a'}}]\n"
             "contexts: [{name: one, context: {cluster: k, user: u}}]\n");
    put_file(w, "b",
             "current-context: two\n"
             "clusters: [{name: k, cluster: {server: 'https://b', tls-server-name: b}}, {name: l, "
             "cluster: {server: 'https://l'}}]\n"
             "contexts: [{name: one, context: {cluster: l}}, {name: two, context: {cluster: k, "
             "user: u}}]\n"
             "users: [{name: u, user: {token: of-b}}]\n");
    (void)snprintf(list, sizeof(list), "%s::%s:%s", at(w, "nowhere"), at(w, "a"), at(w, "b"));
    set_env("KUBECONFIG", list);
    c = load(NULL, NULL); /* current-context of b; k of a, whole */
    assert_string_equal(c.server, "https://a");
    assert_null(c.tls_server_name);
    assert_string_equal(c.token, "of-b");
    assert_string_equal(c.source, at(w, "b"));
    jr_kube_config_done(&c);
    c = load(NULL, "one");
    assert_string_equal(c.server, "https://a");
    jr_kube_config_done(&c);
    c = load("", ""); /* flags that were not given */
    jr_kube_config_done(&c);
    put_config(w, "explicit", "server: \"https://x\"", "token: t");
    c = load(at(w, "explicit"), NULL); /* alone: it is not merged with the others */
    assert_string_equal(c.server, "https://x");
    jr_kube_config_done(&c);
    refused(at(w, "explicit"), "two", JR_INVALID, "contexts: there is no \"two\"");
    put_file(w, "a", "]");
    refused(NULL, NULL, JR_SYNTAX, "/a: line");
}

static void test_home(void **state)
{
    const struct world *w = *state;
    struct jr_kube_config c;

    refused(NULL, NULL, JR_NOTFOUND, "no kubeconfig found");
    assert_int_equal(mkdir(at(w, ".kube"), 0700), 0);
    put_config(w, ".kube/config", "server: \"https://home\"", "token: t");
    c = load(NULL, NULL);
    assert_string_equal(c.server, "https://home");
    jr_kube_config_done(&c);
    set_env("KUBECONFIG", at(w, "nowhere"));
    refused(NULL, NULL, JR_NOTFOUND, "there is no configuration in"); /* it alone counts */
    set_env("KUBECONFIG", "");
    c = load(NULL, NULL);
    jr_kube_config_done(&c);
    set_env("HOME", "");
    refused(NULL, NULL, JR_NOTFOUND, "no kubeconfig found");
}

static void test_in_cluster(void **state)
{
    const struct world *w = *state;
    struct jr_kube_config c = { 0 };
    struct jr_error error = { 0 };

    assert_int_equal(jr_config_incluster(w->dir, "10.0.0.1", "443", &c, &error), JR_IO);
    assert_has(error.path, "/ca.crt");
    put_file(w, "ca.crt", w->cert);
    assert_int_equal(jr_config_incluster(w->dir, "10.0.0.1", "443", &c, &error), JR_IO);
    assert_has(error.path, "/namespace");
    put_file(w, "namespace", "jobs\n");
    assert_int_equal(jr_config_incluster(w->dir, "10.0.0.1", "443", &c, &error), JR_IO);
    assert_has(error.msg, "tokenFile");
    put_file(w, "token", "t\n");
    assert_int_equal(jr_config_incluster(w->dir, "10.0.0.1", NULL, &c, &error), JR_INVALID);
    assert_has(error.msg, "KUBERNETES_SERVICE_PORT");
    assert_ok(jr_config_incluster(w->dir, "10.0.0.1", "443", &c, &error), &error);
    assert_string_equal(c.server, "https://10.0.0.1:443");
    assert_string_equal(c.namespace, "jobs");
    assert_string_equal(c.token_file, at(w, "token"));
    assert_string_equal(c.source, "in-cluster");
    jr_kube_config_done(&c);
    assert_ok(jr_config_incluster(w->dir, "fd00::1", "443", &c, &error), &error);
    assert_string_equal(c.server, "https://[fd00::1]:443");
    jr_kube_config_done(&c);
    put_file(w, "ca.crt", "none");
    assert_int_equal(jr_config_incluster(w->dir, "10.0.0.1", "443", &c, &error), JR_INVALID);
    set_env("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    refused(NULL, "c", JR_USAGE, "--context");
    refused(NULL, NULL, JR_INVALID, "KUBERNETES_SERVICE_PORT");
    set_env("KUBERNETES_SERVICE_PORT", "443");
    if (access(INCLUSTER_CA, F_OK) != 0) /* in a Pod it is there */
        refused(NULL, NULL, JR_IO, INCLUSTER_CA);
}

static void load_or_end(void *ctx)
{
    struct jr_kube_config c = { 0 };

    assert_int_equal(jr_kube_config_load(ctx, NULL, JR_CONFIG_SERVER, &c, NULL), JR_OK);
    jr_kube_config_done(&c);
}

static void test_without_memory(void **state)
{
    const struct world *w = *state;
    char cluster[4096], path[4096];

    (void)snprintf(cluster, sizeof(cluster),
                   "server: \"https://h/\", certificate-authority-data: %s", w->cert64);
    put_config(w, "config", cluster, "token: t");
    (void)snprintf(path, sizeof(path), "%s", at(w, "config"));
    assert_true(jr_each_without_memory(load_or_end, path) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paths_start_at_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_users, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_merging, setup, teardown),
        cmocka_unit_test_setup_teardown(test_home, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_memory, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
