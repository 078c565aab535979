/* SPDX-License-Identifier: Apache-2.0 */
/* Users of kubeconfigs: credential plugins, impersonation, the files that clusters' makers hand
 * out; and what a plugin answers. */
#include <unistd.h>

#include "common/curl/config.h"
#include "common/curl/exec_credential.h"
#include "tests/unit/kube/kube_test.h"

struct world {
    char path[64];
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    int fd;

    assert_non_null(w);
    (void)snprintf(w->path, sizeof(w->path), "/tmp/jr-config-user-XXXXXX");
    fd = mkstemp(w->path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    set_env("KUBECONFIG", NULL);
    set_env("KUBERNETES_SERVICE_HOST", NULL);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;

    assert_int_equal(unlink(w->path), 0);
    free(w);
    return 0;
}

static enum jr_status load_text(const struct world *w, const char *text, enum jr_config_user user,
                                struct jr_kube_config *ret, struct jr_error *err)
{
    FILE *f = fopen(w->path, "we");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return jr_kube_config_load(w->path, NULL, user, ret, err);
}

/** A kubeconfig whose user has these members, in YAML flow style. */
static enum jr_status load_user(const struct world *w, const char *user, struct jr_kube_config *ret,
                                struct jr_error *err)
{
    char text[4096];

    (void)snprintf(text, sizeof(text),
                   "current-context: c\n"
                   "clusters: [{name: k, cluster: {server: 'https://h', tls-server-name: sni, "
                   "extensions: [{name: other, extension: 1}, {name: "
                   "client.authentication.k8s.io/exec, extension: {audience: \"a/b\"}}]}}]\n"
                   "users: [{name: u, user: {%s}}]\n"
                   "contexts: [{name: c, context: {cluster: k, user: u}}]\n",
                   user);
    return load_text(w, text, JR_CONFIG_PERSON, ret, err);
}

#define EXEC(members) "exec: {apiVersion: client.authentication.k8s.io/v1, command: aws" members "}"
#define MODE ", interactiveMode: Never"

static void test_refusals(void **state)
{
    static const struct {
        const char *user, *words;
    } rows[] = {
        { "exec: 5", "user.exec: must be an object" },
        { "exec: {}", "exec: command: not set" },
        { "exec: {apiVersion: client.authentication.k8s.io/v1}", "exec: command: not set" },
        { "exec: {command: aws}", "exec: apiVersion: not set" },
        { "exec: {command: aws, apiVersion: client.authentication.k8s.io/v1alpha1}",
          "exec: apiVersion: expected client.authentication.k8s.io/v1 or v1beta1" },
        { EXEC(""), "exec: interactiveMode: must be Never, IfAvailable or Always" },
        { EXEC(", interactiveMode: Sometimes"), "exec: interactiveMode: must be" },
        { EXEC(MODE ", args: x"), "exec: args: must be a list" },
        { EXEC(MODE ", args: [1]"), "exec: args[0]: must be a text" },
        { EXEC(MODE ", args: [a, \"b\\0\"]"), "exec: args[1]: must be a text without a NUL" },
        { EXEC(MODE ", env: {}"), "exec: env: must be a list" },
        { EXEC(MODE ", env: [{value: x}]"), "exec.env[0]: name: must be the name" },
        { EXEC(MODE ", env: [{name: A, value: b}, {name: a=b}]"), "exec.env[1]: name: must be" },
        { EXEC(MODE ", env: [{name: A, value: 1}]"), "exec.env[0]: value: must be a string" },
        { EXEC(MODE ", provideClusterInfo: 1"), "exec: provideClusterInfo: must be true or false" },
        { EXEC(MODE ", installHint: []"), "exec: installHint: must be a string" },
        { "auth-provider: {name: oidc}", "user: auth-provider: not supported" },
        { "as: 5", "user: as: must be a string" },
        { "as: \"a\\tb\"", "user: as: must be texts without control characters" },
        { "as-uid: x", "user: as: not set" },
        { "as-groups: [a]", "user: as: not set" },
        { "as-user-extra: {a: [b]}", "user: as: not set" },
        { "as: a, as-groups: b", "user: as-groups: must be a list" },
        { "as: a, as-groups: [1]", "user: as-groups: must be texts" },
        { "as: a, as-user-extra: []", "user: as-user-extra: must be an object" },
        { "as: a, as-user-extra: {k: v}", "user: as-user-extra: must be a list" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_kube_config c = { 0 };
        struct jr_error err = { 0 };
        char text[1024];
        const enum jr_status st = load_user(*state, rows[i].user, &c, &err);

        (void)jr_error_text(&err, text, sizeof(text));
        if (st == JR_OK || strstr(text, "users[u].user") == NULL ||
            strstr(text, rows[i].words) == NULL)
            fail_msg("%s: %s", rows[i].user, text);
    }
}

static void test_plugin(void **state)
{
    struct jr_kube_config c = { 0 };
    struct jr_error err = { 0 };
    struct jr_buf told;
    const char *server_words;

    assert_ok(load_user(*state,
                        EXEC(", interactiveMode: Always, args: [get, ''], env: [{name: A, value: "
                             "'b=c'}, {name: D}], installHint: h, provideClusterInfo: true"),
                        &c, &err),
              &err);
    assert_string_equal(c.exec->command, "aws");
    assert_int_equal(c.exec->n_args, 2);
    assert_string_equal(c.exec->args[0], "get");
    assert_string_equal(c.exec->args[1], "");
    assert_int_equal(c.exec->n_env, 2);
    assert_string_equal(c.exec->env[0], "A=b=c");
    assert_string_equal(c.exec->env[1], "D=");
    assert_string_equal(c.exec->install_hint, "h");
    assert_int_equal(c.exec->input, JR_EXEC_ALWAYS);
    jr_buf_init(&told, 4096);
    jr_exec_request_write(c.exec, true, &told);
    assert_string_equal(told.p,
                        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication."
                        "k8s.io/v1\",\"spec\":{\"cluster\":{\"server\":\"https://h\","
                        "\"tls-server-name\":\"sni\",\"config\":{\"audience\":\"a/b\"}},"
                        "\"interactive\":true}}");
    jr_buf_done(&told);
    jr_kube_config_done(&c);

    assert_ok(load_user(*state,
                        "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: bin/x, "
                        "args: null, env: null}",
                        &c, &err),
              &err);
    assert_string_equal(c.exec->command, "/tmp/bin/x"); /* beside the file */
    assert_int_equal(c.exec->input, JR_EXEC_IF_AVAILABLE);
    assert_null(c.exec->cluster);
    jr_buf_init(&told, 4096);
    jr_exec_request_write(c.exec, false, &told);
    assert_non_null(strstr(told.p, "\"spec\":{\"interactive\":false}}"));
    jr_buf_done(&told);
    jr_kube_config_done(&c);

    /* A server runs none. */
    assert_int_equal(
        load_text(*state,
                  "{\"current-context\":\"c\",\"clusters\":[{\"name\":\"k\","
                  "\"cluster\":{\"server\":\"https://h\"}}],\"users\":[{\"name\":\"u\","
                  "\"user\":{\"exec\":{\"command\":\"aws\"}}}],\"contexts\":[{\"name\":"
                  "\"c\",\"context\":{\"cluster\":\"k\",\"user\":\"u\"}}]}",
                  JR_CONFIG_SERVER, &c, &err),
        JR_UNSUPPORTED);
    server_words = "exec: only the command jobreeve runs credential plugins";
    assert_non_null(strstr(err.msg, server_words));
}

static void test_impersonation(void **state)
{
    static const char *const want[] = {
        "Impersonate-User: anna b",    "Impersonate-Uid: 7",
        "Impersonate-Group: dev",      "Impersonate-Group: system:masters",
        "Impersonate-Extra-a%2Fb: x=", "Impersonate-Extra-a%2Fb: z",
    };
    struct jr_kube_config c = { 0 };
    struct jr_error err = { 0 };

    assert_ok(load_user(*state,
                        "token: t, as: anna b, as-uid: '7', as-groups: [dev, 'system:masters'], "
                        "as-user-extra: {a/b: [x=, z]}",
                        &c, &err),
              &err);
    assert_int_equal(c.n_impersonate, JR_ARRAY_SIZE(want));
    for (size_t i = 0; i < JR_ARRAY_SIZE(want); i++)
        assert_string_equal(c.impersonate[i], want[i]);
    jr_kube_config_done(&c);
}

/* ---- as clusters' makers write them, with made-up values ---- */

#define EKS "arn:aws:eks:eu-west-1:123456789012:cluster/demo"

static void test_makers(void **state)
{
    static const struct {
        const char *text, *server, *context, *namespace, *command, *token;
        size_t n_args, n_env;
    } rows[] = {
        { "apiVersion: v1\nclusters:\n- cluster:\n    server: "
          "https://0A1B.gr7.eu-west-1.eks.amazonaws.com\n  name: " EKS "\ncontexts:\n- context:\n"
          "    cluster: " EKS "\n    user: " EKS "\n  name: " EKS "\ncurrent-context: " EKS "\n"
          "kind: Config\npreferences: {}\nusers:\n- name: " EKS "\n  user:\n    exec:\n"
          "      apiVersion: client.authentication.k8s.io/v1beta1\n      args:\n      - --region\n"
          "      - eu-west-1\n      - eks\n      - get-token\n      - --cluster-name\n      - "
          "demo\n"
          "      - --output\n      - json\n      command: aws\n      env:\n"
          "      - name: AWS_PROFILE\n        value: dev\n",
          "https://0A1B.gr7.eu-west-1.eks.amazonaws.com", EKS, NULL, "aws", NULL, 8, 1 },
        { "apiVersion: v1\nkind: Config\nclusters:\n- name: gke_p_europe-west1_demo\n  cluster:\n"
          "    server: https://203.0.113.7\ncontexts:\n- name: gke_p_europe-west1_demo\n"
          "  context: {cluster: gke_p_europe-west1_demo, user: gke_p_europe-west1_demo}\n"
          "current-context: gke_p_europe-west1_demo\nusers:\n- name: gke_p_europe-west1_demo\n"
          "  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1beta1\n"
          "      command: gke-gcloud-auth-plugin\n      installHint: Install it for use with "
          "kubectl\n      provideClusterInfo: true\n",
          "https://203.0.113.7", "gke_p_europe-west1_demo", NULL, "gke-gcloud-auth-plugin", NULL, 0,
          0 },
        { "apiVersion: v1\nkind: Config\nclusters:\n- name: demo\n  cluster:\n"
          "    server: https://demo-dns-1a2b3c4d.hcp.westeurope.azmk8s.io:443\ncontexts:\n"
          "- name: demo\n  context: {cluster: demo, user: clusterUser_rg_demo}\n"
          "current-context: demo\nusers:\n- name: clusterUser_rg_demo\n  user:\n    exec:\n"
          "      apiVersion: client.authentication.k8s.io/v1beta1\n      args:\n      - get-token\n"
          "      - --login\n      - devicecode\n      - --server-id\n      - 6dae42f8\n"
          "      command: kubelogin\n      env: null\n      installHint: 'see "
          "https://aka.ms/aks/kubelogin'\n      provideClusterInfo: false\n",
          "https://demo-dns-1a2b3c4d.hcp.westeurope.azmk8s.io:443", "demo", NULL, "kubelogin", NULL,
          5, 0 },
        { "apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    insecure-skip-tls-verify: "
          "true\n"
          "    server: https://api.demo.example.com:6443\n  name: api-demo-example-com:6443\n"
          "contexts:\n- context:\n    cluster: api-demo-example-com:6443\n    namespace: default\n"
          "    user: kube:admin/api-demo-example-com:6443\n"
          "  name: default/api-demo-example-com:6443/kube:admin\n"
          "current-context: default/api-demo-example-com:6443/kube:admin\nusers:\n"
          "- name: kube:admin/api-demo-example-com:6443\n  user:\n    token: sha256~abcDEF_-\n",
          "https://api.demo.example.com:6443", "default/api-demo-example-com:6443/kube:admin",
          "default", NULL, "sha256~abcDEF_-", 0, 0 },
        { "apiVersion: v1\nclusters:\n- cluster:\n    server: https://127.0.0.1:39487\n"
          "  name: kind-kind\ncontexts:\n- context:\n    cluster: kind-kind\n    user: kind-kind\n"
          "  name: kind-kind\ncurrent-context: kind-kind\nkind: Config\nusers:\n"
          "- name: kind-kind\n  user: {}\n",
          "https://127.0.0.1:39487", "kind-kind", NULL, NULL, NULL, 0, 0 },
        { "apiVersion: v1\nclusters:\n- cluster:\n    server: https://127.0.0.1:6443\n"
          "  name: default\ncontexts:\n- context:\n    cluster: default\n    user: default\n"
          "  name: default\ncurrent-context: default\nkind: Config\npreferences: {}\nusers:\n"
          "- name: default\n  user:\n    username: admin\n    password: made-up\n",
          "https://127.0.0.1:6443", "default", NULL, NULL, NULL, 0, 0 },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_kube_config c = { 0 };
        struct jr_error err = { 0 };

        assert_ok(load_text(*state, rows[i].text, JR_CONFIG_PERSON, &c, &err), &err);
        assert_string_equal(c.server, rows[i].server);
        assert_string_equal(c.context, rows[i].context);
        assert_string_equal(c.namespace == NULL ? "" : c.namespace,
                            rows[i].namespace == NULL ? "" : rows[i].namespace);
        assert_string_equal(c.token == NULL ? "" : c.token,
                            rows[i].token == NULL ? "" : rows[i].token);
        assert_int_equal(c.exec == NULL, rows[i].command == NULL);
        if (c.exec != NULL) {
            assert_string_equal(c.exec->command, rows[i].command);
            assert_int_equal(c.exec->n_args, rows[i].n_args);
            assert_int_equal(c.exec->n_env, rows[i].n_env);
        }
        jr_kube_config_done(&c);
    }
}

/* ---- what a plugin answers ---- */

#define ANSWER(status) \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"," status "}"

static void test_answers(void **state)
{
    static const struct {
        const char *text;
        const char *token; /* NULL: refused */
        const char *words;
        int64_t expires_s;
    } rows[] = {
        { ANSWER("\"status\":{\"token\":\"t\"}"), "t", NULL, 0 },
        { ANSWER("\"spec\":{},\"status\":{\"token\":\"t\",\"expirationTimestamp\":"
                 "\"2026-03-01T12:00:00Z\"}"),
          "t", NULL, 1772366400 },
        { ANSWER("\"status\":{\"token\":\"t\",\"expirationTimestamp\":null}"), "t", NULL, 0 },
        { "kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus: {token: t}\n",
          "t", NULL, 0 },
        { "", NULL, "no object", 0 },
        { "[]", NULL, "no object", 0 },
        { "{", NULL, "line 1", 0 },
        { "{}", NULL, "kind: expected ExecCredential", 0 },
        { ANSWER("\"status\":[]"), NULL, "status: not there", 0 },
        { ANSWER("\"status\":{\"token\":5}"), NULL, "token: must be a string", 0 },
        { ANSWER("\"status\":{\"token\":\"\"}"), NULL, "there is no token", 0 },
        { ANSWER("\"status\":{\"token\":\"a\\u0000\"}"), NULL, "token: has a NUL", 0 },
        { ANSWER("\"status\":{\"token\":\"t\",\"expirationTimestamp\":\"tomorrow\"}"), NULL,
          "expirationTimestamp: expected a time", 0 },
        { ANSWER("\"status\":{\"clientKeyData\":\"k\"}"), NULL, "only one is there", 0 },
        { ANSWER("\"status\":{\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\"}"), NULL,
          "no PEM certificate", 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_exec_credential c = { 0 };
        struct jr_error err = { 0 };
        const enum jr_status st = jr_exec_credential_read(
            jr_str(rows[i].text), "client.authentication.k8s.io/v1", &c, &err);

        if (rows[i].token != NULL) {
            assert_ok(st, &err);
            assert_string_equal(c.token, rows[i].token);
            assert_int_equal(c.expires.ns / JR_SEC, rows[i].expires_s);
        } else if (st == JR_OK || strstr(err.msg, rows[i].words) == NULL) {
            fail_msg("%s: %s", rows[i].text, err.msg);
        }
        jr_exec_credential_done(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plugin, setup, teardown),
        cmocka_unit_test_setup_teardown(test_impersonation, setup, teardown),
        cmocka_unit_test_setup_teardown(test_makers, setup, teardown),
        cmocka_unit_test(test_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
