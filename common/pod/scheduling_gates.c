/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of schedulingGates and readinessGates. */
#include "common/pod/pod_parts.h"

static void check_readiness_gates(struct jr_pod_check *p, const struct jr_field_path *path)
{
    JR_EACH_AT(g, jr_get(p->spec, "readinessGates"), path, p->errs) {
        const struct jr_str type = jr_get_str(g.node, "conditionType");

        jr_validate_name(p->errs, JR_RULE_READINESS_GATE, &JR_FIELD(&g.path, "conditionType"), type,
                         jr_name_key);
    }
}

static void check_scheduling_gates(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_string_set names = JR_STRING_SET(p->errs);

    JR_EACH_AT(g, jr_get(p->spec, "schedulingGates"), path, p->errs) {
        const struct jr_field_path name_path = JR_FIELD_HIDDEN(&g.path, JR_S("name"));
        const struct jr_str name = jr_get_str(g.node, "name");

        jr_validate_name(p->errs, JR_RULE_SCHEDULING_GATE, &name_path, name, jr_name_key);
        if (!jr_string_set_add(&names, name))
            jr_violation_text(p->errs, JR_RULE_SCHEDULING_GATE_TWICE, &name_path, name);
    }
}

void jr_pod_check_gates(struct jr_pod_check *p, const struct jr_field_path *path)
{
    check_readiness_gates(p, &JR_FIELD(path, "readinessGates"));
    check_scheduling_gates(p, &JR_FIELD(path, "schedulingGates"));
}
