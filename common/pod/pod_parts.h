/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the validation of a Pod's own fields, inside of this folder, in the order in which
 * they come. All add to errs; path: of the PodSpec. */
#ifndef JR_POD_POD_PARTS_H
#define JR_POD_POD_PARTS_H

#include "common/pod/parts.h"

/* annotations.c; path: of the annotations, and of the PodSpec in the second, which compares
 * annotations with fields of the same meaning. */
jr_pod_check_fn jr_pod_check_annotations, jr_pod_check_old_profiles;

/* host.c */
jr_pod_part_fn jr_pod_check_network_ports;
/* security.c: securityContext */
jr_pod_part_fn jr_pod_check_security;
/* security_profiles.c: a privileged container can't have a profile of an OCI registry */
jr_pod_part_fn jr_pod_check_privileged_profiles;
/* affinity.c */
jr_pod_part_fn jr_pod_check_affinity;
/* dns.c */
jr_pod_part_fn jr_pod_check_dns_config;
/* scheduling_gates.c: readinessGates and schedulingGates */
jr_pod_part_fn jr_pod_check_gates;
/* spread.c: topologySpreadConstraints */
jr_pod_part_fn jr_pod_check_spread;
/* host.c */
jr_pod_part_fn jr_pod_check_host_process, jr_pod_check_host_users;
/* dns.c */
jr_pod_part_fn jr_pod_check_hostname_override;
/* tolerations.c: one of tolerations, and those in an annotation: path is theirs */
jr_pod_check_fn jr_pod_check_toleration;
void jr_pod_check_old_tolerations(struct jr_pod_check *p, struct jr_str annotation,
                                  const struct jr_field_path *path);
/* dns.c: one of hostAliases */
jr_pod_check_fn jr_pod_check_host_alias;
/* os.c */
jr_pod_part_fn jr_pod_check_os;

/* prepare.c: whether containers restart by rules of their own */
bool jr_pod_has_restart_rules(const struct jr_node *spec);

#endif
