/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of Pod templates: the rules of the API server (k8s.io/kubernetes core validation), in
 * its order and words. */
#ifndef JR_POD_VALIDATE_H
#define JR_POD_VALIDATE_H

#include "common/rules/rules.h"
#include "common/schema/profile.h"

/** What gates and an old object relax (upstream: PodValidationOptions). */
struct jr_pod_opts {
    bool affinity_any_values;           /* label values in the selectors of Pod affinity */
    bool node_affinity_any_values;      /* label values in required node affinity */
    bool spread_any_selector;           /* label selectors of topologySpreadConstraints */
    bool spread_match_keys;             /* matchLabelKeys exist */
    bool spread_match_keys_merge;       /* and are merged into the selector */
    bool old_match_keys_violated;       /* the old object breaks today's rule for them */
    bool old_match_keys_violated_early; /* the old object breaks the rule before 1.34 */
    bool indivisible_huge_pages;
    bool non_local_token_path;
    bool host_sysctls; /* namespaced sysctls beside hostNetwork and hostIPC */
    bool selinux_recursive_only;
    bool pod_level_resources;
    bool init_resize_policy;         /* any on init containers */
    bool init_restart_resize_policy; /* RestartContainer on init containers that are no sidecars */
    bool env_files;
    bool container_restart_rules;
    bool restart_all_containers;
    bool stop_signals; /* lifecycle.stopSignal exists */
    bool user_ns_devices;
    bool user_ns_host_network;
    bool toleration_comparisons; /* operators Lt and Gt */
    bool any_deletion_cost;      /* the annotation */
    bool strict_ips;             /* no zeros in front of numbers, no IPv4 in IPv6 */
    bool narrow_env_names;       /* letters, digits, '_', '-' and '.' only */
    bool narrow_dns_searches;    /* no '_', and "." isn't one */
    bool positive_sleep;         /* a sleep of 0 seconds is refused */
    bool any_image_reference;    /* of volumes: also none */
    bool no_image_volumes;       /* the source `image` is not known */
    bool any_attributes_class;   /* volumeAttributesClassName */
    bool oci_profiles;           /* of seccomp */
    bool ml_dsa_keys;            /* keyType of certificates in volumes */
    enum jr_status failed;       /* JR_NOMEM: nothing of this is known; validation says so */
};
/** template: the PodTemplateSpec to be validated; old: the stored one, NULL on create. */
struct jr_pod_opts jr_pod_opts_of(const struct jr_node *template, const struct jr_node *old,
                                  const struct jr_profile *profile);

/** Adds to errs what is wrong with a defaulted PodTemplateSpec at path. */
void jr_pod_template_validate(const struct jr_node *template, const struct jr_pod_opts *opts,
                              const struct jr_field_path *path, struct jr_errlist *errs);
/** Declarative rules, since 1.38: behind all others, and only of what an update changes. old: the
 * stored template of an update, else NULL. */
void jr_pod_template_validate_declared(const struct jr_node *template, const struct jr_node *old,
                                       const struct jr_field_path *path, struct jr_errlist *errs);
/** The same for the volumes and containers of a PodSpec alone. */
void jr_pod_containers_validate(const struct jr_node *pod_spec, const struct jr_pod_opts *opts,
                                const struct jr_field_path *path, struct jr_errlist *errs);

#endif
