/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a Pod's securityContext, with its sysctls. */
#include "common/pod/host.h"
#include "common/pod/pod_parts.h"

#define SYSCTL_MAX 253

static void check_group(struct jr_pod_check *p, const struct jr_node *group,
                        const struct jr_field_path *path)
{
    const int64_t v = jr_node_i64_or(group, 0);

    if (v < 0 || v > INT32_MAX)
        jr_violation_int(p->errs, JR_RULE_SUPPLEMENTAL_GROUP, path, v);
}

/* ---- sysctls ---- */

/** Lower case letters, digits, '-' and '_', the first and the last a letter or digit. */
static bool is_sysctl_part(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool alnum = (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= '0' && p[i] <= '9');
        bool inside = i > 0 && i + 1 < n;

        if (!alnum && !(inside && (p[i] == '-' || p[i] == '_')))
            return false;
    }
    return n > 0;
}

/** Parts with dots or slashes between them. */
static bool is_sysctl(struct jr_str s)
{
    size_t start = 0;

    if (s.n > SYSCTL_MAX)
        return false;
    for (size_t i = 0; i <= s.n; i++) {
        if (i < s.n && s.p[i] != '.' && s.p[i] != '/')
            continue;
        if (!is_sysctl_part(s.p + start, i - start))
            return false;
        start = i + 1;
    }
    return true;
}

/** Whether name, with '.' and '/' exchanged, starts with (or, whole, is) text. */
static bool sysctl_is(struct jr_str name, bool swapped, const char *text, bool whole)
{
    const size_t n = strlen(text);

    if (name.n < n || (whole && name.n != n))
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = name.p[i];

        if (swapped && (c == '.' || c == '/'))
            c = c == '.' ? '/' : '.';
        if (c != text[i])
            return false;
    }
    return true;
}

enum jr_namespace jr_pod_sysctl_namespace(struct jr_str name)
{
    static const char *const ipc[] = { "kernel.sem",    "kernel.shmall",          "kernel.shmmax",
                                       "kernel.shmmni", "kernel.shm_rmid_forced", "kernel.shm",
                                       "kernel.msgmax", "kernel.msgmnb",          "kernel.msgmni",
                                       "kernel.msg" };
    const ptrdiff_t star = jr_str_find(name, '*');
    bool swapped = false;

    if (star >= 0)
        name = jr_str_head(name, (size_t)star);
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '.' || name.p[i] == '/') {
            swapped = name.p[i] == '/';
            break;
        }
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(ipc); i++) {
        if (sysctl_is(name, swapped, ipc[i], true))
            return JR_NAMESPACE_IPC;
    }
    if (sysctl_is(name, swapped, "net.", false))
        return JR_NAMESPACE_NET;
    return sysctl_is(name, swapped, "fs.mqueue.", false) ? JR_NAMESPACE_IPC : JR_NAMESPACE_NONE;
}

static void check_host_sysctl(struct jr_pod_check *p, struct jr_str name,
                              const struct jr_field_path *path)
{
    const enum jr_namespace in = jr_pod_sysctl_namespace(name);

    if (p->opts->host_sysctls)
        return;
    if (in == JR_NAMESPACE_NET && jr_pod_host_network(p->spec))
        jr_violation_text(p->errs, JR_RULE_SYSCTL_HOST_NETWORK, path, name);
    if (in == JR_NAMESPACE_IPC && jr_node_bool_or(jr_get(p->spec, "hostIPC"), false))
        jr_violation_text(p->errs, JR_RULE_SYSCTL_HOST_IPC, path, name);
}

static void check_sysctls(struct jr_pod_check *p, const struct jr_node *sysctls,
                          const struct jr_field_path *path)
{
    struct jr_string_set names = JR_STRING_SET(p->errs);

    JR_EACH_AT(s, sysctls, path, p->errs) {
        const struct jr_field_path name_path = JR_FIELD(&s.path, "name");
        const struct jr_str name = jr_get_str(s.node, "name");
        bool fresh = jr_string_set_add(&names, name);

        if (name.n == 0)
            jr_violation(p->errs, JR_RULE_SYSCTL_REQUIRED, &name_path);
        else if (!is_sysctl(name))
            jr_violation_text(p->errs, JR_RULE_SYSCTL_NAME, &name_path, name);
        else if (!fresh)
            jr_violation_text(p->errs, JR_RULE_SYSCTL_TWICE, &name_path, name);
        check_host_sysctl(p, name, &name_path);
    }
}

/* ---- the securityContext ---- */

/** path: of what shareProcessNamespace is said to be a member of. */
static void check_processes(struct jr_pod_check *p, const struct jr_field_path *path)
{
    if (jr_node_bool_or(jr_get(p->spec, "shareProcessNamespace"), false) &&
        jr_node_bool_or(jr_get(p->spec, "hostPID"), false))
        jr_rule_violated(p->errs, JR_RULE_SHARE_PROCESSES, &JR_FIELD(path, "shareProcessNamespace"),
                         JR_S("true"));
}

static void check_processes_in_context(struct jr_pod_check *p, const struct jr_node *context,
                                       const struct jr_field_path *path)
{
    (void)context;
    if (!jr_kube_has(p->errs->version, JR_CHANGE_SHARED_PROCESSES_AT_POD))
        check_processes(p, path);
}

static void check_selinux_policy(struct jr_pod_check *p, const struct jr_node *policy,
                                 const struct jr_field_path *path)
{
    static const char *const all[] = { "MountOption", "Recursive", NULL };
    const bool one = p->opts->selinux_recursive_only;

    if (!jr_one_of(jr_node_str(policy), all + (one ? 1 : 0)))
        jr_violation_enum(p->errs, one ? JR_RULE_SELINUX_RECURSIVE : JR_RULE_SELINUX_POLICY, path,
                          jr_node_str(policy));
}

void jr_pod_check_security(struct jr_pod_check *p, const struct jr_field_path *path)
{
    static const char *const group_policies[] = { "Always", "OnRootMismatch", NULL };
    static const char *const supplemental_policies[] = { "Merge", "Strict", NULL };
    static const struct jr_field_rule rules[] = {
        JR_RANGE(JR_ALWAYS, "fsGroup", POD_FS_GROUP, 0, INT32_MAX),
        JR_RANGE(JR_ALWAYS, "runAsUser", POD_RUN_AS_USER, 0, INT32_MAX),
        JR_RANGE(JR_ALWAYS, "runAsGroup", POD_RUN_AS_GROUP, 0, INT32_MAX),
        JR_EACH_BY("supplementalGroups", check_group),
        JR_OBJECT_BY(check_processes_in_context),
        JR_CALL(JR_ALWAYS, "sysctls", check_sysctls),
        JR_KNOWN(JR_IF_SET, "fsGroupChangePolicy", FS_GROUP_POLICY, group_policies),
        JR_CALL(JR_IF_SET, "seccompProfile", jr_pod_check_seccomp),
        JR_RULES_OF("windowsOptions", jr_pod_windows_options),
        JR_CALL(JR_IF_SET, "appArmorProfile", jr_pod_check_app_armor),
        JR_KNOWN(JR_IF_SET, "supplementalGroupsPolicy", SUPPLEMENTAL_POLICY, supplemental_policies),
        JR_CALL(JR_IF_SET, "seLinuxChangePolicy", check_selinux_policy),
        { .name = NULL },
    };

    jr_pod_check_fields(p, rules, jr_get(p->spec, "securityContext"),
                        &JR_FIELD(path, "securityContext"));
    if (jr_kube_has(p->errs->version, JR_CHANGE_SHARED_PROCESSES_AT_POD))
        check_processes(p, path);
}
