/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of batch/v1 Jobs: the rules of the API server, in its order and words. No exemptions:
 * those live in the webhook. */
#ifndef JR_JOB_VALIDATE_H
#define JR_JOB_VALIDATE_H

#include "common/api/field_error.h"
#include "common/job/object.h"
#include "common/pod/warnings.h"
#include "common/schema/profile.h"

/** All append to errs; errs->failed tells of memory. The objects are defaulted and prepared. */
void jr_job_validate_create(const struct jr_object *job, const struct jr_profile *profile,
                            struct jr_errlist *errs);
void jr_job_validate_update(const struct jr_object *job, const struct jr_object *old,
                            const struct jr_profile *profile, struct jr_errlist *errs);
void jr_job_validate_status_update(const struct jr_object *job, const struct jr_object *old,
                                   const struct jr_profile *profile, struct jr_errlist *errs);

/** Adds the warnings that the API server gives for an accepted create (old NULL) or update;
 * w->failed tells of memory. */
void jr_job_warnings(const struct jr_object *job, const struct jr_object *old,
                     const struct jr_profile *profile, struct jr_warnings *w);

#endif
