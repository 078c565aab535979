/* SPDX-License-Identifier: Apache-2.0 */
/* What a Job's controller expects to see in its cache before it acts again: creations, deletions,
 * finalizer removals. Records belong to a uid: a Job made anew under the same name starts without
 * any. */
#ifndef JR_CONTROLLER_WORK_EXPECTATIONS_H
#define JR_CONTROLLER_WORK_EXPECTATIONS_H

#include "common/base/arena.h"
#include "common/kube/object_key.h"

/** After this time counts are no longer waited for. */
#define JR_EXPECTATIONS_TIMEOUT_NS (300 * JR_SEC)

struct jr_expect_counts {
    bool set; /* something was expected for this Job */
    int32_t add;
    int32_t del;
};

struct jr_expectations;
struct jr_expectations *jr_expectations_new(void);
void jr_expectations_free(struct jr_expectations *e);

/** Replaces both counts and starts their time anew. */
void jr_expectations_set(struct jr_expectations *e, const struct jr_object_key *key, int32_t add,
                         int32_t del, struct jr_mono now);
/** Lowers the counts, below zero too; nothing happens without a record. Serves observations as
 * well. */
void jr_expectations_lower(struct jr_expectations *e, const struct jr_object_key *key, int32_t add,
                           int32_t del);
/** Nothing expected, both counts at or below zero, or older than the timeout. */
bool jr_expectations_satisfied(const struct jr_expectations *e, const struct jr_object_key *key,
                               struct jr_mono now);
/** How long it is, without further sight, until they are satisfied; 0: they are. */
int64_t jr_expectations_left(const struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_mono now);
struct jr_expect_counts jr_expectations_get(const struct jr_expectations *e,
                                            const struct jr_object_key *key);
/** Which setting of the counts this is: another number after each; 0: none. */
uint64_t jr_expectations_serial(const struct jr_expectations *e, const struct jr_object_key *key);
/** Forgets the counts, if they are still of this setting; keeps what is awaited. */
void jr_expectations_clear(struct jr_expectations *e, const struct jr_object_key *key,
                           uint64_t serial);

/* The finalizer removals awaited: Pod uids, without a timeout. */

void jr_expectations_await(struct jr_expectations *e, const struct jr_object_key *key,
                           struct jr_str pod_uid);
/** The Pod is gone for the server while the cache still shows it: kept with the awaited ones, until
 * it is seen, so that it isn't counted again. */
void jr_expectations_gone(struct jr_expectations *e, const struct jr_object_key *key,
                          struct jr_str pod_uid);
/** The Job has adopted the Pod. Once it was counted it stays with the gone ones until it is lost: a
 * patch of an earlier life that comes late may adopt it once more, finalizer and all. */
void jr_expectations_adopted(struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_str pod_uid);
/** The cache shows the Pod without its finalizer. */
void jr_expectations_removed(struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_str pod_uid);
/** The cache has lost the Pod. */
void jr_expectations_lost(struct jr_expectations *e, const struct jr_object_key *key,
                          struct jr_str pod_uid);
/** Given up. */
void jr_expectations_unawait(struct jr_expectations *e, const struct jr_object_key *key,
                             struct jr_str pod_uid);
/** Whether a Pod's finalizer is on its way off, while the cache may still show it. */
bool jr_expectations_awaits(const struct jr_expectations *e, const struct jr_object_key *key,
                            struct jr_str pod_uid);
/** All uids that are awaited, with the gone ones or without, copied into the arena. */
struct jr_strs jr_expectations_awaited(const struct jr_expectations *e,
                                       const struct jr_object_key *key, bool with_gone,
                                       struct jr_arena *arena);
/** The Pod's index is recorded as completed, and the Pod keeps its finalizer: its removal was
 * refused. Kept until the Pod is lost, or without its finalizer. */
void jr_expectations_succeeded(struct jr_expectations *e, const struct jr_object_key *key,
                               struct jr_str pod_uid);
/** All uids of such Pods, copied into the arena. */
struct jr_strs jr_expectations_all_succeeded(const struct jr_expectations *e,
                                             const struct jr_object_key *key,
                                             struct jr_arena *arena);

/* Pods that were to be deleted and lost their finalizer, and whose deletion failed. They are there
 * still, and count as if they had it, until their deletion is asked for again, or they are counted,
 * or gone. */

void jr_expectations_finalizer_lost(struct jr_expectations *e, const struct jr_object_key *key,
                                    struct jr_str pod_uid);
void jr_expectations_forget_finalizer_lost(struct jr_expectations *e,
                                           const struct jr_object_key *key, struct jr_str pod_uid);
/** All of their uids, copied into the arena. */
struct jr_strs jr_expectations_finalizers_lost(const struct jr_expectations *e,
                                               const struct jr_object_key *key,
                                               struct jr_arena *arena);

/** Forgets all of a Job, whatever its uid. */
void jr_expectations_drop(struct jr_expectations *e, struct jr_str namespace, struct jr_str name);
/** Forgets the Job, which has ended, if nothing is expected of it any more. */
void jr_expectations_trim(struct jr_expectations *e, const struct jr_object_key *key);
/** How many Jobs have a record. */
size_t jr_expectations_count(const struct jr_expectations *e);

#endif
