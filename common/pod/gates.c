#include "common/pod/pod_parts.h"

static void check_readiness_gates(struct jr_pod_check *p, const struct jr_field_path *path)
{
    size_t i = 0;

    for (const struct jr_node *g = jr_first(jr_get(p->spec, "readinessGates"));
         g != NULL && jr_errlist_going(p->errs); g = jr_next(g), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_str type = jr_get_str(g, "conditionType");
        const struct jr_faults faults = jr_name_key(type);

        jr_rule_faults(p->errs, JR_RULE_READINESS_GATE, &JR_FIELD(&at, "conditionType"), type,
                       &faults);
    }
}

static void check_scheduling_gates(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_texts names = { .arena = p->errs->arena };
    size_t i = 0;

    for (const struct jr_node *g = jr_first(jr_get(p->spec, "schedulingGates"));
         g != NULL && jr_errlist_going(p->errs); g = jr_next(g), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_str name = jr_get_str(g, "name");
        const struct jr_faults faults = jr_name_key(name);

        jr_rule_faults(p->errs, JR_RULE_SCHEDULING_GATE, &at, name, &faults);
        if (!jr_texts_add(&names, name) && !names.failed)
            jr_rule_broken(p->errs, JR_RULE_SCHEDULING_GATE_TWICE, &at,
                           jr_errlist_quote(p->errs, name));
        if (names.failed)
            p->errs->failed = JR_NOMEM;
    }
}

void jr_pod_check_gates(struct jr_pod_check *p, const struct jr_field_path *path)
{
    check_readiness_gates(p, &JR_FIELD(path, "readinessGates"));
    check_scheduling_gates(p, &JR_FIELD(path, "schedulingGates"));
}
