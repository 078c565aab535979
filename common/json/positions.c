#include "common/json/positions.h"

#include <stdio.h>

#include "common/base/hash.h"

/* A tree of its own: whole paths as text would take quadratic room in deep documents. */
struct position {
    struct jr_str key; /* p == NULL: an element */
    size_t index;      /* of an element */
    size_t parent;     /* JR_POSITIONS_NONE: the root */
    size_t first;      /* child; 0: none, since the root is no one's child */
    size_t last;
    size_t next; /* sibling; 0: none */
    unsigned line;
    unsigned column;
};

struct jr_positions {
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
    free(p->v);
    free(p);
}

/* Where the next one goes; NULL without memory. */
static struct position *next_place(struct jr_positions *p)
{
    if (p->n == p->cap) {
        size_t cap = p->cap == 0 ? 64 : p->cap * 2;
        struct position *v = realloc(p->v, cap * sizeof(*v));

        if (v == NULL)
            return NULL;
        p->v = v;
        p->cap = cap;
    }
    return &p->v[p->n];
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

        if (up->first == 0) {
            up->first = p->n;
        } else {
            x->index = p->v[up->last].index + 1;
            p->v[up->last].next = p->n;
        }
        up->last = p->n;
    }
    *ret = p->n++;
    return JR_OK;
}

/* Length of the part of path (at the start of it: `top`) that names x; 0 if it does not. */
static size_t match(struct jr_str path, bool top, const struct position *x)
{
    const size_t dot = top ? 0 : 1;
    char index[32];
    struct jr_str name = x->key;
    size_t n;

    if (path.n > 0 && path.p[0] == '[') {
        if (name.p == NULL)
            name =
                (struct jr_str){ index, (size_t)snprintf(index, sizeof(index), "%zu", x->index) };
        n = name.n + 2;
        if (path.n < n || path.p[n - 1] != ']' || memcmp(path.p + 1, name.p, name.n) != 0)
            return 0;
    } else {
        n = name.n + dot;
        if (name.n == 0 || path.n < n || (dot == 1 && path.p[0] != '.') ||
            memcmp(path.p + dot, name.p, name.n) != 0)
            return 0;
    }
    return path.n == n || path.p[n] == '.' || path.p[n] == '[' ? n : 0;
}

void jr_positions_find(const struct jr_positions *p, const char *path, unsigned *ret_line,
                       unsigned *ret_column)
{
    struct jr_str rest = jr_str(path);
    size_t at = 0, best = 1;
    bool top = true;

    *ret_line = 1;
    *ret_column = 1;
    if (p == NULL || p->n == 0)
        return;
    while (best > 0 && rest.n > 0) {
        size_t found = at;

        best = 0;
        /* Names may hold dots: the longest one that fits is meant. Of equal ones the last. */
        for (size_t c = p->v[at].first; c != 0; c = p->v[c].next) {
            size_t n = match(rest, top, &p->v[c]);

            if (n > 0 && n >= best) {
                best = n;
                found = c;
            }
        }
        at = found;
        top = false;
        rest = jr_str_from(rest, best);
    }
    *ret_line = p->v[at].line;
    *ret_column = p->v[at].column;
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

static void write_path(const struct jr_positions *p, size_t at, struct jr_buf *out)
{
    const struct position *x = &p->v[at];

    if (x->parent == JR_POSITIONS_NONE)
        return;
    write_path(p, x->parent, out);
    if (x->key.p == NULL)
        (void)jr_buf_addf(out, "[%zu]", x->index);
    else
        (void)jr_buf_addf(out, "%s%.*s", out->n == 0 ? "" : ".", JR_P(x->key));
}

enum jr_status jr_positions_duplicates(const struct jr_positions *p,
                                       enum jr_status (*fn)(void *ctx, struct jr_str path),
                                       void *ctx)
{
    JR_CLEANUP(seen_done) struct seen seen = { NULL, NULL, 0 };
    enum jr_status st = JR_OK;

    if (p == NULL)
        return JR_OK;
    if (!seen_init(&seen, p->n))
        return JR_NOMEM;
    for (size_t i = 0; i < p->n && st == JR_OK; i++) {
        JR_BUF path = { 0 };

        if (p->v[i].key.p == NULL || !seen_twice(&seen, p, i))
            continue;
        jr_buf_init(&path, SIZE_MAX / 2);
        write_path(p, i, &path);
        st = path.failed == JR_OK ? fn(ctx, jr_buf_str(&path)) : JR_NOMEM;
    }
    return st;
}
