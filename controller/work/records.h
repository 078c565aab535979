/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of a Job between its syncs, in memory only and belonging to its uid: pod
 * failure backoff, the terminal status written, the newest versions written. */
#ifndef JR_CONTROLLER_WORK_RECORDS_H
#define JR_CONTROLLER_WORK_RECORDS_H

#include "common/kube/object_key.h"
#include "controller/reconcile/snapshot.h"
#include "controller/work/writers.h"

struct jr_record {
    struct jr_backoff_record backoff;
    bool backoff_written; /* a status tells of these failures, or of earlier ones */
    bool finished_mark;
    uint64_t written_job_version; /* 0: none */
    uint64_t written_pod_version;
    uint64_t ambiguous_job_version; /* 0: none */
    struct jr_status_writes status_writes;
};

struct jr_records;
struct jr_records *jr_records_new(void);
void jr_records_free(struct jr_records *r);

/** All zero where nothing is remembered of this uid. */
struct jr_record jr_records_get(const struct jr_records *r, const struct jr_object_key *key);
/** Remembers; replaces what there was, also of an older Job of this name. */
void jr_records_put(struct jr_records *r, const struct jr_object_key *key,
                    const struct jr_record *record);
/** Forgets all of a Job, whatever its uid. */
void jr_records_drop(struct jr_records *r, struct jr_str namespace, struct jr_str name);
size_t jr_records_count(const struct jr_records *r);

#endif
