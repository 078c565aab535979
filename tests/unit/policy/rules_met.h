/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules an evaluation says are met, against the names of its findings. */
#ifndef JR_UNIT_POLICY_RULES_MET_H
#define JR_UNIT_POLICY_RULES_MET_H

#include "common/policy/evaluate.h"

/** Whether the rule is met and a finding of the policy has its name, or neither. */
static inline bool is_wrong(const struct jr_policy_findings *f, const struct jr_job_policy *p,
                            const struct jr_policy_rule *rule)
{
    bool found = false;

    for (size_t i = 0; i < f->n; i++)
        found |= f->v[i].policy == p && jr_str_eq(f->v[i].rule, rule->name);
    return jr_policy_rule_met(f, rule) == found;
}

/** How many rules of policies that match are met and found, or neither. */
static inline size_t wrongly_met(const struct jr_policy_set *set,
                                 const struct jr_policy_findings *f,
                                 const struct jr_policy_context *c)
{
    size_t wrong = 0;

    for (size_t i = 0; i < f->n_matches; i++) {
        const struct jr_job_policy *p = set->v[f->matches[i].at];
        const struct jr_policy_rules *rules = jr_policy_rules_for(p, c);

        if (p->unusable.n > 0) /* none of its rules is evaluated */
            continue;
        for (size_t k = 0; k < rules->limits.n; k++)
            wrong += is_wrong(f, p, &rules->limits.v[k]->rule);
        if (rules->pod_security.set)
            wrong += is_wrong(f, p, &rules->pod_security.rule);
        for (size_t k = 0; k < rules->budget.n; k++)
            wrong += is_wrong(f, p, &rules->budget.v[k].rule);
    }
    return wrong;
}

#endif
