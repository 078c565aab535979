/* SPDX-License-Identifier: Apache-2.0 */
/* All containers of a Pod, in the order in which the API server visits them. */
#ifndef JR_POD_WALK_H
#define JR_POD_WALK_H

#include "common/api/field_error.h"
#include "common/json/doc.h"

/** The lists of a PodSpec in that order: initContainers, containers, ephemeralContainers. */
#define JR_CONTAINER_LISTS 3
extern const char *const jr_container_lists[JR_CONTAINER_LISTS];

/** Whether an init container is a sidecar. */
static inline bool jr_container_is_sidecar(const struct jr_node *init)
{
    return jr_str_is(jr_get_str(init, "restartPolicy"), "Always");
}

/** The container behind c, to be changed; c NULL, *lists 0: the first one; NULL: there is none.
 * *lists is ours. */
struct jr_node *jr_container_after(struct jr_node *pod, struct jr_node *c, size_t *lists);

/** Stays where it is while it is used: the paths are linked. Zeroed but for pod and path, it stands
 * before the first container. */
struct jr_container_walk {
    const struct jr_node *pod;        /* the PodSpec */
    const struct jr_field_path *path; /* of the PodSpec; NULL if nobody asks for paths */
    /* the container, borrowed, and where it is */
    const struct jr_node *container;
    const char *list; /* one of jr_container_lists */
    size_t index;
    struct jr_field_path at; /* path of the container */
    /* ours */
    size_t lists;
    struct jr_field_path list_path;
};
/** Goes to the next one; false at the end. */
bool jr_container_next(struct jr_container_walk *w);

#endif
