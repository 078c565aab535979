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

static enum jr_status met(const struct jr_success_rule *rule, int32_t completions,
                          const struct jr_indexes *succeeded, bool *ret)
{
    struct jr_indexes required = { 0 };
    int64_t all, have = jr_indexes_count(succeeded);
    enum jr_status st;

    *ret = false;
    if (rule->succeeded_indexes.p == NULL) {
        *ret = rule->succeeded_count.set && have >= rule->succeeded_count.v;
        return JR_OK;
    }
    st = jr_indexes_read(rule->succeeded_indexes, completions, &required);
    if (st == JR_OK && required.n > 0) {
        all = jr_indexes_count(&required);
        have = common(&required, succeeded);
        *ret = have == all || (rule->succeeded_count.set && have >= rule->succeeded_count.v);
    }
    jr_indexes_done(&required);
    return st;
}

enum jr_status jr_success_policy_match(const struct jr_job *job, int32_t completions,
                                       const struct jr_indexes *succeeded, ptrdiff_t *ret)
{
    enum jr_status st = JR_OK;
    bool yes = false;

    *ret = -1;
    if (succeeded->n == 0)
        return JR_OK;
    for (size_t i = 0; i < job->spec.success_policy.rules.n && st == JR_OK && !yes; i++) {
        st = met(&job->spec.success_policy.rules.v[i], completions, succeeded, &yes);
        if (yes)
            *ret = (ptrdiff_t)i;
    }
    return st;
}
