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
/** Indexed Pods are named NAME-INDEX, which must be a DNS label. */
void jr_validate_indexed_hostname(const struct jr_job *job, struct jr_errlist *errs);
/** The rules of a JobSpec but for its selector: of a Job's, and of the one in a CronJob's template.
 * node is the same spec as a tree. */
void jr_validate_spec(const struct jr_job_spec *spec, const struct jr_node *node,
                      const struct jr_pod_opts *pod, const struct jr_field_path *path,
                      struct jr_errlist *errs);
/** The same for a Job, selector included. */
void jr_validate_job_spec(const struct jr_object *job, const struct jr_spec_opts *opts,
                          struct jr_errlist *errs);

void jr_validate_failure_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs);
void jr_validate_success_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs);
void jr_validate_managed_by(struct jr_str managed_by, const struct jr_field_path *path,
                            struct jr_errlist *errs);

#endif
