/* SPDX-License-Identifier: Apache-2.0 */
/* Reads single Namespaces from the API server, a bounded number at once. */
#include "common/policy/watch/lookup.h"

#include <sys/queue.h>

#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/kube/request.h"

/* Each is a request to the API server: so many names, which tenants choose, are read at once. */
#define AT_ONCE 64
/* An API server waits ten seconds for a webhook by default. */
#define TIMEOUT_MS 2000

struct waiter {
    void (*done)(void *ctx);
    void *ctx;
};

struct lookup {
    LIST_ENTRY(lookup) link;
    struct jr_namespace_lookups *owner;
    struct jr_kube_call *call;
    struct waiter *waiters;
    size_t n, cap;
    char *name;
};

struct jr_namespace_lookups {
    struct jr_env env;
    struct jr_namespaces *table;
    struct jr_log *log;
    LIST_HEAD(, lookup) all;
    size_t n;
};

enum jr_status jr_namespaces_read(struct jr_namespaces *t, struct jr_str object,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_need(jr_doc_parse(object, &JR_READER_LENIENT, &doc, err));
    const struct jr_node *meta, *labels;
    struct jr_labels v = { NULL, 0 };
    struct jr_str name;

    if (st != JR_OK)
        return st;
    meta = jr_get(jr_doc_root_const(doc), "metadata");
    name = jr_get_str(meta, "name");
    if (name.n == 0)
        return jr_fail(err, JR_INVALID, "metadata.name", "is missing");
    labels = jr_get(meta, "labels");
    v.v = jr_xcalloc(jr_size(labels), sizeof(*v.v));
    for (const struct jr_node *l = jr_first(labels); l != NULL; l = jr_next(l))
        v.v[v.n++] = (struct jr_label){ jr_key(l), jr_node_str(l) };
    jr_namespaces_put(t, name, &v);
    free(v.v);
    return JR_OK;
}

static void drop(struct lookup *k)
{
    LIST_REMOVE(k, link);
    k->owner->n--;
    jr_kube_cancel(&k->call);
    free(k->waiters);
    free(k->name);
    free(k);
}

static void on_done(void *ctx, const struct jr_kube_result *r)
{
    struct lookup *k = ctx;
    struct jr_namespace_lookups *l = k->owner;
    JR_CLEANUP(jr_namespace_unrefp)
    struct jr_namespace *known = jr_namespaces_get(l->table, jr_str(k->name));
    struct jr_error err = r->error;
    struct waiter *waiters = k->waiters;
    const size_t n = k->n;

    k->call = NULL;
    if (known == NULL &&
        (r->kind != JR_RESULT_OK || jr_namespaces_read(l->table, r->body, &err) != JR_OK))
        jr_warn(l->log, "a Namespace can't be read, which policies select by",
                JR_CSTR("namespace", k->name), JR_ERR(&err));
    k->waiters = NULL;
    drop(k);
    for (size_t i = 0; i < n; i++)
        waiters[i].done(waiters[i].ctx);
    free(waiters);
}

static void send_get(struct lookup *k)
{
    struct jr_kube_request req = {
        .http = { .method = "GET",
                  .timeout_ms = TIMEOUT_MS,
                  .accept = JR_ACCEPT_METADATA("PartialObjectMetadata") },
    };
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&path, "/api/v1/namespaces/");
    (void)jr_url_escape(jr_str(k->name), &path);
    jr_must(path.failed);
    req.http.path = path.p;
    k->call = jr_kube_send(&k->owner->env, &req, on_done, k);
}

static struct lookup *find(const struct jr_namespace_lookups *l, struct jr_str name)
{
    struct lookup *k;

    LIST_FOREACH(k, &l->all, link)
    {
        if (jr_str_eq(jr_str(k->name), name))
            break;
    }
    return k;
}

bool jr_namespace_lookup(struct jr_namespace_lookups *l, struct jr_str name,
                         void (*done)(void *ctx), void *ctx)
{
    struct lookup *k = find(l, name);

    if (k == NULL && l->n == AT_ONCE)
        return false;
    if (k == NULL) {
        k = jr_xcalloc(1, sizeof(*k));
        k->owner = l;
        k->name = jr_xstrndup(name);
        LIST_INSERT_HEAD(&l->all, k, link);
        l->n++;
        send_get(k);
    }
    k->waiters = jr_xvec_room(k->waiters, k->n, &k->cap, sizeof(*k->waiters));
    k->waiters[k->n++] = (struct waiter){ done, ctx };
    return true;
}

struct jr_namespace_lookups *
jr_namespace_lookups_new(const struct jr_env *env, struct jr_namespaces *table, struct jr_log *log)
{
    struct jr_namespace_lookups *l = jr_xcalloc(1, sizeof(*l));

    l->env = *env;
    l->table = table;
    l->log = log;
    LIST_INIT(&l->all);
    return l;
}

void jr_namespace_lookups_free(struct jr_namespace_lookups *l)
{
    struct lookup *k;

    if (l == NULL)
        return;
    while ((k = LIST_FIRST(&l->all)) != NULL)
        drop(k);
    free(l);
}
