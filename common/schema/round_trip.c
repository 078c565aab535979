/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding and encoding in Go, as a change of a tree. */
#include "common/schema/round_trip.h"

#include "common/schema/equal.h"

/* A zero of each kind, as Go's encoder writes it, in the order of enum jr_schema_kind: of any,
 * string, int32, int64, bool, time, the three lists of scalars, map, quantity, quantities, int or
 * string, struct, list. */
static const char zero_values[] =
    "[null,\"\",0,0,false,null,null,null,null,null,\"0\",null,0,{},null]";

struct trip {
    const struct jr_node *zeros;
    unsigned minor;
};

static const struct jr_node *zero_of(const struct trip *t, const struct jr_schema_field *f)
{
    return jr_at(t->zeros, f->pointer ? JR_SCHEMA_ANY : f->kind);
}

static bool is_always_written(const struct jr_schema_field *f)
{
    return f->always ||
           (!f->pointer && (f->kind == JR_SCHEMA_STRUCT || f->kind == JR_SCHEMA_QUANTITY ||
                            f->kind == JR_SCHEMA_INT_OR_STRING));
}

/** Writes the field that is absent, or that is one of several forms of zero. */
static enum jr_status write_zero(const struct trip *t, const struct jr_schema_field *f,
                                 struct jr_node *object)
{
    struct jr_node *have = jr_get(object, f->name);

    if (!is_always_written(f) || !jr_schema_known(f, t->minor))
        return JR_OK;
    if (have == NULL)
        return jr_set_copy(object, jr_str(f->name), zero_of(t, f), NULL);
    return jr_schema_is_zero(f, have) ? jr_node_assign(have, zero_of(t, f)) : JR_OK;
}

static enum jr_status trip_object(const struct trip *t, const struct jr_schema_type *type,
                                  struct jr_node *object, bool root);

static enum jr_status trip_value(const struct trip *t, const struct jr_schema_field *f,
                                 struct jr_node *value)
{
    static const enum jr_schema_kind elements[] = {
        [JR_SCHEMA_STRINGS] = JR_SCHEMA_STRING, [JR_SCHEMA_STRING_MAP] = JR_SCHEMA_STRING,
        [JR_SCHEMA_INT32S] = JR_SCHEMA_INT32,   [JR_SCHEMA_INT64S] = JR_SCHEMA_INT64,
        [JR_SCHEMA_LIST] = JR_SCHEMA_STRUCT,    [JR_SCHEMA_QUANTITIES] = JR_SCHEMA_QUANTITY,
    };
    enum jr_status st = JR_OK;

    if (f->kind == JR_SCHEMA_STRUCT)
        return trip_object(t, f->of, value, false);
    if (elements[f->kind] == JR_SCHEMA_ANY)
        return JR_OK;
    for (struct jr_node *e = jr_first(value); e != NULL && st == JR_OK; e = jr_next(e)) {
        if (jr_unset(e))
            st = jr_node_assign(e, jr_at(t->zeros, elements[f->kind]));
        if (st == JR_OK && f->kind == JR_SCHEMA_LIST)
            st = trip_object(t, f->of, e, false);
    }
    return st;
}

static enum jr_status trip_object(const struct trip *t, const struct jr_schema_type *type,
                                  struct jr_node *object, bool root)
{
    enum jr_status st = JR_OK;

    if (jr_node_kind(object) != JR_OBJECT)
        return JR_OK;
    for (const struct jr_schema_type *at = root ? NULL : type; at != NULL; at = at->embedded) {
        for (const struct jr_schema_field *f = at->fields; f->name != NULL && st == JR_OK; f++)
            st = write_zero(t, f, object);
    }
    for (struct jr_node *m = jr_first(object), *next; m != NULL && st == JR_OK; m = next) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(m), NULL);

        next = jr_next(m);
        if (f == NULL || !jr_schema_known(f, t->minor) ||
            (!is_always_written(f) && jr_schema_is_zero(f, m)))
            jr_remove_child(object, m);
        else
            st = trip_value(t, f, m);
    }
    return st;
}

enum jr_status jr_schema_round_trip(const struct jr_schema_type *type, struct jr_node *object,
                                    unsigned minor)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *zeros = NULL;
    struct trip t = { .minor = minor };
    enum jr_status st = jr_doc_parse(jr_str(zero_values), &JR_READER_STRICT, &zeros, NULL);

    if (st != JR_OK)
        return st;
    t.zeros = jr_doc_root(zeros);
    return trip_object(&t, type, object, true);
}
