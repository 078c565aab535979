/* Walks over all containers of a Pod. */
#include "common/pod/walk.h"

bool jr_container_next(struct jr_container_walk *w)
{
    static const char *const lists[] = { "initContainers", "containers", "ephemeralContainers" };

    w->container = jr_next(w->container);
    w->index++;
    while (w->container == NULL && w->lists < JR_ARRAY_SIZE(lists)) {
        w->list = lists[w->lists++];
        w->list_path = JR_FIELD(w->path, w->list);
        w->container = jr_first(jr_get(w->pod, w->list));
        w->index = 0;
    }
    w->at = JR_FIELD_AT(&w->list_path, w->index);
    return w->container != NULL;
}
