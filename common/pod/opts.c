/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules are looser for an update, as the existing object violates them already. */
#include "common/pod/annotations.h"
#include "common/pod/fields.h"
#include "common/pod/host.h"
#include "common/pod/pod_parts.h"
#include "common/pod/selector.h"
#include "common/pod/walk.h"

/* ---- faults that an old object may keep ---- */

/** Validates something of the old object by today's rule. */
typedef void check_fn(const struct jr_node *spec, struct jr_errlist *errs);

/** Whether the rule is violated. Without memory *failed says so. */
static bool is_violated(const struct jr_node *spec, check_fn *validate, enum jr_status *failed)
{
    JR_ARENA arena = { 0 };
    struct jr_errlist errs;

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    validate(spec, &errs);
    if (errs.failed == JR_NOMEM)
        *failed = JR_NOMEM;
    return errs.n > 0;
}

static void check_term(const struct jr_node *term, struct jr_errlist *errs)
{
    jr_pod_check_selector(jr_get(term, "labelSelector"), false, NULL, errs);
    jr_pod_check_selector(jr_get(term, "namespaceSelector"), false, NULL, errs);
}

static void check_affinity(const struct jr_node *spec, struct jr_errlist *errs)
{
    static const char *const kinds[] = { "podAffinity", "podAntiAffinity" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        const struct jr_node *of = jr_get(jr_get(spec, "affinity"), kinds[i]);

        JR_EACH(t, jr_get(of, "requiredDuringSchedulingIgnoredDuringExecution"))
            check_term(t, errs);
        JR_EACH(t, jr_get(of, "preferredDuringSchedulingIgnoredDuringExecution"))
            check_term(jr_get(t, "podAffinityTerm"), errs);
    }
}

static const struct jr_node *first_constraint(const struct jr_node *spec)
{
    return jr_first(jr_get(spec, "topologySpreadConstraints"));
}

static void check_spread_selectors(const struct jr_node *spec, struct jr_errlist *errs)
{
    for (const struct jr_node *c = first_constraint(spec); c != NULL; c = jr_next(c))
        jr_pod_check_selector(jr_get(c, "labelSelector"), false, NULL, errs);
}

static void check_match_keys(const struct jr_node *spec, struct jr_errlist *errs)
{
    for (const struct jr_node *c = first_constraint(spec); c != NULL; c = jr_next(c))
        jr_pod_check_match_keys(jr_get(c, "matchLabelKeys"), NULL, jr_get(c, "labelSelector"), NULL,
                                errs);
}

static void check_match_keys_early(const struct jr_node *spec, struct jr_errlist *errs)
{
    for (const struct jr_node *c = first_constraint(spec); c != NULL; c = jr_next(c))
        jr_pod_check_match_keys_early(jr_get(c, "matchLabelKeys"), jr_get(c, "labelSelector"), NULL,
                                      errs);
}

static bool has_bad_node_values(const struct jr_node *spec)
{
    const struct jr_node *terms =
        jr_path(spec, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                      "nodeSelectorTerms");

    JR_EACH(t, terms) {
        JR_EACH(r, jr_get(t, "matchExpressions")) {
            JR_EACH(v, jr_get(r, "values")) {
                if (jr_name_label_value(jr_node_str(v)).n > 0)
                    return true;
            }
        }
    }
    return false;
}

static bool has_bad_hugepages(const struct jr_node *spec, struct jr_kube_version version)
{
    const struct jr_node *own = jr_get(spec, "resources");
    struct jr_container_walk w = { .pod = spec };

    while (jr_container_next(&w)) {
        const struct jr_node *resources = jr_get(w.container, "resources");

        if (jr_pod_has_bad_hugepages(jr_get(resources, "limits"), version) ||
            jr_pod_has_bad_hugepages(jr_get(resources, "requests"), version))
            return true;
    }
    if (jr_kube_has(version, JR_CHANGE_WHOLE_QUANTITIES_EXACT) &&
        (jr_pod_has_bad_hugepages(jr_get(own, "limits"), version) ||
         jr_pod_has_bad_hugepages(jr_get(own, "requests"), version)))
        return true;
    return jr_pod_has_bad_hugepages(jr_get(spec, "overhead"), version);
}

/** A token's path that isn't below the volume, or looks as if it weren't. */
static bool has_foreign_token_path(const struct jr_node *spec)
{
    JR_EACH(v, jr_get(spec, "volumes")) {
        JR_EACH(s, jr_path(v, "projected.sources")) {
            const struct jr_str path = jr_get_str(jr_get(s, "serviceAccountToken"), "path");

            if (jr_name_descending_path(path).n > 0 || jr_str_starts(path, JR_S("..")))
                return true;
        }
    }
    return false;
}

static bool has_host_sysctls(const struct jr_node *spec)
{
    const bool ipc = jr_node_bool_or(jr_get(spec, "hostIPC"), false);

    JR_EACH(s, jr_path(spec, "securityContext.sysctls")) {
        const enum jr_namespace in = jr_pod_sysctl_namespace(jr_get_str(s, "name"));

        if ((in == JR_NAMESPACE_NET && jr_pod_host_network(spec)) ||
            (in == JR_NAMESPACE_IPC && ipc))
            return true;
    }
    return false;
}

static bool has_relaxed_env_names(const struct jr_node *spec)
{
    struct jr_container_walk w = { .pod = spec };

    while (jr_container_next(&w)) {
        JR_EACH(e, jr_get(w.container, "env")) {
            if (jr_name_env_narrow(jr_get_str(e, "name")).n > 0)
                return true;
        }
        JR_EACH(f, jr_get(w.container, "envFrom")) {
            const struct jr_str prefix = jr_get_str(f, "prefix");

            if (prefix.n > 0 && jr_name_env_narrow(prefix).n > 0)
                return true;
        }
    }
    return false;
}

static bool has_relaxed_searches(const struct jr_node *spec)
{
    JR_EACH(s, jr_path(spec, "dnsConfig.searches")) {
        if (jr_str_is(jr_node_str(s), ".") || jr_str_find(jr_node_str(s), '_') >= 0)
            return true;
    }
    return false;
}

static bool sleeps_not_at_all(const struct jr_node *spec)
{
    static const char *const hooks[] = { "postStart", "preStop" };
    struct jr_container_walk w = { .pod = spec };

    while (jr_container_next(&w)) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(hooks); i++) {
            const struct jr_node *sleep =
                jr_get(jr_get(jr_get(w.container, "lifecycle"), hooks[i]), "sleep");

            if (!jr_unset(sleep) && jr_node_i64_or(jr_get(sleep, "seconds"), 0) == 0)
                return true;
        }
    }
    return false;
}

static bool has_nameless_image(const struct jr_node *spec)
{
    JR_EACH(v, jr_get(spec, "volumes")) {
        const struct jr_node *image = jr_get(v, "image");

        if (!jr_unset(image) && jr_get_str(image, "reference").n == 0)
            return true;
    }
    return false;
}

/* ---- fields whose gate is off, that an old object may keep ---- */

static bool compares_tolerations(const struct jr_node *spec)
{
    JR_EACH(t, jr_get(spec, "tolerations")) {
        const struct jr_str op = jr_get_str(t, "operator");

        if (jr_str_is(op, "Lt") || jr_str_is(op, "Gt"))
            return true;
    }
    return false;
}

static bool restarts_all(const struct jr_node *spec)
{
    static const char *const lists[] = { "containers", "initContainers" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        JR_EACH(c, jr_get(spec, lists[i])) {
            const struct jr_node *rules = jr_get(c, "restartPolicyRules");

            JR_EACH(r, rules) {
                if (jr_str_is(jr_get_str(r, "action"), "RestartAllContainers"))
                    return true;
            }
            /* rules on sidecars came with the same gate */
            if (i == 1 && jr_size(rules) > 0 && jr_container_is_sidecar(c))
                return true;
        }
    }
    return false;
}

static bool has_init_resize_policy(const struct jr_node *spec)
{
    JR_EACH(c, jr_get(spec, "initContainers")) {
        if (jr_container_is_sidecar(c))
            continue;
        JR_EACH(r, jr_get(c, "resizePolicy")) {
            if (jr_str_is(jr_get_str(r, "restartPolicy"), "RestartContainer"))
                return true;
        }
    }
    return false;
}

static bool has_sidecar_resize_policy(const struct jr_node *spec)
{
    JR_EACH(c, jr_get(spec, "initContainers")) {
        if (jr_container_is_sidecar(c) && jr_size(jr_get(c, "resizePolicy")) > 0)
            return true;
    }
    return false;
}

static bool is_oci_profile(const struct jr_node *context)
{
    return jr_str_is(jr_get_str(jr_get(context, "seccompProfile"), "type"), "OCI");
}

static bool has_oci_profile(const struct jr_node *spec)
{
    struct jr_container_walk w = { .pod = spec };

    while (jr_container_next(&w)) {
        if (is_oci_profile(jr_get(w.container, "securityContext")))
            return true;
    }
    return is_oci_profile(jr_get(spec, "securityContext"));
}

static bool has_ml_dsa_key(const struct jr_node *spec)
{
    JR_EACH(v, jr_get(spec, "volumes")) {
        JR_EACH(s, jr_path(v, "projected.sources")) {
            if (jr_one_of(jr_get_str(jr_get(s, "podCertificate"), "keyType"), jr_ml_dsa_keys))
                return true;
        }
    }
    return false;
}

/* ---- the options ---- */

static struct jr_pod_opts opts_of_gates(const struct jr_profile *profile)
{
    const bool newer = jr_kube_has(profile->version, JR_CHANGE_OCI_AND_ML_DSA);
    const bool *on = profile->gates;

    return (struct jr_pod_opts){
        .init_resize_policy = on[JR_GATE_InPlacePodVerticalScaling] &&
                              jr_kube_has(profile->version, JR_CHANGE_INIT_RESIZE_POLICY),
        .any_deletion_cost = !on[JR_GATE_PodDeletionCost],
        .strict_ips = on[JR_GATE_StrictIPCIDRValidation],
        .pod_level_resources = on[JR_GATE_PodLevelResources],
        .spread_match_keys = on[JR_GATE_MatchLabelKeysInPodTopologySpread],
        .spread_match_keys_merge = on[JR_GATE_MatchLabelKeysInPodTopologySpreadSelectorMerge],
        .container_restart_rules = on[JR_GATE_ContainerRestartRules],
        .restart_all_containers = on[JR_GATE_RestartAllContainersOnContainerExits],
        .stop_signals = on[JR_GATE_ContainerStopSignals],
        .env_files = on[JR_GATE_EnvFiles],
        .user_ns_host_network = on[JR_GATE_UserNamespacesHostNetworkSupport],
        .selinux_recursive_only = !on[JR_GATE_SELinuxMount],
        .toleration_comparisons = on[JR_GATE_TaintTolerationComparisonOperators],
        .narrow_env_names = !on[JR_GATE_RelaxedEnvironmentVariableValidation],
        .narrow_dns_searches = !on[JR_GATE_RelaxedDNSSearchValidation],
        .no_image_volumes = !on[JR_GATE_ImageVolume] &&
                            !jr_kube_has(profile->version, JR_CHANGE_IMAGE_VOLUMES_VALIDATED),
        .any_attributes_class = !on[JR_GATE_VolumeAttributesClass],
        .oci_profiles = newer && on[JR_GATE_SecurityProfileOCI],
        .ml_dsa_keys = newer && on[JR_GATE_PodCertificateMLDSA],
        .positive_sleep = !on[JR_GATE_PodLifecycleSleepActionAllowZero],
        .node_affinity_any_values =
            !jr_kube_has(profile->version, JR_CHANGE_NODE_AFFINITY_VALUES_CHECKED),
    };
}

/** What the old object has, the new one may have. */
static void keep_old(const struct jr_node *spec, const struct jr_profile *profile,
                     struct jr_pod_opts *o)
{
    o->affinity_any_values = is_violated(spec, check_affinity, &o->failed);
    o->node_affinity_any_values |= has_bad_node_values(spec);
    o->spread_any_selector = is_violated(spec, check_spread_selectors, &o->failed);
    if (o->spread_match_keys && o->spread_match_keys_merge)
        o->old_match_keys_violated = is_violated(spec, check_match_keys, &o->failed);
    else if (o->spread_match_keys)
        o->old_match_keys_violated_early = is_violated(spec, check_match_keys_early, &o->failed);
    o->indivisible_huge_pages = has_bad_hugepages(spec, profile->version);
    o->non_local_token_path = has_foreign_token_path(spec);
    o->host_sysctls = has_host_sysctls(spec);
    o->init_resize_policy |= jr_kube_has(profile->version, JR_CHANGE_INIT_RESIZE_POLICY_KEPT) &&
                             has_sidecar_resize_policy(spec);
    o->init_restart_resize_policy = has_init_resize_policy(spec);
    o->user_ns_devices = jr_pod_own_users(spec) && jr_pod_has(spec, "*.volumeDevices[]");
    o->user_ns_host_network |= jr_pod_host_network(spec) && jr_pod_own_users(spec);
    o->selinux_recursive_only &= !jr_pod_has(spec, "securityContext.seLinuxChangePolicy");
    o->toleration_comparisons |=
        jr_kube_has(profile->version, JR_CHANGE_TOLERATIONS_COMPARE) && compares_tolerations(spec);
    o->narrow_env_names &= !has_relaxed_env_names(spec);
    o->narrow_dns_searches &= !has_relaxed_searches(spec);
    o->positive_sleep &= !sleeps_not_at_all(spec);
    o->any_image_reference = has_nameless_image(spec);
    o->container_restart_rules |= jr_kube_has(profile->version, JR_CHANGE_RESTART_RULES_DROPPED) &&
                                  jr_pod_has_restart_rules(spec);
    o->restart_all_containers |= restarts_all(spec);
    o->stop_signals |= jr_pod_has(spec, "*.lifecycle.stopSignal");
    if (jr_kube_has(profile->version, JR_CHANGE_OCI_AND_ML_DSA)) {
        o->oci_profiles |= has_oci_profile(spec);
        o->ml_dsa_keys |= has_ml_dsa_key(spec);
    }
    o->env_files |= jr_pod_has(spec, "*.env[].valueFrom.fileKeyRef");
}

struct jr_pod_opts jr_pod_opts_of(const struct jr_node *template, const struct jr_node *old,
                                  const struct jr_profile *profile)
{
    struct jr_pod_opts o = opts_of_gates(profile);

    (void)template; /* only locked gates would ask what it has */
    if (old == NULL)
        return o;
    keep_old(jr_get(old, "spec"), profile, &o);
    o.any_deletion_cost |= !jr_pod_deletion_cost_ok(jr_path(old, "metadata.annotations"));
    return o;
}
