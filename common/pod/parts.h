/* The parts of a Pod's validation, inside of this folder. All add to errs; paths are the caller's.
 */
#ifndef JR_POD_PARTS_H
#define JR_POD_PARTS_H

#include "common/pod/validate.h"
#include "common/rules/check.h"
#include "common/rules/texts.h"

/** A Pod while it is judged. */
struct jr_pod_check {
    const struct jr_node *spec; /* the PodSpec */
    const struct jr_pod_opts *opts;
    struct jr_texts volumes; /* names of the good ones, once they are judged */
    struct jr_errlist *errs;
};

/* volumes.c: fills p->volumes */
void jr_pod_check_volumes(struct jr_pod_check *p, const struct jr_field_path *path);
/* containers.c: containers, initContainers, ephemeralContainers; path: of the PodSpec */
void jr_pod_check_containers(struct jr_pod_check *p, const struct jr_field_path *path);
/* resources.c: of one container; path: of `resources` */
void jr_pod_check_resources(struct jr_pod_check *p, const struct jr_node *resources,
                            const struct jr_field_path *path);

#endif
