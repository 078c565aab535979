/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules an evaluation says are met, against the names of its findings. */
#ifndef JR_UNIT_POLICY_RULES_MET_H
#define JR_UNIT_POLICY_RULES_MET_H

#include "common/policy/evaluate.h"

/** Whether a finding of the policy has the rule's name. */
static inline bool is_found(const struct jr_policy_findings *f, const struct jr_job_policy *p,
                            const struct jr_limit *limit, const struct jr_ceiling *ceiling)
{
    bool found = false;
    JR_BUF name = { 0 };

    jr_buf_init(&name, 1000);
    if (limit != NULL)
        jr_limit_rule_write(limit, &name);
    else
        jr_ceiling_rule_write(ceiling, &name);
    for (size_t i = 0; i < f->n; i++)
        found |= f->v[i].policy == p && jr_str_eq(f->v[i].rule, jr_buf_str(&name));
    return found;
}

/** How many rules of policies that match are met and found, or neither. */
static inline size_t wrongly_met(const struct jr_policy_set *set,
                                 const struct jr_policy_findings *f,
                                 const struct jr_policy_context *c)
{
    size_t wrong = 0;

    for (size_t i = 0; i < f->matched; i++) {
        const struct jr_job_policy *p = set->v[f->matched_at[i]];
        const struct jr_policy_rules *rules = jr_policy_rules_for(p, c);

        if (p->unusable.n > 0) /* none of its rules is evaluated */
            continue;
        for (size_t k = 0; k < rules->limits.n; k++)
            wrong += jr_policy_rule_met(f, &rules->limits.v[k], NULL) ==
                     is_found(f, p, &rules->limits.v[k], NULL);
        for (size_t k = 0; k < rules->budget.n; k++)
            wrong += jr_policy_rule_met(f, NULL, &rules->budget.v[k]) ==
                     is_found(f, p, NULL, &rules->budget.v[k]);
    }
    return wrong;
}

#endif
