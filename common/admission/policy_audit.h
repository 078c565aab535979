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

/** The counts of one policy. Finished Jobs are counted apart: they make no more Pods. */
struct jr_policy_tally {
    size_t checked;   /* objects that it matches */
    size_t violating; /* of these */
    size_t finished;  /* Jobs that it matches */
    size_t finished_violating;
    size_t skipped; /* that can't be decided: the labels of its namespace aren't known, or it
                       can't be read */
    struct jr_policy_worst *worst[JR_POLICY_WORST_MAX]; /* most violations first, then by name */
    size_t n_worst;
};

#define JR_POLICY_ALL SIZE_MAX
/** A violation, or why an object is skipped. */
struct jr_policy_audit_entry {
    struct jr_policy_audit_entry *next;
    size_t policy; /* its place in the set; JR_POLICY_ALL: no policy could be decided */
    struct jr_str where, kind, namespace, name;
    bool finished;
    bool skipped;
    struct jr_str rule;    /* n = 0: skipped */
    struct jr_str message; /* with the field; or why it is skipped */
};

struct jr_policy_audit {
    const struct jr_policy_set *set;            /* borrowed */
    struct jr_policy_tally *v;                  /* as in the set */
    size_t unreadable;                          /* objects */
    bool keeps;                                 /* entries; else the worst are all that is told */
    struct jr_policy_audit_entry *first, *last; /* as they came */
    struct jr_arena arena;                      /* of the entries */
};
/** keeps: each violation, for as long as the audit lives. Errors: JR_NOMEM. */
enum jr_status jr_policy_audit_init(struct jr_policy_audit *a, const struct jr_policy_set *set,
                                    bool keeps) JR_MUST_USE;
/** Safe on a zeroed one. */
void jr_policy_audit_done(struct jr_policy_audit *a);

/** An object as an API server has stored it. */
struct jr_policy_audited {
    const struct jr_admission_kind *kind;
    struct jr_node *root; /* NULL: it can't be read */
    struct jr_str where;  /* FILE:LINE; n = 0: not of a file */
    bool excluded;        /* its namespace is, from the webhook */
};
/** Evaluates the object as if it were made now. context: of its namespace and the time. Errors:
 * JR_NOMEM. */
enum jr_status jr_policy_audit_add(struct jr_policy_audit *a,
                                   const struct jr_policy_audited *object,
                                   const struct jr_policy_context *context,
                                   const struct jr_profile *profile) JR_MUST_USE;
/** Counts an object that can't be read, and why: no policy is decided. Errors: JR_NOMEM. */
enum jr_status jr_policy_audit_skip(struct jr_policy_audit *a,
                                    const struct jr_policy_audited *object,
                                    const char *why) JR_MUST_USE;

/** Members of an object, as status.audit has them: checked, violating, finished, skipped and worst,
 * whose messages have so many bytes at most. */
void jr_policy_tally_write(const struct jr_policy_tally *t, size_t message_max,
                           struct jr_writer *w);

#endif
