/* The parts of a Pod template's warnings, inside of this folder, in the order in which they come.
 * w->at is the template's path. */
#ifndef JR_POD_WARNING_PARTS_H
#define JR_POD_WARNING_PARTS_H

#include "common/pod/warnings.h"

/** s in quotes, as Go's %q; "" without memory, which w->failed says then. */
const char *jr_warn_quote(struct jr_warnings *w, struct jr_str s);
/** Whether nobody reads further warnings, or there is no memory. */
bool jr_warn_full(const struct jr_warnings *w);
/** Bytes come whole: warns of member `name` of quantities if it doesn't; path: of quantities. */
void jr_warn_fraction(struct jr_warnings *w, const struct jr_node *quantities, const char *name,
                      const char *path);

/* warnings_places.c: labels of nodes that have new names, selectors that match nothing */
void jr_warn_node_labels(struct jr_warnings *w, const struct jr_node *pod);
void jr_warn_spread(struct jr_warnings *w, const struct jr_node *pod);
void jr_warn_pod_affinity(struct jr_warnings *w, const struct jr_node *pod);
/* warnings_volumes.c: volume plugins that are gone; files that go where others go */
void jr_warn_volumes(struct jr_warnings *w, const struct jr_node *pod);
void jr_warn_overlaps(struct jr_warnings *w, const struct jr_node *pod);
/* warnings_containers.c */
void jr_warn_containers(struct jr_warnings *w, const struct jr_node *template);
/* warnings_ports.c */
void jr_warn_ports(struct jr_warnings *w, const struct jr_node *pod);

#endif
