/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of validation, inside of this folder. All add to errs; paths are the caller's. */
#ifndef JR_JOB_VALIDATE_PARTS_H
#define JR_JOB_VALIDATE_PARTS_H

#include "common/job/validate.h"
#include "common/pod/validate.h"
#include "common/rules/check.h"
#include "common/rules/meta.h"

/** What an update may relax (upstream: JobValidationOptions). */
struct jr_spec_opts {
    bool prefixed_labels;     /* the prefixed generated labels are required */
    bool any_selector_values; /* label values in the selector's expressions are not checked */
    struct jr_pod_opts pod;
};

/** ValidateJob: metadata, the generated labels, the spec, the names of Indexed Pods. */
void jr_validate_job(const struct jr_object *job, const struct jr_spec_opts *opts,
                     struct jr_errlist *errs);
/** The declarative rules of metadata. old: of an update, else NULL. */
void jr_validate_declared_meta(const struct jr_object *object, const struct jr_object *old,
                               struct jr_errlist *errs);
/** The declarative rules of a JobSpec: of a Job's, and of the one in a CronJob's template, each as
 * a tree. was: the stored one of an update, else NULL. */
void jr_validate_spec_declared(const struct jr_node *spec, const struct jr_node *was,
                               const struct jr_profile *profile, const struct jr_field_path *path,
                               struct jr_errlist *errs);
/** What 1.37 finds by the tags of the types, behind all else; before it nothing. old: of an update.
 */
void jr_validate_job_declared(const struct jr_object *job, const struct jr_object *old,
                              const struct jr_profile *profile, struct jr_errlist *errs);
/** Indexed Pods are named NAME-INDEX, which must be a DNS label. */
void jr_validate_indexed_hostname(const struct jr_job *job, struct jr_errlist *errs);
/** The rules of a JobSpec but for its selector: of a Job's, and of the one in a CronJob's template.
 * node is the same spec as a tree, was the stored one of an update, else NULL. */
void jr_validate_spec(const struct jr_job_spec *spec, const struct jr_node *node,
                      const struct jr_node *was, const struct jr_pod_opts *pod,
                      const struct jr_field_path *path, struct jr_errlist *errs);
/** The same for a Job, selector included. old: of an update. */
void jr_validate_job_spec(const struct jr_object *job, const struct jr_object *old,
                          const struct jr_spec_opts *opts, struct jr_errlist *errs);

void jr_validate_failure_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs);
void jr_validate_success_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs);
void jr_validate_managed_by(struct jr_str managed_by, const struct jr_field_path *path,
                            struct jr_errlist *errs);

/** The rules of spec.scheduling that run on every update, too. node is the spec as a tree, was the
 * stored one of an update, else NULL; the block may be absent. */
void jr_validate_scheduling(const struct jr_job_spec *spec, const struct jr_node *node,
                            const struct jr_node *was, const struct jr_field_path *path,
                            struct jr_errlist *errs);
/** The rules, since 1.38, of the annotations that choose a template of a Workload which another one
 * made. object is a Job or the template of Jobs in a CronJob, as a tree, was the stored one of an
 * update, else NULL; path is its own. */
void jr_validate_delegation(const struct jr_node *object, const struct jr_node *was,
                            const struct jr_field_path *path, struct jr_errlist *errs);
/** An update may not change basic into gang, nor the other way. */
void jr_validate_scheduling_variant(const struct jr_node *now, const struct jr_node *was,
                                    const struct jr_field_path *path, struct jr_errlist *errs);
/** Its declarative rules: the API server runs them behind all others, and only of what an update
 * changes. was: the stored block of an update. */
void jr_validate_scheduling_declared(const struct jr_node *now, const struct jr_node *was,
                                     bool update, const struct jr_profile *profile,
                                     const struct jr_field_path *path, struct jr_errlist *errs);

#endif
