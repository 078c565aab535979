/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a Pod's validation, inside of this folder. All add to errs; paths are the caller's.
 * Errors come in upstream's order. */
#ifndef JR_POD_PARTS_H
#define JR_POD_PARTS_H

#include "common/base/string_set.h"
#include "common/pod/field_rules.h"
#include "common/pod/validate.h"
#include "common/schema/quantity.h"

/** A Pod while it is validated. */
struct jr_pod_check {
    const struct jr_node *spec; /* the PodSpec */
    const struct jr_pod_opts *opts;
    struct jr_string_set volumes;       /* names of the good ones, once they are validated */
    struct jr_string_set block_volumes; /* those of them that can be block devices */
    struct jr_string_set image_volumes; /* those of them that are images */
    struct jr_string_set claims; /* names in resourceClaims, before containers are validated */
    struct jr_errlist *errs;
};

/* volume_projected.c: values of keyType that came with 1.38 */
extern const char *const jr_ml_dsa_keys[];

/* volumes.c: fills p->volumes and the sets of some of them */
jr_pod_check_fn jr_pod_check_volumes;

/* resource_claims.c; path: of the PodSpec, as in what follows */
jr_pod_part_fn jr_pod_check_resource_claims;
/* pod_resources.c: resources of the Pod itself, which its containers share */
jr_pod_part_fn jr_pod_check_own_resources;
/* resource_claims.c */
jr_pod_part_fn jr_pod_check_scheduling_group;

/* containers.c; path: of the PodSpec. The first fills p->claims and validates containers,
 * initContainers and ephemeralContainers, the second what holds for a Pod alone, not for a
 * template. */
jr_pod_part_fn jr_pod_check_containers, jr_pod_check_images;

/* What follows is of one container; path: of the field unless it says otherwise. */

/* ports.c. The second is about the container at path: seen has the host's ports so far. */
jr_pod_check_fn jr_pod_check_ports;
void jr_pod_check_host_ports(struct jr_pod_check *p, const struct jr_node *container,
                             struct jr_string_set *seen, const struct jr_field_path *path);

/* env.c: an element of the first two. The last is about the volumes that all containers' env takes
 * files from; path: of the PodSpec. */
jr_pod_check_fn jr_pod_check_env, jr_pod_check_env_from;
jr_pod_part_fn jr_pod_check_file_keys;

/* field_refs.c: fieldRef and resourceFieldRef. fields: the field paths that are supported where the
 * reference stands, ended by NULL. The last is of a volume's file, where the container has to be
 * named. */
void jr_pod_check_field_ref(struct jr_pod_check *p, const struct jr_node *ref,
                            const char *const *fields, const struct jr_field_path *path);
jr_pod_check_fn jr_pod_check_resource_ref, jr_pod_check_named_resource_ref;

/* mounts.c: volumeMounts and volumeDevices; path: of the container */
jr_pod_check_fn jr_pod_check_mounts;

/* resources.c; the second: with the names that a Pod's own resources may have; the third: of limits
 * alone. */
jr_pod_check_fn jr_pod_check_resources, jr_pod_check_pod_requirements, jr_pod_check_limits;
/** What upstream prints, in the arena of errs. */
struct jr_str jr_pod_quantity_text(const struct jr_quantity *q, struct jr_errlist *errs);
/** Whether a map of quantities has huge pages that are no multiple of the page. */
bool jr_pod_has_bad_hugepages(const struct jr_node *quantities, struct jr_kube_version version);
/* claims.c */
jr_pod_check_fn jr_pod_check_claims;

/* restarts.c; path: of the container */
jr_pod_check_fn jr_pod_check_resize, jr_pod_check_restart;
jr_pod_check_fn jr_pod_check_init_restart, jr_pod_check_init_resize;

/* probes.c and lifecycle.c; path: of the container. The last says whether there is a lifecycle once
 * fields of gates that are off are dropped. */
jr_pod_check_fn jr_pod_check_probes, jr_pod_check_lifecycle;
bool jr_pod_has_lifecycle(const struct jr_pod_check *p, const struct jr_node *container);

/* lifecycle_handlers.c: of a probe or of a lifecycle hook */
enum jr_pod_handler { JR_POD_PROBE, JR_POD_HOOK };
void jr_pod_check_handler(struct jr_pod_check *p, const struct jr_node *handler,
                          enum jr_pod_handler of, const struct jr_field_path *path);

/* container_security.c; the parts of it, which a Pod's securityContext has too, in
 * security_profiles.c and windows_options.c */
jr_pod_check_fn jr_pod_check_container_security, jr_pod_check_seccomp;
jr_pod_check_fn jr_pod_check_app_armor;
extern const struct jr_field_rule jr_pod_windows_options[];

#endif
