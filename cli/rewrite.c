/* SPDX-License-Identifier: Apache-2.0 */
/* Changing manifests: objects through a function, then printed, or compared with what they were. */
#include "cli/rewrite.h"

#include "cli/diff.h"
#include "common/base/memory.h"
#include "common/base/show.h"

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

/** JSON by its first character, as kubectl guesses. */
static bool is_json(struct jr_str text)
{
    text = jr_str_trim(text);
    return text.n > 0 && (text.p[0] == '{' || text.p[0] == '[');
}

/* ---- objects ---- */

static void remark(const struct jr_rewrite *rw, const struct jr_manifest *m,
                   const struct jr_field_path *path, const char *text, bool warning)
{
    struct jr_remark r = { .text = text, .warning = warning };
    JR_BUF field = { 0 };
    JR_BUF shown = { 0 };

    jr_buf_init(&field, JR_BUF_BY_INPUT);
    jr_buf_init(&shown, JR_BUF_BY_INPUT);
    jr_must(jr_field_path_write(path, &field));
    jr_must(jr_buf_addf(&shown, "%.*s%s%.*s", JR_P(m->path),
                        m->path.n > 0 && field.n > 0 ? "." : "", JR_P(jr_buf_str(&field))));
    r.path = shown.p == NULL ? "" : shown.p;
    jr_positions_place(m->positions, jr_manifest_place(m, path), &r.line, &r.column);
    rw->remark(rw->remark_ctx, &r);
}

void jr_rewrite_warn(const struct jr_rewrite *rw, const struct jr_manifest *m,
                     const struct jr_field_path *path, const char *text)
{
    remark(rw, m, path, text, true);
}

enum jr_rewrite_result jr_rewrite_refuse(const struct jr_rewrite *rw, const struct jr_manifest *m,
                                         const struct jr_field_path *path, const char *text)
{
    remark(rw, m, path, text, false);
    return JR_REWRITE_REFUSED;
}

/** Lists are changed, but not counted. */
static enum jr_status take_object(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    struct run *r = ctx;
    enum jr_rewrite_result result;

    (void)err;
    result = jr_node_kind(m->node) == JR_OBJECT ? r->rw->object(r->rw, m)
                                                : jr_rewrite_refuse(r->rw, m, NULL, JR_NO_OBJECT);
    if (result == JR_REWRITE_REFUSED)
        r->refused++;
    else if (!m->is_list && result == JR_REWRITE_TAKEN)
        r->result.taken++;
    else if (!m->is_list)
        r->result.others++;
    return JR_OK;
}

/* ---- documents ---- */

/** JSON in which nothing is hidden. */
static void print_json(const struct jr_node *node, struct jr_buf *out)
{
    JR_BUF json = { 0 };

    jr_buf_init(&json, TEXT_MAX);
    out->failed = jr_node_print_pretty(node, &json);
    if (out->failed == JR_OK)
        jr_show_json(jr_buf_str(&json), out);
}

static void print(struct run *r, const struct jr_node *node, struct jr_buf *out)
{
    const bool first = r->documents == 0;
    const bool json = r->result.json;

    if (out->failed != JR_OK)
        return;
    if (first ? r->follows != NULL && !(json && r->follows->json) : !json)
        (void)jr_buf_adds(out, "---\n");
    if (json)
        print_json(node, out);
    else
        out->failed = jr_yaml_print(node, out);
}

static void take_document(void *ctx, const struct jr_stream_document *document)
{
    struct run *r = ctx;

    if (document->ended)
        print(r, document->root, &r->after);
    else if (r->rw->diff_name != NULL)
        print(r, document->root, &r->before);
    r->documents += document->ended;
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
    return jr_diff_write(jr_buf_str(&r->before), a.p, jr_buf_str(&r->after), b.p, out);
}

static enum jr_status read_all(struct run *r, struct jr_str text, struct jr_buf *out,
                               struct jr_error *err)
{
    const struct jr_yaml_limits limits = { .max_bytes = TEXT_MAX };
    const struct jr_stream_sink sink = { take_object, take_document, r };
    enum jr_status st = jr_stream_read(text, &limits, &sink, err);

    if (st != JR_OK)
        return st;
    if (r->refused > 0)
        return jr_fail(err, JR_DENIED, NULL, "%zu of %zu objects refused: nothing is printed",
                       r->refused, r->refused + r->result.taken + r->result.others);
    st = jr_need(r->before.failed != JR_OK ? r->before.failed : r->after.failed);
    if (st == JR_OK)
        st = jr_need(write_result(r, out));
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
