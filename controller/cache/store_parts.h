/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the store: its indexes, shared by the files that make it up. */
#ifndef JR_CONTROLLER_CACHE_STORE_PARTS_H
#define JR_CONTROLLER_CACHE_STORE_PARTS_H

#include <sys/queue.h>

#include "common/kube/keyed.h"
#include "controller/cache/store.h"

TAILQ_HEAD(jr_job_entries, jr_job_entry);
TAILQ_HEAD(jr_pod_entries, jr_pod_entry);

/** What of a namespace has to be gone through. */
struct jr_space {
    struct jr_keyed keyed;
    struct jr_job_entries irregular;
    struct jr_pod_entries orphans;
};

/** One stream's part of the cache. */
struct jr_store_part {
    struct jr_str namespace; /* {NULL, 0}: any */
    uint64_t version[JR_STORE_KINDS];
};

struct jr_store {
    struct jr_str finalizer;
    struct jr_cache caches[JR_STORE_KINDS];
    struct jr_map job_uids;
    struct jr_job_entries sizes[64 * 4]; /* Jobs that could be less, by size */
    size_t job_bytes;                    /* of all Jobs */
    size_t job_bytes_max;
    struct jr_map owners;               /* of Pods, by uid */
    struct jr_map spaces;               /* by name */
    struct jr_map refs[JR_STORE_KINDS]; /* Workloads and PodGroups, by what they refer to */
    struct jr_store_part *parts;
    size_t n_parts;
};

extern const struct jr_cache_kind jr_store_jobs_kind, jr_store_pods_kind, jr_store_workloads_kind,
    jr_store_pod_groups_kind;

struct jr_space *jr_store_find_space(const struct jr_store *s, struct jr_str name);
/** Makes the namespace's node where it is missing. */
struct jr_space *jr_store_need_space(struct jr_store *s, struct jr_str name);
/** Frees it if nothing is left in it. */
void jr_store_drop_space(struct jr_store *s, struct jr_space *sp);
/** The uid that a generated selector asks for; {NULL, 0} for any other selector. */
struct jr_str jr_store_generated_uid(const struct jr_selector *sel);

#endif
