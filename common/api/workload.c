/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads and PodGroups from text, of either version: each passes over what the other one has. */
#include "common/api/workload.h"

#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

TYPE_ALPHA(reference, "TypedLocalObjectReference",
    STRING("apiGroup", AT(struct jr_local_ref, api_group)),
    STRING("kind", AT(struct jr_local_ref, kind)),
    STRING("name", AT(struct jr_local_ref, name)));

TYPE_ALPHA_WITH(group_template, "PodGroupTemplate", DECODED(struct jr_pod_group_template),
    STRING("name", AT(struct jr_pod_group_template, name)),
    ANY("schedulingPolicy", AT(struct jr_pod_group_template, policy)),
    ANY("schedulingConstraints", AT(struct jr_pod_group_template, constraints)),
    ANY("resourceClaims", AT(struct jr_pod_group_template, claims)),
    ANY("disruptionMode", AT(struct jr_pod_group_template, disruption)),
    STRING("priorityClassName", AT(struct jr_pod_group_template, priority_class)),
    INT32_PTR("priority", AT(struct jr_pod_group_template, priority)));

TYPE_ALPHA(workload_reference, "WorkloadPodGroupTemplateReference",
    STRING("workloadName", AT(struct jr_gang_object, workload_name)));

TYPE_ALPHA(group_template_reference, "PodGroupTemplateReference",
    STRUCT_PTR("workload", workload_reference, FLAT));

TYPE_ALPHA(gang_spec, "WorkloadSpec",
    STRUCT_PTR("controllerRef", reference, AT(struct jr_gang_object, controller_ref)),
    LIST("podGroupTemplates", group_template, AT(struct jr_gang_object, templates)),
    STRUCT_PTR("podGroupTemplateRef", group_template_reference, FLAT),
    STRUCT_PTR("workloadRef", workload_reference, FLAT),
    ANY("schedulingPolicy", AT(struct jr_gang_object, policy)));

TYPE_ALPHA(gang_object, "Workload",
    STRUCT("metadata", jr_schema_object_meta, AT(struct jr_gang_object, meta)),
    STRUCT("spec", gang_spec, FLAT));

static const char *const paths[JR_SCHEDULING_APIS] = {
    [JR_SCHEDULING_V1ALPHA2] = "/apis/" JR_SCHEDULING_GROUP "/v1alpha2",
    [JR_SCHEDULING_V1BETA1] = "/apis/" JR_SCHEDULING_GROUP "/v1beta1",
};

const char *jr_scheduling_api_path(enum jr_scheduling_api api)
{
    return paths[api];
}

const char *jr_scheduling_api_version(enum jr_scheduling_api api)
{
    return paths[api] == NULL ? NULL : paths[api] + strlen("/apis/");
}

struct jr_opt_i32 jr_gang_min_count(struct jr_str policy)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    int64_t v;

    if (policy.n == 0 || jr_need(jr_doc_parse(policy, &JR_READER_LENIENT, &doc, NULL)) != JR_OK ||
        jr_node_i64(jr_path(jr_doc_root_const(doc), "gang.minCount"), &v) != JR_OK ||
        v < INT32_MIN || v > INT32_MAX)
        return (struct jr_opt_i32){ .set = false };
    return JR_I32((int32_t)v);
}

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
