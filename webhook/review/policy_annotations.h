/* SPDX-License-Identifier: Apache-2.0 */
/* JobPolicies in a review: by what they are evaluated, and what the answer says of them. */
#ifndef JR_WEBHOOK_REVIEW_POLICY_ANNOTATIONS_H
#define JR_WEBHOOK_REVIEW_POLICY_ANNOTATIONS_H

#include "common/admission/result.h"
#include "webhook/review/review.h"

/** Returns the policies with what the request says; NULL where there are none. ret: room for it. */
const struct jr_policy_context *jr_review_policy_context(const struct jr_admission_review *r,
                                                         const struct jr_review_settings *settings,
                                                         struct jr_policy_context *ret);

#define JR_REVIEW_POLICY_NOTES 3
/** Writes the audit annotations, in the result's arena: "policy-violations", of the rules that
 * weren't met those whose policy says Audit; "policy-exceptions", by which policies' exceptions the
 * object was evaluated; and "policy-defaults", which fields policies have set or would have. Each
 * is a JSON list, of as many elements as there is room for. *ret_n: how many there are. Errors:
 * JR_NOMEM. */
enum jr_status jr_review_policy_notes(const struct jr_admission_result *result,
                                      struct jr_label notes[JR_REVIEW_POLICY_NOTES],
                                      size_t *ret_n) JR_MUST_USE;

/** The first finding that denies; NULL: there is none. */
const struct jr_policy_finding *jr_review_policy_denial(const struct jr_policy_findings *f);

#endif
