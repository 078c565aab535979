/* SPDX-License-Identifier: Apache-2.0 */
/* The set of texts: a hash table with open addressing. */
#include "common/base/string_set.h"

#include "common/base/hash.h"

/** The slot of s, or the free one where it belongs. */
static struct jr_str *find_slot(struct jr_str *slots, size_t cap, struct jr_str s)
{
    size_t i = (size_t)jr_hash(s) & (cap - 1);

    while (slots[i].p != NULL && !jr_str_eq(slots[i], s))
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static bool grow_slots(struct jr_string_set *t)
{
    size_t cap = t->cap == 0 ? 16 : t->cap * 2;
    struct jr_str *slots = jr_arena_calloc(t->arena, cap, sizeof(*slots));

    if (slots == NULL) {
        *t->status = JR_NOMEM;
        return false;
    }
    for (size_t i = 0; i < t->cap; i++) {
        if (t->slots[i].p != NULL)
            *find_slot(slots, cap, t->slots[i]) = t->slots[i];
    }
    t->slots = slots;
    t->cap = cap;
    return true;
}

bool jr_string_set_has(const struct jr_string_set *t, struct jr_str s)
{
    return t->cap > 0 && find_slot(t->slots, t->cap, s)->p != NULL;
}

bool jr_string_set_add(struct jr_string_set *t, struct jr_str s)
{
    if (s.p == NULL)
        s = JR_S("");
    if (jr_string_set_has(t, s))
        return false;
    if (t->n + 1 > t->cap / 4 * 3 && !grow_slots(t))
        return true;
    *find_slot(t->slots, t->cap, s) = s;
    t->n++;
    return true;
}
