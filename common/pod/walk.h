/* All containers of a Pod, in the order in which the API server visits them. */
#ifndef JR_POD_WALK_H
#define JR_POD_WALK_H

#include "common/api/field_error.h"
#include "common/json/doc.h"

/** Stays where it is while it is used: the paths are linked. Zeroed but for pod and path, it stands
 * before the first container. */
struct jr_container_walk {
    const struct jr_node *pod;        /* the PodSpec */
    const struct jr_field_path *path; /* of the PodSpec; NULL if nobody asks for paths */
    /* the container, borrowed, and where it is */
    const struct jr_node *container;
    const char *list; /* initContainers, then containers, then ephemeralContainers */
    size_t index;
    struct jr_field_path at; /* path of the container */
    /* ours */
    size_t lists;
    struct jr_field_path list_path;
};
/** Goes to the next one; false at the end. */
bool jr_container_next(struct jr_container_walk *w);

#endif
