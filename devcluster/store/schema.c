#include "devcluster/store/schema.h"

#include <stdarg.h>

#include "common/base/buf.h"
#include "common/base/time.h"
#include "common/rules/quantity.h"
#include "devcluster/store/schema_tables.h"

#define PATH_DEPTH 32
#define TEXT_MAX ((size_t)1 << 20)

/* ---- strict errors ---- */

void jr_dev_strict_add(struct dev_strict *s, const char *fmt, ...)
{
    struct dev_strict_error *e;
    JR_BUF text = { 0 };
    struct jr_str copy = { NULL, 0 };
    va_list ap;

    if (s->n >= DEV_STRICT_MAX)
        return;
    e = jr_arena_calloc(s->arena, 1, sizeof(*e));
    jr_buf_init(&text, TEXT_MAX);
    va_start(ap, fmt);
    enum jr_status st = jr_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    if (e == NULL || st != JR_OK || !jr_arena_str(s->arena, jr_buf_str(&text), &copy)) {
        s->failed = true;
        return;
    }
    e->text = copy.p;
    if (s->last == NULL)
        s->first = e;
    else
        s->last->next = e;
    s->last = e;
    s->n++;
}

void jr_dev_strict_join(struct dev_strict *s, const struct dev_strict *other)
{
    s->failed = s->failed || other->failed;
    for (const struct dev_strict_error *e = other->first; e != NULL; e = e->next)
        jr_dev_strict_add(s, "%s", e->text);
}

bool jr_dev_strict_has(const struct dev_strict *s, const char *text)
{
    for (const struct dev_strict_error *e = s->first; e != NULL; e = e->next) {
        if (strcmp(e->text, text) == 0)
            return true;
    }
    return false;
}

/* ---- walking ---- */

/* *ret_via (may be NULL): the embedded struct that has the field, NULL: of itself. */
static const struct go_field *field_of(const struct go_struct *of, struct jr_str key,
                                       const struct go_struct **ret_via)
{
    for (const struct go_struct *s = of; s != NULL; s = s->embedded) {
        for (const struct go_field *f = s->fields; f->name != NULL; f++) {
            if (!jr_str_is(key, f->name))
                continue;
            if (ret_via != NULL)
                *ret_via = s == of ? NULL : s;
            return f;
        }
    }
    return NULL;
}

/* Where we are; rendered only on a fault. */
struct place {
    const struct place *parent;
    struct jr_str key; /* n = 0: an element */
    size_t index;
    const struct go_struct *via; /* embedded: a part of the way to Go */
};

/* The way to a value: as JSON has it, or as Go names it. */
static void write_place(const struct place *p, bool json, struct jr_buf *out)
{
    if (p == NULL)
        return;
    write_place(p->parent, json, out);
    if (p->key.n == 0) {
        if (json)
            (void)jr_buf_addf(out, "[%zu]", p->index);
        return;
    }
    if (out->n > 0)
        (void)jr_buf_addc(out, '.');
    if (p->via != NULL && !json)
        (void)jr_buf_addf(out, "%s.", p->via->name);
    (void)jr_buf_add(out, p->key);
}

/* ---- unknown fields ---- */

static void unknown_in(const struct go_struct *of, const struct jr_node *object,
                       const struct place *at, struct dev_strict *errors);

static void unknown_member(const struct go_field *f, const struct jr_node *n,
                           const struct place *at, struct dev_strict *errors)
{
    struct place element = { .parent = at };

    if (f->kind == GO_STRUCT)
        unknown_in(f->of, n, at, errors);
    if (f->kind != GO_LIST || jr_node_kind(n) != JR_ARRAY)
        return;
    for (const struct jr_node *e = jr_first(n); e != NULL; e = jr_next(e), element.index++)
        unknown_in(f->of, e, &element, errors);
}

static void unknown_in(const struct go_struct *of, const struct jr_node *object,
                       const struct place *at, struct dev_strict *errors)
{
    if (jr_node_kind(object) != JR_OBJECT)
        return;
    for (const struct jr_node *m = jr_first(object); m != NULL && errors->n < DEV_STRICT_MAX;
         m = jr_next(m)) {
        const struct go_field *f = field_of(of, jr_key(m), NULL);
        const struct place here = { .parent = at, .key = jr_key(m) };
        JR_BUF path = { 0 };

        if (f != NULL) {
            unknown_member(f, m, &here, errors);
            continue;
        }
        jr_buf_init(&path, TEXT_MAX);
        write_place(&here, true, &path);
        if (path.failed == JR_OK && path.p != NULL)
            jr_dev_strict_add(errors, "unknown field \"%s\"", path.p);
        else if (path.failed != JR_OK)
            errors->failed = true;
    }
}

void jr_dev_schema_unknown(const struct dev_resource *res, const struct jr_node *root,
                           struct dev_strict *errors)
{
    unknown_in(jr_dev_schema_of[res->id], root, NULL, errors);
}

/* ---- types ---- */

/* A check under way: stops at the first fault. */
struct typing {
    struct jr_arena *arena;
    struct dev_mistyped found;
    bool failed; /* no memory */
};

/* A place as text, in the arena; NULL without memory. */
static const char *place_text(struct typing *t, const struct place *at, bool json)
{
    struct jr_str copy = { NULL, 0 };
    JR_BUF path = { 0 };

    jr_buf_init(&path, TEXT_MAX);
    write_place(at, json, &path);
    if (path.failed != JR_OK || !jr_arena_str(t->arena, jr_buf_str(&path), &copy))
        return NULL;
    return copy.p;
}

/* The first fault; why is from the arena. */
static void fault(struct typing *t, const struct place *at, const char *type, const char *why)
{
    t->found = (struct dev_mistyped){ why, type, place_text(t, at, true) };
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
static void mistyped(struct typing *t, const struct go_struct *in, const struct place *at,
                     const struct jr_node *n, const char *type, bool number)
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

static void check_int(struct typing *t, const struct go_struct *in, const struct place *at,
                      const struct jr_node *n, bool wide)
{
    const char *type = wide ? "int64" : "int32";
    int64_t v = 0;

    if (jr_node_kind(n) != JR_NUMBER)
        mistyped(t, in, at, n, type, false);
    else if (jr_node_i64(n, &v) != JR_OK || (!wide && (v < INT32_MIN || v > INT32_MAX)))
        mistyped(t, in, at, n, type, true);
}

static void check_time(struct typing *t, const struct go_struct *in, const struct place *at,
                       const struct jr_node *n)
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

static void check_quantity(struct typing *t, const struct place *at, const struct jr_node *n)
{
    const char *why = quantity_fault(n);

    if (why != NULL && t->found.why == NULL && !t->failed)
        fault(t, at, "resource.Quantity", why);
}

static void check_int_or_string(struct typing *t, const struct go_struct *in,
                                const struct place *at, const struct jr_node *n)
{
    if (jr_node_kind(n) != JR_STRING)
        check_int(t, in, at, n, false);
}

/** One of a list's or map's values. */
static void check_element(struct typing *t, const struct go_struct *in, const struct place *at,
                          const struct go_field *f, const struct jr_node *e)
{
    if (f->kind == GO_INT32S || f->kind == GO_INT64S)
        check_int(t, in, at, e, f->kind == GO_INT64S);
    else if (f->kind == GO_QUANTITIES)
        check_quantity(t, at, e);
    else if (jr_node_kind(e) != JR_STRING)
        mistyped(t, in, at, e, f->type == NULL ? "string" : f->type, false);
}

static const char *collection_type(struct typing *t, const struct go_field *f)
{
    const char *type = "map[string]string";

    if (f->kind == GO_INT32S || f->kind == GO_INT64S)
        return f->kind == GO_INT32S ? "[]int32" : "[]int64";
    if (f->kind == GO_QUANTITIES)
        return "v1.ResourceList";
    if (f->kind == GO_STRINGS)
        type = jr_arena_printf(t->arena, "[]%s", f->type == NULL ? "string" : f->type);
    t->failed = t->failed || type == NULL;
    return type;
}

static void check_scalars(struct typing *t, const struct go_struct *in, const struct place *at,
                          const struct go_field *f, const struct jr_node *n)
{
    bool map = f->kind == GO_MAP || f->kind == GO_QUANTITIES;
    struct place element = { .parent = at };

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

static void check_struct(struct typing *t, const struct go_struct *of, const struct jr_node *object,
                         const struct place *at);

static void check_list(struct typing *t, const struct go_struct *in, const struct place *at,
                       const struct go_field *f, const struct jr_node *n)
{
    struct place element = { .parent = at };

    if (jr_node_kind(n) != JR_ARRAY) {
        const char *type = jr_arena_printf(t->arena, "[]%s", f->of->type);
        t->failed = t->failed || type == NULL;
        mistyped(t, in, at, n, type, false);
        return;
    }
    for (const struct jr_node *e = jr_first(n); e != NULL; e = jr_next(e), element.index++) {
        if (jr_node_kind(e) == JR_OBJECT)
            check_struct(t, f->of, e, &element);
        else if (jr_node_kind(e) != JR_NULL)
            mistyped(t, in, at, e, f->of->type, false);
    }
}

static void check_field(struct typing *t, const struct go_struct *in, const struct place *at,
                        const struct go_field *f, const struct jr_node *n)
{
    switch (f->kind) {
    case GO_ANY:
        break;
    case GO_STRING:
        if (jr_node_kind(n) != JR_STRING)
            mistyped(t, in, at, n, f->type == NULL ? "string" : f->type, false);
        break;
    case GO_INT32:
    case GO_INT64:
        check_int(t, in, at, n, f->kind == GO_INT64);
        break;
    case GO_BOOL:
        if (jr_node_kind(n) != JR_TRUE && jr_node_kind(n) != JR_FALSE)
            mistyped(t, in, at, n, "bool", false);
        break;
    case GO_TIME:
        check_time(t, in, at, n);
        break;
    case GO_QUANTITY:
        check_quantity(t, at, n);
        break;
    case GO_INT_OR_STRING:
        check_int_or_string(t, in, at, n);
        break;
    case GO_STRINGS:
    case GO_INT32S:
    case GO_INT64S:
    case GO_MAP:
    case GO_QUANTITIES:
        check_scalars(t, in, at, f, n);
        break;
    case GO_STRUCT:
        if (jr_node_kind(n) == JR_OBJECT)
            check_struct(t, f->of, n, at);
        else
            mistyped(t, in, at, n, f->of->type, false);
        break;
    case GO_LIST:
        check_list(t, in, at, f, n);
        break;
    }
}

static void check_struct(struct typing *t, const struct go_struct *of, const struct jr_node *object,
                         const struct place *at)
{
    for (const struct jr_node *m = jr_first(object);
         m != NULL && t->found.why == NULL && !t->failed; m = jr_next(m)) {
        struct place here = { .parent = at, .key = jr_key(m) };
        const struct go_field *f = field_of(of, jr_key(m), &here.via);

        if (f != NULL && jr_node_kind(m) != JR_NULL)
            check_field(t, of, &here, f, m);
    }
}

enum jr_status jr_dev_schema_types(const struct dev_resource *res, const struct jr_node *root,
                                   struct jr_arena *arena, struct dev_mistyped *ret)
{
    struct typing t = { .arena = arena };

    check_struct(&t, jr_dev_schema_of[res->id], root, NULL);
    *ret = t.found;
    return t.failed ? JR_NOMEM : JR_OK;
}
