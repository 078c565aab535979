/* SPDX-License-Identifier: Apache-2.0 */
/* Fields by name. */
#include "common/schema/schema.h"

const struct jr_schema_type *const jr_schema_kinds[] = {
    &jr_schema_job,
    &jr_schema_cron_job,
    &jr_schema_pod,
    &jr_schema_namespace,
    &jr_schema_node,
    &jr_schema_event,
    &jr_schema_config_map,
    &jr_schema_secret,
    &jr_schema_service_account,
    &jr_schema_resource_quota,
    &jr_schema_lease,
    &jr_schema_mutating_webhook_configuration,
    &jr_schema_validating_webhook_configuration,
    &jr_schema_workload,
    &jr_schema_pod_group,
    &jr_schema_workload_v1beta1,
    &jr_schema_pod_group_v1beta1,
    NULL,
};

static bool is_named(const struct jr_schema_field *f, struct jr_str name)
{
    return name.n > 0 && f->name[0] == name.p[0] && jr_str_is(name, f->name);
}

const struct jr_schema_field *jr_schema_find(const struct jr_schema_type *type, struct jr_str name,
                                             const struct jr_schema_type **ret_via)
{
    for (const struct jr_schema_type *t = type; t != NULL; t = t->embedded) {
        for (const struct jr_schema_field *f = t->fields; f->name != NULL; f++) {
            if (!is_named(f, name))
                continue;
            if (ret_via != NULL)
                *ret_via = t == type ? NULL : t;
            return f;
        }
    }
    return NULL;
}

const struct jr_schema_field *jr_schema_find_next(const struct jr_schema_type *type,
                                                  struct jr_str name, size_t *at)
{
    const struct jr_schema_field *f = type->fields + *at, *from = f;

    while (f->name != NULL && !is_named(f, name))
        f++;
    if (f->name == NULL) {
        for (f = type->fields; f < from && !is_named(f, name);)
            f++;
        if (f == from)
            return NULL;
    }
    *at = (size_t)(f - type->fields) + 1;
    return f;
}
