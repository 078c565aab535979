/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes tokens into structs. */
#include "common/json/decode.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/json/scan.h"

#define PATH_DEPTH JR_ARRAY_SIZE(((struct jr_decoder *)NULL)->path)

void jr_decoder_init(struct jr_decoder *d, struct jr_str text, struct jr_arena *arena, bool copy)
{
    jr_reader_init(&d->reader, text, 0);
    d->arena = arena;
    d->copy = copy;
    d->path_n = 0;
}

enum jr_status jr_decode_fail(struct jr_decoder *d, enum jr_status st, struct jr_error *err,
                              const char *fmt, ...)
{
    struct jr_pathbuf path;
    char msg[sizeof(err->msg)];
    va_list ap;

    if (err == NULL)
        return st;
    jr_pathbuf_init(&path);
    for (unsigned i = 0; i < d->path_n && i < PATH_DEPTH; i++) {
        if (d->path[i].key.n == SIZE_MAX)
            jr_pathbuf_index(&path, d->path[i].index);
        else if (d->path[i].key.n > 0)
            jr_pathbuf_name(&path, d->path[i].key);
    }
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof(msg), fmt, ap);
    va_end(ap);
    return jr_fail(err, st, path.p, "%s", msg);
}

static void path_push(struct jr_decoder *d, struct jr_str key)
{
    if (d->path_n < PATH_DEPTH) {
        d->path[d->path_n].key = key;
        d->path[d->path_n].index = 0;
    }
    d->path_n++;
}

/* What Go calls a value of this kind in "cannot unmarshal string into int32". */
static const char *kind_name(enum jr_tok_kind kind)
{
    switch (kind) {
    case JR_TOK_OBJECT:
        return "object";
    case JR_TOK_ARRAY:
        return "array";
    case JR_TOK_STRING:
        return "string";
    case JR_TOK_NUMBER:
        return "number";
    case JR_TOK_TRUE:
    case JR_TOK_FALSE:
        return "bool";
    case JR_TOK_NULL:
        return "null";
    case JR_TOK_OBJECT_END:
    case JR_TOK_ARRAY_END:
    case JR_TOK_KEY:
    case JR_TOK_END:
        break;
    }
    return "nothing";
}

enum jr_status jr_decode_token(struct jr_decoder *d, enum jr_tok_kind kind, const char *want,
                               struct jr_tok *ret, bool *ret_null, struct jr_error *err)
{
    enum jr_status st = jr_reader_next(&d->reader, ret, err);

    if (st != JR_OK)
        return st;
    *ret_null = ret->kind == JR_TOK_NULL;
    if (ret->kind == kind || *ret_null || (ret->kind == JR_TOK_FALSE && kind == JR_TOK_TRUE))
        return JR_OK;
    return jr_decode_fail(d, JR_TYPE, err, "cannot unmarshal %s into %s", kind_name(ret->kind),
                          want);
}

enum jr_status jr_decode_text(struct jr_decoder *d, const struct jr_tok *t, struct jr_str *ret,
                              struct jr_error *err)
{
    bool ok;

    if (!t->escaped && d->copy)
        ok = jr_arena_str(d->arena, t->raw, ret);
    else
        ok = jr_tok_text(t, d->arena, ret) == JR_OK;
    return ok ? JR_OK : jr_decode_fail(d, JR_NOMEM, err, "string");
}

static enum jr_status begin_value(struct jr_decoder *d, enum jr_tok_kind kind, const char *want,
                                  struct jr_str key, bool *ret_present, struct jr_error *err)
{
    struct jr_tok t;
    bool null;
    enum jr_status st = jr_decode_token(d, kind, want, &t, &null, err);

    if (st != JR_OK)
        return st;
    *ret_present = !null;
    if (!null)
        path_push(d, key);
    return JR_OK;
}

enum jr_status jr_decode_object_begin(struct jr_decoder *d, bool *ret_present, struct jr_error *err)
{
    return begin_value(d, JR_TOK_OBJECT, "object", (struct jr_str){ 0 }, ret_present, err);
}

static enum jr_status object_next(struct jr_decoder *d, bool keep, struct jr_str *ret_key,
                                  bool *ret_more, struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = jr_reader_next(&d->reader, &t, err);

    if (st != JR_OK)
        return st;
    if (t.kind == JR_TOK_OBJECT_END) {
        d->path_n--;
        *ret_more = false;
        return JR_OK;
    }
    if (t.kind != JR_TOK_KEY)
        return jr_decode_fail(d, JR_USAGE, err, "the value before this one was not read");
    if (keep || t.escaped) {
        st = jr_decode_text(d, &t, ret_key, err);
        if (st != JR_OK)
            return st;
    } else {
        *ret_key = t.raw;
    }
    if (d->path_n <= PATH_DEPTH)
        d->path[d->path_n - 1].key = *ret_key;
    *ret_more = true;
    return JR_OK;
}

enum jr_status jr_decode_object_next(struct jr_decoder *d, struct jr_str *ret_key, bool *ret_more,
                                     struct jr_error *err)
{
    return object_next(d, true, ret_key, ret_more, err);
}

enum jr_status jr_decode_object_key(struct jr_decoder *d, struct jr_str *ret_key, bool *ret_more,
                                    struct jr_error *err)
{
    return object_next(d, false, ret_key, ret_more, err);
}

enum jr_status jr_decode_array_begin(struct jr_decoder *d, bool *ret_present, struct jr_error *err)
{
    enum jr_status st =
        begin_value(d, JR_TOK_ARRAY, "array", (struct jr_str){ NULL, SIZE_MAX }, ret_present, err);

    /* The first _next moves on to index 0. */
    if (st == JR_OK && *ret_present && d->path_n <= PATH_DEPTH)
        d->path[d->path_n - 1].index = SIZE_MAX;
    return st;
}

enum jr_status jr_decode_array_next(struct jr_decoder *d, bool *ret_more, struct jr_error *err)
{
    /* The reader has no way to put a token back, but it is plain data: look ahead with a copy. */
    struct jr_reader before = d->reader;
    struct jr_tok t;
    enum jr_status st = jr_reader_next(&d->reader, &t, err);

    if (st != JR_OK)
        return st;
    *ret_more = t.kind != JR_TOK_ARRAY_END;
    if (*ret_more) {
        d->reader = before;
        if (d->path_n <= PATH_DEPTH)
            d->path[d->path_n - 1].index++;
    } else {
        d->path_n--;
    }
    return JR_OK;
}

/* Elements while they are read: how many there are is only known at the end, and an arena can't
 * grow a piece. */
struct growing {
    char *p;
    size_t n;
    size_t cap;
};

static bool grow_items(struct growing *g, size_t size)
{
    size_t cap = g->cap == 0 ? 4 : g->cap * 2, bytes;
    char *p;

    if (__builtin_mul_overflow(cap, size, &bytes))
        return false;
    p = realloc(g->p, bytes);
    if (p == NULL)
        return false;
    memset(p + g->cap * size, 0, bytes - g->cap * size);
    g->p = p;
    g->cap = cap;
    return true;
}

static enum jr_status decode_elements(struct jr_decoder *d, const struct jr_array_desc *desc,
                                      struct growing *g, struct jr_error *err)
{
    for (;;) {
        struct jr_str key;
        bool more;
        enum jr_status st = desc->keyed ? jr_decode_object_next(d, &key, &more, err)
                                        : jr_decode_array_next(d, &more, err);

        if (st != JR_OK || !more)
            return st;
        if (desc->first != 0 && g->n >= desc->first) {
            st = jr_reader_skip(&d->reader, NULL, err);
            if (st != JR_OK)
                return st;
            continue;
        }
        if (g->n == g->cap && !grow_items(g, desc->size))
            return jr_decode_fail(d, JR_NOMEM, err, "array");
        if (desc->keyed)
            *(struct jr_str *)(void *)(g->p + g->n * desc->size) = key;
        st = desc->fn(d, g->p + g->n * desc->size, desc->arg, err);
        if (st != JR_OK)
            return st;
        g->n++;
    }
}

enum jr_status jr_decode_array(struct jr_decoder *d, void *out, const struct jr_array_desc *desc,
                               struct jr_error *err)
{
    struct jr_slice *slice = out;
    struct growing g = { 0 };
    JR_FREE char *owner = NULL;
    bool present = false;
    void *v;
    enum jr_status st = desc->keyed ? jr_decode_object_begin(d, &present, err)
                                    : jr_decode_array_begin(d, &present, err);

    if (st != JR_OK || !present)
        return st;
    st = decode_elements(d, desc, &g, err);
    owner = g.p;
    if (st != JR_OK)
        return st;
    v = jr_arena_calloc(d->arena, g.n, desc->size);
    if (v == NULL)
        return jr_decode_fail(d, JR_NOMEM, err, "array");
    if (g.n > 0)
        memcpy(v, g.p, g.n * desc->size);
    *slice = (struct jr_slice){ v, g.n };
    return JR_OK;
}

enum jr_status jr_decode_all(struct jr_decoder *d, jr_decode_fn *fn, const void *arg, void *out,
                             struct jr_error *err)
{
    struct jr_tok t;
    enum jr_status st = fn(d, out, arg, err);

    return st == JR_OK ? jr_reader_next(&d->reader, &t, err) : st;
}

enum jr_status jr_decode(struct jr_str text, struct jr_arena *arena, bool copy, jr_decode_fn *fn,
                         const void *arg, void *out, struct jr_error *err)
{
    struct jr_decoder d;

    jr_decoder_init(&d, text, arena, copy);
    return jr_decode_all(&d, fn, arg, out, err);
}

enum jr_status jr_decode_lenient(struct jr_str text, struct jr_arena *arena, bool copy,
                                 jr_decode_fn *fn, const void *arg, void *out, struct jr_error *err)
{
    struct jr_decoder d;

    jr_decoder_init(&d, text, arena, copy);
    d.reader.lenient = true;
    return jr_decode_all(&d, fn, arg, out, err);
}
