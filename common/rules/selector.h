/* SPDX-License-Identifier: Apache-2.0 */
/* Label selectors: matching. */
#ifndef JR_RULES_SELECTOR_H
#define JR_RULES_SELECTOR_H

#include "common/api/pod.h"

/** Whether labels satisfy the selector. An absent selector, and one that can't be parsed, matches
 * nothing; an empty one everything. */
bool jr_selector_matches(const struct jr_selector *s, const struct jr_labels *labels);
/** The same for a Pod's labels, by a selector that is known to be valid: there are many Pods. */
bool jr_selector_matches_pod(const struct jr_selector *s, const struct jr_pod *pod);
/** Validates the syntax of a selector that is kept, and makes a plan of a large one (in the arena
 * of its object), so that both are done once and not for each Pod. Errors: JR_NOMEM. */
enum jr_status jr_selector_prepare(struct jr_selector *s, struct jr_arena *arena) JR_MUST_USE;
/** Whether metav1.LabelSelectorAsSelector accepts it (operators, values, key and value syntax). */
bool jr_selector_valid(const struct jr_selector *s);

#endif
