/* Fields by name. */
#include "common/schema/schema.h"

const struct jr_schema_field *jr_schema_find(const struct jr_schema_type *type, struct jr_str name,
                                             const struct jr_schema_type **ret_via)
{
    for (const struct jr_schema_type *t = type; t != NULL; t = t->embedded) {
        for (const struct jr_schema_field *f = t->fields; f->name != NULL; f++) {
            if (!jr_str_is(name, f->name))
                continue;
            if (ret_via != NULL)
                *ret_via = t == type ? NULL : t;
            return f;
        }
    }
    return NULL;
}
