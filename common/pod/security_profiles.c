/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of seccompProfile and appArmorProfile. */
#include "common/pod/parts.h"
#include "common/pod/pod_parts.h"
#include "common/pod/walk.h"

#define APP_ARMOR_MAX 4095 /* PATH_MAX - 1 */

static const char *const profile_types[] = { "Localhost", "RuntimeDefault", "Unconfined", NULL };
static const char *const oci_types[] = { "Localhost", "RuntimeDefault", "Unconfined", "OCI", NULL };

void jr_pod_check_seccomp(struct jr_pod_check *p, const struct jr_node *profile,
                          const struct jr_field_path *path)
{
    const struct jr_field_path type_path = JR_FIELD(path, "type");
    const struct jr_field_path at = JR_FIELD(path, "localhostProfile");
    const struct jr_node *local = jr_get(profile, "localhostProfile");
    const struct jr_str type = jr_get_str(profile, "type"), file = jr_node_str(local);
    struct jr_errlist *errs = p->errs;

    if (type.n == 0)
        jr_violation(errs, JR_RULE_SECCOMP_TYPE_REQUIRED, &type_path);
    else
        jr_validate_choice(JR_RULE_SECCOMP_TYPE, p->opts->oci_profiles ? oci_types : profile_types,
                           type, &type_path, errs);
    if (!jr_str_is(type, "Localhost")) {
        if (!jr_unset(local))
            jr_violation_shown(errs, JR_RULE_SECCOMP_PROFILE_LOCALHOST, &at,
                               &jr_schema_security_context, "seccompProfile", profile);
        return;
    }
    if (jr_unset(local))
        jr_violation(errs, JR_RULE_SECCOMP_PROFILE_REQUIRED, &at);
    else
        jr_validate_name(errs, JR_RULE_SECCOMP_PROFILE_PATH, &at, file, jr_name_descending_path);
}

void jr_pod_check_privileged_profiles(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_container_walk w = { .pod = p->spec, .path = path };

    while (p->opts->oci_profiles && jr_container_next(&w)) {
        const struct jr_node *context = jr_get(w.container, "securityContext");
        const struct jr_node *profile = jr_get(context, "seccompProfile");
        const struct jr_field_path at = JR_FIELD(&w.at, "securityContext");

        if (jr_unset(profile))
            profile = jr_path(p->spec, "securityContext.seccompProfile");
        if (jr_node_bool_or(jr_get(context, "privileged"), false) &&
            jr_str_is(jr_get_str(profile, "type"), "OCI"))
            jr_violation(p->errs, JR_RULE_SECCOMP_OCI_PRIVILEGED, &JR_FIELD(&at, "privileged"));
    }
}

static void check_app_armor_file(const struct jr_node *local, const struct jr_field_path *path,
                                 struct jr_errlist *errs)
{
    const struct jr_str file = jr_node_str(local);

    if (jr_name_is_padded(file))
        jr_violation_text(errs, JR_RULE_APP_ARMOR_PROFILE_PADDED, path, file);
    else if (file.n == 0)
        jr_violation(errs, JR_RULE_APP_ARMOR_PROFILE_REQUIRED, path);
    if (file.n > APP_ARMOR_MAX)
        jr_violation(errs, JR_RULE_APP_ARMOR_PROFILE_LENGTH, path);
}

void jr_pod_check_app_armor(struct jr_pod_check *p, const struct jr_node *profile,
                            const struct jr_field_path *path)
{
    const struct jr_field_path type_path = JR_FIELD(path, "type");
    const struct jr_field_path at = JR_FIELD(path, "localhostProfile");
    const struct jr_node *local = jr_get(profile, "localhostProfile");
    const struct jr_str type = jr_get_str(profile, "type");
    struct jr_errlist *errs = p->errs;

    if (type.n == 0)
        jr_violation(errs, JR_RULE_APP_ARMOR_TYPE_REQUIRED, &type_path);
    else if (!jr_one_of(type, profile_types))
        jr_validate_choice(JR_RULE_APP_ARMOR_TYPE, profile_types, type, &type_path, errs);
    else if (jr_str_is(type, "Localhost"))
        check_app_armor_file(local, &at, errs);
    else if (!jr_unset(local))
        jr_violation_enum(errs, JR_RULE_APP_ARMOR_PROFILE_LOCALHOST, &at, jr_node_str(local));
}
