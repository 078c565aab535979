/* SPDX-License-Identifier: Apache-2.0 */
/* A selector made ready for many Pods: one term a key, values sorted, so that a match takes time by
 * the Pod's labels and not by what somebody wrote into the selector. */
#ifndef JR_RULES_SELECTOR_PLAN_H
#define JR_RULES_SELECTOR_PLAN_H

#include "common/api/pod.h"

/** What all requirements of a selector on one key come to. */
struct jr_selector_term {
    struct jr_str key;
    bool must;             /* the label has to be there */
    bool must_not;         /* it must not */
    bool some;             /* its value has to be one of `in` */
    struct jr_strs in;     /* sorted */
    struct jr_strs not_in; /* sorted */
};

/** Lies in the arena of the object that the selector is of. */
struct jr_selector_plan {
    bool never; /* requirements that exclude each other, or an unknown operator */
    struct jr_selector_term *must; /* whose labels have to be there */
    size_t n_must;
    struct jr_selector_term *may; /* the others, by key */
    size_t n_may;
};

/** Makes the plan of a selector. Errors: JR_NOMEM. */
enum jr_status jr_selector_plan_make(const struct jr_selector *s, struct jr_arena *arena,
                                     const struct jr_selector_plan **ret) JR_MUST_USE;
/** Whether the Pod's labels satisfy the selector. */
bool jr_selector_plan_matches(const struct jr_selector_plan *p, const struct jr_pod *pod);

#endif
