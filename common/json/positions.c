/* Where the values of a document stand. */
#include "common/json/positions.h"

#include "common/base/hash.h"
#include "common/base/vec.h"

/* A tree of its own: whole paths as text would take quadratic room in deep documents. */
struct position {
    struct jr_str key; /* p == NULL: an element */
    size_t index;      /* among its siblings */
    size_t parent;     /* JR_POSITIONS_NONE: the root */
    size_t last;       /* child; 0: none, since the root is no one's child */
    size_t before;     /* sibling; 0: none */
    size_t jump;       /* a sibling further back, to find an element fast; 0: none */
    size_t named;      /* where its members begin, + 1; 0: nowhere */
    unsigned line;
    unsigned column;
};

/* A member of a wide object; those of one object lie together, in the order of compare_named. */
struct named {
    struct jr_str key;
    size_t at;
};

/* Wider objects are looked up in order, not one member after the other. */
#define WIDE 32

struct jr_positions {
    struct named *named;
    size_t n_named;
    struct position *v;
    size_t n;
    size_t cap;
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
    free(p->named);
    free(p->v);
    free(p);
}

/* Where the next one goes; NULL without memory. */
static struct position *next_place(struct jr_positions *p)
{
    struct position *v = jr_vec_room(p->v, p->n, &p->cap, sizeof(*v));

    if (v == NULL)
        return NULL;
    p->v = v;
    return &p->v[p->n];
}

/* Behind the sibling `last`. Jumps are as in a skew binary list: each spans one more than two equal
 * jumps before it, or is a single step. */
static void link_back(const struct jr_positions *p, struct position *x, size_t last)
{
    const struct position *a = &p->v[last], *b = &p->v[a->jump], *c = &p->v[b->jump];

    x->index = a->index + 1;
    x->before = last;
    x->jump =
        a->jump != 0 && b->jump != 0 && a->index - b->index == b->index - c->index ? b->jump : last;
}

enum jr_status jr_positions_add(struct jr_positions *p, size_t parent, struct jr_str key,
                                unsigned line, unsigned column, size_t *ret)
{
    struct position *x = next_place(p);

    if (x == NULL)
        return JR_NOMEM;
    *x = (struct position){ .parent = parent, .line = line, .column = column };
    if (key.p != NULL && !jr_arena_str(&p->keys, key, &x->key))
        return JR_NOMEM;
    if (parent != JR_POSITIONS_NONE) {
        struct position *up = &p->v[parent];

        if (up->last != 0)
            link_back(p, x, up->last);
        up->last = p->n;
    }
    *ret = p->n++;
    return JR_OK;
}

/* ---- wide objects ---- */

/* By length first: where no key is as long as what is looked for, no text is compared. */
static int compare_keys(struct jr_str a, struct jr_str b)
{
    if (a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return a.n == 0 ? 0 : memcmp(a.p, b.p, a.n);
}

static int compare_named(const void *pa, const void *pb)
{
    const struct named *a = pa, *b = pb;
    int cmp = compare_keys(a->key, b->key);

    return cmp != 0 ? cmp : a->at < b->at ? -1 : a->at > b->at;
}

/* The number of its members, if it is a wide object; else 0. */
static size_t width(const struct jr_positions *p, const struct position *x)
{
    const struct position *last = &p->v[x->last];

    return x->last == 0 || last->key.p == NULL || last->index < WIDE ? 0 : last->index + 1;
}

enum jr_status jr_positions_index(struct jr_positions *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += width(p, &p->v[i]);
    free(p->named);
    p->named = NULL;
    p->n_named = 0;
    if (n == 0)
        return JR_OK;
    p->named = calloc(n, sizeof(*p->named));
    if (p->named == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < p->n; i++) {
        struct named *first = p->named + p->n_named;
        size_t wide = width(p, &p->v[i]), k = wide;

        if (wide == 0)
            continue;
        for (size_t c = p->v[i].last; c != 0; c = p->v[c].before)
            first[--k] = (struct named){ p->v[c].key, c };
        qsort(first, wide, sizeof(*first), compare_named);
        p->v[i].named = p->n_named + 1;
        p->n_named += wide;
    }
    return JR_OK;
}

/* The last member of this name in a wide object; 0 if there is none. */
static size_t find_named(const struct jr_positions *p, const struct position *x, struct jr_str name)
{
    const struct named *v = p->named + x->named - 1;
    size_t low = 0, high = p->v[x->last].index + 1;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (compare_keys(v[mid].key, name) <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 && compare_keys(v[low - 1].key, name) == 0 ? v[low - 1].at : 0;
}

/* The last member of this name; 0 if there is none. */
static size_t find_member(const struct jr_positions *p, size_t at, struct jr_str name)
{
    size_t c = p->v[at].last;

    if (p->v[at].named != 0)
        return find_named(p, &p->v[at], name);
    while (c != 0 && (p->v[c].key.p == NULL || !jr_str_eq(p->v[c].key, name)))
        c = p->v[c].before;
    return c;
}

/* The element of this index; 0 if there is none. */
static size_t find_element(const struct jr_positions *p, size_t at, size_t index)
{
    size_t c = p->v[at].last;

    if (c == 0 || p->v[c].key.p != NULL)
        return 0;
    while (c != 0 && p->v[c].index > index)
        c = p->v[c].jump != 0 && p->v[p->v[c].jump].index >= index ? p->v[c].jump : p->v[c].before;
    return c != 0 && p->v[c].index == index ? c : 0;
}

/* *there: whether the whole path is. Recursion is as deep as the path. */
static size_t find(const struct jr_positions *p, size_t from, const struct jr_field_path *path,
                   bool *there)
{
    size_t up, found;

    if (path == NULL)
        return from;
    up = find(p, from, path->parent, there);
    if (!*there)
        return up;
    found =
        path->name.p == NULL ? find_element(p, up, path->index) : find_member(p, up, path->name);
    *there = found != 0;
    return *there ? found : up;
}

size_t jr_positions_find(const struct jr_positions *p, size_t from,
                         const struct jr_field_path *path)
{
    bool there = true;

    return p == NULL || p->n == 0 ? 0 : find(p, from, path, &there);
}

size_t jr_positions_last(const struct jr_positions *p, size_t at)
{
    return find_member(p, p->v[at].parent, p->v[at].key);
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

/* ---- duplicates ---- */

/* The members that were seen, by parent and key: open addressing in a table twice as large. */
struct seen {
    size_t *slots; /* number of the position + 1; 0: free */
    bool *told;    /* that it is there twice */
    size_t mask;
};

static void seen_done(struct seen *s)
{
    free(s->slots);
    free(s->told);
}

static bool seen_init(struct seen *s, size_t n)
{
    size_t cap = 16;

    while (cap < 2 * n)
        cap *= 2;
    s->slots = calloc(cap, sizeof(*s->slots));
    s->told = calloc(cap, sizeof(*s->told));
    s->mask = cap - 1;
    return s->slots != NULL && s->told != NULL;
}

/* Whether the member's key was there before, told of for the first time; it is remembered. */
static bool seen_twice(struct seen *s, const struct jr_positions *p, size_t at)
{
    const struct position *x = &p->v[at];
    size_t i = (size_t)jr_hash_more(x->parent, x->key) & s->mask;
    bool first;

    for (; s->slots[i] != 0; i = (i + 1) & s->mask) {
        const struct position *other = &p->v[s->slots[i] - 1];

        if (other->parent != x->parent || !jr_str_eq(other->key, x->key))
            continue;
        first = !s->told[i];
        s->told[i] = true;
        return first;
    }
    s->slots[i] = at + 1;
    return false;
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
    JR_CLEANUP(seen_done) struct seen seen = { NULL, NULL, 0 };
    enum jr_status st = JR_OK;

    if (p == NULL)
        return JR_OK;
    if (!seen_init(&seen, p->n))
        return JR_NOMEM;
    for (size_t i = 0; i < p->n && st == JR_OK; i++) {
        if (p->v[i].key.p != NULL && seen_twice(&seen, p, i))
            st = fn(ctx, i);
    }
    return st;
}
