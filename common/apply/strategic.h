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
/** Removes from now the lists with merge keys that live has as they are, which `kubectl apply`
 * leaves out of its patch: an element of a key that is there twice would else be merged with the
 * first one. live may be NULL: nothing is there. */
void jr_strategic_prune(const struct jr_schema_type *type, const struct jr_node *live,
                        struct jr_node *now);

#endif
