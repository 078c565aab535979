/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf by table: each row looks for its occurrences in the message. */
#include "common/schema/protobuf.h"

#include <inttypes.h>

#include "common/base/base64.h"
#include "common/base/memory.h"
#include "common/base/time.h"
#include "common/json/doc.h"
#include "common/json/write.h"

#define MAGIC JR_S("k8s\0")

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

/** A field of a message. */
struct field {
    uint64_t number;
    enum wire wire;
    uint64_t value;      /* of a varint */
    struct jr_str bytes; /* of WIRE_BYTES */
};

/** A decoding: where its JSON goes, and its error. */
struct protobuf {
    struct jr_writer *w;
    struct jr_error *err;
};

/* ---- the wire ---- */

static bool take_varint(struct jr_str *in, uint64_t *ret)
{
    *ret = 0;
    for (unsigned shift = 0; in->n > 0 && shift < 70; shift += 7) {
        const unsigned char byte = (unsigned char)*in->p;

        *in = jr_str_from(*in, 1);
        if (shift < 64)
            *ret |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/** Takes the next field off the message; false: there is none, or *in is damaged and not empty. */
static bool take_field(struct jr_str *in, struct field *ret)
{
    struct jr_str rest = *in;
    uint64_t tag, n;

    *ret = (struct field){ .number = 0 };
    if (in->n == 0 || !take_varint(&rest, &tag))
        return false;
    ret->number = tag >> 3;
    ret->wire = (enum wire)(tag & 7);
    if (ret->wire == WIRE_VARINT) {
        if (!take_varint(&rest, &ret->value))
            return false;
    } else {
        n = ret->wire == WIRE_64 ? 8 : 4;
        if (ret->wire != WIRE_64 && ret->wire != WIRE_32 &&
            (ret->wire != WIRE_BYTES || !take_varint(&rest, &n)))
            return false;
        if (n > rest.n)
            return false;
        ret->bytes = jr_str_head(rest, (size_t)n);
        rest = jr_str_from(rest, (size_t)n);
    }
    *in = rest;
    return true;
}

/** The last occurrence of a field, as it counts where it isn't repeated; false: there is none. */
static bool find_field(struct jr_str message, uint64_t number, struct field *ret)
{
    struct field f;
    bool found = false;

    while (take_field(&message, &f)) {
        if (f.number != number)
            continue;
        *ret = f;
        found = true;
    }
    return found;
}

static enum jr_status damaged(struct protobuf *p, const char *what)
{
    return jr_fail(p->err, JR_SYNTAX, what, "is not what protobuf is for this type");
}

/* ---- values ---- */

static enum jr_status write_members(struct protobuf *p, const struct jr_schema_type *type,
                                    struct jr_str message);

static enum jr_status write_object(struct protobuf *p, const struct jr_schema_type *type,
                                   struct jr_str message)
{
    enum jr_status st;

    jr_w_object(p->w);
    st = write_members(p, type, message);
    jr_w_object_end(p->w);
    return st;
}

/** Reads a message that has fields 1 to strlen(wires) and no others: "v" is a varint, "b" bytes.
 * One that isn't there is zero. */
static enum jr_status read_small(struct protobuf *p, const char *what, struct jr_str message,
                                 const char *wires, struct field *fields)
{
    const size_t n = strlen(wires);
    struct field f;

    for (size_t i = 0; i < n; i++)
        fields[i] = (struct field){ .number = 0 };
    while (take_field(&message, &f)) {
        if (f.number == 0 || f.number > n ||
            f.wire != (wires[f.number - 1] == 'v' ? WIRE_VARINT : WIRE_BYTES))
            return damaged(p, what);
        fields[f.number - 1] = f;
    }
    return message.n == 0 ? JR_OK : damaged(p, what);
}

/** Time, MicroTime: seconds and nanoseconds; an empty message is the zero time. */
static enum jr_status write_time(struct protobuf *p, const struct jr_schema_field *row,
                                 struct jr_str message)
{
    struct field f[2];
    char text[JR_TIME_MAX];
    int64_t s, us;

    if (message.n == 0) {
        jr_w_null(p->w);
        return JR_OK;
    }
    if (read_small(p, row->name, message, "vv", f) != JR_OK)
        return JR_SYNTAX;
    s = (int64_t)f[0].value;
    us = (int64_t)f[1].value / 1000;
    if (s < JR_TIME_FIRST_S || s > JR_TIME_LAST_S || us < 0 || us >= 1000000)
        return jr_fail(p->err, JR_SYNTAX, row->name, "the year isn't one of 1 to 9999");
    jr_w_str(p->w, jr_str(row->micro ? jr_time_format_us(s, (int32_t)us, text)
                                     : jr_time_format_s(s, text)));
    return JR_OK;
}

/** Its type (0: a number), the number, the string. */
static enum jr_status write_int_or_string(struct protobuf *p, const char *name,
                                          struct jr_str message)
{
    struct field f[3];

    if (read_small(p, name, message, "vvb", f) != JR_OK)
        return JR_SYNTAX;
    if (f[0].value == 0)
        jr_w_i64(p->w, (int32_t)f[1].value);
    else
        jr_w_str(p->w, f[2].bytes);
    return JR_OK;
}

static enum jr_status write_quantity(struct protobuf *p, const char *name, struct jr_str message)
{
    struct field text;

    if (read_small(p, name, message, "b", &text) != JR_OK)
        return JR_SYNTAX;
    jr_w_str(p->w, text.bytes);
    return JR_OK;
}

static void write_bytes(struct protobuf *p, struct jr_str bytes)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    if (jr_base64_encode(bytes, &text) == JR_OK)
        jr_w_str(p->w, jr_buf_str(&text));
    else
        p->w->out->failed = JR_NOMEM;
}

/** How a value of the field, or each of its elements, is sent. */
static enum wire wire_of(const struct jr_schema_field *row)
{
    const bool is_number = row->kind == JR_SCHEMA_INT32 || row->kind == JR_SCHEMA_INT64 ||
                           row->kind == JR_SCHEMA_INT32S || row->kind == JR_SCHEMA_INT64S ||
                           row->kind == JR_SCHEMA_BOOL;

    return is_number ? WIRE_VARINT : WIRE_BYTES;
}

/** FieldsV1: bytes that are JSON. */
static enum jr_status write_json(struct protobuf *p, const char *name, struct jr_str message)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST };
    struct field text;

    if (read_small(p, name, message, "b", &text) != JR_OK)
        return JR_SYNTAX;
    if (jr_need(jr_doc_parse(text.bytes, &opts, &doc, NULL)) != JR_OK)
        return damaged(p, name);
    jr_w_raw(p->w, text.bytes);
    return JR_OK;
}

/** One value: of the field, or one of its elements. */
static enum jr_status write_value(struct protobuf *p, const struct jr_schema_field *row,
                                  const struct field *f)
{
    if (row->kind == JR_SCHEMA_BOOL)
        jr_w_bool(p->w, f->value != 0);
    else if (wire_of(row) == WIRE_VARINT)
        jr_w_i64(p->w, (int64_t)f->value);
    else if (row->kind == JR_SCHEMA_TIME)
        return write_time(p, row, f->bytes);
    else if (row->kind == JR_SCHEMA_QUANTITY)
        return write_quantity(p, row->name, f->bytes);
    else if (row->kind == JR_SCHEMA_INT_OR_STRING)
        return write_int_or_string(p, row->name, f->bytes);
    else if (row->kind == JR_SCHEMA_STRUCT || row->kind == JR_SCHEMA_LIST)
        return write_object(p, row->of, f->bytes);
    else if (row->json)
        return write_json(p, row->name, f->bytes);
    else
        jr_w_str(p->w, f->bytes);
    return JR_OK;
}

/** An entry of a map. */
static enum jr_status write_entry(struct protobuf *p, const struct jr_schema_field *row,
                                  struct jr_str entry)
{
    struct field f[2];

    if (read_small(p, row->name, entry, "bb", f) != JR_OK)
        return JR_SYNTAX;
    jr_w_keyn(p->w, f[0].bytes);
    if (row->kind == JR_SCHEMA_QUANTITIES)
        return write_quantity(p, row->name, f[1].bytes);
    if (row->kind == JR_SCHEMA_ANY)
        write_bytes(p, f[1].bytes);
    else
        jr_w_str(p->w, f[1].bytes);
    return JR_OK;
}

/* ---- messages ---- */

/** Whether Go's encoder would leave the value out: what protobuf sends of fields that aren't
 * pointers is there though it is zero. */
static bool is_omitted(const struct jr_schema_field *row, const struct field *f)
{
    return !row->pointer && !row->always && row->kind != JR_SCHEMA_STRUCT && f->value == 0 &&
           f->bytes.n == 0;
}

/** A row that may occur several times: a list or a map. */
static enum jr_status write_repeated(struct protobuf *p, const struct jr_schema_field *row,
                                     struct jr_str message)
{
    const bool map = row->kind == JR_SCHEMA_STRING_MAP || row->kind == JR_SCHEMA_QUANTITIES ||
                     row->kind == JR_SCHEMA_ANY;
    enum jr_status st = JR_OK;
    struct field f;

    jr_w_key(p->w, row->name);
    if (map)
        jr_w_object(p->w);
    else
        jr_w_array(p->w);
    while (st == JR_OK && take_field(&message, &f)) {
        if (f.number != row->number)
            continue;
        st = map ? write_entry(p, row, f.bytes) : write_value(p, row, &f);
    }
    if (map)
        jr_w_object_end(p->w);
    else
        jr_w_array_end(p->w);
    return st;
}

static enum jr_status write_row(struct protobuf *p, const struct jr_schema_field *row,
                                struct jr_str message)
{
    struct field f;

    if (row->number == 0 || !find_field(message, row->number, &f))
        return JR_OK;
    switch (row->kind) {
    case JR_SCHEMA_ANY:
        if (row->json)
            break;
        if (!row->bytes)
            return jr_fail(p->err, JR_UNSUPPORTED, row->name, "can't be read from protobuf");
        return write_repeated(p, row, message);
    case JR_SCHEMA_STRINGS:
    case JR_SCHEMA_INT32S:
    case JR_SCHEMA_INT64S:
    case JR_SCHEMA_STRING_MAP:
    case JR_SCHEMA_QUANTITIES:
    case JR_SCHEMA_LIST:
        return write_repeated(p, row, message);
    case JR_SCHEMA_STRING:
    case JR_SCHEMA_INT32:
    case JR_SCHEMA_INT64:
    case JR_SCHEMA_BOOL:
    case JR_SCHEMA_TIME:
    case JR_SCHEMA_QUANTITY:
    case JR_SCHEMA_INT_OR_STRING:
    case JR_SCHEMA_STRUCT:
        break;
    }
    if (is_omitted(row, &f))
        return JR_OK;
    jr_w_key(p->w, row->name);
    return write_value(p, row, &f);
}

/** Refuses a message that is damaged, or has a field without a row or of another wire type. */
static enum jr_status check_fields(struct protobuf *p, const struct jr_schema_type *type,
                                   struct jr_str message)
{
    struct field f;

    while (take_field(&message, &f)) {
        const bool embedded = type->embedded != NULL && type->embedded_number == f.number;
        const struct jr_schema_field *row = type->fields;

        while (row->name != NULL && row->number != f.number)
            row++;
        if (row->name == NULL && !embedded)
            return jr_fail(p->err, JR_UNSUPPORTED, type->name,
                           "the field with number %" PRIu64 " isn't known", f.number);
        if (f.wire != (row->name == NULL ? WIRE_BYTES : wire_of(row)))
            return damaged(p, row->name == NULL ? type->name : row->name);
    }
    return message.n == 0 ? JR_OK : damaged(p, type->name);
}

static enum jr_status write_members(struct protobuf *p, const struct jr_schema_type *type,
                                    struct jr_str message)
{
    enum jr_status st = check_fields(p, type, message);
    struct field inner;

    if (st == JR_OK && type->embedded != NULL && find_field(message, type->embedded_number, &inner))
        st = write_members(p, type->embedded, inner.bytes);
    for (const struct jr_schema_field *row = type->fields; row->name != NULL && st == JR_OK; row++)
        st = write_row(p, row, message);
    return st;
}

/* runtime.Unknown: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2, contentEncoding = 3,
 * contentType = 4. */
enum jr_status jr_protobuf_read(struct jr_str text, const struct jr_schema_type *type,
                                struct jr_buf *out, struct jr_error *err)
{
    struct jr_writer w = jr_writer_on(out);
    struct protobuf p = { .w = &w, .err = err };
    struct field unknown[4], meta[2];
    enum jr_status st;

    if (!jr_str_starts(text, MAGIC) ||
        read_small(&p, "the object", jr_str_from(text, MAGIC.n), "bbbb", unknown) != JR_OK ||
        read_small(&p, "its kind", unknown[0].bytes, "bb", meta) != JR_OK)
        return damaged(&p, "the object");
    if (unknown[2].bytes.n > 0)
        return jr_fail(err, JR_UNSUPPORTED, "contentEncoding", "'%.*s' can't be read",
                       JR_P(unknown[2].bytes));
    jr_w_object(&w);
    jr_w_opt_kstr(&w, "apiVersion", meta[0].bytes);
    jr_w_opt_kstr(&w, "kind", meta[1].bytes);
    st = write_members(&p, type, unknown[1].bytes);
    jr_w_object_end(&w);
    return st == JR_OK ? out->failed : st;
}
