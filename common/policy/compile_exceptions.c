/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.exceptions: each becomes the rules that are left. */
#include "common/policy/compile.h"

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

        if (!is_lifted(lift, l->rule.name))
            ret->limits.v[ret->limits.n++] = at != NULL ? merge(c, l, at) : l;
    }
    for (size_t i = 0; i < own->budget.n; i++) {
        const struct jr_ceiling *at = ceiling_like(other, &own->budget.v[i]);

        if (!is_lifted(lift, own->budget.v[i].rule.name))
            ret->budget.v[ret->budget.n++] = at != NULL ? *at : own->budget.v[i];
    }
}

/** Sets how the budget counts under the exception. */
static void overlay_choices(struct jr_policy_compiler *c, const struct jr_node *budget,
                            const struct jr_policy_rules *other, struct lift *lift,
                            struct jr_policy_rules *ret)
{
    const struct jr_policy_rules *own = &c->policy->rules;

    ret->disruptions_aside =
        jr_unset(jr_get(budget, "disruptions")) ? own->disruptions_aside : other->disruptions_aside;
    ret->refuses_changes =
        jr_unset(jr_get(budget, "changes")) ? own->refuses_changes : other->refuses_changes;
    if (own->refuses_changes && is_lifted(lift, JR_S("budget.changes")))
        ret->refuses_changes = false;
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
    jr_policy_compile_limits(c, jr_get(node, "limits"), &JR_FIELD(path, "limits"), &other);
    jr_policy_compile_budget(c, budget, &JR_FIELD(path, "budget"), &other);
    jr_policy_check_count(c, jr_get(node, "lift"), EXCEPTIONS_MAX, &JR_FIELD(path, "lift"));
    if (other.limits.n + lift.names.n + jr_size(budget) == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "an exception needs limits, a budget or lift");
    check_excepted(c, &other);
    overlay(c, &other, &lift, &e->rules);
    overlay_choices(c, budget, &other, &lift, &e->rules);
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
