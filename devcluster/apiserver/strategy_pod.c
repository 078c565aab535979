/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: defaults and rules, as much of them as a test double needs. */
#include "common/base/memory.h"
#include "common/pod/defaults.h"
#include "common/pod/validate.h"
#include "common/schema/equal.h"
#include "devcluster/apiserver/strategy.h"

static const char *const container_lists[] = { "initContainers", "containers" };

/* Requests that are not given are the limits. */
static void requests_from_limits(struct jr_node *container)
{
    struct jr_node *resources = jr_get(container, "resources");
    const struct jr_node *limits = jr_get(resources, "limits");
    struct jr_node *requests;

    if (jr_size(limits) == 0)
        return;
    jr_must(jr_ensure_object(resources, "requests", &requests));
    for (const struct jr_node *l = jr_first(limits); l != NULL; l = jr_next(l)) {
        if (jr_getn(requests, jr_key(l)) == NULL)
            jr_must(jr_set_copy(requests, jr_key(l), l, NULL));
    }
}

static void pod_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    struct jr_node *spec = jr_get(root, "spec");

    jr_must(jr_ensure_object(root, "status", NULL));
    jr_dev_null_times(root, "lastProbeTime,lastTransitionTime");
    if (spec == NULL)
        return;
    jr_must(jr_pod_spec_default(spec, profile, NULL, NULL));
    if (jr_get(spec, "enableServiceLinks") == NULL)
        jr_must(jr_set_bool(spec, "enableServiceLinks", true));
    for (size_t i = 0; i < JR_ARRAY_SIZE(container_lists); i++) {
        for (struct jr_node *c = jr_first(jr_get(spec, container_lists[i])); c != NULL;
             c = jr_next(c))
            requests_from_limits(c);
    }
}

static const char *quality(const struct jr_node *spec)
{
    bool any = false, all = true;

    for (size_t i = 0; i < JR_ARRAY_SIZE(container_lists); i++) {
        for (const struct jr_node *c = jr_first(jr_get(spec, container_lists[i])); c != NULL;
             c = jr_next(c)) {
            const struct jr_node *requests = jr_path(c, "resources.requests");
            const struct jr_node *limits = jr_path(c, "resources.limits");

            any = any || jr_size(requests) > 0 || jr_size(limits) > 0;
            all = all && !jr_unset(jr_get(limits, "cpu")) && !jr_unset(jr_get(limits, "memory")) &&
                  jr_node_equal(requests, limits);
        }
    }
    return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
}

static void pod_create(struct jr_node *root)
{
    struct jr_node *status;

    jr_must(jr_set_object(root, "status", &status));
    jr_must(jr_set_str(status, "phase", JR_S("Pending")));
    jr_must(jr_set_str(status, "qosClass", jr_str(quality(jr_get(root, "spec")))));
}

/* Old kubelets corrupted owner references, so the status subresource doesn't touch them. */
static void pod_status(struct jr_node *root, const struct jr_node *old)
{
    struct jr_node *meta = jr_get(root, "metadata"), *status;

    jr_dev_take_over(root, old, "spec");
    jr_dev_take_over(meta, jr_get(old, "metadata"), "ownerReferences");
    jr_dev_take_over(meta, jr_get(old, "metadata"), "generation");
    jr_must(jr_ensure_object(root, "status", &status));
    if (jr_unset(jr_get(status, "qosClass")))
        jr_dev_take_over(status, jr_get(old, "status"), "qosClass");
}

/* What may be changed is made as it was. */
static void restore_mutable(struct jr_node *spec, const struct jr_node *old)
{
    static const char *const members[] = { "activeDeadlineSeconds", "tolerations",
                                           "terminationGracePeriodSeconds", "schedulingGates" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++)
        jr_dev_take_over(spec, old, members[i]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(container_lists); i++) {
        const struct jr_node *was = jr_first(jr_get(old, container_lists[i]));

        for (struct jr_node *c = jr_first(jr_get(spec, container_lists[i]));
             c != NULL && was != NULL; c = jr_next(c), was = jr_next(was))
            jr_dev_take_over(c, was, "image");
    }
}

static bool has_gate(const struct jr_node *gates, struct jr_str name)
{
    for (const struct jr_node *g = jr_first(gates); g != NULL; g = jr_next(g)) {
        if (jr_str_eq(jr_get_str(g, "name"), name))
            return true;
    }
    return false;
}

/* Scheduling gates are taken off, and never put on. */
static void check_gates(const struct jr_node *spec, const struct jr_node *old,
                        struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    const struct jr_field_path gates = JR_FIELD(&path, "schedulingGates");
    const struct jr_node *was = jr_get(old, "schedulingGates");
    size_t i = 0;

    for (const struct jr_node *g = jr_first(jr_get(spec, "schedulingGates")); g != NULL;
         g = jr_next(g), i++) {
        const struct jr_str name = jr_get_str(g, "name");
        const struct jr_field_path at = JR_FIELD_AT(&gates, i);

        if (!has_gate(was, name))
            jr_errlist_add(
                errs, JR_FE_FORBIDDEN, &JR_FIELD(&at, "name"), (struct jr_str){ NULL, 0 },
                "only deletion is allowed, but found new scheduling gate '%.*s'", JR_P(name));
    }
}

/* Of the spec of a Pod only little may be changed. */
static void check_unchanged(const struct jr_admission_request *r, struct jr_errlist *errs)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *spec = NULL;
    const struct jr_node *was = jr_get(r->old, "spec");

    jr_must(jr_doc_of(jr_get(r->object, "spec"), &spec));
    if (jr_size(jr_get(jr_doc_root(spec), "containers")) != jr_size(jr_get(was, "containers"))) {
        const struct jr_field_path path = JR_FIELD(NULL, "spec");

        jr_errlist_add(errs, JR_FE_FORBIDDEN, &JR_FIELD(&path, "containers"),
                       (struct jr_str){ NULL, 0 }, "pod updates may not add or remove containers");
        return;
    }
    check_gates(jr_doc_root(spec), was, errs);
    restore_mutable(jr_doc_root(spec), was);
    if (!jr_schema_equal(&jr_schema_pod, "spec", jr_doc_root(spec), was))
        jr_errlist_add(
            errs, JR_FE_FORBIDDEN, &JR_FIELD(NULL, "spec"), (struct jr_str){ NULL, 0 }, "%s",
            "pod updates may not change fields other than "
            "`spec.containers[*].image`,`spec.initContainers[*].image`,"
            "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
            "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 "
            "if it was previously negative)");
}

static void pod_validate(const struct jr_admission_request *r, struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    const struct jr_node *spec = jr_get(r->object, "spec");
    const struct jr_pod_opts opts = jr_pod_opts_of(r->object, NULL, r->profile);

    if (r->operation == JR_ADMISSION_STATUS)
        return;
    jr_pod_containers_validate(spec, &opts, &path, errs);
    if (r->operation == JR_ADMISSION_UPDATE)
        check_unchanged(r, errs);
}

const struct jr_dev_strategy jr_dev_pod_strategy = {
    .defaults = pod_defaults,
    .prepare_create = pod_create,
    .prepare_status = pod_status,
    .validate = pod_validate,
};
