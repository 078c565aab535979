/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an evaluation, inside of this folder. */
#ifndef JR_POLICY_EVALUATION_H
#define JR_POLICY_EVALUATION_H

#include "common/job/cron_facts.h"
#include "common/policy/evaluate.h"

/* The most bytes of a message. */
#define JR_EVALUATION_TEXT_MAX ((size_t)64 << 10)

/** Parts of a request that are evaluated. */
enum jr_evaluation_extent {
    JR_EXTENT_SPEC = 1u << 0,     /* the Job's spec */
    JR_EXTENT_METADATA = 1u << 1, /* labels and annotations */
    JR_EXTENT_CRON_JOB = 1u << 2, /* a CronJob's own fields */
    JR_EXTENT_ALL = JR_EXTENT_SPEC | JR_EXTENT_METADATA | JR_EXTENT_CRON_JOB,
};

/* Readings of limits' values that are kept, and the most that they take. */
#define JR_EVALUATION_READINGS 128

struct jr_known_facts;
struct jr_known_pod_security;
struct jr_limit_value;

/** An evaluation as it goes on. */
struct jr_evaluation {
    const struct jr_policy_request *r;
    const struct jr_job_policy *policy; /* at present */
    struct jr_policy_findings *out;
    /* Walks of the limit at present, in the new and the old object; path NULL: not begun. They are
     * here since the compiler would clear them anew for each limit. */
    struct jr_limit_walk walk, old_walk;
    /* Values of the new object, as limits have read them: many policies limit the same fields. */
    struct jr_known_values {
        const struct jr_limit *of; /* which has read them, as all of its reading; NULL: none has */
        uint64_t reading;
        size_t n;                       /* more than are kept: each limit reads for itself */
        const struct jr_limit_value *v; /* in `known` */
        bool is_set;                    /* one of them is */
    } values[JR_EVALUATION_READINGS];
    struct jr_arena known;
    size_t looked_at; /* values of the new and the old object */
    size_t old_looked_at;
    size_t message_bytes; /* of all findings */
    unsigned extent;      /* of enum jr_evaluation_extent, for the policy at present */
    bool compares;        /* the policy at present, with the old object */
    bool by_queue;        /* which stops the Job or keeps it stopped, and only gets warnings */
    bool by_queue_start;  /* which starts the Job, and only gets warnings about where Pods run */
    struct jr_known_facts *facts;
    struct jr_known_pod_security *pod_security;
    struct jr_known_cron_facts {
        bool asked;
        bool known;
        struct jr_cron_facts facts;
    } cron_facts[2]; /* of the new and the old CronJob */
    enum jr_status failed;
};

/** Adds a finding. rule: the policy's, whose name stays. The message is copied. */
void jr_evaluation_add(struct jr_evaluation *e, const struct jr_policy_rule *rule,
                       const struct jr_field_path *path, bool no_worse,
                       const struct jr_buf *message);
/** Tells whether the Job is being deleted (metadata.deletionTimestamp). */
bool jr_evaluation_is_deleted(const struct jr_policy_job *job);

/* check_limits.c */
/** Checks each value that a limit is about. */
void jr_evaluation_limits(struct jr_evaluation *e, const struct jr_policy_rules *rules);
/** Results of a limit's trial by a document. */
struct jr_limit_trial {
    bool reads;   /* some value that is there */
    bool refuses; /* one of these */
    bool forbids; /* one of these, whatever it is */
};
/** Tries a limit that takes values as they are on a Job's document, of which it may have parts
 * only. Another limit reads nothing. */
struct jr_limit_trial jr_limit_try(const struct jr_limit *l, const struct jr_node *job);

/* defaults.c */
/** Sets the default's field below a JobSpec. Errors: JR_NOMEM, JR_TYPE. */
enum jr_status jr_policy_default_write(const struct jr_policy_default *d,
                                       struct jr_node *spec) JR_MUST_USE;
/** Finds the labels of a Job, or of its Pod template, and makes them where there are none. Errors:
 * JR_NOMEM, JR_TYPE. */
enum jr_status jr_policy_default_labels(struct jr_node *job, bool of_template,
                                        struct jr_node **ret) JR_MUST_USE;

/* check_cron_facts.c */
/** Returns a fact of the new or the old CronJob: starts in a day, milliseconds, or Jobs, of which
 * INT64_MAX are unbounded. False: its schedule can't be read, which is refused elsewhere. */
bool jr_evaluation_cron_fact(struct jr_evaluation *e, enum jr_limit_as as, bool old, int64_t *ret);
/** Appends what is said of the new CronJob's fact. */
void jr_evaluation_cron_fact_write(struct jr_evaluation *e, enum jr_limit_as as,
                                   struct jr_buf *out);

/* check_pod_security.c */
/** Checks the Pod template, by the level and version that the rule or the namespace says. */
void jr_evaluation_pod_security(struct jr_evaluation *e, const struct jr_policy_pod_security *p);

/* check_budget.c */
/** Checks the ceilings on facts, and changes of a running Job. */
void jr_evaluation_budget(struct jr_evaluation *e, const struct jr_policy_rules *rules);
/** Returns the facts of the new or the old Job. NULL: no memory. */
const struct jr_job_facts *jr_evaluation_facts(struct jr_evaluation *e, bool old);

#endif
