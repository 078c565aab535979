/* SPDX-License-Identifier: Apache-2.0 */
/* The list of ambiguous creates, in the order of their sending. */
#include "controller/work/ambiguous_creates.h"

#include "common/kube/keyed.h"

struct jr_ambiguous_create {
    struct jr_keyed keyed; /* by the Job; in no map */
    TAILQ_ENTRY(jr_ambiguous_create) in_list;
    uint64_t list;     /* the number of the first one that shows it */
    uint64_t expected; /* the setting of the expectations that it is part of */
};

void jr_ambiguous_creates_add(struct jr_ambiguous_creates *creates, const struct jr_object_key *key,
                              uint64_t list, const struct jr_state *s)
{
    struct jr_ambiguous_create *d = jr_keyed_new(sizeof(*d), key);

    d->expected = jr_expectations_serial(s->expectations, key);
    d->list = list;
    TAILQ_INSERT_TAIL(creates, d, in_list);
}

void jr_ambiguous_creates_resolve(struct jr_ambiguous_creates *creates, struct jr_str namespace,
                                  uint64_t list, struct jr_state *s, struct jr_mono now)
{
    struct jr_ambiguous_create *next;

    for (struct jr_ambiguous_create *d = TAILQ_FIRST(creates); d != NULL; d = next) {
        const struct jr_object_key key = jr_keyed_key(d);

        next = TAILQ_NEXT(d, in_list);
        if (d->list > list || (namespace.p != NULL && !jr_str_eq(namespace, key.namespace)))
            continue;
        jr_expectations_clear(s->expectations, &key, d->expected);
        jr_state_enqueue(s, key.namespace, key.name, 0, now);
        TAILQ_REMOVE(creates, d, in_list);
        free(d);
    }
}

void jr_ambiguous_creates_done(struct jr_ambiguous_creates *creates)
{
    struct jr_ambiguous_create *d;

    while ((d = TAILQ_FIRST(creates)) != NULL) {
        TAILQ_REMOVE(creates, d, in_list);
        free(d);
    }
}
