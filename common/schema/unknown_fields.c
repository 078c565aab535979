/* SPDX-License-Identifier: Apache-2.0 */
/* Fields that a type does not have. */
#include "common/schema/unknown_fields.h"

#include <stdarg.h>

/* ---- strict errors ---- */

void jr_strict_add(struct jr_strict_errors *s, const char *fmt, ...)
{
    struct jr_strict_error *e;
    va_list ap;

    if (s->n >= JR_STRICT_MAX)
        return;
    e = jr_arena_calloc(s->arena, 1, sizeof(*e));
    va_start(ap, fmt);
    if (e != NULL)
        e->text = jr_arena_vprintf(s->arena, fmt, ap);
    va_end(ap);
    if (e == NULL || e->text == NULL) {
        s->failed = true;
        return;
    }
    if (s->last == NULL)
        s->first = e;
    else
        s->last->next = e;
    s->last = e;
    s->n++;
}

void jr_strict_join(struct jr_strict_errors *s, const struct jr_strict_errors *other)
{
    s->failed = s->failed || other->failed;
    for (const struct jr_strict_error *e = other->first; e != NULL; e = e->next)
        jr_strict_add(s, "%s", e->text);
}

/* ---- unknown fields ---- */

static void unknown_in(const struct jr_schema_type *of, const struct jr_node *object,
                       const struct jr_field_path *at, unsigned minor,
                       struct jr_strict_errors *errors);

static void add_unknown(const struct jr_schema_type *in, const struct jr_field_path *path,
                        struct jr_strict_errors *errors)
{
    const struct jr_str field = jr_field_path_text(path, errors->arena);
    const size_t before = errors->n;

    jr_strict_add(errors, "unknown field \"%.*s\"", JR_P(field));
    if (errors->n == before)
        return;
    errors->last->field = field;
    errors->last->in = in;
    if (field.p == NULL || !jr_field_path_keep(path, NULL, errors->arena, &errors->last->path))
        errors->failed = true;
}

static void unknown_member(const struct jr_schema_field *f, const struct jr_node *n,
                           const struct jr_field_path *at, unsigned minor,
                           struct jr_strict_errors *errors)
{
    struct jr_field_path element = { .parent = at };

    if (f->kind == JR_SCHEMA_STRUCT)
        unknown_in(f->of, n, at, minor, errors);
    if (f->kind != JR_SCHEMA_LIST || jr_node_kind(n) != JR_ARRAY)
        return;
    for (const struct jr_node *e = jr_first(n); e != NULL; e = jr_next(e), element.index++)
        unknown_in(f->of, e, &element, minor, errors);
}

static void unknown_in(const struct jr_schema_type *of, const struct jr_node *object,
                       const struct jr_field_path *at, unsigned minor,
                       struct jr_strict_errors *errors)
{
    if (jr_node_kind(object) != JR_OBJECT)
        return;
    for (const struct jr_node *m = jr_first(object); m != NULL && errors->n < JR_STRICT_MAX;
         m = jr_next(m)) {
        const struct jr_schema_field *f = jr_schema_find(of, jr_key(m), NULL);
        const struct jr_field_path here = { .parent = at, .name = jr_key(m) };

        if (f != NULL && jr_schema_known(f, minor)) {
            unknown_member(f, m, &here, minor, errors);
            continue;
        }
        add_unknown(of, &here, errors);
    }
}

void jr_schema_unknown(const struct jr_schema_type *type, const struct jr_node *object,
                       unsigned minor, struct jr_strict_errors *errors)
{
    if (type != NULL)
        unknown_in(type, object, NULL, minor, errors);
}

void jr_schema_prune(const struct jr_schema_type *type, struct jr_node *object, unsigned minor)
{
    struct jr_node *next;

    if (type == NULL || jr_node_kind(object) != JR_OBJECT)
        return;
    for (struct jr_node *m = jr_first(object); m != NULL; m = next) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(m), NULL);

        next = jr_next(m);
        if (f == NULL || !jr_schema_known(f, minor))
            jr_remove_child(object, m);
        else if (f->kind == JR_SCHEMA_STRUCT)
            jr_schema_prune(f->of, m, minor);
        else if (f->kind == JR_SCHEMA_LIST && jr_node_kind(m) == JR_ARRAY)
            for (struct jr_node *e = jr_first(m); e != NULL; e = jr_next(e))
                jr_schema_prune(f->of, e, minor);
    }
}
