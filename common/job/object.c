/* SPDX-License-Identifier: Apache-2.0 */
/* Opening what is admitted. */
#include "common/job/object.h"

#include "common/schema/decode_tree.h"

static enum jr_status wrong_type(const struct jr_type_error *wrong, struct jr_error *err)
{
    return wrong->why == NULL ? JR_OK : jr_fail(err, JR_TYPE, wrong->field.p, "%s", wrong->why);
}

enum jr_status jr_object_check(const struct jr_schema_type *type, const struct jr_node *root,
                               unsigned minor, struct jr_error *err)
{
    JR_ARENA arena = { 0 };
    struct jr_type_error wrong;

    if (jr_schema_type_error(type, root, minor, &arena, &wrong) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "%s", type->name);
    return wrong_type(&wrong, err);
}

enum jr_status jr_object_open(const struct jr_schema_type *type, const struct jr_node *root,
                              unsigned minor, struct jr_object *ret, struct jr_error *err)
{
    JR_OBJECT_OPEN o = { .root = root };
    struct jr_type_error wrong;
    enum jr_status st;
    void *value;

    jr_arena_init(&o.arena, 0);
    value = jr_arena_alloc(&o.arena, type->size);
    if (value == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "%s", type->name);
    st = jr_schema_decode_tree(type, root, minor, &o.arena, value, &wrong);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "%s", type->name);
    st = wrong_type(&wrong, err);
    if (st != JR_OK)
        return st;
    if (type == &jr_schema_job)
        o.job = value;
    else
        o.cron_job = value;
    *ret = o;
    o = (struct jr_object){ .root = NULL };
    return JR_OK;
}

void jr_object_done(struct jr_object *o)
{
    jr_arena_done(&o->arena);
    jr_doc_free(o->doc);
    *o = (struct jr_object){ .root = NULL };
}
