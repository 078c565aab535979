/* SPDX-License-Identifier: Apache-2.0 */
/* What the Job's template asks of nodes, and what the nodes that are seen have. Affinity isn't
 * looked at. */
#ifndef JR_DIAGNOSE_NODES_H
#define JR_DIAGNOSE_NODES_H

#include "common/diagnose/internal.h"
#include "common/schema/quantity.h"

/** What the template asks for of a resource, as a scheduler adds it up; "" where it says nothing.
 */
struct jr_str jr_request_of(struct question *q, struct jr_str resource, struct jr_quantity *sum);
/** The most of a resource that a node has in all; "" where no node is seen. */
struct jr_str jr_largest_node(struct question *q, struct jr_str resource, struct jr_quantity *most);
/** Whether some node has as much of the resource as the Pod asks for; `without` where none is
 * seen. */
bool jr_some_node_has(struct question *q, struct jr_str resource, bool without);
/** The template's node selector as "a=b, c=d"; "" without one. *ret_key is the first key that no
 * seen node has with its value. */
struct jr_str jr_selector_words(struct question *q, struct jr_str *ret_key);

/** Of the nodes that the selector picks: how many there are, and the taint that keeps the Pod from
 * all of them (NULL: some have none). */
struct jr_picked_nodes {
    size_t n;
    const struct jr_node *taint;
    struct jr_str names;
};

struct jr_picked_nodes jr_picked_nodes(struct question *q);

/** A taint in words and in parts; n = 0: not known. */
struct jr_taint {
    struct jr_str words; /* "dedicated=ml:NoSchedule" */
    struct jr_str key, value, effect;
};

struct jr_taint jr_taint_of(struct question *q, const struct jr_node *node);

#endif
