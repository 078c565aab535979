/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of memory for requests in flight. */
#include "webhook/net/memory_budget.h"

#include <stdatomic.h>

bool jr_budget_take(struct jr_budget *b, size_t n)
{
    size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

    do {
        if (n > b->limit - used)
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
