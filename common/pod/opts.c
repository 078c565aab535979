#include "common/pod/validate.h"

struct jr_pod_opts jr_pod_opts_of(const struct jr_node *template, const struct jr_node *old,
                                  const struct jr_profile *profile)
{
    (void)template;
    (void)old;
    (void)profile;
    return (struct jr_pod_opts){
        .strict_ips = true,
        .selinux_recursive_only = true,
        .spread_match_keys = true,
        .spread_match_keys_merge = true,
        .relaxed_env_names = true,
        .relaxed_dns_searches = true,
        .sleep_zero = true,
        .pod_level_resources = true,
        .sidecar_resize_policy = true,
        .env_files = true,
        .container_restart_rules = true,
        .restart_all_containers = true,
    };
}
