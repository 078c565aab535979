/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of this folder share. */
#ifndef JR_API_PARTS_H
#define JR_API_PARTS_H

#include "common/json/write.h"

/** Writes the members of object (source text; n = 0: none) whose key is not in known, which ends
 * with NULL, as they are. Errors: those of the text. */
enum jr_status jr_copy_unknown(struct jr_writer *w, struct jr_str object,
                               const char *const *known) JR_MUST_USE;

#endif
