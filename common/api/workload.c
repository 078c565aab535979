/* Workloads and PodGroups from text. */
#include "common/api/workload.h"

#include "common/schema/decode.h"
#include "common/schema/macros.h"

TYPE_ALPHA(reference, "TypedLocalObjectReference",
    STRING("apiGroup", AT(struct jr_local_ref, api_group)),
    STRING("kind", AT(struct jr_local_ref, kind)),
    STRING("name", AT(struct jr_local_ref, name)));

TYPE_ALPHA_WITH(group_template, "PodGroupTemplate", DECODED(struct jr_pod_group_template),
    STRING("name", AT(struct jr_pod_group_template, name)),
    ANY("schedulingPolicy", AT(struct jr_pod_group_template, policy)));

TYPE_ALPHA(workload_reference, "WorkloadPodGroupTemplateReference",
    STRING("workloadName", AT(struct jr_gang_object, workload_name)));

TYPE_ALPHA(group_template_reference, "PodGroupTemplateReference",
    STRUCT_PTR("workload", workload_reference, FLAT));

TYPE_ALPHA(gang_spec, "WorkloadSpec",
    STRUCT_PTR("controllerRef", reference, AT(struct jr_gang_object, controller_ref)),
    LIST("podGroupTemplates", group_template, AT(struct jr_gang_object, templates)),
    STRUCT_PTR("podGroupTemplateRef", group_template_reference, FLAT));

TYPE_ALPHA(gang_object, "Workload",
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_gang_object, meta)),
    STRUCT("spec", gang_spec, FLAT));

enum jr_status jr_gang_object_decode(struct jr_str text, struct jr_gang_object **ret,
                                     struct jr_error *err)
{
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = calloc(1, sizeof(*o));
    enum jr_status st;

    if (o == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "Workload or PodGroup");
    o->refs = 1;
    jr_arena_init(&o->arena, 0);
    st = jr_decode_lenient(text, &o->arena, true, jr_schema_decode, &gang_object, o, err);
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
