/* Inside of the store: its entries and indexes, shared by the two files that make it up. */
#ifndef JR_CONTROLLER_STORE_PARTS_H
#define JR_CONTROLLER_STORE_PARTS_H

#include <sys/queue.h>

#include "common/base/map.h"
#include "controller/store.h"

struct jr_job_entry {
    struct jr_link by_key; /* seen: the round of a list that has shown it */
    struct jr_link by_uid;
    struct jr_job *job;
    bool irregular;                     /* its selector is not the generated one */
    TAILQ_ENTRY(jr_job_entry) in_space; /* of the irregular ones */
};
TAILQ_HEAD(jr_job_entries, jr_job_entry);

struct jr_pod_entry {
    struct jr_link by_key; /* seen: the round of a list that has shown it */
    struct jr_pod *pod;
    struct jr_owner *owner;             /* NULL: an orphan without the label */
    TAILQ_ENTRY(jr_pod_entry) of_owner; /* owned, or an orphan that bears the label */
    TAILQ_ENTRY(jr_pod_entry) in_space; /* of the orphans; tqe_prev is NULL for others */
};
TAILQ_HEAD(jr_pod_entries, jr_pod_entry);
/* There are a hundred thousand of them: one word more takes 16 bytes each of malloc's. */
_Static_assert(sizeof(struct jr_pod_entry) <= 72, "an entry of the cache has grown");

/** Pods that belong to a uid, by owner reference or, without any, by the label that a generated
 * selector asks for. */
struct jr_owner {
    struct jr_link link;
    struct jr_pod_entries owned;
    struct jr_pod_entries labelled;
    size_t uid_n;
    char uid[];
};

/** What of a namespace has to be gone through. */
struct jr_space {
    struct jr_link link;
    struct jr_job_entries irregular;
    struct jr_pod_entries orphans;
    size_t name_n;
    char name[];
};

/** One stream's part of the cache. */
struct jr_store_part {
    struct jr_str namespace; /* {NULL, 0}: any */
    uint64_t version[2];     /* by kind */
};

struct jr_store {
    struct jr_str finalizer;
    struct jr_map jobs; /* by namespace and name */
    struct jr_map job_uids;
    struct jr_map pods; /* by namespace and name */
    struct jr_map owners;
    struct jr_map spaces;
    unsigned round; /* of the relists */
    struct jr_store_part *parts;
    size_t n_parts;
};

struct jr_space *jr_store_find_space(const struct jr_store *s, struct jr_str name);
/** Makes the namespace's node where it is missing; NULL without memory. */
struct jr_space *jr_store_need_space(struct jr_store *s, struct jr_str name);
/** Frees it if nothing is left in it. NULL-safe. */
void jr_store_drop_space(struct jr_store *s, struct jr_space *sp);
/** jr_store_see for Pods. */
bool jr_store_see_pod(struct jr_store *s, struct jr_str namespace, struct jr_str name);
/** Whether an object of this namespace should have been put in the round, and was not. */
bool jr_store_missed(const struct jr_store_round *round, struct jr_str namespace, unsigned seen);
/** The uid that a generated selector asks for; {NULL, 0} for any other selector. */
struct jr_str jr_store_generated_uid(const struct jr_selector *sel);

#endif
