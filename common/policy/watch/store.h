/* SPDX-License-Identifier: Apache-2.0 */
/* The policies in force, and the Namespaces' labels: written by one thread, read by those that
 * answer requests. */
#ifndef JR_POLICY_WATCH_STORE_H
#define JR_POLICY_WATCH_STORE_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/policy/evaluate.h"

/** Where a policy comes from. Of two with one name a file's is in force. */
enum jr_policy_origin { JR_POLICY_OF_API, JR_POLICY_OF_FILE };
#define JR_POLICY_ORIGINS 2

/** The policies in force at one time. Immutable, counted. */
struct jr_policy_snapshot {
    struct jr_policy_set set;
    bool selects_namespaces;          /* one of them does, by labels */
    size_t findings_cost;             /* bytes that findings and labels of all may take at most */
    struct jr_policy_entry **entries; /* of the store; as in set */
    _Atomic unsigned refs;
};

struct jr_policy_store;
/** An empty one. */
struct jr_policy_store *jr_policy_store_new(void);
/** Snapshots that are held live on. NULL-safe. */
void jr_policy_store_free(struct jr_policy_store *s);

/* Of the one thread that writes. What is changed is in force from jr_policy_store_publish on. */

/** Takes the policy over. One with the same name and origin goes. A
 * list has shown it. */
void jr_policy_store_put(struct jr_policy_store *s, enum jr_policy_origin origin,
                         struct jr_job_policy *policy);
/** Returns whether there was one. */
bool jr_policy_store_remove(struct jr_policy_store *s, enum jr_policy_origin origin,
                            struct jr_str name);
/** NULL: there is none. Borrowed until it is changed. */
const struct jr_job_policy *jr_policy_store_find(const struct jr_policy_store *s,
                                                 enum jr_policy_origin origin, struct jr_str name);
/** Begins a list of all policies of the origin. */
void jr_policy_store_begin(struct jr_policy_store *s, enum jr_policy_origin origin);
/** Notes that the list has shown this policy, or any that there is ({NULL, 0}), as it was. */
void jr_policy_store_see(struct jr_policy_store *s, enum jr_policy_origin origin,
                         struct jr_str name);
/** Removes and logs what the list hasn't shown. log may be NULL. */
void jr_policy_store_sweep(struct jr_policy_store *s, enum jr_policy_origin origin,
                           struct jr_log *log);
/** Counts those of the origin. */
size_t jr_policy_store_count(const struct jr_policy_store *s, enum jr_policy_origin origin);
void jr_policy_store_publish(struct jr_policy_store *s);
/** Sets jobreeve_policy_generation, jobreeve_policy_unusable, jobreeve_policy_evaluations_total and
 * jobreeve_policy_exception_end_timestamp_seconds of what is in force. */
void jr_policy_store_metrics(struct jr_policy_store *s, struct jr_time now,
                             struct jr_metrics *metrics);

/* Of any thread. */

/** What is in force now, the caller's reference; an empty snapshot where nothing is. */
struct jr_policy_snapshot *jr_policy_store_get(struct jr_policy_store *s);
/** One more reference to it. */
struct jr_policy_snapshot *jr_policy_snapshot_ref(struct jr_policy_snapshot *snapshot);
/** NULL-safe. */
void jr_policy_snapshot_unref(struct jr_policy_snapshot *snapshot);
static inline void jr_policy_snapshot_unrefp(struct jr_policy_snapshot **snapshot)
{
    jr_policy_snapshot_unref(*snapshot);
}
/** Counts what the policies that matched came to: of each action "pass", "fail", "excepted" where
 * an exception applied and nothing was found, or "lenient" where a finding of one that denies only
 * warned. */
void jr_policy_snapshot_count(const struct jr_policy_snapshot *snapshot,
                              const struct jr_policy_findings *findings);

#endif
