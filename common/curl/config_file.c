/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig files, merged as kubectl merges them: of entries with the same name the first file's
 * counts, whole. */
#include <errno.h>
#include <stdio.h>

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
    /* A thousand clusters with all that they have. */
    const struct jr_yaml_limits limits = { .max_nodes = 100000 };
    JR_SECRET_BUF text = { 0 };
    enum jr_status st;

    jr_buf_init(&text, JR_CONFIG_FILE_MAX);
    st = jr_need(jr_file_read(file->path, &text, err));
    if (st == JR_OK) {
        st = jr_need(jr_yaml_read(jr_buf_str(&text), &limits, on_doc, file, err));
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

static enum jr_status find_in(const struct file *f, const char *list, const char *member,
                              struct jr_str name, struct jr_config_entry *ret, struct jr_error *err)
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
                                 struct jr_str name, struct jr_config_entry *ret,
                                 struct jr_error *err)
{
    *ret = (struct jr_config_entry){ 0 };
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

/* ---- the three parts ---- */

static enum jr_status take_cluster(const struct jr_config_entry *e, struct jr_kube_config *c,
                                   struct jr_error *err)
{
    enum jr_status st = jr_config_take_text(e, "server", &c->server, err);

    if (st == JR_OK)
        st = jr_config_take_text(e, "tls-server-name", &c->tls_server_name, err);
    if (st == JR_OK)
        st = jr_config_take_text(e, "proxy-url", &c->proxy_url, err);
    if (st == JR_OK)
        st = jr_config_take_pem(e, "certificate-authority", "certificate-authority-data",
                                &c->ca_pem, &c->ca_file, err);
    if (st == JR_OK)
        st = jr_config_take_bool(e, "insecure-skip-tls-verify", &c->insecure, err);
    return st;
}

/** The context's name: the given one, or the first current-context. */
static enum jr_status choose_context(const struct files *files, const char *context,
                                     struct jr_str *ret, struct jr_error *err)
{
    *ret = jr_str(context);
    for (size_t i = 0; i < files->n && ret->n == 0; i++) {
        const struct file *f = &files->v[i];
        enum jr_status st = jr_config_text_of(root_of(f), "current-context", f->path, ret, err);

        if (st != JR_OK)
            return st;
    }
    if (ret->n == 0)
        return jr_fail(err, JR_INVALID, files->v[0].path,
                       "current-context: not set, and no context was asked for");
    return JR_OK;
}

/** The entry that `e`, a context, refers to by `key`. */
static enum jr_status find_referred(const struct files *files, const struct jr_config_entry *e,
                                    const char *key, const char *list, struct jr_config_entry *ret,
                                    struct jr_error *err)
{
    struct jr_str name;
    enum jr_status st = jr_config_text_of(e->node, key, e->where, &name, err);

    if (st == JR_OK && name.n == 0 && strcmp(key, "user") == 0) { /* nobody in particular */
        *ret = (struct jr_config_entry){ .path = e->path };
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
                                   enum jr_config_user of, struct jr_kube_config *c,
                                   struct jr_error *err)
{
    struct jr_config_entry context = { 0 }, cluster = { 0 }, user = { 0 };
    enum jr_status st = find_entry(files, "contexts", "context", name, &context, err);

    if (st == JR_OK && context.path == NULL)
        return jr_fail(err, JR_INVALID, files->v[0].path, "contexts: there is no \"%.*s\"",
                       JR_P(name));
    if (st == JR_OK)
        st = jr_config_take_text(&context, "namespace", &c->namespace, err);
    if (st == JR_OK)
        st = find_referred(files, &context, "cluster", "clusters", &cluster, err);
    if (st == JR_OK)
        st = find_referred(files, &context, "user", "users", &user, err);
    if (st == JR_OK)
        st = take_cluster(&cluster, c, err);
    if (st == JR_OK)
        st = jr_config_take_user(&user, &cluster, of, c, err);
    if (st != JR_OK)
        return st;
    c->source = jr_xstrdup(context.path);
    c->context = jr_xstrndup(name);
    c->cluster = jr_xstrdup(cluster.where);
    c->user = user.node == NULL ? NULL : jr_xstrdup(user.where);
    return jr_config_check(c, context.where, err);
}

enum jr_status jr_config_from_files(const struct jr_config_query *query, struct jr_kube_config *ret,
                                    struct jr_error *err)
{
    JR_CLEANUP(files_done) struct files files = { 0 };
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config c = { 0 };
    struct jr_str name;
    enum jr_status st = read_files(query->paths, query->n, query->must_exist, &files, err);

    if (st == JR_OK && is_empty(&files))
        return JR_NOTFOUND;
    if (st == JR_OK)
        st = choose_context(&files, query->context, &name, err);
    if (st == JR_OK)
        st = take_context(&files, name, query->user, &c, err);
    if (st == JR_OK)
        *ret = jr_config_steal(&c);
    return st;
}
