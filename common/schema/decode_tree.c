/* SPDX-License-Identifier: Apache-2.0 */
/* From a tree into C structs, and what Go says of the first value that can't be decoded. */
#include "common/schema/decode_tree.h"

#include "common/json/decode.h"
#include "common/schema/keep.h"
#include "common/schema/meta.h"
#include "common/schema/quantity.h"

/* From 1.35 on Go's decoder names embedded structs in paths ("VolumeSource.csi"). */
#define NAMES_EMBEDDED_SINCE 35

/* A decoding under way: stops at the first fault. */
struct typing {
    struct jr_arena *arena;
    unsigned minor; /* 0: an API server has read it, only what is kept is looked at */
    struct jr_type_error found;
    bool failed; /* no memory */
};

static bool is_over(const struct typing *t)
{
    return t->found.why != NULL || t->failed;
}

/* Says where the fault is. */
static void keep_place(struct typing *t, const struct jr_field_path *at)
{
    t->found.field = jr_field_path_text(at, t->arena);
    if (t->found.field.p == NULL || !jr_field_path_keep(at, NULL, t->arena, &t->found.path))
        t->failed = true;
}

/* The first fault; why is from the arena. */
static void add_type_error(struct typing *t, const struct jr_field_path *at, const char *type,
                           const char *why)
{
    t->found = (struct jr_type_error){ .why = why, .type = type };
    t->failed = why == NULL;
    keep_place(t, at);
}

/* n is no `type`; number: it is one, but a wrong one. */
static void mistyped(struct typing *t, const struct jr_schema_type *in,
                     const struct jr_field_path *at, const struct jr_node *n, const char *type,
                     bool number)
{
    struct jr_str text = number ? jr_node_number(n) : JR_S("");
    JR_BUF path = { 0 };

    if (is_over(t))
        return;
    jr_buf_init(&path, JR_FIELD_PATH_BYTES);
    add_type_error(
        t, at, type,
        jr_field_path_write_go(at, &path) != JR_OK
            ? NULL
            : jr_arena_printf(t->arena,
                              "json: cannot unmarshal %s%s%.*s into Go struct field %s.%.*s of "
                              "type %s",
                              jr_node_kind_name(n), number ? " " : "", JR_P(text), in->name,
                              JR_P(jr_buf_str(&path)), type));
}

static void read_int(struct typing *t, const struct jr_schema_type *in,
                     const struct jr_field_path *at, const struct jr_node *n, bool wide,
                     int64_t *ret)
{
    const char *type = wide ? "int64" : "int32";

    if (jr_node_kind(n) != JR_NUMBER)
        mistyped(t, in, at, n, type, false);
    else if (jr_node_i64(n, ret) != JR_OK || (!wide && (*ret < INT32_MIN || *ret > INT32_MAX)))
        mistyped(t, in, at, n, type, true);
}

/* A time that 64 bits don't hold is one. */
static void read_time(struct typing *t, const struct jr_schema_type *in,
                      const struct jr_field_path *at, const struct jr_node *n, struct jr_time *ret)
{
    struct jr_str text = jr_node_str(n);
    enum jr_status st = JR_OK;

    if (jr_node_kind(n) != JR_STRING) {
        mistyped(t, in, at, n, "string", false);
        return;
    }
    if (text.n > 0 && t->minor != 0)
        st = jr_time_parse(text, ret);
    if (text.n > 0 && st != JR_SYNTAX)
        st = jr_time_parse_served(text, ret);
    if (st == JR_OK || is_over(t))
        return;
    add_type_error(
        t, at, "v1.Time",
        jr_arena_printf(t->arena,
                        "parsing time \"%.*s\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
                        "\"%.*s\" as \"2006\"",
                        JR_P(text), JR_P(text)));
}

/** Go's words for a text that is no quantity; NULL if it is one. */
static const char *quantity_fault(const struct jr_node *n)
{
    struct jr_str s = jr_str_trim(jr_node_str(n));
    struct jr_quantity q;
    enum jr_status st = jr_quantity_of(n, &q);
    size_t i = 0;

    if (st == JR_OK || st == JR_LIMIT)
        return NULL;
    i += s.n > 0 && (s.p[0] == '+' || s.p[0] == '-');
    while (i < s.n && s.p[i] != '\0' && strchr("0123456789.", s.p[i]) != NULL)
        i++;
    while (i < s.n && s.p[i] != '\0' && strchr("eEinumkKMGTP", s.p[i]) != NULL)
        i++;
    i += i < s.n && (s.p[i] == '+' || s.p[i] == '-');
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
        i++;
    return s.n > 0 && i == s.n ? "unable to parse quantity's suffix"
                               : "quantities must match the regular expression "
                                 "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

static void check_quantity(struct typing *t, const struct jr_field_path *at,
                           const struct jr_node *n)
{
    const char *why = quantity_fault(n);

    if (why != NULL && !is_over(t))
        add_type_error(t, at, "resource.Quantity", why);
}

static void check_int_or_string(struct typing *t, const struct jr_schema_type *in,
                                const struct jr_field_path *at, const struct jr_node *n)
{
    int64_t v;

    if (jr_node_kind(n) != JR_STRING)
        read_int(t, in, at, n, false, &v);
}

static void read_string(struct typing *t, const struct jr_schema_type *in,
                        const struct jr_field_path *at, const struct jr_schema_field *f,
                        const struct jr_node *n, struct jr_str *ret)
{
    if (jr_node_kind(n) == JR_STRING)
        *ret = jr_node_str(n);
    else
        mistyped(t, in, at, n, f->go_type == NULL ? "string" : f->go_type, false);
}

/* ---- lists and maps of scalars ---- */

/* Where a list's or map's values go; NULL: nowhere. */
union values {
    void *any;
    struct jr_str *strs;
    struct jr_label *labels;
    int32_t *i32s;
};

/** The i-th value, which is not null. */
static void read_value(struct typing *t, const struct jr_schema_type *in,
                       const struct jr_field_path *at, const struct jr_schema_field *f,
                       const struct jr_node *n, struct jr_str *ret_text, int64_t *ret_number)
{
    if (f->kind == JR_SCHEMA_INT32S || f->kind == JR_SCHEMA_INT64S)
        read_int(t, in, at, n, f->kind == JR_SCHEMA_INT64S, ret_number);
    else if (f->kind == JR_SCHEMA_QUANTITIES)
        check_quantity(t, at, n);
    else
        read_string(t, in, at, f, n, ret_text);
}

static const char *collection_type(struct typing *t, const struct jr_schema_field *f)
{
    const char *type = "map[string]string";

    if (f->kind == JR_SCHEMA_INT32S || f->kind == JR_SCHEMA_INT64S)
        return f->kind == JR_SCHEMA_INT32S ? "[]int32" : "[]int64";
    if (f->kind == JR_SCHEMA_QUANTITIES)
        return "v1.ResourceList";
    if (f->kind == JR_SCHEMA_STRINGS)
        type = jr_arena_printf(t->arena, "[]%s", f->go_type == NULL ? "string" : f->go_type);
    t->failed = t->failed || type == NULL;
    return type;
}

/** Makes room for n values, as out's. */
static union values values_of(struct typing *t, enum jr_schema_into into, void *out, size_t n)
{
    const size_t size = into == JR_INTO_LABELS ? sizeof(struct jr_label)
                        : into == JR_INTO_STRS ? sizeof(struct jr_str)
                        : into == JR_INTO_I32S ? sizeof(int32_t)
                                               : 0;
    union values v = { NULL };

    if (size == 0)
        return v;
    v.any = jr_arena_calloc(t->arena, n, size);
    t->failed = t->failed || v.any == NULL;
    *(struct jr_slice *)out = (struct jr_slice){ v.any, n };
    return v;
}

static void keep_value(enum jr_schema_into into, union values v, size_t i, struct jr_str key,
                       struct jr_str text, int64_t number)
{
    if (v.any == NULL)
        return;
    if (into == JR_INTO_LABELS)
        v.labels[i] = (struct jr_label){ key, text };
    else if (into == JR_INTO_STRS)
        v.strs[i] = text;
    else
        v.i32s[i] = (int32_t)number;
}

static void read_scalars(struct typing *t, const struct jr_schema_type *in,
                         const struct jr_field_path *at, const struct jr_schema_field *f,
                         const struct jr_node *n, enum jr_schema_into into, void *out)
{
    bool map = f->kind == JR_SCHEMA_STRING_MAP || f->kind == JR_SCHEMA_QUANTITIES;
    struct jr_field_path element = { .parent = at };
    union values v;

    if (jr_node_kind(n) != (map ? JR_OBJECT : JR_ARRAY)) {
        mistyped(t, in, at, n, collection_type(t, f), false);
        return;
    }
    v = values_of(t, into, out, jr_size(n));
    for (const struct jr_node *e = jr_first(n); e != NULL && !is_over(t);
         e = jr_next(e), element.index++) {
        struct jr_str text = JR_S("");
        int64_t number = 0;

        if (jr_node_kind(e) != JR_NULL)
            read_value(t, in, at, f, e, &text, &number);
        keep_value(into, v, element.index, jr_key(e), text, number);
        /* Go's words name the list or map, the path the value. */
        element.name = jr_key(e);
        if (t->found.why != NULL)
            keep_place(t, &element);
    }
}

/* ---- structs and lists of such ---- */

/* A value on its way: what it is checked by, and what of it is kept, where. */
struct place {
    const struct jr_schema_type *of;
    const struct jr_schema_type *keep; /* NULL: nothing */
    void *out;                         /* NULL: it is only checked */
};

static void read_struct(struct typing *t, struct place p, const struct jr_node *object,
                        const struct jr_field_path *at);

/** The place of a field's value, a struct or list; k: the row that keeps it, or NULL. */
static struct place place_of_value(const struct typing *t, const struct jr_schema_field *f,
                                   const struct jr_schema_field *k, void *out)
{
    const bool kept = k != NULL && k->into != JR_INTO_NOTHING && k->into != JR_INTO_BOOL;
    const struct jr_schema_type *keep = kept ? jr_schema_kept(k) : NULL;

    return (struct place){ t->minor == 0 && kept ? keep : f->of, keep, out };
}

static void read_list(struct typing *t, const struct jr_schema_type *in, struct place p,
                      const struct jr_field_path *at, const struct jr_node *n)
{
    struct jr_field_path element = { .parent = at };
    char *v = NULL;

    if (jr_node_kind(n) != JR_ARRAY) {
        const char *type = jr_arena_printf(t->arena, "[]%s", p.of->go_type);
        t->failed = t->failed || type == NULL;
        mistyped(t, in, at, n, type, false);
        return;
    }
    if (p.out != NULL && p.keep != NULL) {
        v = jr_arena_calloc(t->arena, jr_size(n), p.keep->size);
        *(struct jr_slice *)p.out = (struct jr_slice){ v, jr_size(n) };
        t->failed = t->failed || v == NULL;
    }
    for (const struct jr_node *e = jr_first(n); e != NULL && !is_over(t);
         e = jr_next(e), element.index++) {
        p.out = v == NULL ? NULL : v + element.index * p.keep->size;
        if (jr_node_kind(e) == JR_OBJECT)
            read_struct(t, p, e, &element);
        else if (jr_node_kind(e) != JR_NULL)
            mistyped(t, in, at, e, p.of->go_type, false);
    }
}

/** A member that is a struct, and there. */
static void read_member(struct typing *t, const struct jr_schema_type *in, struct place p,
                        const struct jr_field_path *at, const struct jr_schema_field *k,
                        const struct jr_node *n)
{
    if (jr_node_kind(n) != JR_OBJECT) {
        mistyped(t, in, at, n, p.of->go_type, false);
        return;
    }
    if (p.out != NULL && (k->into == JR_INTO_BOOL || (k->into == JR_INTO_STRUCT && k->pointer)))
        *(bool *)p.out = true;
    read_struct(t, p, n, at);
}

static void read_bool(struct typing *t, const struct jr_schema_type *in,
                      const struct jr_field_path *at, const struct jr_node *n,
                      enum jr_schema_into into, void *out)
{
    const bool v = jr_node_kind(n) == JR_TRUE;

    if (!v && jr_node_kind(n) != JR_FALSE)
        mistyped(t, in, at, n, "bool", false);
    else
        jr_schema_keep_bool(into, v, out);
}

/** A member that is not null. f: what it is checked by; k: what keeps it, at out; or NULL. */
static void read_field(struct typing *t, const struct jr_schema_type *in,
                       const struct jr_field_path *at, const struct jr_schema_field *f,
                       const struct jr_schema_field *k, const struct jr_node *n, void *out)
{
    const enum jr_schema_into into = out == NULL ? JR_INTO_NOTHING : k->into;
    struct jr_time time = { 0 };
    struct jr_str text = { NULL, 0 };
    int64_t number = 0;

    switch (f->kind) {
    case JR_SCHEMA_ANY:
        break;
    case JR_SCHEMA_STRING:
        read_string(t, in, at, f, n, into == JR_INTO_STR ? out : &text);
        break;
    case JR_SCHEMA_INT32:
    case JR_SCHEMA_INT64:
        read_int(t, in, at, n, f->kind == JR_SCHEMA_INT64, &number);
        jr_schema_keep_int(into, number, out);
        break;
    case JR_SCHEMA_BOOL:
        read_bool(t, in, at, n, into, out);
        break;
    case JR_SCHEMA_TIME:
        read_time(t, in, at, n, into == JR_INTO_TIME ? out : &time);
        break;
    case JR_SCHEMA_QUANTITY:
        check_quantity(t, at, n);
        break;
    case JR_SCHEMA_INT_OR_STRING:
        check_int_or_string(t, in, at, n);
        break;
    case JR_SCHEMA_STRINGS:
    case JR_SCHEMA_INT32S:
    case JR_SCHEMA_INT64S:
    case JR_SCHEMA_STRING_MAP:
    case JR_SCHEMA_QUANTITIES:
        read_scalars(t, in, at, f, n, into, out);
        break;
    case JR_SCHEMA_STRUCT:
        read_member(t, in, place_of_value(t, f, k, out), at, k, n);
        break;
    case JR_SCHEMA_LIST:
        read_list(t, in, place_of_value(t, f, k, out), at, n);
        break;
    }
}

static void read_struct(struct typing *t, struct place p, const struct jr_node *object,
                        const struct jr_field_path *at)
{
    for (const struct jr_node *m = jr_first(object); m != NULL && !is_over(t); m = jr_next(m)) {
        struct jr_field_path here = { .parent = at, .name = jr_key(m) };
        const struct jr_schema_type *via = NULL;
        const struct jr_schema_field *f = jr_schema_find(p.of, here.name, &via), *k = NULL;

        if (via != NULL && (t->minor == 0 || t->minor >= NAMES_EMBEDDED_SINCE))
            here.via = via->name;
        if (f == NULL || jr_node_kind(m) == JR_NULL ||
            (t->minor != 0 && !jr_schema_known(f, t->minor)))
            continue;
        if (p.keep != NULL)
            k = p.keep == p.of ? f : jr_schema_find(p.keep, here.name, NULL);
        if (t->minor == 0 && (k == NULL || k->into == JR_INTO_NOTHING))
            continue;
        read_field(t, p.of, &here, f, k, m,
                   k == NULL || p.out == NULL ? NULL : (char *)p.out + k->offset);
    }
}

enum jr_status jr_schema_type_error(const struct jr_schema_type *type, const struct jr_node *object,
                                    unsigned minor, struct jr_arena *arena,
                                    struct jr_type_error *ret)
{
    return jr_schema_decode_tree(type, object, minor, arena, NULL, ret);
}

enum jr_status jr_schema_decode_tree(const struct jr_schema_type *type,
                                     const struct jr_node *object, unsigned minor,
                                     struct jr_arena *arena, void *out, struct jr_type_error *ret)
{
    struct typing t = { .arena = arena, .minor = minor };

    if (type != NULL && jr_node_kind(object) == JR_OBJECT)
        read_struct(&t, (struct place){ type, minor == 0 || out != NULL ? type : NULL, out },
                    object, NULL);
    else if (type != NULL && jr_node_kind(object) != JR_NULL)
        add_type_error(&t, NULL, type->go_type,
                       jr_arena_printf(arena, "json: cannot unmarshal %s into Go value of type %s",
                                       jr_node_kind_name(object), type->go_type));
    *ret = t.found;
    return t.failed ? JR_NOMEM : JR_OK;
}

const char *jr_schema_type_words(const char *type)
{
    static const struct {
        const char *begins, *words;
    } known[] = {
        { "int", "a whole number" },
        { "bool", "true or false" },
        { "string", "a string" },
        { "[]", "a list" },
        { "v1.Time", "a time as \"2027-03-31T00:00:00Z\"" },
        { "metav1.Time", "a time as \"2027-03-31T00:00:00Z\"" },
        { "resource.", "a quantity" },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(known); i++) {
        if (strncmp(type, known[i].begins, strlen(known[i].begins)) == 0)
            return known[i].words;
    }
    return "an object";
}
