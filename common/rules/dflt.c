#include "common/rules/dflt.h"

static enum jr_status set_text(const struct jr_dflt *d, struct jr_node *object,
                               const struct jr_node *have)
{
    bool empty = jr_node_kind(have) == JR_STRING && jr_node_str(have).n == 0;

    if (jr_unset(have) || (d->how == JR_DFLT_TEXT && empty))
        return jr_set_str(object, d->name, jr_str(d->text));
    return JR_OK;
}

static enum jr_status set_int(const struct jr_dflt *d, struct jr_node *object,
                              const struct jr_node *have)
{
    bool zero = jr_node_kind(have) == JR_NUMBER && jr_node_i64_or(have, 1) == 0;

    if (jr_unset(have) || (d->how == JR_DFLT_INT && zero))
        return jr_set_i64(object, d->name, d->number);
    return JR_OK;
}

/** A null among structs is an empty one in Go. */
static enum jr_status make_object(struct jr_node *element)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *empty = NULL;
    enum jr_status st = jr_doc_new(&empty);

    return st == JR_OK ? jr_node_assign(element, jr_doc_root_const(empty)) : st;
}

static enum jr_status apply_each(const struct jr_dflt *table, struct jr_node *array)
{
    enum jr_status st = JR_OK;

    if (jr_node_kind(array) != JR_ARRAY)
        return JR_OK;
    for (struct jr_node *c = jr_first(array); c != NULL && st == JR_OK; c = jr_next(c)) {
        if (jr_node_kind(c) == JR_NULL)
            st = make_object(c);
        if (st == JR_OK)
            st = jr_dflt_apply(table, c);
    }
    return st;
}

static enum jr_status apply_row(const struct jr_dflt *d, struct jr_node *object)
{
    struct jr_node *have = d->name == NULL ? NULL : jr_get(object, d->name);

    switch (d->how) {
    case JR_DFLT_TEXT:
    case JR_DFLT_TEXT_UNSET:
        return set_text(d, object, have);
    case JR_DFLT_INT:
    case JR_DFLT_INT_UNSET:
        return set_int(d, object, have);
    case JR_DFLT_FALSE:
        return jr_unset(have) ? jr_set_bool(object, d->name, false) : JR_OK;
    case JR_DFLT_OBJECT:
        return jr_unset(have) ? jr_set_object(object, d->name, NULL) : JR_OK;
    case JR_DFLT_IN:
        return jr_dflt_apply(d->table, have);
    case JR_DFLT_EACH:
        return apply_each(d->table, have);
    case JR_DFLT_CALL:
        return d->fn(object);
    }
    return JR_OK;
}

enum jr_status jr_dflt_apply(const struct jr_dflt *table, struct jr_node *object)
{
    enum jr_status st = JR_OK;

    if (jr_node_kind(object) != JR_OBJECT)
        return JR_OK;
    for (; (table->name != NULL || table->fn != NULL) && st == JR_OK; table++)
        st = apply_row(table, object);
    return st;
}
