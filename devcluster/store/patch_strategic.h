/* Strategic merge patches: lists of objects are merged by a key, as a table says. */
#ifndef JR_DEVCLUSTER_PATCH_STRATEGIC_H
#define JR_DEVCLUSTER_PATCH_STRATEGIC_H

#include "common/json/doc.h"

/** Applies patch to root, in place. Errors: JR_NOMEM, JR_INVALID (err->msg says what is wrong with
 * the patch; root is half done then). */
enum jr_status jr_dev_strategic_apply(struct jr_node *root, const struct jr_node *patch,
                                      struct jr_error *err) JR_MUST_USE;

#endif
