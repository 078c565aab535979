/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of memory for requests in flight. */
#include "webhook/net/memory_budget.h"

#include <stdatomic.h>

#define SHARE_OF_SMALL 8
/* What a request may take and be small: twice what one without policies takes, and more of a large
 * budget, since theirs count. */
#define SMALL_PART 64
#define SMALL_LEAST ((size_t)1 << 20)

static bool is_small(const struct jr_budget *b, size_t n)
{
    return n <= SMALL_LEAST || n <= b->limit / SMALL_PART;
}

size_t jr_budget_most(const struct jr_budget *b)
{
    return b->limit - b->limit / SHARE_OF_SMALL;
}

bool jr_budget_take(struct jr_budget *b, size_t n, size_t held, size_t expected)
{
    const bool small = is_small(b, n) && is_small(b, held + n) && is_small(b, expected);
    const size_t limit = small ? b->limit : jr_budget_most(b);
    size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

    do {
        if (limit < used || n > limit - used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&b->used, &used, used + n, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

void jr_budget_give(struct jr_budget *b, size_t n)
{
    (void)atomic_fetch_sub_explicit(&b->used, n, memory_order_relaxed);
}

size_t jr_budget_used(const struct jr_budget *b)
{
    return atomic_load_explicit(&b->used, memory_order_relaxed);
}
