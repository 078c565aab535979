/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of label selectors. */
#include "common/pod/selector.h"

#include "common/base/string_set.h"

/* ---- label selectors ---- */

static void check_requirement(const struct jr_node *r, bool any_values,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path values_path = JR_FIELD(path, "values");
    const struct jr_str op = jr_get_str(r, "operator"), key = jr_get_str(r, "key");
    const struct jr_node *values = jr_get(r, "values");

    if (jr_str_is(op, "In") || jr_str_is(op, "NotIn")) {
        if (jr_size(values) == 0)
            jr_violation(errs, JR_RULE_SELECTOR_VALUES_REQUIRED, &values_path);
    } else if (jr_str_is(op, "Exists") || jr_str_is(op, "DoesNotExist")) {
        if (jr_size(values) > 0)
            jr_violation(errs, JR_RULE_SELECTOR_VALUES_FORBIDDEN, &values_path);
    } else {
        jr_violation_enum(errs, JR_RULE_SELECTOR_OPERATOR, &JR_FIELD(path, "operator"), op);
    }
    jr_validate_name(errs, JR_RULE_SELECTOR_KEY, &JR_FIELD(path, "key"), key, jr_name_key);
    JR_EACH_AT(v, any_values ? NULL : values, &values_path, errs) {
        jr_validate_name(errs, JR_RULE_SELECTOR_VALUE, &v.path, jr_node_str(v.node),
                         jr_name_label_value);
    }
}

void jr_pod_check_selector(const struct jr_node *selector, bool any_values,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_labels labels = jr_string_map(jr_get(selector, "matchLabels"), errs);

    jr_validate_labels(&labels, &JR_FIELD(path, "matchLabels"), JR_RULE_SELECTOR_LABEL_KEY,
                       JR_RULE_SELECTOR_LABEL_VALUE, errs);
    JR_EACH_AT(r, jr_get(selector, "matchExpressions"), &JR_FIELD(path, "matchExpressions"), errs)
        check_requirement(r.node, any_values, &r.path, errs);
}
