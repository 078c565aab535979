/* SPDX-License-Identifier: Apache-2.0 */
/* What the strategy does to a Job before it validates it; and what that has in common with
 * CronJobs. */
#ifndef JR_JOB_PREPARE_H
#define JR_JOB_PREPARE_H

#include "common/json/doc.h"
#include "common/schema/profile.h"

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

/** Drops fields of the spec behind gates that are off, unless old (NULL: on create) has them; not
 * those of the Pod template. */
void jr_job_drop_gated(struct jr_node *job, const struct jr_node *old,
                       const struct jr_profile *profile);

/** metadata.generation becomes the given one. Errors: JR_NOMEM. */
enum jr_status jr_prepare_generation(struct jr_node *object, int64_t generation) JR_MUST_USE;
/** Makes the object's member that of old: a copy, or absent. Errors: JR_NOMEM. */
enum jr_status jr_prepare_take_over(struct jr_node *object, const struct jr_node *old,
                                    const char *key) JR_MUST_USE;
/** What every update does to metadata (rest.BeforeUpdate): generation is the server's, a missing
 * uid is filled in, timestamps stay as they were. Errors: JR_NOMEM. */
enum jr_status jr_prepare_meta(struct jr_node *object, const struct jr_node *old,
                               int64_t generation) JR_MUST_USE;

#endif
