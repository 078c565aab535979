/* Profiles: which gates are on in which version. */
#include "common/schema/profile.h"

/* What each gate is called, and its state in each minor version. */
static const struct {
    const char *name;
    char states[JR_KUBE_MINORS + 1];
} gates[JR_GATE_COUNT] = {
#define X(name, states) { #name, states },
    JR_GATE_MAP(X)
#undef X
};

/* What can't be on alone. Source: upstream's featuregate dependencies, of 1.36. */
static const struct {
    enum jr_gate_id gate;
    enum jr_gate_id needs;
} dependencies[] = {
    { JR_GATE_ClusterTrustBundleProjection, JR_GATE_ClusterTrustBundle },
    { JR_GATE_DRAWorkloadResourceClaims, JR_GATE_DynamicResourceAllocation },
    { JR_GATE_DRAWorkloadResourceClaims, JR_GATE_GenericWorkload },
    { JR_GATE_GangScheduling, JR_GATE_GenericWorkload },
    { JR_GATE_InPlacePodLevelResourcesVerticalScaling, JR_GATE_InPlacePodVerticalScaling },
    { JR_GATE_InPlacePodLevelResourcesVerticalScaling, JR_GATE_PodLevelResources },
    { JR_GATE_MatchLabelKeysInPodTopologySpreadSelectorMerge,
      JR_GATE_MatchLabelKeysInPodTopologySpread },
    { JR_GATE_PodLifecycleSleepActionAllowZero, JR_GATE_PodLifecycleSleepAction },
    { JR_GATE_ProcMountType, JR_GATE_UserNamespacesSupport },
    { JR_GATE_RestartAllContainersOnContainerExits, JR_GATE_ContainerRestartRules },
    { JR_GATE_TopologyAwareWorkloadScheduling, JR_GATE_GenericWorkload },
    { JR_GATE_UserNamespacesHostNetworkSupport, JR_GATE_UserNamespacesSupport },
    { JR_GATE_WorkloadWithJob, JR_GATE_GenericWorkload },
};

static char state_in(enum jr_gate_id gate, struct jr_kube_version v)
{
    const unsigned minor = v.minor < JR_KUBE_OLDEST   ? JR_KUBE_OLDEST
                           : v.minor > JR_KUBE_NEWEST ? JR_KUBE_NEWEST
                                                      : v.minor;

    return gates[gate].states[minor - JR_KUBE_OLDEST];
}

static bool is_on_by_default(char state)
{
    return state == '+' || state == 'L' || state == 'G';
}

struct jr_profile jr_profile_of(struct jr_kube_version v)
{
    struct jr_profile p = { .version = v };

    for (size_t i = 0; i < JR_GATE_COUNT; i++)
        p.gates[i] = is_on_by_default(state_in(i, v));
    return p;
}

struct jr_profile jr_profile_default(void)
{
    return jr_profile_of(JR_KUBE_DESCRIBED);
}

enum jr_status jr_profile_set(struct jr_profile *p, struct jr_str name, bool on, bool force,
                              struct jr_error *err)
{
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        const char state = state_in(i, p->version);

        if (!jr_str_is(name, gates[i].name))
            continue;
        if (!force && (state == '.' || state == 'G'))
            break;
        if (!force && state == 'L' && !on)
            return jr_fail(err, JR_DENIED, NULL,
                           "feature gate %s is locked to true in Kubernetes 1.%u", gates[i].name,
                           p->version.minor);
        p->gates[i] = on;
        return JR_OK;
    }
    return jr_fail(err, JR_NOTFOUND, NULL, "Kubernetes 1.%u has no feature gate \"%.*s\"",
                   p->version.minor, JR_P(name));
}

static enum jr_status set_gate(struct jr_profile *p, struct jr_str value, const char *flag,
                               struct jr_error *err)
{
    struct jr_str state = value, name;
    struct jr_error why = { .status = JR_OK };

    if (!jr_str_cut(&state, '=', &name) || name.n == 0 ||
        (!jr_str_is(state, "true") && !jr_str_is(state, "false")))
        return jr_fail(err, JR_USAGE, flag, "expected Name=true or Name=false, not \"%.*s\"",
                       JR_P(value));
    if (jr_profile_set(p, name, jr_str_is(state, "true"), false, &why) != JR_OK)
        return jr_fail(err, JR_USAGE, flag, "%s", why.msg);
    return JR_OK;
}

static enum jr_status check_dependencies(const struct jr_profile *p, const char *flag,
                                         struct jr_error *err)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(dependencies); i++) {
        if (p->gates[dependencies[i].gate] && !p->gates[dependencies[i].needs])
            return jr_fail(err, JR_USAGE, flag,
                           "%s is enabled, but depends on %s, which is disabled",
                           gates[dependencies[i].gate].name, gates[dependencies[i].needs].name);
    }
    return JR_OK;
}

enum jr_status jr_profile_set_gates(struct jr_profile *p, const struct jr_flag_list *values,
                                    const char *flag, struct jr_error *err)
{
    struct jr_profile profile = *p;

    for (size_t i = 0; i < values->n; i++) {
        if (set_gate(&profile, values->v[i], flag, err) != JR_OK)
            return JR_USAGE;
    }
    if (values->n > 0 && check_dependencies(&profile, flag, err) != JR_OK)
        return JR_USAGE;
    *p = profile;
    return JR_OK;
}
