/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a Pod template's warnings, inside of this folder, in the order in which they come.
 * w->at is the template's path. */
#ifndef JR_POD_WARNING_PARTS_H
#define JR_POD_WARNING_PARTS_H

#include "common/base/string_set.h"
#include "common/pod/warnings.h"
#include "common/rules/each.h"

/* A path of the Pod, of a part of it. */
#define JR_WARN_POD(w) JR_FIELD((w)->at, "spec")

/** s in quotes, as Go's %q; "" without memory, which w->failed says then. */
const char *jr_warn_quote(struct jr_warnings *w, struct jr_str s);
/** Whether nobody reads further warnings, or there is no memory. */
bool jr_warn_full(const struct jr_warnings *w);
/* NOLINTBEGIN(bugprone-macro-parentheses): the names of variables */
/** Each node of a list, as long as warnings are read. */
#define JR_EACH_WARNED(node_, list_, w_)                                                    \
    for (const struct jr_node *node_ = jr_first(list_); node_ != NULL && !jr_warn_full(w_); \
         node_ = jr_next(node_))
/** The same, with paths: element_ is a struct jr_element. path_: of the list. */
#define JR_WARN_EACH(element_, list_, path_, w_)                                  \
    for (struct jr_element element_ = { jr_first(list_), JR_FIELD_AT(path_, 0) }; \
         (element_).node != NULL && !jr_warn_full(w_);                            \
         (element_).node = jr_next((element_).node), (element_).path.index++)
/* NOLINTEND(bugprone-macro-parentheses) */
/** Bytes come whole: warns of member `name` of quantities if it doesn't; path: of quantities. */
void jr_warn_fraction(struct jr_warnings *w, const struct jr_node *quantities, const char *name,
                      const struct jr_field_path *path);

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
