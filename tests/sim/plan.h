/* SPDX-License-Identifier: Apache-2.0 */
/* What one seed is about: Jobs, what their Pods do, and what users do to them. Data only, drawn
 * from the seed and from nothing else, so that a part can be left out and the rest stays as it is.
 */
#ifndef JR_TESTS_SIM_PLAN_H
#define JR_TESTS_SIM_PLAN_H

#include "common/api/workload.h"
#include "common/base/arena.h"
#include "common/base/clock.h"

/** What a Job uses; bits. A run counts how often each was drawn. */
#define SIM_FEATURE_MAP(X)                           \
    X(FIXED, "fixed completions")                    \
    X(WORK_QUEUE, "work queue")                      \
    X(INDEXED, "indexed")                            \
    X(PER_INDEX, "backoffLimitPerIndex")             \
    X(MAX_FAILED_INDEXES, "maxFailedIndexes")        \
    X(BACKOFF_LIMIT, "backoffLimit within reach")    \
    X(FAILURE_POLICY, "podFailurePolicy")            \
    X(SUCCESS_POLICY, "successPolicy")               \
    X(REPLACE_FAILED, "podReplacementPolicy Failed") \
    X(SUSPENDED, "made suspended")                   \
    X(DEADLINE, "activeDeadlineSeconds")             \
    X(TTL, "ttlSecondsAfterFinished")                \
    X(MANUAL_SELECTOR, "manualSelector")             \
    X(ON_FAILURE, "restartPolicy OnFailure")         \
    X(SLOW_DEATH, "Pods slow to die")                \
    X(NEVER_READY, "Pods never ready")               \
    X(EXTERNAL, "managedBy another")                 \
    X(MANAGED, "managedBy mode")                     \
    X(OUTSIDE, "in a namespace that isn't watched")  \
    X(HUGE, "more Pods than one sync counts")

enum sim_feature {
#define X(name, words) SIM_FEATURE_##name,
    SIM_FEATURE_MAP(X)
#undef X
        SIM_N_FEATURES
};

/** Nothing of it is the controllers' to touch. */
static inline bool sim_is_external(uint32_t features)
{
    return (features & (1u << SIM_FEATURE_EXTERNAL | 1u << SIM_FEATURE_OUTSIDE)) != 0;
}

struct sim_job {
    const char *namespace;
    const char *name;
    struct jr_str manifest; /* JSON, as a user posts it; the Pods' plans are in the template's
                               annotations, see devcluster/kubelet/plan.h */
    int64_t at_ns;          /* when it is posted, from the beginning */
    uint32_t features;      /* 1u << enum sim_feature */
};

/** What users, and others with the right to, do. */
#define SIM_ACTION_MAP(X)                                                                     \
    X(SUSPEND, "suspend")                                                                     \
    X(RESUME, "resume")                                                                       \
    X(PARALLELISM, "change parallelism")                   /* to arg */                       \
    X(COMPLETIONS, "change completions of an elastic Job") /* and parallelism, to arg */      \
    X(TEMPLATE, "edit the template while suspended")       /* arg: which edit */              \
    X(DELETE_JOB, "delete the Job") /* arg % 3: background, foreground, orphan */             \
    X(REMAKE_JOB, "make a Job of the same name anew") /* after DELETE_JOB */                  \
    X(DELETE_POD, "delete a Pod")                     /* arg: which of those that stand */    \
    X(KILL_POD, "delete a Pod without grace")                                                 \
    X(STEAL_POD, "another controller takes a Pod") /* its controller reference is replaced */ \
    X(RELABEL_POD, "a Pod's labels stop matching")                                            \
    X(ORPHAN_POD, "a matching Pod without an owner appears")                                  \
    X(STRIP_POD, "somebody takes the finalizer off a Pod")                                    \
    X(TOUCH_JOB, "an annotation of the Job changes")                                          \
    X(NODE_LOSS, "a running Pod fails with DisruptionTarget")                                 \
    X(WRITE_STATUS, "somebody else writes the Job's status") /* arg % 2: what */              \
    X(HOLD, "somebody's finalizer holds a Pod or the Job")   /* arg % 2: the Job */           \
    X(FREE, "what is held is let go")                                                         \
    X(DELETE_NAMESPACE, "the namespace is deleted")                                           \
    X(UNKNOWN, "a Pod's phase becomes Unknown")                                               \
    X(NODE_DOWN, "the node is lost, Pods on it stay as they are")                             \
    X(NODE_UP, "the node comes back")                                                         \
    X(EVICT_POD, "a taint evicts a Pod")                                                      \
    X(COLLECT_POD, "PodGC fails a Pod and deletes it")                                        \
    X(UNSCHEDULABLE, "a Pod can't be scheduled")                                              \
    X(BLOCK_PODS, "a webhook refuses what controllers patch of Pods")                         \
    X(UNBLOCK_PODS, "it refuses no more")                                                     \
    X(FLIP_POD, "a Pod that has ended, or is deleted, ends otherwise")

enum sim_action_kind {
#define X(name, words) SIM_ACTION_##name,
    SIM_ACTION_MAP(X)
#undef X
        SIM_N_ACTIONS
};

struct sim_action {
    int64_t at_ns;
    enum sim_action_kind kind;
    size_t job; /* position in jobs */
    uint64_t arg;
};

struct sim_plan {
    struct jr_arena arena;
    struct sim_job *jobs;
    size_t n_jobs;
    struct sim_action *actions; /* by time */
    size_t n_actions;
    int64_t calm_ns;                 /* from here on no faults and no actions; all Jobs must end */
    bool managed;                    /* managedBy mode */
    bool narrow;                     /* only the namespace "default" is watched */
    enum jr_scheduling_api gang_api; /* gang scheduling is on, as the API server has it */
};

/** Draws the plan of a seed: one to four Jobs, mostly small. The same seed gives the same plan on
 * every machine. A plan must be one that can end: after calm_ns nothing is suspended that isn't
 * meant to stay so, and Pods that run for ever belong to Jobs with a deadline or are deleted. */
enum jr_status sim_plan_draw(uint64_t seed, struct sim_plan *ret) JR_MUST_USE;
void sim_plan_done(struct sim_plan *p);
/** Words for reports. */
const char *sim_feature_words(enum sim_feature f);
const char *sim_action_words(enum sim_action_kind k);

#endif
