/* SPDX-License-Identifier: Apache-2.0 */
/* A dry run may ask to be refused, by an annotation: a self-test learns by that that the API server
 * asks us. That the API server admits and refuses says nothing: it does so without us. */
#ifndef JR_WEBHOOK_REVIEW_SELF_TEST_REFUSAL_H
#define JR_WEBHOOK_REVIEW_SELF_TEST_REFUSAL_H

#include "common/admission/result.h"
#include "common/api/admission_review.h"

#define JR_SELF_TEST_ANNOTATION "jobreeve.dev/self-test"
#define JR_SELF_TEST_MUTATE "mutate"
#define JR_SELF_TEST_VALIDATE "validate"
#define JR_SELF_TEST_MESSAGE \
    "refused on purpose, as the annotation " JR_SELF_TEST_ANNOTATION " asks for"

/** Denies the create, by a dry run, of an object whose annotation names this side; everything else
 * is left to validate. Pure. Errors: JR_NOMEM. */
enum jr_status jr_review_refuse_self_test(const struct jr_admission_review *r, const char *side,
                                          struct jr_admission_result *result) JR_MUST_USE;

#endif
