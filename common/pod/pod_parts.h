/* The parts of the validation of a Pod's own fields, inside of this folder, in the order in which
 * they come. All add to errs; path: of the PodSpec. */
#ifndef JR_POD_POD_PARTS_H
#define JR_POD_POD_PARTS_H

#include "common/pod/parts.h"

/* annotations.c; path: of the annotations, and of the PodSpec in the second, which compares
 * annotations with fields of the same meaning. */
void jr_pod_check_annotations(struct jr_pod_check *p, const struct jr_node *annotations,
                              const struct jr_field_path *path);
void jr_pod_check_old_profiles(struct jr_pod_check *p, const struct jr_node *annotations,
                               const struct jr_field_path *path);

/* host.c */
void jr_pod_check_network_ports(struct jr_pod_check *p, const struct jr_field_path *path);
/* security.c: securityContext */
void jr_pod_check_security(struct jr_pod_check *p, const struct jr_field_path *path);
/* affinity.c */
void jr_pod_check_affinity(struct jr_pod_check *p, const struct jr_field_path *path);
/* dns.c */
void jr_pod_check_dns_config(struct jr_pod_check *p, const struct jr_field_path *path);
/* gates.c: readinessGates and schedulingGates */
void jr_pod_check_gates(struct jr_pod_check *p, const struct jr_field_path *path);
/* spread.c: topologySpreadConstraints */
void jr_pod_check_spread(struct jr_pod_check *p, const struct jr_field_path *path);
/* host.c */
void jr_pod_check_host_process(struct jr_pod_check *p, const struct jr_field_path *path);
void jr_pod_check_host_users(struct jr_pod_check *p, const struct jr_field_path *path);
/* dns.c */
void jr_pod_check_hostname_override(struct jr_pod_check *p, const struct jr_field_path *path);
/* tolerations.c; the second: those in an annotation, path is theirs */
void jr_pod_check_tolerations(struct jr_pod_check *p, const struct jr_field_path *path);
void jr_pod_check_old_tolerations(struct jr_pod_check *p, struct jr_str annotation,
                                  const struct jr_field_path *path);
/* dns.c */
void jr_pod_check_host_aliases(struct jr_pod_check *p, const struct jr_field_path *path);
/* os.c */
void jr_pod_check_os(struct jr_pod_check *p, const struct jr_field_path *path);

/* prepare.c: whether containers restart by rules of their own */
bool jr_pod_has_restart_rules(const struct jr_node *spec);

#endif
