/* SPDX-License-Identifier: Apache-2.0 */
/* What a Job may come to: Pods, time, resources. Each fact is a bound that holds while
 *   - it is one run of one spec: never changed, suspended or made again;
 *   - nobody else makes, relabels, adopts or strips its Pods of finalizers;
 *   - kubelets finish deletions within the grace period, and the controller is up.
 * Definitions: docs/reference/facts.md. Pure; arithmetic saturates at INT64_MAX. */
#ifndef JR_JOB_FACTS_H
#define JR_JOB_FACTS_H

#include "common/pod/requests.h"
#include "common/schema/job.h"

enum jr_job_kind {
    JR_JOB_NON_INDEXED,
    JR_JOB_INDEXED,
    JR_JOB_WORK_QUEUE, /* completions null */
    JR_JOB_EXTERNAL,   /* managedBy another controller: nothing is known */
};
/** As in CEL and in output: "NonIndexed". */
const char *jr_job_kind_text(enum jr_job_kind kind);

/** Why a fact has no bound; bits. */
enum jr_unbounded {
    JR_UNBOUNDED_EXTERNAL = 1u << 0, /* managedBy another controller */
    JR_UNBOUNDED_IGNORED = 1u << 1,  /* a podFailurePolicy rule ignores failures */
    JR_UNBOUNDED_DEADLINE = 1u << 2, /* activeDeadlineSeconds is not set */
    JR_UNBOUNDED_CLAIMS = 1u << 3,   /* devices come by resourceClaims */
    JR_UNBOUNDED_QUANTITY = 1u << 4, /* requests of more digits than are computed with */
};
#define JR_UNBOUNDED_MAX 5

/** What a bound is made of, for its words. */
enum jr_fact_basis {
    JR_BASIS_NONE, /* there is no bound */
    JR_BASIS_ZERO, /* no Pods */
    JR_BASIS_PARALLELISM,
    JR_BASIS_COMPLETIONS,
    JR_BASIS_RETRIES,         /* completions and backoffLimit */
    JR_BASIS_QUEUE,           /* parallelism and backoffLimit */
    JR_BASIS_INDEXES,         /* completions, each with backoffLimitPerIndex */
    JR_BASIS_SUCCESS,         /* successPolicy */
    JR_BASIS_HELD,            /* those at once, and backoffLimit that terminate */
    JR_BASIS_DEADLINE,        /* activeDeadlineSeconds and grace */
    JR_BASIS_REPLACED,        /* Pod seconds: those at once, until the last has ended */
    JR_BASIS_TERMINATING,     /* likewise; each Pod's grace beside them */
    JR_BASIS_TEMPLATE_SECONDS /* likewise; by the template's activeDeadlineSeconds */
};

struct jr_fact {
    unsigned reasons; /* enum jr_unbounded; 0: v is the bound */
    enum jr_fact_basis basis;
    int64_t v;
};

struct jr_facts_options {
    struct jr_str controller; /* the value of managedBy that is our own */
    struct jr_strs trusted;   /* others whose controllers run Jobs as the built-in one does */
    bool disruptions_aside;   /* Pods that are made again for a disruption don't count */
};

/** Borrows the spec and the template's tree. */
struct jr_job_facts {
    enum jr_job_kind kind;
    struct jr_fact pods_ever;    /* made in the Job's life */
    struct jr_fact pods_at_once; /* active at one time */
    struct jr_fact pods_held;    /* active and terminating at one time */
    struct jr_fact runtime_s;    /* from the start to the end of the last Pod */
    struct jr_fact pod_seconds;  /* time of all Pods together */
    struct jr_opt_i32 retries_per_index;
    struct jr_opt_i32 failed_indexes;
    unsigned unbounded; /* the reasons of all */

    /* What they were made of. */
    const struct jr_job_spec *spec;
    const struct jr_node *pod_spec;
    bool disruptions_aside; /* a rule ignores them, so that bounds hold but for those */
    int64_t parallelism;
    int64_t completions; /* not of work queues */
    int64_t retries;
    int64_t width;                  /* Pods at once */
    int64_t before_success;         /* completions without meeting a rule of successPolicy */
    ptrdiff_t success_rule;         /* of that; -1: none counts */
    ptrdiff_t ignoring_rule;        /* of podFailurePolicy; -1: none */
    int64_t grace_s;                /* of the template */
    struct jr_opt_i64 pod_deadline; /* of the template, seconds */
    struct jr_pod_requests requests;
    bool gathered;            /* requests are */
    struct jr_strs resources; /* that a Pod asks for, sorted; v NULL: not yet gathered */
};

/** Computes the facts of a defaulted spec and its template's spec. Errors: JR_NOMEM. */
enum jr_status jr_job_facts_init(struct jr_job_facts *f, const struct jr_job_spec *spec,
                                 const struct jr_node *pod_spec, const struct jr_facts_options *o,
                                 struct jr_arena *a) JR_MUST_USE;

/** The most that a Job may hold of a resource, or of several together. */
struct jr_resource_fact {
    unsigned reasons;         /* enum jr_unbounded; 0: v is the bound */
    const struct jr_fact *of; /* pods_held, or pod_seconds */
    struct jr_quantity each;  /* a Pod's request, as jr_pod_requests_get(); or a sum of them */
    struct jr_quantity v;     /* at one time; or in all, times seconds */
};

/** Computes the requests of all Pods at one time. A resource that ends with '*' is the sum of all
 * that begin so. Errors: JR_NOMEM. */
enum jr_status jr_job_requests_at_once(struct jr_job_facts *f, struct jr_str resource,
                                       struct jr_arena *a,
                                       struct jr_resource_fact *ret) JR_MUST_USE;
/** Computes requests times seconds, over the run; resource as above. Errors: JR_NOMEM. */
enum jr_status jr_job_resource_seconds(struct jr_job_facts *f, struct jr_str resource,
                                       struct jr_arena *a,
                                       struct jr_resource_fact *ret) JR_MUST_USE;
/** Whether the resource's name ends with '*'. */
bool jr_resource_is_glob(struct jr_str resource);
/** Whether a device plugin, or a driver in its place, hands it out: names that end with '*', too.
 */
bool jr_resource_is_device(struct jr_str resource);
/** Finds the resources that its Pods ask for, sorted. Errors: JR_NOMEM. */
enum jr_status jr_job_resources(struct jr_job_facts *f, struct jr_arena *a,
                                struct jr_strs *ret) JR_MUST_USE;

/* ---- words (facts_words.c); errors are the buffer's ---- */

/** Appends how the bound comes about, "200 completions, 10 retries", or why there is none. */
void jr_fact_explain(const struct jr_job_facts *f, const struct jr_fact *fact, struct jr_buf *out);
void jr_resource_fact_explain(const struct jr_job_facts *f, const struct jr_resource_fact *fact,
                              struct jr_buf *out);
/** Appends one reason. */
void jr_unbounded_explain(const struct jr_job_facts *f, enum jr_unbounded reason,
                          struct jr_buf *out);
/** Appends seconds as Go's durations are written, without units of zero at the end: "1h30m". */
void jr_seconds_write(int64_t s, struct jr_buf *out);
/** Appends resource seconds as hours, with six digits. */
void jr_hours_write(const struct jr_quantity *seconds, struct jr_buf *out);

#endif
