/* Which Kubernetes the rules are to agree with: a version and its feature gates. */
#ifndef JR_SCHEMA_PROFILE_H
#define JR_SCHEMA_PROFILE_H

#include "common/base/flags.h"
#include "common/schema/kube_version.h"

/** Gates that change the rules of Jobs and of their Pods, or what the controller does; and those
 * that these depend on. A letter for each of 1.31, 1.32, ... 1.37:
 *   .  there is no such gate: what it would guard is off
 *   -  off by default      +  on by default      L  locked on
 *   G  the gate is gone, what it guarded is on for good
 * Source: pkg/features of each version. */
#define JR_GATE_MAP(X)                                           \
    X(JobPodFailurePolicy, "LLGGGGG")                            \
    X(ElasticIndexedJob, "LLLGGGG")                              \
    X(PodIndexLabel, "+LLLGGG")                                  \
    X(JobBackoffLimitPerIndex, "++LLLLG")                        \
    X(JobPodReplacementPolicy, "+++LLLG")                        \
    X(JobSuccessPolicy, "++LLLLG")                               \
    X(JobManagedBy, "-+++LLL")                                   \
    X(MutablePodResourcesForSuspendedJobs, "....-++")            \
    X(MutableSchedulingDirectivesForSuspendedJobs, "....-++")    \
    X(StaleControllerConsistencyJob, ".....++")                  \
    X(GenericWorkload, "....---")                                \
    X(WorkloadWithJob, ".....--")                                \
    X(GangScheduling, "....--.")                                 \
    X(TopologyAwareWorkloadScheduling, ".....--")                \
    X(DRAWorkloadResourceClaims, ".....--")                      \
    X(AtomicWriteVolumeUserFields, "......-")                    \
    X(EmptyDirVolumeMode, "......-")                             \
    X(EvictionRequestAPI, "......-")                             \
    X(GRPCContainerProbeTLS, "......-")                          \
    X(H2CContainerProbe, "......-")                              \
    X(VolumeAttributesClass, "---++LL")                          \
    X(VolumeBindMountOptions, "......-")                         \
    X(ClusterTrustBundle, "------+")                             \
    X(ClusterTrustBundleProjection, "------+")                   \
    X(ContainerRestartRules, "...-+++")                          \
    X(ContainerStopSignals, "..-----")                           \
    X(DynamicResourceAllocation, "---+LLL")                      \
    X(EnvFiles, "...-+++")                                       \
    X(HostnameOverride, "...-++L")                               \
    X(ImageVolume, "----+LL")                                    \
    X(InPlacePodVerticalScaling, "--++LLL")                      \
    X(InPlacePodLevelResourcesVerticalScaling, "....-++")        \
    X(MatchLabelKeysInPodTopologySpread, "+++++++")              \
    X(MatchLabelKeysInPodTopologySpreadSelectorMerge, "...++++") \
    X(PodCertificateRequest, "...---+")                          \
    X(PodDeletionCost, "+++++++")                                \
    X(PodLevelResources, ".--++++")                              \
    X(PodLifecycleSleepAction, "+++LLLG")                        \
    X(PodLifecycleSleepActionAllowZero, ".-+LLLG")               \
    X(UserNamespacesSupport, "--+++LL")                          \
    X(ProcMountType, "--+++LL")                                  \
    X(RelaxedDNSSearchValidation, ".-+LLLG")                     \
    X(RelaxedEnvironmentVariableValidation, "-++LLLL")           \
    X(RestartAllContainersOnContainerExits, "....-++")           \
    X(SELinuxChangePolicy, ".-+++LL")                            \
    X(SELinuxMount, "------+")                                   \
    X(SidecarContainers, "++LLLLG")                              \
    X(StrictIPCIDRValidation, "..---++")                         \
    X(SupplementalGroupsPolicy, "--++LLL")                       \
    X(TaintTolerationComparisonOperators, "....---")             \
    X(UserNamespacesHostNetworkSupport, "....---")

enum jr_gate_id {
#define X(name, states) JR_GATE_##name,
    JR_GATE_MAP(X)
#undef X
        JR_GATE_COUNT
};

/** Plain data, passed in; no global state. */
struct jr_profile {
    struct jr_kube_version version;
    unsigned emulated;         /* the minor version whose gates there are */
    bool gates[JR_GATE_COUNT]; /* what is on */
};

/** That version with its default gates. Of a version that is older than 1.31 or newer than 1.37 the
 * gates are those of the oldest or the newest of these. */
struct jr_profile jr_profile_of(struct jr_kube_version v);
/** That version as it emulates an older minor one: its own behaviour, with that one's gates. */
struct jr_profile jr_profile_emulating(struct jr_kube_version v, unsigned minor);
/** Kubernetes 1.36.0 with its default gates: what docs/reference/admission.md describes. */
struct jr_profile jr_profile_default(void);
/** Sets one gate by name. Errors: JR_NOTFOUND (the version has no such gate), JR_DENIED (locked).
 * For vectors of older behaviour, `force` sets locked gates too. */
enum jr_status jr_profile_set(struct jr_profile *p, struct jr_str name, bool on, bool force,
                              struct jr_error *err) JR_MUST_USE;
/** Sets what a flag says: Name=true and Name=false; then no gate may be on without the gates that
 * it depends on. Error: JR_USAGE, in the flag's name; *p is as it was. */
enum jr_status jr_profile_set_gates(struct jr_profile *p, const struct jr_flag_list *values,
                                    const char *flag, struct jr_error *err) JR_MUST_USE;
/** The same of a version that nobody has asked for, with a flag that passed
 * jr_profile_check_gates: a gate that the version hasn't, or has locked otherwise, is passed over;
 * all are where one would be on without a gate that it depends on. Appends to passed_over (may be
 * NULL; a failure sticks to it) which and why, with "; " between. */
void jr_profile_set_known_gates(struct jr_profile *p, const struct jr_flag_list *values,
                                struct jr_buf *passed_over);
/** Whether the flag may be meant where the version isn't known yet: some version has each of the
 * gates, and some can be told what is said of those that it has. Error: JR_USAGE, in the flag's
 * name. */
enum jr_status jr_profile_check_gates(const struct jr_flag_list *values, const char *flag,
                                      struct jr_error *err) JR_MUST_USE;

#endif
