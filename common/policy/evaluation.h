/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an evaluation, inside of this folder. */
#ifndef JR_POLICY_EVALUATION_H
#define JR_POLICY_EVALUATION_H

#include "common/policy/evaluate.h"

/* The most bytes of a rule's name, and of a message. */
#define JR_EVALUATION_TEXT_MAX ((size_t)64 << 10)

/** How much of a request is evaluated. */
enum jr_evaluation_extent {
    JR_EXTENT_NONE,
    JR_EXTENT_METADATA, /* limits on labels and annotations */
    JR_EXTENT_ALL,
};

struct jr_known_facts;

/** An evaluation as it goes on. */
struct jr_evaluation {
    const struct jr_policy_request *r;
    const struct jr_job_policy *policy; /* at present */
    struct jr_policy_findings *out;
    struct jr_limited_values is, was;
    enum jr_evaluation_extent extent;
    bool compares; /* with the old object */
    bool by_queue; /* which only gets warnings */
    struct jr_known_facts *facts;
    enum jr_status failed;
};

/** Adds a finding. rule: has `rule`, which is copied, `of`; or leniency that isn't to be. The
 * message is copied. */
void jr_evaluation_add(struct jr_evaluation *e, const struct jr_policy_finding *rule,
                       const struct jr_field_path *path, bool no_worse,
                       const struct jr_buf *message);
/** Tells whether the Job is being deleted (metadata.deletionTimestamp). */
bool jr_evaluation_is_deleted(const struct jr_policy_job *job);

/* check_limits.c */
void jr_evaluation_limit(struct jr_evaluation *e, const struct jr_limit *l);
/** Checks labels or annotations; those of the template only if all is evaluated. */
void jr_evaluation_key(struct jr_evaluation *e, const struct jr_key_limit *l);

/* check_budget.c */
/** Checks the ceilings on facts, and changes of a running Job. */
void jr_evaluation_budget(struct jr_evaluation *e, const struct jr_policy_rules *rules);

#endif
