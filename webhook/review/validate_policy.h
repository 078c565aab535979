/* SPDX-License-Identifier: Apache-2.0 */
/* The validating side of JobPolicies. */
#ifndef JR_WEBHOOK_REVIEW_VALIDATE_POLICY_H
#define JR_WEBHOOK_REVIEW_VALIDATE_POLICY_H

#include "common/admission/result.h"
#include "webhook/review/review.h"

/** Refuses a JobPolicy that could not be used: all that is wrong with it, each fault with its
 * field. Warns of what is only worth saying. Updates that leave the spec alone, and of what is
 * being deleted, are admitted. Pure. Errors: JR_NOMEM. */
enum jr_status jr_review_validate_policy(const struct jr_admission_review *review,
                                         const struct jr_review_settings *settings,
                                         struct jr_admission_result *result,
                                         struct jr_error *err) JR_MUST_USE;

#endif
