/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over all containers of a Pod. */
#include "common/pod/walk.h"

const char *const jr_container_lists[] = { "initContainers", "containers", "ephemeralContainers" };

struct jr_node *jr_container_after(struct jr_node *pod, struct jr_node *c, size_t *lists)
{
    c = jr_next(c);
    while (c == NULL && *lists < JR_CONTAINER_LISTS)
        c = jr_first(jr_get(pod, jr_container_lists[(*lists)++]));
    return c;
}

bool jr_container_next(struct jr_container_walk *w)
{
    w->container = jr_next(w->container);
    w->index++;
    while (w->container == NULL && w->lists < JR_CONTAINER_LISTS) {
        w->list = jr_container_lists[w->lists++];
        w->list_path = JR_FIELD(w->path, w->list);
        w->container = jr_first(jr_get(w->pod, w->list));
        w->index = 0;
    }
    w->at = JR_FIELD_AT(&w->list_path, w->index);
    return w->container != NULL;
}
