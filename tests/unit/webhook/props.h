/* What must hold for every Job that the mutating side sees. */
#ifndef JR_TEST_WEBHOOK_PROPS_H
#define JR_TEST_WEBHOOK_PROPS_H

#include "common/json/doc.h"

/** Sends the Job, as the object of a create, to the mutating side and applies the patch. Returns
 * the patched object, or NULL where the request was denied; the caller frees. Fails the test,
 * naming `name`, unless
 *  - the answer is a verdict,
 *  - every member that was sent is still there, with its value, unless that was null, empty, a
 * quantity or a probe's 0,
 *  - members that no API type has are not touched, at any level,
 *  - the patched object, sent again, gets no patch. */
struct jr_doc *mutate_properties(const char *name, const struct jr_node *job);

#endif
