/* SPDX-License-Identifier: Apache-2.0 */
/* Reads YAML streams into trees, from libyaml's events. */
#include "common/json/yaml.h"

#include "common/base/vec.h"
#include "common/json/yaml_json.h"
#include "common/json/yaml_reader.h"

#define MAX_BYTES ((size_t)7 << 20)
#define MAX_NODES ((size_t)1000000)
#define MAX_DEPTH 100u

/* Where a value goes: its parent's position and its key, {NULL, 0} for elements. */
struct slot {
    size_t parent;
    struct jr_str key;
    unsigned depth;
};

static enum jr_status read_value(struct jr_yaml_reader *r, const yaml_event_t *ev, struct slot slot,
                                 cJSON **ret);

static enum jr_status parser_fail(struct jr_yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;

    if (p->error == YAML_MEMORY_ERROR)
        return jr_yaml_no_memory(r);
    if (p->error == YAML_READER_ERROR) {
        yaml_mark_t mark = p->mark;

        return jr_yaml_fail(r, mark, JR_SYNTAX, "%s at offset %zu", p->problem, p->problem_offset);
    }
    return jr_yaml_fail(r, p->problem_mark, JR_SYNTAX, "%s%s%s", p->problem,
                        p->context == NULL ? "" : " ", p->context == NULL ? "" : p->context);
}

/* An event that is over with its scope. */
#define EVENT JR_CLEANUP(yaml_event_delete) yaml_event_t

static enum jr_status next_event(struct jr_yaml_reader *r, yaml_event_t *ret)
{
    return yaml_parser_parse(&r->parser, ret) != 0 ? jr_yaml_decode_binary(r, ret) : parser_fail(r);
}

static void reader_done(struct jr_yaml_reader *r)
{
    jr_yaml_forget(r);
    free(r->anchors);
    free(r->entries);
    jr_positions_free(r->pos);
    yaml_parser_delete(&r->parser);
}

/* Collections. */

static enum jr_status read_sequence(struct jr_yaml_reader *r, const yaml_event_t *start, size_t pos,
                                    unsigned depth, cJSON *t)
{
    size_t anchor;
    enum jr_status st =
        jr_yaml_add_anchor(r, start->start_mark, start->data.sequence_start.anchor, &anchor);

    while (st == JR_OK) {
        EVENT ev = { 0 };
        cJSON *child = NULL;

        st = next_event(r, &ev);
        if (st != JR_OK || ev.type == YAML_SEQUENCE_END_EVENT)
            break;
        st = read_value(r, &ev, (struct slot){ .parent = pos, .depth = depth + 1 }, &child);
        if (st == JR_OK)
            jr_tree_append(t, child);
    }
    jr_yaml_set_anchor(r, anchor, t);
    return st;
}

static enum jr_status add_entry(struct jr_yaml_reader *r, cJSON *node, yaml_mark_t mark,
                                enum jr_scalar_kind kind, bool merged)
{
    struct jr_yaml_entry *v = jr_vec_room(r->entries, r->n_entries, &r->cap_entries, sizeof(*v));

    if (v == NULL)
        return jr_yaml_no_memory(r);
    r->entries = v;
    r->entries[r->n_entries] = (struct jr_yaml_entry){
        .node = node, .order = r->n_entries, .mark = mark, .kind = kind, .merged = merged
    };
    r->n_entries++;
    return JR_OK;
}

static int entry_cmp(const void *pa, const void *pb)
{
    const struct jr_yaml_entry *a = pa, *b = pb;
    int cmp = jr_str_cmp(tree_key(a->node), tree_key(b->node));

    return cmp != 0 ? cmp : a->order < b->order ? -1 : a->order > b->order;
}

/* Ends a mapping: the same key twice is an error, but between "<<" and the mapping itself the later
 * one counts. (That is Go's way; in YAML's own the mapping would win wherever "<<" stands.) */
static enum jr_status finish_map(struct jr_yaml_reader *r, cJSON *t, size_t first)
{
    size_t n = r->n_entries - first;
    struct jr_yaml_entry *v;

    r->n_entries = first;
    if (n < 2)
        return JR_OK;
    v = r->entries + first;
    qsort(v, n, sizeof(*v), entry_cmp);
    for (size_t i = 1; i < n; i++) {
        bool explicit = !v[i - 1].merged;

        if (!jr_str_eq(tree_key(v[i].node), tree_key(v[i - 1].node)))
            continue;
        /* To Go 1 and "1" are not the same. */
        if (explicit && !v[i].merged && v[i].kind == v[i - 1].kind &&
            r->limits.dup == JR_DUP_REJECT)
            return jr_yaml_fail(r, v[i].mark, JR_INVALID, "duplicate key \"%.100s\"",
                                v[i].node->string); /* up to a NUL */
        v[i].merged = !explicit && v[i].merged; /* the key was there: remember for the next one */
        jr_tree_unlink(t, v[i - 1].node);
        jr_yaml_keep(r, v[i - 1].node);
    }
    return JR_OK;
}

/* Copies the members of one merged mapping into t. */
static enum jr_status merge_members(struct jr_yaml_reader *r, yaml_mark_t mark, unsigned depth,
                                    const cJSON *from, cJSON *t)
{
    for (const cJSON *c = from->child; c != NULL; c = c->next) {
        cJSON *copy = NULL;
        enum jr_status st = jr_yaml_copy(r, mark, c, depth + 1, &copy);

        if (st != JR_OK)
            return st;
        if (!jr_tree_set_key(copy, tree_key(c))) {
            jr_tree_free(copy);
            return jr_yaml_no_memory(r);
        }
        jr_tree_append(t, copy);
        st = add_entry(r, copy, mark, JR_SCALAR_STRING, true);
        if (st != JR_OK)
            return st;
    }
    return JR_OK;
}

static enum jr_status merge_value(struct jr_yaml_reader *r, yaml_mark_t mark, unsigned depth,
                                  const cJSON *value, bool alias, cJSON *t)
{
    const cJSON *c = is_array(value) && value->child != NULL ? value->child->prev : NULL;

    if (is_object(value))
        return merge_members(r, mark, depth, value, t);
    for (const cJSON *e = is_array(value) ? value->child : NULL; e != NULL; e = e->next) {
        if (!is_object(e))
            alias = true;
    }
    if (!is_array(value) || alias)
        return jr_yaml_fail(r, mark, JR_INVALID,
                            "\"<<\" needs a mapping or a sequence of mappings");
    /* From the last one on: the first counts most. */
    for (int n = value->valueint; n > 0 && c != NULL; n--, c = c->prev) {
        enum jr_status st = merge_members(r, mark, depth, c, t);

        if (st != JR_OK)
            return st;
    }
    return JR_OK;
}

static enum jr_status read_merge(struct jr_yaml_reader *r, unsigned depth, cJSON *t)
{
    struct jr_positions *pos = r->pos;
    EVENT ev = { 0 };
    cJSON *value;
    enum jr_status st = next_event(r, &ev);

    if (st != JR_OK)
        return st;
    r->pos = NULL;
    st = read_value(r, &ev, (struct slot){ .depth = depth }, &value);
    r->pos = pos;
    if (st != JR_OK)
        return st;
    jr_yaml_keep(r, value); /* it may have anchors */
    return merge_value(r, ev.start_mark, depth, value, ev.type == YAML_ALIAS_EVENT, t);
}

static bool is_merge(const yaml_event_t *ev)
{
    return ev->type == YAML_SCALAR_EVENT && jr_str_eq(jr_yaml_text(ev), JR_S("<<")) &&
           (ev->data.scalar.plain_implicit ||
            jr_str_eq(jr_yaml_name(ev->data.scalar.tag), JR_S("tag:yaml.org,2002:merge")));
}

/* A key that is an alias: what it stands for, which must be a scalar. */
static enum jr_status alias_key(struct jr_yaml_reader *r, const yaml_event_t *ev,
                                struct jr_str *ret, enum jr_scalar_kind *ret_kind)
{
    const cJSON *src;
    enum jr_status st = jr_yaml_find_anchor(r, ev, &src);

    if (st != JR_OK)
        return st;
    if (NODE_TYPE(src) == cJSON_True || NODE_TYPE(src) == cJSON_False)
        *ret = NODE_TYPE(src) == cJSON_True ? JR_S("true") : JR_S("false");
    else if (src->valuestring != NULL)
        *ret = tree_text(src);
    else
        return jr_yaml_fail(r, ev->start_mark, JR_INVALID, "this can't be a key");
    *ret_kind = NODE_TYPE(src) == cJSON_String ? JR_SCALAR_STRING
                : NODE_TYPE(src) == cJSON_Raw  ? JR_SCALAR_INT
                                               : JR_SCALAR_TRUE;
    return jr_yaml_count_copy(r, ev->start_mark, (struct jr_tree_size){ .text = ret->n + 1 });
}

/* The key in ev, allocated, its length and what it was. */
static enum jr_status read_key(struct jr_yaml_reader *r, const yaml_event_t *ev, char **ret,
                               size_t *ret_n, enum jr_scalar_kind *ret_kind)
{
    char buf[64];
    struct jr_str key = { 0 };
    enum jr_status st;

    if (ev->type == YAML_ALIAS_EVENT) {
        st = alias_key(r, ev, &key, ret_kind);
    } else if (ev->type != YAML_SCALAR_EVENT) {
        st = jr_yaml_fail(r, ev->start_mark, JR_INVALID, "a key must be a scalar%s",
                          r->template ? " (is it a template? {{ }} has to be rendered first)" : "");
    } else {
        struct jr_scalar s = { 0 };
        size_t anchor = 0;
        cJSON *t = NULL;

        st = jr_yaml_resolve(r, ev, &s);
        if (st == JR_OK && jr_scalar_key(&s, jr_yaml_text(ev), buf, &key) != JR_OK)
            st = jr_yaml_fail(r, ev->start_mark, JR_INVALID, "this can't be a key");
        *ret_kind = s.kind == JR_SCALAR_FALSE ? JR_SCALAR_TRUE : s.kind;
        if (st == JR_OK && ev->data.scalar.anchor != NULL) {
            st = jr_yaml_add_anchor(r, ev->start_mark, ev->data.scalar.anchor, &anchor);
            if (st == JR_OK)
                st = jr_yaml_new_scalar(r, ev, &t);
            if (st == JR_OK) {
                jr_yaml_keep(r, t);
                jr_yaml_set_anchor(r, anchor, t);
            }
        }
    }
    if (st != JR_OK)
        return st;
    *ret = jr_tree_dup(NULL, key);
    *ret_n = key.n;
    return *ret == NULL ? jr_yaml_no_memory(r) : JR_OK;
}

static enum jr_status read_member(struct jr_yaml_reader *r, const yaml_event_t *key_ev, size_t pos,
                                  unsigned depth, cJSON *t)
{
    JR_FREE char *key = NULL;
    size_t n = 0;
    EVENT ev = { 0 };
    enum jr_scalar_kind kind = JR_SCALAR_STRING;
    cJSON *child;
    enum jr_status st = read_key(r, key_ev, &key, &n, &kind);

    if (st == JR_OK)
        st = next_event(r, &ev);
    if (st == JR_OK)
        st = read_value(
            r, &ev, (struct slot){ .parent = pos, .key = { key, n }, .depth = depth + 1 }, &child);
    if (st != JR_OK)
        return st;
    tree_set_key(child, jr_steal(&key), n);
    jr_tree_append(t, child);
    return add_entry(r, child, key_ev->start_mark, kind, false);
}

static enum jr_status read_mapping(struct jr_yaml_reader *r, const yaml_event_t *start, size_t pos,
                                   unsigned depth, cJSON *t)
{
    const size_t first = r->n_entries;
    size_t anchor;
    enum jr_status st =
        jr_yaml_add_anchor(r, start->start_mark, start->data.mapping_start.anchor, &anchor);

    while (st == JR_OK) {
        EVENT ev = { 0 };

        st = next_event(r, &ev);
        if (st != JR_OK || ev.type == YAML_MAPPING_END_EVENT)
            break;
        st = is_merge(&ev) ? read_merge(r, depth, t) : read_member(r, &ev, pos, depth, t);
    }
    if (st == JR_OK)
        st = finish_map(r, t, first);
    jr_yaml_set_anchor(r, anchor, t);
    return st;
}

static enum jr_status read_collection(struct jr_yaml_reader *r, const yaml_event_t *ev, size_t pos,
                                      unsigned depth, cJSON **ret)
{
    const bool mapping = ev->type == YAML_MAPPING_START_EVENT;
    enum jr_status st = jr_yaml_count(r, ev->start_mark, 1);
    cJSON *t;

    if (st != JR_OK)
        return st;
    if (depth >= r->limits.max_depth)
        return jr_yaml_fail(r, ev->start_mark, JR_LIMIT, "nested too deeply");
    t = jr_tree_new(NULL, mapping ? cJSON_Object : cJSON_Array);
    if (t == NULL)
        return jr_yaml_no_memory(r);
    st = mapping ? read_mapping(r, ev, pos, depth, t) : read_sequence(r, ev, pos, depth, t);
    if (st == JR_OK)
        *ret = t;
    else
        jr_yaml_keep(r, t); /* entries and anchors may still name parts of it */
    return st;
}

static enum jr_status read_value(struct jr_yaml_reader *r, const yaml_event_t *ev, struct slot slot,
                                 cJSON **ret)
{
    size_t pos = 0;

    if (r->pos != NULL) {
        const yaml_mark_t mark = jr_yaml_value_mark(r, ev);
        enum jr_status st = jr_positions_add(r->pos, slot.parent, slot.key, (unsigned)mark.line + 1,
                                             (unsigned)mark.column + 1, &pos);

        if (st != JR_OK)
            return jr_yaml_no_memory(r);
    }
    if (ev->type == YAML_ALIAS_EVENT)
        return jr_yaml_alias(r, ev, slot.depth, ret);
    if (ev->type == YAML_SCALAR_EVENT)
        return jr_yaml_scalar(r, ev, ret);
    return read_collection(r, ev, pos, slot.depth, ret);
}

/* Documents. */

static enum jr_status deliver(struct jr_yaml_reader *r, cJSON *t, const struct jr_yaml_sink *sink)
{
    struct jr_positions *pos = jr_steal(&r->pos);
    struct jr_doc *doc = NULL;

    if (jr_doc_new(&doc) != JR_OK) {
        jr_positions_free(pos);
        return jr_yaml_no_memory(r);
    }
    jr_tree_move(&doc->root, t);
    return sink->fn(sink->ctx, doc, pos, r->err);
}

static enum jr_status read_document(struct jr_yaml_reader *r, const struct jr_yaml_sink *sink)
{
    EVENT ev = { 0 };
    EVENT end = { 0 };
    cJSON *t = NULL;
    enum jr_status st;

    r->nodes = 0;
    r->pos = jr_positions_new();
    if (r->pos == NULL)
        return jr_yaml_no_memory(r);
    st = next_event(r, &ev);
    if (st == JR_OK)
        st = read_value(r, &ev, (struct slot){ .parent = JR_POSITIONS_NONE }, &t);
    if (st == JR_OK)
        st = next_event(r, &end);
    if (st == JR_OK && t != NULL && NODE_TYPE(t) != cJSON_NULL)
        st = deliver(r, t, sink);
    jr_tree_free(t);
    jr_yaml_forget(r);
    jr_positions_free(jr_steal(&r->pos));
    return st;
}

/* kubectl cuts a stream at its separators: directives that begin it are a document without one. */
static enum jr_status check_first(struct jr_yaml_reader *r, const yaml_event_t *start)
{
    if (start->data.document_start.version_directive == NULL &&
        start->data.document_start.tag_directives.start ==
            start->data.document_start.tag_directives.end)
        return JR_OK;
    return jr_yaml_fail(r, start->start_mark, JR_SYNTAX,
                        "did not find expected <document start>: kubectl takes no directives");
}

static enum jr_status read_stream(struct jr_yaml_reader *r, const struct jr_yaml_sink *sink)
{
    size_t documents = 0;

    for (;;) {
        EVENT ev = { 0 };
        enum jr_status st = next_event(r, &ev);

        if (st == JR_OK && ev.type == YAML_STREAM_END_EVENT)
            return JR_OK;
        if (st == JR_OK && ev.type == YAML_DOCUMENT_START_EVENT && documents++ == 0)
            st = check_first(r, &ev);
        if (st == JR_OK && ev.type == YAML_DOCUMENT_START_EVENT)
            st = read_document(r, sink);
        if (st != JR_OK)
            return st;
    }
}

/* *ret_at: how far it came, in characters. */
static enum jr_status read_yaml(struct jr_str text, const struct jr_yaml_limits *limits,
                                const struct jr_yaml_sink *sink, size_t *ret_at,
                                struct jr_error *err)
{
    JR_CLEANUP(reader_done) struct jr_yaml_reader r = { .limits = *limits, .err = err };
    enum jr_status st = jr_yaml_check_lines(text, err);

    if (st != JR_OK)
        return st;
    if (yaml_parser_initialize(&r.parser) == 0)
        return jr_yaml_no_memory(&r);
    r.text = text;
    r.template = memmem(text.p, text.n, "{{", 2) != NULL;
    r.slashes = memmem(text.p, text.n, "\\/", 2) != NULL;
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.p, text.n);
    st = read_stream(&r, sink);
    *ret_at = r.parser.problem_mark.index;
    return st;
}

enum jr_status jr_yaml_read(struct jr_str text, const struct jr_yaml_limits *limits,
                            enum jr_status (*fn)(void *ctx, struct jr_doc *doc,
                                                 struct jr_positions *pos, struct jr_error *err),
                            void *ctx, struct jr_error *err)
{
    const struct jr_yaml_sink sink = { fn, ctx };
    struct jr_yaml_limits l = limits == NULL ? (struct jr_yaml_limits){ 0 } : *limits;
    JR_FREE char *unmarked = NULL;
    struct jr_error json_err;
    size_t json_at = 0, yaml_at = 0;
    enum jr_status st;
    bool json;

    l.max_bytes = l.max_bytes == 0 ? MAX_BYTES : l.max_bytes;
    l.max_bytes = l.max_bytes > TEXT_MAX / 2 ? TEXT_MAX / 2 : l.max_bytes;
    l.max_nodes = l.max_nodes == 0 ? MAX_NODES : l.max_nodes;
    l.max_depth = l.max_depth == 0 ? MAX_DEPTH : l.max_depth;
    l.max_depth = l.max_depth > JR_READER_DEPTH_MAX ? JR_READER_DEPTH_MAX : l.max_depth;
    if (text.n > l.max_bytes)
        return jr_fail(err, JR_LIMIT, NULL, "%zu bytes, more than %zu", text.n, l.max_bytes);
    if (text.n == 0)
        return JR_OK;
    if (jr_str_starts(text, JR_S("\xff\xfe")) || jr_str_starts(text, JR_S("\xfe\xff")))
        return jr_fail(err, JR_SYNTAX, NULL, "UTF-16: expected UTF-8");
    if (!jr_yaml_drop_marks(&text, &unmarked))
        return jr_fail(err, JR_NOMEM, NULL, "%zu bytes", text.n);
    if (text.n == 0)
        return JR_OK;
    json = jr_yaml_looks_json(text);
    if (json) {
        st = jr_yaml_check_json(text, &l, &json_at, &json_err);
        if (st == JR_OK)
            return jr_yaml_read_json(text, &l, &sink, err);
    }
    /* What begins with a brace may still be YAML. */
    st = read_yaml(text, &l, &sink, &yaml_at, err);
    if (json && st == JR_SYNTAX && json_at >= yaml_at && err != NULL)
        *err = json_err;
    return st;
}
