/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig files, merged as kubectl merges them: of entries with the same name the first file's
 * counts, whole. */
#include <errno.h>
#include <stdio.h>

#include "common/base/base64.h"
#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/curl/config_parts.h"
#include "common/json/yaml.h"

struct file {
    char *path;
    struct jr_doc *doc;
};
struct files {
    struct file *v;
    size_t n;
};

/** An entry of clusters, users or contexts, and where it stands. */
struct entry {
    const char *path;           /* of the file; NULL: there is no such entry */
    const struct jr_node *node; /* NULL: it is empty */
    char where[256];            /* file: users[admin].user */
};

static void files_done(struct files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].path);
        jr_doc_free(f->v[i].doc);
    }
    free(f->v);
}

/* ---- reading ---- */

/** Keeps the first document; kubectl knows of no other. */
static enum jr_status on_doc(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                             struct jr_error *err)
{
    struct file *f = ctx;

    (void)err;
    jr_positions_free(pos);
    if (f->doc == NULL)
        f->doc = doc;
    else
        jr_doc_free(doc);
    return JR_OK;
}

static enum jr_status parse_file(struct file *file, struct jr_error *err)
{
    JR_SECRET_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, JR_CONFIG_FILE_MAX);
    st = jr_need(jr_file_read(file->path, &text, err));
    if (st == JR_OK) {
        st = jr_need(jr_yaml_read(jr_buf_str(&text), NULL, on_doc, file, err));
        if (st != JR_OK && err != NULL)
            (void)snprintf(err->path, sizeof(err->path), "%s", file->path);
    }
    if (st == JR_OK && file->doc != NULL && jr_node_kind(jr_doc_root(file->doc)) != JR_OBJECT &&
        !jr_unset(jr_doc_root(file->doc)))
        st = jr_fail(err, JR_TYPE, file->path, "no kubeconfig: not an object");
    return st;
}

static enum jr_status read_files(const struct jr_str *paths, size_t n, bool must_exist,
                                 struct files *ret, struct jr_error *err)
{
    ret->v = jr_xcalloc(n, sizeof(*ret->v));
    for (size_t i = 0; i < n; i++) {
        struct file *f = &ret->v[ret->n];
        enum jr_status st;

        f->path = jr_xstrndup(paths[i]);
        if (!must_exist && access(f->path, F_OK) != 0 && errno == ENOENT) {
            free(f->path);
            continue;
        }
        ret->n++;
        st = parse_file(f, err);
        if (st != JR_OK)
            return st;
    }
    return JR_OK;
}

/* ---- finding ---- */

static const struct jr_node *root_of(const struct file *f)
{
    return f->doc == NULL ? NULL : jr_doc_root_const(f->doc);
}

/** A text member; absent and null are {NULL, 0}. */
static enum jr_status text_of(const struct jr_node *obj, const char *key, const char *where,
                              struct jr_str *ret, struct jr_error *err)
{
    const struct jr_node *n = jr_get(obj, key);

    *ret = (struct jr_str){ 0 };
    if (jr_unset(n))
        return JR_OK;
    if (jr_node_kind(n) != JR_STRING)
        return jr_fail(err, JR_TYPE, where, "%s: must be a string", key);
    *ret = jr_node_str(n);
    if (memchr(ret->p, '\0', ret->n) != NULL)
        return jr_fail(err, JR_INVALID, where, "%s: has a NUL in it", key);
    return JR_OK;
}

static enum jr_status find_in(const struct file *f, const char *list, const char *member,
                              struct jr_str name, struct entry *ret, struct jr_error *err)
{
    const struct jr_node *items = jr_get(root_of(f), list);

    for (const struct jr_node *i = jr_first(items); i != NULL; i = jr_next(i)) {
        if (!jr_str_eq(jr_get_str(i, "name"), name) || jr_get_str(i, "name").p == NULL)
            continue;
        if (ret->path != NULL)
            return jr_fail(err, JR_INVALID, f->path, "%s: \"%.*s\" is there twice", list,
                           JR_P(name));
        ret->path = f->path;
        ret->node = jr_get(i, member);
        (void)snprintf(ret->where, sizeof(ret->where), "%s: %s[%.*s].%s", f->path, list, JR_P(name),
                       member);
    }
    return JR_OK;
}

/** The first file's entry of this name. */
static enum jr_status find_entry(const struct files *files, const char *list, const char *member,
                                 struct jr_str name, struct entry *ret, struct jr_error *err)
{
    *ret = (struct entry){ 0 };
    for (size_t i = 0; i < files->n && ret->path == NULL; i++) {
        enum jr_status st = find_in(&files->v[i], list, member, name, ret, err);

        if (st != JR_OK)
            return st;
    }
    return JR_OK;
}

static bool is_empty(const struct files *files)
{
    static const char *const members[] = { "clusters", "users", "contexts" };

    for (size_t i = 0; i < files->n; i++) {
        const struct jr_node *root = root_of(&files->v[i]);

        if (jr_get_str(root, "current-context").n > 0)
            return false;
        for (size_t m = 0; m < JR_ARRAY_SIZE(members); m++) {
            if (jr_size(jr_get(root, members[m])) > 0)
                return false;
        }
    }
    return true;
}

/* ---- values ---- */

/** Copies a text member that is not empty. */
static enum jr_status take_text(const struct entry *e, const char *key, char **ret,
                                struct jr_error *err)
{
    struct jr_str s;
    enum jr_status st = text_of(e->node, key, e->where, &s, err);

    if (st != JR_OK || s.n == 0)
        return st;
    *ret = jr_xstrndup(s);
    return JR_OK;
}

/** Copies a path; relative ones start at the file's folder. */
static enum jr_status take_path(const struct entry *e, const char *key, char **ret,
                                struct jr_error *err)
{
    struct jr_str s, dir = jr_str(e->path);
    ptrdiff_t slash = jr_str_rfind(dir, '/');
    enum jr_status st = text_of(e->node, key, e->where, &s, err);

    if (st != JR_OK || s.n == 0)
        return st;
    if (s.p[0] == '/' || slash < 0)
        *ret = jr_xstrndup(s);
    else
        *ret = jr_xasprintf("%.*s/%.*s", (int)slash, dir.p, JR_P(s));
    return JR_OK;
}

/** Decodes base64; line ends inside are passed over, as in Go. */
static enum jr_status decode_base64(const struct entry *e, const char *key, struct jr_str in,
                                    char **ret, struct jr_error *err)
{
    JR_SECRET_BUF plain = { 0 };
    JR_SECRET_BUF out = { 0 };
    size_t n;
    enum jr_status st;

    jr_buf_init(&plain, JR_CONFIG_FILE_MAX);
    jr_buf_init(&out, JR_CONFIG_FILE_MAX);
    for (size_t i = 0; i < in.n; i++) {
        if (in.p[i] != '\n' && in.p[i] != '\r')
            (void)jr_buf_addc(&plain, in.p[i]);
    }
    st = plain.failed != JR_OK ? plain.failed : jr_base64_decode(jr_buf_str(&plain), &out);
    if (st == JR_OK && out.n > 0 && memchr(out.p, '\0', out.n) != NULL)
        st = JR_SYNTAX;
    if (st == JR_OK)
        st = jr_buf_take(&out, ret, &n);
    if (st == JR_SYNTAX)
        (void)jr_fail(err, st, e->where, "%s: not base64 of a text", key);
    else if (jr_need(st) != JR_OK)
        (void)jr_fail(err, st, e->where, "%s: too long", key);
    return st;
}

/** PEM from `key` (a file, which is named in *ret_file) or `key`-data (base64). */
static enum jr_status take_pem(const struct entry *e, const char *key, const char *key_data,
                               char **ret, char **ret_file, struct jr_error *err)
{
    JR_FREE char *path = NULL;
    struct jr_str data = { 0 };
    enum jr_status st = take_path(e, key, &path, err);

    if (st == JR_OK)
        st = text_of(e->node, key_data, e->where, &data, err);
    if (st != JR_OK)
        return st;
    if (path != NULL && data.n > 0)
        return jr_fail(err, JR_INVALID, e->where, "%s: there is a %s, too", key, key_data);
    if (data.n > 0)
        return decode_base64(e, key_data, data, ret, err);
    if (path == NULL)
        return JR_OK;
    st = jr_config_read_text(path, ret, err);
    if (st != JR_OK && err != NULL) {
        (void)snprintf(err->path, sizeof(err->path), "%s", e->where);
        (void)jr_wrap(err, st, "%s: %s", key, path);
    }
    if (st == JR_OK)
        *ret_file = jr_steal(&path);
    return st;
}

/* ---- the three parts ---- */

static enum jr_status take_cluster(const struct entry *e, struct jr_kube_config *c,
                                   struct jr_error *err)
{
    const struct jr_node *insecure = jr_get(e->node, "insecure-skip-tls-verify");
    enum jr_status st = take_text(e, "server", &c->server, err);

    if (st == JR_OK)
        st = take_text(e, "tls-server-name", &c->tls_server_name, err);
    if (st == JR_OK)
        st = take_text(e, "proxy-url", &c->proxy_url, err);
    if (st == JR_OK)
        st = take_pem(e, "certificate-authority", "certificate-authority-data", &c->ca_pem,
                      &c->ca_file, err);
    if (st == JR_OK && !jr_unset(insecure) && jr_node_kind(insecure) != JR_TRUE &&
        jr_node_kind(insecure) != JR_FALSE)
        st = jr_fail(err, JR_TYPE, e->where, "insecure-skip-tls-verify: must be true or false");
    c->insecure = jr_node_bool_or(insecure, false);
    return st;
}

/** What would make us someone else than the file says, if it were passed over. */
static enum jr_status refuse_unsupported(const struct entry *e, struct jr_error *err)
{
    static const char *const keys[] = {
        "exec", "auth-provider", "as", "as-uid", "as-groups", "as-user-extra",
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(keys); i++) {
        const struct jr_node *n = jr_get(e->node, keys[i]);

        if (jr_unset(n) || (jr_node_kind(n) != JR_STRING && jr_size(n) == 0) ||
            (jr_node_kind(n) == JR_STRING && jr_node_str(n).n == 0))
            continue;
        return jr_fail(err, JR_UNSUPPORTED, e->where,
                       "%s: not supported; use a token, a token file or a client certificate",
                       keys[i]);
    }
    return JR_OK;
}

static enum jr_status take_user(const struct entry *e, struct jr_kube_config *c,
                                struct jr_error *err)
{
    enum jr_status st = refuse_unsupported(e, err);

    if (st == JR_OK)
        st = take_pem(e, "client-certificate", "client-certificate-data", &c->client_cert_pem,
                      &c->client_cert_file, err);
    if (st == JR_OK)
        st = take_pem(e, "client-key", "client-key-data", &c->client_key_pem, &c->client_key_file,
                      err);
    if (st == JR_OK)
        st = take_text(e, "token", &c->token, err);
    if (st == JR_OK)
        st = take_path(e, "tokenFile", &c->token_file, err);
    if (st == JR_OK)
        st = take_text(e, "username", &c->username, err);
    if (st == JR_OK)
        st = take_text(e, "password", &c->password, err);
    return st;
}

/** The context's name: the given one, or the first current-context. */
static enum jr_status choose_context(const struct files *files, const char *context,
                                     struct jr_str *ret, struct jr_error *err)
{
    *ret = jr_str(context);
    for (size_t i = 0; i < files->n && ret->n == 0; i++) {
        const struct file *f = &files->v[i];
        enum jr_status st = text_of(root_of(f), "current-context", f->path, ret, err);

        if (st != JR_OK)
            return st;
    }
    if (ret->n == 0)
        return jr_fail(err, JR_INVALID, files->v[0].path,
                       "current-context: not set, and no context was asked for");
    return JR_OK;
}

/** The entry that `e`, a context, refers to by `key`. */
static enum jr_status find_referred(const struct files *files, const struct entry *e,
                                    const char *key, const char *list, struct entry *ret,
                                    struct jr_error *err)
{
    struct jr_str name;
    enum jr_status st = text_of(e->node, key, e->where, &name, err);

    if (st == JR_OK && name.n == 0 && strcmp(key, "user") == 0) { /* nobody in particular */
        *ret = (struct entry){ .path = e->path };
        return JR_OK;
    }
    if (st == JR_OK && name.n == 0)
        return jr_fail(err, JR_INVALID, e->where, "%s: not set", key);
    if (st == JR_OK)
        st = find_entry(files, list, key, name, ret, err);
    if (st == JR_OK && ret->path == NULL)
        return jr_fail(err, JR_INVALID, e->where, "%s: there is no \"%.*s\" in %s", key, JR_P(name),
                       list);
    return st;
}

static enum jr_status take_context(const struct files *files, struct jr_str name,
                                   struct jr_kube_config *c, struct jr_error *err)
{
    struct entry context = { 0 }, cluster = { 0 }, user = { 0 };
    enum jr_status st = find_entry(files, "contexts", "context", name, &context, err);

    if (st == JR_OK && context.path == NULL)
        return jr_fail(err, JR_INVALID, files->v[0].path, "contexts: there is no \"%.*s\"",
                       JR_P(name));
    if (st == JR_OK)
        st = take_text(&context, "namespace", &c->namespace, err);
    if (st == JR_OK)
        st = find_referred(files, &context, "cluster", "clusters", &cluster, err);
    if (st == JR_OK)
        st = find_referred(files, &context, "user", "users", &user, err);
    if (st == JR_OK)
        st = take_cluster(&cluster, c, err);
    if (st == JR_OK)
        st = take_user(&user, c, err);
    if (st != JR_OK)
        return st;
    c->source = jr_xstrdup(context.path);
    return jr_config_check(c, context.where, err);
}

enum jr_status jr_config_from_files(const struct jr_str *paths, size_t n, bool must_exist,
                                    const char *context, struct jr_kube_config *ret,
                                    struct jr_error *err)
{
    JR_CLEANUP(files_done) struct files files = { 0 };
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config c = { 0 };
    struct jr_str name;
    enum jr_status st = read_files(paths, n, must_exist, &files, err);

    if (st == JR_OK && is_empty(&files))
        return JR_NOTFOUND;
    if (st == JR_OK)
        st = choose_context(&files, context, &name, err);
    if (st == JR_OK)
        st = take_context(&files, name, &c, err);
    if (st == JR_OK)
        *ret = jr_config_steal(&c);
    return st;
}
