/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a container's securityContext. */
#include "common/pod/parts.h"

#define ID_MAX INT32_MAX

static void check_proc_mount(struct jr_pod_check *p, const struct jr_node *node,
                             const struct jr_field_path *path)
{
    static const char *const values[] = { "Default", "Unmasked", NULL };
    const struct jr_str mount = jr_node_str(node);

    jr_validate_choice(JR_RULE_PROC_MOUNT, values, mount, path, p->errs);
    if (jr_str_is(mount, "Unmasked") && jr_node_bool_or(jr_get(p->spec, "hostUsers"), true))
        jr_violation_enum(p->errs, JR_RULE_PROC_MOUNT_USERS, path, mount);
}

/** What gives more privileges can't go with the promise not to gain any. */
static void check_escalation(struct jr_pod_check *p, const struct jr_node *context,
                             const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    const struct jr_node *added = jr_get(jr_get(context, "capabilities"), "add");

    if (jr_node_bool_or(jr_get(context, "allowPrivilegeEscalation"), true))
        return;
    if (jr_node_bool_or(jr_get(context, "privileged"), false))
        jr_violation_shown(errs, JR_RULE_ESCALATION_PRIVILEGED, path, &jr_schema_container,
                           "securityContext", context);
    JR_EACH_GOING(c, added, errs) {
        if (jr_str_is(jr_node_str(c), "CAP_SYS_ADMIN"))
            jr_violation_shown(errs, JR_RULE_ESCALATION_SYS_ADMIN, path, &jr_schema_container,
                               "securityContext", context);
    }
}

/* That privileged containers may be forbidden altogether is a flag of the API server, which
 * clusters set: the kubelet's and the network's own Pods need them. */
void jr_pod_check_container_security(struct jr_pod_check *p, const struct jr_node *context,
                                     const struct jr_field_path *path)
{
    static const struct jr_field_rule rules[] = {
        JR_RANGE(JR_IF_SET, "runAsUser", RUN_AS_USER, 0, ID_MAX),
        JR_RANGE(JR_IF_SET, "runAsGroup", RUN_AS_GROUP, 0, ID_MAX),
        JR_CALL(JR_IF_SET, "procMount", check_proc_mount),
        JR_CALL(JR_IF_SET, "seccompProfile", jr_pod_check_seccomp),
        JR_OBJECT_BY(check_escalation),
        JR_RULES_OF("windowsOptions", jr_pod_windows_options),
        JR_CALL(JR_IF_SET, "appArmorProfile", jr_pod_check_app_armor),
        { .name = NULL },
    };

    jr_pod_check_fields(p, rules, context, path);
}
