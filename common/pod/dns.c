/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of dnsConfig, hostAliases and hostnameOverride. */
#include "common/pod/pod_parts.h"
#include "common/rules/ip.h"

#define NAMESERVERS_MAX 3
#define SEARCHES_MAX 32
#define SEARCHES_CHARS_MAX 2048

static void check_nameservers(struct jr_pod_check *p, const struct jr_node *servers,
                              const struct jr_field_path *path)
{
    if (jr_size(servers) > NAMESERVERS_MAX)
        jr_violation_json(p->errs, JR_RULE_DNS_SERVERS, path, servers);
    JR_EACH_AT(s, servers, path, p->errs)
        jr_validate_ip(jr_node_str(s.node), p->opts->strict_ips, &s.path, p->errs);
}

/** As resolv.conf has it: with blanks between. */
static size_t searches_length(const struct jr_node *searches)
{
    size_t n = jr_size(searches) > 0 ? jr_size(searches) - 1 : 0;

    JR_EACH(s, searches)
        n += jr_node_str(s).n;
    return n;
}

static void check_search(struct jr_pod_check *p, struct jr_str s, const struct jr_field_path *path)
{
    struct jr_name_errors faults;

    const bool narrow = p->opts->narrow_dns_searches;

    if (!narrow && jr_str_is(s, "."))
        return;
    if (s.n > 0 && s.p[s.n - 1] == '.')
        s.n--;
    faults = narrow ? jr_name_subdomain(s) : jr_name_subdomain_underscore(s);
    jr_rule_faults(p->errs, JR_RULE_DNS_SEARCH, path, s, &faults);
}

static void check_searches(struct jr_pod_check *p, const struct jr_node *searches,
                           const struct jr_field_path *path)
{
    if (jr_size(searches) > SEARCHES_MAX)
        jr_violation_json(p->errs, JR_RULE_DNS_SEARCHES, path, searches);
    if (searches_length(searches) > SEARCHES_CHARS_MAX)
        jr_violation_json(p->errs, JR_RULE_DNS_SEARCHES_LONG, path, searches);
    JR_EACH_AT(s, searches, path, p->errs)
        check_search(p, jr_node_str(s.node), &s.path);
}

void jr_pod_check_dns_config(struct jr_pod_check *p, const struct jr_field_path *pod_path)
{
    const struct jr_node *config = jr_get(p->spec, "dnsConfig");
    const struct jr_node *servers = jr_get(config, "nameservers");
    const struct jr_field_path path = JR_FIELD(pod_path, "dnsConfig");
    const struct jr_field_path servers_path = JR_FIELD(&path, "nameservers");
    bool none = jr_str_is(jr_get_str(p->spec, "dnsPolicy"), "None");

    if (none && jr_unset(config)) {
        jr_violation(p->errs, JR_RULE_DNS_CONFIG_REQUIRED, &path);
        return;
    }
    if (none && jr_size(servers) == 0) {
        jr_violation(p->errs, JR_RULE_DNS_SERVER_REQUIRED, &servers_path);
        return;
    }
    check_nameservers(p, servers, &servers_path);
    check_searches(p, jr_get(config, "searches"), &JR_FIELD(&path, "searches"));
    JR_EACH_AT(o, jr_get(config, "options"), &JR_FIELD(&path, "options"), p->errs) {
        if (jr_get_str(o.node, "name").n == 0)
            jr_violation(p->errs, JR_RULE_DNS_OPTION, &o.path);
    }
}

void jr_pod_check_host_alias(struct jr_pod_check *p, const struct jr_node *alias,
                             const struct jr_field_path *path)
{
    jr_validate_ip(jr_get_str(alias, "ip"), p->opts->strict_ips, &JR_FIELD(path, "ip"), p->errs);
    JR_EACH_AT(h, jr_get(alias, "hostnames"), &JR_FIELD(path, "hostnames"), p->errs)
        jr_validate_name(p->errs, JR_RULE_HOST_ALIAS_NAME, &h.path, jr_node_str(h.node),
                         jr_name_subdomain);
}

void jr_pod_check_hostname_override(struct jr_pod_check *p, const struct jr_field_path *pod_path)
{
    const struct jr_node *name = jr_get(p->spec, "hostnameOverride");
    const struct jr_field_path path = JR_FIELD(pod_path, "hostnameOverride");

    if (jr_unset(name))
        return;
    if (jr_node_bool_or(jr_get(p->spec, "setHostnameAsFQDN"), false))
        jr_violation(p->errs, JR_RULE_HOSTNAME_FQDN, &path);
    if (jr_node_bool_or(jr_get(p->spec, "hostNetwork"), false))
        jr_violation(p->errs, JR_RULE_HOSTNAME_NETWORK, &path);
    if (jr_node_str(name).n > 64)
        jr_violation(p->errs, JR_RULE_HOSTNAME_LONG, &path);
    jr_validate_name(p->errs, JR_RULE_HOSTNAME_OVERRIDE, &path, jr_node_str(name),
                     jr_name_subdomain);
}
