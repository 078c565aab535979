#include "common/api/workload.h"

#include "common/api/parts.h"

#define AT(member) offsetof(struct jr_gang_object, member)
#define END                 \
    {                       \
        NULL, 0, NULL, NULL \
    }

static const struct jr_field template_fields[] = {
    { "name", offsetof(struct jr_pod_group_template, name), jr_decode_str, NULL },
    { "schedulingPolicy", offsetof(struct jr_pod_group_template, policy), jr_decode_raw, NULL },
    END,
};
static const struct jr_object_desc template_desc = { template_fields };
static const struct jr_array_desc templates_desc = { sizeof(struct jr_pod_group_template),
                                                     jr_decode_object, &template_desc, 0 };

#define REF(member) (AT(controller_ref.member) - AT(controller_ref))
static const struct jr_field ref_fields[] = {
    { "apiGroup", REF(api_group), jr_decode_str, NULL },
    { "kind", REF(kind), jr_decode_str, NULL },
    { "name", REF(name), jr_decode_str, NULL },
    END,
};
static const struct jr_object_desc ref_desc = { ref_fields };

static const struct jr_field group_workload_fields[] = {
    { "workloadName", AT(workload_name), jr_decode_str, NULL },
    END,
};
static const struct jr_object_desc group_workload_desc = { group_workload_fields };
static const struct jr_field group_ref_fields[] = {
    { "workload", 0, jr_decode_object, &group_workload_desc },
    END,
};
static const struct jr_object_desc group_ref_desc = { group_ref_fields };

static const struct jr_field spec_fields[] = {
    { "controllerRef", AT(controller_ref), jr_decode_present, &ref_desc },
    { "podGroupTemplates", AT(templates), jr_decode_array, &templates_desc },
    { "podGroupTemplateRef", 0, jr_decode_object, &group_ref_desc },
    END,
};
static const struct jr_object_desc spec_desc = { spec_fields };
static const struct jr_field object_fields[] = {
    { "metadata", AT(meta), jr_decode_object, &jr_meta_desc },
    { "spec", 0, jr_decode_object, &spec_desc },
    END,
};
static const struct jr_object_desc object_desc = { object_fields };

enum jr_status jr_gang_object_decode(struct jr_str text, struct jr_gang_object **ret,
                                     struct jr_error *err)
{
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = calloc(1, sizeof(*o));
    enum jr_status st;

    if (o == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "Workload or PodGroup");
    o->refs = 1;
    jr_arena_init(&o->arena, 0);
    st = jr_decode_lenient(text, &o->arena, true, jr_decode_object, &object_desc, o, err);
    if (st == JR_OK)
        *ret = jr_steal(&o);
    return st;
}

struct jr_gang_object *jr_gang_object_ref(const struct jr_gang_object *o)
{
    struct jr_gang_object *mine =
        (struct jr_gang_object *)(uintptr_t)o; /* only the count changes */

    mine->refs++;
    return mine;
}

void jr_gang_object_unref(struct jr_gang_object *o)
{
    if (o == NULL || --o->refs > 0)
        return;
    jr_arena_done(&o->arena);
    free(o);
}
