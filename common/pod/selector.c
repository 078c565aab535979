#include "common/pod/selector.h"

#include "common/rules/texts.h"

/* ---- label selectors ---- */

static void check_requirement(const struct jr_node *r, bool any_values,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path values_path = JR_FIELD(path, "values");
    const struct jr_str op = jr_get_str(r, "operator"), key = jr_get_str(r, "key");
    const struct jr_node *values = jr_get(r, "values");
    const struct jr_faults faults = jr_name_key(key);
    size_t i = 0;

    if (jr_str_is(op, "In") || jr_str_is(op, "NotIn")) {
        if (jr_size(values) == 0)
            jr_rule_broken(errs, JR_RULE_SELECTOR_VALUES_REQUIRED, &values_path, JR_NO_VALUE);
    } else if (jr_str_is(op, "Exists") || jr_str_is(op, "DoesNotExist")) {
        if (jr_size(values) > 0)
            jr_rule_broken(errs, JR_RULE_SELECTOR_VALUES_FORBIDDEN, &values_path, JR_NO_VALUE);
    } else {
        jr_rule_broken(errs, JR_RULE_SELECTOR_OPERATOR, &JR_FIELD(path, "operator"),
                       jr_rule_json_str(errs, op));
    }
    jr_rule_faults(errs, JR_RULE_SELECTOR_KEY, &JR_FIELD(path, "key"), key, &faults);
    for (const struct jr_node *v = any_values ? NULL : jr_first(values);
         v != NULL && jr_errlist_going(errs); v = jr_next(v), i++) {
        const struct jr_faults value = jr_name_label_value(jr_node_str(v));

        jr_rule_faults(errs, JR_RULE_SELECTOR_VALUE, &JR_FIELD_AT(&values_path, i), jr_node_str(v),
                       &value);
    }
}

void jr_pod_check_selector(const struct jr_node *selector, bool any_values,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_labels labels = jr_string_map(jr_get(selector, "matchLabels"), errs);
    const struct jr_field_path expressions = JR_FIELD(path, "matchExpressions");
    size_t i = 0;

    jr_validate_labels(&labels, &JR_FIELD(path, "matchLabels"), JR_RULE_SELECTOR_LABEL_KEY,
                       JR_RULE_SELECTOR_LABEL_VALUE, errs);
    for (const struct jr_node *r = jr_first(jr_get(selector, "matchExpressions"));
         r != NULL && jr_errlist_going(errs); r = jr_next(r), i++)
        check_requirement(r, any_values, &JR_FIELD_AT(&expressions, i), errs);
}
