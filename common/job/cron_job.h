/* SPDX-License-Identifier: Apache-2.0 */
/* batch/v1 CronJobs: defaulting, preparation, validation and warnings, in the API server's order
 * and words (spec: k8s.io/kubernetes pkg/apis/batch/v1 defaults, pkg/registry/batch/cronjob
 * strategy). No exemptions: those live in the webhook. */
#ifndef JR_JOB_CRON_JOB_H
#define JR_JOB_CRON_JOB_H

#include "common/api/field_error.h"
#include "common/job/object.h"
#include "common/pod/warnings.h"
#include "common/rules/default_table.h"
#include "common/schema/profile.h"

/** Applies the defaults that the API server applies at decode, to the CronJob and to the Pod
 * template in it; of the template's JobSpec nothing else is defaulted but the status of
 * onPodConditions. Idempotent; what is set stays. Members of the wrong type are left alone: the
 * decoder reports them. Errors: JR_NOMEM. */
enum jr_status jr_cron_job_default(struct jr_node *cron_job,
                                   const struct jr_profile *profile) JR_MUST_USE;

/** The same; what changed is noted in log, which may be NULL. */
enum jr_status jr_cron_job_complete(struct jr_node *cron_job, const struct jr_profile *profile,
                                    struct jr_defaulting_log *log) JR_MUST_USE;

/** What the strategy does before validation on create: status emptied ({}), generation 1, fields
 * behind off gates dropped. */
enum jr_status jr_cron_job_prepare_create(struct jr_node *cron_job,
                                          const struct jr_profile *profile) JR_MUST_USE;
/** On update: status taken from old, generation kept or raised if the spec differs, gated fields
 * dropped unless old had them, a missing uid and the server's timestamps taken from old. Both
 * defaulted. */
enum jr_status jr_cron_job_prepare_update(struct jr_node *cron_job, const struct jr_node *old,
                                          const struct jr_profile *profile) JR_MUST_USE;
/** On a status update: spec, and of metadata what jr_cron_job_prepare_update takes, from old.
 * Upstream has no rules for the status itself. */
enum jr_status jr_cron_job_prepare_status_update(struct jr_node *cron_job,
                                                 const struct jr_node *old) JR_MUST_USE;

/** The same as jr_job_drop_gated of its template's Job; before 1.37 nothing is dropped. */
void jr_cron_job_drop_gated(struct jr_node *cron_job, const struct jr_node *old,
                            const struct jr_profile *profile);

/** Both append to errs; errs->failed tells of memory. The objects are defaulted and prepared. */
void jr_cron_job_validate_create(const struct jr_object *cron_job, const struct jr_profile *profile,
                                 struct jr_errlist *errs);
void jr_cron_job_validate_update(const struct jr_object *cron_job, const struct jr_object *old,
                                 const struct jr_profile *profile, struct jr_errlist *errs);

/** Adds the warnings that the API server gives for an accepted create (old NULL) or update;
 * w->failed tells of memory. */
void jr_cron_job_warnings(const struct jr_object *cron_job, const struct jr_object *old,
                          const struct jr_profile *profile, struct jr_warnings *w);

#endif
