/* scheduling.k8s.io/v1alpha2 Workload and PodGroup, as much of them as the Job controller reads
 * (KEP-4671). */
#ifndef JR_API_WORKLOAD_H
#define JR_API_WORKLOAD_H

#include "common/api/meta.h"

#define JR_SCHEDULING_API "scheduling.k8s.io/v1alpha2"

/** One of a Workload's spec.podGroupTemplates. */
struct jr_pod_group_template {
    struct jr_str name;
    struct jr_str policy; /* schedulingPolicy's source text; {NULL, 0} = absent */
};

/** A Workload's spec.controllerRef. */
struct jr_local_ref {
    bool set;
    struct jr_str api_group;
    struct jr_str kind;
    struct jr_str name;
};

/** A Workload or a PodGroup; immutable and counted. All of it lives in one arena with it. Not
 * thread-safe. */
struct jr_gang_object {
    unsigned refs;
    struct jr_arena arena;
    struct jr_meta meta;
    /* Of a Workload. */
    struct jr_local_ref controller_ref;
    struct {
        struct jr_pod_group_template *v;
        size_t n;
    } templates;
    /* Of a PodGroup: spec.podGroupTemplateRef.workload.workloadName. */
    struct jr_str workload_name;
};

/** Decodes one object; text may go away afterwards. Errors: JR_SYNTAX, JR_TYPE, JR_RANGE with the
 * field path, JR_NOMEM. The caller owns one reference. */
enum jr_status jr_gang_object_decode(struct jr_str text, struct jr_gang_object **ret,
                                     struct jr_error *err) JR_MUST_USE;
struct jr_gang_object *jr_gang_object_ref(const struct jr_gang_object *o);
void jr_gang_object_unref(struct jr_gang_object *o);
static inline void jr_gang_object_unrefp(struct jr_gang_object **o)
{
    jr_gang_object_unref(*o);
}

#endif
