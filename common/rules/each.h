/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the elements of a list, or the members of an object. */
#ifndef JR_RULES_EACH_H
#define JR_RULES_EACH_H

#include "common/api/field_error.h"
#include "common/json/doc.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): the names of variables */
/** Each node of a list; none of what is no list. */
#define JR_EACH(node_, list_) \
    for (const struct jr_node *node_ = jr_first(list_); node_ != NULL; node_ = jr_next(node_))
/** The same, as long as validation goes on. */
#define JR_EACH_GOING(node_, list_, errs_)                                                        \
    for (const struct jr_node *node_ = jr_first(list_); node_ != NULL && jr_errlist_going(errs_); \
         node_ = jr_next(node_))

/** An element of a list, with its path. */
struct jr_element {
    const struct jr_node *node;
    struct jr_field_path path;
};
/** The same, with paths: element_ is a struct jr_element. path_: of the list. */
#define JR_EACH_AT(element_, list_, path_, errs_)                                 \
    for (struct jr_element element_ = { jr_first(list_), JR_FIELD_AT(path_, 0) }; \
         (element_).node != NULL && jr_errlist_going(errs_);                      \
         (element_).node = jr_next((element_).node), (element_).path.index++)
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
