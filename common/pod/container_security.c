#include "common/pod/parts.h"

#define ID_MAX INT32_MAX

static void check_ids(const struct jr_node *context, const struct jr_field_path *path,
                      struct jr_errlist *errs)
{
    static const struct {
        const char *name;
        enum jr_rule rule;
    } rows[] = {
        { "runAsUser", JR_RULE_RUN_AS_USER },
        { "runAsGroup", JR_RULE_RUN_AS_GROUP },
    };
    int64_t v;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (jr_node_i64(jr_get(context, rows[i].name), &v) == JR_OK && (v < 0 || v > ID_MAX))
            jr_violation_int(errs, rows[i].rule, &JR_FIELD(path, rows[i].name), v);
    }
}

static void check_proc_mount(struct jr_pod_check *p, const struct jr_node *context,
                             const struct jr_field_path *path)
{
    static const char *const values[] = { "Default", "Unmasked", NULL };
    const struct jr_node *node = jr_get(context, "procMount");
    const struct jr_str mount = jr_node_str(node);

    if (jr_unset(node))
        return;
    jr_validate_choice(JR_RULE_PROC_MOUNT, values, mount, path, p->errs);
    if (jr_str_is(mount, "Unmasked") && jr_node_bool_or(jr_get(p->spec, "hostUsers"), true))
        jr_violation_enum(p->errs, JR_RULE_PROC_MOUNT_USERS, path, mount);
}

/** What gives more privileges can't go with the promise not to gain any. */
static void check_escalation(const struct jr_node *context, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
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
    if (jr_unset(context))
        return;
    check_ids(context, path, p->errs);
    check_proc_mount(p, context, &JR_FIELD(path, "procMount"));
    jr_pod_check_seccomp(p, jr_get(context, "seccompProfile"), &JR_FIELD(path, "seccompProfile"));
    check_escalation(context, path, p->errs);
    jr_pod_check_windows_options(p, jr_get(context, "windowsOptions"),
                                 &JR_FIELD(path, "windowsOptions"));
    jr_pod_check_app_armor(p, jr_get(context, "appArmorProfile"),
                           &JR_FIELD(path, "appArmorProfile"));
}
