/* SPDX-License-Identifier: Apache-2.0 */
/* Where the values of a document stand. */
#include "common/json/positions.h"

#include "common/base/hash.h"
#include "common/base/vec.h"

/* A tree of its own: whole paths as text would take quadratic room in deep documents. */
struct position {
    struct jr_str key; /* p == NULL: an element */
    size_t index;      /* among its siblings */
    size_t parent;     /* JR_POSITIONS_NONE: the root */
    size_t n_children;
    size_t n_same; /* siblings before it that have its key */
    uint64_t hash; /* of the parent and the key or index */
    unsigned line;
    unsigned column;
};

/* Positions are found by parent and key, or index: open addressing in a table that is twice as
 * large at least. Of siblings with one key the last is in it. */
struct jr_positions {
    struct position *v;
    size_t n;
    size_t cap;
    size_t *slots; /* number of the position, which is no root; 0: free */
    size_t n_slots;
    struct jr_arena keys;
};

struct jr_positions *jr_positions_new(void)
{
    return calloc(1, sizeof(struct jr_positions));
}

void jr_positions_free(struct jr_positions *p)
{
    if (p == NULL)
        return;
    jr_arena_done(&p->keys);
    free(p->slots);
    free(p->v);
    free(p);
}

static uint64_t hash_of(size_t parent, struct jr_str key, size_t index)
{
    const struct jr_str place = { (const char *)&index, sizeof(index) };

    return jr_hash_more(parent, key.p == NULL ? place : key);
}

/* The slot of the position below parent with that key, or index if key.p is NULL; else the free one
 * where it would be. */
static size_t *find_slot(const struct jr_positions *p, uint64_t hash, size_t parent,
                         struct jr_str key, size_t index)
{
    size_t i = (size_t)hash & (p->n_slots - 1);

    for (; p->slots[i] != 0; i = (i + 1) & (p->n_slots - 1)) {
        const struct position *x = &p->v[p->slots[i]];

        if (x->hash == hash && x->parent == parent && (x->key.p == NULL) == (key.p == NULL) &&
            (key.p == NULL ? x->index == index : jr_str_eq(x->key, key)))
            break;
    }
    return &p->slots[i];
}

static bool grow_table(struct jr_positions *p)
{
    const size_t n = p->n_slots == 0 ? 64 : p->n_slots * 2;
    size_t *slots = calloc(n, sizeof(*slots));

    if (slots == NULL)
        return false;
    free(p->slots);
    p->slots = slots;
    p->n_slots = n;
    for (size_t i = 1; i < p->n; i++) {
        const struct position *x = &p->v[i];

        *find_slot(p, x->hash, x->parent, x->key, x->index) = i;
    }
    return true;
}

static void add_below(struct jr_positions *p, struct position *x)
{
    size_t *slot;

    x->index = p->v[x->parent].n_children++;
    x->hash = hash_of(x->parent, x->key, x->index);
    slot = find_slot(p, x->hash, x->parent, x->key, x->index);
    x->n_same = *slot == 0 ? 0 : p->v[*slot].n_same + 1;
    *slot = p->n;
}

enum jr_status jr_positions_add(struct jr_positions *p, size_t parent, struct jr_str key,
                                unsigned line, unsigned column, size_t *ret)
{
    struct position x = { .parent = parent, .line = line, .column = column };
    struct position *v = jr_vec_room(p->v, p->n, &p->cap, sizeof(*v));

    if (v == NULL)
        return JR_NOMEM;
    p->v = v;
    if (2 * p->n >= p->n_slots && !grow_table(p))
        return JR_NOMEM;
    if (key.p != NULL && !jr_arena_str(&p->keys, key, &x.key))
        return JR_NOMEM;
    if (parent != JR_POSITIONS_NONE)
        add_below(p, &x);
    p->v[p->n] = x;
    *ret = p->n++;
    return JR_OK;
}

/* The last member of this name, or the element of this index; 0 if there is none. */
static size_t find_child(const struct jr_positions *p, size_t at, struct jr_str name, size_t index)
{
    return *find_slot(p, hash_of(at, name, index), at, name, index);
}

/* *there: whether the whole path is. Recursion is as deep as the path. */
static size_t find_path(const struct jr_positions *p, size_t from, const struct jr_field_path *path,
                        bool *there)
{
    size_t up, found;

    if (path == NULL)
        return from;
    up = find_path(p, from, path->parent, there);
    if (!*there)
        return up;
    found = find_child(p, up, path->name, path->index);
    *there = found != 0;
    return *there ? found : up;
}

size_t jr_positions_find(const struct jr_positions *p, size_t from,
                         const struct jr_field_path *path)
{
    bool there = true;

    return p == NULL || p->n == 0 ? 0 : find_path(p, from, path, &there);
}

size_t jr_positions_last(const struct jr_positions *p, size_t at)
{
    return find_child(p, p->v[at].parent, p->v[at].key, p->v[at].index);
}

bool jr_positions_below(const struct jr_positions *p, size_t at, size_t from)
{
    while (at > from)
        at = p->v[at].parent;
    return at == from;
}

void jr_positions_place(const struct jr_positions *p, size_t at, unsigned *ret_line,
                        unsigned *ret_column)
{
    const bool none = p == NULL || p->n == 0;

    *ret_line = none ? 1 : p->v[at].line;
    *ret_column = none ? 1 : p->v[at].column;
}

void jr_positions_write(const struct jr_positions *p, size_t from, size_t at, struct jr_buf *out)
{
    const struct position *x = &p->v[at];

    if (at == from)
        return;
    jr_positions_write(p, from, x->parent, out);
    if (x->key.p == NULL)
        (void)jr_buf_addf(out, "[%zu]", x->index);
    else
        (void)jr_buf_addf(out, "%s%.*s", out->n == 0 ? "" : ".", JR_P(x->key));
}

enum jr_status jr_positions_duplicates(const struct jr_positions *p,
                                       enum jr_status (*fn)(void *ctx, size_t at), void *ctx)
{
    enum jr_status st = JR_OK;

    for (size_t i = 0; p != NULL && i < p->n && st == JR_OK; i++) {
        if (p->v[i].n_same == 1)
            st = fn(ctx, i);
    }
    return st;
}
