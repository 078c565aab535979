/* SPDX-License-Identifier: Apache-2.0 */
/* Users of a kubeconfig: their credentials, credential plugins, and impersonation. */
#include <ctype.h>
#include <stdio.h>

#include "common/base/base64.h"
#include "common/base/memory.h"
#include "common/curl/config_parts.h"
#include "common/json/write.h"

#define GROUP "client.authentication.k8s.io"
/* The extension of a cluster that is for plugins. */
#define EXTENSION GROUP "/exec"

static void add_text(char ***v, size_t *n, char *text)
{
    size_t cap = *n; /* few: one at a time */

    *v = jr_xvec_room(*v, *n, &cap, sizeof(**v));
    (*v)[(*n)++] = text;
}

/** Whether a text can stand in a header or in the environment: visible characters and blanks. */
static bool is_line(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            return false;
    }
    return true;
}

/* ---- impersonation ---- */

/** A header's name may have these; all else of an extra's key is percent-encoded. */
static void add_header_key(struct jr_str key, struct jr_buf *out)
{
    for (size_t i = 0; i < key.n; i++) {
        const unsigned char c = (unsigned char)key.p[i];

        if (isalnum(c) || (c != '\0' && strchr("!#$&'*+-.^_`|~", c) != NULL))
            (void)jr_buf_addc(out, (char)c);
        else
            (void)jr_buf_addf(out, "%%%02X", c);
    }
}

static enum jr_status add_header(const struct jr_config_entry *e, const char *field,
                                 const char *name, struct jr_str key, const struct jr_node *value,
                                 struct jr_kube_config *c, struct jr_error *err)
{
    const struct jr_str text = jr_node_str(value);
    JR_BUF line = { 0 };

    if (text.p == NULL || !is_line(text))
        return jr_fail(err, JR_INVALID, e->where, "%s: must be texts without control characters",
                       field);
    jr_buf_init(&line, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&line, name);
    add_header_key(key, &line);
    (void)jr_buf_addf(&line, ": %.*s", JR_P(text));
    jr_must(line.failed);
    add_text(&c->impersonate, &c->n_impersonate, jr_xstrndup(jr_buf_str(&line)));
    return JR_OK;
}

static enum jr_status add_headers(const struct jr_config_entry *e, const char *field,
                                  const char *name, struct jr_str key, const struct jr_node *values,
                                  struct jr_kube_config *c, struct jr_error *err)
{
    enum jr_status st = JR_OK;

    if (!jr_unset(values) && jr_node_kind(values) != JR_ARRAY)
        return jr_fail(err, JR_TYPE, e->where, "%s: must be a list", field);
    for (const struct jr_node *v = jr_first(values); v != NULL && st == JR_OK; v = jr_next(v))
        st = add_header(e, field, name, key, v, c, err);
    return st;
}

static enum jr_status take_impersonation(const struct jr_config_entry *e, struct jr_kube_config *c,
                                         struct jr_error *err)
{
    const struct jr_str none = JR_S("");
    const struct jr_node *extra = jr_get(e->node, "as-user-extra");
    struct jr_str as, uid;
    enum jr_status st = jr_config_text_of(e->node, "as", e->where, &as, err);

    if (st == JR_OK)
        st = jr_config_text_of(e->node, "as-uid", e->where, &uid, err);
    if (st != JR_OK)
        return st;
    if (as.n > 0)
        st = add_header(e, "as", "Impersonate-User", none, jr_get(e->node, "as"), c, err);
    if (st == JR_OK && uid.n > 0)
        st = add_header(e, "as-uid", "Impersonate-Uid", none, jr_get(e->node, "as-uid"), c, err);
    if (st == JR_OK)
        st = add_headers(e, "as-groups", "Impersonate-Group", none, jr_get(e->node, "as-groups"), c,
                         err);
    if (st == JR_OK && !jr_unset(extra) && jr_node_kind(extra) != JR_OBJECT)
        st = jr_fail(err, JR_TYPE, e->where, "as-user-extra: must be an object");
    for (const struct jr_node *x = jr_first(extra); x != NULL && st == JR_OK; x = jr_next(x))
        st = add_headers(e, "as-user-extra", "Impersonate-Extra-", jr_key(x), x, c, err);
    if (st == JR_OK && as.n == 0 && c->n_impersonate > 0)
        st = jr_fail(err, JR_INVALID, e->where,
                     "as: not set, and there are as-uid, as-groups or as-user-extra");
    return st;
}

/* ---- credential plugins ---- */

static enum jr_status take_args(const struct jr_config_entry *e, struct jr_exec_plugin *p,
                                struct jr_error *err)
{
    const struct jr_node *args = jr_get(e->node, "args");

    if (!jr_unset(args) && jr_node_kind(args) != JR_ARRAY)
        return jr_fail(err, JR_TYPE, e->where, "args: must be a list");
    for (const struct jr_node *a = jr_first(args); a != NULL; a = jr_next(a)) {
        const struct jr_str text = jr_node_str(a);

        if (text.p == NULL || memchr(text.p, '\0', text.n) != NULL)
            return jr_fail(err, JR_INVALID, e->where, "args[%zu]: must be a text without a NUL",
                           p->n_args);
        add_text(&p->args, &p->n_args, jr_xstrndup(text));
    }
    return JR_OK;
}

static enum jr_status take_env(const struct jr_config_entry *e, struct jr_exec_plugin *p,
                               struct jr_error *err)
{
    const struct jr_node *env = jr_get(e->node, "env");

    if (!jr_unset(env) && jr_node_kind(env) != JR_ARRAY)
        return jr_fail(err, JR_TYPE, e->where, "env: must be a list");
    for (const struct jr_node *v = jr_first(env); v != NULL; v = jr_next(v)) {
        char where[sizeof(e->where)];
        struct jr_str name, value;
        enum jr_status st;

        (void)snprintf(where, sizeof(where), "%.220s.env[%zu]", e->where, p->n_env);
        st = jr_config_text_of(v, "name", where, &name, err);
        if (st == JR_OK)
            st = jr_config_text_of(v, "value", where, &value, err);
        if (st != JR_OK)
            return st;
        if (name.n == 0 || jr_str_find(name, '=') >= 0)
            return jr_fail(err, JR_INVALID, where,
                           "name: must be the name of an environment variable");
        add_text(&p->env, &p->n_env, jr_xasprintf("%.*s=%.*s", JR_P(name), JR_P(value)));
    }
    return JR_OK;
}

static enum jr_status take_input(const struct jr_config_entry *e, struct jr_exec_plugin *p,
                                 struct jr_error *err)
{
    static const char *const modes[] = {
        [JR_EXEC_NEVER] = "Never",
        [JR_EXEC_IF_AVAILABLE] = "IfAvailable",
        [JR_EXEC_ALWAYS] = "Always",
    };
    struct jr_str mode;
    enum jr_status st = jr_config_text_of(e->node, "interactiveMode", e->where, &mode, err);

    p->input = JR_EXEC_IF_AVAILABLE;
    if (st != JR_OK || (mode.n == 0 && strcmp(p->api_version, GROUP "/v1beta1") == 0))
        return st;
    for (size_t i = 0; i < JR_ARRAY_SIZE(modes); i++) {
        if (jr_str_is(mode, modes[i])) {
            p->input = (enum jr_exec_input)i;
            return JR_OK;
        }
    }
    return jr_fail(err, JR_INVALID, e->where,
                   "interactiveMode: must be Never, IfAvailable or Always");
}

/** Writes what a plugin is told of the cluster. */
static enum jr_status write_cluster(const struct jr_config_entry *cluster,
                                    const struct jr_kube_config *c, struct jr_exec_plugin *p,
                                    struct jr_error *err)
{
    const struct jr_node *config = NULL;
    bool plain = false;
    JR_BUF out = { 0 };
    struct jr_writer w = jr_writer_on(&out);
    enum jr_status st = jr_config_take_bool(cluster, "disable-compression", &plain, err);

    if (st != JR_OK)
        return st;
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    jr_w_object(&w);
    jr_w_kstr(&w, "server", jr_str(c->server));
    jr_w_opt_kstr(&w, "tls-server-name", jr_str(c->tls_server_name));
    if (c->insecure)
        jr_w_kbool(&w, "insecure-skip-tls-verify", true);
    if (c->ca_pem != NULL) {
        jr_w_key(&w, "certificate-authority-data");
        (void)jr_buf_addc(&out, '"');
        jr_must(jr_base64_encode(jr_str(c->ca_pem), &out));
        (void)jr_buf_addc(&out, '"');
    }
    jr_w_opt_kstr(&w, "proxy-url", jr_str(c->proxy_url));
    if (plain)
        jr_w_kbool(&w, "disable-compression", true);
    for (const struct jr_node *x = jr_first(jr_get(cluster->node, "extensions")); x != NULL;
         x = jr_next(x)) {
        if (jr_str_is(jr_get_str(x, "name"), EXTENSION))
            config = jr_get(x, "extension");
    }
    if (config != NULL) {
        jr_w_key(&w, "config");
        jr_must(jr_node_print(config, &out));
    }
    jr_w_object_end(&w);
    jr_must(out.failed);
    p->cluster = jr_xstrndup(jr_buf_str(&out));
    return JR_OK;
}

static enum jr_status take_command(const struct jr_config_entry *e, struct jr_exec_plugin *p,
                                   struct jr_error *err)
{
    const struct jr_str name = jr_get_str(e->node, "command");
    /* Without a slash it is looked for in PATH. */
    enum jr_status st = jr_str_find(name, '/') >= 0
                            ? jr_config_take_path(e, "command", &p->command, err)
                            : jr_config_take_text(e, "command", &p->command, err);

    if (st == JR_OK && p->command == NULL)
        st = jr_fail(err, JR_INVALID, e->where, "command: not set");
    return st;
}

static enum jr_status take_api_version(const struct jr_config_entry *e, struct jr_exec_plugin *p,
                                       struct jr_error *err)
{
    enum jr_status st = jr_config_take_text(e, "apiVersion", &p->api_version, err);

    if (st == JR_OK && p->api_version == NULL)
        return jr_fail(err, JR_INVALID, e->where, "apiVersion: not set");
    if (st == JR_OK && strcmp(p->api_version, GROUP "/v1") != 0 &&
        strcmp(p->api_version, GROUP "/v1beta1") != 0)
        return jr_fail(err, JR_UNSUPPORTED, e->where,
                       "apiVersion: expected " GROUP "/v1 or v1beta1, not \"%s\"", p->api_version);
    return st;
}

/** Takes over what is in `e`, the exec object. */
static enum jr_status take_exec(const struct jr_config_entry *e,
                                const struct jr_config_entry *cluster, struct jr_kube_config *c,
                                struct jr_error *err)
{
    struct jr_exec_plugin *p = c->exec = jr_xcalloc(1, sizeof(*c->exec));
    bool tell = false;
    enum jr_status st = JR_OK;

    if (jr_node_kind(e->node) != JR_OBJECT)
        return jr_fail(err, JR_TYPE, e->where, "must be an object");
    st = take_command(e, p, err);
    if (st == JR_OK)
        st = take_api_version(e, p, err);
    if (st == JR_OK)
        st = take_args(e, p, err);
    if (st == JR_OK)
        st = take_env(e, p, err);
    if (st == JR_OK)
        st = take_input(e, p, err);
    if (st == JR_OK)
        st = jr_config_take_text(e, "installHint", &p->install_hint, err);
    if (st == JR_OK)
        st = jr_config_take_bool(e, "provideClusterInfo", &tell, err);
    return st == JR_OK && tell ? write_cluster(cluster, c, p, err) : st;
}

/* ---- an entry of users ---- */

/** Refuses what would make us someone else than the file says, if it were passed over. */
static enum jr_status refuse_unsupported(const struct jr_config_entry *e, enum jr_config_user of,
                                         struct jr_error *err)
{
    if (!jr_unset(jr_get(e->node, "auth-provider")))
        return jr_fail(err, JR_UNSUPPORTED, e->where,
                       "auth-provider: not supported; use exec (of a person), a token, a token "
                       "file or a client certificate");
    if (of == JR_CONFIG_SERVER && !jr_unset(jr_get(e->node, "exec")))
        return jr_fail(err, JR_UNSUPPORTED, e->where,
                       "exec: only the command jobreeve runs credential plugins; use a token, a "
                       "token file or a client certificate");
    return JR_OK;
}

enum jr_status jr_config_take_user(const struct jr_config_entry *user,
                                   const struct jr_config_entry *cluster, enum jr_config_user of,
                                   struct jr_kube_config *c, struct jr_error *err)
{
    const struct jr_node *exec = jr_get(user->node, "exec");
    enum jr_status st = refuse_unsupported(user, of, err);

    if (st == JR_OK)
        st = jr_config_take_pem(user, "client-certificate", "client-certificate-data",
                                &c->client_cert_pem, &c->client_cert_file, err);
    if (st == JR_OK)
        st = jr_config_take_pem(user, "client-key", "client-key-data", &c->client_key_pem,
                                &c->client_key_file, err);
    if (st == JR_OK)
        st = jr_config_take_text(user, "token", &c->token, err);
    if (st == JR_OK)
        st = jr_config_take_path(user, "tokenFile", &c->token_file, err);
    if (st == JR_OK)
        st = jr_config_take_text(user, "username", &c->username, err);
    if (st == JR_OK)
        st = jr_config_take_text(user, "password", &c->password, err);
    if (st == JR_OK)
        st = take_impersonation(user, c, err);
    if (st == JR_OK && !jr_unset(exec)) {
        struct jr_config_entry e = { .path = user->path, .node = exec };

        (void)snprintf(e.where, sizeof(e.where), "%.200s.exec", user->where);
        st = take_exec(&e, cluster, c, err);
    }
    return st;
}
