/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf by table: each row looks for its occurrences in the message. */
#include "common/schema/protobuf.h"

#include <inttypes.h>

#include "common/base/base64.h"
#include "common/base/time.h"
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

/** Time, MicroTime: seconds and nanoseconds; an empty message is the zero time. */
static enum jr_status write_time(struct protobuf *p, struct jr_str message)
{
    struct field s = { .value = 0 }, ns = { .value = 0 };
    char text[JR_TIME_MAX];
    struct jr_time at;

    if (message.n == 0) {
        jr_w_null(p->w);
        return JR_OK;
    }
    (void)find_field(message, 1, &s);
    (void)find_field(message, 2, &ns);
    at = jr_time_later(jr_time_s((int64_t)s.value), (int64_t)ns.value);
    jr_w_str(p->w,
             jr_str(ns.value == 0 ? jr_time_format(at, text) : jr_time_format_micro(at, text)));
    return JR_OK;
}

static void write_int_or_string(struct protobuf *p, struct jr_str message)
{
    struct field type = { .value = 0 }, number = { .value = 0 }, text = { .value = 0 };

    (void)find_field(message, 1, &type);
    (void)find_field(message, 2, &number);
    (void)find_field(message, 3, &text);
    if (type.value == 0)
        jr_w_i64(p->w, (int32_t)number.value);
    else
        jr_w_str(p->w, text.bytes);
}

static void write_quantity(struct protobuf *p, struct jr_str message)
{
    struct field text = { .value = 0 };

    (void)find_field(message, 1, &text);
    jr_w_str(p->w, text.bytes);
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

/** One value: of the field, or one of its elements. */
static enum jr_status write_value(struct protobuf *p, const struct jr_schema_field *row,
                                  const struct field *f)
{
    const bool is_number = row->kind == JR_SCHEMA_INT32 || row->kind == JR_SCHEMA_INT64 ||
                           row->kind == JR_SCHEMA_INT32S || row->kind == JR_SCHEMA_INT64S ||
                           row->kind == JR_SCHEMA_BOOL;

    if (f->wire != (is_number ? WIRE_VARINT : WIRE_BYTES))
        return damaged(p, row->name);
    if (row->kind == JR_SCHEMA_BOOL)
        jr_w_bool(p->w, f->value != 0);
    else if (is_number)
        jr_w_i64(p->w, (int64_t)f->value);
    else if (row->kind == JR_SCHEMA_TIME)
        return write_time(p, f->bytes);
    else if (row->kind == JR_SCHEMA_QUANTITY)
        write_quantity(p, f->bytes);
    else if (row->kind == JR_SCHEMA_INT_OR_STRING)
        write_int_or_string(p, f->bytes);
    else if (row->kind == JR_SCHEMA_STRUCT || row->kind == JR_SCHEMA_LIST)
        return write_object(p, row->of, f->bytes);
    else
        jr_w_str(p->w, f->bytes);
    return JR_OK;
}

/** An entry of a map. */
static void write_entry(struct protobuf *p, const struct jr_schema_field *row, struct jr_str entry)
{
    struct field key = { .value = 0 }, value = { .value = 0 };

    (void)find_field(entry, 1, &key);
    (void)find_field(entry, 2, &value);
    jr_w_keyn(p->w, key.bytes);
    if (row->kind == JR_SCHEMA_QUANTITIES)
        write_quantity(p, value.bytes);
    else if (row->kind == JR_SCHEMA_ANY)
        write_bytes(p, value.bytes);
    else
        jr_w_str(p->w, value.bytes);
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
        if (map && f.wire == WIRE_BYTES)
            write_entry(p, row, f.bytes);
        else
            st = map ? damaged(p, row->name) : write_value(p, row, &f);
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

/** Refuses a message with a field that has no row, or with damaged ones. */
static enum jr_status check_known(struct protobuf *p, const struct jr_schema_type *type,
                                  struct jr_str message)
{
    struct field f;

    while (take_field(&message, &f)) {
        const struct jr_schema_field *row = type->fields;

        while (row->name != NULL && row->number != f.number)
            row++;
        if (row->name == NULL && (type->embedded == NULL || type->embedded_number != f.number))
            return jr_fail(p->err, JR_UNSUPPORTED, type->name,
                           "the field with number %" PRIu64 " isn't known", f.number);
    }
    return message.n == 0 ? JR_OK : damaged(p, type->name);
}

static enum jr_status write_members(struct protobuf *p, const struct jr_schema_type *type,
                                    struct jr_str message)
{
    enum jr_status st = check_known(p, type, message);
    struct field inner;

    if (st == JR_OK && type->embedded != NULL && find_field(message, type->embedded_number, &inner))
        st = write_members(p, type->embedded, inner.bytes);
    for (const struct jr_schema_field *row = type->fields; row->name != NULL && st == JR_OK; row++)
        st = write_row(p, row, message);
    return st;
}

/* runtime.Unknown: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2, contentEncoding = 3. */
enum jr_status jr_protobuf_read(struct jr_str text, const struct jr_schema_type *type,
                                struct jr_buf *out, struct jr_error *err)
{
    struct jr_writer w = jr_writer_on(out);
    struct protobuf p = { .w = &w, .err = err };
    struct field meta = { .value = 0 }, raw = { .value = 0 }, encoding = { .value = 0 };
    struct field version = { .value = 0 }, kind = { .value = 0 };
    enum jr_status st;

    if (!jr_str_starts(text, MAGIC))
        return damaged(&p, "the object");
    text = jr_str_from(text, MAGIC.n);
    (void)find_field(text, 1, &meta);
    (void)find_field(text, 2, &raw);
    if (find_field(text, 3, &encoding) && encoding.bytes.n > 0)
        return jr_fail(err, JR_UNSUPPORTED, "contentEncoding", "'%.*s' can't be read",
                       JR_P(encoding.bytes));
    (void)find_field(meta.bytes, 1, &version);
    (void)find_field(meta.bytes, 2, &kind);
    jr_w_object(&w);
    jr_w_opt_kstr(&w, "apiVersion", version.bytes);
    jr_w_opt_kstr(&w, "kind", kind.bytes);
    st = write_members(&p, type, raw.bytes);
    jr_w_object_end(&w);
    return st == JR_OK ? out->failed : st;
}
