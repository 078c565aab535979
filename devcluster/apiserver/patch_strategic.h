/* SPDX-License-Identifier: Apache-2.0 */
/* Strategic merge patches: lists are merged as their type says. */
#ifndef JR_DEVCLUSTER_APISERVER_PATCH_STRATEGIC_H
#define JR_DEVCLUSTER_APISERVER_PATCH_STRATEGIC_H

#include "common/json/doc.h"
#include "common/schema/schema.h"

/** Applies patch to root, an object of that type, in place. Errors: JR_INVALID (err->msg
 * says what is wrong with the patch; root is half done then). */
enum jr_status jr_dev_strategic_apply(const struct jr_schema_type *type, struct jr_node *root,
                                      const struct jr_node *patch,
                                      struct jr_error *err) JR_MUST_USE;

#endif
