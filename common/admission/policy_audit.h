/* SPDX-License-Identifier: Apache-2.0 */
/* What policies say of Jobs and CronJobs that are there already: of each policy counts, and the
 * worst. Pure. */
#ifndef JR_ADMISSION_POLICY_AUDIT_H
#define JR_ADMISSION_POLICY_AUDIT_H

#include "common/admission/kind.h"
#include "common/json/write.h"
#include "common/policy/evaluate.h"

/** So many objects are named (status.audit.worst). */
#define JR_POLICY_WORST_MAX 10

/** An object that violates a policy: its first violation. Texts lie behind it. */
struct jr_policy_worst {
    struct jr_str kind, namespace, name;
    struct jr_str rule;    /* limits.parallelism */
    struct jr_str message; /* with the field */
    size_t violations;     /* of that policy */
};

/** What became of one policy. */
struct jr_policy_tally {
    size_t checked;   /* objects that it matches */
    size_t violating; /* of these */
    size_t skipped;   /* that can't be decided: the labels of its namespace aren't known, or it
                         can't be read */
    struct jr_policy_worst *worst[JR_POLICY_WORST_MAX]; /* most violations first, then by name */
    size_t n_worst;
};

struct jr_policy_audit {
    const struct jr_policy_set *set; /* borrowed */
    struct jr_policy_tally *v;       /* as in the set */
    size_t unreadable;               /* objects */
};
/** Errors: JR_NOMEM. */
enum jr_status jr_policy_audit_init(struct jr_policy_audit *a,
                                    const struct jr_policy_set *set) JR_MUST_USE;
/** Safe on a zeroed one. */
void jr_policy_audit_done(struct jr_policy_audit *a);

/** An object as an API server has stored it. */
struct jr_policy_audited {
    const struct jr_admission_kind *kind;
    struct jr_node *root;
    bool excluded; /* its namespace is, from the webhook */
};
/** Evaluates the object as if it were made now. context: of its namespace and the time. Errors:
 * JR_NOMEM. */
enum jr_status jr_policy_audit_add(struct jr_policy_audit *a,
                                   const struct jr_policy_audited *object,
                                   const struct jr_policy_context *context,
                                   const struct jr_profile *profile) JR_MUST_USE;
/** An object that can't be read: no policy is decided. */
void jr_policy_audit_skip(struct jr_policy_audit *a);

/** Members of an object, as status.audit has them: checked, violating, skipped and worst, whose
 * messages have so many bytes at most. */
void jr_policy_tally_write(const struct jr_policy_tally *t, size_t message_max,
                           struct jr_writer *w);

#endif
