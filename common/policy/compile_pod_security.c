/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.podSecurity. */
#include "common/policy/compile.h"

void jr_policy_compile_pod_security(struct jr_policy_compiler *c, const struct jr_node *node,
                                    const struct jr_field_path *path)
{
    struct jr_policy_pod_security *p = &c->policy->rules.pod_security;
    const struct jr_str level = jr_get_str(node, "level"), version = jr_get_str(node, "version");
    const struct jr_field_path at = JR_FIELD(path, "version");

    if (jr_unset(node))
        return;
    p->set = true;
    p->rule.name = JR_S("podSecurity");
    if (!jr_field_path_keep(path, NULL, &c->policy->arena, &p->rule.path))
        c->errs->failed = JR_NOMEM;
    p->standard.minor = JR_POD_SECURITY_LATEST;
    p->of_namespace = jr_str_is(level, "Namespace");
    if (!p->of_namespace && (!jr_pod_security_level_read(level, &p->standard.level) ||
                             p->standard.level == JR_POD_PRIVILEGED))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, &JR_FIELD(path, "level"),
                        jr_errlist_quote(c->errs, level),
                        "supported values: \"Namespace\", \"baseline\", \"restricted\"");
    if (p->of_namespace && version.n > 0)
        JR_POLICY_FAULT(c, FORBIDDEN, &at, JR_NO_VALUE,
                        "is the namespace's own where level is Namespace");
    else if (version.n > 0 && !jr_pod_security_version_read(version, &p->standard.minor))
        JR_POLICY_FAULT(c, INVALID, &at, jr_errlist_quote(c->errs, version),
                        "must be \"latest\" or a version as \"v1.36\"");
    else if (p->standard.minor != JR_POD_SECURITY_LATEST &&
             p->standard.minor > JR_POD_SECURITY_NEWEST)
        JR_POLICY_FAULT(c, INVALID, &at, jr_errlist_quote(c->errs, version),
                        "is newer than v1.%u, the newest that is known", JR_POD_SECURITY_NEWEST);
}
