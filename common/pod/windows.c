#include "common/pod/profiles.h"

#define GMSA_SPEC_MAX ((size_t)64 << 10)
#define DOMAIN_LIMIT 256
#define USER_MAX 104
#define NETBIOS_MAX 15
#define DNS_PART_MAX 63

/** A pointer to a string is shown as JSON. */
static void broken(struct jr_errlist *errs, enum jr_rule rule, const struct jr_field_path *path,
                   struct jr_str value)
{
    jr_rule_broken(errs, rule, path, jr_rule_json_str(errs, value));
}

static bool has_any(struct jr_str s, const char *chars)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\0' && strchr(chars, s.p[i]) != NULL)
            return true;
    }
    return false;
}

static bool has_control(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c < ' ' || c == 0x7f)
            return true;
    }
    return false;
}

static bool only_dots_and_spaces(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '.' && s.p[i] != ' ')
            return false;
    }
    return s.n > 0;
}

static size_t characters(struct jr_str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static bool is_netbios(struct jr_str s)
{
    return s.n > 0 && s.p[0] != '.' && !has_any(s, "\\/:*?\"<>|") && characters(s) <= NETBIOS_MAX;
}

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/** Letters, digits and '-', the first and the last no '-'. */
static bool is_dns_part(struct jr_str s)
{
    if (s.n == 0 || s.n > DNS_PART_MAX || s.p[0] == '-' || s.p[s.n - 1] == '-')
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    }
    return true;
}

static bool is_dns(struct jr_str s)
{
    struct jr_str part;

    if (s.n == 0 || s.p[s.n - 1] == '.')
        return false;
    while (jr_str_cut(&s, '.', &part)) {
        if (!is_dns_part(part))
            return false;
    }
    return true;
}

static void check_account(struct jr_str user, const struct jr_str *domain, struct jr_str value,
                          const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (domain != NULL && domain->n >= DOMAIN_LIMIT)
        broken(errs, JR_RULE_WINDOWS_DOMAIN_LONG, path, value);
    if (domain != NULL && !is_netbios(*domain) && !is_dns(*domain))
        broken(errs, JR_RULE_WINDOWS_DOMAIN, path, value);
    if (user.n == 0)
        broken(errs, JR_RULE_WINDOWS_NAME_EMPTY, path, value);
    else if (user.n > USER_MAX)
        broken(errs, JR_RULE_WINDOWS_NAME_LONG, path, value);
    if (only_dots_and_spaces(user))
        broken(errs, JR_RULE_WINDOWS_NAME_DOTS, path, value);
    if (has_any(user, "\"/\\:;|=,+*?<>@[]"))
        broken(errs, JR_RULE_WINDOWS_NAME_CHARS, path, value);
}

/** [DOMAIN\]USER */
static void check_user(struct jr_str s, const struct jr_field_path *path, struct jr_errlist *errs)
{
    ptrdiff_t first = jr_str_find(s, '\\');
    struct jr_str domain = { NULL, 0 };

    if (s.n == 0) {
        broken(errs, JR_RULE_WINDOWS_USER_EMPTY, path, s);
    } else if (has_control(s)) {
        broken(errs, JR_RULE_WINDOWS_USER_CONTROL, path, s);
    } else if (first != jr_str_rfind(s, '\\')) {
        broken(errs, JR_RULE_WINDOWS_USER_BACKSLASH, path, s);
    } else if (first < 0) {
        check_account(s, NULL, s, path, errs);
    } else {
        domain = jr_str_head(s, (size_t)first);
        check_account(jr_str_from(s, (size_t)first + 1), &domain, s, path, errs);
    }
}

void jr_pod_check_windows_options(const struct jr_node *options, const struct jr_field_path *path,
                                  struct jr_errlist *errs)
{
    const struct jr_node *name = jr_get(options, "gmsaCredentialSpecName");
    const struct jr_node *spec = jr_get(options, "gmsaCredentialSpec");
    const struct jr_node *user = jr_get(options, "runAsUserName");
    const struct jr_faults faults = jr_name_subdomain(jr_node_str(name));
    const struct jr_field_path spec_path = JR_FIELD(path, "gmsaCredentialSpec");

    for (size_t i = 0; i < faults.n && !jr_unset(name); i++)
        jr_rule_brokenf(errs, JR_RULE_GMSA_NAME, &JR_FIELD(path, "gmsaCredentialSpecName"),
                        jr_rule_json_str(errs, jr_node_str(name)), "%s", faults.v[i]);
    if (!jr_unset(spec) && jr_node_str(spec).n == 0)
        broken(errs, JR_RULE_GMSA_EMPTY, &spec_path, JR_S(""));
    else if (jr_node_str(spec).n > GMSA_SPEC_MAX)
        broken(errs, JR_RULE_GMSA_LONG, &spec_path, jr_node_str(spec));
    if (!jr_unset(user))
        check_user(jr_node_str(user), &JR_FIELD(path, "runAsUserName"), errs);
}
