/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating a Job by policies: which match, what they find, and what comes of it. Pure. */
#ifndef JR_POLICY_EVALUATE_H
#define JR_POLICY_EVALUATE_H

#include "common/json/field_path.h"
#include "common/policy/policy.h"
#include "common/schema/job.h"

/** A Job, defaulted, or the Job that a CronJob would make. */
struct jr_policy_job {
    const struct jr_node *root;     /* NULL: there is none */
    const struct jr_job_spec *spec; /* of it */
    const struct jr_labels *labels; /* metadata.labels */
    const struct jr_node *cron_job; /* the CronJob that is evaluated; NULL: a Job is */
};

/** The circumstances of an evaluation, beside the objects. */
struct jr_policy_context {
    const struct jr_policy_set *set;
    struct jr_str namespace;
    bool namespace_known; /* its labels are */
    struct jr_labels namespace_labels;
    bool by_queue; /* one of the installation's queues asks */
    bool offline;  /* no cluster was asked, where other webhooks may change the object */
    bool stored;   /* the object is there already: nobody makes it */
    struct jr_time now;
    struct jr_str controller; /* the value of managedBy that is our own */
    struct jr_strs trusted;   /* others whose controllers run Jobs as the built-in one does */
};

struct jr_policy_request {
    const struct jr_policy_context *context;
    bool update;
    struct jr_policy_job job;
    struct jr_policy_job old;         /* root NULL on create */
    const struct jr_field_path *spec; /* of the JobSpec: spec, or spec.jobTemplate.spec */
};

/** Why a finding of a policy that denies only warns. */
enum jr_policy_leniency {
    JR_LENIENCY_NONE,
    JR_LENIENCY_NO_WORSE, /* than the old object */
    JR_LENIENCY_QUEUE,    /* a queue changes it while it is suspended, or starts it */
};

/** A rule that isn't met. Texts are in the result's arena. */
struct jr_policy_finding {
    const struct jr_job_policy *policy;
    struct jr_str rule; /* limits.parallelism, budget.requestsAtOnce[cpu]; or failurePolicy */
    /* In what jr_policy_rules_for() gives; NULL: of failurePolicy and budget.changes. */
    const struct jr_policy_rule *of;
    const struct jr_field_path *path; /* spec.parallelism; spec, of a budget */
    struct jr_str field;              /* the path, rendered */
    struct jr_str message;            /* without the policy and the path */
    enum jr_policy_leniency leniency; /* also where the policy doesn't deny */
    bool denies;
    bool warns;
    bool audits;
};

/** A policy that matches, and the exception that applies to it. */
struct jr_policy_match {
    const struct jr_job_policy *policy;
    size_t at;                                   /* its place in the set */
    const struct jr_policy_exception *exception; /* NULL: none */
};

/* Findings of a request that are told. Of each policy that comes later there are two: the first
 * that denies, and the first that doesn't. */
#define JR_POLICY_FINDINGS_MAX 256
/** The most bytes that an evaluation takes for values it has read, beside what is told. */
#define JR_POLICY_KNOWN_MAX ((size_t)64 << 10)
/* Bytes of all messages of a request; those that come later are cut to JR_POLICY_SHORT. */
#define JR_POLICY_MESSAGES_MAX ((size_t)1 << 20)
#define JR_POLICY_SHORT ((size_t)128)

struct jr_policy_findings {
    struct jr_arena *arena;
    struct jr_policy_finding *v; /* by policy; of one its limits, then its budget */
    size_t n;
    size_t cap;
    struct jr_policy_match *matches; /* by place */
    size_t n_matches;
    /* Places of policies that aren't decided: they select namespaces by labels, which aren't known.
     */
    size_t *undecided;
    size_t n_undecided;
    size_t n_unmatched; /* policies that don't match */
};

/** Evaluates all policies of the set. An update is matched as the old object, too, and compared
 * with it where that matched or a queue asks. One that resumes a Job is evaluated as if the Job
 * were made, unless a queue asks. An update that leaves the spec as it was is evaluated by limits
 * on labels and annotations alone, unless its labels bring it under the policy, and not at all if
 * it leaves these, of an object that is being deleted if it leaves the labels. Errors: JR_NOMEM. */
enum jr_status jr_policy_evaluate(const struct jr_policy_request *r, struct jr_arena *arena,
                                  struct jr_policy_findings *ret) JR_MUST_USE;
/** Returns how many findings there are of the limit at most: of a list, those that come first. */
size_t jr_limit_findings_max(const struct jr_limit *l);
/** Whether the limit is about labels or annotations of the Job itself. */
bool jr_limit_reads_metadata(const struct jr_limit *l);
/** Whether no finding is of this rule: where its policy matches and goes by it, the Job meets it.
 */
bool jr_policy_rule_met(const struct jr_policy_findings *f, const struct jr_policy_rule *rule);
/** How many of the findings from that one on are the policy's: they stand together. */
size_t jr_policy_findings_of(const struct jr_policy_findings *f, size_t from,
                             const struct jr_job_policy *p);
/** Writes `policy "NAME": PATH: message` into the arena, behind it the reason for leniency and what
 * the policy appends. */
enum jr_status jr_policy_finding_text(const struct jr_policy_finding *f, struct jr_arena *arena,
                                      struct jr_str *ret) JR_MUST_USE;

/** Whether the policy matches one of the operations (enum jr_policy_operation).
 * *ret_namespace_needed becomes true where that depends on labels of a namespace that aren't known.
 * job: its spec isn't read.
 */
bool jr_policy_matches(const struct jr_job_policy *p, const struct jr_policy_context *c,
                       unsigned operations, const struct jr_policy_job *job,
                       bool *ret_namespace_needed);
/** Whether it matches in a namespace of that name, as far as names tell. */
bool jr_policy_names_namespace(const struct jr_job_policy *p, struct jr_str name);
/** Whether a match or a rule depends on labels of namespaces. */
bool jr_policy_selects_namespaces(const struct jr_job_policy *p);
/** Returns the first exception of the policy that applies; NULL: none does. */
const struct jr_policy_exception *jr_policy_exception_for(const struct jr_job_policy *p,
                                                          const struct jr_policy_context *c);
/** Returns when the next of the policy's exceptions ends; not set: none is left. */
struct jr_time jr_policy_next_end(const struct jr_job_policy *p, struct jr_time now);
/** Returns what the policy enforces here: its own rules, or those of the exception that applies. */
const struct jr_policy_rules *jr_policy_rules_for(const struct jr_job_policy *p,
                                                  const struct jr_policy_context *c);
/** Returns the policy, another one than p, whose default for new Jobs such as this is that value of
 * the field; NULL: there is none. */
const struct jr_job_policy *jr_policy_default_of(const struct jr_policy_context *c,
                                                 const struct jr_job_policy *p,
                                                 const struct jr_policy_job *job,
                                                 enum jr_limited_field field, int64_t v,
                                                 struct jr_str text);

/** A default that was set, or wasn't, since another policy had set the field, to something else. */
struct jr_policy_default_note {
    const struct jr_job_policy *policy;
    const struct jr_job_policy *first; /* who had set it; NULL: it was set */
    struct jr_str field;               /* ttlSecondsAfterFinished, labels[KEY] */
};
struct jr_policy_defaulted {
    struct jr_arena *arena;
    struct jr_policy_default_note *notes;
    size_t n;
    size_t cap;
    size_t n_set;       /* of them: fields that were set */
    size_t n_undecided; /* policies, as above, whose defaults were not set */
};
/** Sets the defaults of all policies that match on create, in a defaulted Job's tree, by the names
 * of the policies: the first that sets a field wins. Idempotent. A Job that no decoder takes is
 * left alone. Errors: JR_NOMEM. */
enum jr_status jr_policy_set_defaults(const struct jr_policy_context *c, struct jr_node *job,
                                      struct jr_arena *arena,
                                      struct jr_policy_defaulted *ret) JR_MUST_USE;

#endif
