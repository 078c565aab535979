/* SPDX-License-Identifier: Apache-2.0 */
/* An intrusive binary heap: the first of its entries is at hand. Entries are members of the objects
 * and know their places, so that each can be moved and taken out. */
#ifndef JR_BASE_HEAP_H
#define JR_BASE_HEAP_H

#include "common/base/error.h"

/** An entry, the member of what is in the heap. */
struct jr_heap_entry {
    size_t at;
};

/** Zero-initialised but for `before`, is empty. */
struct jr_heap {
    bool (*before)(struct jr_heap_entry *a, struct jr_heap_entry *b);
    struct jr_heap_entry **v; /* the first one is v[0], while n > 0 */
    size_t n, cap;
};

/** Makes room for one entry beside n others: adding can't fail then. Errors: JR_NOMEM. */
enum jr_status jr_heap_room(struct jr_heap *h, size_t n) JR_MUST_USE;
/** Adds an entry, for which there is room. */
void jr_heap_add(struct jr_heap *h, struct jr_heap_entry *e);
/** Puts an entry where it belongs now that it comes earlier, or later. */
void jr_heap_move(struct jr_heap *h, struct jr_heap_entry *e);
/** Takes an entry out. */
void jr_heap_remove(struct jr_heap *h, const struct jr_heap_entry *e);
/** Frees the places, not what was in them. */
void jr_heap_done(struct jr_heap *h);

#endif
