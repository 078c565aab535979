/* SPDX-License-Identifier: Apache-2.0 */
/* Drops the fields of a Pod template whose gates are off, as the API server does. */
#include "common/pod/prepare.h"

#include "common/pod/fields.h"
#include "common/pod/pod_parts.h"
#include "common/pod/walk.h"
#include "common/schema/drop_disabled.h"

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

static bool has_sidecars(const struct jr_node *spec)
{
    JR_EACH(c, jr_get(spec, "initContainers")) {
        if (jr_container_is_sidecar(c))
            return true;
    }
    return false;
}

static void drop_empty_lifecycle(struct jr_node *container, const struct jr_node *lifecycle)
{
    if (jr_unset(jr_get(lifecycle, "postStart")) && jr_unset(jr_get(lifecycle, "preStop")) &&
        jr_unset(jr_get(lifecycle, "stopSignal")))
        jr_remove(container, JR_S("lifecycle"), NULL);
}

static void drop_stop_signals(struct jr_node *spec)
{
    struct jr_node *c = NULL;
    size_t lists = 0;

    while ((c = jr_container_after(spec, c, &lists)) != NULL) {
        struct jr_node *lifecycle = jr_get(c, "lifecycle");

        if (jr_unset(jr_get(lifecycle, "stopSignal")))
            continue;
        jr_remove(lifecycle, JR_S("stopSignal"), NULL);
        drop_empty_lifecycle(c, lifecycle);
    }
}

static bool has_sleeps(const struct jr_node *spec)
{
    return jr_pod_has(spec, "*.lifecycle.preStop.sleep") ||
           jr_pod_has(spec, "*.lifecycle.postStart.sleep");
}

/** A handler that only slept goes as a whole. */
static void drop_sleep(struct jr_node *lifecycle, const char *event)
{
    struct jr_node *handler = jr_get(lifecycle, event);

    if (jr_unset(jr_get(handler, "sleep")))
        return;
    jr_remove(handler, JR_S("sleep"), NULL);
    if (jr_unset(jr_get(handler, "exec")) && jr_unset(jr_get(handler, "httpGet")) &&
        jr_unset(jr_get(handler, "tcpSocket")))
        jr_remove(lifecycle, jr_str(event), NULL);
}

static void drop_sleeps(struct jr_node *spec)
{
    struct jr_node *c = NULL;
    size_t lists = 0;

    while ((c = jr_container_after(spec, c, &lists)) != NULL) {
        struct jr_node *lifecycle = jr_get(c, "lifecycle");

        if (jr_unset(lifecycle))
            continue;
        drop_sleep(lifecycle, "preStop");
        drop_sleep(lifecycle, "postStart");
        drop_empty_lifecycle(c, lifecycle);
    }
}

/* ---- volumes ---- */

static void drop_mounts_of(struct jr_node *spec, struct jr_str volume)
{
    struct jr_node *c = NULL;
    size_t lists = 0;

    while ((c = jr_container_after(spec, c, &lists)) != NULL) {
        struct jr_node *mounts = jr_get(c, "volumeMounts"), *next;

        for (struct jr_node *m = jr_first(mounts); m != NULL; m = next) {
            next = jr_next(m);
            if (jr_str_eq(jr_get_str(m, "name"), volume))
                jr_remove_child(mounts, m);
        }
    }
}

/** Volumes of images go as a whole, and what mounts them. */
static void drop_image_volumes(struct jr_node *spec)
{
    struct jr_node *volumes = jr_get(spec, "volumes"), *next;

    for (struct jr_node *v = jr_first(volumes); v != NULL; v = next) {
        next = jr_next(v);
        if (jr_unset(jr_get(v, "image")))
            continue;
        drop_mounts_of(spec, jr_get_str(v, "name"));
        jr_remove_child(volumes, v);
    }
}

/* ---- securityContext ---- */

static bool has_proc_mounts(const struct jr_node *spec)
{
    struct jr_container_walk w = { .pod = spec };

    while (jr_container_next(&w)) {
        const struct jr_node *mount = jr_path(w.container, "securityContext.procMount");

        if (!jr_unset(mount) && !jr_str_is(jr_node_str(mount), "Default"))
            return true;
    }
    return false;
}

/** A member of old has been forced to it, too, so that nothing differs. */
static enum jr_status force_proc_mounts(struct jr_node *spec)
{
    struct jr_node *c = NULL;
    size_t lists = 0;
    enum jr_status st = JR_OK;

    while (st == JR_OK && (c = jr_container_after(spec, c, &lists)) != NULL) {
        struct jr_node *mount = jr_path(c, "securityContext.procMount");

        if (!jr_unset(mount))
            st = jr_node_assign_str(mount, JR_S("Default"));
    }
    return st;
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

enum jr_status jr_pod_template_prepare(struct jr_node *template, const struct jr_node *old,
                                       const struct jr_profile *profile)
{
    const bool *on = profile->gates;
    struct jr_node *spec = jr_get(template, "spec");
    const struct jr_node *old_spec = jr_get(old, "spec");

    drop_init_annotations(jr_path(template, "metadata.annotations"));
    if (jr_node_kind(spec) != JR_OBJECT)
        return JR_OK;
    jr_schema_drop_gated(&jr_schema_pod_template_spec, template, old, profile);
    if (!on[JR_GATE_PodLevelResources])
        drop_resources(spec, old_spec);
    if (!on[JR_GATE_ContainerRestartRules] &&
        jr_kube_has(profile->version, JR_CHANGE_RESTART_RULES_DROPPED) &&
        !jr_pod_has_restart_rules(old_spec))
        drop_restart_rules(spec);
    if (!on[JR_GATE_SidecarContainers] && !has_sidecars(old_spec))
        jr_pod_drop(spec, "initContainers[].restartPolicy");
    if (!on[JR_GATE_PodLifecycleSleepAction] && !has_sleeps(old_spec))
        drop_sleeps(spec);
    if (!on[JR_GATE_ContainerStopSignals] && !jr_pod_has(old_spec, "*.lifecycle.stopSignal"))
        drop_stop_signals(spec);
    if (!on[JR_GATE_ImageVolume] && !jr_pod_has(old_spec, "volumes[].image"))
        drop_image_volumes(spec);
    if (!on[JR_GATE_DynamicResourceAllocation] && !jr_pod_has(old_spec, "resourceClaims[]")) {
        jr_pod_drop(spec, "resourceClaims");
        jr_pod_drop(spec, "*.resources.claims");
    }
    if (!on[JR_GATE_ProcMountType] && !has_proc_mounts(old_spec))
        return force_proc_mounts(spec);
    return JR_OK;
}
