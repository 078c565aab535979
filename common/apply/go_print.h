/* SPDX-License-Identifier: Apache-2.0 */
/* Values in error messages, as Go prints them. */
#ifndef JR_APPLY_GO_PRINT_H
#define JR_APPLY_GO_PRINT_H

#include "common/base/arena.h"
#include "common/json/doc.h"

/** Appends what Go's fmt prints of what a JSON text was decoded into: map[spec:map[foo:1]].
 * Failures stick to the buffer. */
void jr_print_go(const struct jr_node *n, struct jr_arena *arena, struct jr_buf *out);

#endif
