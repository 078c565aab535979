/* SPDX-License-Identifier: Apache-2.0 */
/* spec.successPolicy: an Indexed Job that needs not all of its indexes (KEP-3998). */
#include "controller/reconcile/internal.h"

/** How many indexes are in both. */
static int64_t common(const struct jr_indexes *a, const struct jr_indexes *b)
{
    int64_t n = 0;

    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        int32_t first = a->v[i].first > b->v[j].first ? a->v[i].first : b->v[j].first;
        int32_t last = a->v[i].last < b->v[j].last ? a->v[i].last : b->v[j].last;

        if (first <= last)
            n += (int64_t)last - first + 1;
        if (a->v[i].last < b->v[j].last)
            i++;
        else
            j++;
    }
    return n;
}

static bool is_rule_met(const struct jr_success_rule *rule, int32_t completions,
                        const struct jr_indexes *succeeded)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes required = { 0 };
    int64_t have = jr_indexes_count(succeeded);

    if (rule->succeeded_indexes.p == NULL)
        return rule->succeeded_count.set && have >= rule->succeeded_count.v;
    jr_must(jr_indexes_read(rule->succeeded_indexes, completions, &required));
    if (required.n == 0)
        return false;
    have = common(&required, succeeded);
    return have == jr_indexes_count(&required) ||
           (rule->succeeded_count.set && have >= rule->succeeded_count.v);
}

ptrdiff_t jr_success_policy_match(const struct jr_job *job, int32_t completions,
                                  const struct jr_indexes *succeeded)
{
    for (size_t i = 0; succeeded->n > 0 && i < job->spec.success_policy.rules.n; i++) {
        if (is_rule_met(&job->spec.success_policy.rules.v[i], completions, succeeded))
            return (ptrdiff_t)i;
    }
    return -1;
}
