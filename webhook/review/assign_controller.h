/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns Jobs to a controller: their spec.managedBy is set as they are created. */
#ifndef JR_WEBHOOK_REVIEW_ASSIGN_CONTROLLER_H
#define JR_WEBHOOK_REVIEW_ASSIGN_CONTROLLER_H

#include "common/admission/admission.h"
#include "webhook/review/review.h"

/** On the create of a Job without spec.managedBy appends to patch what names the controller there,
 * and leaves that in result->defaulted. Everything else is admitted as it is: a Job that names a
 * controller was given to it on purpose, and later the field is immutable. A Job that can't be read
 * is denied, as by jr_review_mutate. Pure. Errors: JR_NOMEM. */
enum jr_status jr_review_assign_controller(const struct jr_admission_kind *kind,
                                           const struct jr_admission_review *review,
                                           const struct jr_review_settings *settings,
                                           struct jr_admission_result *result, struct jr_buf *patch,
                                           struct jr_error *err) JR_MUST_USE;

#endif
