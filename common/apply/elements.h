/* SPDX-License-Identifier: Apache-2.0 */
/* An index of a list's elements by their merge key, so that a merge costs no square of what a
 * tenant may send. For programs that end where there is no memory. */
#ifndef JR_APPLY_ELEMENTS_H
#define JR_APPLY_ELEMENTS_H

#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/schema/schema.h"

/** An element of the list. */
struct jr_keyed_element {
    struct jr_link link;
    struct jr_node *node;
    size_t at;                     /* its place among all that were added */
    bool taken;                    /* for the index' user */
    struct jr_keyed_element *next; /* of the same key */
    struct jr_keyed_element *last; /* likewise; of the first one only */
};

/** An index; the list is borrowed. */
struct jr_elements {
    const struct jr_schema_field *rule; /* which says the key; without one whole elements are it */
    struct jr_arena arena;
    struct jr_map map;
    size_t n;
};

/** Makes an index of the list's elements; list may be NULL. End: jr_elements_done(). */
void jr_elements_init(struct jr_elements *x, const struct jr_schema_field *rule,
                      const struct jr_node *list);
void jr_elements_done(struct jr_elements *x);
#define JR_ELEMENTS JR_CLEANUP(jr_elements_done) struct jr_elements

/** Returns the first element with the key of `like`, valid until it is removed; NULL: there is
 * none. Elements without a key have one key. */
struct jr_keyed_element *jr_elements_find(const struct jr_elements *x, const struct jr_node *like);
/** Adds an element that was appended to the list. */
void jr_elements_add(struct jr_elements *x, struct jr_node *node);
/** Takes an element that was found out of the index: the next of its key, if any, is then found. */
void jr_elements_remove(struct jr_elements *x, struct jr_keyed_element *e);

#endif
