/* Go's type errors: the first value that can't be decoded, and what Go says of it. */
#include "common/schema/type_errors.h"

#include "common/base/time.h"
#include "common/rules/quantity.h"
#include "common/schema/path.h"

/* A check under way: stops at the first fault. */
struct typing {
    struct jr_arena *arena;
    struct jr_type_error found;
    bool failed; /* no memory */
};

/* A place as text, in the arena; NULL without memory. */
static const char *place_text(struct typing *t, const struct jr_schema_path *at, bool json)
{
    struct jr_str copy = { NULL, 0 };
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_SCHEMA_PATH_BYTES);
    if (json)
        jr_schema_path_json(at, &path);
    else
        jr_schema_path_go(at, &path);
    if (path.failed != JR_OK || !jr_arena_str(t->arena, jr_buf_str(&path), &copy))
        return NULL;
    return copy.p;
}

/* The first fault; why is from the arena. */
static void fault(struct typing *t, const struct jr_schema_path *at, const char *type,
                  const char *why)
{
    t->found = (struct jr_type_error){ why, type, place_text(t, at, true) };
    t->failed = why == NULL || t->found.path == NULL;
}

static const char *kind_words(const struct jr_node *n)
{
    switch (jr_node_kind(n)) {
    case JR_NULL:
        return "null";
    case JR_FALSE:
    case JR_TRUE:
        return "bool";
    case JR_NUMBER:
        return "number";
    case JR_STRING:
        return "string";
    case JR_ARRAY:
        return "array";
    case JR_OBJECT:
        break;
    }
    return "object";
}

/* n is no `type`; number: it is one, but a wrong one. */
static void mistyped(struct typing *t, const struct jr_schema_type *in,
                     const struct jr_schema_path *at, const struct jr_node *n, const char *type,
                     bool number)
{
    struct jr_str text = number ? jr_node_number(n) : JR_S("");
    const char *path;

    if (t->found.why != NULL || t->failed)
        return;
    path = place_text(t, at, false);
    fault(t, at, type,
          path == NULL ? NULL
                       : jr_arena_printf(t->arena,
                                         "json: cannot unmarshal %s%s%.*s into Go struct field "
                                         "%s.%s of type %s",
                                         kind_words(n), number ? " " : "", JR_P(text), in->name,
                                         path, type));
}

static void check_int(struct typing *t, const struct jr_schema_type *in,
                      const struct jr_schema_path *at, const struct jr_node *n, bool wide)
{
    const char *type = wide ? "int64" : "int32";
    int64_t v = 0;

    if (jr_node_kind(n) != JR_NUMBER)
        mistyped(t, in, at, n, type, false);
    else if (jr_node_i64(n, &v) != JR_OK || (!wide && (v < INT32_MIN || v > INT32_MAX)))
        mistyped(t, in, at, n, type, true);
}

static void check_time(struct typing *t, const struct jr_schema_type *in,
                       const struct jr_schema_path *at, const struct jr_node *n)
{
    struct jr_time time;
    struct jr_str text = jr_node_str(n);

    if (jr_node_kind(n) != JR_STRING) {
        mistyped(t, in, at, n, "string", false);
        return;
    }
    if (text.n == 0 || jr_time_parse(text, &time) == JR_OK || t->found.why != NULL || t->failed)
        return;
    fault(t, at, "v1.Time",
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

static void check_quantity(struct typing *t, const struct jr_schema_path *at,
                           const struct jr_node *n)
{
    const char *why = quantity_fault(n);

    if (why != NULL && t->found.why == NULL && !t->failed)
        fault(t, at, "resource.Quantity", why);
}

static void check_int_or_string(struct typing *t, const struct jr_schema_type *in,
                                const struct jr_schema_path *at, const struct jr_node *n)
{
    if (jr_node_kind(n) != JR_STRING)
        check_int(t, in, at, n, false);
}

/** One of a list's or map's values. */
static void check_element(struct typing *t, const struct jr_schema_type *in,
                          const struct jr_schema_path *at, const struct jr_schema_field *f,
                          const struct jr_node *e)
{
    if (f->kind == JR_SCHEMA_INT32S || f->kind == JR_SCHEMA_INT64S)
        check_int(t, in, at, e, f->kind == JR_SCHEMA_INT64S);
    else if (f->kind == JR_SCHEMA_QUANTITIES)
        check_quantity(t, at, e);
    else if (jr_node_kind(e) != JR_STRING)
        mistyped(t, in, at, e, f->go_type == NULL ? "string" : f->go_type, false);
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

static void check_scalars(struct typing *t, const struct jr_schema_type *in,
                          const struct jr_schema_path *at, const struct jr_schema_field *f,
                          const struct jr_node *n)
{
    bool map = f->kind == JR_SCHEMA_STRING_MAP || f->kind == JR_SCHEMA_QUANTITIES;
    struct jr_schema_path element = { .parent = at, .element = !map };

    if (jr_node_kind(n) != (map ? JR_OBJECT : JR_ARRAY)) {
        mistyped(t, in, at, n, collection_type(t, f), false);
        return;
    }
    for (const struct jr_node *e = jr_first(n); e != NULL && t->found.why == NULL && !t->failed;
         e = jr_next(e), element.index++) {
        if (jr_node_kind(e) != JR_NULL)
            check_element(t, in, at, f, e);
        /* Go's words name the list or map, the path the value. */
        element.key = jr_key(e);
        if (t->found.why != NULL && (t->found.path = place_text(t, &element, true)) == NULL)
            t->failed = true;
    }
}

static void check_struct(struct typing *t, const struct jr_schema_type *of,
                         const struct jr_node *object, const struct jr_schema_path *at);

static void check_list(struct typing *t, const struct jr_schema_type *in,
                       const struct jr_schema_path *at, const struct jr_schema_field *f,
                       const struct jr_node *n)
{
    struct jr_schema_path element = { .parent = at, .element = true };

    if (jr_node_kind(n) != JR_ARRAY) {
        const char *type = jr_arena_printf(t->arena, "[]%s", f->of->go_type);
        t->failed = t->failed || type == NULL;
        mistyped(t, in, at, n, type, false);
        return;
    }
    for (const struct jr_node *e = jr_first(n); e != NULL; e = jr_next(e), element.index++) {
        if (jr_node_kind(e) == JR_OBJECT)
            check_struct(t, f->of, e, &element);
        else if (jr_node_kind(e) != JR_NULL)
            mistyped(t, in, at, e, f->of->go_type, false);
    }
}

static void check_field(struct typing *t, const struct jr_schema_type *in,
                        const struct jr_schema_path *at, const struct jr_schema_field *f,
                        const struct jr_node *n)
{
    switch (f->kind) {
    case JR_SCHEMA_ANY:
        break;
    case JR_SCHEMA_STRING:
        if (jr_node_kind(n) != JR_STRING)
            mistyped(t, in, at, n, f->go_type == NULL ? "string" : f->go_type, false);
        break;
    case JR_SCHEMA_INT32:
    case JR_SCHEMA_INT64:
        check_int(t, in, at, n, f->kind == JR_SCHEMA_INT64);
        break;
    case JR_SCHEMA_BOOL:
        if (jr_node_kind(n) != JR_TRUE && jr_node_kind(n) != JR_FALSE)
            mistyped(t, in, at, n, "bool", false);
        break;
    case JR_SCHEMA_TIME:
        check_time(t, in, at, n);
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
        check_scalars(t, in, at, f, n);
        break;
    case JR_SCHEMA_STRUCT:
        if (jr_node_kind(n) == JR_OBJECT)
            check_struct(t, f->of, n, at);
        else
            mistyped(t, in, at, n, f->of->go_type, false);
        break;
    case JR_SCHEMA_LIST:
        check_list(t, in, at, f, n);
        break;
    }
}

static void check_struct(struct typing *t, const struct jr_schema_type *of,
                         const struct jr_node *object, const struct jr_schema_path *at)
{
    for (const struct jr_node *m = jr_first(object);
         m != NULL && t->found.why == NULL && !t->failed; m = jr_next(m)) {
        struct jr_schema_path here = { .parent = at, .key = jr_key(m) };
        const struct jr_schema_field *f = jr_schema_find(of, jr_key(m), &here.via);

        if (f != NULL && jr_node_kind(m) != JR_NULL)
            check_field(t, of, &here, f, m);
    }
}

enum jr_status jr_schema_type_error(const struct jr_schema_type *type, const struct jr_node *object,
                                    struct jr_arena *arena, struct jr_type_error *ret)
{
    struct typing t = { .arena = arena };

    if (type != NULL)
        check_struct(&t, type, object, NULL);
    *ret = t.found;
    return t.failed ? JR_NOMEM : JR_OK;
}
