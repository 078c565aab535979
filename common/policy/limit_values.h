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

/** Returns the node that the limit's path begins at; NULL: it is absent. */
const struct jr_node *jr_limit_root_of(const struct jr_limit *l, const struct jr_policy_job *job);
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

/* ---- values that are known ---- */

#define JR_LIMIT_KNOWN_MAX 8 /* values of a path; more are read by each limit */

/** Returns the hash of which values the limit looks at, and how it reads them: path, key, and
 * whether one is required. Two readings have one hash by chance once in 2^64, and nobody can aim at
 * it, since the process draws the key. */
uint64_t jr_limit_reading(const struct jr_limit *l);
/** Returns where values of that reading are, or may be: then `of` is NULL. NULL: there is no room
 * for them. */
struct jr_known_values *jr_limit_slot(struct jr_evaluation *e, uint64_t reading);
/** Reads all that the limit looks at in the new object into an empty slot. e->failed may say that
 * there is no memory. */
void jr_limit_read(struct jr_evaluation *e, const struct jr_limit *l, uint64_t reading,
                   struct jr_known_values *slot);

#endif
