/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for windowsOptions. */
#include "common/pod/parts.h"

#define GMSA_SPEC_MAX ((size_t)64 << 10)
#define DOMAIN_MAX 256 /* bytes, this one excluded */
#define NAME_MAX_BYTES 104
#define NETBIOS_MAX 15 /* characters */
#define LABEL_MAX 63

static bool has_any(struct jr_str s, const char *set)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\0' && strchr(set, s.p[i]) != NULL)
            return true;
    }
    return false;
}

static bool has_control(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            return true;
    }
    return false;
}

static size_t character_count(struct jr_str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static bool is_netbios(struct jr_str s)
{
    return s.n > 0 && s.p[0] != '.' && !has_any(s, "\\/:*?\"<>|") &&
           character_count(s) <= NETBIOS_MAX;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_label(struct jr_str s)
{
    if (s.n == 0 || s.n > LABEL_MAX || !is_alnum(s.p[0]) || !is_alnum(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    }
    return true;
}

static bool is_dns(struct jr_str s)
{
    struct jr_str label;

    if (s.n == 0 || s.p[s.n - 1] == '.')
        return false;
    while (jr_str_cut(&s, '.', &label)) {
        if (!is_label(label))
            return false;
    }
    return true;
}

static bool only_dots(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '.' && s.p[i] != ' ')
            return false;
    }
    return s.n > 0;
}

/** [DOMAIN\]NAME, with one backslash at most. */
static void check_account(struct jr_str user, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct jr_str value = jr_rule_json_str(errs, user);
    const ptrdiff_t slash = jr_str_find(user, '\\');
    const struct jr_str domain = jr_str_head(user, slash < 0 ? 0 : (size_t)slash);
    const struct jr_str name = jr_str_from(user, (size_t)(slash + 1));

    if (domain.n >= DOMAIN_MAX)
        jr_rule_violated(errs, JR_RULE_WINDOWS_DOMAIN_LENGTH, path, value);
    if (slash >= 0 && !is_netbios(domain) && !is_dns(domain))
        jr_rule_violated(errs, JR_RULE_WINDOWS_DOMAIN, path, value);
    if (name.n == 0)
        jr_rule_violated(errs, JR_RULE_WINDOWS_NAME_EMPTY, path, value);
    if (name.n > NAME_MAX_BYTES)
        jr_rule_violated(errs, JR_RULE_WINDOWS_NAME_LENGTH, path, value);
    if (only_dots(name))
        jr_rule_violated(errs, JR_RULE_WINDOWS_NAME_DOTS, path, value);
    if (has_any(name, "\"/\\:;|=,+*?<>@[]"))
        jr_rule_violated(errs, JR_RULE_WINDOWS_NAME_CHARACTERS, path, value);
}

static void check_user(struct jr_pod_check *p, const struct jr_node *node,
                       const struct jr_field_path *path)
{
    const struct jr_str user = jr_node_str(node);

    if (user.n == 0)
        jr_violation_enum(p->errs, JR_RULE_WINDOWS_USER_EMPTY, path, user);
    else if (has_control(user))
        jr_violation_enum(p->errs, JR_RULE_WINDOWS_USER_CONTROL, path, user);
    else if (jr_str_find(user, '\\') != jr_str_rfind(user, '\\'))
        jr_violation_enum(p->errs, JR_RULE_WINDOWS_USER_BACKSLASHES, path, user);
    else
        check_account(user, path, p->errs);
}

static void check_gmsa_name(struct jr_pod_check *p, const struct jr_node *node,
                            const struct jr_field_path *path)
{
    const struct jr_str name = jr_node_str(node), value = jr_rule_json_str(p->errs, name);
    const struct jr_name_errors faults = jr_name_subdomain(name);

    for (size_t i = 0; i < faults.n; i++)
        jr_rule_violatedf(p->errs, JR_RULE_GMSA_NAME, path, value, "%s", faults.v[i]);
}

static void check_gmsa_spec(struct jr_pod_check *p, const struct jr_node *node,
                            const struct jr_field_path *path)
{
    const struct jr_str spec = jr_node_str(node);

    if (spec.n == 0)
        jr_violation_enum(p->errs, JR_RULE_GMSA_SPEC_EMPTY, path, spec);
    else if (spec.n > GMSA_SPEC_MAX)
        jr_violation_enum(p->errs, JR_RULE_GMSA_SPEC_SIZE, path, spec);
}

const struct jr_field_rule jr_pod_windows_options[] = {
    JR_CALL(JR_IF_SET, "gmsaCredentialSpecName", check_gmsa_name),
    JR_CALL(JR_IF_SET, "gmsaCredentialSpec", check_gmsa_spec),
    JR_CALL(JR_IF_SET, "runAsUserName", check_user),
    { .name = NULL },
};
