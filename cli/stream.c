#include "cli/stream.h"

#include "common/base/buf.h"

#define PATH_MAX_BYTES ((size_t)1 << 20)

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

/** What the items of a list are where they don't say it: {NULL, 0} in a List of anything. */
static struct jr_str item_kind(const struct jr_node *list)
{
    struct jr_str kind = jr_get_str(list, "kind");

    return jr_str_is(kind, "List") ? (struct jr_str){ NULL, 0 } : jr_str_head(kind, kind.n - 4);
}

static enum jr_status take(struct reading *r, struct jr_node *node, const struct jr_node *list);

static enum jr_status take_items(struct reading *r, const struct jr_node *list)
{
    const size_t n = r->path.n;
    enum jr_status st = JR_OK;
    size_t i = 0;

    for (struct jr_node *item = jr_first(jr_get(list, "items")); item != NULL && st == JR_OK;
         item = jr_next(item), i++) {
        st = jr_buf_addf(&r->path, "%sitems[%zu]", n > 0 ? "." : "", i);
        if (st != JR_OK)
            return jr_fail(r->err, st, NULL, "path of an item");
        st = take(r, item, list);
        r->path.n = n;
    }
    return st;
}

static enum jr_status take(struct reading *r, struct jr_node *node, const struct jr_node *list)
{
    struct jr_stream_object object = {
        .node = node,
        .api_version = jr_get_str(node, "apiVersion"),
        .kind = jr_get_str(node, "kind"),
        .document = r->document,
        .path = jr_buf_str(&r->path),
        .positions = r->positions,
    };

    if (is_list(node))
        return take_items(r, node);
    if (object.kind.p == NULL && list != NULL) {
        object.kind = item_kind(list);
        object.api_version =
            object.kind.n == 0 ? (struct jr_str){ NULL, 0 } : jr_get_str(list, "apiVersion");
    }
    return r->sink->object(r->sink->ctx, &object, r->err);
}

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    JR_CLEANUP(jr_positions_freep) struct jr_positions *positions = pos;
    struct reading *r = ctx;
    struct jr_stream_document document = { .root = jr_doc_root(own), .positions = positions };
    enum jr_status st;

    document.number = ++r->document;
    r->positions = positions;
    r->err = err;
    st = jr_positions_index(positions);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "positions");
    if (r->sink->document != NULL)
        st = r->sink->document(r->sink->ctx, &document, err);
    if (st == JR_OK)
        st = take(r, document.root, NULL);
    document.ended = true;
    if (st == JR_OK && r->sink->document != NULL)
        st = r->sink->document(r->sink->ctx, &document, err);
    return st;
}

enum jr_status jr_stream_read(struct jr_str text, const struct jr_yaml_limits *limits,
                              const struct jr_stream_sink *sink, struct jr_error *err)
{
    struct reading r = { .sink = sink };
    enum jr_status st;

    jr_buf_init(&r.path, PATH_MAX_BYTES);
    st = jr_yaml_read(text, limits, take_document, &r, err);
    jr_buf_done(&r.path);
    return st;
}

void jr_stream_find(const struct jr_stream_object *object, struct jr_str field, unsigned *ret_line,
                    unsigned *ret_column)
{
    JR_BUF path = { 0 };

    jr_buf_init(&path, SIZE_MAX / 2);
    (void)jr_buf_add(&path, object->path);
    if (path.n > 0 && field.n > 0 && field.p[0] != '[')
        (void)jr_buf_addc(&path, '.');
    (void)jr_buf_add(&path, field);
    jr_positions_find(object->positions, path.p == NULL ? "" : path.p, ret_line, ret_column);
}

bool jr_stream_is_job(const struct jr_stream_object *object)
{
    return jr_str_is(object->kind, "Job") && jr_str_is(object->api_version, "batch/v1");
}
