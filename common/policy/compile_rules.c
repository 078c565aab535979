/* SPDX-License-Identifier: Apache-2.0 */
/* spec.limits, spec.budget and spec.exceptions. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/job/controller_name.h"

#define SUSPENSIONS_MAX 1000
#define HOUR_S 3600

const struct jr_limit *jr_policy_limit_of(const struct jr_policy_rules *rules,
                                          enum jr_limited_field field)
{
    for (size_t i = 0; i < rules->limits.n; i++) {
        if (rules->limits.v[i].field == field)
            return &rules->limits.v[i];
    }
    return NULL;
}

/* ---- limits ---- */

void jr_policy_check_int(struct jr_policy_compiler *c, enum jr_limited_field field, int64_t v,
                         const struct jr_field_path *path)
{
    const struct jr_limited_field_info *info = &jr_limited_fields[field];

    if (v < info->least || v > info->most)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_int(c->errs, v),
                        "must be between %lld and %lld, as the field itself",
                        (long long)info->least, (long long)info->most);
}

void jr_policy_check_text(struct jr_policy_compiler *c, enum jr_limited_field field,
                          struct jr_str s, const struct jr_field_path *path)
{
    const char *const *known = jr_limited_fields[field].values;

    /* No Job can have another one, and messages show all that are allowed. */
    if (field == JR_LIMITED_POD_PRIORITY_CLASS && jr_name_subdomain(s).n > 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must be the name of a priority class");
    else if (field == JR_LIMITED_MANAGED_BY && !jr_controller_name_is_valid(s))
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must be a domain and a path of at most %d bytes, as \"example.com/jobs\"",
                        JR_CONTROLLER_NAME_MAX);

    if (known != NULL && !jr_one_of(s, known))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, s),
                        "supported values: \"%s\", \"%s\"", known[0], known[1]);
}

static struct jr_opt_i64 compile_bound(struct jr_policy_compiler *c, enum jr_limited_field field,
                                       const struct jr_node *node, const struct jr_field_path *path)
{
    struct jr_opt_i64 v = { .set = jr_node_i64(node, &v.v) == JR_OK };

    if (v.set)
        jr_policy_check_int(c, field, v.v, path);
    return v;
}

static void compile_int(struct jr_policy_compiler *c, const struct jr_node *node,
                        const struct jr_field_path *path, struct jr_limit *l)
{
    l->min = compile_bound(c, l->field, jr_get(node, "min"), &JR_FIELD(path, "min"));
    l->max = compile_bound(c, l->field, jr_get(node, "max"), &JR_FIELD(path, "max"));
    if (l->min.set && l->max.set && l->min.v > l->max.v)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "max"), jr_errlist_int(c->errs, l->max.v),
                        "must not be less than min, %lld", (long long)l->min.v);
    if (!jr_bool_or(l->required, false) && !l->min.set && !l->max.set)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required, min or max");
}

/* All of them are in one message, which has a bound. */
#define VALUES_MAX 128

static void compile_text(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_limit *l)
{
    const struct jr_field_path values = JR_FIELD(path, "values");

    l->values = jr_policy_copy_strs(c, jr_get(node, "values"));
    if (l->values.n > VALUES_MAX)
        JR_POLICY_FAULT(c, TOO_MANY, &values, jr_errlist_int(c->errs, (int64_t)l->values.n),
                        "must have at most %d items", VALUES_MAX);
    JR_EACH_AT(v, jr_get(node, "values"), &values, c->errs) {
        const struct jr_str s = jr_node_str(v.node);

        if (s.n == 0)
            JR_POLICY_FAULT(c, INVALID, &v.path, jr_errlist_quote(c->errs, s),
                            "must not be empty: an empty text counts as not set");
        else
            jr_policy_check_text(c, l->field, s, &v.path);
    }
    if (!jr_bool_or(l->required, false) && l->values.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required or values");
}

static void compile_flag(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_limit *l)
{
    l->forbidden = true;
    if (!jr_str_is(jr_node_str(node), "Forbidden"))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, jr_node_str(node)),
                        "supported values: \"Forbidden\"");
}

static void compile_limit(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, struct jr_limit *l)
{
    l->required.set = !jr_unset(jr_get(node, "required"));
    l->required.v = jr_node_bool_or(jr_get(node, "required"), false);
    switch (jr_limited_fields[l->field].kind) {
    case JR_LIMITED_INT:
        compile_int(c, node, path, l);
        break;
    case JR_LIMITED_TEXT:
        compile_text(c, node, path, l);
        break;
    case JR_LIMITED_FLAG:
        compile_flag(c, node, path, l);
        break;
    }
}

static void compile_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_field_path template = JR_FIELD(path, "template");

    ret->limits.v = jr_policy_calloc(c, JR_LIMITED_FIELDS, sizeof(*ret->limits.v));
    for (size_t f = 0; ret->limits.v != NULL && f < JR_LIMITED_FIELDS; f++) {
        const struct jr_limited_field_info *info = &jr_limited_fields[f];
        const struct jr_node *node =
            jr_get(info->of_template ? jr_get(limits, "template") : limits, info->leaf);
        struct jr_limit *l = &ret->limits.v[ret->limits.n];

        if (jr_unset(node))
            continue;
        ret->limits.n++;
        l->field = (enum jr_limited_field)f;
        compile_limit(c, node, &JR_FIELD(info->of_template ? &template : path, info->leaf), l);
    }
}

/* ---- budget ---- */

struct budget {
    struct jr_policy_compiler *c;
    struct jr_policy_rules *rules;
    const struct jr_node *node;
    const struct jr_field_path *path;
};

static struct jr_ceiling *add_ceiling(struct budget *b, enum jr_ceiling_kind kind)
{
    struct jr_ceiling *at = &b->rules->budget.v[b->rules->budget.n++];

    at->kind = kind;
    return at;
}

static void compile_pods(struct budget *b, enum jr_ceiling_kind kind, const char *name)
{
    struct jr_ceiling *at;
    int64_t v;

    if (jr_node_i64(jr_get(b->node, name), &v) != JR_OK)
        return;
    at = add_ceiling(b, kind);
    at->v = v;
    at->text = jr_policy_copy(b->c, jr_node_number(jr_get(b->node, name)));
    if (v < 0)
        JR_POLICY_FAULT(b->c, INVALID, &JR_FIELD(b->path, name), jr_errlist_int(b->c->errs, v),
                        "must not be negative");
}

static void compile_runtime(struct budget *b)
{
    const struct jr_node *node = jr_get(b->node, "runtime");
    struct jr_ceiling *at;
    int64_t ms = 0;

    if (jr_unset(node))
        return;
    at = add_ceiling(b, JR_CEILING_RUNTIME);
    at->text = jr_policy_copy(b->c, jr_node_str(node));
    if (jr_parse_duration_ms(jr_node_str(node), &ms) != JR_OK || ms < 1000)
        JR_POLICY_FAULT(b->c, INVALID, &JR_FIELD(b->path, "runtime"),
                        jr_errlist_quote(b->c->errs, jr_node_str(node)),
                        "must be a duration of at least a second, as \"24h\" or \"1h30m\"");
    at->v = ms / 1000;
}

static void compile_resource(struct budget *b, enum jr_ceiling_kind kind,
                             const struct jr_node *quantity, const struct jr_field_path *path)
{
    const struct jr_node *node = quantity;
    const struct jr_str text =
        jr_node_kind(node) == JR_NUMBER ? jr_node_number(node) : jr_node_str(node);
    struct jr_ceiling *at = add_ceiling(b, kind);
    const bool hours = kind == JR_CEILING_RESOURCE_HOURS;

    at->resource = jr_policy_copy(b->c, jr_key(quantity));
    at->text = jr_policy_copy(b->c, text);
    if (jr_quantity_of(quantity, &at->q) != JR_OK || jr_quantity_sign(&at->q) < 0 ||
        (hours && !jr_quantity_multiply(&at->q, HOUR_S)))
        JR_POLICY_FAULT(b->c, INVALID, path, jr_errlist_quote(b->c->errs, text),
                        "must be a quantity that is not negative, as \"64\" or \"256Gi\"");
    at->q.verbatim = (struct jr_str){ NULL, 0 }; /* it lies in the document */
}

static int by_resource(const void *a, const void *b)
{
    const struct jr_ceiling *x = a, *y = b;

    return jr_str_cmp(x->resource, y->resource);
}

static void compile_resources(struct budget *b, enum jr_ceiling_kind kind, const char *name)
{
    const struct jr_field_path path = JR_FIELD(b->path, name);
    const size_t from = b->rules->budget.n;

    JR_EACH_GOING(q, jr_get(b->node, name), b->c->errs) {
        if (jr_name_key(jr_key(q)).n > 0) /* no Pod can request it, and messages show it */
            JR_POLICY_FAULT(b->c, INVALID, &path, jr_errlist_quote(b->c->errs, jr_key(q)),
                            "must be the name of a resource");
        else
            compile_resource(b, kind, q, &JR_FIELD_KEY(&path, jr_key(q)));
    }
    qsort(b->rules->budget.v + from, b->rules->budget.n - from, sizeof(*b->rules->budget.v),
          by_resource);
}

static void compile_suspensions(struct budget *b)
{
    b->rules->suspensions = jr_node_i64_or(jr_get(b->node, "assumeSuspensions"), 0);
    if (b->rules->suspensions < 0 || b->rules->suspensions > SUSPENSIONS_MAX)
        JR_POLICY_FAULT(b->c, INVALID, &JR_FIELD(b->path, "assumeSuspensions"),
                        jr_errlist_int(b->c->errs, b->rules->suspensions),
                        "must be between 0 and %d", SUSPENSIONS_MAX);
}

static void compile_budget(struct jr_policy_compiler *c, const struct jr_node *node,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct budget b = { c, ret, node, path };
    const size_t most =
        3 + jr_size(jr_get(node, "requestsAtOnce")) + jr_size(jr_get(node, "resourceHours"));

    if (jr_unset(node))
        return;
    ret->budget.v = jr_policy_calloc(c, most, sizeof(*ret->budget.v));
    if (ret->budget.v == NULL)
        return;
    compile_pods(&b, JR_CEILING_PODS_AT_ONCE, "podsAtOnce");
    compile_pods(&b, JR_CEILING_PODS_EVER, "podsEver");
    compile_runtime(&b);
    compile_resources(&b, JR_CEILING_REQUESTS_AT_ONCE, "requestsAtOnce");
    compile_resources(&b, JR_CEILING_RESOURCE_HOURS, "resourceHours");
    compile_suspensions(&b);
    if (ret->budget.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "needs podsAtOnce, podsEver, runtime, requestsAtOnce or resourceHours");
}

/* ---- exceptions ---- */

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

/** What the exception says of the field, and what the policy does where it says nothing. */
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

/** The policy's rules with the exception's numbers in the place of its own. */
static void overlay(struct jr_policy_compiler *c, const struct jr_policy_rules *other,
                    const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_policy_rules *own = &c->policy->rules;
    const struct jr_field_path limits = JR_FIELD(path, "limits");

    *ret = (struct jr_policy_rules){ .suspensions = own->suspensions };
    ret->limits.v = jr_policy_calloc(c, own->limits.n, sizeof(*ret->limits.v));
    ret->budget.v = jr_policy_calloc(c, own->budget.n, sizeof(*ret->budget.v));
    if (ret->limits.v == NULL || ret->budget.v == NULL)
        return;
    for (size_t i = 0; i < own->limits.n; i++) {
        const struct jr_limit *l = jr_policy_limit_of(other, own->limits.v[i].field);

        ret->limits.v[ret->limits.n++] =
            l != NULL ? merge(c, &own->limits.v[i], l, &limits) : own->limits.v[i];
    }
    for (size_t i = 0; i < own->budget.n; i++) {
        const struct jr_ceiling *at = ceiling_like(other, &own->budget.v[i]);

        ret->budget.v[ret->budget.n++] = at != NULL ? *at : own->budget.v[i];
    }
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

static void compile_exception(struct jr_policy_compiler *c, const struct jr_node *node,
                              const struct jr_field_path *path, struct jr_policy_exception *e)
{
    const struct jr_field_path namespaces = JR_FIELD(path, "namespaces");
    struct jr_policy_rules other = { .suspensions = 0 };

    e->namespaces = jr_policy_copy_strs(c, jr_get(node, "namespaces"));
    e->users = jr_policy_copy_strs(c, jr_get(node, "users"));
    e->groups = jr_policy_copy_strs(c, jr_get(node, "groups"));
    JR_EACH_AT(ns, jr_get(node, "namespaces"), &namespaces, c->errs) {
        if (jr_name_dns_label(jr_node_str(ns.node)).n > 0)
            JR_POLICY_FAULT(c, INVALID, &ns.path, jr_errlist_quote(c->errs, jr_node_str(ns.node)),
                            "must be the exact name of a namespace");
    }
    if (e->namespaces.n + e->users.n + e->groups.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "an exception needs namespaces, users or groups");
    if (jr_get_str(node, "reason").n == 0)
        JR_POLICY_FAULT(c, REQUIRED, &JR_FIELD(path, "reason"), JR_NO_VALUE,
                        "an exception needs a reason");
    compile_until(c, node, path, e);
    compile_limits(c, jr_get(node, "limits"), &JR_FIELD(path, "limits"), &other);
    compile_budget(c, jr_get(node, "budget"), &JR_FIELD(path, "budget"), &other);
    if (other.limits.n + other.budget.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "an exception needs limits or a budget");
    check_excepted(c, &other, path);
    overlay(c, &other, path, &e->rules);
    if (!jr_unset(jr_path(node, "budget.assumeSuspensions")))
        e->rules.suspensions = other.suspensions;
}

void jr_policy_compile_rules(struct jr_policy_compiler *c, const struct jr_node *spec,
                             const struct jr_field_path *path)
{
    struct jr_job_policy *p = c->policy;
    const struct jr_node *list = jr_get(spec, "exceptions");
    const struct jr_field_path exceptions = JR_FIELD(path, "exceptions");

    compile_limits(c, jr_get(spec, "limits"), &JR_FIELD(path, "limits"), &p->rules);
    compile_budget(c, jr_get(spec, "budget"), &JR_FIELD(path, "budget"), &p->rules);
    p->exceptions.v = jr_policy_calloc(c, jr_size(list), sizeof(*p->exceptions.v));
    if (p->exceptions.v == NULL)
        return;
    JR_EACH_AT(e, list, &exceptions, c->errs)
        compile_exception(c, e.node, &e.path, &p->exceptions.v[p->exceptions.n++]);
}
