/* SPDX-License-Identifier: Apache-2.0 */
/* A unified diff of two texts, line by line. Pure. */
#ifndef JR_CLI_DIFF_H
#define JR_CLI_DIFF_H

#include "common/base/buf.h"

/** Appends the diff with three lines of context, headed "--- NAME_A", "+++ NAME_B"; nothing where
 * the texts are equal. Texts of more than 100,000 lines, or that differ in more than 5,000, are
 * shown as replaced whole. Errors: JR_LIMIT. */
enum jr_status jr_diff_write(struct jr_str a, const char *name_a, struct jr_str b,
                             const char *name_b, struct jr_buf *out) JR_MUST_USE;

#endif
