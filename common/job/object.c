/* Opening what is admitted. */
#include "common/job/object.h"

#include "common/schema/decode_tree.h"

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
    if (wrong.why != NULL)
        return jr_fail(err, JR_TYPE, wrong.path, "%s", wrong.why);
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
