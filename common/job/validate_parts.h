/* The parts of validation, inside of this folder. All add to errs; paths are the caller's. */
#ifndef JR_JOB_VALIDATE_PARTS_H
#define JR_JOB_VALIDATE_PARTS_H

#include "common/job/rules.h"
#include "common/job/validate.h"

/** What an update may relax (upstream: JobValidationOptions). */
struct jr_spec_opts {
    bool prefixed_labels;     /* the prefixed generated labels are required */
    bool any_selector_values; /* label values in the selector's expressions are not checked */
};

void jr_validate_labels(const struct jr_labels *labels, const struct jr_field_path *path,
                        enum jr_rule key_rule, enum jr_rule value_rule, struct jr_errlist *errs);
void jr_validate_annotations(const struct jr_labels *annotations, const struct jr_field_path *path,
                             enum jr_rule key_rule, enum jr_rule size_rule,
                             struct jr_errlist *errs);
void jr_validate_meta(const struct jr_meta *meta, struct jr_errlist *errs);
void jr_validate_meta_update(const struct jr_meta *meta, const struct jr_meta *old,
                             struct jr_errlist *errs);

/** ValidateJob: metadata, the generated labels, the spec, the names of Indexed Pods. */
void jr_validate_job(const struct jr_judged *job, const struct jr_spec_opts *opts,
                     struct jr_errlist *errs);
/** ValidateJobSpec, selector included. */
void jr_validate_job_spec(const struct jr_judged *job, const struct jr_spec_opts *opts,
                          struct jr_errlist *errs);

void jr_validate_failure_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs);
void jr_validate_success_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs);
void jr_validate_managed_by(struct jr_str managed_by, const struct jr_field_path *path,
                            struct jr_errlist *errs);

/** The core rules of a Pod template, in upstream's order. template: the PodTemplateSpec's tree. */
void jr_validate_template(const struct jr_node *template, const struct jr_field_path *path,
                          struct jr_errlist *errs);
/** Volumes; the names of the good ones go into names. */
struct jr_texts;
void jr_validate_volumes(const struct jr_node *volumes, const struct jr_field_path *path,
                         struct jr_texts *names, struct jr_errlist *errs);
void jr_validate_containers(const struct jr_node *pod_spec, const struct jr_texts *volumes,
                            const struct jr_field_path *path, struct jr_errlist *errs);
/** A container's resources. */
void jr_validate_resources(const struct jr_node *resources, const struct jr_field_path *path,
                           struct jr_errlist *errs);

/** A value out of a closed set. */
struct jr_enum_rule {
    const char *const *values; /* ended by NULL */
    enum jr_rule required;     /* for "" and absent */
    enum jr_rule unsupported;
};
void jr_validate_enum(const struct jr_enum_rule *rule, const struct jr_node *node,
                      const struct jr_field_path *path, struct jr_errlist *errs);

#endif
