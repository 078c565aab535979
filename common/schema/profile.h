/* Which Kubernetes the rules are to agree with: a version and its feature gates. */
#ifndef JR_SCHEMA_PROFILE_H
#define JR_SCHEMA_PROFILE_H

#include "common/base/flags.h"

/** Gates that change the rules of Jobs and of their Pods, with their state in 1.36; locked ones
 * can't be set. Of those that are locked on, only the Job's own are here; some have no effect on
 * admission, but go with others. */
#define JR_GATE_MAP(X)                                             \
    X(JobBackoffLimitPerIndex, true, true)                         \
    X(JobPodReplacementPolicy, true, true)                         \
    X(JobSuccessPolicy, true, true)                                \
    X(JobManagedBy, true, true)                                    \
    X(MutablePodResourcesForSuspendedJobs, true, false)            \
    X(MutableSchedulingDirectivesForSuspendedJobs, true, false)    \
    X(GenericWorkload, false, false)                               \
    X(WorkloadWithJob, false, false)                               \
    X(GangScheduling, false, false)                                \
    X(StaleControllerConsistencyJob, true, false)                  \
    X(ClusterTrustBundleProjection, false, false)                  \
    X(ClusterTrustBundle, false, false)                            \
    X(ContainerRestartRules, true, false)                          \
    X(ContainerStopSignals, false, false)                          \
    X(EnvFiles, true, false)                                       \
    X(HostnameOverride, true, false)                               \
    X(InPlacePodLevelResourcesVerticalScaling, true, false)        \
    X(MatchLabelKeysInPodTopologySpread, true, false)              \
    X(MatchLabelKeysInPodTopologySpreadSelectorMerge, true, false) \
    X(PodCertificateRequest, false, false)                         \
    X(PodDeletionCost, true, false)                                \
    X(PodLevelResources, true, false)                              \
    X(RestartAllContainersOnContainerExits, true, false)           \
    X(SELinuxMount, false, false)                                  \
    X(StrictIPCIDRValidation, true, false)                         \
    X(TaintTolerationComparisonOperators, false, false)            \
    X(UserNamespacesHostNetworkSupport, false, false)

enum jr_gate_id {
#define X(name, on, locked) JR_GATE_##name,
    JR_GATE_MAP(X)
#undef X
        JR_GATE_COUNT
};

/** Plain data, passed in; no global state. */
struct jr_profile {
    unsigned minor; /* 36 */
    bool gates[JR_GATE_COUNT];
};

/** Kubernetes 1.36 with its default gates. */
struct jr_profile jr_profile_default(void);
/** Sets one gate by name. Errors: JR_NOTFOUND (unknown gate), JR_DENIED (locked). For vectors of
 * older behaviour, `force` sets locked gates too. */
enum jr_status jr_profile_set(struct jr_profile *p, struct jr_str name, bool on, bool force,
                              struct jr_error *err) JR_MUST_USE;
/** The defaults, less what a flag says: Name=true and Name=false. Error: JR_USAGE, in the flag's
 * name. */
enum jr_status jr_profile_of_gates(const struct jr_flag_list *values, const char *flag,
                                   struct jr_profile *ret, struct jr_error *err) JR_MUST_USE;

#endif
