#include "common/json/positions.h"

#include "common/base/num.h"

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

/* Length of the part of path (at the start of it: `top`) that names the member x; 0 if it does
 * not. */
static size_t match(struct jr_str path, bool top, const struct position *x)
{
    const size_t dot = top ? 0 : 1;
    struct jr_str name = x->key;
    size_t n;

    if (path.n > 0 && path.p[0] == '[') {
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

/* As find_member, of a wide object: each name that path may begin with, the longest one first. */
static size_t find_in_wide(const struct jr_positions *p, const struct position *x,
                           struct jr_str path, bool top, size_t *ret_n)
{
    const bool bracket = path.p[0] == '[';
    const size_t skip = bracket || !top ? 1 : 0;

    *ret_n = 0;
    if (!top && !bracket && path.p[0] != '.')
        return 0;
    for (size_t end = path.n; end > skip + bracket; end--) {
        size_t found;

        if (end < path.n && path.p[end] != '.' && path.p[end] != '[')
            continue;
        if (bracket && path.p[end - 1] != ']')
            continue;
        found = find_named(p, x, (struct jr_str){ path.p + skip, end - skip - bracket });
        if (found != 0) {
            *ret_n = end;
            return found;
        }
    }
    return 0;
}

/* The member of `at` that the front of path names. Names may hold dots: the longest one that fits
 * is meant. Of equal ones the last. */
static size_t find_member(const struct jr_positions *p, size_t at, struct jr_str path, bool top,
                          size_t *ret_n)
{
    size_t found = 0;

    if (p->v[at].named != 0)
        return find_in_wide(p, &p->v[at], path, top, ret_n);
    *ret_n = 0;
    for (size_t c = p->v[at].last; c != 0; c = p->v[c].before) {
        size_t n = match(path, top, &p->v[c]);

        if (n > *ret_n) {
            *ret_n = n;
            found = c;
        }
    }
    return found;
}

/* The element of `at` that the front of path ("[12]") names. */
static size_t find_element(const struct jr_positions *p, size_t at, struct jr_str path,
                           size_t *ret_n)
{
    const ptrdiff_t end = jr_str_find(path, ']');
    size_t c = p->v[at].last;
    int64_t i;

    *ret_n = 0;
    if (path.p[0] != '[' || end < 0 ||
        jr_parse_i64(jr_str_head(jr_str_from(path, 1), (size_t)end - 1), 0, INT64_MAX, &i) != JR_OK)
        return 0;
    while (c != 0 && p->v[c].index > (size_t)i)
        c = p->v[c].jump != 0 && p->v[p->v[c].jump].index >= (size_t)i ? p->v[c].jump
                                                                       : p->v[c].before;
    if (c == 0 || p->v[c].index < (size_t)i)
        return 0;
    *ret_n = (size_t)end + 1;
    return c;
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
        const bool list = p->v[at].last != 0 && p->v[p->v[at].last].key.p == NULL;
        size_t found =
            list ? find_element(p, at, rest, &best) : find_member(p, at, rest, top, &best);

        if (best > 0)
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
