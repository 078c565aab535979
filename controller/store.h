/* The cache of Jobs and Pods, as the informers fill it. Objects are immutable and counted; the
 * indexes make one Pod's event cost the same however many other Jobs there are. */
#ifndef JR_CONTROLLER_STORE_H
#define JR_CONTROLLER_STORE_H

#include "common/api/job.h"
#include "common/api/pod.h"

/** Pods with a reference each. */
struct jr_pod_list {
    struct jr_pod **v;
    size_t n;
    size_t cap;
};
/** Appends pod, with a reference. */
enum jr_status jr_pod_list_add(struct jr_pod_list *l, const struct jr_pod *pod) JR_MUST_USE;
/** Gives the references back; safe on a zeroed list. */
void jr_pod_list_done(struct jr_pod_list *l);
#define JR_POD_LIST JR_CLEANUP(jr_pod_list_done) struct jr_pod_list

struct jr_store;
/** finalizer: the tracking finalizer of this controller, borrowed. */
enum jr_status jr_store_new(struct jr_str finalizer, struct jr_store **ret) JR_MUST_USE;
void jr_store_free(struct jr_store *s);
static inline void jr_store_freep(struct jr_store **s)
{
    jr_store_free(*s);
}

/* Jobs. What is returned is borrowed, until the next change. */

const struct jr_job *jr_store_job(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name);
/** The Job that a Pod's controller reference means: kind Job, in the cache by name, of the same
 * uid; else NULL. */
const struct jr_job *jr_store_owner(const struct jr_store *s, const struct jr_pod *pod);
/** Puts job in its place, with a reference. *ret_old: what was there, the caller's reference; NULL:
 * nothing. */
enum jr_status jr_store_put_job(struct jr_store *s, const struct jr_job *job,
                                struct jr_job **ret_old) JR_MUST_USE;
void jr_store_remove_job(struct jr_store *s, struct jr_str namespace, struct jr_str name,
                         struct jr_job **ret_old);
/** Calls fn for each Job. fn must not change the store. */
enum jr_status jr_store_each_job(const struct jr_store *s,
                                 enum jr_status (*fn)(void *ctx, const struct jr_job *job),
                                 void *ctx) JR_MUST_USE;
/** Calls fn for each Job whose selector matches a Pod without controller. fn must not change the
 * store. */
enum jr_status jr_store_each_match(const struct jr_store *s, const struct jr_pod *pod,
                                   enum jr_status (*fn)(void *ctx, const struct jr_job *job),
                                   void *ctx) JR_MUST_USE;

/* Pods. */

/** Whether a Pod is of any interest: not if its controller is no Job and the finalizer isn't on it.
 */
bool jr_store_wants(const struct jr_store *s, const struct jr_pod *pod);
const struct jr_pod *jr_store_pod(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name);
/** Calls fn for each Pod. fn must not change the store. */
enum jr_status jr_store_each_pod(const struct jr_store *s,
                                 enum jr_status (*fn)(void *ctx, const struct jr_pod *pod),
                                 void *ctx) JR_MUST_USE;
enum jr_status jr_store_put_pod(struct jr_store *s, const struct jr_pod *pod,
                                struct jr_pod **ret_old) JR_MUST_USE;
void jr_store_remove_pod(struct jr_store *s, struct jr_str namespace, struct jr_str name,
                         struct jr_pod **ret_old);
/** Appends the candidates for claiming: Pods controlled by the Job's uid, and those of its
 * namespace without a controller that its selector can match. */
enum jr_status jr_store_candidates(const struct jr_store *s, const struct jr_job *job,
                                   struct jr_pod_list *out) JR_MUST_USE;
/** Appends the Pods of a namespace that match a selector. Cheap for a generated selector; another
 * one looks at all Pods. */
enum jr_status jr_store_select(const struct jr_store *s, struct jr_str namespace,
                               const struct jr_selector *selector,
                               struct jr_pod_list *out) JR_MUST_USE;

/* Relists: begin, put what is there, sweep the rest. */

enum jr_store_kind { JR_STORE_JOBS, JR_STORE_PODS };
/** What one list is about. */
struct jr_store_round {
    struct jr_str namespace; /* borrowed; {NULL, 0}: all */
    unsigned began;
    size_t jobs, pods; /* that were in the cache then */
};
struct jr_store_round jr_store_begin(struct jr_store *s, struct jr_str namespace);
/** Says that an object of the list can't be read: what is known of it stays, whatever its version.
 * False: nothing is known of one of that name. */
bool jr_store_see(struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                  struct jr_str name);
/** Takes out what was not put since the round began; calls fn for each with the object, borrowed.
 * fn must not change the store. */
enum jr_status jr_store_sweep_jobs(struct jr_store *s, const struct jr_store_round *round,
                                   enum jr_status (*fn)(void *ctx, const struct jr_job *job),
                                   void *ctx) JR_MUST_USE;
enum jr_status jr_store_sweep_pods(struct jr_store *s, const struct jr_store_round *round,
                                   enum jr_status (*fn)(void *ctx, const struct jr_pod *pod),
                                   void *ctx) JR_MUST_USE;

/** Says that each of these namespaces is listed and watched for itself: it is as new as its own
 * stream. The names are borrowed. Without this call there is one stream for all. */
enum jr_status jr_store_split(struct jr_store *s, const struct jr_str *namespaces,
                              size_t n) JR_MUST_USE;
/** How new the cache of a namespace is: a numeric resourceVersion, 0 until something is known. The
 * namespace is {NULL, 0} where the stream is for all, and is not looked at then. */
void jr_store_progress(struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                       struct jr_str resource_version);
uint64_t jr_store_version(const struct jr_store *s, enum jr_store_kind kind,
                          struct jr_str namespace);
size_t jr_store_count(const struct jr_store *s, enum jr_store_kind kind);

#endif
