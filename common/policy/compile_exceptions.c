/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.exceptions: each becomes the rules that are left. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/policy/evaluate.h"

#define EXCEPTIONS_MAX 128 /* and of what each of them lists */
#define REASON_MAX 1024

static const struct jr_ceiling *ceiling_like(const struct jr_policy_rules *rules,
                                             const struct jr_ceiling *c)
{
    for (size_t i = 0; i < rules->budget.n; i++) {
        const struct jr_ceiling *at = &rules->budget.v[i];

        if (at->kind == c->kind && jr_str_eq(at->resource, c->resource))
            return at;
    }
    return NULL;
}

static const struct jr_limit *limit_like(const struct jr_policy_rules *rules,
                                         const struct jr_limit *l)
{
    for (size_t i = 0; i < rules->limits.n; i++) {
        if (jr_str_eq(rules->limits.v[i]->rule.name, l->rule.name))
            return rules->limits.v[i];
    }
    return NULL;
}

/** Puts what the exception says in the place of what the policy says of the same. */
static const struct jr_limit *merge(struct jr_policy_compiler *c, const struct jr_limit *own,
                                    const struct jr_limit *other)
{
    struct jr_limit *l = jr_policy_calloc(c, 1, sizeof(*l));

    if (l == NULL)
        return own;
    *l = *own;
    l->forbidden = other->forbidden;
    if (other->required.set)
        l->required = other->required;
    if (other->min.kind != JR_BOUND_NONE)
        l->min = other->min;
    if (other->max.kind != JR_BOUND_NONE)
        l->max = other->max;
    if (other->values.n > 0)
        l->values = other->values;
    if (other->excluded.n > 0)
        l->excluded = other->excluded;
    if (jr_limit_bound_cmp(&l->min, &l->max) > 0)
        JR_POLICY_FAULT(c, INVALID, other->rule.path, JR_NO_VALUE,
                        "with the policy's own limit min is %.*s and max %.*s", JR_P(l->min.text),
                        JR_P(l->max.text));
    return l;
}

/* ---- what is lifted ---- */

/** The rules that an exception names, and which of the names have met one. */
struct lift {
    struct jr_strs names;
    bool *used;
    bool ended; /* the exception has: nothing is said of it */
};

/** Whether the rule is named, by itself or as one of a map: "limits.labels" is all labels. */
static bool is_lifted(struct lift *lift, struct jr_str name)
{
    bool found = false;

    for (size_t i = 0; i < lift->names.n; i++) {
        const struct jr_str at = lift->names.v[i];

        if (jr_str_starts(name, at) && (name.n == at.n || name.p[at.n] == '['))
            found = lift->used[i] = true;
    }
    return found;
}

static void check_lift(struct jr_policy_compiler *c, const struct lift *lift,
                       const struct jr_field_path *path)
{
    const struct jr_field_path list = JR_FIELD(path, "lift");

    for (size_t i = 0; i < lift->names.n; i++) {
        if (!lift->used[i])
            JR_POLICY_FAULT(c, INVALID, &JR_FIELD_AT(&list, i),
                            jr_errlist_quote(c->errs, lift->names.v[i]),
                            "the policy has no such rule: expected one as \"limits.parallelism\", "
                            "\"limits.labels[KEY]\" or \"budget.runtime\"");
    }
}

/* ---- what has no effect ---- */

/** Whether an exception before this one counts in the namespace for as long. */
static bool is_excepted_before(const struct jr_job_policy *p, const struct jr_policy_exception *e,
                               struct jr_str namespace)
{
    for (const struct jr_policy_exception *at = p->exceptions.v; at < e; at++) {
        if (at->namespaces.n > 0 && jr_time_cmp(at->until, e->until) >= 0 &&
            bsearch(&namespace, at->namespaces.v, at->namespaces.n, sizeof(namespace),
                    jr_str_order))
            return true;
    }
    return false;
}

static void warn_of_namespaces(struct jr_policy_compiler *c, const struct jr_policy_exception *e,
                               const struct jr_field_path *path)
{
    bool any = false;

    for (size_t i = 0; i < e->namespaces.n; i++) {
        if (!jr_policy_names_namespace(c->policy, e->namespaces.v[i]))
            continue;
        any = true;
        if (!is_excepted_before(c->policy, e, e->namespaces.v[i]))
            return;
    }
    jr_warnings_add(c->warnings, JR_WARNING_POLICY_WITHOUT_EFFECT, &JR_FIELD(path, "namespaces"),
                    "has no effect: %s",
                    any ? "exceptions before it, which end no earlier, count in all of them"
                        : "the policy matches none of them");
}

/** Whether what stands there in the exception stands in the policy's own rule as well. */
static bool is_same(const struct jr_policy_compiler *c, const struct jr_field_path *own,
                    const struct jr_field_path *other)
{
    const struct jr_node *a = jr_field_find(c->object, own), *b = jr_field_find(c->object, other);

    if (jr_node_kind(b) != JR_OBJECT)
        return jr_node_equal(a, b);
    JR_EACH(m, b) {
        if (!jr_node_equal(jr_getn(a, jr_key(m)), m))
            return false;
    }
    return true;
}

static void warn_of_rule(struct jr_policy_compiler *c, const struct lift *lift, bool lifted,
                         bool same, const struct jr_field_path *path)
{
    if (!lift->ended && (lifted || same))
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_WITHOUT_EFFECT, path, "has no effect: %s",
                        lifted ? "lift names the rule, too" : "the policy says the same");
}

/* ---- the rules that are left ---- */

/** Makes the policy's rules with the exception's numbers in the place of its own, but for those
 * that are lifted. */
static void overlay(struct jr_policy_compiler *c, const struct jr_policy_rules *other,
                    struct lift *lift, struct jr_policy_rules *ret)
{
    const struct jr_policy_rules *own = &c->policy->rules;

    ret->reads_metadata = own->reads_metadata;
    if (own->pod_security.set && !is_lifted(lift, own->pod_security.rule.name))
        ret->pod_security = own->pod_security;
    ret->limits.v = jr_policy_calloc(c, own->limits.n, sizeof(const struct jr_limit *));
    ret->budget.v = jr_policy_calloc(c, own->budget.n, sizeof(*ret->budget.v));
    if (ret->limits.v == NULL || ret->budget.v == NULL)
        return;
    for (size_t i = 0; i < own->limits.n; i++) {
        const struct jr_limit *l = own->limits.v[i], *at = limit_like(other, l);
        const bool lifted = is_lifted(lift, l->rule.name);

        if (!lifted)
            ret->limits.v[ret->limits.n++] = at != NULL ? merge(c, l, at) : l;
        if (at != NULL && (i == 0 || l->rule.name.p != own->limits.v[i - 1]->rule.name.p))
            warn_of_rule(c, lift, lifted, is_same(c, l->rule.path, at->rule.path), at->rule.path);
    }
    for (size_t i = 0; i < own->budget.n; i++) {
        const struct jr_ceiling *l = &own->budget.v[i], *at = ceiling_like(other, l);
        const bool lifted = is_lifted(lift, l->rule.name);

        if (!lifted)
            ret->budget.v[ret->budget.n++] = at != NULL ? *at : *l;
        if (at != NULL)
            warn_of_rule(c, lift, lifted, is_same(c, l->rule.path, at->rule.path), at->rule.path);
    }
}

/** Sets how the budget counts under the exception. */
static void overlay_choices(struct jr_policy_compiler *c, const struct jr_node *budget,
                            const struct jr_policy_rules *other, struct lift *lift,
                            const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_policy_rules *own = &c->policy->rules;
    const struct jr_field_path changes = JR_FIELD(path, "changes");
    const bool lifted = own->refuses_changes && is_lifted(lift, JR_S("budget.changes"));

    ret->disruptions_aside = own->disruptions_aside;
    if (!jr_unset(jr_get(budget, "disruptions"))) {
        ret->disruptions_aside = other->disruptions_aside;
        warn_of_rule(c, lift, false, own->disruptions_aside == other->disruptions_aside,
                     &JR_FIELD(path, "disruptions"));
    }
    ret->refuses_changes = own->refuses_changes && !lifted;
    if (jr_unset(jr_get(budget, "changes")))
        return;
    ret->refuses_changes &= other->refuses_changes;
    warn_of_rule(c, lift, lifted, own->refuses_changes == other->refuses_changes, &changes);
    if (other->refuses_changes && !own->refuses_changes)
        JR_POLICY_FAULT(c, INVALID, &changes, JR_NO_VALUE, "the policy has no such rule");
}

/** An exception to what the policy doesn't say would be a rule for those it excepts. */
static void check_excepted(struct jr_policy_compiler *c, const struct jr_policy_rules *other)
{
    const struct jr_policy_rules *own = &c->policy->rules;

    for (size_t i = 0; i < other->limits.n; i++) {
        const struct jr_limit *l = other->limits.v[i];

        if (limit_like(own, l) == NULL)
            JR_POLICY_FAULT(c, INVALID, l->rule.path, JR_NO_VALUE, "the policy has no such limit");
    }
    for (size_t i = 0; i < other->budget.n; i++) {
        const struct jr_ceiling *at = &other->budget.v[i];

        if (ceiling_like(own, at) == NULL)
            JR_POLICY_FAULT(c, INVALID, at->rule.path, JR_NO_VALUE,
                            "the policy has no such ceiling");
    }
}

static void compile_until(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, struct jr_policy_exception *e)
{
    const struct jr_str text = jr_node_str(jr_get(node, "until"));
    const struct jr_field_path until = JR_FIELD(path, "until");

    if (text.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, &until, JR_NO_VALUE, "an exception needs an end");
    else if (jr_time_parse(text, &e->until) != JR_OK)
        JR_POLICY_FAULT(c, INVALID, &until, jr_errlist_quote(c->errs, text),
                        "must be a time as \"2027-03-31T00:00:00Z\"");
    else if (jr_time_cmp(c->now, e->until) >= 0)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_EXCEPTION_ENDED, &until,
                        "the exception has ended");
}

/** Refuses what the first version had. */
static void refuse_users(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path)
{
    static const char *const names[] = { "users", "groups" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (!jr_unset(jr_get(node, names[i])))
            JR_POLICY_FAULT(c, FORBIDDEN, &JR_FIELD(path, names[i]), JR_NO_VALUE,
                            "has gone, since a CronJob's Jobs and a queue's resumes are other "
                            "users': namespaces say for whom the exception is");
    }
}

static void compile_namespaces(struct jr_policy_compiler *c, const struct jr_node *node,
                               const struct jr_field_path *path, struct jr_policy_exception *e)
{
    const struct jr_node *list = jr_get(node, "namespaces");
    const struct jr_field_path namespaces = JR_FIELD(path, "namespaces");

    e->namespaces = jr_policy_copy_strs(c, list);
    jr_policy_check_count(c, list, EXCEPTIONS_MAX, &namespaces);
    JR_EACH_AT(ns, list, &namespaces, c->errs) {
        if (jr_name_dns_label(jr_node_str(ns.node)).n > 0)
            JR_POLICY_FAULT(c, INVALID, &ns.path, jr_errlist_quote(c->errs, jr_node_str(ns.node)),
                            "must be the exact name of a namespace");
    }
    if (e->namespaces.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, &namespaces, JR_NO_VALUE, "an exception needs namespaces");
    else
        qsort(e->namespaces.v, e->namespaces.n, sizeof(*e->namespaces.v), jr_str_order);
}

static void compile_reason(struct jr_policy_compiler *c, const struct jr_node *node,
                           const struct jr_field_path *path, struct jr_policy_exception *e)
{
    const struct jr_field_path reason = JR_FIELD(path, "reason");

    e->reason = jr_policy_copy(c, jr_get_str(node, "reason"));
    if (e->reason.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, &reason, JR_NO_VALUE, "an exception needs a reason");
    else if (e->reason.n > REASON_MAX)
        JR_POLICY_FAULT(c, TOO_LONG, &reason, JR_NO_VALUE, "may not be more than %d bytes",
                        REASON_MAX);
}

static void compile_exception(struct jr_policy_compiler *c, const struct jr_node *node,
                              const struct jr_field_path *path, struct jr_policy_exception *e)
{
    const struct jr_node *budget = jr_get(node, "budget");
    struct jr_policy_rules other = { .disruptions_aside = false };
    struct lift lift = { .names = jr_policy_copy_strs(c, jr_get(node, "lift")) };

    lift.used = jr_policy_calloc(c, lift.names.n, sizeof(*lift.used));
    if (lift.used == NULL)
        return;
    refuse_users(c, node, path);
    compile_namespaces(c, node, path, e);
    compile_reason(c, node, path, e);
    compile_until(c, node, path, e);
    lift.ended = jr_time_cmp(c->now, e->until) >= 0;
    if (!lift.ended && e->namespaces.n > 0)
        warn_of_namespaces(c, e, path);
    jr_policy_compile_limits(c, jr_get(node, "limits"), &JR_FIELD(path, "limits"), &other);
    jr_policy_compile_budget(c, budget, &JR_FIELD(path, "budget"), &other);
    jr_policy_check_count(c, jr_get(node, "lift"), EXCEPTIONS_MAX, &JR_FIELD(path, "lift"));
    if (other.limits.n + lift.names.n + jr_size(budget) == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "an exception needs limits, a budget or lift");
    check_excepted(c, &other);
    overlay(c, &other, &lift, &e->rules);
    overlay_choices(c, budget, &other, &lift, &JR_FIELD(path, "budget"), &e->rules);
    check_lift(c, &lift, path);
}

void jr_policy_compile_exceptions(struct jr_policy_compiler *c, const struct jr_node *list,
                                  const struct jr_field_path *path)
{
    struct jr_job_policy *p = c->policy;

    jr_policy_check_count(c, list, EXCEPTIONS_MAX, path);
    p->exceptions.v = jr_policy_calloc(c, jr_size(list), sizeof(*p->exceptions.v));
    if (p->exceptions.v == NULL || jr_size(list) > EXCEPTIONS_MAX)
        return;
    c->excepting = true;
    JR_EACH_AT(e, list, path, c->errs)
        compile_exception(c, e.node, &e.path, &p->exceptions.v[p->exceptions.n++]);
    c->excepting = false;
}
