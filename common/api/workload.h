/* SPDX-License-Identifier: Apache-2.0 */
/* scheduling.k8s.io Workload and PodGroup, as much of them as the Job controller reads: v1alpha2 of
 * Kubernetes 1.36 (KEP-4671) and v1beta1 of 1.37 (KEP-5547). */
#ifndef JR_API_WORKLOAD_H
#define JR_API_WORKLOAD_H

#include "common/api/meta.h"

#define JR_SCHEDULING_GROUP "scheduling.k8s.io"
/** Versions of the API group, later ones last. */
enum jr_scheduling_api { JR_SCHEDULING_NONE, JR_SCHEDULING_V1ALPHA2, JR_SCHEDULING_V1BETA1 };
#define JR_SCHEDULING_APIS (JR_SCHEDULING_V1BETA1 + 1)
/** "scheduling.k8s.io/v1beta1"; NULL of JR_SCHEDULING_NONE. */
const char *jr_scheduling_api_version(enum jr_scheduling_api api);
/** "/apis/scheduling.k8s.io/v1beta1" */
const char *jr_scheduling_api_path(enum jr_scheduling_api api);

/** One of a Workload's spec.podGroupTemplates. Blocks are source texts; {NULL, 0} = absent. */
struct jr_pod_group_template {
    struct jr_str name;
    struct jr_str policy;      /* schedulingPolicy */
    struct jr_str constraints; /* schedulingConstraints */
    struct jr_str claims;      /* resourceClaims */
    struct jr_str disruption;  /* disruptionMode */
    struct jr_str priority_class;
    struct jr_opt_i32 priority;
};
/** gang.minCount of a schedulingPolicy's text; unset where there is none. */
struct jr_opt_i32 jr_gang_min_count(struct jr_str policy);

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
    /* Of a PodGroup: spec.podGroupTemplateRef.workload.workloadName of v1alpha2,
     * spec.workloadRef.workloadName of v1beta1; and schedulingPolicy's source text. */
    struct jr_str workload_name;
    struct jr_str policy;
};

/** Decodes one object; text may go away afterwards. Errors: JR_SYNTAX, JR_TYPE, JR_RANGE with the
 * field path, JR_NOMEM. The caller owns one reference. */
enum jr_status jr_gang_object_decode(struct jr_str text, struct jr_gang_object **ret,
                                     struct jr_error *err) JR_MUST_USE;
struct jr_gang_object *jr_gang_object_ref(const struct jr_gang_object *o);
void jr_gang_object_unref(struct jr_gang_object *o);
JR_DEFINE_CLEANUP(struct jr_gang_object *, jr_gang_object_unref)

#endif
