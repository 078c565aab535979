#include "cli/rewrite.h"

#include "cli/stream.h"
#include <stdio.h>

#include "cli/diff.h"
#include "common/base/show.h"
#include "common/json/yaml.h"

#define TEXT_MAX ((size_t)256 << 20)

/** A stream on its way through. */
struct run {
    const struct jr_rewrite *rw;
    const struct jr_rewritten *follows; /* NULL: the output is a stream of its own */
    struct jr_rewritten result;
    struct jr_buf before;
    struct jr_buf after;
    size_t documents;
    size_t refused;
};

/** Where an object of a document is. */
struct place {
    struct run *run;
    const struct jr_positions *positions;
    const char *prefix; /* "", "items[3]" */
};

/** JSON by its first character, as kubectl guesses. */
static bool is_json(struct jr_str text)
{
    text = jr_str_trim(text);
    return text.n > 0 && (text.p[0] == '{' || text.p[0] == '[');
}

/* ---- remarks ---- */

static void remark(const struct place *place, const char *path, const char *text, bool warning)
{
    const struct jr_rewrite *rw = place->run->rw;
    struct jr_error at = { .status = JR_OK };
    struct jr_remark r = { .path = at.path, .text = text, .warning = warning };

    (void)jr_fail(&at, JR_INVALID, path, "%s", "");
    jr_error_in(&at, place->prefix);
    jr_positions_find(place->positions, at.path, &r.line, &r.column);
    rw->remark(rw->remark_ctx, &r);
}

void jr_manifest_warn(const struct jr_manifest *m, const char *path, const char *text)
{
    remark(m->place, path, text, true);
}

/* ---- objects ---- */

/** kind List of version v1, and the lists of one kind that a server gives. */
static bool is_list(const struct jr_node *object)
{
    return jr_str_ends(jr_get_str(object, "kind"), JR_S("List")) &&
           jr_node_kind(jr_get(object, "items")) == JR_ARRAY;
}

static enum jr_status take_one(const struct place *place, struct jr_manifest m,
                               struct jr_error *err)
{
    struct run *r = place->run;
    struct jr_error why = { .status = JR_OK };
    bool taken = false;
    enum jr_status st;

    m.is_list = is_list(m.node);
    m.place = place;
    if (jr_node_kind(m.node) == JR_OBJECT)
        st = r->rw->object(r->rw->ctx, &m, &taken, &why);
    else
        st = jr_fail(&why, JR_INVALID, NULL, JR_NO_OBJECT);
    if (st == JR_NOMEM)
        return jr_fail(err, st, NULL, "%s", why.msg);
    if (st != JR_OK) {
        r->refused++;
        remark(place, why.path, why.msg, false);
    } else if (taken && !m.is_list) {
        r->result.taken++;
    } else if (!m.is_list) {
        r->result.others++;
    }
    return JR_OK;
}

static enum jr_status take(const struct place *place, struct jr_manifest m, struct jr_error *err);

static enum jr_status take_items(const struct place *place, const struct jr_manifest *list,
                                 struct jr_error *err)
{
    const struct jr_str item_kind = jr_str_head(list->kind, list->kind.n - strlen("List"));
    enum jr_status st = JR_OK;
    size_t i = 0;

    for (struct jr_node *item = jr_first(jr_get(list->node, "items")); item != NULL && st == JR_OK;
         item = jr_next(item), i++) {
        struct jr_manifest m = { .node = item,
                                 .api_version = jr_get_str(item, "apiVersion"),
                                 .kind = jr_get_str(item, "kind") };
        struct place at = *place;
        char prefix[128];

        if (m.api_version.n == 0 && m.kind.n == 0) {
            m.api_version = list->api_version;
            m.kind = item_kind;
        }
        (void)snprintf(prefix, sizeof(prefix), "%s%sitems[%zu]", place->prefix,
                       place->prefix[0] == '\0' ? "" : ".", i);
        at.prefix = prefix;
        st = take(&at, m, err);
    }
    return st;
}

/** An object, or a list and what is in it. The items go first: they may need to know what the list
 * is called. */
static enum jr_status take(const struct place *place, struct jr_manifest m, struct jr_error *err)
{
    enum jr_status st = is_list(m.node) ? take_items(place, &m, err) : JR_OK;

    return st == JR_OK ? take_one(place, m, err) : st;
}

/* ---- documents ---- */

/** JSON in which nothing is hidden. */
static enum jr_status print_json(const struct jr_node *node, struct jr_buf *out)
{
    JR_BUF json = { 0 };
    enum jr_status st;

    jr_buf_init(&json, TEXT_MAX);
    st = jr_node_print_pretty(node, &json);
    if (st != JR_OK)
        return st;
    jr_show_json(jr_buf_str(&json), out);
    return out->failed;
}

static enum jr_status print(struct run *r, const struct jr_node *node, struct jr_buf *out)
{
    const bool first = r->documents == 0;
    const bool json = r->result.json;

    if (first ? r->follows != NULL && !(json && r->follows->json) : !json)
        (void)jr_buf_adds(out, "---\n");
    return json ? print_json(node, out) : jr_yaml_print(node, out);
}

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                    struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *own = doc;
    JR_CLEANUP(jr_positions_freep) struct jr_positions *positions = pos;
    struct jr_node *root = jr_doc_root(own);
    struct run *r = ctx;
    const struct place place = { .run = r, .positions = positions, .prefix = "" };
    const struct jr_manifest m = { .node = root,
                                   .api_version = jr_get_str(root, "apiVersion"),
                                   .kind = jr_get_str(root, "kind") };
    enum jr_status st = jr_positions_index(positions);

    if (st == JR_OK && r->rw->diff_name != NULL)
        st = print(r, root, &r->before);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "output");
    st = take(&place, m, err);
    if (st != JR_OK)
        return st;
    st = print(r, root, &r->after);
    r->documents++;
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "output");
}

static enum jr_status write_result(const struct run *r, struct jr_buf *out)
{
    const char *name = r->rw->diff_name;
    JR_BUF a = { 0 };
    JR_BUF b = { 0 };

    if (name == NULL)
        return jr_buf_add(out, jr_buf_str(&r->after));
    jr_buf_init(&a, TEXT_MAX);
    jr_buf_init(&b, TEXT_MAX);
    (void)jr_buf_adds(&a, "a/");
    jr_show(jr_str(name), &a);
    (void)jr_buf_adds(&b, "b/");
    jr_show(jr_str(name), &b);
    if (a.failed != JR_OK || b.failed != JR_OK)
        return JR_NOMEM;
    return jr_diff_write(jr_buf_str(&r->before), a.p, jr_buf_str(&r->after), b.p, out);
}

static enum jr_status read_all(struct run *r, struct jr_str text, struct jr_buf *out,
                               struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = TEXT_MAX };
    enum jr_status st = jr_yaml_read(text, &limits, take_document, r, err);

    if (st != JR_OK)
        return st;
    if (r->refused > 0)
        return jr_fail(err, JR_DENIED, NULL, "%zu of %zu objects refused: nothing is printed",
                       r->refused, r->refused + r->result.taken + r->result.others);
    st = write_result(r, out);
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "output");
}

enum jr_status jr_rewrite_text(const struct jr_rewrite *rw, struct jr_str text,
                               const struct jr_rewritten *before, struct jr_buf *out,
                               struct jr_rewritten *ret, struct jr_error *err)
{
    struct run r = { .rw = rw, .follows = rw->diff_name == NULL ? before : NULL };
    enum jr_status st;

    r.result.json = rw->format == JR_FORMAT_JSON || (rw->format == JR_FORMAT_SAME && is_json(text));
    jr_buf_init(&r.before, TEXT_MAX);
    jr_buf_init(&r.after, TEXT_MAX);
    st = read_all(&r, text, out, err);
    jr_buf_done(&r.before);
    jr_buf_done(&r.after);
    if (st == JR_OK)
        *ret = r.result;
    return st;
}
