/* Drops the fields of a Pod template whose gates are off, as the API server does. */
#include "common/pod/prepare.h"

#include "common/pod/fields.h"
#include "common/pod/pod_parts.h"
#include "common/schema/gates.h"

/* A Pod's own: only what sets something counts as use. */
static void drop_resources(struct jr_node *spec, const struct jr_node *old)
{
    if (!jr_pod_has(old, "resources.requests[]") && !jr_pod_has(old, "resources.limits[]"))
        jr_pod_drop(spec, "resources");
}

/* ---- fields that go with others ---- */

/** A policy of an init container that is no sidecar. */
static bool is_new_policy(const struct jr_node *init)
{
    const struct jr_node *policy = jr_get(init, "restartPolicy");

    return !jr_unset(policy) && !jr_str_is(jr_node_str(policy), "Always");
}

bool jr_pod_has_restart_rules(const struct jr_node *spec)
{
    JR_EACH(c, jr_get(spec, "initContainers")) {
        if (is_new_policy(c))
            return true;
    }
    return jr_pod_has(spec, "initContainers[].restartPolicyRules[]") ||
           jr_pod_has(spec, "containers[].restartPolicy");
}

static void drop_restart_rules(struct jr_node *spec)
{
    for (struct jr_node *c = jr_first(jr_get(spec, "initContainers")); c != NULL; c = jr_next(c)) {
        if (is_new_policy(c))
            jr_remove(c, JR_S("restartPolicy"), NULL);
    }
    jr_pod_drop(spec, "containers[].restartPolicy");
    jr_pod_drop(spec, "ephemeralContainers[].restartPolicy");
    jr_pod_drop(spec, "*.restartPolicyRules");
}

static void drop_stop_signals(struct jr_node *spec)
{
    static const char *const lists[] = { "initContainers", "containers", "ephemeralContainers" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        for (struct jr_node *c = jr_first(jr_get(spec, lists[i])); c != NULL; c = jr_next(c)) {
            struct jr_node *lifecycle = jr_get(c, "lifecycle");

            if (jr_unset(jr_get(lifecycle, "stopSignal")))
                continue;
            jr_remove(lifecycle, JR_S("stopSignal"), NULL);
            if (jr_unset(jr_get(lifecycle, "postStart")) && jr_unset(jr_get(lifecycle, "preStop")))
                jr_remove(c, JR_S("lifecycle"), NULL);
        }
    }
}

/* ---- the template ---- */

/** Where init containers were before they had a field. */
static void drop_init_annotations(struct jr_node *annotations)
{
    static const char *const keys[] = { "pod.beta.kubernetes.io/init-containers",
                                        "pod.alpha.kubernetes.io/init-containers",
                                        "pod.beta.kubernetes.io/init-container-statuses",
                                        "pod.alpha.kubernetes.io/init-container-statuses" };

    if (jr_node_kind(annotations) != JR_OBJECT)
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(keys); i++)
        jr_remove(annotations, jr_str(keys[i]), NULL);
}

void jr_pod_template_prepare(struct jr_node *template, const struct jr_node *old,
                             const struct jr_profile *profile)
{
    struct jr_node *spec = jr_get(template, "spec");
    const struct jr_node *old_spec = jr_get(old, "spec");

    drop_init_annotations(jr_path(template, "metadata.annotations"));
    if (jr_node_kind(spec) != JR_OBJECT)
        return;
    jr_schema_drop_gated(&jr_schema_pod_template_spec, template, old, profile);
    if (!profile->gates[JR_GATE_PodLevelResources])
        drop_resources(spec, old_spec);
    if (!profile->gates[JR_GATE_ContainerRestartRules] && !jr_pod_has_restart_rules(old_spec))
        drop_restart_rules(spec);
    if (!profile->gates[JR_GATE_ContainerStopSignals] &&
        !jr_pod_has(old_spec, "*.lifecycle.stopSignal"))
        drop_stop_signals(spec);
}
