/* SPDX-License-Identifier: Apache-2.0 */
/* Policies out of YAML or JSON files: for --policy-file of the webhook, and for the CLI. */
#ifndef JR_POLICY_LOAD_H
#define JR_POLICY_LOAD_H

#include "common/json/yaml.h"
#include "common/policy/policy.h"

/** What is wrong with a document, or only worth saying. Texts live in the loading's arena. */
struct jr_policy_problem {
    struct jr_str file;
    unsigned line; /* from 1; 0: of the whole file */
    unsigned column;
    struct jr_str policy; /* its name; n = 0: it has none */
    struct jr_str field;  /* spec.limits.parallelism.max; n = 0: of no field */
    struct jr_str message;
    bool warning;
};

struct jr_policy_source;
/** Policies as they are read, and what was found. */
struct jr_policy_loading {
    struct jr_arena arena;
    struct jr_time now;
    bool passes_over; /* documents that aren't meant for us, and suites, instead of refusing them */
    bool strict;      /* what isn't evaluated is an error */
    size_t not_evaluated;             /* ValidatingAdmissionPolicies */
    struct jr_policy_source *sources; /* one a policy */
    size_t n;
    size_t cap;
    struct jr_policy_problem *problems;
    size_t n_problems;
    size_t cap_problems;
    size_t errors; /* of them */
};

/** Whether a document is meant as one of ours, whatever its version: by its group or its kind. */
bool jr_policy_is_meant(struct jr_str api_version, struct jr_str kind);

/** now: for exceptions that have ended. */
void jr_policy_loading_init(struct jr_policy_loading *l, struct jr_time now);
void jr_policy_loading_done(struct jr_policy_loading *l);
/** Reads a stream of documents, JobPolicies or Lists of them, that came from `file`. A document
 * that is wrong is a problem, and the others are read; so is one that is something else, an unknown
 * or repeated field, and a name that was there before. ValidatingAdmissionPolicies are named.
 * Errors: JR_NOMEM. */
enum jr_status jr_policy_load(struct jr_policy_loading *l, struct jr_str file,
                              struct jr_str text) JR_MUST_USE;
/** Once all is read: what policies ask of each other, problems too; and the policies, also those
 * that can't be used, by name. The set borrows from the loading. Errors: JR_NOMEM. */
enum jr_status jr_policy_loaded(struct jr_policy_loading *l, struct jr_policy_set *ret) JR_MUST_USE;
/** Where a field of a policy that was read stands, or its nearest parent that is there. */
struct jr_policy_place {
    struct jr_str file;
    unsigned line;
    unsigned column;
};
struct jr_policy_place jr_policy_loading_place(const struct jr_policy_loading *l,
                                               const struct jr_job_policy *p,
                                               const struct jr_field_path *path);
/** The i-th policy of n, which is the caller's from then on. Each once; NULL the next time. */
struct jr_job_policy *jr_policy_loading_take(struct jr_policy_loading *l, size_t i);
/** Appends `FILE:LINE:COLUMN: policy "NAME": FIELD: MESSAGE`. */
void jr_policy_problem_write(const struct jr_policy_problem *p, struct jr_buf *out);

#endif
