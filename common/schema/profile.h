/* SPDX-License-Identifier: Apache-2.0 */
/* Which Kubernetes the rules are to agree with: a version and its feature gates. */
#ifndef JR_SCHEMA_PROFILE_H
#define JR_SCHEMA_PROFILE_H

#include "common/base/flags.h"
#include "common/schema/kube_version.h"

/** Gates that change the rules of Jobs and of their Pods, or what the controller does; and those
 * that these depend on. A letter for each of 1.31, 1.32, ... 1.38:
 *   .  there is no such gate: what it would guard is off
 *   -  off by default      +  on by default      L  locked on
 *   G  the gate is gone, what it guarded is on for good
 * Source: pkg/features of each version. */
#define JR_GATE_MAP(X)                                            \
    X(JobPodFailurePolicy, "LLGGGGGG")                            \
    X(ElasticIndexedJob, "LLLGGGGG")                              \
    X(PodIndexLabel, "+LLLGGGG")                                  \
    X(JobBackoffLimitPerIndex, "++LLLLGG")                        \
    X(JobPodReplacementPolicy, "+++LLLGG")                        \
    X(JobSuccessPolicy, "++LLLLGG")                               \
    X(JobManagedBy, "-+++LLLG")                                   \
    X(MutablePodResourcesForSuspendedJobs, "....-+++")            \
    X(MutableSchedulingDirectivesForSuspendedJobs, "....-+++")    \
    X(StaleControllerConsistencyJob, ".....+++")                  \
    X(GenericWorkload, "....----")                                \
    X(WorkloadWithJob, ".....---")                                \
    X(GangScheduling, "....--..")                                 \
    X(TopologyAwareWorkloadScheduling, ".....---")                \
    X(DRAWorkloadResourceClaims, ".....---")                      \
    X(AtomicFIFO, ".....+++")                                     \
    X(AtomicWriteVolumeUserFields, "......-+")                    \
    X(EmptyDirVolumeMode, "......--")                             \
    X(EvictionRequestAPI, "......--")                             \
    X(GRPCContainerProbeTLS, "......--")                          \
    X(H2CContainerProbe, "......--")                              \
    X(VolumeAttributesClass, "---++LLL")                          \
    X(VolumeBindMountOptions, "......--")                         \
    X(ClusterTrustBundle, "------++")                             \
    X(ClusterTrustBundleProjection, "------++")                   \
    X(ContainerRestartRules, "...-++++")                          \
    X(ContainerStopSignals, "..------")                           \
    X(DynamicResourceAllocation, "---+LLLG")                      \
    X(EnvFiles, "...-+++L")                                       \
    X(HostnameOverride, "...-++LL")                               \
    X(ImageVolume, "----+LLL")                                    \
    X(InPlacePodVerticalScaling, "--++LLLG")                      \
    X(InPlacePodLevelResourcesVerticalScaling, "....-+++")        \
    X(MatchLabelKeysInPodTopologySpread, "++++++++")              \
    X(MatchLabelKeysInPodTopologySpreadSelectorMerge, "...+++++") \
    X(NodeDeclaredFeatures, "....-+LL")                           \
    X(PodCertificateRequest, "...---++")                          \
    X(PodDeletionCost, "++++++++")                                \
    X(PodLevelResources, ".--+++++")                              \
    X(PodLifecycleSleepAction, "+++LLLGG")                        \
    X(PodLifecycleSleepActionAllowZero, ".-+LLLGG")               \
    X(UserNamespacesSupport, "--+++LLL")                          \
    X(ProcMountType, "--+++LLL")                                  \
    X(RelaxedDNSSearchValidation, ".-+LLLGG")                     \
    X(RelaxedEnvironmentVariableValidation, "-++LLLLL")           \
    X(RestartAllContainersOnContainerExits, "....-+++")           \
    X(SELinuxChangePolicy, ".-+++LLL")                            \
    X(SELinuxMount, "------++")                                   \
    X(SidecarContainers, "++LLLLGG")                              \
    X(StrictIPCIDRValidation, "..---++L")                         \
    X(SupplementalGroupsPolicy, "--++LLLG")                       \
    X(TaintTolerationComparisonOperators, "....----")             \
    X(UserNamespacesHostNetworkSupport, "....----")               \
    X(SecurityProfileOCI, ".......-")                             \
    X(PodCertificateMLDSA, ".......-")

/** X(gate, other, since): since that minor version the gate can't be on without the other one.
 * AuthorizeNodeWithSelectors is left out: it is locked wherever a gate needs it. Source: upstream's
 * featuregate dependencies, of which there are none before 1.35. */
#define JR_GATE_DEPENDENCIES(X)                                                              \
    X(ClusterTrustBundleProjection, ClusterTrustBundle, 35)                                  \
    X(DRAWorkloadResourceClaims, DynamicResourceAllocation, 36)                              \
    X(DRAWorkloadResourceClaims, GenericWorkload, 36)                                        \
    X(GangScheduling, GenericWorkload, 35)                                                   \
    X(H2CContainerProbe, NodeDeclaredFeatures, 37)                                           \
    X(InPlacePodLevelResourcesVerticalScaling, InPlacePodVerticalScaling, 35)                \
    X(InPlacePodLevelResourcesVerticalScaling, NodeDeclaredFeatures, 35)                     \
    X(InPlacePodLevelResourcesVerticalScaling, PodLevelResources, 35)                        \
    X(MatchLabelKeysInPodTopologySpreadSelectorMerge, MatchLabelKeysInPodTopologySpread, 35) \
    X(PodLifecycleSleepActionAllowZero, PodLifecycleSleepAction, 35)                         \
    X(ProcMountType, UserNamespacesSupport, 35)                                              \
    X(RestartAllContainersOnContainerExits, ContainerRestartRules, 35)                       \
    X(RestartAllContainersOnContainerExits, NodeDeclaredFeatures, 35)                        \
    X(StaleControllerConsistencyJob, AtomicFIFO, 36)                                         \
    X(TopologyAwareWorkloadScheduling, GenericWorkload, 36)                                  \
    X(UserNamespacesHostNetworkSupport, NodeDeclaredFeatures, 36)                            \
    X(UserNamespacesHostNetworkSupport, UserNamespacesSupport, 35)                           \
    X(WorkloadWithJob, GenericWorkload, 36)

enum jr_gate_id {
#define X(name, states) JR_GATE_##name,
    JR_GATE_MAP(X)
#undef X
        JR_GATE_COUNT
};

/** What a server says of its gates. Zeroed: nothing. */
struct jr_gates_seen {
    enum jr_gate_seen { JR_GATE_UNSEEN, JR_GATE_SEEN_OFF, JR_GATE_SEEN_ON } states[JR_GATE_COUNT];
};
/** Notes one gate by name; one that we don't know is passed over. */
void jr_gates_see(struct jr_gates_seen *seen, struct jr_str name, bool on);

/** How it is known whether a gate is on. */
enum jr_gate_source {
    JR_GATE_BY_DEFAULT, /* of the version */
    JR_GATE_BY_SERVER,  /* it says so */
    JR_GATE_BY_FLAG,    /* set by name */
};

/** Plain data, passed in; no global state. */
struct jr_profile {
    struct jr_kube_version version;
    unsigned emulated;                    /* the minor version whose gates there are */
    bool gates[JR_GATE_COUNT];            /* what is on */
    unsigned char sources[JR_GATE_COUNT]; /* enum jr_gate_source */
};

/** That version with its default gates. Of a version that is older than 1.31 or newer than 1.38 the
 * gates are those of the oldest or the newest of these. */
struct jr_profile jr_profile_of(struct jr_kube_version v);
/** That version as it emulates an older minor one: its own behaviour, with that one's gates. */
struct jr_profile jr_profile_emulating(struct jr_kube_version v, unsigned minor);
/** Kubernetes 1.36.0 with its default gates: what docs/reference/admission.md describes. */
struct jr_profile jr_profile_default(void);
const char *jr_gate_name(enum jr_gate_id gate);
/** Whether the version has that gate, on or off as its server is told. */
bool jr_profile_can_set(const struct jr_profile *p, enum jr_gate_id gate);
/** Whether it is on in the version unless its server is told otherwise. */
bool jr_profile_default_of(const struct jr_profile *p, enum jr_gate_id gate);
/** Sets those gates that the version has and that its server says are on or off. */
void jr_profile_set_seen(struct jr_profile *p, const struct jr_gates_seen *seen);
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
