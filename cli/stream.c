/* SPDX-License-Identifier: Apache-2.0 */
/* The one walker of documents and Lists. */
#include "cli/stream.h"

#include "common/base/memory.h"

struct reading {
    const struct jr_stream_sink *sink;
    const struct jr_positions *positions;
    size_t document;
    struct jr_buf path; /* of the object at hand */
    struct jr_error *err;
};

static bool is_list(const struct jr_node *object)
{
    return jr_str_ends(jr_get_str(object, "kind"), JR_S("List")) &&
           jr_node_kind(jr_get(object, "items")) == JR_ARRAY;
}

static enum jr_status take_object(struct reading *r, struct jr_node *node,
                                  const struct jr_manifest *list, size_t place);

static enum jr_status take_items(struct reading *r, const struct jr_manifest *list)
{
    const size_t n = r->path.n;
    const size_t items = jr_positions_find(r->positions, list->place, &JR_FIELD(NULL, "items"));
    enum jr_status st = JR_OK;
    size_t i = 0;

    for (struct jr_node *item = jr_first(jr_get(list->node, "items")); item != NULL && st == JR_OK;
         item = jr_next(item), i++) {
        jr_must(jr_buf_addf(&r->path, "%sitems[%zu]", n > 0 ? "." : "", i));
        st = take_object(r, item, list,
                         jr_positions_find(r->positions, items, &JR_FIELD_AT(NULL, i)));
        r->path.n = n;
    }
    return st;
}

/** What an item of a JobList leaves to the list. */
static void inherit(struct jr_manifest *m, const struct jr_manifest *list)
{
    const struct jr_str kind = list->kind;

    if (jr_str_is(kind, "List"))
        return;
    m->list_version = list->api_version;
    if (m->kind.p != NULL)
        return;
    m->kind = jr_str_head(kind, kind.n - strlen("List"));
    m->api_version = list->api_version;
}

static enum jr_status take_object(struct reading *r, struct jr_node *node,
                                  const struct jr_manifest *list, size_t place)
{
    struct jr_manifest m = {
        .node = node,
        .api_version = jr_get_str(node, "apiVersion"),
        .kind = jr_get_str(node, "kind"),
        .is_list = is_list(node),
        .document = r->document,
        .place = place,
        .positions = r->positions,
    };
    enum jr_status st = JR_OK;

    if (list != NULL)
        inherit(&m, list);
    if (m.is_list)
        st = take_items(r, &m);
    m.path = jr_buf_str(&r->path);
    return st == JR_OK ? r->sink->object(r->sink->ctx, &m, r->err) : st;
}

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    JR_CLEANUP(jr_positions_freep) struct jr_positions *positions = pos;
    struct reading *r = ctx;
    struct jr_stream_document document = { .root = jr_doc_root(own), .positions = positions };
    enum jr_status st;

    r->document++;
    r->positions = positions;
    r->err = err;
    if (r->sink->document != NULL)
        r->sink->document(r->sink->ctx, &document);
    st = take_object(r, document.root, NULL, 0);
    document.ended = true;
    if (st == JR_OK && r->sink->document != NULL)
        r->sink->document(r->sink->ctx, &document);
    return st;
}

enum jr_status jr_stream_read(struct jr_str text, const struct jr_yaml_limits *limits,
                              const struct jr_stream_sink *sink, struct jr_error *err)
{
    struct reading r = { .sink = sink };
    enum jr_status st;

    jr_buf_init(&r.path, JR_BUF_BY_INPUT);
    st = jr_need(jr_yaml_read(text, limits, take_document, &r, err));
    jr_buf_done(&r.path);
    return st;
}

size_t jr_manifest_place(const struct jr_manifest *m, const struct jr_field_path *path)
{
    return jr_positions_find(m->positions, m->place, path);
}
