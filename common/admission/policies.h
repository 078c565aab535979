/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline's step for policies. */
#ifndef JR_ADMISSION_POLICIES_H
#define JR_ADMISSION_POLICIES_H

#include "common/admission/admission.h"

/** Sets the policies' defaults in a Job that is created; a CronJob gets none. What was set, and
 * what not, is in ret->policy_defaults. Errors: JR_NOMEM. */
enum jr_status jr_admission_default_by_policies(const struct jr_admission_request *r,
                                                struct jr_admission_result *ret) JR_MUST_USE;
/** Evaluates a valid object, of a CronJob the Job that it would make: ret->policies; denies, with
 * all findings, or warns. Where the namespace's labels are needed and not known it refuses with
 * 503. Errors: JR_NOMEM. */
enum jr_status jr_admission_evaluate_policies(const struct jr_admission_request *r,
                                              const struct jr_object *object,
                                              const struct jr_object *old,
                                              struct jr_admission_result *ret) JR_MUST_USE;

#endif
