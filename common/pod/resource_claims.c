/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a Pod's resourceClaims and schedulingGroup. */
#include "common/pod/parts.h"

/** A reference by name: "" is no name. */
static void check_name(const struct jr_node *node, enum jr_rule rule,
                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (!jr_unset(node))
        jr_validate_name(errs, rule, path, jr_node_str(node), jr_name_subdomain);
}

static void check_claim_name(struct jr_str name, struct jr_string_set *names,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (name.n == 0)
        jr_violation(errs, JR_RULE_POD_CLAIM_NAME_REQUIRED, path);
    else if (jr_string_set_add(names, name))
        jr_validate_name(errs, JR_RULE_POD_CLAIM_NAME, path, name, jr_name_dns_label);
    else
        jr_violation_text(errs, JR_RULE_POD_CLAIM_NAME_TWICE, path, name);
}

static void check_claim(const struct jr_node *claim, struct jr_string_set *names,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_node *object = jr_get(claim, "resourceClaimName");
    const struct jr_node *template = jr_get(claim, "resourceClaimTemplateName");

    check_claim_name(jr_get_str(claim, "name"), names, &JR_FIELD(path, "name"), errs);
    if (!jr_unset(object) && !jr_unset(template))
        jr_violation_shown(errs, JR_RULE_POD_CLAIM_BOTH, path, &jr_schema_pod_spec,
                           "resourceClaims", claim);
    if (jr_unset(object) && jr_unset(template))
        jr_violation_shown(errs, JR_RULE_POD_CLAIM_REQUIRED, path, &jr_schema_pod_spec,
                           "resourceClaims", claim);
    check_name(object, JR_RULE_POD_CLAIM_OBJECT, &JR_FIELD(path, "resourceClaimName"), errs);
    check_name(template, JR_RULE_POD_CLAIM_TEMPLATE, &JR_FIELD(path, "resourceClaimTemplateName"),
               errs);
}

void jr_pod_check_resource_claims(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_string_set names = JR_STRING_SET(p->errs);

    JR_EACH_AT(c, jr_get(p->spec, "resourceClaims"), &JR_FIELD(path, "resourceClaims"), p->errs)
        check_claim(c.node, &names, &c.path, p->errs);
}

void jr_pod_check_scheduling_group(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *group = jr_get(p->spec, "schedulingGroup");
    const struct jr_node *name = jr_get(group, "podGroupName");
    const struct jr_field_path group_path = JR_FIELD(path, "schedulingGroup");
    const struct jr_field_path name_path = JR_FIELD(&group_path, "podGroupName");

    if (!jr_unset(group) && jr_unset(name))
        jr_rule_violated(p->errs, JR_RULE_POD_GROUP_NAME_REQUIRED, &name_path, JR_S("null"));
    check_name(name, JR_RULE_POD_GROUP_NAME, &name_path, p->errs);
}
