/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two answers to one case: Kubernetes' and ours. */
#ifndef JR_TEST_ADMISSION_DIFFERENCE_H
#define JR_TEST_ADMISSION_DIFFERENCE_H

#include "common/json/doc.h"

/** Appends to out a line for each difference and counts them. Compared are the result, errors
 * (type, field, detail, and the whole message unless its value is an object or a list; in order,
 * but for those about one map, whose order is random in Go), warnings (as a set), and the objects
 * `defaulted` and `prepared` where upstream gives them. Where Kubernetes panics, or an API
 * server cuts the connection ("cut"), any refusal of ours is right. Errors: JR_NOMEM, JR_LIMIT. */
enum jr_status jr_answer_difference(const struct jr_node *upstream, const struct jr_node *ours,
                                    struct jr_buf *out, struct jr_buf *unvalidated,
                                    size_t *ret_n) JR_MUST_USE;
/** Whether the answer is a refusal. */
bool jr_answer_refuses(const struct jr_node *answer);

/** The part about objects: out gets a line for each path at which they differ. What Go's encoder
 * leaves out (zero values) may be missing from `upstream`, what it writes for nothing (metadata,
 * status, names) from `ours`. */
void jr_object_difference(const char *what, const struct jr_node *upstream,
                          const struct jr_node *ours, struct jr_buf *out, size_t *n);

#endif
