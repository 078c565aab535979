/* SPDX-License-Identifier: Apache-2.0 */
/* The validating side: validates Jobs and CronJobs by the API server's rules. */
#ifndef JR_WEBHOOK_REVIEW_VALIDATE_H
#define JR_WEBHOOK_REVIEW_VALIDATE_H

#include "common/admission/admission.h"
#include "webhook/review/review.h"

/** Validates a request about an object of this kind by the rules of the API server: creates,
 * updates, updates of a Job's status; the rest is admitted. Two exemptions live here, since a
 * webhook in an object's way must never wedge it: objects that are being deleted are admitted as
 * they are, and an update that leaves the spec alone is validated by its metadata alone. Of an
 * object that is admitted as it is not even the members' types are looked at: an API server
 * decodes what it is sent before it asks a webhook, and answers wrong types by itself. Where there
 * are several API servers it is refused only if the rules of each refuse it, in the words of the
 * lowest version; policies refuse it at once. Pure.
 * Errors: JR_NOMEM. */
enum jr_status jr_review_validate(const struct jr_admission_kind *kind,
                                  const struct jr_admission_review *review,
                                  const struct jr_review_settings *settings,
                                  struct jr_admission_result *result,
                                  struct jr_error *err) JR_MUST_USE;

#endif
