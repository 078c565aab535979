/* Defaulting and selector generation of batch/v1 Jobs, on the object's tree (spec:
 * k8s.io/kubernetes pkg/apis/batch/v1 defaults, pkg/registry/batch/job strategy). */
#ifndef JR_JOB_DEFAULTS_H
#define JR_JOB_DEFAULTS_H

#include "common/rules/default_table.h"
#include "common/schema/profile.h"

/** Applies the defaults that the API server applies at decode, to the Job and to its Pod template.
 * Idempotent; what is set stays. Members of the wrong type are left alone: the decoder reports
 * them. Errors: JR_NOMEM. */
enum jr_status jr_job_default(struct jr_node *job, const struct jr_profile *profile) JR_MUST_USE;
/** The same for a Job as an API server sends it to webhooks: all but metadata.labels, which it
 * copies from the template before it generates labels there. */
enum jr_status jr_job_default_sent(struct jr_node *job,
                                   const struct jr_profile *profile) JR_MUST_USE;

/** Completes the generated labels and the selector, on create only. uid and name are the object's
 * own (metadata): where uid is absent no uid label and no selector is written, where the name is
 * absent no name label. A present key, even empty, is never overwritten; manualSelector true:
 * nothing. Idempotent; but generated labels may be what metadata.labels takes over by default, so
 * that a webhook defaults once more afterwards, as the API server will. Errors: JR_NOMEM. */
enum jr_status jr_job_generate(struct jr_node *job) JR_MUST_USE;

/** All that can be completed before an API server has given uid and name: defaults, generation, and
 * defaults again, as the API server will, so that a second time changes nothing. What changed is
 * noted in log, which may be NULL. Errors: JR_NOMEM. */
enum jr_status jr_job_complete(struct jr_node *job, const struct jr_profile *profile,
                               struct jr_defaulting_log *log) JR_MUST_USE;

/** What the strategy does before validation on create: generation (a uid or name that is missing is
 * written as "", validation refuses it), status emptied ({}), generation 1, fields behind off gates
 * dropped. */
enum jr_status jr_job_prepare_create(struct jr_node *job,
                                     const struct jr_profile *profile) JR_MUST_USE;
/** On update: status taken from old, generation kept or raised if the spec differs, gated fields
 * dropped unless old had them, a missing uid and the server's timestamps taken from old. Both
 * defaulted. */
enum jr_status jr_job_prepare_update(struct jr_node *job, const struct jr_node *old,
                                     const struct jr_profile *profile) JR_MUST_USE;
/** On a status update: spec, and of metadata what jr_job_prepare_update takes, from old. */
enum jr_status jr_job_prepare_status_update(struct jr_node *job,
                                            const struct jr_node *old) JR_MUST_USE;

#endif
