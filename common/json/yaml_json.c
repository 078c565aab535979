/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON inside of a YAML stream, with the positions of its values. */
#include "common/json/yaml_json.h"

#include <math.h>

#include "common/base/num.h"
#include "common/json/positions.h"
#include "common/json/yaml_scalar.h"

static size_t skip_space(struct jr_str text, size_t at)
{
    while (at < text.n &&
           (text.p[at] == ' ' || text.p[at] == '\n' || text.p[at] == '\t' || text.p[at] == '\r'))
        at++;
    return at;
}

bool jr_yaml_looks_json(struct jr_str text)
{
    size_t at = skip_space(text, 0);

    return at < text.n && (text.p[at] == '{' || text.p[at] == '[');
}

/* The value at *at, which moves behind it. */
static enum jr_status next_value(struct jr_str text, const struct jr_yaml_limits *limits,
                                 size_t *at, struct jr_str *ret, struct jr_error *err)
{
    struct jr_reader reader;
    struct jr_tok tok;
    enum jr_status st;

    jr_reader_init(&reader, text, limits->max_depth);
    /* Not a check of the rest: positions in errors are those in the whole text. */
    reader.at = *at;
    do {
        st = jr_reader_next(&reader, &tok, err);
        *at = reader.at;
    } while (st == JR_OK && reader.depth > 0);
    if (st == JR_OK && ret != NULL)
        *ret = (struct jr_str){ ret->p, (size_t)(text.p + reader.at - ret->p) };
    return st;
}

enum jr_status jr_yaml_check_json(struct jr_str text, const struct jr_yaml_limits *limits,
                                  size_t *ret_at, struct jr_error *err)
{
    enum jr_status st = JR_OK;

    *ret_at = 0;
    while (st == JR_OK && skip_space(text, *ret_at) < text.n)
        st = next_value(text, limits, ret_at, NULL, err);
    return st;
}

/* Line and column, in characters, of ever larger offsets. */
struct cursor {
    struct jr_str text;
    size_t at;
    unsigned line;
    unsigned column;
};

static void cursor_move(struct cursor *c, size_t at)
{
    for (; c->at < at; c->at++) {
        unsigned char byte = (unsigned char)c->text.p[c->at];

        if (byte == '\n') {
            c->line++;
            c->column = 1;
        } else {
            c->column += (byte & 0xc0) != 0x80;
        }
    }
}

struct json_walk {
    struct jr_positions *p;
    struct cursor cursor;
    struct jr_arena keys;
    struct jr_str key; /* of the value to come; p == NULL: none */
    size_t added;
    size_t depth;
    size_t stack[JR_READER_DEPTH_MAX];
};

static void json_walk_done(struct json_walk *w)
{
    jr_arena_done(&w->keys);
}

static enum jr_status add_token(struct json_walk *w, const struct jr_tok *t)
{
    size_t parent = w->depth == 0 ? JR_POSITIONS_NONE : w->stack[w->depth - 1], at;
    enum jr_status st;

    if (t->kind == JR_TOK_KEY)
        return jr_tok_text(t, &w->keys, &w->key);
    if (t->kind == JR_TOK_OBJECT_END || t->kind == JR_TOK_ARRAY_END) {
        w->depth--;
        return JR_OK;
    }
    cursor_move(&w->cursor, t->at);
    st = jr_positions_add(w->p, parent, w->key, w->cursor.line, w->cursor.column, &at);
    w->key = (struct jr_str){ 0 };
    w->added++;
    if (st == JR_OK && (t->kind == JR_TOK_OBJECT || t->kind == JR_TOK_ARRAY))
        w->stack[w->depth++] = at;
    return st;
}

/* Adds the positions of the values (the first `max` of them) of a JSON text that the reader has
 * passed; line and column are those of its first byte. */
static enum jr_status add_positions(struct jr_positions *p, struct jr_str text, unsigned line,
                                    unsigned column, size_t max)
{
    JR_CLEANUP(json_walk_done)
    struct json_walk w = { .p = p, .cursor = { .text = text, .line = line, .column = column } };
    struct jr_reader reader;
    enum jr_status st = JR_OK;

    jr_reader_init(&reader, text, JR_READER_DEPTH_MAX);
    while (st == JR_OK) {
        struct jr_tok t;

        st = jr_reader_next(&reader, &t, NULL);
        if (st == JR_OK && (t.kind == JR_TOK_END || w.added == max))
            return JR_OK;
        if (st == JR_OK)
            st = add_token(&w, &t);
    }
    return st;
}

/* Looking for the duplicate that the reader has refused, by the path that it gave. */
struct refused {
    const struct jr_positions *p;
    const char *path;
    size_t at;
};

static enum jr_status compare_path(void *ctx, size_t at)
{
    struct refused *r = ctx;
    struct jr_error shown = { .status = JR_OK };
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_FIELD_PATH_BYTES);
    jr_positions_write(r->p, 0, at, &path);
    (void)jr_fail(&shown, JR_INVALID, path.p, "%s", ""); /* cut as the other one is */
    if (strcmp(shown.path, r->path) == 0)
        r->at = jr_positions_last(r->p, at);
    return path.failed;
}

/** Writes a number as a client does that has read it: 2.0 and 2e0 are 2 then, and what is beyond 64
 * bits is a float64. */
static enum jr_status rewrite_number(cJSON *t)
{
    const struct jr_str text = tree_text(t);
    struct jr_scalar number;
    int64_t v;
    cJSON *by;

    if (jr_parse_i64(text, INT64_MIN, INT64_MAX, &v) == JR_OK)
        return JR_OK;
    jr_scalar_of_float(strtod(text.p, NULL), &number);
    if (!isfinite(number.number))
        return JR_OK; /* what reads it refuses it */
    by = jr_tree_new(NULL, cJSON_Raw);
    if (by != NULL) {
        by->valuestring = jr_tree_dup(NULL, jr_str(number.text));
        by->valueint = (int)strlen(number.text);
    }
    if (by != NULL && by->valuestring != NULL)
        jr_tree_move(t, by);
    else
        t = NULL;
    jr_tree_free(by);
    return t == NULL ? JR_NOMEM : JR_OK;
}

static enum jr_status rewrite_numbers(cJSON *t)
{
    enum jr_status st = JR_OK;

    if (NODE_TYPE(t) == cJSON_Raw)
        return rewrite_number(t);
    for (cJSON *child = t->child; child != NULL && st == JR_OK; child = child->next)
        st = rewrite_numbers(child);
    return st;
}

static enum jr_status read_one(struct jr_str value, unsigned line, unsigned column,
                               const struct jr_yaml_limits *limits, const struct jr_yaml_sink *sink,
                               struct jr_error *err)
{
    const struct jr_reader_opts opts = { .max_depth = limits->max_depth,
                                         .max_values = limits->max_nodes,
                                         .dup = limits->dup };
    JR_CLEANUP(jr_positions_freep) struct jr_positions *pos = jr_positions_new();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_parse(value, &opts, &doc, err);

    if (st == JR_LIMIT || st == JR_NOMEM)
        return st;
    if (pos == NULL || add_positions(pos, value, line, column, limits->max_nodes) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "JSON document");
    if (st != JR_OK) {
        struct refused refused = { pos, err == NULL ? "" : err->path, 0 };
        unsigned l, c;

        if (jr_positions_duplicates(pos, compare_path, &refused) != JR_OK)
            return jr_fail(err, JR_NOMEM, NULL, "JSON document");
        jr_positions_place(pos, refused.at, &l, &c);
        return jr_error_at(err, st, l, c);
    }
    if (jr_unset(jr_doc_root(doc)))
        return JR_OK; /* as an empty document of YAML */
    if (rewrite_numbers(tree_mut(jr_doc_root(doc))) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "JSON document");
    return sink->fn(sink->ctx, jr_steal(&doc), jr_steal(&pos), err);
}

enum jr_status jr_yaml_read_json(struct jr_str text, const struct jr_yaml_limits *limits,
                                 const struct jr_yaml_sink *sink, struct jr_error *err)
{
    struct cursor cursor = { .text = text, .line = 1, .column = 1 };
    size_t at;
    enum jr_status st = JR_OK;

    for (at = skip_space(text, 0); st == JR_OK && at < text.n; at = skip_space(text, at)) {
        struct jr_str value = { text.p + at, 0 };

        cursor_move(&cursor, at);
        st = next_value(text, limits, &at, &value, err);
        if (st == JR_OK)
            st = read_one(value, cursor.line, cursor.column, limits, sink, err);
    }
    return st;
}
