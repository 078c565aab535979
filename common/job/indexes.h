/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of completion indexes as intervals: "1,3-5,7". */
#ifndef JR_JOB_INDEXES_H
#define JR_JOB_INDEXES_H

#include "common/base/buf.h"

struct jr_interval {
    int32_t first;
    int32_t last; /* included */
};
/** Ordered, disjoint, not touching intervals. Zero-initialised is empty. */
struct jr_indexes {
    struct jr_interval *v;
    size_t n;
    size_t cap;
};
void jr_indexes_done(struct jr_indexes *s);
bool jr_indexes_has(const struct jr_indexes *s, int32_t i);
/** How many indexes are in it. */
int64_t jr_indexes_count(const struct jr_indexes *s);
/** Adds one index (cheap in ascending order). */
enum jr_status jr_indexes_add(struct jr_indexes *s, int32_t i) JR_MUST_USE;
enum jr_status jr_indexes_merge(struct jr_indexes *s, const struct jr_indexes *other) JR_MUST_USE;
/** The smallest index in both; -1 if there is none. */
int32_t jr_indexes_common(const struct jr_indexes *a, const struct jr_indexes *b);
/** Appends the text: ascending, runs of three or more as a-b. */
enum jr_status jr_indexes_write(const struct jr_indexes *s, struct jr_buf *out) JR_MUST_USE;
/** As the controller reads its own status: parts with bad numbers are passed over, it stops at the
 * first index >= completions, the last interval is clipped, neighbours are merged. Errors: JR_NOMEM
 * only. *ret is replaced. */
enum jr_status jr_indexes_read(struct jr_str text, int32_t completions,
                               struct jr_indexes *ret) JR_MUST_USE;
/** Reads it as validation does, strictly, and builds no list: *ret_count (may be NULL) gets the
 * number of indexes. On JR_INVALID why gets upstream's words ("too large index: \"5\""), however
 * long they are. */
enum jr_status jr_indexes_check(struct jr_str text, int64_t completions, int64_t *ret_count,
                                struct jr_buf *why) JR_MUST_USE;
/** One interval of such a text, "3" or "3-5"; why may be NULL. Errors: JR_INVALID, those of the
 * buffer. */
enum jr_status jr_interval_parse(struct jr_str text, int64_t completions, struct jr_interval *ret,
                                 struct jr_buf *why) JR_MUST_USE;

#endif
