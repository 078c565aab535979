/* From text into C structs. */
#include "common/schema/decode.h"

/* ---- what JSON has as objects and arrays of strings ---- */

enum jr_status jr_decode_peek_null(const struct jr_decoder *d, bool *ret, struct jr_error *err)
{
    struct jr_gate ahead = d->gate;
    struct jr_tok tok;
    enum jr_status st = jr_gate_next(&ahead, &tok, err);

    if (st == JR_OK)
        *ret = tok.kind == JR_TOK_NULL;
    return st;
}

enum jr_status jr_decode_text(struct jr_decoder *d, void *out, const void *arg,
                              struct jr_error *err)
{
    struct jr_str *s = out;
    enum jr_status st = jr_decode_str(d, s, arg, err);

    if (st == JR_OK && s->p == NULL)
        *s = JR_S("");
    return st;
}

/** How many members the object ahead has; the reader stays before it. */
static enum jr_status count_members(const struct jr_decoder *d, size_t *ret, struct jr_error *err)
{
    struct jr_gate ahead = d->gate;
    enum jr_status st;
    struct jr_tok tok;
    size_t n = 0;

    st = jr_gate_next(&ahead, &tok, err);
    if (st != JR_OK || tok.kind != JR_TOK_OBJECT) {
        *ret = 0;
        return st;
    }
    for (;;) {
        st = jr_gate_next(&ahead, &tok, err);
        if (st != JR_OK || tok.kind == JR_TOK_OBJECT_END)
            break;
        n++;
        st = jr_gate_skip(&ahead, NULL, err);
        if (st != JR_OK)
            break;
    }
    *ret = n;
    return st;
}

enum jr_status jr_decode_labels(struct jr_decoder *d, void *out, const void *arg,
                                struct jr_error *err)
{
    struct jr_labels labels = { NULL, 0 };
    enum jr_status st;
    bool more;
    size_t n;

    st = count_members(d, &n, err);
    if (st == JR_OK)
        st = jr_decode_object_begin(d, &more, err);
    if (st != JR_OK || !more)
        return st;
    labels.v = jr_arena_calloc(d->arena, n, sizeof(*labels.v));
    if (labels.v == NULL)
        return jr_decode_fail(d, JR_NOMEM, err, "%zu entries", n);
    for (;;) {
        struct jr_str key;

        st = jr_decode_object_next(d, &key, &more, err);
        if (st != JR_OK || !more || labels.n >= n)
            break;
        labels.v[labels.n].key = key;
        st = jr_decode_text(d, &labels.v[labels.n].value, arg, err);
        if (st != JR_OK)
            break;
        labels.n++;
    }
    if (st == JR_OK)
        *(struct jr_labels *)out = labels;
    return st;
}

static const struct jr_array_desc strs_desc = { sizeof(struct jr_str), jr_decode_text, NULL, 0 };
static const struct jr_array_desc i32s_desc = { sizeof(int32_t), jr_decode_i32, NULL, 0 };

enum jr_status jr_decode_strs(struct jr_decoder *d, void *out, const void *arg,
                              struct jr_error *err)
{
    (void)arg;
    return jr_decode_array(d, out, &strs_desc, err);
}

/* ---- by the tables ---- */

/** Whether the member is there and not null. */
static enum jr_status decode_presence(struct jr_decoder *d, bool *ret, struct jr_error *err)
{
    bool null;
    enum jr_status st = jr_decode_peek_null(d, &null, err);

    if (st == JR_OK)
        st = jr_gate_skip(&d->gate, NULL, err);
    if (st == JR_OK)
        *ret = !null;
    return st;
}

static enum jr_status decode_with_text(struct jr_decoder *d, void *out, const void *arg,
                                       struct jr_error *err)
{
    return jr_decode_with_raw(d, jr_schema_decode, arg, out, out, err);
}

static enum jr_status decode_list(struct jr_decoder *d, void *out, const struct jr_schema_field *f,
                                  struct jr_error *err)
{
    const struct jr_schema_type *type = jr_schema_kept(f);
    const struct jr_array_desc desc = {
        .size = type->size,
        .fn = f->with_text ? decode_with_text : jr_schema_decode,
        .arg = type,
        .first = f->first,
    };

    return jr_decode_array(d, out, &desc, err);
}

static enum jr_status decode_struct(struct jr_decoder *d, void *out,
                                    const struct jr_schema_field *f, struct jr_error *err)
{
    const struct jr_schema_type *type = jr_schema_kept(f);
    enum jr_status st;
    bool null;

    if (f->with_text)
        return decode_with_text(d, out, type, err);
    if (!f->pointer || f->into == JR_INTO_SAME)
        return jr_schema_decode(d, out, type, err);
    st = jr_decode_peek_null(d, &null, err);
    if (st != JR_OK)
        return st;
    if (!null)
        *(bool *)out = true;
    return jr_schema_decode(d, out, type, err);
}

static enum jr_status decode_field(struct jr_decoder *d, void *out, const struct jr_schema_field *f,
                                   struct jr_error *err)
{
    if (f->kind == JR_SCHEMA_LIST)
        return decode_list(d, out, f, err);
    switch (f->into) {
    case JR_INTO_NOTHING:
        return jr_gate_skip(&d->gate, NULL, err);
    case JR_INTO_STR:
        return f->kind == JR_SCHEMA_STRING ? jr_decode_str(d, out, NULL, err)
                                           : jr_decode_raw(d, out, NULL, err);
    case JR_INTO_I32:
        return jr_decode_i32(d, out, NULL, err);
    case JR_INTO_I64:
        return jr_decode_i64(d, out, NULL, err);
    case JR_INTO_BOOL:
        return f->kind == JR_SCHEMA_STRUCT ? decode_presence(d, out, err)
                                           : jr_decode_bool(d, out, NULL, err);
    case JR_INTO_OPT_I32:
        return jr_decode_opt_i32(d, out, NULL, err);
    case JR_INTO_OPT_I64:
        return jr_decode_opt_i64(d, out, NULL, err);
    case JR_INTO_OPT_BOOL:
        return jr_decode_opt_bool(d, out, NULL, err);
    case JR_INTO_TIME:
        return jr_decode_time(d, out, NULL, err);
    case JR_INTO_LABELS:
        return jr_decode_labels(d, out, NULL, err);
    case JR_INTO_STRS:
        return jr_decode_strs(d, out, NULL, err);
    case JR_INTO_I32S:
        return jr_decode_array(d, out, &i32s_desc, err);
    case JR_INTO_TAPE:
        return jr_tape_read(&d->gate, d->arena, out, err);
    case JR_INTO_SAME:
    case JR_INTO_STRUCT:
        break;
    }
    return decode_struct(d, out, f, err);
}

static bool again(uint64_t *seen, size_t i)
{
    const uint64_t bit = UINT64_C(1) << (i % 64);
    const bool was = (*seen & bit) != 0;

    *seen |= bit;
    return was;
}

enum jr_status jr_schema_decode(struct jr_decoder *d, void *out, const void *arg,
                                struct jr_error *err)
{
    const struct jr_schema_type *type = arg;
    uint64_t seen = 0;
    size_t at = 0;
    bool more;
    enum jr_status st = jr_decode_object_begin(d, &more, err);

    while (st == JR_OK && more) {
        const struct jr_schema_field *f;
        struct jr_str key;

        st = jr_decode_object_key(d, &key, &more, err);
        if (st != JR_OK || !more)
            break;
        f = jr_schema_find_next(type, key, &at);
        if (f == NULL || f->into == JR_INTO_NOTHING)
            st = jr_gate_skip(&d->gate, NULL, err);
        else if (type->once && again(&seen, (size_t)(f - type->fields)))
            st = jr_decode_fail(d, JR_INVALID, err, "duplicate key");
        else
            st = decode_field(d, (char *)out + f->offset, f, err);
    }
    return st;
}

enum jr_status jr_schema_decode_list(struct jr_decoder *d, void *out, const void *arg,
                                     struct jr_error *err)
{
    return decode_list(d, out, &(struct jr_schema_field){ .of = arg }, err);
}
