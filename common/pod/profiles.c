#include "common/pod/profiles.h"

#define APP_ARMOR_MAX 4095 /* PATH_MAX - 1 */

static const char *const profile_types[] = { "Localhost", "RuntimeDefault", "Unconfined", NULL };

/* ---- seccomp ---- */

static void check_local_path(struct jr_str path_text, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
    const struct jr_str value = jr_errlist_quote(errs, path_text);
    struct jr_str rest = path_text, part;

    if (path_text.n > 0 && path_text.p[0] == '/')
        jr_rule_broken(errs, JR_RULE_SECCOMP_ABSOLUTE, path, value);
    while (jr_str_cut(&rest, '/', &part)) {
        if (jr_str_is(part, "..")) {
            jr_rule_broken(errs, JR_RULE_SECCOMP_BACKSTEPS, path, value);
            break;
        }
    }
}

void jr_pod_check_seccomp(const struct jr_node *profile, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    static const struct jr_enum_rule type = { profile_types, JR_RULE_SECCOMP_TYPE_REQUIRED,
                                              JR_RULE_SECCOMP_TYPE };
    const struct jr_node *file = jr_get(profile, "localhostProfile");
    const struct jr_field_path file_path = JR_FIELD(path, "localhostProfile");
    bool local = jr_str_is(jr_get_str(profile, "type"), "Localhost");

    if (jr_unset(profile))
        return;
    jr_validate_enum(&type, jr_get(profile, "type"), &JR_FIELD(path, "type"), errs);
    if (local && jr_unset(file))
        jr_rule_broken(errs, JR_RULE_SECCOMP_PROFILE_REQUIRED, &file_path, JR_NO_VALUE);
    else if (local)
        check_local_path(jr_node_str(file), &file_path, errs);
    else if (!jr_unset(file))
        jr_rule_broken(errs, JR_RULE_SECCOMP_PROFILE_TYPE, &file_path, jr_rule_json(errs, profile));
}

void jr_pod_check_seccomp_annotation(struct jr_str value, const struct jr_field_path *path,
                                     struct jr_errlist *errs)
{
    if (jr_str_is(value, JR_PROFILE_DEFAULT) || jr_str_is(value, JR_SECCOMP_DOCKER) ||
        jr_str_is(value, JR_PROFILE_UNCONFINED))
        return;
    if (jr_str_starts(value, JR_S(JR_PROFILE_LOCAL)))
        check_local_path(jr_str_from(value, sizeof(JR_PROFILE_LOCAL) - 1), path, errs);
    else
        jr_rule_broken(errs, JR_RULE_SECCOMP_ANNOTATION, path, jr_errlist_quote(errs, value));
}

/* ---- AppArmor ---- */

/** Whether it begins or ends with what Unicode calls white space. */
static bool is_padded(struct jr_str s)
{
    static const char *const spaces[] = {
        "\t",           "\n",           "\v",
        "\f",           "\r",           " ",
        "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80",
        "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
        "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85",
        "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
        "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
        "\xe3\x80\x80",
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(spaces); i++) {
        if (jr_str_starts(s, jr_str(spaces[i])) || jr_str_ends(s, jr_str(spaces[i])))
            return true;
    }
    return false;
}

static void check_app_armor_file(const struct jr_node *file, const struct jr_field_path *path,
                                 struct jr_errlist *errs)
{
    const struct jr_str s = jr_node_str(file);

    if (is_padded(s))
        jr_rule_broken(errs, JR_RULE_APP_ARMOR_PADDED, path, jr_errlist_quote(errs, s));
    else if (s.n == 0)
        jr_rule_broken(errs, JR_RULE_APP_ARMOR_PROFILE_REQUIRED, path, JR_NO_VALUE);
    if (s.n > APP_ARMOR_MAX)
        jr_rule_broken(errs, JR_RULE_APP_ARMOR_LONG, path, JR_NO_VALUE);
}

void jr_pod_check_app_armor(const struct jr_node *profile, const struct jr_field_path *path,
                            struct jr_errlist *errs)
{
    static const struct jr_enum_rule type_rule = { profile_types, JR_RULE_APP_ARMOR_TYPE_REQUIRED,
                                                   JR_RULE_APP_ARMOR_TYPE };
    const struct jr_node *file = jr_get(profile, "localhostProfile");
    const struct jr_field_path file_path = JR_FIELD(path, "localhostProfile");
    const struct jr_str type = jr_get_str(profile, "type");

    if (jr_unset(profile))
        return;
    if (jr_str_is(type, "Localhost"))
        check_app_armor_file(file, &file_path, errs);
    else if (!jr_str_is(type, "RuntimeDefault") && !jr_str_is(type, "Unconfined"))
        jr_validate_enum(&type_rule, jr_get(profile, "type"), &JR_FIELD(path, "type"), errs);
    else if (!jr_unset(file))
        jr_rule_broken(errs, JR_RULE_APP_ARMOR_PROFILE_TYPE, &file_path,
                       jr_rule_json_str(errs, jr_node_str(file)));
}

void jr_pod_check_app_armor_annotation(struct jr_str value, const struct jr_field_path *path,
                                       struct jr_errlist *errs)
{
    const struct jr_str quoted = jr_errlist_quote(errs, value);

    if (value.n == 0 || jr_str_is(value, JR_PROFILE_DEFAULT) ||
        jr_str_is(value, JR_PROFILE_UNCONFINED) || jr_str_starts(value, JR_S(JR_PROFILE_LOCAL)))
        return;
    jr_rule_brokenf(errs, JR_RULE_APP_ARMOR_ANNOTATION, path, quoted,
                    "invalid AppArmor profile name: %.*s", JR_P(quoted));
}
