/* SPDX-License-Identifier: Apache-2.0 */
/* Which policies match, and by whose numbers. */
#include "common/policy/evaluate.h"

#include "common/rules/selector.h"

static bool any_glob_matches(const struct jr_strs *globs, struct jr_str s)
{
    for (size_t i = 0; i < globs->n; i++) {
        if (jr_glob_matches(globs->v[i], s))
            return true;
    }
    return false;
}

/** Whether it selects whatever there is. */
static bool is_open(const struct jr_selector *s)
{
    return !s->set || (s->match_labels.n == 0 && s->match_expressions.n == 0);
}

bool jr_policy_selects_namespaces(const struct jr_job_policy *p)
{
    return !is_open(&p->match.namespace_selector);
}

bool jr_policy_matches(const struct jr_job_policy *p, const struct jr_policy_context *c,
                       unsigned operations, const struct jr_labels *labels,
                       bool *ret_namespace_needed)
{
    if ((p->match.operations & operations) == 0)
        return false;
    if (p->match.namespaces.n > 0 && !any_glob_matches(&p->match.namespaces, c->namespace))
        return false;
    if (any_glob_matches(&p->match.exclude_namespaces, c->namespace))
        return false;
    if (p->match.object_selector.set && !jr_selector_matches(&p->match.object_selector, labels))
        return false;
    if (is_open(&p->match.namespace_selector))
        return true;
    if (!c->namespace_known) {
        *ret_namespace_needed = true;
        return false;
    }
    return jr_selector_matches(&p->match.namespace_selector, &c->namespace_labels);
}

static bool has_group(const struct jr_strs *of, const struct jr_strs *groups)
{
    for (size_t i = 0; i < groups->n; i++) {
        if (jr_strs_has(of, groups->v[i]))
            return true;
    }
    return false;
}

/** But for who asks. */
static bool may_apply(const struct jr_policy_exception *e, const struct jr_policy_context *c)
{
    return jr_time_cmp(c->now, e->until) < 0 &&
           (e->namespaces.n == 0 || jr_strs_has(&e->namespaces, c->namespace));
}

bool jr_policy_excepts_users(const struct jr_job_policy *p, const struct jr_policy_context *c)
{
    for (size_t i = 0; i < p->exceptions.n; i++) {
        const struct jr_policy_exception *e = &p->exceptions.v[i];

        if (e->users.n + e->groups.n > 0 && may_apply(e, c))
            return true;
    }
    return false;
}

static bool applies(const struct jr_policy_exception *e, const struct jr_policy_context *c)
{
    if (!may_apply(e, c))
        return false;
    return e->users.n + e->groups.n == 0 || jr_strs_has(&e->users, c->user) ||
           has_group(&e->groups, &c->groups);
}

const struct jr_policy_rules *jr_policy_rules_for(const struct jr_job_policy *p,
                                                  const struct jr_policy_context *c)
{
    for (size_t i = 0; i < p->exceptions.n; i++) {
        if (applies(&p->exceptions.v[i], c))
            return &p->exceptions.v[i].rules;
    }
    return &p->rules;
}
