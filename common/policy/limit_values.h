/* SPDX-License-Identifier: Apache-2.0 */
/* The values that limits are about, inside of this folder. */
#ifndef JR_POLICY_LIMIT_VALUES_H
#define JR_POLICY_LIMIT_VALUES_H

#include "common/policy/evaluation.h"

/* A function whose locals are large: the compiler clears them wherever it is inlined, each time. */
#define JR_APART __attribute__((noinline))

/** A value as a limit reads it. */
struct jr_limit_value {
    const struct jr_node *node; /* NULL: it is absent, or has no amount of its own */
    struct jr_str text;
    bool set;
    bool is_fact; /* then there is no node */
    bool is_number;
    int64_t number;                     /* the fact, or the number that was read already */
    const struct jr_quantity *quantity; /* that was read already, and isn't negative; or NULL */
};

/** Returns a text, number or bool as JSON has it, a text without its quotes. */
struct jr_str jr_limit_text_of(const struct jr_node *node);
/** Whether a field is there: not what an API server would leave out, nor an empty text. */
bool jr_limit_is_set(const struct jr_limit *l, const struct jr_node *node);
/** Whether the limit is on what the Pod itself has of a resource, which it need not have. */
bool jr_limit_is_of_pod(const struct jr_limit *l);
/** Whether the limit passes over the value: a label that the API server generates. */
bool jr_limit_passes_over(const struct jr_limit *l, const struct jr_limit_walk *at);
/** Reads the value that a walk has come to. room: for a text that is in no object. */
struct jr_limit_value jr_limit_value_at(struct jr_evaluation *e, const struct jr_limit *l,
                                        const struct jr_limit_walk *at, bool old,
                                        struct jr_buf *room);
/** Reads a value as what a bound is; room: for a quantity. False: it is none. */
bool jr_limit_value_read(enum jr_limit_bound_kind kind, const struct jr_limit_value *v,
                         struct jr_limit_bound *ret, struct jr_quantity *room);

#define JR_LIMIT_KNOWN_MAX 8 /* values of a path; more are read by each limit */

/** Values of the new object, as a limit has read them. */
struct jr_known_values {
    const struct jr_limit *of; /* and all that read the same */
    size_t n;                  /* more than JR_LIMIT_KNOWN_MAX: they aren't kept */
    const struct jr_limit_value *v;
};

/** Returns all that the limit looks at in the new object, which is read once for all limits that
 * read the same. NULL: there is no room, or e->failed says why. */
const struct jr_known_values *jr_limit_known(struct jr_evaluation *e, const struct jr_limit *l);

#endif
