/* SPDX-License-Identifier: Apache-2.0 */
/* The mutating side: defaults Jobs and CronJobs. */
#ifndef JR_WEBHOOK_REVIEW_MUTATE_H
#define JR_WEBHOOK_REVIEW_MUTATE_H

#include "common/admission/admission.h"
#include "webhook/review/review.h"

/** Answers a request about an object of this kind: appends to patch the JSON Patch of what is to
 * change, nothing where nothing is, and leaves in result->defaulted by which rules. On create:
 * defaults, and of a Job's generated labels what is known before the API server gives a uid and a
 * name. Of several API servers, what all of them know. Nothing
 * on anything else, for objects that are being deleted, and for subresources. Also
 * refuses the one input that makes kube-apiserver 1.36 panic after this side has seen it, on update
 * too. Pure. Errors: JR_NOMEM. */
enum jr_status jr_review_mutate(const struct jr_admission_kind *kind,
                                const struct jr_admission_review *review,
                                const struct jr_review_settings *settings,
                                struct jr_admission_result *result, struct jr_buf *patch,
                                struct jr_error *err) JR_MUST_USE;

#endif
