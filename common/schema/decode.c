/* SPDX-License-Identifier: Apache-2.0 */
/* From text into C structs. */
#include "common/schema/decode.h"

#include "common/schema/keep.h"

/* ---- scalars ---- */

/* What a value that is kept so is in JSON, and what its type is in Go. */
static const struct {
    enum jr_tok_kind token;
    const char *type;
} scalars[] = {
    [JR_INTO_STR] = { JR_TOK_STRING, "string" },    [JR_INTO_I32] = { JR_TOK_NUMBER, "int32" },
    [JR_INTO_I64] = { JR_TOK_NUMBER, "int64" },     [JR_INTO_BOOL] = { JR_TOK_TRUE, "bool" },
    [JR_INTO_OPT_I32] = { JR_TOK_NUMBER, "int32" }, [JR_INTO_OPT_I64] = { JR_TOK_NUMBER, "int64" },
    [JR_INTO_OPT_BOOL] = { JR_TOK_TRUE, "bool" },   [JR_INTO_TIME] = { JR_TOK_STRING, "time" },
};

static enum jr_status decode_int(struct jr_decoder *d, const struct jr_tok *t,
                                 enum jr_schema_into into, void *out, struct jr_error *err)
{
    const bool wide = into == JR_INTO_I64 || into == JR_INTO_OPT_I64;
    int64_t v;
    enum jr_status st =
        jr_tok_i64(t, wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX, &v);

    if (st != JR_OK)
        return jr_decode_fail(d, st, err, "cannot unmarshal number %.*s%s into %s",
                              JR_P(jr_str_head(t->raw, 40)), t->raw.n > 40 ? "..." : "",
                              scalars[into].type);
    jr_schema_keep_int(into, v, out);
    return JR_OK;
}

/* RFC 3339, as API servers write it; "" is unset. */
static enum jr_status decode_time(struct jr_decoder *d, const struct jr_tok *t, struct jr_time *ret,
                                  struct jr_error *err)
{
    struct jr_time v = { 0 };
    struct jr_str s;

    if (jr_tok_text(t, d->arena, &s) != JR_OK)
        return jr_decode_fail(d, JR_NOMEM, err, "time");
    if (s.n > 0 && jr_time_parse_served(s, &v) != JR_OK)
        return jr_decode_fail(d, JR_INVALID, err, "cannot parse \"%.*s\" as an RFC 3339 time",
                              JR_P(jr_str_head(s, 60)));
    *ret = v;
    return JR_OK;
}

static enum jr_status decode_scalar(struct jr_decoder *d, void *out, enum jr_schema_into into,
                                    struct jr_error *err)
{
    struct jr_tok t;
    bool null;
    enum jr_status st = jr_decode_token(d, scalars[into].token, scalars[into].type, &t, &null, err);

    if (st != JR_OK || null)
        return st;
    if (into == JR_INTO_STR)
        return jr_decode_text(d, &t, out, err);
    if (into == JR_INTO_TIME)
        return decode_time(d, &t, out, err);
    if (t.kind == JR_TOK_NUMBER)
        return decode_int(d, &t, into, out, err);
    jr_schema_keep_bool(into, t.kind == JR_TOK_TRUE, out);
    return JR_OK;
}

/* ---- source text ---- */

static enum jr_status keep_raw(struct jr_decoder *d, struct jr_str raw, struct jr_str *ret,
                               struct jr_error *err)
{
    if (jr_str_is(raw, "null"))
        return JR_OK;
    if (d->copy && !jr_arena_str(d->arena, raw, &raw))
        return jr_decode_fail(d, JR_NOMEM, err, "value");
    *ret = raw;
    return JR_OK;
}

static enum jr_status decode_raw(struct jr_decoder *d, struct jr_str *ret, struct jr_error *err)
{
    struct jr_str raw;
    enum jr_status st = jr_reader_skip(&d->reader, &raw, err);

    return st == JR_OK ? keep_raw(d, raw, ret, err) : st;
}

/* A struct, whose first member becomes its source text. */
static enum jr_status decode_with_text(struct jr_decoder *d, void *out, const void *arg,
                                       struct jr_error *err)
{
    const size_t start = d->reader.at; /* behind a colon or bracket, or before an element's comma */
    enum jr_status st = jr_schema_decode(d, out, arg, err);
    struct jr_str raw = { d->reader.text.p + start, d->reader.at - start };

    raw = jr_str_trim(raw);
    if (jr_str_starts(raw, JR_S(",")))
        raw = jr_str_trim(jr_str_from(raw, 1));
    return st == JR_OK ? keep_raw(d, raw, out, err) : st;
}

/* ---- lists and maps ---- */

/* An element or map value: null is "". */
static enum jr_status decode_string(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err)
{
    (void)arg;
    *(struct jr_str *)out = JR_S("");
    return decode_scalar(d, out, JR_INTO_STR, err);
}

static enum jr_status decode_label(struct jr_decoder *d, void *out, const void *arg,
                                   struct jr_error *err)
{
    return decode_string(d, &((struct jr_label *)out)->value, arg, err);
}

static enum jr_status decode_i32(struct jr_decoder *d, void *out, const void *arg,
                                 struct jr_error *err)
{
    (void)arg;
    return decode_scalar(d, out, JR_INTO_I32, err);
}

enum jr_status jr_decode_labels(struct jr_decoder *d, void *out, const void *arg,
                                struct jr_error *err)
{
    static const struct jr_array_desc labels = { .size = sizeof(struct jr_label),
                                                 .fn = decode_label,
                                                 .keyed = true };

    (void)arg;
    return jr_decode_array(d, out, &labels, err);
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

/* ---- structs ---- */

static enum jr_status decode_members(struct jr_decoder *d, void *out,
                                     const struct jr_schema_type *type, bool *ret_present,
                                     struct jr_error *err);

static enum jr_status decode_struct(struct jr_decoder *d, void *out,
                                    const struct jr_schema_field *f, struct jr_error *err)
{
    const struct jr_schema_type *type = jr_schema_kept(f);
    enum jr_status st;
    bool present;

    if (f->with_text)
        return decode_with_text(d, out, type, err);
    st = decode_members(d, out, type, &present, err);
    if (st == JR_OK && present && f->pointer && f->into != JR_INTO_SAME)
        *(bool *)out = true;
    return st;
}

/* Whether a struct is there and not null. */
static enum jr_status decode_presence(struct jr_decoder *d, bool *ret, struct jr_error *err)
{
    struct jr_str raw;
    enum jr_status st = jr_reader_skip(&d->reader, &raw, err);

    if (st == JR_OK)
        *ret = !jr_str_is(raw, "null");
    return st;
}

static enum jr_status decode_field(struct jr_decoder *d, void *out, const struct jr_schema_field *f,
                                   struct jr_error *err)
{
    static const struct jr_array_desc strs = { .size = sizeof(struct jr_str), .fn = decode_string };
    static const struct jr_array_desc i32s = { .size = sizeof(int32_t), .fn = decode_i32 };

    if (f->kind == JR_SCHEMA_LIST)
        return decode_list(d, out, f, err);
    switch (f->into) {
    case JR_INTO_NOTHING:
        return jr_reader_skip(&d->reader, NULL, err);
    case JR_INTO_STR:
        if (f->kind != JR_SCHEMA_STRING)
            return decode_raw(d, out, err);
        break;
    case JR_INTO_BOOL:
        if (f->kind == JR_SCHEMA_STRUCT)
            return decode_presence(d, out, err);
        break;
    case JR_INTO_I32:
    case JR_INTO_I64:
    case JR_INTO_OPT_I32:
    case JR_INTO_OPT_I64:
    case JR_INTO_OPT_BOOL:
    case JR_INTO_TIME:
        break;
    case JR_INTO_LABELS:
        return jr_decode_labels(d, out, NULL, err);
    case JR_INTO_STRS:
        return jr_decode_array(d, out, &strs, err);
    case JR_INTO_I32S:
        return jr_decode_array(d, out, &i32s, err);
    case JR_INTO_TAPE:
        return jr_tape_read(&d->reader, d->arena, out, err);
    case JR_INTO_SAME:
    case JR_INTO_STRUCT:
        return decode_struct(d, out, f, err);
    }
    return decode_scalar(d, out, f->into, err);
}

static bool seen_again(uint64_t *seen, size_t i)
{
    const uint64_t bit = UINT64_C(1) << (i % 64);
    const bool was = (*seen & bit) != 0;

    *seen |= bit;
    return was;
}

static enum jr_status decode_members(struct jr_decoder *d, void *out,
                                     const struct jr_schema_type *type, bool *ret_present,
                                     struct jr_error *err)
{
    uint64_t seen = 0;
    size_t at = 0;
    enum jr_status st = jr_decode_object_begin(d, ret_present, err);
    bool more = st == JR_OK && *ret_present;

    while (more && st == JR_OK) {
        const struct jr_schema_field *f;
        struct jr_str key;

        st = jr_decode_object_key(d, &key, &more, err);
        if (st != JR_OK || !more)
            break;
        f = jr_schema_find_next(type, key, &at);
        if (f == NULL || f->into == JR_INTO_NOTHING)
            st = jr_reader_skip(&d->reader, NULL, err);
        else if (type->once && seen_again(&seen, (size_t)(f - type->fields)))
            st = jr_decode_fail(d, JR_INVALID, err, "duplicate key");
        else
            st = decode_field(d, (char *)out + f->offset, f, err);
    }
    return st;
}

enum jr_status jr_schema_decode(struct jr_decoder *d, void *out, const void *arg,
                                struct jr_error *err)
{
    bool present;

    return decode_members(d, out, arg, &present, err);
}

enum jr_status jr_schema_decode_list(struct jr_decoder *d, void *out, const void *arg,
                                     struct jr_error *err)
{
    return decode_list(d, out, &(struct jr_schema_field){ .of = arg }, err);
}
