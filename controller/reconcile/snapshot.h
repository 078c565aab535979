/* SPDX-License-Identifier: Apache-2.0 */
/* What one sync of one Job starts from. Taken at once, pinned for the whole sync. */
#ifndef JR_RECONCILE_SNAPSHOT_H
#define JR_RECONCILE_SNAPSHOT_H

#include "common/api/job.h"
#include "common/api/pod.h"
#include "common/api/workload.h"
#include "common/base/deadline.h"
#include "controller/reconcile/options.h"

/** Pod failure backoff of one Job; in memory only. */
struct jr_backoff_record {
    int32_t failures_after_last_success;
    struct jr_time last_failure_time; /* unset: none */
};

/** All borrowed: the caller keeps the objects referenced until the sync is freed. */
struct jr_snapshot {
    struct jr_str namespace;
    struct jr_str name;
    const struct jr_job *job; /* NULL: not in the cache */
    /* Candidates for claiming: Pods controlled by the Job's uid, and Pods of the namespace without
     * a controller. */
    const struct jr_pod *const *pods;
    size_t n_pods;
    /* Read before the Pods were. */
    bool expectations_satisfied;
    /* uids of Pods whose finalizer removal is under way, and of those known to be gone
     * (jr_stage_effects.gone). */
    struct jr_strs awaited;
    /* Indexed: uids of Pods whose index is in completedIndexes by their own success, and whose
     * finalizer couldn't be removed (jr_stage_effects.succeeded). */
    struct jr_strs succeeded;
    /* uids of Pods that were to be deleted and have lost their finalizer, but whose deletion failed
     * (jr_stage_effects.finalizer_lost). */
    struct jr_strs finalizer_lost;
    struct jr_backoff_record backoff;
    bool finished_mark; /* a terminal status was written for this uid and is not seen yet */
    /* Numeric resourceVersions for read-your-own-writes; 0: none. */
    uint64_t cache_job_version;
    uint64_t cache_pod_version;
    uint64_t written_job_version;
    uint64_t written_pod_version;
    /* The version of the Job that a write went by which was refused for it, or had no answer: as
     * long as the cache has none that is newer, the Job is read anew before it is acted upon. */
    uint64_t ambiguous_job_version;
    /* Gang scheduling, where it is switched on and the server has it: Workloads that refer to the
     * Job, or to its controller, and PodGroups that refer to one of them, or to the Workload that
     * the Job would get. */
    enum jr_scheduling_api gang_api;
    const struct jr_gang_object *const *workloads;
    size_t n_workloads;
    const struct jr_gang_object *const *pod_groups;
    size_t n_pod_groups;
    const struct jr_reconcile_options *options;
    /* When a step has to yield; wound up by the caller before each. NULL: by count alone. What
     * is decided doesn't depend on it. */
    struct jr_deadline *turn;
};

#endif
