/* Pods: defaults and rules, as much of them as a test double needs. */
#include "common/pod/defaults.h"
#include "common/pod/validate.h"
#include "common/schema/equal.h"
#include "devcluster/apiserver/strategy.h"

/* Requests that are not given are the limits. */
static enum jr_status requests_from_limits(struct jr_node *container)
{
    struct jr_node *resources = jr_get(container, "resources");
    const struct jr_node *limits = jr_get(resources, "limits");
    struct jr_node *requests;
    enum jr_status st;

    if (jr_node_kind(limits) != JR_OBJECT || jr_size(limits) == 0)
        return JR_OK;
    st = jr_ensure_object(resources, "requests", &requests);
    for (const struct jr_node *l = jr_first(limits); l != NULL && st == JR_OK; l = jr_next(l)) {
        if (jr_getn(requests, jr_key(l)) == NULL)
            st = jr_set_copy(requests, jr_key(l), l, NULL);
    }
    return st == JR_TYPE ? JR_OK : st;
}

static enum jr_status pod_defaults(struct jr_node *root, const struct jr_profile *profile)
{
    static const char *const lists[] = { "initContainers", "containers" };
    static const char *const times[] = { "lastProbeTime", "lastTransitionTime" };
    struct jr_node *spec = jr_get(root, "spec");
    enum jr_status st = JR_OK;

    (void)profile;
    if (jr_unset(jr_get(root, "status")))
        st = jr_set_object(root, "status", NULL);
    if (st == JR_OK)
        st = jr_dev_null_times(root, times, JR_ARRAY_SIZE(times));
    if (jr_node_kind(spec) != JR_OBJECT)
        return st;
    if (st == JR_OK)
        st = jr_pod_spec_default(spec, NULL, NULL);
    if (st == JR_OK && jr_unset(jr_get(spec, "enableServiceLinks")))
        st = jr_set_bool(spec, "enableServiceLinks", true);
    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        for (struct jr_node *c = jr_first(jr_get(spec, lists[i])); c != NULL && st == JR_OK;
             c = jr_next(c))
            st = requests_from_limits(c);
    }
    return st;
}

static const char *quality(const struct jr_node *spec)
{
    static const char *const lists[] = { "initContainers", "containers" };
    bool any = false, all = true;

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        for (const struct jr_node *c = jr_first(jr_get(spec, lists[i])); c != NULL;
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

static enum jr_status pod_create(struct jr_node *root, const struct jr_profile *profile)
{
    struct jr_node *status;
    enum jr_status st = jr_set_object(root, "status", &status);

    (void)profile;
    if (st == JR_OK)
        st = jr_set_str(status, "phase", JR_S("Pending"));
    if (st == JR_OK)
        st = jr_set_str(status, "qosClass", jr_str(quality(jr_get(root, "spec"))));
    return st;
}

/* Old kubelets corrupted owner references, so the status subresource doesn't touch them. */
static enum jr_status pod_status(struct jr_node *root, const struct jr_node *old)
{
    const struct jr_node *was = jr_get(old, "status");
    struct jr_node *meta, *status;
    enum jr_status st = jr_dev_take_over(root, old, "spec");

    if (st == JR_OK)
        st = jr_ensure_object(root, "metadata", &meta);
    if (st == JR_OK)
        st = jr_dev_take_over(meta, jr_get(old, "metadata"), "ownerReferences");
    if (st == JR_OK)
        st = jr_dev_take_over(meta, jr_get(old, "metadata"), "generation");
    if (st == JR_OK)
        st = jr_ensure_object(root, "status", &status);
    if (st == JR_OK && jr_unset(jr_get(status, "qosClass")) && !jr_unset(jr_get(was, "qosClass")))
        st = jr_dev_take_over(status, was, "qosClass");
    return st;
}

/* What may be changed is made as it was. */
static enum jr_status restore_mutable(struct jr_node *spec, const struct jr_node *old)
{
    static const char *const lists[] = { "initContainers", "containers" };
    static const char *const members[] = { "activeDeadlineSeconds", "tolerations",
                                           "terminationGracePeriodSeconds" };
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < JR_ARRAY_SIZE(members) && st == JR_OK; i++)
        st = jr_dev_take_over(spec, old, members[i]);
    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        const struct jr_node *was = jr_first(jr_get(old, lists[i]));

        for (struct jr_node *c = jr_first(jr_get(spec, lists[i]));
             c != NULL && was != NULL && st == JR_OK; c = jr_next(c), was = jr_next(was))
            st = jr_dev_take_over(c, was, "image");
    }
    return st;
}

/* Of the spec of a Pod only little may be changed. */
static enum jr_status check_unchanged(const struct jr_admission_request *r, struct jr_errlist *errs)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *spec = NULL;
    const struct jr_node *was = jr_get(r->old, "spec");
    enum jr_status st = jr_doc_of(jr_get(r->object, "spec"), &spec);

    if (st != JR_OK)
        return st;
    if (jr_size(jr_get(jr_doc_root(spec), "containers")) != jr_size(jr_get(was, "containers"))) {
        const struct jr_field_path path = JR_FIELD(NULL, "spec");

        jr_errlist_add(errs, JR_FE_FORBIDDEN, &JR_FIELD(&path, "containers"),
                       (struct jr_str){ NULL, 0 }, "pod updates may not add or remove containers");
        return JR_OK;
    }
    st = restore_mutable(jr_doc_root(spec), was);
    if (st == JR_OK && !jr_schema_equal(&jr_schema_pod, "spec", jr_doc_root(spec), was))
        jr_errlist_add(
            errs, JR_FE_FORBIDDEN, &JR_FIELD(NULL, "spec"), (struct jr_str){ NULL, 0 }, "%s",
            "pod updates may not change fields other than "
            "`spec.containers[*].image`,`spec.initContainers[*].image`,"
            "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
            "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 "
            "if it was previously negative)");
    return st;
}

static enum jr_status pod_validate(const struct jr_admission_request *r,
                                   struct jr_admission_result *ret)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    const struct jr_node *spec = jr_get(r->object, "spec");
    const struct jr_pod_opts opts = jr_pod_opts_of(r->object, NULL, r->profile);

    if (r->operation == JR_ADMISSION_STATUS)
        return JR_OK;
    jr_pod_containers_validate(spec, &opts, &path, &ret->errs);
    return r->operation == JR_ADMISSION_UPDATE ? check_unchanged(r, &ret->errs) : JR_OK;
}

const struct jr_dev_strategy jr_dev_pod_strategy = {
    .defaults = pod_defaults,
    .prepare_create = pod_create,
    .prepare_status = pod_status,
    .validate = pod_validate,
};
