/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicy (v1alpha1 of the group policy.jobreeve.dev): what a cluster's owner says about Jobs. A
 * document is compiled once into an immutable policy; a set of them is what requests are evaluated
 * by. */
#ifndef JR_POLICY_H
#define JR_POLICY_H

#include "common/pod/warnings.h"
#include "common/policy/fields.h"
#include "common/policy/limit_path.h"
#include "common/podsecurity/pod_security.h"
#include "common/rules/check.h"
#include "common/schema/quantity.h"

#define JR_POLICY_GROUP "policy.jobreeve.dev"
#define JR_POLICY_VERSION "v1alpha1"
#define JR_POLICY_API_VERSION JR_POLICY_GROUP "/" JR_POLICY_VERSION
#define JR_POLICY_KIND "JobPolicy"
#define JR_POLICY_TEST_KIND JR_POLICY_KIND "Test"
#define JR_POLICY_RESOURCE "jobpolicies"
#define JR_POLICY_PATH "/apis/" JR_POLICY_API_VERSION "/" JR_POLICY_RESOURCE

/** The queue that stops and starts Jobs where nobody says otherwise: Kueue. */
#define JR_POLICY_QUEUES "system:serviceaccount:kueue-system:kueue-controller-manager"
/** The controller that is trusted, likewise: Kueue's, which runs Jobs in another cluster. */
#define JR_POLICY_TRUSTED_CONTROLLERS "kueue.x-k8s.io/multikueue"

/** spec.validationActions; bits. */
enum jr_validation_action {
    JR_ACTION_DENY = 1u << 0,
    JR_ACTION_WARN = 1u << 1,
    JR_ACTION_AUDIT = 1u << 2,
};
#define JR_POLICY_ACTIONS 3
/** Their names: "Deny". */
extern const struct jr_policy_action {
    const char *name;
    unsigned bit;
} jr_policy_actions[JR_POLICY_ACTIONS];
/** Returns the bit of an action's name; 0: it is none. */
unsigned jr_policy_action_of(struct jr_str name);

/** spec.match.operations; bits. */
enum jr_policy_operation { JR_OPERATION_CREATE = 1u << 0, JR_OPERATION_UPDATE = 1u << 1 };

/** spec.match.kinds; bits. */
enum jr_policy_kind { JR_POLICY_OF_JOBS = 1u << 0, JR_POLICY_OF_CRON_JOBS = 1u << 1 };

/** A rule as findings, `lift` and suites name it; the first member of each. */
struct jr_policy_rule {
    struct jr_str name;               /* limits.parallelism, budget.requestsAtOnce[cpu] */
    const struct jr_field_path *path; /* in the policy's document: spec.limits.parallelism */
};

/** The least or the most that a value may be. */
struct jr_limit_bound {
    enum jr_limit_bound_kind {
        JR_BOUND_NONE,
        JR_BOUND_NUMBER,
        JR_BOUND_QUANTITY,
        JR_BOUND_DURATION,
    } kind;
    int64_t v;                   /* of a number; milliseconds of a duration */
    const struct jr_quantity *q; /* of a quantity */
    struct jr_str text;          /* as it is written: "24h" */
};

/** Less than, equal to or greater than 0; 0 where they are of two kinds. */
int jr_limit_bound_cmp(const struct jr_limit_bound *a, const struct jr_limit_bound *b);

/** Ways to read the value that a limit is about. */
enum jr_limit_as {
    JR_LIMIT_AS_IS,
    JR_LIMIT_AS_NAME,         /* metadata.name, or what generateName will make */
    JR_LIMIT_AS_SUSPEND,      /* of a Job that is made */
    JR_LIMIT_AS_TOLERATION,   /* of spec.tolerations, whether one is of the taint `key` */
    JR_LIMIT_AS_IMAGE,        /* with its registry and its tag */
    JR_LIMIT_AS_REQUEST,      /* of the resource `key`: the container's request, else its limit */
    JR_LIMIT_AS_LIMIT,        /* likewise its limit */
    JR_LIMIT_AS_JOBS_PER_DAY, /* of a CronJob's schedule: the most starts in 24 hours */
    JR_LIMIT_AS_SHORTEST_INTERVAL, /* the least time between two */
    JR_LIMIT_AS_JOBS_AT_ONCE,      /* how many of its Jobs run beside each other at most */
};

/** A constraint on each value that a path leads to; of spec.limits. Several may be one rule, and
 * have its name at the same address. */
struct jr_limit {
    struct jr_policy_rule rule;
    struct jr_limit_path of;
    enum jr_limit_as as;
    struct jr_str key;           /* of some of these */
    enum jr_limited_field field; /* JR_LIMITED_FIELDS: none of these */
    struct jr_opt_bool required;
    bool forbidden;       /* of a bool: must not be true */
    bool skips_generated; /* labels that the API server puts on each Job's Pods */
    struct jr_limit_bound min;
    struct jr_limit_bound max;
    struct jr_strs values; /* globs of texts, numbers and bools as JSON has them; n = 0: any */
    struct jr_strs excluded;
};

#define JR_CEILING_MAP(X)                 \
    X(PODS_AT_ONCE, "podsAtOnce")         \
    X(PODS_EVER, "podsEver")              \
    X(RUNTIME, "runtime")                 \
    X(REQUESTS_AT_ONCE, "requestsAtOnce") \
    X(RESOURCE_HOURS, "resourceHours")
enum jr_ceiling_kind {
#define X(name, text) JR_CEILING_##name,
    JR_CEILING_MAP(X)
#undef X
};
/** As in spec.budget: "podsEver". */
const char *jr_ceiling_name(enum jr_ceiling_kind kind);

/** The most that a fact of the Job may be; of spec.budget. */
struct jr_ceiling {
    struct jr_policy_rule rule;
    enum jr_ceiling_kind kind;
    struct jr_str resource;      /* of the last two, a name or a prefix with '*'; else {NULL, 0} */
    int64_t v;                   /* Pods, or seconds of runtime */
    const struct jr_quantity *q; /* of the last two: the requests, or times seconds */
    struct jr_str text;          /* as it is written: "24h" */
};

/** spec.podSecurity. */
struct jr_policy_pod_security {
    struct jr_policy_rule rule;
    bool set;
    bool of_namespace; /* what the Job's namespace enforces on Pods */
    struct jr_pod_security standard;
};

/** Rules that are enforced: a policy's own, or those that an exception leaves. */
struct jr_policy_rules {
    struct {
        const struct jr_limit **v; /* fields, labels and annotations, then spec.limits.fields */
        size_t n, cap;
    } limits;
    /* Hashes of what each limit reads, jr_limit_reading(); NULL: the policy is unusable. */
    const uint64_t *readings;
    struct {
        struct jr_ceiling *v; /* by kind, then resource */
        size_t n;
    } budget;
    struct jr_policy_pod_security pod_security;
    bool reads_metadata;    /* a limit is about labels or annotations */
    bool disruptions_aside; /* budget.disruptions: Ignored */
    bool refuses_changes;   /* budget.changes: Refused */
};

struct jr_policy_exception {
    struct jr_strs namespaces; /* exact names, sorted */
    struct jr_time until;
    struct jr_str reason;
    struct jr_policy_rules rules;
};

/** One of spec.defaults that is a number or a text. */
struct jr_policy_default {
    enum jr_limited_field field;
    bool overrides; /* the value that an API server sets by itself */
    int64_t v;      /* of numbers */
    struct jr_str text;
};

/** Labels that one policy may set by default, of the Job and of its template each, and that all of
 * them may set: each review reserves the memory. */
#define JR_POLICY_LABELS_MAX 32
#define JR_POLICIES_LABELS_MAX 8192

/** Immutable. All of it lives in its own arena; nothing is borrowed from the document. */
struct jr_job_policy {
    struct jr_arena arena;
    struct jr_str name;
    struct jr_str uid; /* n = 0: of a file */
    int64_t generation;
    struct jr_str message; /* stands behind each denial and warning; n = 0: none */
    struct {
        struct jr_strs namespaces; /* globs; n = 0: all */
        struct jr_strs exclude_namespaces;
        struct jr_selector namespace_selector; /* not set: all */
        struct jr_selector object_selector;
        struct jr_strs requests; /* globs of resources; n = 0: whatever Pods ask for */
        unsigned kinds;          /* enum jr_policy_kind */
        unsigned operations;     /* enum jr_policy_operation */
    } match;
    unsigned actions; /* enum jr_validation_action */
    bool fail_open;   /* failurePolicy: Ignore */
    /* Why it can't be used, its first fault: "spec.limits.parallelism.max: ..."; n = 0: it can.
     * What it matches is then denied, unless it fails open. */
    struct jr_str unusable;
    struct {
        struct jr_policy_default *v;
        size_t n;
        struct jr_labels labels;
        struct jr_labels template_labels;
    } defaults;
    struct jr_policy_rules rules;
    struct {
        struct jr_policy_exception *v;
        size_t n;
    } exceptions;
};

/** Compiles a document (its apiVersion and kind are the caller's to check). Faults go to errs, with
 * the field; what is only worth saying goes to warnings: a default without a limit on the same
 * field, an exception that has ended. A policy with faults is returned as well, unusable; with one
 * in spec.match it matches everything. Of an exception's limit each property takes the place of the
 * policy's own, of its budget each ceiling. The caller frees. Errors: JR_NOMEM. */
enum jr_status jr_job_policy_compile(const struct jr_node *object, struct jr_time now,
                                     struct jr_errlist *errs, struct jr_warnings *warnings,
                                     struct jr_job_policy **ret) JR_MUST_USE;
void jr_job_policy_free(struct jr_job_policy *p);

/** Policies, sorted by name, each name once. Borrows them. */
struct jr_policy_set {
    struct jr_job_policy **v;
    size_t n;
};
/** Sorts in place. */
void jr_policy_set_sort(struct jr_policy_set *set);

/** What a policy asks of itself that others of the set decide: labels that it sets by default and
 * another one selects on are refused, and such as make too many with the others'. Adds to errs. */
void jr_job_policy_check_others(const struct jr_job_policy *p, const struct jr_policy_set *others,
                                struct jr_errlist *errs);

/** Whether a text has a '*' or a '?'. */
bool jr_is_glob(struct jr_str s);
/** Whether s is matched: '*' is any number of characters, '?' one. */
bool jr_glob_matches(struct jr_str glob, struct jr_str s);
/** Whether one of the globs matches s. */
bool jr_globs_match(const struct jr_strs *globs, struct jr_str s);

#endif
