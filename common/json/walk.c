/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a tree from a text or a tape, and finds duplicate keys. */
#include "common/json/walk.h"

#include "common/base/vec.h"
#include "common/json/scan.h"

#define MAX_VALUES ((size_t)1000000)
/* Up to this many members are compared pairwise, by their marks: cheaper than sorting. */
#define FEW_MEMBERS 24

/* A key of an object that is still open. */
struct seen {
    uint64_t mark; /* equal for equal keys */
    struct jr_str key;
    size_t at;
    cJSON *node; /* its value; NULL where no tree is built */
};

struct level {
    size_t first; /* of an object: where its keys begin */
    size_t index; /* of an array: elements so far */
    cJSON *node;
    bool object;
};

struct walk {
    struct jr_reader reader;
    struct jr_tape_reader tape; /* is read instead of the reader, if it has a text */
    const struct jr_reader_opts *opts;
    struct jr_doc *doc;
    bool left_out;        /* no tree is built of what is read now */
    struct jr_arena keys; /* unescaped keys where there is no tree to hold them */
    struct jr_error *err;
    size_t values;
    size_t max_values;
    struct seen *seen; /* the keys of all open objects, outermost first */
    size_t n_seen;
    size_t cap_seen;
    unsigned depth;
    struct level levels[JR_READER_DEPTH_MAX];
};

static void walk_done(struct walk *w)
{
    jr_arena_done(&w->keys);
    free(w->seen);
}

static enum jr_status no_memory(const struct walk *w)
{
    return jr_fail(w->err, JR_NOMEM, NULL, "JSON document of %zu bytes", w->reader.text.n);
}

/* Cheap and blind to bytes in the middle: keys with equal marks are compared in full. */
static uint64_t mark_of(struct jr_str key)
{
    uint64_t head = 0, tail = 0;

    if (key.n >= sizeof(head)) {
        memcpy(&head, key.p, sizeof(head));
        memcpy(&tail, key.p + key.n - sizeof(tail), sizeof(tail));
    } else if (key.n > 0) {
        memcpy(&head, key.p, key.n);
    }
    head *= UINT64_C(0x9e3779b97f4a7c15);
    return head ^ (tail * UINT64_C(0xc2b2ae3d27d4eb4f)) ^ (head >> 29) ^ key.n;
}

/* The field path of a key in the innermost open object. */
static void path_of(const struct walk *w, struct jr_str key, struct jr_pathbuf *path)
{
    jr_pathbuf_init(path);
    for (unsigned i = 0; i + 1 < w->depth; i++) {
        const struct level *l = &w->levels[i];
        const struct level *next = &w->levels[i + 1];

        /* An object's current key is the last one before its child's keys. */
        if (l->object)
            jr_pathbuf_key(path, w->seen[next->first - 1].key);
        else
            jr_pathbuf_index(path, l->index - 1);
    }
    jr_pathbuf_key(path, key);
}

static int seen_cmp(const void *pa, const void *pb)
{
    const struct seen *a = pa, *b = pb;
    int cmp;

    if (a->mark != b->mark)
        return a->mark < b->mark ? -1 : 1;
    cmp = jr_str_cmp(a->key, b->key);
    if (cmp != 0)
        return cmp;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int seen_at_cmp(const void *pa, const void *pb)
{
    const struct seen *a = pa, *b = pb;

    return a->at < b->at ? -1 : a->at > b->at;
}

static bool maybe_duplicate(const struct seen *v, size_t n)
{
    if (n > FEW_MEMBERS)
        return true;
    for (size_t i = 1; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (v[i].mark == v[k].mark)
                return true;
        }
    }
    return false;
}

/* Sorts the keys v of object, drops all but the last of equal ones from the tree and moves the
 * second of each to the front of v. Gives the number of those. */
static size_t drop_duplicates(cJSON *object, struct seen *v, size_t n)
{
    size_t found = 0;

    qsort(v, n, sizeof(*v), seen_cmp);
    for (size_t i = 1; i < n; i++) {
        if (v[i].mark != v[i - 1].mark || !jr_str_eq(v[i].key, v[i - 1].key))
            continue;
        if (v[i - 1].node != NULL) {
            jr_tree_unlink(object, v[i - 1].node);
            jr_tree_free(v[i - 1].node);
        }
        /* found < i: what is compared next stays in its place. */
        if (found == 0 || !jr_str_eq(v[found - 1].key, v[i].key))
            v[found++] = v[i];
    }
    return found;
}

static enum jr_status end_object(struct walk *w, const struct level *l)
{
    size_t n = w->n_seen - l->first, found;
    struct jr_pathbuf path;
    struct seen *v;

    w->n_seen = l->first;
    if (n < 2)
        return JR_OK;
    v = w->seen + l->first;
    if (!maybe_duplicate(v, n))
        return JR_OK;
    found = drop_duplicates(l->node, v, n);
    if (found > 1)
        qsort(v, found, sizeof(*v), seen_at_cmp);
    for (size_t i = 0; i < found; i++) {
        path_of(w, v[i].key, &path);
        if (w->opts->dup == JR_DUP_REJECT)
            return jr_fail(w->err, JR_INVALID, path.p, "duplicate key");
        if (w->opts->on_dup != NULL)
            w->opts->on_dup(w->opts->ctx, path.p);
    }
    return JR_OK;
}

static bool builds(const struct walk *w)
{
    return w->doc != NULL && !w->left_out;
}

/* Whether the key that was read last is the one that opts->leave_out names. */
static bool is_left_out(const struct walk *w)
{
    const char *const *names = w->opts->leave_out;

    return names[0] != NULL && w->depth == 2 && w->levels[0].object &&
           jr_str_is(w->seen[w->n_seen - 1].key, names[1]) &&
           jr_str_is(w->seen[w->levels[1].first - 1].key, names[0]);
}

static enum jr_status add_key(struct walk *w, const struct jr_tok *tok)
{
    struct seen *s, *v = jr_vec_room(w->seen, w->n_seen, &w->cap_seen, sizeof(*v));

    if (v == NULL)
        return no_memory(w);
    w->seen = v;
    s = &w->seen[w->n_seen];
    s->at = tok->at;
    s->node = NULL;
    if (builds(w)) {
        struct jr_pool *pool = &w->doc->pool;
        char *p = pool->text + pool->text_n;

        /* The quotes of the source leave the room for the NUL. */
        if (tok->escaped)
            s->key = (struct jr_str){ p, jr_unescape(tok->raw, p) };
        else
            s->key = (struct jr_str){ memcpy(p, tok->raw.p, tok->raw.n), tok->raw.n };
        p[s->key.n] = '\0';
        pool->text_n += s->key.n + 1;
    } else if (jr_tok_text(tok, &w->keys, &s->key) != JR_OK) {
        return no_memory(w);
    }
    s->mark = mark_of(s->key);
    w->n_seen++;
    w->left_out = w->left_out || is_left_out(w);
    return JR_OK;
}

static int type_of(enum jr_tok_kind kind)
{
    switch (kind) {
    case JR_TOK_OBJECT:
        return cJSON_Object;
    case JR_TOK_ARRAY:
        return cJSON_Array;
    case JR_TOK_STRING:
        return cJSON_String;
    case JR_TOK_NUMBER:
        return cJSON_Raw;
    case JR_TOK_TRUE:
        return cJSON_True;
    case JR_TOK_FALSE:
        return cJSON_False;
    case JR_TOK_NULL:
    case JR_TOK_OBJECT_END:
    case JR_TOK_ARRAY_END:
    case JR_TOK_KEY:
    case JR_TOK_END:
        break;
    }
    return cJSON_NULL;
}

static void add_text(struct jr_pool *pool, cJSON *t, const struct jr_tok *tok)
{
    char *p = pool->text + pool->text_n;
    size_t n = tok->raw.n;

    if (tok->escaped)
        n = jr_unescape(tok->raw, p);
    else
        memcpy(p, tok->raw.p, n);
    p[n] = '\0';
    pool->text_n += n + 1;
    t->valuestring = p;
    t->valueint = (int)n;
}

/* The node of a token, in its parent; NULL without memory. */
static cJSON *add_node(struct walk *w, const struct jr_tok *tok)
{
    int type = type_of(tok->kind);
    cJSON *t;

    if (w->depth == 0) {
        t = &w->doc->root;
        *t = (cJSON){ .type = type | NODE_FLAGS };
    } else {
        const struct level *parent = &w->levels[w->depth - 1];

        t = jr_tree_new(&w->doc->pool, type);
        if (t == NULL)
            return NULL;
        jr_tree_append(parent->node, t);
        if (parent->object) {
            struct seen *s = &w->seen[w->n_seen - 1];
            char *texts = w->doc->pool.text;

            tree_set_key(t, texts + (s->key.p - texts), s->key.n);
            s->node = t;
        }
    }
    if (type == cJSON_String || type == cJSON_Raw)
        add_text(&w->doc->pool, t, tok);
    return t;
}

static enum jr_status add_value(struct walk *w, const struct jr_tok *tok)
{
    const bool object = tok->kind == JR_TOK_OBJECT;
    cJSON *t = NULL;

    if (w->values >= w->max_values)
        return jr_fail(w->err, JR_LIMIT, NULL, "more than %zu values", w->max_values);
    w->values++;
    if (w->depth > 0)
        w->levels[w->depth - 1].index++;
    if (builds(w)) {
        t = add_node(w, tok);
        if (t == NULL)
            return no_memory(w);
    }
    if (object || tok->kind == JR_TOK_ARRAY)
        w->levels[w->depth++] = (struct level){ .first = w->n_seen, .node = t, .object = object };
    return JR_OK;
}

static enum jr_status next_token(struct walk *w, struct jr_tok *ret)
{
    if (w->tape.text == NULL)
        return jr_reader_next(&w->reader, ret, w->err);
    jr_tape_next(&w->tape, ret);
    return JR_OK;
}

static enum jr_status walk_text(struct walk *w)
{
    struct jr_tok tok;
    enum jr_status st = JR_OK;

    while (st == JR_OK) {
        st = next_token(w, &tok);
        if (st != JR_OK || tok.kind == JR_TOK_END)
            break;
        if (tok.kind == JR_TOK_KEY) {
            st = add_key(w, &tok);
            continue;
        }
        if (tok.kind == JR_TOK_OBJECT_END || tok.kind == JR_TOK_ARRAY_END) {
            const struct level *l = &w->levels[w->depth - 1];

            if (l->object)
                st = end_object(w, l);
            w->depth--;
        } else {
            st = add_value(w, &tok);
        }
        if (w->depth == 2)
            w->left_out = false;
    }
    return st;
}

/* Nodes come in blocks that double: the first fits what API objects have, or all that a tape has
 * but for the root. */
static bool reserve(struct jr_doc *doc, struct jr_str text, const struct jr_tape *tape)
{
    size_t nodes = text.n / 32 + 8;

    if (nodes > 512)
        nodes = 512;
    if (tape != NULL)
        nodes = tape->values > MAX_VALUES ? MAX_VALUES : tape->values - 1;
    return jr_pool_reserve(&doc->pool, nodes, text.n + 1);
}

/* tape: is read instead of text, if it isn't NULL. */
static enum jr_status walk(struct jr_str text, const struct jr_tape *tape,
                           const struct jr_reader_opts *opts, struct jr_doc *doc,
                           struct jr_error *err)
{
    /* Neither an initializer nor the compiler (-ftrivial-auto-var-init) shall clear the levels:
     * that takes as long as a small text. */
    JR_CLEANUP(walk_done) struct walk w __attribute__((uninitialized));

    jr_reader_init(&w.reader, text, opts->max_depth);
    jr_arena_init(&w.keys, 0);
    w.tape = tape == NULL ? (struct jr_tape_reader){ .text = NULL } : jr_tape_begin(tape);
    w.opts = opts;
    w.doc = doc;
    w.left_out = false;
    w.err = err;
    w.max_values = opts->max_values == 0 ? MAX_VALUES : opts->max_values;
    w.values = 0;
    w.seen = NULL;
    w.n_seen = w.cap_seen = 0;
    w.depth = 0;
    if (doc != NULL && !reserve(doc, text, tape))
        return no_memory(&w);
    return walk_text(&w);
}

enum jr_status jr_walk(struct jr_str text, const struct jr_reader_opts *opts, struct jr_doc *doc,
                       struct jr_error *err)
{
    size_t max = opts->max_bytes == 0 || opts->max_bytes > TEXT_MAX ? TEXT_MAX : opts->max_bytes;

    if (text.n > max)
        return jr_fail(err, JR_LIMIT, NULL, "%zu bytes, more than %zu", text.n, max);
    return walk(text, NULL, opts, doc, err);
}

enum jr_status jr_walk_tape(const struct jr_tape *tape, const struct jr_reader_opts *opts,
                            struct jr_doc *doc, struct jr_error *err)
{
    return walk(tape->text, tape, opts, doc, err);
}

enum jr_status jr_json_check(struct jr_str text, const struct jr_reader_opts *opts,
                             struct jr_error *err)
{
    return jr_walk(text, opts, NULL, err);
}
