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

/** Puts what the exception says of the field in the place of what the policy says. */
static struct jr_limit merge(struct jr_policy_compiler *c, const struct jr_limit *own,
                             const struct jr_limit *other, const struct jr_field_path *path)
{
    struct jr_limit l = *own;
    struct jr_field_path room[3];

    if (other->required.set)
        l.required = other->required;
    if (other->min.set)
        l.min = other->min;
    if (other->max.set)
        l.max = other->max;
    if (other->values.n > 0)
        l.values = other->values;
    if (l.min.set && l.max.set && l.min.v > l.max.v)
        JR_POLICY_FAULT(c, INVALID, jr_limited_rule_path(l.field, path, room), JR_NO_VALUE,
                        "with the policy's own limit min is %lld and max %lld", (long long)l.min.v,
                        (long long)l.max.v);
    return l;
}

/* ---- what is lifted ---- */

/** The rules that an exception names, and which of the names have met one. */
struct lift {
    struct jr_strs names;
    bool *used;
    enum jr_status failed; /* no memory */
};

/** Whether the rule is named, by itself or as one of a map: "limits.labels" is all labels. */
static bool is_lifted(struct lift *lift, const struct jr_buf *rule)
{
    const struct jr_str name = jr_buf_str(rule);
    bool found = false;

    if (rule->failed != JR_OK)
        lift->failed = rule->failed;
    for (size_t i = 0; rule->failed == JR_OK && i < lift->names.n; i++) {
        const struct jr_str at = lift->names.v[i];

        if (jr_str_starts(name, at) && (name.n == at.n || name.p[at.n] == '['))
            found = lift->used[i] = true;
    }
    return found;
}

static bool is_limit_lifted(struct lift *lift, const struct jr_limit *l)
{
    JR_BUF rule = { 0 };

    jr_buf_init(&rule, JR_BUF_BY_INPUT);
    jr_limit_rule_write(l, &rule);
    return is_lifted(lift, &rule);
}

static bool is_key_lifted(struct lift *lift, const struct jr_key_limit *l)
{
    JR_BUF rule = { 0 };

    jr_buf_init(&rule, JR_BUF_BY_INPUT);
    jr_key_limit_rule_write(l, &rule);
    return is_lifted(lift, &rule);
}

static bool is_ceiling_lifted(struct lift *lift, const struct jr_ceiling *at)
{
    JR_BUF rule = { 0 };

    jr_buf_init(&rule, JR_BUF_BY_INPUT);
    jr_ceiling_rule_write(at, &rule);
    return is_lifted(lift, &rule);
}

static bool are_changes_lifted(struct lift *lift)
{
    JR_BUF rule = { 0 };

    jr_buf_init(&rule, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&rule, "budget.changes");
    return is_lifted(lift, &rule);
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

static const struct jr_key_limit *key_like(const struct jr_policy_rules *rules,
                                           const struct jr_key_limit *l)
{
    for (size_t i = 0; i < rules->keys.n; i++) {
        if (rules->keys.v[i].map == l->map && jr_str_eq(rules->keys.v[i].key, l->key))
            return &rules->keys.v[i];
    }
    return NULL;
}

/** Makes the policy's rules with the exception's numbers in the place of its own, but for those
 * that are lifted. */
static void overlay(struct jr_policy_compiler *c, const struct jr_policy_rules *other,
                    struct lift *lift, const struct jr_field_path *path,
                    struct jr_policy_rules *ret)
{
    const struct jr_policy_rules *own = &c->policy->rules;
    const struct jr_field_path limits = JR_FIELD(path, "limits");

    ret->limits.v = jr_policy_calloc(c, own->limits.n, sizeof(*ret->limits.v));
    ret->keys.v = jr_policy_calloc(c, own->keys.n, sizeof(*ret->keys.v));
    ret->budget.v = jr_policy_calloc(c, own->budget.n, sizeof(*ret->budget.v));
    if (ret->limits.v == NULL || ret->keys.v == NULL || ret->budget.v == NULL)
        return;
    for (size_t i = 0; i < own->limits.n; i++) {
        const struct jr_limit *l = jr_policy_limit_of(other, own->limits.v[i].field);

        if (!is_limit_lifted(lift, &own->limits.v[i]))
            ret->limits.v[ret->limits.n++] =
                l != NULL ? merge(c, &own->limits.v[i], l, &limits) : own->limits.v[i];
    }
    for (size_t i = 0; i < own->keys.n; i++) {
        const struct jr_key_limit *at = key_like(other, &own->keys.v[i]);

        if (!is_key_lifted(lift, &own->keys.v[i]))
            ret->keys.v[ret->keys.n++] = at != NULL ? *at : own->keys.v[i];
    }
    for (size_t i = 0; i < own->budget.n; i++) {
        const struct jr_ceiling *at = ceiling_like(other, &own->budget.v[i]);

        if (!is_ceiling_lifted(lift, &own->budget.v[i]))
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
    if (own->refuses_changes && are_changes_lifted(lift))
        ret->refuses_changes = false;
}

/** An exception to what the policy doesn't say would be a rule for those it excepts. */
static void check_excepted(struct jr_policy_compiler *c, const struct jr_policy_rules *other,
                           const struct jr_field_path *path)
{
    const struct jr_policy_rules *own = &c->policy->rules;

    for (size_t i = 0; i < other->limits.n; i++) {
        struct jr_field_path room[3];
        const struct jr_field_path limits = JR_FIELD(path, "limits");

        if (jr_policy_limit_of(own, other->limits.v[i].field) == NULL)
            JR_POLICY_FAULT(c, INVALID,
                            jr_limited_rule_path(other->limits.v[i].field, &limits, room),
                            JR_NO_VALUE, "the policy has no such limit");
    }
    for (size_t i = 0; i < other->keys.n; i++) {
        if (key_like(own, &other->keys.v[i]) == NULL)
            JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "limits"), JR_NO_VALUE,
                            "the policy has no limit on %s[%.*s]",
                            jr_limited_map_name(other->keys.v[i].map), JR_P(other->keys.v[i].key));
    }
    for (size_t i = 0; i < other->budget.n; i++) {
        if (ceiling_like(own, &other->budget.v[i]) == NULL)
            JR_POLICY_FAULT(
                c, INVALID, &JR_FIELD(path, "budget"), JR_NO_VALUE,
                "the policy has no ceiling on %s%s%.*s", jr_ceiling_name(other->budget.v[i].kind),
                other->budget.v[i].resource.n > 0 ? " of " : "", JR_P(other->budget.v[i].resource));
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
    if (other.limits.n + other.keys.n + lift.names.n + jr_size(budget) == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "an exception needs limits, a budget or lift");
    check_excepted(c, &other, path);
    overlay(c, &other, &lift, path, &e->rules);
    overlay_choices(c, budget, &other, &lift, &e->rules);
    if (lift.failed != JR_OK)
        c->errs->failed = JR_NOMEM;
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
