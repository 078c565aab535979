/* SPDX-License-Identifier: Apache-2.0 */
/* The mutating side is idempotent, loses nothing that was sent, and comes to the same in any order
 * with other webhooks: checked for any object. */
#ifndef JR_TEST_WEBHOOK_IDEMPOTENT_H
#define JR_TEST_WEBHOOK_IDEMPOTENT_H

#include "common/json/doc.h"
#include "webhook/review/review.h"

/** Sends the object of a create to a mutating endpoint and applies the patch. Returns the patched
 * object, or NULL where the request was denied; the caller frees. Fails the test, naming `name`,
 * unless
 *  - the answer is a result, and the same on a dry run,
 *  - there is a patch exactly where an audit annotation says what it does, and that is short
 * enough,
 *  - every member that was sent is still there, with its value, unless that was null, empty, a
 * quantity or a probe's 0,
 *  - members that no API type has are not touched, at any level,
 *  - the patched object, sent again, gets no patch. */
struct jr_doc *mutate_idempotently(enum jr_endpoint e, const char *name,
                                   const struct jr_node *object);

/** Sends the object of a create through three mutating webhooks, of which ours is one and is
 * invoked again where another one has changed something after it (reinvocationPolicy IfNeeded).
 * Fails the test unless all orders come to the same object; metadata.labels aside, which an API
 * server copies from the template as it is at that time. */
void check_any_order(enum jr_endpoint e, const char *name, const struct jr_node *object);

#endif
