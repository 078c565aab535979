/* SPDX-License-Identifier: Apache-2.0 */
/* The caches of Jobs and Pods, and of the Workloads and PodGroups of gang scheduling, as the
 * informers fill them. The indexes make one Pod's event cost the same however many other Jobs there
 * are. */
#ifndef JR_CONTROLLER_CACHE_STORE_H
#define JR_CONTROLLER_CACHE_STORE_H

#include "common/api/job.h"
#include "common/api/pod.h"
#include "common/api/workload.h"
#include "common/kube/object_cache.h"

/** Pods with a reference each. */
struct jr_pod_list {
    struct jr_pod **v;
    size_t n;
    size_t cap;
};
/** Appends pod, with a reference. */
void jr_pod_list_add(struct jr_pod_list *l, const struct jr_pod *pod);
/** Gives the references back; safe on a zeroed list. */
void jr_pod_list_done(struct jr_pod_list *l);
#define JR_POD_LIST JR_CLEANUP(jr_pod_list_done) struct jr_pod_list

/** Workloads or PodGroups with a reference each. */
struct jr_gang_list {
    struct jr_gang_object **v;
    size_t n;
    size_t cap;
};
void jr_gang_list_done(struct jr_gang_list *l);

enum jr_store_kind { JR_STORE_JOBS, JR_STORE_PODS, JR_STORE_WORKLOADS, JR_STORE_POD_GROUPS };
#define JR_STORE_KINDS 4

struct jr_store;
/** finalizer: the tracking finalizer of this controller, borrowed. */
struct jr_store *jr_store_new(struct jr_str finalizer);
void jr_store_free(struct jr_store *s);
/** The cache of a kind: changed by what is told to it, and by lists. Workloads and PodGroups have
 * no uid there, and one that is older than what is known is passed over: what this process wrote
 * may be known before the watch tells it. */
struct jr_cache *jr_store_cache(struct jr_store *s, enum jr_store_kind kind);
size_t jr_store_count(const struct jr_store *s, enum jr_store_kind kind);

/* Jobs. What is returned is borrowed, until the next change. */

/** The bytes that the cached Jobs take, and what they are to take at most: no bound until it is
 * set. */
size_t jr_store_job_bytes(const struct jr_store *s);
size_t jr_store_job_bytes_max(const struct jr_store *s);
void jr_store_bound_jobs(struct jr_store *s, size_t bytes_max);
/** jr_job_slim, with its selector prepared. The caller owns one reference. */
struct jr_job *jr_store_slim(const struct jr_job *job, bool unused);
/** Replaces Jobs by slim ones until all of them are within the bound, a long selector being dropped
 * with the rest: the largest first, of those
 * that differ by less than a quarter the one that has waited longest since its last event. */
void jr_store_shed_templates(struct jr_store *s);

const struct jr_job *jr_store_job(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name);
/** The Job that a Pod's controller reference means: kind Job, in the cache by name, of the same
 * uid; else NULL. */
const struct jr_job *jr_store_owner(const struct jr_store *s, const struct jr_pod *pod);
/** Calls fn for each Job whose selector matches a Pod without controller, or was dropped. fn must
 * not change the store. */
void jr_store_each_match(const struct jr_store *s, const struct jr_pod *pod,
                         void (*fn)(void *ctx, const struct jr_job *job), void *ctx);

/* Pods. */

/** Whether a Pod is of any interest: not if its controller is no Job and the finalizer isn't on it.
 */
bool jr_store_wants(const struct jr_store *s, const struct jr_pod *pod);
const struct jr_pod *jr_store_pod(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name);
/** Appends the candidates for claiming: Pods controlled by the Job's uid, and those of its
 * namespace without a controller that its selector can match. */
void jr_store_candidates(const struct jr_store *s, const struct jr_job *job,
                         struct jr_pod_list *out);
/** Appends the Pods of a namespace that match a selector. Cheap for a generated selector; another
 * one looks at all Pods. */
void jr_store_select(const struct jr_store *s, struct jr_str namespace,
                     const struct jr_selector *selector, struct jr_pod_list *out);

/* Workloads and PodGroups. */

/** Appends the objects of a namespace that refer to `to`: Workloads to a Job (controllerRef of kind
 * Job), PodGroups to a Workload. */
void jr_store_gang(const struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                   struct jr_str to, struct jr_gang_list *out);

/* How new the cache is. */

/** Says that each of these namespaces is listed and watched for itself: it is as new as its own
 * stream. The names are borrowed. Without this call there is one stream for all. */
void jr_store_split(struct jr_store *s, const struct jr_str *namespaces, size_t n);
/** How new the cache of a namespace is: a numeric resourceVersion, 0 until something is known. The
 * namespace is {NULL, 0} where the stream is for all, and is not looked at then. */
void jr_store_progress(struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                       struct jr_str resource_version);
uint64_t jr_store_version(const struct jr_store *s, enum jr_store_kind kind,
                          struct jr_str namespace);

#endif
