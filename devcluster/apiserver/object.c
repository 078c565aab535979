/* SPDX-License-Identifier: Apache-2.0 */
/* Stored objects: their text, made once, and what is kept of it. */
#include "devcluster/apiserver/object.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/json/write.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

#define TEXT_MAX_BYTES ((size_t)64 << 20)

/* ---- text ---- */

static const char *const meta_order[] = {
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
};

static bool listed(struct jr_str key, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (jr_str_is(key, names[i]))
            return true;
    }
    return false;
}

static void write_member(struct jr_buf *out, const struct jr_node *member)
{
    struct jr_writer w = jr_writer_on(out);

    if (out->n > 0 && out->p[out->n - 1] != '{')
        (void)jr_buf_addc(out, ',');
    jr_w_keyn(&w, jr_key(member));
    if (out->failed == JR_OK)
        out->failed = jr_node_print(member, out);
}

static void write_version(struct jr_buf *out, struct jr_str version, struct jr_dev_marks *marks)
{
    if (version.n == 0)
        return;
    if (out->p[out->n - 1] != '{')
        (void)jr_buf_addc(out, ',');
    (void)jr_buf_adds(out, "\"resourceVersion\":\"");
    marks->rv_at = out->n;
    marks->rv_n = version.n;
    (void)jr_buf_add(out, version);
    (void)jr_buf_addc(out, '"');
}

static void write_meta(const struct jr_node *meta, struct jr_str version, struct jr_buf *out,
                       struct jr_dev_marks *marks)
{
    marks->meta_at = out->n;
    (void)jr_buf_addc(out, '{');
    for (size_t i = 0; i < JR_ARRAY_SIZE(meta_order); i++) {
        const struct jr_node *m = jr_get(meta, meta_order[i]);

        if (strcmp(meta_order[i], "resourceVersion") == 0)
            write_version(out, version, marks);
        else if (m != NULL)
            write_member(out, m);
    }
    for (const struct jr_node *m = jr_first(meta); m != NULL; m = jr_next(m)) {
        if (!listed(jr_key(m), meta_order, JR_ARRAY_SIZE(meta_order)) &&
            !jr_str_is(jr_key(m), "managedFields") && !jr_str_is(jr_key(m), "selfLink"))
            write_member(out, m);
    }
    (void)jr_buf_addc(out, '}');
    marks->meta_n = out->n - marks->meta_at;
}

void jr_dev_text_write(const struct jr_dev_resource *res, const struct jr_node *root,
                       struct jr_str resource_version, struct jr_buf *out,
                       struct jr_dev_marks *marks)
{
    static const char *const head[] = { "kind", "apiVersion", "metadata", "spec", "status" };

    jr_must(jr_buf_addf(out, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\",", res->kind,
                        JR_DEV_API_VERSION(res)));
    marks->body_at = out->n;
    (void)jr_buf_adds(out, "\"metadata\":");
    write_meta(jr_get(root, "metadata"), resource_version, out, marks);
    if (jr_get(root, "spec") != NULL)
        write_member(out, jr_get(root, "spec"));
    for (const struct jr_node *n = jr_first(root); n != NULL; n = jr_next(n)) {
        if (!listed(jr_key(n), head, JR_ARRAY_SIZE(head)))
            write_member(out, n);
    }
    if (jr_get(root, "status") != NULL)
        write_member(out, jr_get(root, "status"));
    (void)jr_buf_addc(out, '}');
}

/* ---- objects ---- */

TYPE(meta_only, "PartialObjectMetadata",
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_dev_object, meta)));

/* A field's value as a selector sees it. */
static struct jr_str field_value(struct jr_arena *a, const struct jr_node *n)
{
    switch (jr_node_kind(n)) {
    case JR_STRING:
        return jr_xarena_str(a, jr_node_str(n));
    case JR_NUMBER:
        return jr_xarena_str(a, jr_node_number(n));
    case JR_TRUE:
        return JR_S("true");
    case JR_FALSE:
        return JR_S("false");
    case JR_NULL:
    case JR_ARRAY:
    case JR_OBJECT:
        break;
    }
    return JR_S("");
}

static void fill_fields(struct jr_dev_object *o, const struct jr_node *root)
{
    for (size_t i = 0; o->res->fields[i] != NULL; i++) {
        const char *path = o->res->fields[i];

        if (strcmp(path, "status.successful") == 0)
            path = "status.succeeded";
        o->fields[i] = field_value(&o->arena, jr_path(root, path));
    }
}

enum jr_status jr_dev_object_check(const struct jr_dev_resource *res, const struct jr_node *root,
                                   uint64_t revision, struct jr_time now,
                                   struct jr_dev_object **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_dev_object_unrefp) struct jr_dev_object *o = jr_xcalloc(1, sizeof(*o));
    char version[24] = "";
    JR_BUF text = { 0 };
    enum jr_status st;

    o->refs = 1;
    o->res = res;
    o->revision = revision;
    o->written = now;
    jr_arena_init(&o->arena, 0);
    jr_buf_init(&text, TEXT_MAX_BYTES);
    if (revision > 0)
        (void)snprintf(version, sizeof(version), "%" PRIu64, revision);
    jr_dev_text_write(res, root, jr_str(version), &text, &o->marks);
    if (jr_need(text.failed) != JR_OK)
        return jr_fail(err, text.failed, NULL, "object's text");
    o->text = jr_xarena_str(&o->arena, jr_buf_str(&text));
    st = jr_need(jr_decode(o->text, &o->arena, false, jr_schema_decode, &meta_only, o, err));
    if (st != JR_OK)
        return st;
    fill_fields(o, root);
    o->key = jr_xarena_text(&o->arena, "%.*s%s%.*s",
                            JR_P(res->namespaced ? o->meta.namespace : JR_S("")),
                            res->namespaced ? "/" : "", JR_P(o->meta.name));
    *ret = jr_steal(&o);
    return JR_OK;
}

struct jr_dev_object *jr_dev_object_new(const struct jr_dev_resource *res,
                                        const struct jr_node *root, uint64_t revision,
                                        struct jr_time now)
{
    struct jr_dev_object *o;

    jr_must(jr_dev_object_check(res, root, revision, now, &o, NULL));
    return o;
}

struct jr_dev_object *jr_dev_object_ref(struct jr_dev_object *o)
{
    if (o != NULL)
        o->refs++;
    return o;
}

void jr_dev_object_unref(struct jr_dev_object *o)
{
    if (o == NULL || --o->refs > 0)
        return;
    jr_arena_done(&o->arena);
    free(o);
}

struct jr_doc *jr_dev_object_open(const struct jr_dev_object *o)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST, .max_values = SIZE_MAX };
    struct jr_doc *doc;

    jr_must(jr_doc_parse(o->text, &opts, &doc, NULL));
    return doc;
}

static void add_slice(struct jr_buf *out, const struct jr_dev_object *o, size_t from, size_t to)
{
    (void)jr_buf_add(out, (struct jr_str){ o->text.p + from, to - from });
}

/* The text from..to with another revision, if it lies there. */
static void add_revised(struct jr_buf *out, const struct jr_dev_object *o, size_t from, size_t to,
                        uint64_t revision)
{
    if (revision == 0 || o->marks.rv_n == 0) {
        add_slice(out, o, from, to);
        return;
    }
    add_slice(out, o, from, o->marks.rv_at);
    (void)jr_buf_addf(out, "%" PRIu64, revision);
    add_slice(out, o, o->marks.rv_at + o->marks.rv_n, to);
}

void jr_dev_object_write(const struct jr_dev_object *o, enum jr_dev_form form, uint64_t revision,
                         struct jr_buf *out)
{
    const struct jr_dev_marks *m = &o->marks;

    switch (form) {
    case JR_DEV_FORM_OBJECT:
        add_revised(out, o, 0, o->text.n, revision);
        break;
    case JR_DEV_FORM_ITEM:
        (void)jr_buf_addc(out, '{');
        add_revised(out, o, m->body_at, o->text.n, revision);
        break;
    case JR_DEV_FORM_PARTIAL:
        (void)jr_buf_adds(out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":"
                               "\"meta.k8s.io/v1\",\"metadata\":");
        add_revised(out, o, m->meta_at, m->meta_at + m->meta_n, revision);
        (void)jr_buf_addc(out, '}');
        break;
    }
}

bool jr_dev_object_has_finalizer(const struct jr_dev_object *o, const char *finalizer)
{
    return jr_strs_has(&o->meta.finalizers, jr_str(finalizer));
}

/* ---- lists ---- */

void jr_dev_objects_done(struct jr_dev_objects *l)
{
    for (size_t i = 0; i < l->n; i++)
        jr_dev_object_unref(l->v[i]);
    free(l->v);
    *l = (struct jr_dev_objects){ .n = 0 };
}

void jr_dev_objects_insert(struct jr_dev_objects *l, size_t at, struct jr_dev_object *o)
{
    l->v = jr_xvec_room(l->v, l->n, &l->cap, sizeof(o));
    memmove(l->v + at + 1, l->v + at, (l->n - at) * sizeof(o));
    l->v[at] = o;
    l->n++;
}

void jr_dev_objects_remove(struct jr_dev_objects *l, size_t at)
{
    l->n--;
    memmove(l->v + at, l->v + at + 1, (l->n - at) * sizeof(*l->v));
}

size_t jr_dev_objects_at(const struct jr_dev_objects *l, struct jr_str key)
{
    size_t low = 0, high = l->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (jr_str_cmp(l->v[mid]->key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
