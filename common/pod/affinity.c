#include "common/pod/pod_parts.h"
#include "common/pod/selector.h"

#define WEIGHT_MAX 100

/* Both kinds of affinity have these lists. */
#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static bool one_of(struct jr_str s, const char *a, const char *b)
{
    return jr_str_is(s, a) || jr_str_is(s, b);
}

/* ---- nodes ---- */

static void check_expression(const struct jr_node *r, bool any_values,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str op = jr_get_str(r, "operator"), key = jr_get_str(r, "key");
    const struct jr_field_path values_path = JR_FIELD(path, "values");
    const struct jr_node *values = jr_get(r, "values");
    const struct jr_faults faults = jr_name_key(key);
    const size_t n = jr_size(values);
    size_t i = 0;

    if (one_of(op, "In", "NotIn")) {
        if (n == 0)
            jr_rule_broken(errs, JR_RULE_NODE_VALUES_REQUIRED, &values_path, JR_NO_VALUE);
    } else if (one_of(op, "Exists", "DoesNotExist")) {
        if (n > 0)
            jr_rule_broken(errs, JR_RULE_NODE_VALUES_FORBIDDEN, &values_path, JR_NO_VALUE);
    } else if (one_of(op, "Gt", "Lt")) {
        if (n != 1)
            jr_rule_broken(errs, JR_RULE_NODE_VALUES_SINGLE, &values_path, JR_NO_VALUE);
    } else {
        jr_rule_broken(errs, JR_RULE_NODE_OPERATOR, &JR_FIELD(path, "operator"),
                       jr_rule_json_str(errs, op));
    }
    jr_rule_faults(errs, JR_RULE_NODE_KEY, &JR_FIELD(path, "key"), key, &faults);
    for (const struct jr_node *v = any_values ? NULL : jr_first(values);
         v != NULL && jr_errlist_going(errs); v = jr_next(v), i++) {
        const struct jr_faults value = jr_name_label_value(jr_node_str(v));

        jr_rule_faults(errs, JR_RULE_NODE_VALUE, &JR_FIELD_AT(&values_path, i), jr_node_str(v),
                       &value);
    }
}

static void check_node_field(const struct jr_node *r, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
    const struct jr_str op = jr_get_str(r, "operator"), key = jr_get_str(r, "key");
    const struct jr_field_path values_path = JR_FIELD(path, "values");
    const struct jr_node *values = jr_get(r, "values");
    size_t i = 0;

    if (!one_of(op, "In", "NotIn"))
        jr_rule_broken(errs, JR_RULE_NODE_FIELD_OPERATOR, &JR_FIELD(path, "operator"),
                       jr_rule_json_str(errs, op));
    else if (jr_size(values) != 1)
        jr_rule_broken(errs, JR_RULE_NODE_FIELD_VALUES, &values_path, JR_NO_VALUE);
    if (!jr_str_is(key, "metadata.name")) {
        jr_rule_broken(errs, JR_RULE_NODE_FIELD_KEY, &JR_FIELD(path, "key"),
                       jr_errlist_quote(errs, key));
        return;
    }
    for (const struct jr_node *v = jr_first(values); v != NULL && jr_errlist_going(errs);
         v = jr_next(v), i++) {
        const struct jr_faults faults = jr_name_subdomain(jr_node_str(v));

        jr_rule_faults(errs, JR_RULE_NODE_FIELD_VALUE, &JR_FIELD_AT(&values_path, i),
                       jr_node_str(v), &faults);
    }
}

static void check_node_term(const struct jr_node *term, bool any_values,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path expressions = JR_FIELD(path, "matchExpressions");
    const struct jr_field_path fields = JR_FIELD(path, "matchFields");
    size_t i = 0;

    for (const struct jr_node *r = jr_first(jr_get(term, "matchExpressions"));
         r != NULL && jr_errlist_going(errs); r = jr_next(r), i++)
        check_expression(r, any_values, &JR_FIELD_AT(&expressions, i), errs);
    i = 0;
    for (const struct jr_node *r = jr_first(jr_get(term, "matchFields"));
         r != NULL && jr_errlist_going(errs); r = jr_next(r), i++)
        check_node_field(r, &JR_FIELD_AT(&fields, i), errs);
}

static void check_weight(const struct jr_node *term, enum jr_rule rule,
                         const struct jr_field_path *path, struct jr_errlist *errs)
{
    const int64_t weight = jr_node_i64_or(jr_get(term, "weight"), 0);

    if (weight <= 0 || weight > WEIGHT_MAX)
        jr_rule_broken(errs, rule, &JR_FIELD(path, "weight"), jr_errlist_int(errs, weight));
}

static void check_node_affinity(struct jr_pod_check *p, const struct jr_node *affinity,
                                const struct jr_field_path *path)
{
    const struct jr_node *required = jr_get(affinity, REQUIRED);
    const struct jr_node *terms = jr_get(required, "nodeSelectorTerms");
    const struct jr_field_path required_path = JR_FIELD(path, REQUIRED);
    const struct jr_field_path terms_path = JR_FIELD(&required_path, "nodeSelectorTerms");
    const struct jr_field_path preferred = JR_FIELD(path, PREFERRED);
    size_t i = 0;

    if (!jr_unset(required) && jr_size(terms) == 0)
        jr_rule_broken(p->errs, JR_RULE_NODE_TERMS, &terms_path, JR_NO_VALUE);
    for (const struct jr_node *t = jr_first(terms); t != NULL && jr_errlist_going(p->errs);
         t = jr_next(t), i++)
        check_node_term(t, p->opts->node_affinity_any_values, &JR_FIELD_AT(&terms_path, i),
                        p->errs);
    i = 0;
    for (const struct jr_node *t = jr_first(jr_get(affinity, PREFERRED));
         t != NULL && jr_errlist_going(p->errs); t = jr_next(t), i++) {
        const struct jr_field_path at = JR_FIELD_AT(&preferred, i);

        check_weight(t, JR_RULE_NODE_WEIGHT, &at, p->errs);
        check_node_term(jr_get(t, "preference"), true, &JR_FIELD(&at, "preference"), p->errs);
    }
}

/* ---- other Pods ---- */

static void check_pod_term(struct jr_pod_check *p, const struct jr_node *term,
                           const struct jr_field_path *path)
{
    const bool any_values = p->opts->affinity_any_values;
    const struct jr_node *selector = jr_get(term, "labelSelector");
    const struct jr_field_path key_path = JR_FIELD(path, "topologyKey");
    const struct jr_str key = jr_get_str(term, "topologyKey");
    const struct jr_faults key_faults = jr_name_key(key);

    jr_pod_check_selector(selector, any_values, &JR_FIELD(path, "labelSelector"), p->errs);
    jr_pod_check_selector(jr_get(term, "namespaceSelector"), any_values,
                          &JR_FIELD(path, "namespaceSelector"), p->errs);
    for (const struct jr_node *n = jr_first(jr_get(term, "namespaces"));
         n != NULL && jr_errlist_going(p->errs); n = jr_next(n)) {
        const struct jr_faults faults = jr_name_dns_label(jr_node_str(n));

        /* upstream's path has no index, and is in the singular */
        jr_rule_faults(p->errs, JR_RULE_POD_TERM_NAMESPACE, &JR_FIELD(path, "namespace"),
                       jr_node_str(n), &faults);
    }
    jr_pod_check_match_keys(jr_get(term, "matchLabelKeys"), jr_get(term, "mismatchLabelKeys"),
                            selector, path, p->errs);
    if (key.n == 0)
        jr_rule_broken(p->errs, JR_RULE_TOPOLOGY_KEY_REQUIRED, &key_path, JR_NO_VALUE);
    jr_rule_faults(p->errs, JR_RULE_TOPOLOGY_KEY, &key_path, key, &key_faults);
}

static void check_pod_affinity(struct jr_pod_check *p, const struct jr_node *affinity,
                               const struct jr_field_path *path)
{
    const struct jr_field_path required = JR_FIELD(path, REQUIRED);
    const struct jr_field_path preferred = JR_FIELD(path, PREFERRED);
    size_t i = 0;

    for (const struct jr_node *t = jr_first(jr_get(affinity, REQUIRED));
         t != NULL && jr_errlist_going(p->errs); t = jr_next(t), i++)
        check_pod_term(p, t, &JR_FIELD_AT(&required, i));
    i = 0;
    for (const struct jr_node *t = jr_first(jr_get(affinity, PREFERRED));
         t != NULL && jr_errlist_going(p->errs); t = jr_next(t), i++) {
        const struct jr_field_path at = JR_FIELD_AT(&preferred, i);

        check_weight(t, JR_RULE_POD_WEIGHT, &at, p->errs);
        check_pod_term(p, jr_get(t, "podAffinityTerm"), &JR_FIELD(&at, "podAffinityTerm"));
    }
}

void jr_pod_check_affinity(struct jr_pod_check *p, const struct jr_field_path *pod_path)
{
    static const char *const of_pods[] = { "podAffinity", "podAntiAffinity" };
    const struct jr_node *affinity = jr_get(p->spec, "affinity");
    const struct jr_field_path path = JR_FIELD(pod_path, "affinity");

    check_node_affinity(p, jr_get(affinity, "nodeAffinity"), &JR_FIELD(&path, "nodeAffinity"));
    for (size_t i = 0; i < JR_ARRAY_SIZE(of_pods); i++)
        check_pod_affinity(p, jr_get(affinity, of_pods[i]), &JR_FIELD(&path, of_pods[i]));
}
