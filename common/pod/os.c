/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of os: the fields that may not be set for Windows or for Linux. */
#include "common/pod/pod_parts.h"
#include "common/pod/walk.h"

/** The errors of forbidden fields. */
static void check_linux(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_field_path context = JR_FIELD(path, "securityContext");
    struct jr_container_walk w = { .pod = p->spec, .path = path };

    if (!jr_unset(jr_path(p->spec, "securityContext.windowsOptions")))
        jr_violation(p->errs, JR_RULE_LINUX_WINDOWS_OPTIONS, &JR_FIELD(&context, "windowsOptions"));
    while (jr_container_next(&w)) {
        const struct jr_field_path own = JR_FIELD(&w.at, "securityContext");

        if (!jr_unset(jr_path(w.container, "securityContext.windowsOptions")))
            jr_violation(p->errs, JR_RULE_LINUX_WINDOWS_OPTIONS, &JR_FIELD(&own, "windowsOptions"));
    }
}

/** How a field of Linux is given. */
enum given { NOT_NULL, IS_TRUE, NOT_EMPTY };

/* Fields that mean nothing on Windows, of the PodSpec or of its securityContext, in the order of
 * errors up to 1.36. */
static const struct linux_field {
    const char *name;
    bool in_context;
    enum given given;
} linux_fields[] = {
    { "appArmorProfile", true, NOT_NULL },
    { "seLinuxOptions", true, NOT_NULL },
    { "hostUsers", false, NOT_NULL },
    { "hostPID", false, IS_TRUE },
    { "hostIPC", false, IS_TRUE },
    { "seccompProfile", true, NOT_NULL },
    { "fsGroup", true, NOT_NULL },
    { "fsGroupChangePolicy", true, NOT_NULL },
    { "sysctls", true, NOT_EMPTY },
    { "shareProcessNamespace", false, NOT_NULL },
    { "runAsUser", true, NOT_NULL },
    { "runAsGroup", true, NOT_NULL },
    { "supplementalGroups", true, NOT_NULL },
    { "supplementalGroupsPolicy", true, NOT_NULL },
    { "seLinuxChangePolicy", true, NOT_NULL },
};

static const char *const linux_container_fields[] = {
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
};

static bool is_given(const struct jr_node *node, enum given given)
{
    switch (given) {
    case NOT_NULL:
        break;
    case IS_TRUE:
        return jr_node_bool_or(node, false);
    case NOT_EMPTY:
        return jr_size(node) > 0;
    }
    return !jr_unset(node);
}

/** Adds the errors of linux_fields: those of the securityContext, of the PodSpec, or both. */
static void check_linux_fields(struct jr_pod_check *p, const struct jr_field_path *path,
                               bool in_context, bool in_spec)
{
    const struct jr_node *context = jr_get(p->spec, "securityContext");
    const struct jr_field_path context_path = JR_FIELD(path, "securityContext");

    for (size_t i = 0; i < JR_ARRAY_SIZE(linux_fields); i++) {
        const struct linux_field *f = &linux_fields[i];

        if ((f->in_context ? in_context : in_spec) &&
            is_given(jr_get(f->in_context ? context : p->spec, f->name), f->given))
            jr_violation(p->errs, JR_RULE_WINDOWS_FIELD,
                         &JR_FIELD(f->in_context ? &context_path : path, f->name));
    }
}

static void check_windows(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const bool context_first = jr_kube_has(p->errs->version, JR_CHANGE_WINDOWS_CONTEXT_FIRST);
    struct jr_container_walk w = { .pod = p->spec, .path = path };

    check_linux_fields(p, path, true, !context_first);
    if (context_first)
        check_linux_fields(p, path, false, true);
    while (jr_container_next(&w)) {
        const struct jr_node *own = jr_get(w.container, "securityContext");
        const struct jr_field_path own_path = JR_FIELD(&w.at, "securityContext");

        for (size_t i = 0; i < JR_ARRAY_SIZE(linux_container_fields); i++) {
            if (!jr_unset(jr_get(own, linux_container_fields[i])))
                jr_violation(p->errs, JR_RULE_WINDOWS_FIELD,
                             &JR_FIELD(&own_path, linux_container_fields[i]));
        }
    }
}

void jr_pod_check_os(struct jr_pod_check *p, const struct jr_field_path *pod_path)
{
    const struct jr_node *os = jr_get(p->spec, "os");
    const struct jr_str name = jr_get_str(os, "name");
    const struct jr_field_path path = JR_FIELD(pod_path, "os");

    if (jr_unset(os))
        return;
    if (name.n == 0)
        jr_violation(p->errs, JR_RULE_OS_REQUIRED, &JR_FIELD(&path, "name"));
    else if (jr_str_is(name, "linux"))
        check_linux(p, pod_path);
    else if (jr_str_is(name, "windows"))
        check_windows(p, pod_path);
    else
        jr_violation_enum(p->errs, JR_RULE_OS_NAME, &JR_FIELD_HIDDEN(&path, JR_S("name")), name);
}
