/* SPDX-License-Identifier: Apache-2.0 */
/* The existing objects that updates are validated against. */
#include "cli/existing.h"

#include "cli/apply.h"
#include "common/base/memory.h"

struct jr_old {
    const struct jr_admission_kind *kind;
    struct jr_str namespace; /* in doc, or a literal */
    struct jr_str name;      /* in doc */
    struct jr_doc *doc;
};

static struct jr_str namespace_or_default(struct jr_str namespace)
{
    return namespace.n == 0 ? JR_S("default") : namespace;
}

static int compare(const struct jr_old *a, const struct jr_old *b)
{
    int cmp = jr_str_cmp(a->name, b->name);

    if (cmp == 0)
        cmp = jr_str_cmp(a->namespace, b->namespace);
    if (cmp == 0 && a->kind != b->kind)
        cmp = (uintptr_t)a->kind < (uintptr_t)b->kind ? -1 : 1;
    return cmp;
}

static int compare_void(const void *a, const void *b)
{
    return compare(a, b);
}

static enum jr_status add_object(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    const struct jr_admission_kind *kind = jr_admission_kind_find(m->api_version, m->kind);
    struct jr_existing *existing = ctx;
    const struct jr_node *meta;
    struct jr_doc *doc = NULL;

    if (jr_node_kind(m->node) != JR_OBJECT && !m->is_list)
        return jr_fail(err, JR_TYPE, NULL, JR_NO_OBJECT);
    if (kind == NULL)
        return JR_OK;
    jr_cli_set_namespace(m, existing->namespace);
    jr_must(jr_doc_of(m->node, &doc));
    meta = jr_get(jr_doc_root(doc), "metadata");
    existing->v = jr_xvec_room(existing->v, existing->n, &existing->cap, sizeof(*existing->v));
    existing->v[existing->n++] = (struct jr_old){
        .kind = kind,
        .namespace = namespace_or_default(jr_get_str(meta, "namespace")),
        .name = jr_get_str(meta, "name"),
        .doc = doc,
    };
    return JR_OK;
}

enum jr_status jr_existing_read(struct jr_existing *existing, struct jr_str text,
                                struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES, .dup = JR_DUP_LAST };
    const struct jr_stream_sink sink = { .object = add_object, .ctx = existing };
    enum jr_status st = jr_stream_read(text, &limits, &sink, err);

    if (st != JR_OK || existing->n == 0)
        return st;
    qsort(existing->v, existing->n, sizeof(*existing->v), compare_void);
    for (size_t i = 1; i < existing->n; i++) {
        if (existing->v[i].name.n > 0 && compare(&existing->v[i - 1], &existing->v[i]) == 0)
            return jr_fail(err, JR_EXISTS, NULL, "%.*s/%.*s is there more than once",
                           JR_P(existing->v[i].namespace), JR_P(existing->v[i].name));
    }
    return JR_OK;
}

void jr_existing_done(struct jr_existing *existing)
{
    for (size_t i = 0; i < existing->n; i++)
        jr_doc_free(existing->v[i].doc);
    free(existing->v);
    *existing = (struct jr_existing){ .v = NULL };
}

struct jr_node *jr_existing_find(const struct jr_existing *existing,
                                 const struct jr_admission_kind *kind, struct jr_str namespace,
                                 struct jr_str name)
{
    const struct jr_old key = { .kind = kind,
                                .namespace = namespace_or_default(namespace),
                                .name = name };
    const struct jr_old *found;

    if (name.n == 0 || existing->n == 0)
        return NULL;
    found = bsearch(&key, existing->v, existing->n, sizeof(*existing->v), compare_void);
    return found == NULL ? NULL : jr_doc_root(found->doc);
}
