/* SPDX-License-Identifier: Apache-2.0 */
/* Which configuration is meant. */
#include "common/curl/config.h"

#include "common/base/memory.h"
#include "common/curl/config_parts.h"

#define SERVICE_ACCOUNT_DIR "/var/run/secrets/kubernetes.io/serviceaccount"
#define FILES_MAX 64

static void free_texts(char **v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(v[i]);
    free(v);
}

static void exec_free(struct jr_exec_plugin *e)
{
    if (e == NULL)
        return;
    free(e->command);
    free_texts(e->args, e->n_args);
    for (size_t i = 0; i < e->n_env; i++)
        jr_config_wipe(&e->env[i]);
    free(e->env);
    free(e->api_version);
    free(e->install_hint);
    free(e->cluster);
    free(e);
}

void jr_kube_config_done(struct jr_kube_config *c)
{
    free(c->server);
    free(c->ca_pem);
    free(c->ca_file);
    free(c->tls_server_name);
    free(c->proxy_url);
    free(c->client_cert_pem);
    free(c->client_cert_file);
    free(c->client_key_file);
    jr_config_wipe(&c->client_key_pem);
    jr_config_wipe(&c->token);
    free(c->token_file);
    free(c->username);
    jr_config_wipe(&c->password);
    exec_free(c->exec);
    free_texts(c->impersonate, c->n_impersonate);
    free(c->namespace);
    free(c->source);
    free(c->context);
    free(c->cluster);
    free(c->user);
    *c = (struct jr_kube_config){ 0 };
}

/** An environment variable; NULL where it is unset or empty. */
static const char *env(const char *name)
{
    const char *v = secure_getenv(name);

    return v == NULL || v[0] == '\0' ? NULL : v;
}

/** Reads the files of a list as KUBECONFIG has it. */
static enum jr_status from_list(struct jr_str list, struct jr_config_query *q,
                                struct jr_kube_config *ret, struct jr_error *err)
{
    struct jr_str paths[FILES_MAX];
    struct jr_str part;

    while (jr_str_cut(&list, ':', &part)) {
        if (part.n == 0)
            continue;
        if (q->n == FILES_MAX)
            return jr_fail(err, JR_LIMIT, "KUBECONFIG", "more than %d files", FILES_MAX);
        paths[q->n++] = part;
    }
    q->paths = paths;
    return jr_config_from_files(q, ret, err);
}

static enum jr_status from_home(struct jr_config_query *q, struct jr_kube_config *ret,
                                struct jr_error *err)
{
    const char *home = env("HOME");
    JR_FREE char *path = NULL;
    struct jr_str paths[1];

    if (home == NULL)
        return JR_NOTFOUND;
    path = jr_xasprintf("%s/.kube/config", home);
    paths[0] = jr_str(path);
    q->paths = paths;
    q->n = 1;
    return jr_config_from_files(q, ret, err);
}

enum jr_status jr_kube_config_load(const char *path, const char *context, enum jr_config_user user,
                                   struct jr_kube_config *ret, struct jr_error *err)
{
    const char *list = env("KUBECONFIG");
    const char *host = env("KUBERNETES_SERVICE_HOST");
    struct jr_config_query q = { .context = jr_str(context).n == 0 ? NULL : context, .user = user };
    enum jr_status st;

    if (path != NULL && path[0] != '\0') {
        const struct jr_str paths[] = { jr_str(path) };

        q.paths = paths;
        q.n = 1;
        q.must_exist = true;
        st = jr_config_from_files(&q, ret, err);
        return st == JR_NOTFOUND ? jr_fail(err, st, path, "there is no configuration in it") : st;
    }
    st = list != NULL ? from_list(jr_str(list), &q, ret, err) : from_home(&q, ret, err);
    if (st != JR_NOTFOUND)
        return st;
    if (host == NULL && jr_str(list).n > 0)
        return jr_fail(err, JR_NOTFOUND, "KUBECONFIG", "there is no configuration in %s", list);
    if (host == NULL)
        return jr_fail(
            err, JR_NOTFOUND, NULL,
            "no kubeconfig found (--kubeconfig, KUBECONFIG, ~/.kube/config), and not in a "
            "cluster (KUBERNETES_SERVICE_HOST is not set)");
    if (q.context != NULL)
        return jr_fail(err, JR_USAGE, "--context", "there is no kubeconfig that could have it");
    return jr_config_incluster(SERVICE_ACCOUNT_DIR, host, env("KUBERNETES_SERVICE_PORT"), ret, err);
}

enum jr_status jr_kube_config_of_server(const char *server, const char *ca_file,
                                        const char *tls_server_name, struct jr_kube_config *ret,
                                        struct jr_error *err)
{
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config c = { .server = jr_xstrdup(server) };
    enum jr_status st = JR_OK;

    c.tls_server_name = jr_xstrdup(tls_server_name);
    c.ca_file = jr_xstrdup(ca_file);
    if (ca_file != NULL)
        st = jr_config_read_text(ca_file, &c.ca_pem, err);
    if (st == JR_OK && ca_file != NULL)
        st = jr_config_check_ca(c.ca_pem, ca_file, err);
    if (st == JR_OK)
        st = jr_config_check(&c, server, err);
    if (st == JR_OK)
        *ret = jr_config_steal(&c);
    return st;
}
