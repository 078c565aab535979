/* What names a Job in memory: the key of the queue, and the uid that tells a Job from its successor
 * of the same name. */
#ifndef JR_CONTROLLER_KEY_H
#define JR_CONTROLLER_KEY_H

#include "common/api/job.h"

/** Borrowed. */
struct jr_job_key {
    struct jr_str namespace;
    struct jr_str name;
    struct jr_str uid;
};

static inline struct jr_job_key jr_job_key_of(const struct jr_job *job)
{
    return (struct jr_job_key){ job->meta.namespace, job->meta.name, job->meta.uid };
}

/** namespace/name; names have 63 and 253 bytes at most, what is longer does not fit. */
#define JR_KEY_MAX 512

#endif
