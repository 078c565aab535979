/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of affinity: of nodes and of Pods. */
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
    const size_t n = jr_size(values);

    if (one_of(op, "In", "NotIn")) {
        if (n == 0)
            jr_violation(errs, JR_RULE_NODE_VALUES_REQUIRED, &values_path);
    } else if (one_of(op, "Exists", "DoesNotExist")) {
        if (n > 0)
            jr_violation(errs, JR_RULE_NODE_VALUES_FORBIDDEN, &values_path);
    } else if (one_of(op, "Gt", "Lt")) {
        if (n != 1)
            jr_violation(errs, JR_RULE_NODE_VALUES_SINGLE, &values_path);
    } else {
        jr_violation_enum(errs, JR_RULE_NODE_OPERATOR, &JR_FIELD(path, "operator"), op);
    }
    jr_validate_name(errs, JR_RULE_NODE_KEY, &JR_FIELD(path, "key"), key, jr_name_key);
    JR_EACH_AT(v, any_values ? NULL : values, &values_path, errs) {
        jr_validate_name(errs, JR_RULE_NODE_VALUE, &v.path, jr_node_str(v.node),
                         jr_name_label_value);
    }
}

static void check_node_field(const struct jr_node *r, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
    const struct jr_str op = jr_get_str(r, "operator"), key = jr_get_str(r, "key");
    const struct jr_field_path values_path = JR_FIELD(path, "values");
    const struct jr_node *values = jr_get(r, "values");

    if (!one_of(op, "In", "NotIn"))
        jr_violation_enum(errs, JR_RULE_NODE_FIELD_OPERATOR, &JR_FIELD(path, "operator"), op);
    else if (jr_size(values) != 1)
        jr_violation(errs, JR_RULE_NODE_FIELD_VALUES, &values_path);
    if (!jr_str_is(key, "metadata.name")) {
        jr_violation_text(errs, JR_RULE_NODE_FIELD_KEY, &JR_FIELD(path, "key"), key);
        return;
    }
    JR_EACH_AT(v, values, &values_path, errs) {
        jr_validate_name(errs, JR_RULE_NODE_FIELD_VALUE, &v.path, jr_node_str(v.node),
                         jr_name_subdomain);
    }
}

static void check_node_term(const struct jr_node *term, bool any_values,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    JR_EACH_AT(r, jr_get(term, "matchExpressions"), &JR_FIELD(path, "matchExpressions"), errs)
        check_expression(r.node, any_values, &r.path, errs);
    JR_EACH_AT(r, jr_get(term, "matchFields"), &JR_FIELD(path, "matchFields"), errs)
        check_node_field(r.node, &r.path, errs);
}

static void check_weight(const struct jr_node *term, enum jr_rule rule,
                         const struct jr_field_path *path, struct jr_errlist *errs)
{
    const int64_t weight = jr_node_i64_or(jr_get(term, "weight"), 0);

    if (weight <= 0 || weight > WEIGHT_MAX)
        jr_violation_int(errs, rule, &JR_FIELD(path, "weight"), weight);
}

static void check_node_affinity(struct jr_pod_check *p, const struct jr_node *affinity,
                                const struct jr_field_path *path)
{
    const struct jr_node *required = jr_get(affinity, REQUIRED);
    const struct jr_node *terms = jr_get(required, "nodeSelectorTerms");
    const struct jr_field_path required_path = JR_FIELD(path, REQUIRED);
    const struct jr_field_path terms_path = JR_FIELD(&required_path, "nodeSelectorTerms");

    if (!jr_unset(required) && jr_size(terms) == 0)
        jr_violation(p->errs, JR_RULE_NODE_TERMS, &terms_path);
    JR_EACH_AT(t, terms, &terms_path, p->errs)
        check_node_term(t.node, p->opts->node_affinity_any_values, &t.path, p->errs);
    JR_EACH_AT(t, jr_get(affinity, PREFERRED), &JR_FIELD(path, PREFERRED), p->errs) {
        check_weight(t.node, JR_RULE_NODE_WEIGHT, &t.path, p->errs);
        check_node_term(jr_get(t.node, "preference"), true, &JR_FIELD(&t.path, "preference"),
                        p->errs);
    }
}

/* ---- other Pods ---- */

static void check_pod_term(struct jr_pod_check *p, const struct jr_node *term,
                           const struct jr_field_path *path)
{
    const bool any_values = p->opts->affinity_any_values;
    const struct jr_node *selector = jr_get(term, "labelSelector");
    const struct jr_field_path namespaces_path = JR_FIELD_HIDDEN(path, JR_S("namespaces"));
    const struct jr_field_path key_path = JR_FIELD(path, "topologyKey");
    const struct jr_str key = jr_get_str(term, "topologyKey");

    jr_pod_check_selector(selector, any_values, &JR_FIELD(path, "labelSelector"), p->errs);
    jr_pod_check_selector(jr_get(term, "namespaceSelector"), any_values,
                          &JR_FIELD(path, "namespaceSelector"), p->errs);
    JR_EACH_AT(n, jr_get(term, "namespaces"), &namespaces_path, p->errs) {
        n.path.hidden = true; /* upstream's path has no index, and is in the singular */
        jr_validate_name(p->errs, JR_RULE_POD_TERM_NAMESPACE, &JR_FIELD(&n.path, "namespace"),
                         jr_node_str(n.node), jr_name_dns_label);
    }
    jr_pod_check_match_keys(jr_get(term, "matchLabelKeys"), jr_get(term, "mismatchLabelKeys"),
                            selector, path, p->errs);
    if (key.n == 0)
        jr_violation(p->errs, JR_RULE_TOPOLOGY_KEY_REQUIRED, &key_path);
    jr_validate_name(p->errs, JR_RULE_TOPOLOGY_KEY, &key_path, key, jr_name_key);
}

static void check_pod_affinity(struct jr_pod_check *p, const struct jr_node *affinity,
                               const struct jr_field_path *path)
{
    JR_EACH_AT(t, jr_get(affinity, REQUIRED), &JR_FIELD(path, REQUIRED), p->errs)
        check_pod_term(p, t.node, &t.path);
    JR_EACH_AT(t, jr_get(affinity, PREFERRED), &JR_FIELD(path, PREFERRED), p->errs) {
        check_weight(t.node, JR_RULE_POD_WEIGHT, &t.path, p->errs);
        check_pod_term(p, jr_get(t.node, "podAffinityTerm"), &JR_FIELD(&t.path, "podAffinityTerm"));
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
