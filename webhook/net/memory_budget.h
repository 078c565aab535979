/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of memory for all requests in flight; request.c answers 413 or 503 by it. Their
 * connections are bounded by
 * common/http/conns.h. */
#ifndef JR_WEBHOOK_NET_MEMORY_BUDGET_H
#define JR_WEBHOOK_NET_MEMORY_BUDGET_H

#include "common/base/error.h"

/** Bytes that may be taken by all together. An eighth of them is for requests that stay small:
 * large ones, however many, leave it. */
struct jr_budget {
    _Atomic size_t used;
    size_t limit;
};
/** Takes n bytes for a request that has `held` already and will have taken at least `expected`, or
 * none and false. */
bool jr_budget_take(struct jr_budget *b, size_t n, size_t held, size_t expected) JR_MUST_USE;
/** What one request may take at most. */
size_t jr_budget_most(const struct jr_budget *b);
void jr_budget_give(struct jr_budget *b, size_t n);
size_t jr_budget_used(const struct jr_budget *b);

#endif
