/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of resizePolicy, restartPolicy and restartPolicyRules. */
#include "common/pod/parts.h"

#include "common/pod/walk.h"

#define RULES_MAX 20
#define EXIT_CODES_MAX 255

/* ---- resizePolicy ---- */

static void check_resize_policy(struct jr_pod_check *p, const struct jr_node *policy,
                                const struct jr_field_path *path)
{
    static const char *const resources[] = { "cpu", "memory", NULL };
    static const char *const policies[] = { "NotRequired", "RestartContainer", NULL };
    static const struct jr_enum_rule resource = { resources, JR_RULE_RESIZE_RESOURCE_REQUIRED,
                                                  JR_RULE_RESIZE_RESOURCE };
    static const struct jr_enum_rule restart = { policies, JR_RULE_RESIZE_POLICY_REQUIRED,
                                                 JR_RULE_RESIZE_POLICY };
    const struct jr_str value = jr_get_str(policy, "restartPolicy");

    jr_validate_enum(&resource, jr_get(policy, "resourceName"), path, p->errs);
    jr_validate_enum(&restart, jr_get(policy, "restartPolicy"), path, p->errs);
    if (jr_str_is(jr_get_str(p->spec, "restartPolicy"), "Never") &&
        !jr_str_is(value, "NotRequired"))
        jr_violation_enum(p->errs, JR_RULE_RESIZE_POLICY_NEVER, path, value);
}

void jr_pod_check_resize(struct jr_pod_check *p, const struct jr_node *container,
                         const struct jr_field_path *path)
{
    const struct jr_field_path list = JR_FIELD(path, "resizePolicy");
    struct jr_errlist *errs = p->errs;
    struct jr_string_set seen = JR_STRING_SET(errs);

    JR_EACH_AT(c, jr_get(container, "resizePolicy"), &list, errs) {
        const struct jr_str resource = jr_get_str(c.node, "resourceName");

        if (!jr_string_set_add(&seen, resource))
            jr_violation_enum(errs, JR_RULE_RESIZE_RESOURCE_TWICE,
                              &JR_FIELD_HIDDEN(&c.path, JR_S("resourceName")), resource);
        /* upstream leaves the index out */
        check_resize_policy(p, c.node, &JR_FIELD_HIDDEN_AT(&list, c.path.index));
    }
}

void jr_pod_check_init_resize(struct jr_pod_check *p, const struct jr_node *container,
                              const struct jr_field_path *path)
{
    const struct jr_node *list = jr_get(container, "resizePolicy");

    if (!p->opts->init_resize_policy && jr_size(list) > 0)
        jr_rule_violated(p->errs, JR_RULE_RESIZE_POLICY_INIT_BANNED,
                         &JR_FIELD(path, "resizePolicy"),
                         jr_rule_shown(p->errs, &jr_schema_container, "resizePolicy", list));
    if (p->opts->init_restart_resize_policy || jr_container_is_sidecar(container))
        return;
    JR_EACH_AT(c, list, &JR_FIELD(path, "resizePolicy"), p->errs) {
        const struct jr_str policy = jr_get_str(c.node, "restartPolicy");

        if (jr_str_is(policy, "RestartContainer"))
            jr_violation_enum(p->errs, JR_RULE_RESIZE_POLICY_INIT,
                              &JR_FIELD(&c.path, "restartPolicy"), policy);
    }
}

/* ---- restartPolicy, restartPolicyRules ---- */

static void check_exit_codes(const struct jr_node *codes, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
    static const char *const operators[] = { "In", "NotIn", NULL };
    const size_t n = jr_size(jr_get(codes, "values"));

    jr_validate_choice(JR_RULE_RESTART_RULE_OPERATOR, operators, jr_get_str(codes, "operator"),
                       &JR_FIELD(path, "operator"), errs);
    if (n > EXIT_CODES_MAX)
        jr_violation_int(errs, JR_RULE_RESTART_RULE_VALUES, &JR_FIELD(path, "values"), (int64_t)n);
}

static void check_rules(struct jr_pod_check *p, const struct jr_node *rules,
                        const struct jr_field_path *path)
{
    static const char *const all_actions[] = { "Restart", "RestartAllContainers", NULL };
    static const char *const one_action[] = { "Restart", NULL };
    struct jr_errlist *errs = p->errs;
    const char *const *actions = p->opts->restart_all_containers ? all_actions : one_action;
    const char *const *named =
        jr_kube_has(errs->version, JR_CHANGE_RESTART_ACTIONS_NAMED) ? actions : one_action;

    if (jr_size(rules) > RULES_MAX)
        jr_violation_int(errs, JR_RULE_RESTART_RULES_MANY, path, (int64_t)jr_size(rules));
    JR_EACH_AT(r, rules, path, errs) {
        const struct jr_field_path codes_path = JR_FIELD(&r.path, "exitCodes");
        const struct jr_node *codes = jr_get(r.node, "exitCodes");
        const struct jr_str action = jr_get_str(r.node, "action");

        if (!jr_one_of(action, actions))
            jr_rule_unsupported(errs, JR_RULE_RESTART_RULE_ACTION, &JR_FIELD(&r.path, "action"),
                                jr_rule_json_str(errs, action), named);
        if (jr_unset(codes))
            jr_violation(errs, JR_RULE_RESTART_RULE_EXIT_CODES, &codes_path);
        else
            check_exit_codes(codes, &codes_path, errs);
    }
}

void jr_pod_check_restart(struct jr_pod_check *p, const struct jr_node *container,
                          const struct jr_field_path *path)
{
    static const char *const policies[] = { "Always", "Never", "OnFailure", NULL };
    const struct jr_field_path at = JR_FIELD(path, "restartPolicy");
    const struct jr_node *policy = jr_get(container, "restartPolicy");
    const struct jr_node *rules = jr_get(container, "restartPolicyRules");

    if (!p->opts->container_restart_rules) { /* the fields are dropped, or were not known */
        if (!jr_unset(policy))
            jr_violation(p->errs, JR_RULE_CONTAINER_RESTART_POLICY_EARLY, &at);
        return;
    }
    if (!jr_unset(policy))
        jr_validate_choice(JR_RULE_CONTAINER_RESTART_POLICY, policies, jr_node_str(policy), &at,
                           p->errs);
    else if (jr_size(rules) > 0)
        jr_violation(p->errs, JR_RULE_RESTART_POLICY_REQUIRED, &at);
    check_rules(p, rules, &JR_FIELD(path, "restartPolicyRules"));
}

void jr_pod_check_init_restart(struct jr_pod_check *p, const struct jr_node *container,
                               const struct jr_field_path *path)
{
    const struct jr_node *policy = jr_get(container, "restartPolicy");
    const bool rules = jr_size(jr_get(container, "restartPolicyRules")) > 0;
    const bool sidecar = jr_str_is(jr_node_str(policy), "Always");
    const struct jr_field_path at = JR_FIELD(path, "restartPolicy");

    if (!p->opts->container_restart_rules) {
        if (!jr_unset(policy) && !sidecar)
            jr_violation_enum(p->errs, JR_RULE_INIT_RESTART_POLICY_EARLY, &at, jr_node_str(policy));
        return;
    }
    if (jr_unset(policy)) {
        if (rules && jr_kube_has(p->errs->version, JR_CHANGE_INIT_RESTART_RULES_NEED_POLICY))
            jr_violation(p->errs, JR_RULE_RESTART_POLICY_REQUIRED, &at);
        return;
    }
    if (sidecar && rules && !p->opts->restart_all_containers)
        jr_violation(p->errs, JR_RULE_SIDECAR_RESTART_RULES, &JR_FIELD(path, "restartPolicyRules"));
    else
        jr_pod_check_restart(p, container, path);
}
