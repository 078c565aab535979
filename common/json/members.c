/* SPDX-License-Identifier: Apache-2.0 */
/* Members by their keys: looked up, and in order. */
#include "common/json/members.h"

/* Up to this many members are looked through one by one. */
#define FEW 16

static int by_key(const void *a, const void *b)
{
    return jr_str_cmp(jr_key(*(const struct jr_node *const *)a),
                      jr_key(*(const struct jr_node *const *)b));
}

void jr_members_init(struct jr_members *m, const struct jr_node *object, struct jr_arena *arena,
                     enum jr_status *failed)
{
    size_t n = jr_size(object);

    *m = (struct jr_members){ .object = object, .owned = arena == NULL };
    if (n <= FEW)
        return;
    m->sorted = arena == NULL ? calloc(n, sizeof(struct jr_node *))
                              : jr_arena_calloc(arena, n, sizeof(struct jr_node *));
    if (m->sorted == NULL) {
        if (failed != NULL)
            *failed = JR_NOMEM;
        return;
    }
    for (struct jr_node *c = jr_first(object); c != NULL && m->n < n; c = jr_next(c))
        m->sorted[m->n++] = c;
    qsort(m->sorted, m->n, sizeof(struct jr_node *), by_key);
}

void jr_members_done(struct jr_members *m)
{
    if (m->owned)
        free(m->sorted);
    *m = (struct jr_members){ .object = NULL };
}

struct jr_node *jr_members_get(const struct jr_members *m, struct jr_str key)
{
    size_t lo = 0, hi = m->n;

    if (m->sorted == NULL)
        return jr_getn(m->object, key);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = jr_str_cmp(jr_key(m->sorted[mid]), key);

        if (c == 0)
            return m->sorted[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

const struct jr_node **jr_members_sorted(const struct jr_node *object)
{
    const size_t n = jr_size(object);
    const struct jr_node **sorted = calloc(n + 1, sizeof(const struct jr_node *));
    size_t i = 0;

    if (sorted == NULL)
        return NULL;
    for (const struct jr_node *m = jr_first(object); m != NULL && i < n; m = jr_next(m))
        sorted[i++] = m;
    qsort(sorted, i, sizeof(const struct jr_node *), by_key);
    return sorted;
}
