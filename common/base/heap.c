/* SPDX-License-Identifier: Apache-2.0 */
/* The binary heap: an entry at i comes before those at 2i + 1 and 2i + 2. */
#include "common/base/heap.h"

#include <stdlib.h>

#include "common/base/vec.h"

enum jr_status jr_heap_room(struct jr_heap *h, size_t n)
{
    struct jr_heap_entry **v = jr_vec_room(h->v, n, &h->cap, sizeof(struct jr_heap_entry *));

    if (v == NULL)
        return JR_NOMEM;
    h->v = v;
    return JR_OK;
}

static void put(struct jr_heap *h, size_t at, struct jr_heap_entry *e)
{
    h->v[at] = e;
    e->at = at;
}

void jr_heap_move(struct jr_heap *h, struct jr_heap_entry *e)
{
    size_t at = e->at, child;

    for (; at > 0 && h->before(e, h->v[(at - 1) / 2]); at = (at - 1) / 2)
        put(h, at, h->v[(at - 1) / 2]);
    while ((child = 2 * at + 1) < h->n) {
        if (child + 1 < h->n && h->before(h->v[child + 1], h->v[child]))
            child++;
        if (!h->before(h->v[child], e))
            break;
        put(h, at, h->v[child]);
        at = child;
    }
    put(h, at, e);
}

void jr_heap_add(struct jr_heap *h, struct jr_heap_entry *e)
{
    put(h, h->n++, e);
    jr_heap_move(h, e);
}

void jr_heap_remove(struct jr_heap *h, const struct jr_heap_entry *e)
{
    struct jr_heap_entry *last = h->v[--h->n];

    if (last == e)
        return;
    put(h, e->at, last);
    jr_heap_move(h, last);
}

void jr_heap_done(struct jr_heap *h)
{
    free(h->v);
    h->v = NULL;
    h->n = h->cap = 0;
}
