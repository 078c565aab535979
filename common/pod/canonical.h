/* SPDX-License-Identifier: Apache-2.0 */
/* What a stored Pod template shows beyond its defaults. */
#ifndef JR_POD_CANONICAL_H
#define JR_POD_CANONICAL_H

#include "common/json/doc.h"

/** Makes a defaulted PodSpec read as one that an API server has stored: serviceAccount, the old
 * name, says what serviceAccountName says, or gives it where that is unset; quantities are in their
 * canonical form, and the divisor of a resourceFieldRef is there. What can't be read is left alone.
 * Errors: JR_NOMEM. */
enum jr_status jr_pod_spec_canonicalize(struct jr_node *spec) JR_MUST_USE;

#endif
