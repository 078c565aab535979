/* SPDX-License-Identifier: Apache-2.0 */
/* Strategic merge patches: lists are merged as their type says. For programs that end where there
 * is no memory. */
#ifndef JR_APPLY_STRATEGIC_H
#define JR_APPLY_STRATEGIC_H

#include "common/json/doc.h"
#include "common/schema/schema.h"

/** Applies patch to root, an object of that type, in place. Errors: JR_INVALID (err->msg
 * says what is wrong with the patch; root is half done then). */
enum jr_status jr_strategic_apply(const struct jr_schema_type *type, struct jr_node *root,
                                  const struct jr_node *patch, struct jr_error *err) JR_MUST_USE;
/** Removes from live what a client had applied (last) and no longer says (now), which is the first
 * half of `kubectl apply`; to apply now as a patch is the second half. Also the other members of a
 * union that now has one of (patchStrategy retainKeys). All are objects of that type; last may be
 * NULL: nothing of it is removed. Source: the three-way merge of
 * k8s.io/apimachinery/pkg/util/strategicpatch. */
void jr_strategic_forget(const struct jr_schema_type *type, struct jr_node *live,
                         const struct jr_node *last, const struct jr_node *now);

#endif
