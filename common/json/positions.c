#include "common/json/positions.h"

#include <stdio.h>

/* A tree of its own: whole paths as text would take quadratic room in deep documents. */
struct position {
    struct jr_str key; /* p == NULL: an element */
    size_t index;      /* of an element */
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
    *x = (struct position){ .line = line, .column = column };
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
