/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a review. */
#ifndef JR_WEBHOOK_REVIEW_OBJECT_H
#define JR_WEBHOOK_REVIEW_OBJECT_H

#include "common/admission/admission.h"
#include "common/api/admission_review.h"

/** Parses one of the request's objects. Where that can't be done the result is a refusal, and *ret
 * stays NULL. Errors: JR_NOMEM. */
enum jr_status jr_review_parse(const struct jr_admission_kind *kind, const struct jr_tape *sent,
                               struct jr_doc **ret, struct jr_admission_result *result,
                               struct jr_error *err) JR_MUST_USE;
/** Whether the object is being deleted: then whatever happens to it must be let through, or it
 * would stay for ever. The result says so then. */
bool jr_review_is_deleting(const struct jr_doc *doc, struct jr_admission_result *result);

#endif
