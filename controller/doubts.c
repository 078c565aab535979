#include "controller/doubts.h"

struct jr_doubt {
    TAILQ_ENTRY(jr_doubt) in_list;
    struct jr_arena arena;
    struct jr_job_key key;
    uint64_t list;     /* the number of the first one that shows it */
    uint64_t expected; /* the setting of the expectations that it is part of */
};

static void doubt_free(struct jr_doubt *d)
{
    jr_arena_done(&d->arena);
    free(d);
}

enum jr_status jr_doubts_add(struct jr_doubts *doubts, const struct jr_job_key *key, uint64_t list,
                             const struct jr_state *s)
{
    struct jr_doubt *d = calloc(1, sizeof(*d));

    if (d == NULL)
        return JR_NOMEM;
    jr_arena_init(&d->arena, 0);
    if (!jr_arena_str(&d->arena, key->namespace, &d->key.namespace) ||
        !jr_arena_str(&d->arena, key->name, &d->key.name) ||
        !jr_arena_str(&d->arena, key->uid, &d->key.uid)) {
        doubt_free(d);
        return JR_NOMEM;
    }
    d->expected = jr_expectations_serial(s->expectations, key);
    d->list = list;
    TAILQ_INSERT_TAIL(doubts, d, in_list);
    return JR_OK;
}

enum jr_status jr_doubts_settle(struct jr_doubts *doubts, struct jr_str namespace, uint64_t list,
                                struct jr_state *s, struct jr_mono now)
{
    enum jr_status st = JR_OK;
    struct jr_doubt *next;

    for (struct jr_doubt *d = TAILQ_FIRST(doubts); st == JR_OK && d != NULL; d = next) {
        next = TAILQ_NEXT(d, in_list);
        if (d->list > list || (namespace.p != NULL && !jr_str_eq(namespace, d->key.namespace)))
            continue;
        jr_expectations_clear(s->expectations, &d->key, d->expected);
        st = jr_state_enqueue(s, d->key.namespace, d->key.name, 0, now);
        TAILQ_REMOVE(doubts, d, in_list);
        doubt_free(d);
    }
    return st;
}

void jr_doubts_done(struct jr_doubts *doubts)
{
    struct jr_doubt *d;

    while ((d = TAILQ_FIRST(doubts)) != NULL) {
        TAILQ_REMOVE(doubts, d, in_list);
        doubt_free(d);
    }
}
