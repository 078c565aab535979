/* SPDX-License-Identifier: Apache-2.0 */
/* A copy byte by byte, then a walk by the rows of its type, which gives it memory of its own. */
#include "common/schema/copy.h"

#include "common/json/decode.h"
#include "common/schema/meta.h"

static enum jr_status own_members(const struct jr_schema_copy *c, const struct jr_schema_type *type,
                                  void *object);

static enum jr_status own_string(const struct jr_schema_copy *c, struct jr_str *s)
{
    const uintptr_t at = (uintptr_t)s->p - (uintptr_t)c->from.p;

    if (s->n == 0) { /* unset, or "" */
        s->p = s->p == NULL ? NULL : "";
        return JR_OK;
    }
    if (at < c->from.n) {
        s->p = c->to.p + at;
        return JR_OK;
    }
    return jr_arena_str(c->arena, *s, s) ? JR_OK : JR_NOMEM;
}

/** An array that is there stays there, even if it is empty. */
static enum jr_status own_array(const struct jr_schema_copy *c, struct jr_slice *a, size_t size)
{
    void *v;

    if (a->v == NULL)
        return JR_OK;
    v = jr_arena_calloc(c->arena, a->n, size);
    if (v == NULL)
        return JR_NOMEM;
    if (a->n > 0)
        memcpy(v, a->v, a->n * size);
    a->v = v;
    return JR_OK;
}

/** `each` strings an element: struct jr_strs, struct jr_labels. */
static enum jr_status own_strings(const struct jr_schema_copy *c, struct jr_slice *a, size_t each)
{
    enum jr_status st = own_array(c, a, each * sizeof(struct jr_str));
    struct jr_str *v = a->v;

    for (size_t i = 0; st == JR_OK && i < a->n * each; i++)
        st = own_string(c, &v[i]);
    return st;
}

static enum jr_status own_struct(const struct jr_schema_copy *c, const struct jr_schema_field *f,
                                 void *object)
{
    enum jr_status st = f->with_text ? own_string(c, object) : JR_OK;

    return st == JR_OK ? own_members(c, jr_schema_kept(f), object) : st;
}

static enum jr_status own_list(const struct jr_schema_copy *c, const struct jr_schema_field *f,
                               struct jr_slice *a)
{
    const size_t size = jr_schema_kept(f)->size;
    enum jr_status st = own_array(c, a, size);

    for (size_t i = 0; st == JR_OK && i < a->n; i++)
        st = own_struct(c, f, (char *)a->v + i * size);
    return st;
}

static enum jr_status own_field(const struct jr_schema_copy *c, const struct jr_schema_field *f,
                                void *out)
{
    if (f->into != JR_INTO_NOTHING && f->kind == JR_SCHEMA_LIST)
        return own_list(c, f, out);
    switch (f->into) {
    case JR_INTO_NOTHING:
    case JR_INTO_I32:
    case JR_INTO_I64:
    case JR_INTO_BOOL:
    case JR_INTO_OPT_I32:
    case JR_INTO_OPT_I64:
    case JR_INTO_OPT_BOOL:
    case JR_INTO_TIME:
        return JR_OK;
    case JR_INTO_STR:
        return own_string(c, out);
    case JR_INTO_LABELS:
        return own_strings(c, out, 2);
    case JR_INTO_STRS:
        return own_strings(c, out, 1);
    case JR_INTO_I32S:
        return own_array(c, out, sizeof(int32_t));
    case JR_INTO_SAME:
    case JR_INTO_STRUCT:
        return own_struct(c, f, out);
    case JR_INTO_TAPE:
        break;
    }
    return JR_USAGE;
}

static enum jr_status own_members(const struct jr_schema_copy *c, const struct jr_schema_type *type,
                                  void *object)
{
    enum jr_status st = JR_OK;

    for (const struct jr_schema_field *f = type->fields; st == JR_OK && f->name != NULL; f++)
        st = own_field(c, f, (char *)object + f->offset);
    return st;
}

enum jr_status jr_schema_deep_copy(const struct jr_schema_copy *c,
                                   const struct jr_schema_type *type, const void *object, void *out)
{
    memcpy(out, object, type->size);
    return own_members(c, type, out);
}
